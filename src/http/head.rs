//! The head of an answer: found in the stream, read as tolerantly as curl does, and what it says about framing.

#[cfg(test)]
mod tests;

use super::Field;
use super::credentials::escape;
use super::url::encode;
use crate::error::{Error, Kind, Result};

/// A longer head is refused with exit 56, in bytes; curl's limit.
pub const MAX_HEAD: usize = 300 * 1024;

/// A longer field is refused with exit 100, in bytes; curl's limit.
const MAX_LINE: usize = 100 * 1024;

/// More fields are refused with exit 100; curl's limit.
const MAX_FIELDS: usize = 5000;

const START: &[u8] = b"HTTP/1.";

/// The status line and the fields of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// From the status line.
    pub version: Version,
    /// 100 to 999.
    pub status: u16,
    /// The reason phrase as received.
    pub reason: Vec<u8>,
    /// In the order of arrival, folded lines joined by a blank.
    pub fields: Vec<Field>,
    /// Everything as received, up to the end of the empty line; folded lines joined, as curl shows them.
    pub raw: Vec<u8>,
}

/// The HTTP versions that this program speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Version {
    /// HTTP/1.0
    Http10,
    /// HTTP/1.1
    Http11,
}

/// How the end of an answer's content is known (RFC 9112, section 6.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    /// Nothing follows the head: HEAD, 1xx, 204, 304.
    NoContent,
    /// This many bytes.
    Length(u64),
    /// The chunked transfer coding.
    Chunked,
    /// Everything until the connection ends.
    UntilClose,
}

/// Where the head that begins `bytes` ends, just behind its empty line; `None` when more bytes are needed.
///
/// Lines end in LF or CRLF. `from` is how many bytes an earlier call has seen, so that none is searched twice.
#[must_use]
pub fn find_end(bytes: &[u8], from: usize) -> Option<usize> {
    // The empty line may have arrived up to its CR.
    let mut at = from.saturating_sub(2).min(bytes.len());
    while let Some(line_end) = bytes[at..].iter().position(|byte| *byte == b'\n') {
        at += line_end + 1;
        match &bytes[at..] {
            [b'\n', ..] => return Some(at + 1),
            [b'\r', b'\n', ..] => return Some(at + 2),
            _ => {}
        }
    }
    None
}

/// Where the answer's own head begins: behind the interim heads that are there as a whole. `from` as for `find_end`.
#[must_use]
pub fn answer_start(bytes: &[u8], from: usize) -> usize {
    let (mut start, mut from) = (0, from);
    while let Some(end) = find_end(&bytes[start..], from)
        && Head::parse(&bytes[start..start + end]).is_ok_and(|head| head.is_interim())
    {
        (start, from) = (start + end, 0);
    }
    start
}

/// Whether an answer that begins like this can still be HTTP/1.0 or 1.1; if not, `not_http` says what it is.
#[must_use]
pub fn could_be_http(bytes: &[u8]) -> bool {
    bytes.iter().zip(START).all(|(byte, expected)| byte == expected)
}

/// Exit 1: an answer in another version of HTTP, or in another protocol.
#[must_use]
pub fn not_http(bytes: &[u8]) -> Error {
    let line = bytes.split(|byte| matches!(byte, b'\r' | b'\n')).next().unwrap_or_default();
    let shown = escape(&line[..line.len().min(60)]);
    let message = match bytes {
        // A TLS record: alert or handshake, version 3.x.
        [0x15 | 0x16, 3, ..] => "the server speaks TLS at this port; write https://".to_owned(),
        _ if bytes.starts_with(b"HTTP/") => format!("unsupported HTTP version in the answer: {shown}"),
        _ => format!("the answer is not HTTP/1.0 or HTTP/1.1, it begins with: {shown}"),
    };
    Error::new(Kind::UnsupportedProtocol, message)
}

/// Exit 56: heads above `MAX_HEAD`, those of interim answers counted with that of the answer.
#[must_use]
pub fn too_large() -> Error {
    Error::new(Kind::Receive, format!("the fields of the answer are larger than {} KB", MAX_HEAD / 1024))
}

impl Head {
    /// The first value of a field, by name in any case.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&str> {
        self.fields.iter().find(|field| field.name.eq_ignore_ascii_case(name)).map(|field| field.value.as_str())
    }

    /// Reads a whole head, its empty line included.
    ///
    /// Exit 1 for a status line that is not HTTP/1.0 or 1.1 with three digits from 100; 8 for a NUL, a lone CR, a
    /// line without a colon or a folded first line; 56 above `MAX_HEAD`, 100 for a field above `MAX_LINE` or more than
    /// `MAX_FIELDS`.
    pub fn parse(raw: &[u8]) -> Result<Head> {
        if raw.len() > MAX_HEAD {
            return Err(too_large());
        }
        let (version, status, reason) = status_line(lines(raw).next().unwrap_or_default())?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        if let Some(line) = lines(raw).find(|line| line.len() > MAX_LINE) {
            let name = escape(line.split(|byte| *byte == b':').next().unwrap_or_default());
            let message = format!("the field {name:.60} of the answer is larger than {} KB", MAX_LINE / 1024);
            return Err(Error::new(Kind::FieldTooLarge, message));
        }
        let fields = fields(raw)?;
        if fields.len() > MAX_FIELDS {
            let message = format!("the answer has more than {MAX_FIELDS} fields");
            return Err(Error::new(Kind::FieldTooLarge, message));
        }
        let fields = fields.iter().map(|(name, value)| Field { name: text(name), value: text(value) }).collect();
        Ok(Head { version, status, reason: reason.to_owned(), fields, raw: unfolded(raw) })
    }

    /// Reads a head and its framing. When one of them is refused: the error, and the lines in front of the one that
    /// it is about, for these can be shown (curl does).
    pub fn framed(
        raw: &[u8],
        method_is_head: bool,
        ignore_length: bool,
    ) -> Result<(Head, Framing), (Option<Head>, Error)> {
        let read = |raw: &[u8]| {
            let head = Head::parse(raw)?;
            let framing = head.framing(method_is_head, ignore_length)?;
            Ok((head, framing))
        };
        read(raw).map_err(|error| {
            let ends: Vec<usize> = (1..=raw.len()).filter(|end| raw[end - 1] == b'\n').collect();
            let sound = ends.partition_point(|end| read(&raw[..*end]).is_ok());
            (ends[..sound].last().and_then(|end| Head::parse(&raw[..*end]).ok()), error)
        })
    }

    /// Whether this is a 1xx that another head follows; 101 is an answer (RFC 9110, section 15.2).
    #[must_use]
    pub fn is_interim(&self) -> bool {
        (100..=199).contains(&self.status) && self.status != 101
    }

    /// How the content ends. `ignore_length` is `--ignore-content-length`.
    ///
    /// Exit 8 for a Content-Length that is no number or has two values, 61 for a transfer coding that was not asked
    /// for. A length beyond 63 bits is no length, as in curl.
    pub fn framing(&self, method_is_head: bool, ignore_length: bool) -> Result<Framing> {
        if matches!(self.status, 100..=199 | 204 | 304) {
            return Ok(Framing::NoContent);
        }
        let length = if ignore_length { None } else { self.content_length()? };
        Ok(match length {
            _ if method_is_head => Framing::NoContent,
            _ if self.is_chunked()? => Framing::Chunked,
            Some(length) => Framing::Length(length),
            None => Framing::UntilClose,
        })
    }

    /// How much content the fields announce, in bytes; to HEAD too. What is too large to be a length counts as one.
    #[must_use]
    pub fn announced(&self, ignore_length: bool) -> Option<u64> {
        match self.framing(false, ignore_length) {
            Ok(Framing::Length(length)) => Some(length),
            Ok(Framing::UntilClose) if !ignore_length => self.field("Content-Length").map(|_| u64::MAX),
            _ => None,
        }
    }

    /// Whether the connection can be used again after content framed like this.
    #[must_use]
    pub fn keep_alive(&self, framing: Framing) -> bool {
        let says = |option: &str| self.items("connection").any(|item| item.eq_ignore_ascii_case(option));
        framing != Framing::UntilClose && !says("close") && (self.version == Version::Http11 || says("keep-alive"))
    }

    /// A head with the same status code and nothing but framing, for an engine that is less tolerant than this reader.
    ///
    /// Always HTTP/1.1 and chunked when there is content: content goes past the engine, which gets a byte for each
    /// piece of it.
    #[must_use]
    pub fn synthetic(&self, framing: Framing, keep_alive: bool) -> Vec<u8> {
        let framing = match framing {
            // The engine does not know the method, so it is told that HEAD gets nothing.
            Framing::NoContent | Framing::Length(0) => "Content-Length: 0",
            Framing::UntilClose | Framing::Length(_) | Framing::Chunked => "Transfer-Encoding: chunked",
        };
        let connection = if keep_alive { "keep-alive" } else { "close" };
        format!("HTTP/1.1 {} \r\n{framing}\r\nConnection: {connection}\r\n\r\n", self.status).into_bytes()
    }

    /// The value of Location for `Url::join`, bytes beyond ASCII percent-encoded; an empty one is none.
    ///
    /// Exit 8 when there are two different ones.
    pub fn location(&self) -> Result<Option<String>> {
        let mut found = None;
        for (name, value) in fields(&self.raw)? {
            if !name.eq_ignore_ascii_case(b"location") || value.is_empty() {
                continue;
            }
            let value = encode(value, " ");
            if found.as_ref().is_some_and(|found| *found != value) {
                return Err(weird("two Location fields with different values"));
            }
            found = Some(value);
        }
        Ok(found)
    }

    fn content_length(&self) -> Result<Option<u64>> {
        let mut found = None;
        for item in self.items("content-length") {
            if item.is_empty() || !item.bytes().all(|byte| byte.is_ascii_digit()) {
                return Err(weird(format!("Content-Length is no number: {}", escape(item.as_bytes()))));
            }
            let length = item.parse::<u64>().unwrap_or(u64::MAX);
            if found.is_some_and(|found| found != length) {
                return Err(weird("two values for Content-Length"));
            }
            found = Some(length);
        }
        Ok(found.filter(|length| i64::try_from(*length).is_ok()))
    }

    fn is_chunked(&self) -> Result<bool> {
        let mut chunked = false;
        for item in self.items("transfer-encoding") {
            match item.to_ascii_lowercase().as_str() {
                "chunked" => chunked = true,
                "" => {}
                "identity" if !chunked => {}
                _ => {
                    let message = format!("transfer coding that was not asked for: {}", escape(item.as_bytes()));
                    return Err(Error::new(Kind::ContentCoding, message));
                }
            }
        }
        Ok(chunked)
    }

    /// The comma-separated items of all fields of this name.
    fn items<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let fields = self.fields.iter().filter(move |field| field.name.eq_ignore_ascii_case(name));
        fields.flat_map(|field| field.value.split(',').map(str::trim_ascii))
    }
}

/// The lines before the empty one, without their ends.
fn lines(raw: &[u8]) -> impl Iterator<Item = &[u8]> {
    raw.split(|byte| *byte == b'\n')
        .map(|line| line.strip_suffix(b"\r").unwrap_or(line))
        .take_while(|line| !line.is_empty())
}

/// Version, code and reason. A status code needs no blank behind it, but a fourth digit is too much.
fn status_line(line: &[u8]) -> Result<(Version, u16, &[u8])> {
    let (version, rest) = match line.strip_prefix(START) {
        Some([b'0', rest @ ..]) => (Version::Http10, rest),
        Some([b'1', rest @ ..]) => (Version::Http11, rest),
        _ => return Err(not_http(line)),
    };
    let code = rest.trim_ascii_start();
    match code {
        [first @ b'1'..=b'9', second @ b'0'..=b'9', third @ b'0'..=b'9', reason @ ..]
            if code.len() < rest.len() && !reason.first().is_some_and(u8::is_ascii_digit) =>
        {
            let digits = [first, second, third].map(|digit| u16::from(digit - b'0'));
            Ok((version, digits[0] * 100 + digits[1] * 10 + digits[2], reason.trim_ascii()))
        }
        _ => {
            let message = format!("unsupported status code in the answer: {}", escape(&line[..line.len().min(60)]));
            Err(Error::new(Kind::UnsupportedProtocol, message))
        }
    }
}

/// Names and values as bytes, unfolded (RFC 9112, section 5.2) and without the blanks around them.
fn fields(raw: &[u8]) -> Result<Vec<(&[u8], Vec<u8>)>> {
    let mut fields: Vec<(&[u8], Vec<u8>)> = Vec::new();
    for (index, line) in lines(raw).enumerate() {
        // A bare CR, or what follows it, can look like another field to the next reader.
        if let Some(byte) = line.iter().find(|byte| matches!(byte, b'\0' | b'\r')) {
            return Err(weird(if *byte == 0 { "NUL byte in a field" } else { "carriage return inside a field" }));
        }
        if index == 0 {
            continue;
        }
        if let [b' ' | b'\t', ..] = line {
            let (_, value) = fields.last_mut().ok_or_else(|| weird("folded line before the first field"))?;
            let more = line.trim_ascii();
            if !value.is_empty() && !more.is_empty() {
                value.push(b' ');
            }
            value.extend(more);
            continue;
        }
        let colon = line.iter().position(|byte| *byte == b':').ok_or_else(|| weird("field without a colon"))?;
        fields.push((line[..colon].trim_ascii(), line[colon + 1..].trim_ascii().to_owned()));
    }
    Ok(fields)
}

/// The same head with its folded lines joined by a blank.
fn unfolded(raw: &[u8]) -> Vec<u8> {
    let mut joined: Vec<u8> = Vec::with_capacity(raw.len());
    for line in raw.split_inclusive(|byte| *byte == b'\n') {
        if let [b' ' | b'\t', ..] = line {
            joined.truncate(joined.trim_ascii_end().len());
            joined.push(b' ');
            joined.extend_from_slice(line.trim_ascii_start());
            if line.trim_ascii().is_empty() {
                joined.extend_from_slice(b"\r\n");
            }
        } else {
            joined.extend_from_slice(line);
        }
    }
    joined
}

fn weird(reason: impl std::fmt::Display) -> Error {
    Error::new(Kind::WeirdReply, format!("malformed answer: {reason}"))
}
