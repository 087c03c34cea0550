//! Left to right through the arguments, as curl does it: which options were given, with which values.

use std::ffi::{OsStr, OsString};
use std::io::Read;
use std::os::unix::ffi::OsStrExt;

use super::args::usage;
use super::config_file;
use super::curl_options::unknown;
use super::options::{self, Kind, Opt};
use crate::error::{Error, Kind as ErrorKind, Result, describe};

/// `-K` inside a `-K` file inside …: as deep as curl goes.
const CONFIG_DEPTH: usize = 5;

/// A command line with every form of an option brought into one.
#[derive(Debug, Default)]
pub struct CommandLine {
    /// In order. Of what counts once only the last one is here; a switch that is here is on.
    pub given: Vec<Given>,
    /// What is no option.
    pub arguments: Vec<OsString>,
    /// What looks like a mistake; nothing after `-s`.
    pub warnings: Vec<String>,
    /// `--help`, `--version` or `--completions`: nothing behind it was read.
    pub stop: Option<Stop>,
    /// The word of the command; `None`: a single request.
    pub command: Option<&'static str>,
}

/// An option that was given.
#[derive(Debug, PartialEq, Eq)]
pub struct Given {
    /// Which.
    pub option: &'static Opt,
    /// `None` for a switch.
    pub value: Option<OsString>,
}

/// What ends the command line early.
#[derive(Debug, PartialEq, Eq)]
pub enum Stop {
    /// `--help [TOPIC]`
    Help(Option<String>),
    /// `--version`
    Version,
    /// `--completions SHELL`
    Completions(String),
}

/// Reads the arguments, without the program's name, and the config files that they name.
pub fn read(arguments: &[OsString], command: Option<&'static str>, stdin: &mut dyn Read) -> Result<CommandLine> {
    let mut line = CommandLine { command, ..CommandLine::default() };
    let mut rest = arguments.iter();
    let mut options_end = false;
    while let Some(argument) = rest.next() {
        let next = rest.as_slice().first().map(OsString::as_os_str);
        match argument.as_bytes() {
            b"--" if !options_end => options_end = true,
            bytes if !options_end && bytes.len() > 1 && bytes[0] == b'-' => {
                let mut source = Source { stdin: &mut *stdin, depth: 0 };
                if line.option(bytes, next, &mut source)? {
                    rest.next();
                }
            }
            _ => line.arguments.push(argument.clone()),
        }
        if line.stop.is_some() {
            break;
        }
    }
    Ok(line)
}

/// Where config files come from.
struct Source<'a> {
    stdin: &'a mut dyn Read,
    depth: usize,
}

impl CommandLine {
    /// Whether a switch is on.
    #[must_use]
    pub fn is_on(&self, long: &str) -> bool {
        self.given.iter().any(|given| given.option.long == long && given.value.is_none())
    }

    /// Notes what looks like a mistake, unless `-s` was given by now.
    pub fn warn(&mut self, text: String) {
        if !self.is_on("silent") {
            self.warnings.push(text);
        }
    }

    /// All warnings, these behind its own.
    #[must_use]
    pub fn warned(mut self, more: Vec<String>) -> Vec<String> {
        for text in more {
            self.warn(text);
        }
        self.warnings
    }

    /// One argument that begins with a dash, or one name of a config file; says whether `next` was its value.
    fn option(&mut self, flag: &[u8], next: Option<&OsStr>, source: &mut Source) -> Result<bool> {
        match flag.strip_prefix(b"--") {
            Some(name) => self.long(name, next, source),
            None => self.short(&flag[1..], next, source),
        }
    }

    fn long(&mut self, text: &[u8], next: Option<&OsStr>, source: &mut Source) -> Result<bool> {
        let (name, attached) = match text.iter().position(|byte| *byte == b'=') {
            Some(equals) => (&text[..equals], Some(OsStr::from_bytes(&text[equals + 1..]))),
            None => (text, None),
        };
        let name = String::from_utf8_lossy(name);
        let Some((option, on)) = options::by_name(&name, options::of_command(self.command)) else {
            return Err(usage(unknown(&format!("--{name}"), self.command)));
        };
        match (option.kind, attached) {
            (Kind::Switch, Some(_)) => Err(usage(format!("--{name} takes no value"))),
            (Kind::Switch, None) => {
                self.switch(option, on);
                Ok(false)
            }
            (_, Some(value)) => self.value(option, value, source).map(|()| false),
            (_, None) => self.separate(&format!("--{name}"), option, next, source),
        }
    }

    fn short(&mut self, letters: &[u8], next: Option<&OsStr>, source: &mut Source) -> Result<bool> {
        for (index, letter) in letters.iter().enumerate() {
            let Some(option) = options::by_letter(char::from(*letter), options::of_command(self.command)) else {
                let letter = String::from_utf8_lossy(&letters[index..]).chars().next().unwrap_or_default();
                return Err(usage(unknown(&format!("-{letter}"), self.command)));
            };
            match (option.kind, &letters[index + 1..]) {
                (Kind::Switch, _) => self.switch(option, true),
                (_, []) => return self.separate(&format!("-{}", char::from(*letter)), option, next, source),
                (_, value) => return self.value(option, OsStr::from_bytes(value), source).map(|()| false),
            }
        }
        Ok(false)
    }

    /// A value that is an argument of its own; it may begin with a dash.
    fn separate(
        &mut self,
        flag: &str,
        option: &'static Opt,
        next: Option<&OsStr>,
        source: &mut Source,
    ) -> Result<bool> {
        // `--help -d` asks about an option, `--serve -k` leaves the value out.
        let may_be_left_out = option.kind == Kind::Optional && option.long != "help";
        match next.filter(|value| !may_be_left_out || !value.as_bytes().starts_with(b"-")) {
            Some(value) => self.value(option, value, source).map(|()| true),
            None if option.kind == Kind::Optional => self.value(option, OsStr::new(""), source).map(|()| false),
            None => {
                let placeholder = option.arg.unwrap_or_default();
                Err(usage(format!("{flag} needs a value: {flag} {placeholder}")))
            }
        }
    }

    fn switch(&mut self, option: &'static Opt, on: bool) {
        let group = options::EXCLUSIVE.iter().find(|group| group.contains(&option.long));
        let replaces = |given: &Given| {
            given.option == option || on && group.is_some_and(|group| group.contains(&given.option.long))
        };
        self.given.retain(|given| !replaces(given));
        if on && option.long == "version" {
            self.stop = Some(Stop::Version);
        } else if on {
            self.given.push(Given { option, value: None });
        }
    }

    fn value(&mut self, option: &'static Opt, value: &OsStr, source: &mut Source) -> Result<()> {
        let bytes = value.as_bytes();
        // U+2000 to U+203F: the quotes and dashes that word processors put in place of ASCII's.
        if matches!(bytes, [0xe2, 0x80, ..]) {
            let first = value.to_string_lossy().chars().next().unwrap_or_default();
            self.warn(format!(
                "--{}: the value begins with {first}, a typographic character; was ASCII meant?",
                option.long
            ));
        }
        if matches!(option.arg, Some("FILE" | "DIR" | "PATH")) && bytes.len() > 1 && bytes[0] == b'-' {
            self.warn(format!("--{}: the file name '{}' looks like an option", option.long, value.to_string_lossy()));
        }
        match option.long {
            "config" => return self.config(value, source),
            "help" => {
                self.stop =
                    Some(Stop::Help(Some(value.to_string_lossy().into_owned()).filter(|topic| !topic.is_empty())));
            }
            "completions" => self.stop = Some(Stop::Completions(value.to_string_lossy().into_owned())),
            _ => {
                if option.kind != Kind::List {
                    self.given.retain(|given| given.option != option);
                }
                self.given.push(Given { option, value: Some(value.to_owned()) });
            }
        }
        Ok(())
    }

    fn config(&mut self, path: &OsStr, source: &mut Source) -> Result<()> {
        let shown = if path == "-" { "<stdin>".into() } else { path.to_string_lossy() };
        if source.depth >= CONFIG_DEPTH {
            return Err(usage(format!("{shown}: config files nest deeper than {CONFIG_DEPTH}")));
        }
        let mut text = Vec::new();
        let read = match path.as_bytes() {
            b"-" => source.stdin.read_to_end(&mut text).map(drop),
            _ => std::fs::read(path).map(|bytes| text = bytes),
        };
        read.map_err(|error| {
            Error::new(ErrorKind::Read, format!("{shown}: cannot read the config file: {}", describe(&error)))
        })?;
        source.depth += 1;
        for line in config_file::lines(&text) {
            let place = format!("{shown}:{}", line.number);
            let at_place = |error: Error| Error::new(error.kind, format!("{place}: {}", error.message));
            if let Some(warning) = line.warning {
                self.warn(format!("{place}: {}: {warning}", String::from_utf8_lossy(&line.name)));
            }
            let flag = if line.name.starts_with(b"-") { line.name } else { [b"--", &*line.name].concat() };
            let used = self.option(&flag, line.value.as_deref(), source).map_err(at_place)?;
            if !used && line.value.is_some_and(|value| !value.is_empty()) {
                return Err(usage(format!("{place}: {} takes no value", String::from_utf8_lossy(&flag))));
            }
        }
        source.depth -= 1;
        Ok(())
    }
}
