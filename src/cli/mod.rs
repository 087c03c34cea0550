//! argv, environment and config files into a `Command`: every check of an option is here.

mod alias;
mod args;
mod argv;
mod bench;
mod check;
mod command;
mod completions;
mod config_file;
mod credentials;
mod curl_options;
mod demo;
mod fields;
mod glob;
mod help;
mod netrc;
mod network;
pub mod options;
mod output;
mod parts;
mod replay;
mod reproduce;
mod send;
mod target;
mod tls;
mod values;

#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::io::Read;

use argv::Stop;
use options::COMMANDS;

pub use alias::Alias;
pub use command::{
    Api, Bench, BenchBody, Check, Command, Demo, Exports, Fail, Format, Metric, Output, Replay, Send, Target,
};
pub use help::version;

use crate::error::Result;

/// What a command line draws on besides itself.
struct Outside<'a> {
    /// The environment.
    env: &'a dyn Fn(&str) -> Option<OsString>,
    /// For `-K -`, `-H @-` and `-w @-`.
    stdin: &'a mut dyn Read,
    /// Asks for a password.
    ask: &'a mut dyn FnMut(&str) -> std::io::Result<String>,
}

impl Outside<'_> {
    /// A variable of the environment; an empty one counts as unset, as in curl.
    fn variable(&self, name: &str) -> Option<OsString> {
        (self.env)(name).filter(|value| !value.is_empty())
    }
}

/// Whether a terminal gets ASCII without escape sequences: `NO_COLOR` (no-color.org) or `TERM=dumb`.
pub fn wants_plain_terminal(env: &dyn Fn(&str) -> Option<OsString>) -> bool {
    env("NO_COLOR").is_some_and(|value| !value.is_empty()) || env("TERM").is_some_and(|value| value == "dumb")
}

/// The command of these arguments, without the program's name. Unlike curl, no config file is read unasked.
pub fn parse(arguments: &[OsString], env: &dyn Fn(&str) -> Option<OsString>, stdin: &mut dyn Read) -> Result<Command> {
    parse_with(arguments, &mut Outside { env, stdin, ask: &mut credentials::ask_on_terminal })
}

fn parse_with(arguments: &[OsString], outside: &mut Outside) -> Result<Command> {
    // No host is called help; whoever types it looks for this.
    if arguments.first().is_some_and(|first| first == "help") && arguments.len() <= 2 {
        return help::help(arguments.get(1).and_then(|topic| topic.to_str())).map(Command::Help);
    }
    let first = arguments.first().and_then(|first| COMMANDS.into_iter().find(|word| first == word));
    let (word, rest) = (first, &arguments[usize::from(first.is_some())..]);
    let mut line = argv::read(rest, word, outside.stdin)?;
    match (line.stop.take(), word) {
        (Some(Stop::Version), _) => Ok(Command::Version),
        (Some(Stop::Completions(shell)), _) => completions::completions(&shell).map(Command::Help),
        (Some(Stop::Help(topic)), word) => help::help(topic.as_deref().or(word)).map(Command::Help),
        (None, Some("bench")) => bench::bench(line, outside).map(|bench| Command::Bench(Box::new(bench))),
        (None, Some("replay")) => replay::replay(line, outside).map(|replay| Command::Replay(Box::new(replay))),
        (None, Some("check")) => check::check(line, outside).map(|check| Command::Check(Box::new(check))),
        (None, Some(_)) => demo::demo(&line).map(Command::Demo),
        (None, None) => send::send(line, outside).map(|send| Command::Send(Box::new(send))),
    }
}
