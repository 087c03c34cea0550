//! From the user's bytes to the content that goes out: read, check, change by splicing, code.

mod synthetic;

pub use synthetic::synthetic;

/// The content coding of a request (RFC 9110, section 8.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Coding {
    /// Sent as it is.
    #[default]
    Identity,
    /// One gzip member (RFC 1952).
    Gzip,
}

impl Coding {
    /// The name as in `Content-Encoding` and in `%{content_coding}`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Coding::Identity => "identity",
            Coding::Gzip => "gzip",
        }
    }
}

/// One piece of a body, in the order of the command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Which option it came with.
    pub kind: PartKind,
    /// Where its bytes are.
    pub source: Source,
}

/// What an option of curl's does to its data (`curl(1)`, `--data` and its kin).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PartKind {
    /// The positional BODY: bytes as they are, declared JSON.
    Body,
    /// `-d`: CR, LF and NUL are dropped from files and stdin.
    Data,
    /// `--data-binary`
    Binary,
    /// `--data-raw`
    Raw,
    /// `--json`: declared JSON, joined with nothing.
    Json,
    /// `--data-urlencode`: percent-encoded, behind `name=` when there is a name.
    Urlencode(Option<String>),
    /// `-T`: bytes as they are, any type.
    Upload,
}

/// Where bytes come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// The command line itself.
    Text(Vec<u8>),
    /// A file, named in messages as given.
    File(std::path::PathBuf),
    /// `-` or `@-`
    Stdin,
}

/// How a body becomes content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BodyOptions {
    /// Declared JSON is checked; off with `--no-check`.
    pub check: bool,
    /// `--gzip`, `--identity`, or by type and size.
    pub coding: CodingChoice,
    /// `--level`, 1 to 9.
    pub level: u32,
    /// `--model`: replaces the top-level `model`.
    pub model: Option<String>,
    /// `--set KEY=JSON`, in order.
    pub set: Vec<(String, String)>,
    /// `--compact`: white space between tokens is dropped.
    pub compact: bool,
}

impl Default for BodyOptions {
    fn default() -> BodyOptions {
        BodyOptions {
            check: true,
            coding: CodingChoice::Auto,
            level: DEFAULT_LEVEL,
            model: None,
            set: Vec::new(),
            compact: false,
        }
    }
}

/// zlib-rs at 8 gives gzip -6's size; 9 is slower and larger on every body measured.
pub const DEFAULT_LEVEL: u32 = 8;

/// Smaller bodies gain nothing: head and content fit one packet anyway.
pub const GZIP_THRESHOLD: usize = 1024;

/// Who decides about the coding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CodingChoice {
    /// gzip for JSON of `GZIP_THRESHOLD` bytes or more.
    #[default]
    Auto,
    /// `--gzip`
    Gzip,
    /// `--identity`
    Identity,
}
