//! What a process left behind, and assertions that show all of it when they fail.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use super::TempDir;
use crate::server::show;

/// A process that has ended.
pub struct Output {
    /// Its command line, for messages.
    pub line: String,
    /// How it ended.
    pub status: ExitStatus,
    /// Everything it wrote to stdout, as far as that was not closed.
    pub stdout: Vec<u8>,
    /// Everything it wrote to stderr.
    pub stderr: Vec<u8>,
    /// Its working folder, with what it wrote there.
    pub home: TempDir,
}

impl Output {
    /// As a shell's `$?` has it: of a process that died of a signal, 128 and its number.
    pub fn code(&self) -> i32 {
        self.status.code().or_else(|| Some(128 + self.status.signal()?)).expect("an end")
    }

    /// Fails unless the exit code is this one.
    #[track_caller]
    pub fn assert_code(&self, code: i32) -> &Output {
        assert!(self.code() == code, "exit code {code} expected\n{}", self.describe());
        self
    }

    /// Fails unless it died of this signal.
    #[track_caller]
    pub fn assert_signal(&self, signal: i32) -> &Output {
        assert!(self.status.signal() == Some(signal), "signal {signal} expected\n{}", self.describe());
        self
    }

    /// Fails unless it ended with this code and said why in one line: `gzpost: (7) …`, and nothing else on stderr.
    #[track_caller]
    pub fn assert_error(&self, code: i32) -> &Output {
        self.assert_code(code);
        let text = self.stderr_text();
        let one_line = text.ends_with('\n') && text.lines().count() == 1;
        assert!(one_line && text.starts_with(&format!("gzpost: ({code}) ")), "one message\n{}", self.describe());
        self
    }

    /// Fails unless stdout is exactly this.
    #[track_caller]
    pub fn assert_stdout(&self, expected: impl AsRef<[u8]>) -> &Output {
        let expected = expected.as_ref();
        assert!(self.stdout == expected, "stdout expected: {}\n{}", show(expected), self.describe());
        self
    }

    /// Fails unless stderr contains this.
    #[track_caller]
    pub fn assert_stderr_has(&self, part: &str) -> &Output {
        assert!(self.stderr_text().contains(part), "{part:?} expected on stderr\n{}", self.describe());
        self
    }

    /// Fails when stderr contains this.
    #[track_caller]
    pub fn assert_stderr_lacks(&self, part: &str) -> &Output {
        assert!(!self.stderr_text().contains(part), "{part:?} not expected on stderr\n{}", self.describe());
        self
    }

    /// Stdout as text; bytes that are not UTF-8 are replaced.
    pub fn stdout_text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    /// Stderr as text; bytes that are not UTF-8 are replaced.
    pub fn stderr_text(&self) -> String {
        String::from_utf8_lossy(&self.stderr).into_owned()
    }

    /// Everything, for messages.
    pub fn describe(&self) -> String {
        let end = match self.status.signal() {
            Some(signal) => format!("signal {signal}"),
            None => format!("exit code {}", self.status.code().unwrap_or(-1)),
        };
        let (stdout, stderr) = (show(&self.stdout), show(&self.stderr));
        format!("command: {}\nended with {end}\n--- stdout\n{stdout}\n--- stderr\n{stderr}\n---", self.line)
    }
}
