//! Captures: where they are, how they are read again and again, and which of them are refused.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use flate2::bufread::MultiGzDecoder;

use super::document::{Document, Documents};
use super::{Source, gzip, splice};
use crate::error::{Error, Kind, Result, describe};

/// What a directory is searched for.
const SUFFIXES: [&str; 4] = [".json", ".json.gz", ".jsonl", ".log"];

/// A file or stdin with JSON documents in it.
#[derive(Debug)]
pub struct Capture {
    /// As given; below a directory, the path.
    pub name: String,
    input: Input,
    gzip: bool,
}

#[derive(Debug)]
enum Input {
    /// Opened anew for each pass.
    File(PathBuf),
    /// What can be read only once, as it came.
    Kept(Vec<u8>),
}

/// What a capture holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Survey {
    /// Documents, 1 at least.
    pub documents: usize,
    /// Bytes of all documents, without what is between them.
    pub bytes: u64,
}

/// The captures of these sources, a directory's in name order. Stdin and pipes are read here, into memory.
///
/// What is missing, unreadable, empty or zstd is `Kind::Read`.
pub fn open(sources: &[Source], stdin: &mut dyn Read) -> Result<Vec<Capture>> {
    let mut captures = Vec::new();
    for source in sources {
        match source {
            Source::File(path) if path.is_dir() => {
                for path in files_of(path)? {
                    captures.push(Capture::file(path)?);
                }
            }
            Source::File(path) => captures.push(Capture::file(path.clone())?),
            Source::Stdin => captures.push(Capture::kept("stdin".to_owned(), stdin)?),
            Source::Text(text) => captures.push(Capture::kept("text".to_owned(), &mut text.as_slice())?),
        }
    }
    Ok(captures)
}

/// What a directory offers, in name order; nothing is an error.
fn files_of(directory: &Path) -> Result<Vec<PathBuf>> {
    let name = directory.display().to_string();
    let mut files = Vec::new();
    for entry in fs::read_dir(directory).map_err(|error| unreadable(&name, &error))? {
        let path = entry.map_err(|error| unreadable(&name, &error))?.path();
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        // As in a shell, a pattern does not match a hidden file.
        if !file.starts_with('.') && SUFFIXES.iter().any(|suffix| file.ends_with(suffix)) && !path.is_dir() {
            files.push(path);
        }
    }
    if files.is_empty() {
        let what = "no *.json, *.json.gz, *.jsonl or *.log in this directory; name the files or another directory";
        return Err(Error::new(Kind::Read, format!("{name}: {what}")));
    }
    files.sort();
    Ok(files)
}

impl Capture {
    fn file(path: PathBuf) -> Result<Capture> {
        let name = path.display().to_string();
        let mut file = File::open(&path).map_err(|error| unreadable(&name, &error))?;
        // What a shell's <(…) names gives its bytes once.
        if !file.metadata().is_ok_and(|metadata| metadata.is_file()) {
            return Capture::kept(name, &mut file);
        }
        let mut magic = Vec::new();
        file.take(4).read_to_end(&mut magic).map_err(|error| unreadable(&name, &error))?;
        Capture::of(name, &magic, Input::File(path))
    }

    fn kept(name: String, input: &mut dyn Read) -> Result<Capture> {
        let mut bytes = Vec::new();
        input.read_to_end(&mut bytes).map_err(|error| unreadable(&name, &error))?;
        let magic = bytes[..bytes.len().min(4)].to_vec();
        Capture::of(name, &magic, Input::Kept(bytes))
    }

    fn of(name: String, magic: &[u8], input: Input) -> Result<Capture> {
        if magic == [0x28, 0xb5, 0x2f, 0xfd] {
            let text = format!("{name}: is compressed with zstd; decompress it first: zstd -d");
            return Err(Error::new(Kind::Read, text));
        }
        Ok(Capture { name, input, gzip: gzip::is_gzip(magic) })
    }

    /// The file that is read in each pass, if it is one.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        match &self.input {
            Input::File(path) => Some(path),
            Input::Kept(_) => None,
        }
    }

    /// Its documents from the first one on, unchecked.
    pub fn documents(&self) -> Result<Documents<'_>> {
        let plain: Box<dyn BufRead + '_> = match &self.input {
            Input::File(path) => {
                let file = File::open(path).map_err(|error| unreadable(&self.name, &error))?;
                Box::new(BufReader::with_capacity(64 * 1024, file))
            }
            Input::Kept(bytes) => Box::new(bytes.as_slice()),
        };
        let input =
            if self.gzip { Box::new(BufReader::with_capacity(64 * 1024, MultiGzDecoder::new(plain))) } else { plain };
        Ok(Documents::new(&self.name, input))
    }

    /// Reads it to its end and checks every document; `each` sees those that are fit to be sent and may end it.
    ///
    /// An error names the capture, the document's number and where in the capture the fault is.
    pub fn check(&self, mut each: impl FnMut(&Document) -> Result<()>) -> Result<Survey> {
        let mut survey = Survey { documents: 0, bytes: 0 };
        for document in self.documents()? {
            let document = document?;
            document.check(&self.name)?;
            if let Some(reason) = refusal(&document.bytes) {
                let text = format!("{}: document {}: {reason}", self.name, document.number);
                return Err(Error::new(Kind::Read, text));
            }
            each(&document)?;
            survey = Survey { documents: document.number, bytes: survey.bytes + document.bytes.len() as u64 };
        }
        if survey.documents == 0 {
            return Err(Error::new(Kind::Read, format!("{}: is empty: there is no request body in it", self.name)));
        }
        Ok(survey)
    }

    /// What a document is called, in a capture of so many.
    #[must_use]
    pub fn label(&self, number: usize, documents: usize) -> String {
        if documents == 1 { self.name.clone() } else { format!("{}#{number}", self.name) }
    }
}

/// Why JSON that is none of a request body is not sent, and what to do instead.
fn refusal(json: &[u8]) -> Option<&'static str> {
    match json.first() {
        Some(b'{') => {}
        Some(b'[') => return Some("an array, not a body; `jq -c '.[]'` makes documents of its elements"),
        _ => return Some("JSON, but no object, so no request body; take it out of the capture"),
    }
    let members = splice::members(json);
    let value = |name: &str| members.iter().rev().find(|(key, _)| *key == name.as_bytes()).map(|(_, value)| *value);
    if value("type") == Some(br#""session""#) {
        return Some(
            "a pi session file holds no request bodies; capture them with an extension on before_provider_request",
        );
    }
    if value("contents").is_some_and(|contents| !contents.starts_with(b"[") || value("config").is_some()) {
        return Some(
            "parameters of Google's SDK (contents, config), not the body that the SDK sends; capture that with a proxy",
        );
    }
    if value("modelId").is_some() && value("messages").is_some() {
        return Some(
            "parameters of the AWS SDK (modelId, messages), not the body that the SDK sends; capture that with a proxy",
        );
    }
    if value("log").is_some_and(|log| splice::members(log).iter().any(|(key, _)| *key == b"entries")) {
        return Some("a HAR file; `jq -r '.log.entries[].request.postData.text // empty'` takes the bodies out of it");
    }
    None
}

fn unreadable(name: &str, error: &std::io::Error) -> Error {
    Error::new(Kind::Read, format!("{name}: {}", describe(error)))
}

#[cfg(test)]
#[path = "capture_tests.rs"]
mod tests;
