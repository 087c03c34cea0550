//! One JSON document after the other out of a stream of bytes: byte ranges, with their places, one in memory at a time.

use std::io::BufRead;

use super::json;
use crate::error::{Error, Kind, Result, describe};

/// A line that is no JSON is shown to the check up to here; more would say nothing more.
const LINE: usize = 64 * 1024;

/// A stretch of a capture that ought to be one JSON text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// Its bytes as they are in the capture.
    pub bytes: Vec<u8>,
    /// From 1, within the capture.
    pub number: usize,
    /// The line it begins on, from 1.
    pub line: usize,
    /// The column it begins at, in bytes from 1.
    pub column: usize,
}

impl Document {
    /// Whether it is JSON; an error says where in the capture it is not.
    pub fn check(&self, name: &str) -> Result<()> {
        let Err(problem) = json::check(&self.bytes) else { return Ok(()) };
        let place = problem.at.map(|(line, column)| {
            let column = if line == 1 { self.column + column - 1 } else { column };
            format!("line {}, column {column}: ", self.line + line - 1)
        });
        let (number, place) = (self.number, place.unwrap_or_default());
        let text = format!("{name}: document {number}: not JSON: {place}{}; mend it or take it out", problem.what);
        Err(Error::new(Kind::Read, text))
    }
}

/// The documents of a stream: with or without white space between them, on one line or many.
///
/// Nothing is checked but where brackets close. What begins with neither `{` nor `[` is a document as far as its line
/// goes, and so is what ends too early: the check finds the fault. The lines `[200] {…}` that pi's example extension
/// writes for answers are passed over.
pub struct Documents<'a> {
    name: &'a str,
    input: Box<dyn BufRead + 'a>,
    number: usize,
    line: usize,
    column: usize,
}

impl<'a> Documents<'a> {
    /// Reads from `input`, which errors call `name`.
    #[must_use]
    pub fn new(name: &'a str, input: Box<dyn BufRead + 'a>) -> Documents<'a> {
        Documents { name, input, number: 0, line: 1, column: 1 }
    }

    fn read(&mut self) -> Result<Option<Document>> {
        loop {
            self.take(|bytes| bytes.iter().position(|byte| !byte.is_ascii_whitespace()))?;
            let (line, column) = (self.line, self.column);
            let mut end = End::default();
            let bytes = self.take(|bytes| end.find(bytes))?;
            if is_status(&bytes) && self.fill()?.first() == Some(&b' ') {
                self.take(|bytes| bytes.iter().position(|byte| *byte == b'\n'))?;
                continue;
            }
            self.number += usize::from(!bytes.is_empty());
            return Ok((!bytes.is_empty()).then_some(Document { bytes, number: self.number, line, column }));
        }
    }

    /// The bytes up to where `end` finds their end, a piece at a time, or up to the end of the stream.
    fn take(&mut self, mut end: impl FnMut(&[u8]) -> Option<usize>) -> Result<Vec<u8>> {
        let mut taken = Vec::new();
        loop {
            let piece = self.fill()?;
            let found = end(piece);
            let used = found.unwrap_or(piece.len());
            taken.extend_from_slice(&piece[..used]);
            let at_end = piece.is_empty();
            self.input.consume(used);
            if found.is_some() || at_end {
                let mut lines = taken.split(|byte| *byte == b'\n');
                let ends = lines.clone().count() - 1;
                let last = lines.next_back().map_or(0, <[u8]>::len);
                self.column = if ends == 0 { self.column + last } else { 1 + last };
                self.line += ends;
                return Ok(taken);
            }
        }
    }

    fn fill(&mut self) -> Result<&[u8]> {
        let name = self.name;
        self.input
            .fill_buf()
            .map_err(|error| Error::new(Kind::Read, format!("{name}: could not be read: {}", describe(&error))))
    }
}

impl Iterator for Documents<'_> {
    type Item = Result<Document>;

    fn next(&mut self) -> Option<Result<Document>> {
        self.read().transpose()
    }
}

/// `[200]`, as no body begins.
fn is_status(bytes: &[u8]) -> bool {
    matches!(bytes, [b'[', digits @ .., b']'] if digits.len() == 3 && digits.iter().all(u8::is_ascii_digit))
}

/// Looks for the end of a document, piece by piece.
#[derive(Debug, Default)]
struct End {
    /// Of brackets; 0 before the first byte.
    depth: usize,
    in_string: bool,
    escaped: bool,
    /// Bytes seen of what does not begin as an object or array does.
    line: Option<usize>,
}

impl End {
    fn find(&mut self, bytes: &[u8]) -> Option<usize> {
        let begins = bytes.first().is_some_and(|byte| matches!(byte, b'{' | b'['));
        if self.line.is_some() || self.depth == 0 && !begins {
            return self.of_line(bytes);
        }
        let mut at = 0;
        while at < bytes.len() {
            let byte = bytes[at];
            at += 1;
            if self.in_string {
                match byte {
                    _ if self.escaped => self.escaped = false,
                    b'\\' => self.escaped = true,
                    b'"' => self.in_string = false,
                    // Never within a string: the document was cut off, and the next one begins here.
                    b'\n' => return Some(at),
                    _ => {
                        let stop = |byte: &u8| matches!(byte, b'"' | b'\\' | b'\n');
                        at += bytes[at..].iter().position(stop).unwrap_or(bytes.len() - at);
                    }
                }
                continue;
            }
            match byte {
                b'"' => self.in_string = true,
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => self.depth -= 1,
                _ => {}
            }
            if self.depth == 0 {
                return Some(at);
            }
        }
        None
    }

    fn of_line(&mut self, bytes: &[u8]) -> Option<usize> {
        let seen = self.line.get_or_insert_default();
        let room = LINE.saturating_sub(*seen);
        let end = bytes.iter().position(|byte| *byte == b'\n').filter(|end| *end <= room);
        *seen += bytes.len();
        end.or_else(|| (bytes.len() >= room).then_some(room))
    }
}

#[cfg(test)]
#[path = "document_tests.rs"]
mod tests;
