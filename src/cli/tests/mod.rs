//! Command lines and what they come to.

mod bench;
mod bodies;
mod check;
mod config;
mod errors;
mod replay;
mod requests;
mod settings;

use std::ffi::OsString;
use std::path::PathBuf;

use super::{Command, Outside, Send, parse_with};
use crate::error::{Error, Result};

/// Everything around a command line that a test decides about.
#[derive(Default)]
struct Setting<'a> {
    env: &'a [(&'a str, &'a str)],
    stdin: &'a str,
    password: Option<&'a str>,
}

impl Setting<'_> {
    fn parse_os(&self, words: &[OsString]) -> Result<Command> {
        let find = |name: &str| self.env.iter().find(|(own, _)| *own == name).map(|(_, value)| OsString::from(value));
        let no_terminal = || std::io::Error::other("no terminal");
        parse_with(
            words,
            &mut Outside {
                env: &find,
                stdin: &mut self.stdin.as_bytes(),
                ask: &mut |_| self.password.map(str::to_owned).ok_or_else(no_terminal),
            },
        )
    }

    fn parse(&self, words: &[&str]) -> Result<Command> {
        self.parse_os(&words.iter().map(OsString::from).collect::<Vec<_>>())
    }

    fn send(&self, words: &[&str]) -> Result<Send> {
        self.parse(words).map(|command| match command {
            Command::Send(send) => *send,
            other => panic!("{words:?} is no request but {other:?}"),
        })
    }
}

/// Parses what is written as in a shell, with quotes and without any substitution.
fn send(line: &str) -> Send {
    send_in(&Setting::default(), line)
}

fn send_in(setting: &Setting, line: &str) -> Send {
    let words = words(line);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    setting.send(&words).unwrap_or_else(|error| panic!("{line}: {error}"))
}

fn error(line: &str) -> Error {
    error_in(&Setting::default(), line)
}

fn error_in(setting: &Setting, line: &str) -> Error {
    let words = words(line);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match setting.parse(&words) {
        Err(error) => error,
        Ok(command) => panic!("{line}: no error but {command:?}"),
    }
}

/// Words between blanks, single and double quotes.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for letter in line.chars() {
        match (letter, quote) {
            (letter, Some(open)) if letter == open => quote = None,
            ('\'' | '"', None) => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (' ', None) => words.extend(word.take()),
            (letter, _) => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    words
}

/// A file of its own in the folder for temporary files, removed at the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str, text: impl AsRef<[u8]>) -> Scratch {
        let path = std::env::temp_dir().join(format!("gzpost-cli-{}-{name}", std::process::id()));
        std::fs::write(&path, text).unwrap();
        Scratch(path)
    }

    fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

#[test]
fn the_words_of_the_tests() {
    assert_eq!(words("a 'b c' \"d'e\" f'g'  ''"), ["a", "b c", "d'e", "fg", ""]);
}
