//! Whether bytes are JSON (RFC 8259), and what is wrong where they are not.

use std::fmt;

use serde_json::value::RawValue;

use super::scan;
use crate::error::{Error, Kind, Result};

/// How deep arrays and objects may be nested: `serde_json`'s own limit for values, and far above real bodies.
const MAX_DEPTH: usize = 128;

/// Why bytes are not JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Line and column, both from 1, the column in bytes; `None` when the whole is at fault.
    pub at: Option<(usize, usize)>,
    /// What was expected or found.
    pub what: String,
}

impl Problem {
    fn whole(what: impl Into<String>) -> Problem {
        Problem { at: None, what: what.into() }
    }

    fn at_offset(bytes: &[u8], offset: usize, what: impl Into<String>) -> Problem {
        let mut lines = bytes[..offset].split(|&byte| byte == b'\n');
        let line = lines.clone().count();
        let column = lines.next_back().map_or(0, <[u8]>::len) + 1;
        Problem { at: Some((line, column)), what: what.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((line, column)) = self.at {
            write!(f, "line {line}, column {column}: ")?;
        }
        f.write_str(&self.what)
    }
}

/// Checks that the bytes are one JSON text in UTF-8, nested at most 128 levels deep.
pub fn check(bytes: &[u8]) -> Result<(), Problem> {
    if let Some(what) = recognise(bytes) {
        return Err(Problem::whole(what));
    }
    let text = std::str::from_utf8(bytes)
        .map_err(|error| Problem::at_offset(bytes, error.valid_up_to(), "a byte that is not UTF-8"))?;
    // A raw value is skipped over by a loop, not by recursion, and nothing is built from it.
    serde_json::from_str::<&RawValue>(text).map_err(|error| describe(bytes, &error))?;
    match scan::deeper_than(bytes, MAX_DEPTH) {
        Some(offset) => Err(Problem::at_offset(bytes, offset, format!("nested deeper than {MAX_DEPTH} levels"))),
        None => Ok(()),
    }
}

/// `check` as the program's error: `name` is what the body is called.
pub fn require(bytes: &[u8], name: &str) -> Result<()> {
    check(bytes)
        .map_err(|problem| Error::new(Kind::Read, format!("{name}: not JSON: {problem} (--no-check sends it anyway)")))
}

/// Whether the bytes are a JSON object or array, as a request's body is; text, numbers and the like may be a form.
#[must_use]
pub fn is_json(bytes: &[u8]) -> bool {
    begins_so(bytes) && std::str::from_utf8(bytes).is_ok_and(|text| serde_json::from_str::<&RawValue>(text).is_ok())
}

/// Whether the bytes begin as a JSON object or array does.
#[must_use]
pub fn begins_so(bytes: &[u8]) -> bool {
    matches!(bytes.trim_ascii_start().first(), Some(b'{' | b'['))
}

/// What bytes are that are something else altogether, and what to do about it.
fn recognise(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        _ if bytes.trim_ascii().is_empty() => Some("it is empty"),
        [0x28, 0xb5, 0x2f, 0xfd, ..] => {
            Some("it is compressed with zstd: decompress it, or say so with -H 'Content-Encoding: zstd'")
        }
        [0xef, 0xbb, 0xbf, ..] => Some("it starts with a UTF-8 byte order mark: drop its first three bytes"),
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] | [0, 1..=0x7f, ..] | [1..=0x7f, 0, ..] => {
            Some("it is UTF-16: convert it with `iconv -f UTF-16 -t UTF-8`")
        }
        _ => None,
    }
}

/// `serde_json`'s words without its position, and the one mistake that serialisers make by themselves named.
fn describe(bytes: &[u8], error: &serde_json::Error) -> Problem {
    let text = error.to_string();
    let what = text.rsplit_once(" at line ").map_or(text.as_str(), |(what, _)| what);
    let lines = || bytes.split_inclusive(|&byte| byte == b'\n');
    let (line, column) = match (error.line(), error.column()) {
        // A line break at fault is `serde_json`'s column 0 of the next line; here it ends its own.
        (line @ 2.., 0) => (line - 1, lines().nth(line - 2).map_or(1, <[u8]>::len)),
        place => place,
    };
    let start: usize = lines().take(line.max(1) - 1).map(<[u8]>::len).sum();
    let found = bytes.get(start + column.max(1) - 1..).unwrap_or_default();
    let number = ["NaN", "Infinity"].into_iter().find(|number| found.starts_with(number.as_bytes()));
    let what = number.map_or(what.to_owned(), |number| format!("{number} is not a JSON number"));
    Problem { at: Some((line, column)), what }
}

#[cfg(test)]
#[path = "json_tests.rs"]
mod tests;
