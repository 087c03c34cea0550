//! Sends a request, follows its redirects, and streams the answer into a sink.

use std::io::{self, Read};
use std::sync::Arc;
use std::time::Duration;

use ureq::http::{Method, Request as EngineRequest};

use super::connector::{Connector, NoResolver};
use super::decoding::Decoding;
use super::exchange::{Exchange, Link, Outgoing};
use super::fault::{self, Phase};
use super::head::{Head, Version};
use super::request::Request;
use super::settings::Settings;
use super::timing::{Clock, Timings};
use super::transfer::Transfer;
use super::url::{Url, host_and_port};
use super::watch::{Observer, Watch};
use super::{proxy, redirect};
use crate::body::{Coding, Pending};
use crate::error::{Error, Kind, Result};
use crate::signals::Signals;

/// Connections kept for further requests; one request at a time needs one per host.
const KEPT_CONNECTIONS: usize = 10;

/// Where an answer goes while it arrives.
pub trait Sink {
    /// A head: of interim answers, proxies and redirects too; `last` is the one whose content follows. An error
    /// ends the transfer before its content. Nothing is done about it unless a sink says so.
    fn head(&mut self, _head: &Head, _last: bool) -> Result<()> {
        Ok(())
    }

    /// The trailer fields as received, behind the content of chunked framing; nothing, as above.
    fn trailers(&mut self, _raw: &[u8]) -> Result<()> {
        Ok(())
    }

    /// A piece of the content, any content coding undone, `now` after the start of the transfer.
    fn content(&mut self, bytes: &[u8], now: Duration) -> Result<()>;
}

/// One client: its settings, and the connections that it keeps.
pub struct Client {
    agent: ureq::Agent,
    link: Arc<Link>,
}

impl Client {
    /// A client that connects as `settings` say.
    #[must_use]
    pub fn new(settings: Settings, observer: Box<dyn Observer>, signals: Option<Arc<Signals>>) -> Client {
        let watch = Watch::new(observer, signals, settings.max_time, settings.speed_limit);
        let kept = if settings.fresh { 0 } else { KEPT_CONNECTIONS };
        let link = Link::new(settings, Exchange::new(watch));
        let config = ureq::Agent::config_builder()
            .proxy(None)
            .max_idle_connections(kept)
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .user_agent("")
            .accept("")
            .accept_encoding("")
            // It is for the server to say when an idle connection ends.
            .max_idle_age(Duration::MAX)
            .build();
        let agent = ureq::Agent::with_parts(config, Connector(Arc::clone(&link)), NoResolver);
        Client { agent, link }
    }

    /// Sleeps between attempts; a signal ends it with its error.
    pub fn pause(&self, length: Duration) -> Result<()> {
        self.link.exchange().watch.sleep(length)
    }

    /// One attempt, redirects included. Never sends anything twice on its own account.
    pub fn send(&self, request: &Request, content: Option<Arc<Pending>>, sink: &mut dyn Sink) -> Transfer {
        let clock = {
            let mut exchange = self.link.exchange();
            exchange.watch.restart();
            (exchange.num_connects, exchange.size_request, exchange.http_connect) = (0, 0, None);
            exchange.watch.clock
        };
        let mut transfer = Transfer::new(request);
        let (mut request, mut content) = (Arc::new(request.clone()), content);
        loop {
            let hop = if transfer.num_redirects == 0 { clock } else { Clock::start() };
            let outcome = self.hop(&request, content.clone(), hop, &mut transfer, sink);
            self.collect(&request, &mut transfer);
            match outcome {
                Ok(Some(next)) => {
                    transfer.num_redirects += 1;
                    transfer.timings.redirect = Some(clock.elapsed());
                    let status = transfer.status.unwrap_or_default();
                    // -T uploads rather than posts: its content survives (curl).
                    let posts = content.is_some() && (request.method != "PUT" || request.method_forced);
                    let (following, with_content) = redirect::next(&request, posts, status, next, &self.link.settings);
                    content = content.filter(|_| with_content);
                    request = Arc::new(following);
                }
                Ok(None) => break,
                Err(error) => {
                    transfer.outcome = Err(error);
                    break;
                }
            }
        }
        transfer.timings.total = Some(clock.elapsed());
        if let Some(tls) = transfer.tls.as_mut().filter(|_| self.link.settings.tls.insecure) {
            tls.unverified = Some(request.url.host.clone());
        }
        transfer
    }

    /// One request and its answer; where to go next when it is a redirect to follow.
    fn hop(
        &self,
        request: &Arc<Request>,
        content: Option<Arc<Pending>>,
        clock: Clock,
        transfer: &mut Transfer,
        sink: &mut dyn Sink,
    ) -> Result<Option<Url>> {
        let settings = &self.link.settings;
        let proxy = match settings.unix_socket {
            // curl's rule: what is reached through a Unix socket is reached through no proxy.
            Some(_) => None,
            None => proxy::for_url(&settings.proxies, &request.url)?,
        };
        transfer.proxy_used |= proxy.is_some();
        transfer.begin(request);
        let outgoing = Outgoing { request: Arc::clone(request), content, proxy };
        self.link.exchange().begin(outgoing, clock);
        let ran = self.agent.run(engine_request(request)?);
        let heads = std::mem::take(&mut self.link.exchange().heads);
        let follow = self.take_heads(&heads, request, transfer, sink);
        let response = ran.map_err(|error| self.fault(&error.into_io()))?;
        let follow = follow?;
        let mut reader = response.into_body().into_reader();
        if follow.is_some() {
            return Ok(follow);
        }
        let announced = heads.last().and_then(|head| head.announced(settings.ignore_content_length));
        self.deliver(&mut reader, announced, transfer, sink)?;
        Ok(None)
    }

    /// Hands the heads to the sink; where to go next, when the answer says so and redirects are followed.
    fn take_heads(
        &self,
        heads: &[Head],
        request: &Request,
        transfer: &mut Transfer,
        sink: &mut dyn Sink,
    ) -> Result<Option<Url>> {
        transfer.size_header += heads.iter().map(|head| head.raw.len() as u64).sum::<u64>();
        // Without a connection to the server, what there is comes from the proxy.
        let connected = self.link.exchange().connection.is_some();
        let Some((answer, before)) = heads.split_last().filter(|_| connected) else {
            return heads.iter().try_for_each(|head| sink.head(head, false)).map(|()| None);
        };
        for head in before {
            sink.head(head, false)?;
        }
        transfer.answered(answer);
        let settings = &self.link.settings;
        let location = answer.location()?.filter(|_| (300..400).contains(&answer.status));
        let followed = settings.follow.is_some() && location.is_some();
        sink.head(answer, !answer.is_interim() && !followed)?;
        let Some(location) = location else { return Ok(None) };
        let to = redirect::target(&location, &request.url, settings);
        if settings.follow.is_some_and(|limit| limit.is_none_or(|limit| transfer.num_redirects < limit)) {
            return to.map(Some);
        }
        // What is no URL that can be followed is told as it came.
        transfer.redirect_url = Some(to.map_or(location, |url| url.effective()));
        if followed {
            let text = format!("more than {} redirects (--max-redirs N allows more)", transfer.num_redirects);
            return Err(Error::new(Kind::Redirects, text));
        }
        Ok(None)
    }

    /// Streams the content into the sink.
    fn deliver(
        &self,
        reader: &mut impl Read,
        announced: Option<u64>,
        transfer: &mut Transfer,
        sink: &mut dyn Sink,
    ) -> Result<()> {
        let settings = &self.link.settings;
        let clock = self.link.exchange().watch.clock;
        let codings = if settings.compressed { transfer.values("Content-Encoding").join(",") } else { String::new() };
        let limit = settings.max_filesize.unwrap_or(u64::MAX);
        if announced.is_some_and(|length| length > limit) {
            return Err(over_the_limit(limit));
        }
        let mut decoding = Decoding::new(&codings)?;
        let mut delivered = 0;
        let mut deliver = |bytes: &[u8]| {
            let room = usize::try_from(limit - delivered).unwrap_or(usize::MAX);
            let within = &bytes[..bytes.len().min(room)];
            sink.content(within, clock.elapsed())?;
            delivered += within.len() as u64;
            if within.len() < bytes.len() { Err(over_the_limit(limit)) } else { Ok(()) }
        };
        let mut look = || self.link.exchange().watch.look();
        let mut finished = self.read(reader, |bytes| decoding.feed(bytes, &mut deliver, &mut look));
        // An answer without content, as to HEAD, has nothing to undo, whatever its fields say.
        if finished.is_ok() && self.link.exchange().watch.progress.downloaded > 0 {
            finished = decoding.finish(&mut deliver, &mut look);
        }
        transfer.size_delivered = delivered;
        finished?;
        let trailers = std::mem::take(&mut self.link.exchange().trailers);
        if !trailers.is_empty() {
            transfer.size_header += trailers.len() as u64;
            sink.trailers(&trailers)?;
        }
        Ok(())
    }

    /// Reads the content to its end, each piece as soon as it is there.
    fn read(&self, reader: &mut impl Read, mut each: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
        loop {
            // The engine has a byte for each piece; the piece itself went past it.
            match reader.read(&mut [0]) {
                Ok(0) => return Ok(()),
                Ok(_) => {}
                Err(error) => return Err(self.fault(&error)),
            }
            let piece = {
                let mut exchange = self.link.exchange();
                let piece = std::mem::take(&mut exchange.piece);
                exchange.watch.progress.downloaded += piece.bytes().len() as u64;
                piece
            };
            each(piece.bytes())?;
            // Its room is used again.
            self.link.exchange().piece = piece;
        }
    }

    /// The reason that connector or transport left behind, else what the engine says.
    fn fault(&self, error: &io::Error) -> Error {
        let mut exchange = self.link.exchange();
        if let Some(fault) = exchange.fault.take() {
            return fault;
        }
        match error.kind() {
            io::ErrorKind::UnexpectedEof => fault::end_of_stream(Phase::Content, "the server"),
            _ => Error::new(Kind::Receive, format!("the answer's framing is broken: {error}")),
        }
    }

    /// Takes what the exchange knows about the hop that has just ended.
    fn collect(&self, request: &Request, transfer: &mut Transfer) {
        let exchange = self.link.exchange();
        transfer.timings.add(&exchange.timings);
        transfer.size_upload = exchange.watch.progress.uploaded;
        transfer.send_buffer = exchange.send_buffer;
        transfer.addresses.clone_from(&exchange.addresses);
        transfer.size_download = exchange.watch.progress.downloaded;
        transfer.size_request = exchange.size_request;
        transfer.num_connects = exchange.num_connects;
        transfer.http_connect = exchange.http_connect;
        transfer.refused = exchange.refused;
        // What was said of a request before this one holds until this one is sent, with content or without.
        if exchange.outgoing.is_none() {
            transfer.size_body = exchange.size_body;
            transfer.coding = exchange.content_sent.map_or(Coding::Identity, |sent| sent.coding);
            transfer.timings.compress = exchange.content_sent.and_then(|sent| sent.compress);
        }
        if let Some(connection) = &exchange.connection {
            transfer.remote = connection.remote;
            transfer.local = connection.local;
            transfer.connection_id = Some(connection.id);
            transfer.tls.clone_from(&connection.tls);
        }
        transfer.referer.clone_from(&request.referer);
    }
}

fn over_the_limit(limit: u64) -> Error {
    Error::new(Kind::TooLarge, format!("the answer is larger than {limit} bytes (--max-filesize)"))
}

/// What the engine needs to know: where connections are kept under, and that there is nothing for it to send.
fn engine_request(request: &Request) -> Result<EngineRequest<()>> {
    let scheme = request.url.scheme.name();
    let authority = host_and_port(&request.url.host, request.url.port_or_default());
    EngineRequest::builder()
        .method(Method::GET)
        .uri(format!("{scheme}://{authority}/"))
        .header("content-length", "0")
        .body(())
        .map_err(|_| Error::new(Kind::Url, format!("{} is no host name", request.url.host)))
}

impl Transfer {
    fn new(request: &Request) -> Transfer {
        Transfer {
            url: request.url.given.clone(),
            url_effective: String::new(),
            scheme: "",
            method: String::new(),
            status: None,
            http_version: "0",
            fields: Vec::new(),
            earlier_fields: Vec::new(),
            addresses: Vec::new(),
            remote: None,
            local: None,
            tls: None,
            num_connects: 0,
            connection_id: None,
            num_redirects: 0,
            num_retries: 0,
            redirect_url: None,
            referer: None,
            size_request: 0,
            size_header: 0,
            size_upload: 0,
            send_buffer: None,
            size_download: 0,
            size_delivered: 0,
            size_body: 0,
            coding: Coding::Identity,
            refused: false,
            proxy_used: false,
            http_connect: None,
            filename_effective: None,
            timings: Timings::default(),
            tokens: None,
            outcome: Ok(()),
        }
    }

    fn begin(&mut self, request: &Request) {
        self.url_effective = request.url.effective();
        self.scheme = request.url.scheme.name();
        self.method.clone_from(&request.method);
    }

    fn answered(&mut self, head: &Head) {
        self.status = Some(head.status);
        // curl's words, without the zero.
        self.http_version = if head.version == Version::Http10 { "1" } else { "1.1" };
        self.earlier_fields.append(&mut self.fields);
        self.fields.clone_from(&head.fields);
    }
}
