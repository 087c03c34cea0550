//! A process that runs: its pipes are moved by one poll loop with a deadline, so that neither side can hang.

use std::fs::File;
use std::io::{BufRead, Cursor, ErrorKind, Read, Write};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::{Child, ChildStdin};
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, ioctl_tiocgptpeer, openpt, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use super::{Output, TempDir, Terminal};
use crate::server::{DEADLINE, show};

/// A process with what it has written so far. It is killed when this is dropped before its end.
pub struct Running {
    child: Child,
    line: String,
    stdin: Option<ChildStdin>,
    /// Bytes for stdin that did not fit yet; `None` leaves stdin open and silent.
    pending: Option<Cursor<Vec<u8>>>,
    stdout: Stream,
    stderr: Stream,
    home: Option<TempDir>,
}

/// One output: the end that we read, until it ends or is closed, and what came out of it.
struct Stream {
    file: Option<File>,
    bytes: Vec<u8>,
}

impl Running {
    pub(super) fn new(
        mut child: Child,
        line: String,
        pending: Option<Vec<u8>>,
        master: Option<(Terminal, OwnedFd)>,
        home: TempDir,
    ) -> Running {
        let mut stdout = child.stdout.take().map(OwnedFd::from);
        let mut stderr = child.stderr.take().map(OwnedFd::from);
        match master {
            Some((Terminal::Stdout, master)) => stdout = Some(master),
            Some((Terminal::Stderr | Terminal::Both, master)) => stderr = Some(master),
            None => {}
        }
        let [stdout, stderr] = [stdout, stderr].map(|fd| Stream { file: fd.map(File::from), bytes: Vec::new() });
        let pending = pending.map(Cursor::new);
        Running { stdin: child.stdin.take(), child, line, pending, stdout, stderr, home: Some(home) }
    }

    /// The process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Waits until stdout has these bytes, all of them and nothing else so far.
    #[track_caller]
    pub fn wait_for_stdout(&mut self, expected: impl AsRef<[u8]>) {
        let expected = expected.as_ref();
        self.pump(&format!("{} on stdout", show(expected)), |running| running.stdout.bytes.len() >= expected.len());
        assert!(self.stdout.bytes == expected, "stdout expected: {}\n{}", show(expected), self.describe());
    }

    /// Waits until stderr contains this text.
    #[track_caller]
    pub fn wait_for_stderr(&mut self, part: &str) {
        let has = |running: &Running| String::from_utf8_lossy(&running.stderr.bytes).contains(part);
        self.pump(&format!("{part:?} on stderr"), has);
    }

    /// Closes the reading end of stdout, as `head` does.
    pub fn close_stdout(&mut self) {
        self.stdout.file = None;
    }

    /// Types on the terminal that stderr is.
    pub fn type_in(&mut self, text: &str) {
        let terminal = self.stderr.file.as_mut().expect("an open terminal");
        terminal.write_all(text.as_bytes()).expect("a terminal that takes keys");
    }

    /// Sends a signal.
    pub fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).expect("a process to signal");
    }

    /// Waits until the pipe of stdout holds about what a pipe holds, without reading from it.
    #[track_caller]
    pub fn wait_until_stdout_is_full(&self) {
        const NEARLY_FULL: u64 = 48 << 10;
        let started = Instant::now();
        let pipe = self.stdout.file.as_ref().expect("an open stdout");
        while rustix::io::ioctl_fionread(pipe).expect("a pipe") < NEARLY_FULL {
            assert!(started.elapsed() < DEADLINE, "stdout does not fill\n{}", self.describe());
            std::thread::yield_now();
        }
    }

    /// Waits until the process runs this program and waits for something (state S of proc(5)).
    #[track_caller]
    pub fn wait_until_it_sleeps(&self, program: &str) {
        let (started, id) = (Instant::now(), self.id());
        let sleeps = || {
            let is_it = std::fs::read_link(format!("/proc/{id}/exe")).is_ok_and(|path| path == Path::new(program));
            let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
            is_it && stat.rsplit(')').next().is_some_and(|state| state.starts_with(" S"))
        };
        while !sleeps() {
            assert!(started.elapsed() < DEADLINE, "{program} does not sleep\n{}", self.describe());
            std::thread::yield_now();
        }
    }

    /// Waits for the end.
    #[track_caller]
    pub fn finish(mut self) -> Output {
        self.pump("the end", |running| running.stdout.file.is_none() && running.stderr.file.is_none());
        // Only an exit closes stderr, so this does not wait long.
        let status = self.child.wait().expect("a child to wait for");
        Output {
            line: std::mem::take(&mut self.line),
            status,
            stdout: std::mem::take(&mut self.stdout.bytes),
            stderr: std::mem::take(&mut self.stderr.bytes),
            home: self.home.take().expect("finished once"),
        }
    }

    /// Moves bytes until `done`; fails at the deadline, and when no more bytes can come.
    #[track_caller]
    fn pump(&mut self, what: &str, done: impl Fn(&Running) -> bool) {
        let started = Instant::now();
        while !done(self) {
            let left = DEADLINE.saturating_sub(started.elapsed());
            assert!(!left.is_zero(), "waited {DEADLINE:?} for {what}\n{}", self.describe());
            let open = self.stdout.file.is_some() || self.stderr.file.is_some();
            assert!(open, "ended before {what}\n{}", self.describe());
            self.step(&Timespec::try_from(left).expect("a short time"));
        }
    }

    /// One poll over the pipes that are open, and what it brings.
    fn step(&mut self, timeout: &Timespec) {
        let stdin = self.stdin.as_ref().filter(|_| self.pending.is_some());
        let mut waited = Vec::new();
        waited.extend(stdin.map(|pipe| PollFd::new(pipe, PollFlags::OUT)));
        let [stdout, stderr] = [&self.stdout, &self.stderr].map(|stream| {
            let index = waited.len();
            waited.extend(stream.file.as_ref().map(|file| PollFd::new(file, PollFlags::IN)));
            index..waited.len()
        });
        match poll(&mut waited, Some(timeout)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => panic!("poll: {error}"),
        }
        let ready: Vec<bool> = waited.iter().map(|waited| !waited.revents().is_empty()).collect();
        if stdin.is_some() && ready[0] {
            self.feed();
        }
        for (stream, range) in [(&mut self.stdout, stdout), (&mut self.stderr, stderr)] {
            if ready[range].contains(&true) {
                stream.take();
            }
        }
    }

    /// Writes what a ready pipe takes without blocking, and closes stdin behind the last byte.
    fn feed(&mut self) {
        const PIPE_BUF: usize = 4096;
        let (Some(pipe), Some(pending)) = (&mut self.stdin, &mut self.pending) else { return };
        let rest = pending.fill_buf().expect("bytes in memory");
        let count = match pipe.write(&rest[..rest.len().min(PIPE_BUF)]) {
            Ok(count) => count,
            // The process does not read its stdin; whether it should have is for the test to say.
            Err(error) if error.kind() == ErrorKind::BrokenPipe => rest.len(),
            Err(error) => panic!("stdin of {}: {error}", self.line),
        };
        let last = count == rest.len();
        pending.consume(count);
        if last {
            self.stdin = None;
        }
    }

    fn describe(&self) -> String {
        let (stdout, stderr) = (show(&self.stdout.bytes), show(&self.stderr.bytes));
        format!("command: {}\n--- stdout so far\n{stdout}\n--- stderr so far\n{stderr}\n---", self.line)
    }
}

impl Stream {
    fn take(&mut self) {
        let Some(file) = &mut self.file else { return };
        let mut bytes = [0; 1 << 14];
        match file.read(&mut bytes) {
            // A terminal whose other end is closed reads as EIO.
            Ok(0) | Err(_) => self.file = None,
            Ok(count) => self.bytes.extend(&bytes[..count]),
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // After `finish` both do nothing.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A pseudo-terminal: our end, and the process's.
pub fn open_terminal(columns: u16) -> (OwnedFd, OwnedFd) {
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    let master = openpt(flags).expect("a pseudo-terminal");
    grantpt(&master).and_then(|()| unlockpt(&master)).expect("an open pseudo-terminal");
    let slave = ioctl_tiocgptpeer(&master, flags).expect("the other end of a pseudo-terminal");
    let size = Winsize { ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(&slave, size).expect("the size of a pseudo-terminal");
    (master, slave)
}
