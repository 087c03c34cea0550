//! The commands: each a short story told with the rest.

use std::io::{Read, Write};
use std::sync::Arc;

use crate::http::Transfer;
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
    /// Then an answer and the live line would share it.
    pub stdout_is_terminal: bool,
    /// A file or nothing: what goes there is not seen on a terminal, as it may be behind a pipe.
    pub stdout_is_file: bool,
    /// SIGINT and SIGTERM.
    pub signals: Option<Arc<Signals>>,
}

/// Takes over what a stream said about its tokens.
fn note_tokens(transfer: &mut Transfer, scanner: &Scanner) {
    transfer.timings.first_event = scanner.first_event();
    transfer.timings.first_token = scanner.first_token();
    transfer.timings.last_token = scanner.last_token();
    transfer.tokens = scanner.tokens();
}
