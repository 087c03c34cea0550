//! Makes connections for the engine: route, name, TCP or Unix socket, proxy tunnel, TLS, each moment marked.

use std::io;
use std::net::{SocketAddr, TcpStream};
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::time::Duration;

use rustix::event::PollFlags;
use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with, sockopt};
use ureq::unversioned::resolver::{ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{ConnectionDetails, Connector as EngineConnector, NextTimeout};

use super::channel::{Channel, Encryption, Socket};
use super::exchange::{Connection, Exchange, Link};
use super::fault::{self, Phase};
use super::resolver::{Whose, resolve};
use super::settings::{ConnectTo, Proxy};
use super::transport::Transport;
use super::url::{Scheme, Url, host_and_port};
use super::watch::Watch;
use super::{proxy, tls};
use crate::error::{Error, Kind, Result, describe};

/// curl's default for `--connect-timeout`.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(300);

/// How long an address may take before the next one is tried beside it (RFC 8305, section 5; curl's value).
const STAGGER: Duration = Duration::from_millis(200);

/// How long a Unix socket whose queue is full is left alone before it is tried again: nothing tells when it has room.
const FULL_QUEUE: Duration = Duration::from_millis(10);

/// Connects for the engine.
#[derive(Debug)]
pub(super) struct Connector(pub Arc<Link>);

/// Names are resolved by the connector, so only for connections that are really made.
#[derive(Debug)]
pub(super) struct NoResolver;

impl Resolver for NoResolver {
    fn resolve(
        &self,
        _: &ureq::http::Uri,
        _: &ureq::config::Config,
        _: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        Ok(self.empty())
    }
}

impl EngineConnector for Connector {
    type Out = Transport;

    fn connect(&self, _: &ConnectionDetails, _: Option<()>) -> Result<Option<Transport>, ureq::Error> {
        let mut exchange = self.0.exchange();
        match establish(&self.0, &mut exchange) {
            Ok(transport) => Ok(Some(transport)),
            Err(error) => {
                exchange.fault = Some(error);
                Err(ureq::Error::ConnectionFailed)
            }
        }
    }
}

/// Where to connect for a URL.
struct Route {
    host: String,
    port: u16,
    proxy: Option<Proxy>,
}

fn establish(link: &Arc<Link>, exchange: &mut Exchange) -> Result<Transport> {
    let settings = &link.settings;
    let Some(outgoing) = exchange.outgoing.clone() else {
        return Err(Error::new(Kind::Connect, "nothing to send"));
    };
    let url = &outgoing.request.url;
    exchange.watch.connect_within(settings.connect_timeout.unwrap_or(CONNECT_TIMEOUT));
    let route = route(url, &settings.connect_to, outgoing.proxy);
    let socket = match &settings.unix_socket {
        Some(path) => connect_unix(path, exchange)?,
        None => connect_tcp(link, &route, exchange)?,
    };
    exchange.timings.connect = Some(exchange.clock.elapsed());
    let mut channel = Channel { socket, tls: None };
    let tunnelled = url.scheme == Scheme::Https || settings.proxies.tunnel;
    if let Some(proxy) = route.proxy.as_ref().filter(|_| tunnelled) {
        proxy::tunnel(&mut channel, proxy, (&route.host, route.port), &outgoing.request, settings, exchange)?;
    }
    let whom = host_and_port(&url.host, url.port_or_default());
    let negotiated = match url.scheme {
        Scheme::Http => None,
        Scheme::Https => Some(encrypt(link, &mut channel, &url.host, &whom, exchange)?),
    };
    exchange.watch.connected();
    let connection = Connection {
        id: exchange.next_connection,
        remote: channel.socket.peer_addr(),
        local: channel.socket.local_addr(),
        tls: negotiated,
    };
    exchange.next_connection += 1;
    exchange.num_connects += 1;
    let via = route.proxy.filter(|_| !tunnelled);
    Ok(Transport::new(channel, connection, whom, via, Arc::clone(link)))
}

/// `--connect-to` changes where the connection goes, never the name that is asked for.
fn route(url: &Url, connect_to: &[ConnectTo], proxy: Option<Proxy>) -> Route {
    let (host, port) = (url.host.as_str(), url.port_or_default());
    let entry = connect_to.iter().find(|entry| {
        entry.from_host.as_deref().is_none_or(|name| name.eq_ignore_ascii_case(host))
            && entry.from_port.is_none_or(|number| number == port)
    });
    Route {
        host: entry.and_then(|entry| entry.to_host.clone()).unwrap_or_else(|| url.host_with_zone()),
        port: entry.and_then(|entry| entry.to_port).unwrap_or(port),
        proxy,
    }
}

fn connect_unix(path: &std::path::Path, exchange: &mut Exchange) -> Result<Socket> {
    exchange.timings.namelookup = Some(exchange.clock.elapsed());
    exchange.watch.note(|| format!("Trying {}...", path.display()));
    let whom = path.display().to_string();
    exchange.watch.connecting(fault::connecting(Phase::Connect, &whom));
    let failed = |error: Errno| fault::io_error(Phase::Connect, &error.into(), &whom);
    let address = SocketAddrUnix::new(path).map_err(failed)?;
    let socket = non_blocking(AddressFamily::UNIX).map_err(failed)?;
    loop {
        match connect(&socket, &address) {
            Ok(()) => return Ok(Socket::Unix(socket.into())),
            Err(Errno::AGAIN) => _ = exchange.watch.wait(&[], Some(FULL_QUEUE))?,
            Err(error) => {
                exchange.refused = error == Errno::CONNREFUSED;
                return Err(failed(error));
            }
        }
    }
}

fn non_blocking(family: AddressFamily) -> Result<OwnedFd, Errno> {
    socket_with(family, SocketType::STREAM, SocketFlags::NONBLOCK | SocketFlags::CLOEXEC, None)
}

fn connect_tcp(link: &Link, route: &Route, exchange: &mut Exchange) -> Result<Socket> {
    let (host, port, whose) = match &route.proxy {
        Some(proxy) => (&proxy.host, proxy.port, Whose::Proxy),
        None => (&route.host, route.port, Whose::Server),
    };
    let addresses = resolve(host, port, whose, link, &mut exchange.watch)?;
    exchange.timings.namelookup = Some(exchange.clock.elapsed());
    exchange.addresses.clone_from(&addresses);
    let whom = host_and_port(host, port);
    exchange.watch.connecting(fault::connecting(Phase::Connect, &whom));
    let socket = connect_staggered(&addresses, &whom, link.settings.send_buffer, exchange)?;
    // The request leaves in as few writes as possible; waiting to join them would only delay the last one.
    socket.set_nodelay(true).map_err(|error| fault::io_error(Phase::Connect, &error, &whom))?;
    exchange.watch.note(|| format!("Connected to {host} ({})", peer(&socket)));
    Ok(Socket::Tcp(socket))
}

fn peer(socket: &TcpStream) -> String {
    socket.peer_addr().map_or_else(|_| "unknown".to_owned(), |address| address.to_string())
}

/// Tries the addresses in order, each `STAGGER` after the one before or at once when that one failed; the first
/// connection made wins.
fn connect_staggered(
    addresses: &[SocketAddr],
    whom: &str,
    send_buffer: Option<usize>,
    exchange: &mut Exchange,
) -> Result<TcpStream> {
    let mut waiting = addresses.iter();
    let mut trying: Vec<(SocketAddr, OwnedFd)> = Vec::new();
    let mut failure = None;
    let mut start_next = true;
    loop {
        if start_next && let Some(address) = waiting.next() {
            exchange.watch.note(|| format!("Trying {address}..."));
            match begin(*address, send_buffer) {
                Ok((socket, true)) => return Ok(socket.into()),
                Ok((socket, false)) => trying.push((*address, socket)),
                Err(error) => {
                    failed(&mut failure, *address, error, &mut exchange.watch);
                    continue;
                }
            }
        }
        if trying.is_empty() {
            let error = failure.unwrap_or_else(|| io::Error::other("no address"));
            exchange.refused = is_refusal(&error);
            return Err(fault::io_error(Phase::Connect, &error, whom));
        }
        let at_most = (waiting.len() > 0).then_some(STAGGER);
        let ready = wait_for_any(&trying, at_most, exchange)?;
        start_next = ready.is_none();
        if let Some(index) = ready {
            let (address, socket) = trying.swap_remove(index);
            match sockopt::socket_error(&socket) {
                Ok(Ok(())) => return Ok(socket.into()),
                Ok(Err(error)) | Err(error) => failed(&mut failure, address, error.into(), &mut exchange.watch),
            }
            start_next = true;
        }
    }
}

/// Tells of a failure and keeps the one to report when every address has failed: the first refusal, for somebody is
/// there and may listen soon, else the first. An address of a family that leads nowhere often comes behind a refusal.
fn failed(kept: &mut Option<io::Error>, address: SocketAddr, error: io::Error, watch: &mut Watch) {
    watch.note(|| format!("connect to {address} failed: {}", describe(&error)));
    if kept.as_ref().is_none_or(|kept| is_refusal(&error) && !is_refusal(kept)) {
        *kept = Some(error);
    }
}

fn is_refusal(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::ConnectionRefused
}

/// Starts a connection; true when it is complete already.
fn begin(address: SocketAddr, send_buffer: Option<usize>) -> io::Result<(OwnedFd, bool)> {
    let family = if address.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
    let socket = non_blocking(family)?;
    if let Some(size) = send_buffer {
        sockopt::set_socket_send_buffer_size(&socket, size)?;
    }
    match connect(&socket, &address) {
        Ok(()) => Ok((socket, true)),
        Err(Errno::INPROGRESS) => Ok((socket, false)),
        Err(error) => Err(error.into()),
    }
}

/// The first of the connections being made that is decided; `None` after `at_most`.
fn wait_for_any(
    trying: &[(SocketAddr, OwnedFd)],
    at_most: Option<Duration>,
    exchange: &mut Exchange,
) -> Result<Option<usize>> {
    let fds: Vec<_> = trying.iter().map(|(_, socket)| (socket.as_fd(), PollFlags::OUT)).collect();
    let ready = exchange.watch.wait(&fds, at_most)?;
    Ok(ready.iter().position(|events| !events.is_empty()))
}

/// Negotiates TLS on the channel.
fn encrypt(
    link: &Link,
    channel: &mut Channel,
    host: &str,
    whom: &str,
    exchange: &mut Exchange,
) -> Result<super::transfer::Tls> {
    let connection = rustls::ClientConnection::new(link.tls()?, tls::server_name(host)?)
        .map_err(|error| Error::new(Kind::TlsHandshake, format!("TLS with {whom}: {error}")))?;
    let mut encryption = Box::new(Encryption::new(connection));
    exchange.watch.connecting(fault::connecting(Phase::Handshake, whom));
    loop {
        match encryption.handshake(&mut channel.socket) {
            Ok(()) => break,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(fault::io_error(Phase::Handshake, &error, whom)),
        }
        let out = encryption.connection.wants_write();
        let events = if out { PollFlags::IN | PollFlags::OUT } else { PollFlags::IN };
        exchange.watch.wait_for(&channel.socket, events)?;
    }
    exchange.timings.appconnect = Some(exchange.clock.elapsed());
    let negotiated = tls::negotiated(&encryption.connection);
    exchange.watch.note(|| format!("TLS: {} {}", negotiated.version, negotiated.cipher));
    channel.tls = Some(encryption);
    Ok(negotiated)
}
