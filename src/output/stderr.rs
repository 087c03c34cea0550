//! The one way to stderr: shared by everything that tells something, redirected by `--stderr`.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::sync::{Arc, Mutex, PoisonError};

use crate::cli::Target;
use crate::error::{Error, Kind, Result, describe};
use crate::signals::{Writer, while_at};

/// A handle; all clones write to the same place.
#[derive(Clone)]
pub struct Stderr(Arc<Mutex<Box<dyn Write + Send>>>);

impl Stderr {
    /// Writes to `writer`.
    #[must_use]
    pub fn new(writer: Box<dyn Write + Send>) -> Stderr {
        Stderr(Arc::new(Mutex::new(writer)))
    }

    /// `--stderr`: from now on, everything goes there.
    pub fn redirect(&self, target: &Target) -> Result<()> {
        let writer: Box<dyn Write + Send> = match target {
            Target::Stderr => return Ok(()),
            Target::Stdout => {
                let stdout = io::stdout().as_fd().try_clone_to_owned();
                Box::new(Writer(
                    stdout.map_err(|error| Error::new(Kind::Write, format!("stdout: {}", describe(&error))))?,
                ))
            }
            Target::File(path) => {
                let file = while_at(path, || File::create(path))?;
                Box::new(Writer(
                    file.map_err(|error| Error::new(Kind::Write, format!("{}: {}", path.display(), describe(&error))))?,
                ))
            }
        };
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = writer;
        Ok(())
    }

    /// Writes a text in one piece. There is nobody to tell when that fails.
    pub fn say(&self, text: &str) {
        if !text.is_empty() {
            let _ = self.0.lock().unwrap_or_else(PoisonError::into_inner).write_all(text.as_bytes());
        }
    }
}

impl Write for Stderr {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).flush()
    }
}
