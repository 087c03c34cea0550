//! The chunked transfer coding of an answer (RFC 9112, section 7.1), read as tolerantly as curl does: the engine's own
//! reader hangs at bare line feeds, stops at long extensions and drops trailers.

use crate::error::{Error, Kind, Result};

/// A longer line of sizes and extensions is no chunk, in bytes; curl's limit for a trailer's line is larger.
const MAX_LINE: usize = 16 * 1024;

/// Longer trailers are refused, in bytes.
const MAX_TRAILERS: usize = 300 * 1024;

/// Reads chunked content piece by piece.
#[derive(Debug, Default)]
pub(super) struct Dechunker {
    state: State,
    /// The current line, when a read ended inside it.
    line: Vec<u8>,
    /// The trailer fields as received, their lines ended by CRLF.
    trailers: Vec<u8>,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum State {
    /// In a line with a size and perhaps extensions.
    #[default]
    Size,
    /// This much of a chunk is to come.
    Data(u64),
    /// In the line end behind a chunk.
    DataEnd,
    /// In the lines behind the last chunk.
    Trailers,
    /// Nothing is to come.
    Done,
}

impl Dechunker {
    /// Reads from `input` and appends the data to `out`, however many chunks it came in. Returns how much of `input`
    /// belongs to the content.
    ///
    /// An error (exit 56) comes only when nothing was appended: data in front of it is delivered first.
    pub fn feed(&mut self, input: &[u8], out: &mut Vec<u8>) -> Result<usize> {
        let mut at = 0;
        while at < input.len() && self.state != State::Done {
            let rest = &input[at..];
            match self.state {
                State::Data(left) => at += self.data(left, rest, out),
                _ => match self.line(rest) {
                    Ok(used) => at += used,
                    Err(_) if !out.is_empty() => return Ok(at),
                    Err(error) => return Err(error),
                },
            }
        }
        Ok(at)
    }

    /// Whether the last chunk and its trailers were read.
    pub fn is_done(&self) -> bool {
        self.state == State::Done
    }

    /// The trailer fields as received.
    pub fn take_trailers(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.trailers)
    }

    fn data(&mut self, left: u64, rest: &[u8], out: &mut Vec<u8>) -> usize {
        let piece = &rest[..rest.len().min(usize::try_from(left).unwrap_or(usize::MAX))];
        out.extend_from_slice(piece);
        let left = left - piece.len() as u64;
        self.state = if left == 0 { State::DataEnd } else { State::Data(left) };
        piece.len()
    }

    /// Takes a line, or what there is of it.
    fn line(&mut self, rest: &[u8]) -> Result<usize> {
        let Some(end) = rest.iter().position(|byte| *byte == b'\n') else {
            self.line.extend_from_slice(rest);
            if self.state == State::Size && !self.line.first().is_none_or(u8::is_ascii_hexdigit) {
                return Err(bad("a chunk begins without its size"));
            }
            let limit = if self.state == State::Trailers { MAX_TRAILERS } else { MAX_LINE };
            return if self.line.len() > limit {
                Err(bad("a line between chunks is too long"))
            } else {
                Ok(rest.len())
            };
        };
        let kept = std::mem::take(&mut self.line);
        let line = if kept.is_empty() { &rest[..end] } else { &[&kept, &rest[..end]].concat() };
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        self.state = match self.state {
            State::Size => match size(line)? {
                0 => State::Trailers,
                size => State::Data(size),
            },
            State::DataEnd if line.is_empty() => State::Size,
            State::DataEnd => return Err(bad("a chunk is longer than its size")),
            State::Trailers if line.is_empty() => State::Done,
            State::Trailers if line.contains(&0) => return Err(weird("NUL byte in a trailer field")),
            // A folded line belongs to the field above it.
            State::Trailers if !line.contains(&b':') && !matches!(line[0], b' ' | b'\t') => {
                return Err(weird("trailer field without a colon"));
            }
            State::Trailers => {
                self.trailers.extend_from_slice(line);
                self.trailers.extend_from_slice(b"\r\n");
                if self.trailers.len() > MAX_TRAILERS {
                    return Err(bad("the trailer fields are too long"));
                }
                State::Trailers
            }
            state => state,
        };
        Ok(end + 1)
    }
}

/// The hexadecimal size in front of extensions, of 63 bits as in curl.
fn size(line: &[u8]) -> Result<u64> {
    let (digits, rest) = line.split_at(line.iter().take_while(|byte| byte.is_ascii_hexdigit()).count());
    // `0x2` must not pass for the last chunk.
    if digits.is_empty() || !matches!(rest.trim_ascii_start(), [] | [b';', ..]) {
        return Err(bad("a chunk begins without its size"));
    }
    let text = std::str::from_utf8(digits).unwrap_or_default();
    let size = i64::from_str_radix(text, 16).ok().and_then(|size| u64::try_from(size).ok());
    size.ok_or_else(|| bad("a chunk's size is too large"))
}

fn weird(what: &str) -> Error {
    Error::new(Kind::WeirdReply, format!("malformed answer: {what}"))
}

fn bad(what: &str) -> Error {
    Error::new(Kind::Receive, format!("the answer's chunked framing is broken: {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Feeds in pieces; the data delivered, the trailers, and the error or what was left over.
    fn read(input: &[u8], step: usize) -> (Vec<u8>, String, Result<usize>) {
        let mut chunks = Dechunker::default();
        let mut data = Vec::new();
        let mut left = 0;
        for piece in input.chunks(step) {
            let mut at = 0;
            while at < piece.len() && !chunks.is_done() {
                let mut out = Vec::new();
                match chunks.feed(&piece[at..], &mut out) {
                    Ok(used) => at += used,
                    Err(error) => return (data, String::new(), Err(error)),
                }
                data.extend(out);
            }
            left += piece.len() - at;
        }
        let trailers = String::from_utf8(chunks.take_trailers()).unwrap();
        (data, trailers, if chunks.is_done() { Ok(left) } else { Err(bad("not done")) })
    }

    #[test]
    fn any_split_gives_the_same_data() {
        for (input, data, trailers) in [
            (&b"5\r\nhello\r\n0\r\n\r\n"[..], "hello", ""),
            (b"5\nhello\n1\n!\n0\n\n", "hello!", ""),
            (
                b"00005;name=\"a value that is longer than twenty bytes\"\r\nhello\r\n0;x\r\nA: 1\r\nB: 2\n\r\n",
                "hello",
                "A: 1\r\nB: 2\r\n",
            ),
            (b"1  \r\nx\r\n0\r\n\r\n", "x", ""),
            (b"0\r\n\r\n", "", ""),
        ] {
            for step in 1..=input.len() {
                let read = read(input, step);
                assert_eq!((read.0.as_slice(), read.1.as_str()), (data.as_bytes(), trailers), "{step}");
                assert_eq!(read.2, Ok(0), "{step}");
            }
        }
    }

    #[test]
    fn trailers_are_fields() {
        for (trailers, kind) in
            [("nonsense\r\n", Some(Kind::WeirdReply)), ("A: \0\r\n", Some(Kind::WeirdReply)), ("A:\r\n b\r\n", None)]
        {
            let outcome = read(format!("0\r\n{trailers}\r\n").as_bytes(), 100).2;
            assert_eq!(outcome.err().map(|error| error.kind), kind, "{trailers:?}");
        }
    }

    #[test]
    fn what_follows_the_content_is_left_alone() {
        assert_eq!(read(b"0\r\n\r\nHTTP/1.1 200", 100).2, Ok(12));
    }

    #[test]
    fn data_in_front_of_a_fault_is_delivered() {
        for input in [
            &b"2\r\nab\r\nzz\r\n"[..],
            b"2\r\nabc\r\n",
            b"2\r\nab\r\n10000000000000000\r\n",
            b"2\r\nab\r\n8000000000000000\r\n",
            b"2\r\nab\r\n0x2\r\n",
            b"2\r\nab\r\n2 3\r\n",
        ] {
            for step in [1, 100] {
                let (data, _, outcome) = read(input, step);
                assert_eq!(data, b"ab");
                assert_eq!(outcome.unwrap_err().kind, Kind::Receive);
            }
        }
    }

    #[test]
    fn memory_is_bounded() {
        let mut chunks = Dechunker::default();
        let long = [b"1;", vec![b'x'; MAX_LINE].as_slice()].concat();
        assert!(chunks.feed(&long, &mut Vec::new()).is_err());
        let (_, _, outcome) = read(&[b"0\r\n".to_vec(), b"A: b\r\n".repeat(100_000)].concat(), 4096);
        assert!(outcome.is_err());
    }

    #[test]
    fn any_bytes_never_panic() {
        arbtest::arbtest(|u| {
            let step = u.int_in_range(1..=9)?;
            let words: Vec<&[u8]> = vec![b"0", b"2", b"f", b"\r", b"\n", b";", b"ab", b"A: b", b"ffffffffffffffff"];
            let mut input = Vec::new();
            for _ in 0..u.int_in_range(0..=40)? {
                input.extend_from_slice(u.choose(&words)?);
            }
            let _ = read(&input, step);
            Ok(())
        });
    }
}
