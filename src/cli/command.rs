//! What a command line asks for: final types, never checked again later.

use std::path::PathBuf;
use std::time::Duration;

use super::Alias;
use crate::body::{BodyOptions, Part};
use crate::http::{Request, Retry, Settings};
use crate::relay::Behave;

/// A whole command line.
#[derive(Debug)]
pub enum Command {
    /// `gzpost URL [BODY]`
    Send(Box<Send>),
    /// `gzpost bench URL [BODY...]`
    Bench(Box<Bench>),
    /// `gzpost replay URL CAPTURE...`
    Replay(Box<Replay>),
    /// `gzpost check URL`
    Check(Box<Check>),
    /// `gzpost demo`
    Demo(Demo),
    /// `--help [TOPIC]`, `COMMAND --help`: the text to print.
    Help(String),
    /// `--version`
    Version,
}

/// One request.
#[derive(Debug)]
pub struct Send {
    /// What to ask.
    pub request: Request,
    /// The pieces of the body, in order; empty: no body, and stdin is not read.
    ///
    /// Where `request.content_type` is `None` and no field names Content-Type, the parts decide: none for
    /// `PartKind::Upload`, else by the body, `application/json` or curl's `application/x-www-form-urlencoded`.
    pub parts: Vec<Part>,
    /// `-G`: the data goes into the query instead.
    pub get: bool,
    /// How body becomes content.
    pub body: BodyOptions,
    /// How to connect.
    pub settings: Settings,
    /// Whether and when to try again.
    pub retry: Retry,
    /// What to do with the answer.
    pub output: Output,
    /// What looks like a mistake, to be printed as `gzpost: warning: …`; those that `-s` silences are not here.
    pub warnings: Vec<String>,
}

/// What to do with the answer and with what is said about it.
#[derive(Debug, Clone, Default)]
pub struct Output {
    /// `-o`, `-O` with `--output-dir`: where the content goes; `None` is stdout.
    pub file: Option<PathBuf>,
    /// `--create-dirs`
    pub create_dirs: bool,
    /// `--no-clobber`: a free name is looked for instead of writing over a file.
    pub no_clobber: bool,
    /// `--remove-on-error`
    pub remove_on_error: bool,
    /// `-D`: where the heads go.
    pub dump_header: Option<Target>,
    /// `-i`, `-I`: heads in front of the content.
    pub include: bool,
    /// `-f`, `--fail-with-body`
    pub fail: Fail,
    /// `-s`
    pub silent: bool,
    /// `-S`: errors in spite of `-s`.
    pub show_error: bool,
    /// `-v`
    pub verbose: bool,
    /// `--trace-time`
    pub trace_time: bool,
    /// `-w`
    pub write_out: Option<String>,
    /// `--stderr`
    pub stderr: Option<Target>,
    /// `--text`: only the generated text.
    pub text: bool,
    /// `--reasoning`: with `--text`, the reasoning too.
    pub reasoning: bool,
}

/// Where something is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// `-`
    Stdout,
    /// `%` in `-D` of newer curls.
    Stderr,
    /// A path.
    File(PathBuf),
}

/// What a status code of 400 or above does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Fail {
    /// Nothing.
    #[default]
    Never,
    /// `-f`: exit 22, the content is dropped.
    WithoutBody,
    /// `--fail-with-body`: exit 22, the content is written.
    WithBody,
}

/// `gzpost bench`: the same bodies plain and as gzip, many times.
#[derive(Debug)]
pub struct Bench {
    /// What to ask.
    pub request: Request,
    /// The bodies; at least one.
    pub bodies: Vec<BenchBody>,
    /// How a body is changed and compressed; its coding is decided by the plan.
    pub body: BodyOptions,
    /// `--ratio`: how well synthetic bodies compress.
    pub ratio: f64,
    /// How to connect.
    pub settings: Settings,
    /// What is said on stderr.
    pub output: Output,
    /// `-n`: counted pairs per body.
    pub pairs: usize,
    /// `--warmup`: pairs per body before those.
    pub warmup: usize,
    /// `--bogus-model`: the model that nobody has, which is `body.model` too.
    pub bogus_model: Option<&'static str>,
    /// `--metric`
    pub metric: Metric,
    /// `--max-time-total`: no request begins later than this.
    pub max_time_total: Option<Duration>,
    /// Where results go besides stdout.
    pub exports: Exports,
    /// The URL as results show it: without secrets, and with the alias for its host.
    pub shown_url: String,
    /// `--alias`: what stands in the place of names of hosts.
    pub alias: Option<Alias>,
    /// A command line that measures the same again; secrets are left out.
    pub reproduce: String,
    /// What looks like a mistake.
    pub warnings: Vec<String>,
}

impl Bench {
    /// A name as results show it: that of a file, a folder or a model may hold a host's.
    #[must_use]
    pub fn shown(&self, name: &str) -> String {
        self.alias.as_ref().map_or_else(|| name.to_owned(), |alias| alias.hide(name))
    }
}

/// A body of a bench.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BenchBody {
    /// BODY
    Given(Part),
    /// `--sizes`
    Synthetic {
        /// The size as it was written.
        label: String,
        /// In bytes.
        size: usize,
    },
}

/// The moment that a bench compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Metric {
    /// The first byte of the answer.
    #[default]
    Starttransfer,
    /// The first token of a model.
    FirstToken,
    /// The end of the answer.
    Total,
}

impl Metric {
    /// All of them.
    pub const ALL: [Metric; 3] = [Metric::Starttransfer, Metric::FirstToken, Metric::Total];

    /// As in `--metric`, and as curl calls the moment without its `time_`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Metric::Starttransfer => "starttransfer",
            Metric::FirstToken => "first_token",
            Metric::Total => "total",
        }
    }
}

/// The files that a bench writes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Exports {
    /// `--export-json`
    pub json: Option<PathBuf>,
    /// `--export-csv`
    pub csv: Option<PathBuf>,
    /// `--export-markdown`
    pub markdown: Option<PathBuf>,
    /// `--export-svg`
    pub svg: Option<PathBuf>,
    /// `--record`: a folder.
    pub record: Option<PathBuf>,
}

/// `gzpost replay`
#[derive(Debug)]
pub struct Replay {
    /// What every request has in common; its parts are the captures.
    pub send: Send,
    /// `-n`: how often all captures are passed over.
    pub passes: u32,
    /// `--delay`: the time between two requests.
    pub delay: Duration,
    /// `--keepalive`: one connection for all requests.
    pub keepalive: bool,
    /// `--save`: the directory that gets one file an answer.
    pub save: Option<PathBuf>,
    /// `--fail-early`: the first failure is the end.
    pub fail_early: bool,
    /// `--dry-run`: shows the captures, sends nothing.
    pub dry_run: bool,
    /// `--export-json`
    pub export_json: Option<PathBuf>,
    /// `--export-csv`
    pub export_csv: Option<PathBuf>,
}

/// `gzpost check`
#[derive(Debug)]
pub struct Check {
    /// Who asks, and of which URL; method and path are those of each probe.
    pub request: Request,
    /// How to connect; `max_time` is the limit of one probe.
    pub settings: Settings,
    /// `-s`, `-S`, `-v` and what belongs to them; nothing else of it is used.
    pub output: Output,
    /// `--api`; `None` is by the URL's path.
    pub api: Option<Api>,
    /// `-n`: how often what is small is repeated, at least 1.
    pub repeat: u32,
    /// `--budget`: no probe begins that would end later.
    pub budget: Duration,
    /// `--max-starttransfer`
    pub max_starttransfer: Option<Duration>,
    /// `--format`
    pub format: Format,
    /// What looks like a mistake, to be printed as `gzpost: warning: …`; those that `-s` silences are not here.
    pub warnings: Vec<String>,
}

/// The language that a relay speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Api {
    /// Chat completions, which most relays speak.
    OpenAi,
    /// Anthropic's messages.
    Anthropic,
    /// OpenAI's responses.
    Responses,
    /// Gemini's `generateContent`.
    Gemini,
    /// Ollama's own `/api/chat`.
    Ollama,
}

impl Api {
    /// Every API by the name that `--api` takes.
    pub const CHOICES: [(&str, Api); 5] = [
        ("openai", Api::OpenAi),
        ("anthropic", Api::Anthropic),
        ("responses", Api::Responses),
        ("gemini", Api::Gemini),
        ("ollama", Api::Ollama),
    ];
}

/// How a report is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Format {
    /// Lines in columns.
    #[default]
    Text,
    /// One document.
    Json,
    /// A table.
    Markdown,
}

impl Format {
    /// Every format by the name that `--format` takes.
    pub const CHOICES: [(&str, Format); 3] =
        [("text", Format::Text), ("json", Format::Json), ("markdown", Format::Markdown)];
}

/// `gzpost demo`
#[derive(Debug, Clone, PartialEq)]
pub struct Demo {
    /// `--serve [ADDR]`: only the relay, until it is interrupted.
    pub serve: Option<std::net::SocketAddr>,
    /// `--speed`: how many times faster than the measured relay.
    pub speed: f64,
    /// `--behave`
    pub behave: Behave,
}
