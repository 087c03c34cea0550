//! `-w`: curl's format, byte for byte in curl's form (`curl(1)`, `--write-out`).

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::time::SystemTime;

use super::write_out_value::{self as value, Facts};
use super::{utc, write_out_json as json, write_stdout};
use crate::error::Result;
use crate::http::Transfer;
use crate::http::credentials::escape;
use crate::signals::{Writer, while_at};

/// The names of all variables that hold a value, in alphabetical order.
pub fn variables() -> impl Iterator<Item = &'static str> {
    value::VARIABLES.iter().map(|(name, _)| *name)
}

/// A part of a URL by curl's name for it (`host`, `port`, `query`, …); `true` asks for the last URL requested
/// (`urle.*`), `false` for the one given (`url.*`).
pub type UrlPart<'a> = dyn Fn(bool, &str) -> Option<String> + 'a;

/// Writes what the format says about a transfer that has ended; `now` is for `%time{}`.
///
/// Every destination gets its text in one piece. As in curl, a file that cannot be opened leaves the destination
/// as it was, and a full stderr or file changes nothing; an error on stdout is returned.
pub fn write(
    format: &str,
    transfer: &Transfer,
    url_part: &UrlPart,
    now: SystemTime,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> Result<()> {
    let facts = Facts { transfer, url_part };
    let mut sink = Sink { out, err, to: Destination::Stdout, text: String::new() };
    for piece in parse(format) {
        match piece {
            Piece::Text(text) => sink.text.push_str(text),
            Piece::Variable("onerror") if transfer.outcome.is_ok() => break,
            Piece::Variable("onerror") => {}
            Piece::Variable("stdout") => sink.switch(Destination::Stdout)?,
            Piece::Variable("stderr") => sink.switch(Destination::Stderr)?,
            Piece::Variable("json") => json::write(&facts, &mut sink.text),
            Piece::Variable("header_json") => json::write_fields(&transfer.fields, &mut sink.text),
            Piece::Variable(name) => match value::of(name, &facts) {
                Some(value) => value.write_plain(&mut sink.text),
                None => sink.complain(name)?,
            },
            Piece::Field(instruction) => write_field(instruction, transfer, &mut sink.text),
            Piece::Time(format) => sink.text.push_str(&utc::format(now, format)),
            Piece::Output(path) => {
                if let Some(file) = open(path)? {
                    sink.switch(Destination::File(file))?;
                }
            }
        }
    }
    sink.flush()
}

/// A format, taken apart once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Piece<'a> {
    /// Goes out as it is.
    Text(&'a str),
    /// `%{name}`
    Variable(&'a str),
    /// `%header{name}`, `%header{name:all:separator}`
    Field(&'a str),
    /// `%time{format}`
    Time(&'a str),
    /// `%output{path}`, `%output{>>path}`
    Output(&'a str),
}

fn parse(format: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = format;
    while let Some(at) = rest.find(['%', '\\']) {
        if at > 0 {
            pieces.push(Piece::Text(&rest[..at]));
        }
        let (piece, length) = instruction(&rest[at..]);
        pieces.push(piece);
        rest = &rest[at + length..];
    }
    if !rest.is_empty() {
        pieces.push(Piece::Text(rest));
    }
    pieces
}

/// What the text begins with, a `%` or a backslash, and how many bytes of the text that is.
fn instruction(text: &str) -> (Piece<'_>, usize) {
    for start in ["%{", "%header{", "%time{", "%output{"] {
        let Some(inner) = text.strip_prefix(start) else {
            continue;
        };
        let end = if start == "%header{" { end_of_field(inner) } else { inner.find('}') };
        let Some(end) = end else {
            return (Piece::Text(start), start.len());
        };
        let argument = &inner[..end];
        let piece = match start {
            "%{" => Piece::Variable(argument),
            "%header{" => Piece::Field(argument),
            "%time{" => Piece::Time(argument),
            _ => Piece::Output(argument),
        };
        return (piece, start.len() + end + 1);
    }
    let plain = match text.as_bytes() {
        [b'%', b'%', ..] => "%",
        [b'\\', b'n', ..] => "\n",
        [b'\\', b'r', ..] => "\r",
        [b'\\', b't', ..] => "\t",
        // Anything else stands for itself, the second character too, even when it is a % or a backslash.
        _ => {
            let length = text.chars().take(2).map(char::len_utf8).sum();
            return (Piece::Text(&text[..length]), length);
        }
    };
    (Piece::Text(plain), 2)
}

/// The closing brace, passing over those behind a backslash: they belong to the separator.
fn end_of_field(text: &str) -> Option<usize> {
    text.match_indices('}').map(|(at, _)| at).find(|&at| !text[..at].ends_with('\\'))
}

fn write_field(instruction: &str, transfer: &Transfer, text: &mut String) {
    let all = instruction.split_once(':').and_then(|(name, how)| Some((name, how.strip_prefix("all:")?)));
    let Some((name, separator)) = all else {
        text.push_str(transfer.field(instruction).unwrap_or_default());
        return;
    };
    let fields = transfer.earlier_fields.iter().chain(&transfer.fields);
    for (number, field) in fields.filter(|field| field.name.eq_ignore_ascii_case(name)).enumerate() {
        if number > 0 {
            write_separator(separator, text);
        }
        text.push_str(&field.value);
    }
}

fn write_separator(separator: &str, text: &mut String) {
    let mut characters = separator.chars();
    while let Some(character) = characters.next() {
        let escaped = if character == '\\' { characters.next() } else { None };
        match escaped {
            None => text.push(character),
            Some('n') => text.push('\n'),
            Some('r') => text.push('\r'),
            Some('t') => text.push('\t'),
            Some('}') => text.push('}'),
            Some(other) => text.extend(['\\', other]),
        }
    }
}

/// `None` when it cannot be opened; an error is a signal's.
fn open(path: &str) -> Result<Option<File>> {
    let (path, more) = path.strip_prefix(">>").map_or((path, false), |path| (path, true));
    let mut options = OpenOptions::new();
    options.create(true).write(true).append(more).truncate(!more);
    while_at(Path::new(path), || options.open(path).ok())
}

enum Destination {
    Stdout,
    Stderr,
    File(File),
}

/// Text that waits for its destination, so that each gets as few writes as there are changes.
struct Sink<'a> {
    out: &'a mut dyn Write,
    err: &'a mut dyn Write,
    to: Destination,
    text: String,
}

impl Sink<'_> {
    fn flush(&mut self) -> Result<()> {
        let text = std::mem::take(&mut self.text);
        if text.is_empty() {
            return Ok(());
        }
        match &mut self.to {
            Destination::Stdout => return write_stdout(self.out, text.as_bytes()),
            Destination::Stderr => self.err.write_all(text.as_bytes()).ok(),
            Destination::File(file) => Writer(file).write_all(text.as_bytes()).ok(),
        };
        Ok(())
    }

    fn switch(&mut self, to: Destination) -> Result<()> {
        self.flush()?;
        self.to = to;
        Ok(())
    }

    fn complain(&mut self, name: &str) -> Result<()> {
        self.flush()?;
        let name = escape(name.as_bytes());
        self.err.write_all(format!("gzpost: unknown --write-out variable: '{name}'\n").as_bytes()).ok();
        Ok(())
    }
}

#[cfg(test)]
#[path = "write_out_tests.rs"]
mod tests;
