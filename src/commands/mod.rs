//! The commands: each a short story told with the rest.

use std::io::{Read, Write};
use std::sync::Arc;

use crate::cli::Output;
use crate::error::{Error, Result};
use crate::http::Transfer;
use crate::http::credentials::escape;
use crate::output::{Stderr, Terminal};
use crate::signals::Signals;
use crate::stream::Scanner;

pub mod bench;
pub mod check;
pub mod demo;
mod receive;
pub mod replay;
pub mod send;

/// What a command has around it.
pub struct Context<'a> {
    /// Read only when the command line asks for it.
    pub stdin: &'a mut dyn Read,
    /// Keeps nothing back.
    pub stdout: &'a mut dyn Write,
    /// For everything that is not an answer.
    pub stderr: Stderr,
    /// What stderr is, when it is a terminal.
    pub stderr_terminal: Option<Terminal>,
    /// What stdout is, when it is a terminal: the same one, most likely.
    pub stdout_terminal: Option<Terminal>,
    /// A file or nothing: what goes there is not seen on a terminal, as it may be behind a pipe.
    pub stdout_is_file: bool,
    /// SIGINT and SIGTERM.
    pub signals: Option<Arc<Signals>>,
}

impl Context<'_> {
    /// The error to end with, when a signal arrived.
    fn check_signals(&self) -> Result<()> {
        self.signals.as_ref().and_then(|signals| signals.arrived()).map_or(Ok(()), Err)
    }
}

/// `--stderr`, then the warnings about the command line.
fn begin(output: &Output, warnings: &[String], stderr: &Stderr) -> Result<()> {
    if let Some(target) = &output.stderr {
        stderr.redirect(target)?;
    }
    for warning in warnings {
        warn(&escape(warning.as_bytes()), stderr);
    }
    Ok(())
}

/// Says what looks like a mistake, in one line.
fn warn(text: &str, stderr: &Stderr) {
    stderr.say(&format!("gzpost: warning: {text}\n"));
}

/// Says why it did not work, unless `-s` is on without `-S`; returns the exit code.
pub(crate) fn complain(error: &Error, output: &Output, stderr: &Stderr) -> u8 {
    if !error.message.is_empty() && (!output.silent || output.show_error) {
        stderr.say(&format!("gzpost: {error}\n"));
    }
    error.kind.code()
}

/// Tells how a run failed and then what could not be written of it; returns the exit code of the first of these.
fn complain_of_all(
    outcome: Result<u8>,
    unwritten: impl IntoIterator<Item = Error>,
    output: &Output,
    stderr: &Stderr,
) -> u8 {
    let complain = |error: &Error| complain(error, output, stderr);
    let own = outcome.unwrap_or_else(|error| complain(&error));
    unwritten.into_iter().fold(own, |code, error| {
        let next = complain(&error);
        if code == 0 { next } else { code }
    })
}

/// Takes over what a stream said about its tokens.
fn note_tokens(transfer: &mut Transfer, scanner: &Scanner) {
    transfer.timings.first_event = scanner.first_event();
    transfer.timings.first_token = scanner.first_token();
    transfer.timings.last_token = scanner.last_token();
    transfer.tokens = scanner.tokens();
}
