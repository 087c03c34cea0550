//! gzpost: post big JSON to a slow gateway.
//!
//! `argv → cli → Command → body → Content → http (Request → Response + Timings) → stream → output → ExitCode`

pub mod body;
mod calendar;
pub mod cli;
pub mod commands;
pub mod error;
pub mod http;
pub mod output;
mod random;
pub mod relay;
pub mod signals;
pub mod stats;
pub mod stream;

use std::ffi::OsString;

use cli::{Command, Output};
use commands::Context;

/// Does what a command line (without the program's name) asks for; returns the exit code.
pub fn run(argv: &[OsString], context: &mut Context<'_>) -> u8 {
    let command = match cli::parse(argv, &environment, context.stdin) {
        Ok(command) => command,
        Err(error) => return commands::complain(&error, &Output::default(), &context.stderr),
    };
    if cli::wants_plain_terminal(&environment) {
        let terminals = [&mut context.stdout_terminal, &mut context.stderr_terminal];
        terminals.into_iter().flatten().for_each(|terminal| terminal.plain = true);
    }
    match command {
        Command::Send(send) => commands::send::run(*send, context),
        Command::Bench(bench) => commands::bench::run(*bench, context),
        Command::Replay(replay) => commands::replay::run(*replay, context),
        Command::Check(check) => commands::check::run(&check, context),
        Command::Demo(demo) => commands::demo::run(&demo, context),
        Command::Help(text) => print(&text, context),
        Command::Version => print(&cli::version(), context),
    }
}

/// The environment, for `cli` alone.
#[allow(clippy::disallowed_methods, reason = "handed to cli, which is the one to read the environment")]
fn environment(name: &str) -> Option<OsString> {
    std::env::var_os(name)
}

fn print(text: &str, context: &mut Context<'_>) -> u8 {
    let written = output::write_stdout(context.stdout, text.as_bytes());
    written.map_or_else(|error| commands::complain(&error, &Output::default(), &context.stderr), |()| 0)
}
