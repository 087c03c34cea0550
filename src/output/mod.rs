//! What is said about a transfer, and where its answer goes; writers are passed in.

pub mod answer;
pub mod chart;
pub mod csv;
pub mod export;
mod follow;
pub mod host;
pub mod live;
mod new;
pub mod record;
mod stderr;
pub mod svg;
pub mod table;
pub mod timing;
pub mod units;
pub mod utc;
pub mod verbose;
pub mod write_out;
mod write_out_json;
mod write_out_value;

use std::io::{self, ErrorKind, Write};
use std::path::Path;

pub use answer::Answer;
pub use follow::Follow;
pub use live::Live;
pub use stderr::Stderr;
pub use write_out_value::Value;

use crate::error::{Error, Kind, Result, describe};

/// A terminal that stdout or stderr goes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Terminal {
    /// In columns.
    pub width: usize,
    /// `NO_COLOR` or `TERM=dumb`: ASCII only and no escape sequences.
    pub plain: bool,
}

impl Default for Terminal {
    /// What a terminal is taken for when it does not say.
    fn default() -> Terminal {
        Terminal { width: 80, plain: false }
    }
}

/// Writes to stdout at once. A reader that went away is an error without words: there is nobody to tell.
pub fn write_stdout(stdout: &mut dyn Write, bytes: &[u8]) -> Result<()> {
    stdout.write_all(bytes).and_then(|()| stdout.flush()).map_err(|error| match error.kind() {
        ErrorKind::BrokenPipe => Error::new(Kind::Write, ""),
        _ => failed("stdout", &error),
    })
}

/// What could not be written, and why.
fn unwritable(path: &Path, error: &io::Error) -> Error {
    failed(&path.display().to_string(), error)
}

/// As above; an `Error` of ours inside the writer's I/O error comes back as it is.
fn failed(what: &str, error: &io::Error) -> Error {
    let ours = error.get_ref().and_then(|inner| inner.downcast_ref::<Error>());
    ours.cloned()
        .unwrap_or_else(|| Error::new(Kind::Write, format!("{what}: could not be written: {}", describe(error))))
}
