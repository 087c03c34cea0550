//! The program's only error type, and the only table of exit codes.

use std::fmt;

use crate::http::credentials::escape;

/// Why a command failed, by curl's numbers (`curl(1)`, EXIT CODES): the number is the exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Kind {
    /// A scheme or an HTTP version that this program does not speak.
    UnsupportedProtocol = 1,
    /// The command line does not make sense.
    Usage = 2,
    /// The URL is malformed.
    Url = 3,
    /// An option of curl's that was left out of this program.
    NotBuiltIn = 4,
    /// The proxy's name could not be resolved.
    ProxyName = 5,
    /// The host's name could not be resolved.
    Name = 6,
    /// No connection could be made.
    Connect = 7,
    /// The answer breaks HTTP in a way that makes it unsafe to go on.
    WeirdReply = 8,
    /// The answer ended before its framing said so.
    Partial = 18,
    /// `-f`: the status code is 400 or above; or an error arrived inside a 200.
    HttpStatus = 22,
    /// The answer could not be written out.
    Write = 23,
    /// The body could not be read, or is not the JSON it was declared to be.
    Read = 26,
    /// A time limit was reached.
    Timeout = 28,
    /// TLS could not be negotiated.
    TlsHandshake = 35,
    /// An argument that cannot be used.
    BadArgument = 43,
    /// More redirects than allowed.
    Redirects = 47,
    /// `--resolve` or `--connect-to` with a malformed argument.
    ResolveSyntax = 49,
    /// The server closed the connection without an answer.
    Empty = 52,
    /// The request could not be sent.
    Send = 55,
    /// The answer could not be received.
    Receive = 56,
    /// The client certificate or its key is unusable.
    ClientCertificate = 58,
    /// The server's certificate is not trusted.
    Certificate = 60,
    /// The content coding of the answer is unknown or broken.
    ContentCoding = 61,
    /// The answer is larger than allowed.
    TooLarge = 63,
    /// The file of CA certificates is unusable.
    CaFile = 77,
    /// A SOCKS proxy was asked for.
    Socks = 97,
    /// A field of the request or of the answer is too large.
    FieldTooLarge = 100,
    /// SIGINT ended the command (128 + 2, as a shell reports it).
    Interrupted = 130,
    /// SIGTERM ended the command (128 + 15).
    Terminated = 143,
}

impl Kind {
    /// The exit code of the process.
    #[must_use]
    pub fn code(self) -> u8 {
        self as u8
    }

    /// Whether a signal ended the command.
    #[must_use]
    pub fn is_signal(self) -> bool {
        matches!(self, Kind::Interrupted | Kind::Terminated)
    }
}

/// What went wrong: its kind, and one line that names the operation and the thing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// Decides the exit code.
    pub kind: Kind,
    /// One line without the program's name, the code and a final period.
    pub message: String,
}

impl Error {
    /// An error of this kind.
    pub fn new(kind: Kind, message: impl Into<String>) -> Error {
        Error { kind, message: message.into() }
    }
}

/// One line whatever the message quotes: control characters are escaped.
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({}) {}", self.kind.code(), escape(self.message.as_bytes()))
    }
}

impl std::error::Error for Error {}

/// The result of everything here that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The system's words for an error without their number, in lower case as in a sentence.
#[must_use]
pub fn describe(error: &std::io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or(&text);
    let mut letters = text.chars();
    letters.next().map_or_else(|| "unknown error".to_owned(), |first| first.to_lowercase().chain(letters).collect())
}
