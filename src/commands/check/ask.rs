//! Sends the probes, each on a connection of its own, and keeps the budget.

use std::sync::Arc;
use std::time::Duration;

use super::answer::{Answer, secrets};
use super::slope::SEND_BUFFER;
use super::target::Target;
use crate::body::{Coding, Content, DEFAULT_LEVEL, Pending, gzip};
use crate::cli::{Api, Check};
use crate::error::Result;
use crate::http::timing::Clock;
use crate::http::{Client, FieldLine, Request, Settings, Sink, Transfer};
use crate::output::Follow;
use crate::signals::Signals;

/// As much of an answer as is read; long lists of models have about 1 MB.
const KEPT: usize = 8 << 20;

/// The version of Anthropic's API that its servers insist on being told.
const ANTHROPIC_VERSION: (&str, &str) = ("anthropic-version", "2023-06-01");

/// Who sends the probes.
pub(super) struct Ask<'a> {
    /// What the command line says.
    pub check: &'a Check,
    /// Where they go.
    pub target: Target,
    follow: Follow,
    signals: Option<Arc<Signals>>,
    secrets: Vec<String>,
    clock: Clock,
}

/// How a body goes out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// As it is.
    Plain,
    /// As gzip, and labelled so.
    Gzip,
    /// As it is, labelled with a coding that nobody knows.
    Mislabelled,
    /// As gzip, without saying so.
    Unlabelled,
}

/// What became of a probe.
#[derive(Debug)]
pub(super) struct Reply {
    /// Its figures.
    pub transfer: Transfer,
    /// The whole answer, or why there is none.
    pub answer: Result<Answer>,
}

impl Reply {
    /// From the first byte of the request to the first one of the answer.
    pub fn wait(&self) -> Option<Duration> {
        self.transfer.timings.between(|t| t.pretransfer, |t| t.starttransfer)
    }

    /// All of it.
    pub fn total(&self) -> Duration {
        self.transfer.timings.total.unwrap_or_default()
    }
}

impl<'a> Ask<'a> {
    /// The budget counts from here.
    pub fn new(check: &'a Check, follow: Follow, signals: Option<Arc<Signals>>) -> Ask<'a> {
        let target = Target::new(&check.request.url, check.api);
        Ask { check, target, follow, signals, secrets: secrets(&check.request), clock: Clock::start() }
    }

    /// Whether a probe that is expected to take this long still ends within this share of the budget.
    pub fn fits(&self, expected: Duration, percent: u32) -> bool {
        self.clock.elapsed().saturating_add(expected) <= self.check.budget * percent / 100
    }

    /// Whether an answer of this status may be that to who sends no key, and none is sent.
    pub fn lacks_key(&self, status: u16) -> bool {
        let shown = self.check.request.has_credentials() || self.check.settings.tls.certificate.is_some();
        matches!(status, 400 | 401 | 403 | 500) && !shown
    }

    /// Why a probe was not made.
    pub fn no_time(&self) -> String {
        format!("the budget of {} s does not reach that far (--budget)", self.check.budget.as_secs_f64())
    }

    /// Asks for the list of models. An error is a signal.
    pub fn models(&self) -> Result<Reply> {
        self.send(&Request { method: "GET".to_owned(), url: self.target.models.clone(), ..self.request() }, None)
    }

    /// Posts a body. An error is a signal.
    pub fn post(&self, body: Vec<u8>, form: Form) -> Result<Reply> {
        let mut request = Request { method: "POST".to_owned(), url: self.target.endpoint.clone(), ..self.request() };
        if form == Form::Mislabelled {
            request.fields.push(FieldLine::Set("Content-Encoding".to_owned(), "x-gzpost-probe".to_owned()));
        }
        let size_body = body.len() as u64;
        let (bytes, coding) = match form {
            Form::Gzip => (gzip::encode(&body, DEFAULT_LEVEL), Coding::Gzip),
            Form::Unlabelled => (gzip::encode(&body, DEFAULT_LEVEL), Coding::Identity),
            Form::Plain | Form::Mislabelled => (body, Coding::Identity),
        };
        let content_type = Some("application/json");
        let content = Content { bytes, coding, size_body, compress: None, content_type, not_json: None };
        self.send(&request, Some(Pending::ready(Arc::new(content))))
    }

    fn request(&self) -> Request {
        let mut request = self.check.request.clone();
        let (name, value) = ANTHROPIC_VERSION;
        if self.target.api == Api::Anthropic && !request.names(name) {
            request.fields.push(FieldLine::Set(name.to_owned(), value.to_owned()));
        }
        request
    }

    fn send(&self, request: &Request, content: Option<Pending>) -> Result<Reply> {
        let settings = Settings { send_buffer: Some(SEND_BUFFER), ..self.check.settings.clone() };
        let client = Client::new(settings, Box::new(self.follow.clone()), self.signals.clone());
        let mut heard = Heard::default();
        let transfer = client.send(request, content.map(Arc::new), &mut heard);
        if let Err(error) = &transfer.outcome
            && error.kind.is_signal()
        {
            return Err(error.clone());
        }
        let read = |()| {
            let status = transfer.status.unwrap_or_default();
            Answer::read(status, transfer.field("Content-Type"), &heard.content, &self.secrets)
        };
        let answer = transfer.outcome.clone().map(read);
        Ok(Reply { transfer, answer })
    }
}

/// Keeps the beginning of an answer.
#[derive(Default)]
struct Heard {
    content: Vec<u8>,
}

impl Sink for Heard {
    fn content(&mut self, bytes: &[u8], _: Duration) -> Result<()> {
        let room = KEPT.saturating_sub(self.content.len());
        self.content.extend_from_slice(&bytes[..bytes.len().min(room)]);
        Ok(())
    }
}
