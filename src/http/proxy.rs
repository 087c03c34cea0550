//! Which proxy a URL goes through, and the tunnel that CONNECT opens.

use std::io;

use rustix::event::PollFlags;

use super::channel::Channel;
use super::credentials::basic;
use super::exchange::Exchange;
use super::fault::{self, Phase};
use super::head::{self, Head};
use super::no_proxy::bypasses;
use super::request::{FieldLine, Request, push_field};
use super::settings::{Proxies, Proxy, Settings};
use super::url::{Scheme, Url, host_and_port};
use crate::error::{Error, Kind, Result};

/// The proxy for this URL, when there is one.
pub(super) fn for_url(proxies: &Proxies, url: &Url) -> Result<Option<Proxy>> {
    let proxy = match url.scheme {
        Scheme::Http => proxies.http.as_ref(),
        Scheme::Https => proxies.https.as_ref(),
    };
    proxy.filter(|_| !bypasses(&proxies.no_proxy, &url.host)).cloned().transpose()
}

/// Opens a tunnel through the proxy (RFC 9110, section 9.3.6).
pub(super) fn tunnel(
    channel: &mut Channel,
    proxy: &Proxy,
    (host, port): (&str, u16),
    request: &Request,
    settings: &Settings,
    exchange: &mut Exchange,
) -> Result<()> {
    let whom = host_and_port(&proxy.host, proxy.port);
    let authority = host_and_port(host, port);
    let head = connect_head(&authority, proxy, request, settings);
    exchange.watch.connecting(fault::connecting(Phase::Tunnel, &whom));
    let failed = |error: &io::Error| fault::io_error(Phase::Tunnel, error, &whom);
    let mut unsent = &head[..];
    while !unsent.is_empty() {
        match channel.write(unsent, &[]) {
            Ok(sent) => unsent = &unsent[sent..],
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                exchange.watch.wait_for(&channel.socket, PollFlags::OUT)?;
            }
            Err(error) => return Err(failed(&error)),
        }
    }
    exchange.size_request += head.len() as u64;
    if exchange.watch.observer.verbose() {
        exchange.watch.observer.sent(&head);
    }
    // Byte by byte would be slow, but a proxy says nothing behind its head before the client spoke again.
    let mut answer = Vec::new();
    let mut room = [0; 4096];
    let end = loop {
        match channel.read(&mut room) {
            Ok(0) => return Err(failed(&io::ErrorKind::UnexpectedEof.into())),
            Ok(read) => answer.extend_from_slice(&room[..read]),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                exchange.watch.wait_for(&channel.socket, PollFlags::IN)?;
            }
            Err(error) => return Err(failed(&error)),
        }
        if answer.len() > head::MAX_HEAD || !head::could_be_http(&answer) {
            return Err(Error::new(Kind::Receive, format!("proxy {whom} did not answer CONNECT with HTTP")));
        }
        if let Some(end) = head::find_end(&answer, 0) {
            break end;
        }
    };
    answer.truncate(end);
    let head = Head::parse(&answer)?;
    let status = head.status;
    exchange.http_connect = Some(status);
    exchange.received(head);
    match status {
        200..=299 => Ok(()),
        407 => {
            Err(Error::new(Kind::Receive, format!("proxy {whom} wants credentials (407): -U USER:PASSWORD gives them")))
        }
        _ => Err(Error::new(Kind::Receive, format!("proxy {whom} refused the tunnel to {authority} with {status}"))),
    }
}

/// Proxy-Authorization for `user:password`.
pub(super) fn authorization(credentials: &str) -> String {
    let (user, password) = credentials.split_once(':').unwrap_or((credentials, ""));
    basic(user, password)
}

fn connect_head(authority: &str, proxy: &Proxy, request: &Request, settings: &Settings) -> Vec<u8> {
    let mut head = format!("CONNECT {authority} HTTP/1.1\r\n").into_bytes();
    let given = &settings.proxies.fields;
    let credentials = proxy.credentials.as_deref().map(authorization);
    let user_agent = Some(request.user_agent()).filter(|value| !value.is_empty());
    for (name, value) in [
        ("Host", Some(authority)),
        ("Proxy-Authorization", credentials.as_deref()),
        ("User-Agent", user_agent),
        ("Proxy-Connection", Some("Keep-Alive")),
    ] {
        if let Some(value) = value.filter(|_| !given.iter().any(|line| line.is(name))) {
            push_field(&mut head, name, value);
        }
    }
    for line in given {
        if let FieldLine::Set(name, value) = line {
            push_field(&mut head, name, value);
        }
    }
    head.extend_from_slice(b"\r\n");
    head
}
