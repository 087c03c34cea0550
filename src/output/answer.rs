//! Where an answer goes as it streams in: stdout or `-o`, heads to `-i` and `-D`, each piece written out at once.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Seek, Write};
use std::path::{Path, PathBuf};

use super::{failed, unwritable, write_stdout};
use crate::cli::{Fail, Output, Target};
use crate::error::{Error, Kind, Result, describe};
use crate::signals::{Writer, while_at};

/// Numbered names that `--no-clobber` tries after the plain one, as curl does.
const NUMBERED_NAMES: u32 = 100;

/// The way out for one answer; over retries the same one.
pub struct Answer<'a> {
    output: &'a Output,
    /// Must not keep lines back: content goes on as it comes.
    stdout: &'a mut dyn Write,
    /// The `-D` file.
    heads: Option<Writer<File>>,
    /// The `-o` file, from its first byte on.
    file: Option<File>,
    /// Its name, when `--no-clobber` chose another.
    numbered: Option<PathBuf>,
    status: u16,
    /// Bytes of content written out in this attempt.
    written: u64,
    /// What stdout got last is no end of a line.
    open_line: bool,
}

impl<'a> Answer<'a> {
    /// Makes the directories of `--create-dirs`, or misses them, and opens the `-D` file, before anything is sent; the `-o` file is
    /// opened when there is something to write, so that a request that fails leaves an older file alone.
    pub fn new(output: &'a Output, stdout: &'a mut dyn Write) -> Result<Answer<'a>> {
        let heads = match &output.dump_header {
            Some(Target::File(path)) => Some(path),
            _ => None,
        };
        for path in output.file.iter().chain(heads) {
            match path.parent() {
                Some(directory) if output.create_dirs => create_directories(directory)?,
                Some(directory) if directory != "" && !directory.exists() => {
                    let message = format!("{}: no such directory (--create-dirs makes it)", directory.display());
                    return Err(Error::new(Kind::Write, message));
                }
                _ => {}
            }
        }
        let heads = heads.map(|path| create(path).map(Writer)).transpose()?;
        Ok(Answer { output, stdout, heads, file: None, numbered: None, status: 0, written: 0, open_line: false })
    }

    /// Takes a head as received, its empty line included; 1xx, CONNECT and redirects too.
    pub fn head(&mut self, raw: &[u8], status: u16, stderr: &mut dyn Write) -> Result<()> {
        self.status = status;
        match &self.output.dump_header {
            None => {}
            Some(Target::Stdout) => write_stdout(self.stdout, raw)?,
            Some(Target::Stderr) => stderr.write_all(raw).map_err(|error| failed("stderr", &error))?,
            Some(Target::File(path)) => {
                let written = self.heads.as_mut().map_or(Ok(()), |file| file.write_all(raw));
                written.map_err(|error| unwritable(path, &error))?;
            }
        }
        if self.output.include { self.write(raw) } else { Ok(()) }
    }

    /// Takes content in the order that it arrives in; under `-f` that of an error is dropped.
    pub fn content(&mut self, bytes: &[u8]) -> Result<()> {
        if bytes.is_empty() || (self.output.fail == Fail::WithoutBody && self.status >= 400) {
            return Ok(());
        }
        self.write(bytes)?;
        self.written += bytes.len() as u64;
        Ok(())
    }

    /// Before another attempt: what the last one wrote to a regular file is thrown away, unless it was heads only.
    /// What went to stdout, to a pipe or to the `-D` file stays. All as in curl.
    pub fn restart(&mut self) -> Result<()> {
        (self.status, self.open_line) = (0, false);
        let written = std::mem::take(&mut self.written);
        let Some(file) = self.file.as_mut().filter(|_| written > 0) else {
            return Ok(());
        };
        let is_regular = file.metadata().is_ok_and(|metadata| metadata.is_file());
        let emptied = if is_regular { file.set_len(0).and_then(|()| file.rewind()) } else { Ok(()) };
        emptied.map_err(|error| unwritable(self.filename().unwrap_or(Path::new("")), &error))
    }

    /// The end, after the last attempt. An empty answer leaves an empty file, unless it is a 304 (there is nothing
    /// new); after a failure no file is made, and `--remove-on-error` removes a regular one.
    pub fn finish(&mut self, failed: bool) -> Result<()> {
        if !failed && self.output.file.is_some() && self.file.is_none() && self.status != 304 {
            self.open()?;
        }
        let file = self.file.take();
        if failed && self.output.remove_on_error {
            let is_regular = file.and_then(|file| file.metadata().ok()).is_some_and(|metadata| metadata.is_file());
            if let Some(path) = self.filename().filter(|_| is_regular) {
                fs::remove_file(path).map_err(|error| {
                    Error::new(Kind::Write, format!("{}: could not be removed: {}", path.display(), describe(&error)))
                })?;
            }
        }
        Ok(())
    }

    /// The name of the `-o` file, whether it was opened or not (`%{filename_effective}`).
    #[must_use]
    pub fn filename(&self) -> Option<&Path> {
        self.numbered.as_deref().or(self.output.file.as_deref())
    }

    /// Whether what comes next on a terminal would continue the answer's last line.
    #[must_use]
    pub fn open_line(&self) -> bool {
        self.open_line
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        if self.output.file.is_none() {
            self.open_line = bytes.last() != Some(&b'\n');
            return write_stdout(self.stdout, bytes);
        }
        if self.file.is_none() {
            self.open()?;
        }
        let written = self.file.as_ref().map_or(Ok(()), |file| Writer(file).write_all(bytes));
        written.map_err(|error| unwritable(self.filename().unwrap_or(Path::new("")), &error))
    }

    fn open(&mut self) -> Result<()> {
        let Some(path) = &self.output.file else {
            return Ok(());
        };
        let opened = if self.output.no_clobber {
            self.open_new(path).map_err(|error| unwritable(path, &error))
        } else {
            create(path)
        };
        self.file = Some(opened?);
        Ok(())
    }

    fn open_new(&mut self, path: &Path) -> io::Result<File> {
        let open = |path: &Path| OpenOptions::new().write(true).create_new(true).open(path);
        let mut opened = open(path);
        for number in 1..=NUMBERED_NAMES {
            match &opened {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                _ => break,
            }
            let mut name = path.as_os_str().to_owned();
            name.push(format!(".{number}"));
            opened = open(Path::new(&name));
            self.numbered = Some(name.into());
        }
        opened
    }
}

fn create(path: &Path) -> Result<File> {
    while_at(path, || File::create(path))?.map_err(|error| unwritable(path, &error))
}

fn create_directories(directory: &Path) -> Result<()> {
    fs::create_dir_all(directory).map_err(|error| {
        Error::new(Kind::Write, format!("{}: directory could not be made: {}", directory.display(), describe(&error)))
    })
}

#[cfg(test)]
#[path = "answer_tests.rs"]
mod tests;
