//! Reading a body: files, stdin and the command line, joined as curl joins them.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::error::{Error, Kind, Result, describe};

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
    File(PathBuf),
    /// `-` or `@-`
    Stdin,
}

/// A body as read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Body {
    /// Its bytes, held once.
    pub bytes: Vec<u8>,
    /// What messages call it: the path as given, `stdin`, the option, or `body` for several joined.
    pub name: String,
    /// What the way it was given says about its type.
    pub declared: Declared,
}

/// What the options that a body came with say about its type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Declared {
    /// BODY and `--json`: it is JSON, or not sent.
    Json,
    /// `-d` and its kin: JSON when it is, else a form, as in curl.
    Data,
    /// `-T`: nothing.
    Nothing,
}

/// Reads all parts and joins them with `&`, `--json` with nothing (`curl(1)`, `--data`, `--json`).
///
/// Stdin is read only when a part asks for it. A part that cannot be read is `Kind::Read`.
pub fn read(parts: &[Part], stdin: &mut dyn Read) -> Result<Body> {
    let mut bytes = Vec::new();
    for part in parts {
        let piece = part.read(stdin)?;
        if bytes.is_empty() {
            bytes = piece;
            continue;
        }
        if part.kind != PartKind::Json {
            bytes.push(b'&');
        }
        bytes.extend_from_slice(&piece);
    }
    let name = if let [part] = parts { part.name() } else { "body".to_owned() };
    Ok(Body { bytes, name, declared: declared(parts) })
}

fn declared(parts: &[Part]) -> Declared {
    if parts.iter().any(|part| matches!(part.kind, PartKind::Body | PartKind::Json)) {
        Declared::Json
    } else if parts.iter().any(|part| part.kind == PartKind::Upload) {
        Declared::Nothing
    } else {
        Declared::Data
    }
}

impl Source {
    /// The file, if it is one.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        match self {
            Source::File(path) => Some(path),
            Source::Text(_) | Source::Stdin => None,
        }
    }
}

impl Part {
    fn read(&self, stdin: &mut dyn Read) -> Result<Vec<u8>> {
        let mut bytes = match &self.source {
            Source::Text(text) => text.clone(),
            Source::File(path) => std::fs::read(path).map_err(|error| self.unreadable(&error))?,
            Source::Stdin => {
                let mut bytes = Vec::new();
                stdin.read_to_end(&mut bytes).map_err(|error| self.unreadable(&error))?;
                bytes
            }
        };
        match &self.kind {
            PartKind::Data if !matches!(self.source, Source::Text(_)) => {
                bytes.retain(|byte| !matches!(byte, b'\r' | b'\n' | 0));
            }
            PartKind::Urlencode(name) => return Ok(urlencode(name.as_deref(), &bytes)),
            _ => {}
        }
        Ok(bytes)
    }

    fn name(&self) -> String {
        match (&self.source, &self.kind) {
            (Source::File(path), _) => path.display().to_string(),
            (Source::Stdin, _) => "stdin".to_owned(),
            (Source::Text(_), PartKind::Body) => "BODY".to_owned(),
            (Source::Text(_), PartKind::Data) => "-d".to_owned(),
            (Source::Text(_), PartKind::Binary) => "--data-binary".to_owned(),
            (Source::Text(_), PartKind::Raw) => "--data-raw".to_owned(),
            (Source::Text(_), PartKind::Json) => "--json".to_owned(),
            (Source::Text(_), PartKind::Urlencode(_)) => "--data-urlencode".to_owned(),
            (Source::Text(_), PartKind::Upload) => "-T".to_owned(),
        }
    }

    fn unreadable(&self, error: &io::Error) -> Error {
        let reason = match (error.kind(), &self.source) {
            (io::ErrorKind::NotFound, Source::File(path)) => format!("no such file{}", hint(&self.kind, path)),
            (io::ErrorKind::IsADirectory, _) => "is a directory, not a file".to_owned(),
            _ => describe(error),
        };
        Error::new(Kind::Read, format!("{}: {reason}", self.name()))
    }
}

/// The way out for a BODY that was meant otherwise.
fn hint(kind: &PartKind, path: &Path) -> &'static str {
    match (kind, path.as_os_str().as_encoded_bytes().first()) {
        (PartKind::Body, Some(b'{' | b'[')) => " (--json sends the argument itself)",
        (PartKind::Body, Some(b'@')) => " (BODY is a path without @)",
        _ => "",
    }
}

/// Everything but letters, digits and `-._~` as `%XX`, a space as `+` (`curl(1)`, `--data-urlencode`).
fn urlencode(name: Option<&str>, bytes: &[u8]) -> Vec<u8> {
    let mut encoded = Vec::with_capacity(bytes.len());
    if let Some(name) = name.filter(|name| !name.is_empty()) {
        encoded.extend_from_slice(name.as_bytes());
        encoded.push(b'=');
    }
    for &byte in bytes {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => encoded.push(byte),
            b' ' => encoded.push(b'+'),
            _ => encoded.extend_from_slice(format!("%{byte:02X}").as_bytes()),
        }
    }
    encoded
}

#[cfg(test)]
#[path = "source_tests.rs"]
mod tests;
