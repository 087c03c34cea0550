//! The options of a command line by name, and the check that a command used all of them.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

use super::argv::CommandLine;
use crate::error::{Error, Kind as ErrorKind, Result};

/// What serves in a command in the place of an option that it does not have.
const INSTEAD: [(&str, &str, &str); 9] = [
    ("bench", "--gzip", "every body is sent plain and as gzip"),
    ("bench", "--identity", "every body is sent plain and as gzip"),
    ("bench", "--output", "--export-json FILE keeps the results"),
    ("check", "--gzip", "bodies are sent plain and as gzip"),
    ("check", "--identity", "bodies are sent plain and as gzip"),
    ("check", "--json", "--format json is for programs"),
    ("replay", "--output", "--save DIR keeps the answers"),
    ("replay", "--text", "--save DIR keeps the answers"),
    ("replay", "--write-out", "--export-csv FILE keeps the figures"),
];

/// What is not read from here by a command is not an option of that command.
#[derive(Debug)]
pub struct Args(pico_args::Arguments);

/// The values are kept apart from the names, so that a value `--silent` is no switch and any bytes come through.
const VALUE_MARK: u8 = b'=';

impl Args {
    /// The options with an effect, but those whose order among each other matters (`in_order`).
    pub fn new(line: &CommandLine, in_order: &[&str]) -> Args {
        let mut words = Vec::new();
        for given in &line.given {
            if given.option.has_effect() && !in_order.contains(&given.option.long) {
                words.push(OsString::from(format!("--{}", given.option.long)));
                let marked = |value: &OsString| [&[VALUE_MARK], value.as_bytes()].concat();
                words.extend(given.value.as_ref().map(|value| OsString::from_vec(marked(value))));
            }
        }
        Args(pico_args::Arguments::from_vec(words))
    }

    /// Whether a switch is on.
    pub fn on(&mut self, key: &'static str) -> bool {
        self.0.contains(key)
    }

    /// A value of any bytes.
    pub fn os(&mut self, key: &'static str) -> Result<Option<OsString>> {
        let unmarked = |word: &OsStr| Ok::<_, String>(OsStr::from_bytes(&word.as_bytes()[1..]).to_owned());
        self.0.opt_value_from_os_str(key, unmarked).map_err(|error| usage(format!("{key}: {error}")))
    }

    /// A path; an empty one is refused.
    pub fn path(&mut self, key: &'static str) -> Result<Option<PathBuf>> {
        match self.os(key)? {
            Some(path) if path.is_empty() => Err(usage(format!("{key}: the file name is empty"))),
            path => Ok(path.map(PathBuf::from)),
        }
    }

    /// A text.
    pub fn text(&mut self, key: &'static str) -> Result<Option<String>> {
        self.os(key)?.map(|value| text(key, value)).transpose()
    }

    /// All texts of a list, in order.
    pub fn texts(&mut self, key: &'static str) -> Result<Vec<String>> {
        let mut texts = Vec::new();
        while let Some(value) = self.text(key)? {
            texts.push(value);
        }
        Ok(texts)
    }

    /// A text that means something.
    pub fn parsed<T>(&mut self, key: &'static str, parse: impl Fn(&str) -> Result<T, String>) -> Result<Option<T>> {
        let parse = |value: String| parse(&value).map_err(|error| usage(format!("{key}: {error}")));
        self.text(key)?.map(parse).transpose()
    }

    /// An option that `command` did not ask for is a mistake.
    pub fn finish(self, command: &str) -> Result<()> {
        match self.0.finish().first() {
            None => Ok(()),
            Some(left) => Err(not_of(&left.to_string_lossy(), command)),
        }
    }
}

/// A command does not have this option, dashes included.
pub fn not_of(option: &str, command: &str) -> Error {
    let instead = INSTEAD.iter().find(|(own, other, _)| command.ends_with(own) && option == *other);
    let instead = instead.map(|(_, _, instead)| format!("; {instead}")).unwrap_or_default();
    usage(format!("{option} is no option of {command}{instead}"))
}

/// A value that has to be UTF-8.
pub fn text(key: &str, value: OsString) -> Result<String> {
    value.into_string().map_err(|_| usage(format!("{key}: the value is not UTF-8")))
}

/// The command line does not make sense.
pub fn usage(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Usage, message)
}
