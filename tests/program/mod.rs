//! Processes under test: the program, and other programs in the same way.

mod output;
mod running;
mod screen;
mod temp;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

pub use output::Output;
pub use running::Running;
pub use screen::screen;
pub use temp::{SmallDisk, TempDir};

/// A command line in the making: an empty environment but for PATH, HOME in a new folder, which is also the working
/// folder, and an empty stdin.
pub struct Program {
    command: Command,
    home: TempDir,
    stdin: Input,
    stdout: Option<Stdio>,
    terminal: Option<(Terminal, u16)>,
}

enum Input {
    Empty,
    Bytes(Vec<u8>),
    Open,
}

/// Which of the outputs is a terminal; the other one is a pipe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Terminal {
    /// `gzpost …` at a prompt: both, and what they write is found in `stderr`.
    Both,
    /// `gzpost … 2>file` at a prompt.
    Stdout,
    /// `gzpost … >file` at a prompt.
    Stderr,
}

/// The program.
pub fn gzpost() -> Program {
    Program::new(env!("CARGO_BIN_EXE_gzpost"))
}

/// The system's curl, the reference: quiet, and with errors on stderr.
pub fn curl() -> Program {
    Program::new("curl").args(["-q", "-sS"])
}

impl Program {
    /// Any program.
    pub fn new(name: impl AsRef<OsStr>) -> Program {
        let home = TempDir::new();
        // In a static binary `current_dir` means fork, which copies all that the tests hold at the moment.
        let mut command = Command::new("/usr/bin/env");
        command.env_clear().env("HOME", home.path()).arg("-C").arg(home.path()).arg(name);
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        Program { command, home, stdin: Input::Empty, stdout: None, terminal: None }
    }

    /// One argument more.
    pub fn arg(mut self, argument: impl AsRef<OsStr>) -> Program {
        self.command.arg(argument);
        self
    }

    /// Arguments more.
    pub fn args<A: AsRef<OsStr>>(mut self, arguments: impl IntoIterator<Item = A>) -> Program {
        self.command.args(arguments);
        self
    }

    /// A variable of the environment.
    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Program {
        self.command.env(name, value);
        self
    }

    /// A file in the working folder, so that arguments and messages can name it without one.
    pub fn file(self, name: &str, bytes: impl AsRef<[u8]>) -> Program {
        self.home.write(name, bytes);
        self
    }

    /// Bytes on stdin, then its end.
    pub fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Program {
        self.stdin = Input::Bytes(bytes.into());
        self
    }

    /// A stdin that stays open and silent, as the one that a daemon's child inherits.
    pub fn idle_stdin(mut self) -> Program {
        self.stdin = Input::Open;
        self
    }

    /// Makes one of the outputs a terminal of 80 columns and 24 lines.
    pub fn terminal(self, terminal: Terminal) -> Program {
        self.terminal_of(terminal, 80)
    }

    /// The same with a number of columns.
    pub fn terminal_of(mut self, terminal: Terminal, columns: u16) -> Program {
        self.terminal = Some((terminal, columns));
        self
    }

    /// Where stdout goes instead of the pipe that the test reads.
    pub fn stdout(mut self, stdout: impl Into<Stdio>) -> Program {
        self.stdout = Some(stdout.into());
        self
    }

    /// Runs to the end.
    #[track_caller]
    pub fn run(self) -> Output {
        self.spawn().finish()
    }

    /// Starts it.
    #[track_caller]
    pub fn spawn(mut self) -> Running {
        let (stdin, pending) = match self.stdin {
            Input::Empty => (Stdio::null(), None),
            Input::Bytes(bytes) => (Stdio::piped(), Some(bytes)),
            Input::Open => (Stdio::piped(), None),
        };
        let stdout = self.stdout.unwrap_or_else(Stdio::piped);
        self.command.stdin(stdin).stdout(stdout).stderr(Stdio::piped());
        let master = self.terminal.map(|(which, columns)| {
            let (master, slave) = running::open_terminal(columns);
            match which {
                Terminal::Stdout => self.command.stdout(slave),
                Terminal::Stderr => self.command.stderr(slave),
                Terminal::Both => {
                    self.command.stdout(slave.try_clone().expect("a terminal twice"));
                    self.command.stderr(slave)
                }
            };
            (which, master)
        });
        let line = command_line(&self.command);
        let name = self.command.get_args().nth(2).and_then(OsStr::to_str).unwrap_or_default();
        assert!(Path::new(name).is_file() || find_program(name).is_some(), "{name}: no such program");
        let child = self.command.spawn().unwrap_or_else(|error| panic!("{line}: {error}"));
        // Else our copies of the process's ends would keep them open.
        drop(self.command);
        Running::new(child, line, pending, master, self.home)
    }
}

/// A command line for messages.
fn command_line(command: &Command) -> String {
    // Behind `env -C HOME`.
    command.get_args().skip(2).map(OsStr::to_string_lossy).collect::<Vec<_>>().join(" ")
}

/// A program of this name in PATH or in the folders of servers.
pub fn find_program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain(["/usr/sbin", "/usr/local/sbin"].map(PathBuf::from));
    folders.map(|folder| folder.join(name)).find(|path| path.is_file())
}
