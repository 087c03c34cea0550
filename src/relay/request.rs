//! Requests as they arrive: the head with its limits, the content with its framing and coding.

use std::io::{self, BufRead, BufReader, ErrorKind, Read};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use flate2::bufread::MultiGzDecoder;

use super::answer::Answer;
use crate::http::timing::Clock;

/// Larger heads are answered with 431, in bytes.
const MAX_HEAD: usize = 64 * 1024;
/// More fields than this are answered with 431.
const MAX_FIELDS: usize = 100;
/// The longest line of chunked framing, extensions and trailers included, in bytes.
const MAX_LINE: u64 = 4 * 1024;
/// A head that takes longer from its first byte to its last is given up.
const MAX_HEAD_TIME: Duration = Duration::from_secs(30);

/// The first byte of a connection that begins with TLS (RFC 8446, section 5.1).
const TLS_HANDSHAKE: u8 = 22;

/// What the relay needs to know of a request's head.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Head {
    pub method: String,
    /// Without query, scheme and authority.
    pub path: String,
    pub http10: bool,
    /// The client wants the connection to stay open.
    pub keep_alive: bool,
    pub framing: Framing,
    /// The Content-Encoding in lower case, `identity` when there is none.
    pub coding: String,
    /// The client waits for `100 Continue` before it sends the content.
    pub expects: bool,
}

/// How the end of the content is found (RFC 9112, section 6.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Framing {
    /// This many bytes; 0 when there is no content.
    Length(u64),
    Chunked,
}

impl Head {
    /// Reads a head; `None` when the connection ended or stayed silent instead, an answer when it is no head.
    pub fn read(input: &mut impl BufRead) -> io::Result<Option<Result<Head, Answer>>> {
        let mut bytes = Vec::new();
        let mut clock = None;
        loop {
            let available = match input.fill_buf() {
                Ok(available) => available,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(_) if bytes.is_empty() => return Ok(None),
                Err(error) => return Err(error),
            };
            if available.is_empty() {
                return if bytes.is_empty() { Ok(None) } else { Err(ErrorKind::UnexpectedEof.into()) };
            }
            if clock.get_or_insert_with(Clock::start).elapsed() > MAX_HEAD_TIME {
                return Err(ErrorKind::TimedOut.into());
            }
            let taken = take_head(available, &mut bytes);
            input.consume(taken);
            // The greeting of TLS has no line that could be waited for.
            if bytes.first() == Some(&TLS_HANDSHAKE) {
                return Ok(Some(Err(Answer::error(400, "bad request: this is TLS; http:// is spoken here"))));
            }
            if bytes.ends_with(b"\n\r\n") || bytes.ends_with(b"\n\n") {
                return Ok(Some(Head::parse(&bytes)));
            }
            if bytes.len() >= MAX_HEAD {
                return Ok(Some(Err(Answer::error(431, "the head of the request is too large"))));
            }
        }
    }

    fn parse(bytes: &[u8]) -> Result<Head, Answer> {
        let mut slots = [httparse::EMPTY_HEADER; MAX_FIELDS];
        let mut request = httparse::Request::new(&mut slots);
        match request.parse(bytes) {
            Ok(status) if status.is_complete() => {}
            Ok(_) => return Err(Answer::error(400, "bad request: the head is incomplete")),
            Err(httparse::Error::TooManyHeaders) => return Err(Answer::error(431, "too many fields")),
            Err(httparse::Error::Version) => return Err(Answer::error(505, "HTTP/1.1 is spoken here")),
            Err(error) => return Err(Answer::error(400, &format!("bad request: {error}"))),
        }
        let http10 = request.version == Some(0);
        let fields = &*request.headers;
        let hosts = fields.iter().filter(|field| field.name.eq_ignore_ascii_case("host")).count();
        if hosts > 1 || (hosts == 0 && !http10) {
            return Err(Answer::error(400, "bad request: exactly one Host field is needed"));
        }
        let expect = value(fields, "expect").filter(|_| !http10);
        if expect.as_deref().is_some_and(|expect| expect != "100-continue") {
            return Err(Answer::error(417, "only 100-continue can be expected"));
        }
        let connection = value(fields, "connection").unwrap_or_default();
        let asks_for = |option| connection.split(',').any(|asked| asked.trim() == option);
        Ok(Head {
            method: request.method.unwrap_or_default().to_owned(),
            path: path(request.path.unwrap_or_default()).to_owned(),
            http10,
            keep_alive: if http10 { asks_for("keep-alive") } else { !asks_for("close") },
            framing: framing(fields, http10)?,
            coding: value(fields, "content-encoding").filter(|coding| !coding.is_empty()).unwrap_or("identity".into()),
            expects: expect.is_some(),
        })
    }
}

/// Moves bytes to the head until it is whole or too large; says how many.
fn take_head(available: &[u8], head: &mut Vec<u8>) -> usize {
    for (index, byte) in available.iter().enumerate() {
        head.push(*byte);
        // Empty lines before a request are left over from a content that was sent with a line end too many.
        if matches!(head.as_slice(), b"\r\n" | b"\n") {
            head.clear();
        }
        if head.len() >= MAX_HEAD || head.ends_with(b"\n\r\n") || head.ends_with(b"\n\n") {
            return index + 1;
        }
    }
    available.len()
}

/// A field's value in lower case, the values of several fields joined as RFC 9110, section 5.3 has it.
fn value(fields: &[httparse::Header<'_>], name: &str) -> Option<String> {
    let mut values = fields.iter().filter(|field| field.name.eq_ignore_ascii_case(name));
    let text = |field: &httparse::Header<'_>| String::from_utf8_lossy(field.value).trim().to_ascii_lowercase();
    let first = text(values.next()?);
    Some(values.fold(first, |joined, field| joined + ", " + &text(field)))
}

/// The path of a request target, which may be a whole URL (RFC 9112, section 3.2.2).
fn path(target: &str) -> &str {
    let path = match target.split_once("://") {
        Some((scheme, rest)) if !scheme.contains('/') => rest.find('/').map_or("/", |start| &rest[start..]),
        _ => target,
    };
    path.split(['?', '#']).next().unwrap_or_default()
}

/// Both framings at once, or two lengths, are how requests are smuggled: refused.
fn framing(fields: &[httparse::Header<'_>], http10: bool) -> Result<Framing, Answer> {
    match (value(fields, "transfer-encoding"), value(fields, "content-length")) {
        (None, None) => Ok(Framing::Length(0)),
        (None, Some(length)) => {
            let digits = !length.is_empty() && length.bytes().all(|byte| byte.is_ascii_digit());
            let length = length.parse().ok().filter(|_| digits);
            length.map(Framing::Length).ok_or_else(|| Answer::error(400, "bad request: Content-Length is no number"))
        }
        (Some(_), Some(_)) => Err(Answer::error(400, "bad request: Transfer-Encoding beside Content-Length")),
        (Some(coding), None) if coding == "chunked" && !http10 => Ok(Framing::Chunked),
        (Some(_), None) => Err(Answer::error(501, "the transfer coding is unknown")),
    }
}

/// The content of a request, still coded, out of its framing.
#[derive(Debug)]
pub(super) struct Content<'i, R> {
    input: &'i mut R,
    rest: Rest,
    /// Bytes received so far.
    pub received: u64,
    /// More bytes than this are an error.
    limit: u64,
    /// Started when bytes arrived last.
    pub last_byte: Clock,
    /// The connection or the framing failed: what follows on it cannot be understood.
    pub broken: bool,
}

/// What is still to come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rest {
    Length(u64),
    Size,
    Chunk(u64),
    Nothing,
}

impl<'i, R: BufRead> Content<'i, R> {
    /// The content that follows a head; of more than `limit` bytes no more than these are read.
    pub fn new(input: &'i mut R, framing: Framing, limit: u64) -> Content<'i, R> {
        let rest = match framing {
            Framing::Length(0) => Rest::Nothing,
            Framing::Length(length) => Rest::Length(length),
            Framing::Chunked => Rest::Size,
        };
        Content { input, rest, received: 0, limit, last_byte: Clock::start(), broken: false }
    }

    /// Whether the whole content was read.
    pub fn ended(&self) -> bool {
        self.rest == Rest::Nothing
    }

    fn fill(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.rest == Rest::Size {
            self.rest = self.chunk()?;
        }
        let (Rest::Length(left) | Rest::Chunk(left)) = self.rest else { return Ok(0) };
        let wanted = usize::try_from(left).unwrap_or(usize::MAX).min(buffer.len());
        let count = self.input.read(&mut buffer[..wanted])?;
        if count == 0 && wanted > 0 {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        self.last_byte = Clock::start();
        self.received += count as u64;
        if self.received > self.limit {
            return Err(ErrorKind::FileTooLarge.into());
        }
        let left = left - count as u64;
        self.rest = match self.rest {
            Rest::Chunk(_) if left > 0 => Rest::Chunk(left),
            Rest::Chunk(_) => {
                if !self.line()?.is_empty() {
                    return Err(ErrorKind::InvalidData.into());
                }
                Rest::Size
            }
            _ if left > 0 => Rest::Length(left),
            _ => Rest::Nothing,
        };
        Ok(count)
    }

    /// Reads the line in front of a chunk, after the last one the trailers too (RFC 9112, section 7.1).
    fn chunk(&mut self) -> io::Result<Rest> {
        let line = self.line()?;
        let size = line.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii();
        let digits = !size.is_empty() && size.iter().all(u8::is_ascii_hexdigit);
        let size = std::str::from_utf8(size).ok().and_then(|size| u64::from_str_radix(size, 16).ok());
        match size.filter(|_| digits) {
            None => Err(ErrorKind::InvalidData.into()),
            Some(0) => {
                for _ in 0..MAX_FIELDS {
                    if self.line()?.is_empty() {
                        self.last_byte = Clock::start();
                        return Ok(Rest::Nothing);
                    }
                }
                Err(ErrorKind::InvalidData.into())
            }
            Some(size) => Ok(Rest::Chunk(size)),
        }
    }

    fn line(&mut self) -> io::Result<Vec<u8>> {
        let mut line = Vec::new();
        self.input.by_ref().take(MAX_LINE).read_until(b'\n', &mut line)?;
        match line.pop() {
            Some(b'\n') => {
                line.pop_if(|last| *last == b'\r');
                Ok(line)
            }
            _ if line.len() as u64 + 1 == MAX_LINE => Err(ErrorKind::InvalidData.into()),
            _ => Err(ErrorKind::UnexpectedEof.into()),
        }
    }
}

impl<R: BufRead> Read for Content<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.fill(buffer).inspect_err(|error| self.broken |= error.kind() != ErrorKind::Interrupted)
    }
}

/// A decoded content; `held` counts it as long as it lives.
#[derive(Debug)]
pub(super) struct Body<'h> {
    pub bytes: Vec<u8>,
    held: &'h AtomicU64,
}

impl Drop for Body<'_> {
    fn drop(&mut self) {
        self.held.fetch_sub(self.bytes.len() as u64, Ordering::Relaxed);
    }
}

/// Why a content is no body.
#[derive(Debug)]
pub(super) enum Unread {
    /// More bytes than allowed, decoded.
    TooLarge,
    /// All connections together hold too much already.
    Busy,
    /// When `Content::broken` is set, by the connection (`FileTooLarge`: more bytes than allowed, received;
    /// `InvalidData`: wrong framing), else by the decoder.
    Failed(io::Error),
}

/// Reads the content to its end and decodes it, unless one body becomes larger than `limit` or all bodies
/// together larger than four times that: a gzip bomb ends there, at the same memory whatever it would become.
pub(super) fn read_body<'h, R: BufRead>(
    content: &mut Content<'_, R>,
    gzip: bool,
    limit: u64,
    held: &'h AtomicU64,
) -> Result<Body<'h>, Unread> {
    if gzip {
        collect(&mut MultiGzDecoder::new(BufReader::new(content)), limit, held)
    } else {
        collect(content, limit, held)
    }
}

fn collect<'h>(reader: &mut dyn Read, limit: u64, held: &'h AtomicU64) -> Result<Body<'h>, Unread> {
    let mut body = Body { bytes: Vec::new(), held };
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let count = match reader.read(&mut buffer) {
            Ok(0) => return Ok(body),
            Ok(count) => count,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(Unread::Failed(error)),
        };
        if (body.bytes.len() + count) as u64 > limit {
            return Err(Unread::TooLarge);
        }
        body.bytes.extend_from_slice(&buffer[..count]);
        if held.fetch_add(count as u64, Ordering::Relaxed) + count as u64 > limit.saturating_mul(4) {
            return Err(Unread::Busy);
        }
    }
}
