//! One measured request: its moments, its sizes, and whether it counts as a success.

use std::time::Duration;

use super::End;
use super::plan::Step;
use crate::cli::{Bench, Metric};
use crate::commands::receive::refusal;
use crate::error::{Error, Kind, Result};
use crate::http::head::Head;
use crate::http::timing::Timings;
use crate::http::{Sink, Transfer};
use crate::stream::Scanner;

/// As much of an answer as is searched for the bogus model's name.
const SEARCHED: usize = 64 * 1024;

/// Everything that was measured.
#[derive(Debug)]
pub(super) struct Run {
    /// In the order of sending.
    pub samples: Vec<Sample>,
    /// Why it ended.
    pub end: End,
    /// The version of TLS.
    pub tls: Option<&'static str>,
}

/// What one request came to.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Sample {
    /// Its place in the plan.
    pub step: Step,
    /// When it began, since the start of the bench.
    pub started: Duration,
    /// Its moments.
    pub timings: Timings,
    /// The answer's status code.
    pub status: Option<u16>,
    /// Bytes of the body.
    pub size_body: u64,
    /// Bytes of content sent.
    pub size_upload: u64,
    /// Bytes of content received.
    pub size_download: u64,
    /// Connections made for it.
    pub num_connects: u32,
    /// Tokens of the answer.
    pub tokens: Option<u64>,
    /// Why it counts as a failure.
    pub failure: Option<Failure>,
}

/// Why a request counts as a failure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Failure {
    /// Decides the exit code.
    pub kind: Kind,
    /// Without the server's own words, which may repeat a key, and under an alias without hosts: this is what exports
    /// hold.
    pub why: String,
    /// With them.
    pub said: Option<String>,
}

impl Failure {
    /// For the terminal.
    pub fn whole(&self) -> &str {
        self.said.as_deref().unwrap_or(&self.why)
    }
}

impl Sample {
    /// The metric in milliseconds; `None` of a failure.
    pub fn value(&self, metric: Metric) -> Option<f64> {
        let moment = moment(&self.timings, metric).filter(|_| self.failure.is_none())?;
        Some(milliseconds(moment))
    }

    /// What the relay and the way to it took once there was a connection and content, in milliseconds.
    pub fn wait(&self) -> Option<f64> {
        let wait = self.timings.between(|t| t.pretransfer, |t| t.starttransfer)?;
        self.failure.is_none().then(|| milliseconds(wait))
    }
}

fn moment(timings: &Timings, metric: Metric) -> Option<Duration> {
    match metric {
        Metric::Starttransfer => timings.starttransfer,
        Metric::FirstToken => timings.first_token,
        Metric::Total => timings.total,
    }
}

/// A length of time as statistics see it.
pub(super) fn milliseconds(length: Duration) -> f64 {
    length.as_secs_f64() * 1e3
}

/// Reads an answer for its tokens and errors, and keeps nothing of it but its beginning.
pub(super) struct Taste {
    scanner: Scanner,
    bogus_model: Option<&'static str>,
    hides_hosts: bool,
    beginning: Vec<u8>,
}

impl Taste {
    pub fn new(bench: &Bench) -> Taste {
        let (bogus_model, hides_hosts) = (bench.bogus_model, bench.alias.is_some());
        Taste { scanner: Scanner::new(None, false), bogus_model, hides_hosts, beginning: Vec::new() }
    }

    /// The sample of a transfer that has ended.
    pub fn sample(mut self, step: Step, started: Duration, mut transfer: Transfer, metric: Metric) -> Sample {
        self.scanner.finish(transfer.timings.total.unwrap_or_default());
        crate::commands::note_tokens(&mut transfer, &self.scanner);
        Sample {
            failure: self.failure(&transfer, metric),
            step,
            started,
            timings: transfer.timings,
            status: transfer.status,
            size_body: transfer.size_body,
            size_upload: transfer.size_upload,
            size_download: transfer.size_download,
            num_connects: transfer.num_connects,
            tokens: transfer.tokens.map(|tokens| tokens.count),
        }
    }

    fn failure(&self, transfer: &Transfer, metric: Metric) -> Option<Failure> {
        let failure = |kind, why: &str, said: Option<String>| Some(Failure { kind, why: why.to_owned(), said });
        if let Err(Error { kind, message }) = &transfer.outcome {
            if self.hides_hosts {
                // Messages name whom they speak of: hosts of redirects and of certificates too, which no list has.
                let why = format!("error {} (EXIT STATUS in gzpost(1)), in words that may name hosts", kind.code());
                return failure(*kind, &why, Some(message.clone()));
            }
            return failure(*kind, message, None);
        }
        let status = transfer.status.unwrap_or_default();
        // The answer that a bogus model was sent for: it says that there is no such model. A limit of requests is the
        // work of something in front of that, whatever it repeats.
        let expected = status != 429 && self.bogus_model.is_some_and(|model| contains(&self.beginning, model));
        // Its times say nothing of the body. A refusal says more than that it came early.
        if transfer.timings.posttransfer.is_none() && (expected || status < 300) {
            return failure(Kind::Send, &format!("answered with {status} before the body was sent"), None);
        }
        if expected {
            return None;
        }
        if status >= 400 {
            let said = refusal(status, self.scanner.error());
            return failure(Kind::HttpStatus, &refusal(status, None), Some(said));
        }
        if status >= 300 {
            let why = format!("the server returned status {status}, a redirect (-L follows it)");
            return failure(Kind::HttpStatus, &why, None);
        }
        if let Some(error) = self.scanner.error() {
            let said = format!("the answer holds an error: {error}");
            return failure(Kind::HttpStatus, "the answer holds an error", Some(said));
        }
        if self.scanner.cut_off() {
            return failure(Kind::Partial, "the stream ended without its end mark", None);
        }
        if moment(&transfer.timings, metric).is_none() {
            return failure(Kind::HttpStatus, &format!("the answer has no {}", metric.name()), None);
        }
        None
    }
}

fn contains(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

impl Sink for Taste {
    fn head(&mut self, head: &Head, last: bool) -> Result<()> {
        if last {
            self.scanner = Scanner::new(head.field("Content-Type"), false);
        }
        Ok(())
    }

    fn content(&mut self, bytes: &[u8], now: Duration) -> Result<()> {
        self.scanner.feed(bytes, now);
        if self.bogus_model.is_some() {
            let room = SEARCHED - self.beginning.len();
            self.beginning.extend_from_slice(&bytes[..bytes.len().min(room)]);
        }
        Ok(())
    }
}

/// A counted success that took this long.
#[cfg(test)]
pub(super) fn took(total: Duration) -> Sample {
    let moments = Timings {
        namelookup: Some(total / 100),
        connect: Some(total / 50),
        pretransfer: Some(total / 20),
        posttransfer: Some(total / 10),
        starttransfer: Some(total / 2),
        total: Some(total),
        ..Timings::default()
    };
    Sample {
        step: Step { body: 0, coding: crate::body::Coding::Identity, pair: Some(0) },
        started: Duration::ZERO,
        timings: moments,
        status: Some(200),
        size_body: 1_000,
        size_upload: 1_000,
        size_download: 10,
        num_connects: 1,
        tokens: None,
        failure: None,
    }
}
