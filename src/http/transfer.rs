//! What is known about a transfer once it has ended: plain data for `-w`, the timing block and records.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use super::timing::Timings;
use super::tls;
use crate::body::Coding;
use crate::error::{Error, Result};

/// A finished transfer, successful or not.
#[derive(Debug, Clone)]
pub struct Transfer {
    /// The target URL as given (`%{url}`), user info included: redact before showing it.
    pub url: String,
    /// The URL of the last request (`%{url_effective}`): normalised, with a scheme.
    pub url_effective: String,
    /// `http` or `https`, of the last request.
    pub scheme: &'static str,
    /// The method of the last request.
    pub method: String,
    /// The status code of the last answer.
    pub status: Option<u16>,
    /// `0`, `1` (for 1.0) or `1.1` as curl writes them, of the last answer.
    pub http_version: &'static str,
    /// The fields of the last answer, in order, as received.
    pub fields: Vec<Field>,
    /// The fields of the answers before it (redirects), in order, for `%header{name:all:}`.
    pub earlier_fields: Vec<Field>,
    /// What the name was resolved to (the proxy's, when there is one), in the order to try them.
    pub addresses: Vec<SocketAddr>,
    /// The peer's address (the proxy's, when there is one).
    pub remote: Option<SocketAddr>,
    /// Our end of the connection.
    pub local: Option<SocketAddr>,
    /// What TLS negotiated.
    pub tls: Option<Tls>,
    /// Connections made (`%{num_connects}`).
    pub num_connects: u32,
    /// The number of the connection in this process, from 0 (`%{conn_id}`).
    pub connection_id: Option<u64>,
    /// Redirects followed.
    pub num_redirects: u32,
    /// Retries made.
    pub num_retries: u32,
    /// Where the last answer points to, when it is a redirect that was not followed.
    pub redirect_url: Option<String>,
    /// The Referer field sent.
    pub referer: Option<String>,
    /// Bytes of all request heads.
    pub size_request: u64,
    /// Bytes of all answer heads.
    pub size_header: u64,
    /// Bytes of content sent, as coded.
    pub size_upload: u64,
    /// The size of the send buffer when it took the last byte of the request: as much may have been on its way.
    pub send_buffer: Option<u64>,
    /// Bytes of content received, before a content coding is undone.
    pub size_download: u64,
    /// Bytes of content written out, after a content coding was undone.
    pub size_delivered: u64,
    /// Bytes of the body, before coding.
    pub size_body: u64,
    /// The coding of the content sent.
    pub coding: Coding,
    /// The peer refused the connection (`ECONNREFUSED`): what `--retry-connrefused` retries.
    pub refused: bool,
    /// A proxy was used.
    pub proxy_used: bool,
    /// The status code of the proxy's answer to CONNECT.
    pub http_connect: Option<u16>,
    /// The file the content was written to (`-o`, `-O`).
    pub filename_effective: Option<PathBuf>,
    /// The moments.
    pub timings: Timings,
    /// What the stream said about tokens, when it was one that we know.
    pub tokens: Option<Tokens>,
    /// How it ended.
    pub outcome: Result<(), Error>,
}

/// A field of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// Its name, in the case it was sent in.
    pub name: String,
    /// Its value without surrounding white space; bytes that are not UTF-8 are replaced.
    pub value: String,
}

/// What TLS negotiated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tls {
    /// `TLSv1.2` or `TLSv1.3`.
    pub version: &'static str,
    /// The cipher suite by its IANA name.
    pub cipher: String,
    /// Under `-k`, the host that was not verified.
    pub unverified: Option<String>,
    /// The server's certificates, DER.
    pub certificates: Vec<Vec<u8>>,
}

impl Tls {
    /// OpenSSL's verification result in curl's sense: 0 trusted, 20 no local issuer. Under `-k` it is found out here:
    /// the CA certificates take a millisecond to read, and few ask.
    #[must_use]
    pub fn verify_result(&self) -> u32 {
        let trusted = |host: &String| tls::would_trust(&self.certificates, host);
        if self.unverified.as_ref().is_none_or(trusted) { 0 } else { 20 }
    }
}

/// Tokens of a streamed or whole answer.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Tokens {
    /// Tokens generated: the server's figure, else the number of token events.
    pub count: u64,
    /// Whether `count` is the server's figure.
    pub reported: bool,
    /// Of these, reasoning that was not streamed: generated before the first token that was seen.
    pub unseen: u64,
    /// Events that carried a token.
    pub token_events: u64,
    /// Events of any sort.
    pub events: u64,
    /// The longest time between two token events.
    pub longest_gap: Option<Duration>,
    /// The median time between two token events.
    pub median_gap: Option<Duration>,
    /// Nearly all events arrived in one burst after the wait.
    pub burst: bool,
}

impl Transfer {
    /// The first value of a field of the last answer, by name in any case.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&str> {
        self.fields.iter().find(|field| field.name.eq_ignore_ascii_case(name)).map(|field| field.value.as_str())
    }

    /// All values of a field of the last answer, by name in any case, in order.
    #[must_use]
    pub fn values(&self, name: &str) -> Vec<&str> {
        let named = self.fields.iter().filter(|field| field.name.eq_ignore_ascii_case(name));
        named.map(|field| field.value.as_str()).collect()
    }

    /// How many times smaller the content was than the body; `None` unless all of it was sent.
    #[must_use]
    pub fn compression_ratio(&self) -> Option<f64> {
        let sent = self.timings.posttransfer.is_some() && self.size_upload > 0;
        sent.then(|| self.size_body as f64 / self.size_upload as f64)
    }

    /// Tokens per second between the first and the last token; `None` below two tokens, and for a burst, whose rate
    /// is that of a buffer being emptied.
    #[must_use]
    pub fn tokens_per_second(&self) -> Option<f64> {
        let tokens = self.tokens.as_ref().filter(|tokens| !tokens.burst)?;
        let seen = tokens.count.saturating_sub(tokens.unseen).checked_sub(1).filter(|&seen| seen > 0)?;
        let seconds = self.timings.between(|t| t.first_token, |t| t.last_token)?.as_secs_f64();
        (seconds > 0.0).then(|| seen as f64 / seconds)
    }
}

/// A compressed request over TLS with a streamed answer: the figures of the manual's example.
#[cfg(test)]
#[expect(clippy::too_many_lines, reason = "one line a field")]
pub(crate) fn sample() -> Transfer {
    let field = |name: &str, value: &str| Field { name: name.into(), value: value.into() };
    let at = |microseconds| Some(Duration::from_micros(microseconds));
    Transfer {
        url: "https://relay.example/v1/chat/completions?a=b#f".into(),
        url_effective: "https://relay.example/v1/chat/completions?a=b".into(),
        scheme: "https",
        method: "POST".into(),
        status: Some(200),
        http_version: "1.1",
        fields: vec![field("Content-Type", "text/event-stream"), field("X-A", "one"), field("x-a", "\"two\"")],
        earlier_fields: Vec::new(),
        addresses: vec![SocketAddr::from(([127, 0, 0, 1], 443))],
        remote: Some(SocketAddr::from(([127, 0, 0, 1], 443))),
        local: Some(SocketAddr::from(([127, 0, 0, 1], 50_000))),
        tls: Some(Tls {
            version: "TLSv1.3",
            cipher: "TLS_AES_256_GCM_SHA384".into(),
            unverified: None,
            certificates: vec![b"not really DER".to_vec()],
        }),
        num_connects: 1,
        connection_id: Some(0),
        num_redirects: 0,
        num_retries: 0,
        redirect_url: None,
        referer: None,
        size_request: 812,
        size_header: 244,
        size_upload: 798_104,
        send_buffer: None,
        size_download: 65_536,
        size_delivered: 65_536,
        size_body: 2_778_983,
        coding: Coding::Gzip,
        refused: false,
        proxy_used: false,
        http_connect: None,
        filename_effective: None,
        timings: Timings {
            namelookup: at(13_241),
            connect: at(48_112),
            appconnect: at(124_450),
            pretransfer: at(124_500),
            posttransfer: at(421_020),
            starttransfer: at(11_402_733),
            first_event: at(11_402_900),
            first_token: at(11_655_102),
            last_token: at(14_206_300),
            total: at(14_212_090),
            redirect: None,
            compress: at(58_000),
        },
        tokens: Some(Tokens {
            count: 412,
            reported: true,
            longest_gap: at(804_000),
            median_gap: at(6_100),
            ..Tokens::default()
        }),
        outcome: Ok(()),
    }
}
