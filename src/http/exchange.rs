//! What client, connector and transport share while one request is answered.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustls::ClientConfig;
use rustls::client::Resumption;

use super::head::Head;
use super::input::Piece;
use super::request::Request;
use super::settings::{Proxy, Settings};
use super::timing::{Clock, Timings};
use super::tls;
use super::transfer::Tls;
use super::watch::Watch;
use crate::body::Pending;
use crate::error::{Error, Kind, Result};

/// Shared by a client and all its connections.
pub(super) struct Link {
    pub settings: Settings,
    exchange: Mutex<Exchange>,
    tls: Mutex<Option<Arc<ClientConfig>>>,
    /// The names looked up so far: each is asked for once.
    names: Mutex<HashMap<String, Vec<SocketAddr>>>,
}

impl Link {
    pub fn new(settings: Settings, exchange: Exchange) -> Arc<Link> {
        let (exchange, tls, names) = (Mutex::new(exchange), Mutex::new(None), Mutex::default());
        Arc::new(Link { settings, exchange, tls, names })
    }

    /// The exchange; no two threads ever want it at once.
    pub fn exchange(&self) -> MutexGuard<'_, Exchange> {
        self.exchange.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The names looked up so far.
    pub fn names(&self) -> MutexGuard<'_, HashMap<String, Vec<SocketAddr>>> {
        self.names.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The configuration of TLS, made at the first https request and then kept.
    pub fn tls(&self) -> Result<Arc<ClientConfig>> {
        let mut kept = self.tls.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.is_none() {
            let mut config = tls::config(&self.settings.tls)?;
            if self.settings.fresh {
                Arc::make_mut(&mut config).resumption = Resumption::disabled();
            }
            *kept = Some(config);
        }
        kept.clone().ok_or_else(|| Error::new(Kind::TlsHandshake, "no TLS configuration"))
    }
}

impl std::fmt::Debug for Link {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Link")
    }
}

/// One request and what happened to it so far.
pub(super) struct Exchange {
    pub watch: Watch,
    /// Starts with the request, so anew at a redirect; the clock of the attempt is in `watch`.
    pub clock: Clock,
    pub timings: Timings,
    /// Taken by the transport when it sends.
    pub outgoing: Option<Outgoing>,
    /// The heads received, interim answers and the proxy's included; the last one is the answer's.
    pub heads: Vec<Head>,
    /// The content that arrived last, for the client.
    pub piece: Piece,
    /// The trailer fields as received.
    pub trailers: Vec<u8>,
    pub http_connect: Option<u16>,
    /// The last connection that failed was refused.
    pub refused: bool,
    pub size_request: u64,
    pub size_body: u64,
    /// The size of the send buffer when the last byte of the request was in it.
    pub send_buffer: Option<u64>,
    pub content_sent: Option<ContentSent>,
    pub connection: Option<Connection>,
    /// What the name was resolved to for the last connection.
    pub addresses: Vec<SocketAddr>,
    /// Connections made in this attempt.
    pub num_connects: u32,
    /// Connections made by this client: the next one's number.
    pub next_connection: u64,
    /// Why the engine was told to give up.
    pub fault: Option<Error>,
}

/// What is to be sent.
#[derive(Clone)]
pub(super) struct Outgoing {
    pub request: Arc<Request>,
    pub content: Option<Arc<Pending>>,
    /// The proxy, when there is one for this URL.
    pub proxy: Option<Proxy>,
}

/// What is remembered of the content.
#[derive(Debug, Clone, Copy)]
pub(super) struct ContentSent {
    pub coding: crate::body::Coding,
    pub compress: Option<Duration>,
}

/// A connection's ends and encryption.
#[derive(Debug, Clone)]
pub(super) struct Connection {
    pub id: u64,
    pub remote: Option<SocketAddr>,
    pub local: Option<SocketAddr>,
    pub tls: Option<Tls>,
}

impl Exchange {
    pub fn new(watch: Watch) -> Exchange {
        Exchange {
            clock: watch.clock,
            watch,
            timings: Timings::default(),
            outgoing: None,
            heads: Vec::new(),
            piece: Piece::default(),
            trailers: Vec::new(),
            http_connect: None,
            refused: false,
            size_request: 0,
            size_body: 0,
            send_buffer: None,
            content_sent: None,
            connection: None,
            addresses: Vec::new(),
            num_connects: 0,
            next_connection: 0,
            fault: None,
        }
    }

    /// Begins the next request of the attempt.
    pub fn begin(&mut self, outgoing: Outgoing, clock: Clock) {
        self.clock = clock;
        self.timings = Timings::default();
        self.outgoing = Some(outgoing);
        self.heads.clear();
        self.trailers.clear();
        (self.size_body, self.send_buffer) = (0, None);
        self.content_sent = None;
        self.connection = None;
        (self.fault, self.refused) = (None, false);
        self.watch.next_request();
    }

    /// Takes in a head: remembers it and tells the observer.
    pub fn received(&mut self, head: Head) {
        if self.watch.observer.verbose() {
            self.watch.observer.received(&head.raw);
        }
        self.heads.push(head);
    }
}
