//! argv, stdio and what is a terminal; the only caller of exit.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::fs::FileTypeExt;
use std::process::ExitCode;
use std::sync::Arc;

use gzpost::commands::Context;
use gzpost::output::{Stderr, Terminal};
use gzpost::signals::Signals;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::stdio;
use rustix::termios::{isatty, tcgetwinsize};

fn main() -> ExitCode {
    // Without handlers a signal ends the program at once, as it would have anyway.
    let signals = Signals::install().ok().map(Arc::new);
    let mut context = Context {
        stdin: &mut Stdin { signals: signals.clone() },
        stdout: &mut Stdout,
        stderr: Stderr::new(Box::new(io::stderr())),
        stderr_terminal: terminal(),
        stdout_is_terminal: isatty(stdio::stdout()),
        stdout_is_file: is_file(),
        signals,
    };
    ExitCode::from(gzpost::run(&std::env::args_os().skip(1).collect::<Vec<_>>(), &mut context))
}

/// Whether stdout is a file, or a device that shows nothing, such as `/dev/null`.
fn is_file() -> bool {
    let stdout = stdio::stdout();
    let kind = stdout.try_clone_to_owned().and_then(|fd| File::from(fd).metadata()).map(|found| found.file_type());
    kind.is_ok_and(|kind| kind.is_file() || (kind.is_char_device() && !isatty(stdout)))
}

/// What stderr is, when it is a terminal.
fn terminal() -> Option<Terminal> {
    isatty(stdio::stderr()).then(|| {
        let width = tcgetwinsize(stdio::stderr()).map_or(0, |size| usize::from(size.ws_col));
        let width = if width == 0 { Terminal::default().width } else { width };
        Terminal { width, ..Terminal::default() }
    })
}

/// stdout without the line buffer of `std`: what has arrived is written at once.
struct Stdout;

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        loop {
            let stdout = stdio::stdout();
            match rustix::io::write(stdout, bytes) {
                // Whoever shares the pipe made it non-blocking, and its reader is slow.
                Err(Errno::AGAIN) => {
                    let _ = poll(&mut [PollFd::new(&stdout, PollFlags::OUT)], None);
                }
                written => return Ok(written?),
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// stdin, whose reading a signal ends.
struct Stdin {
    signals: Option<Arc<Signals>>,
}

impl Read for Stdin {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        if let Some(signals) = &self.signals {
            let stdin = stdio::stdin();
            let mut polled = [PollFd::new(&stdin, PollFlags::IN), PollFd::new(&**signals, PollFlags::IN)];
            // A descriptor that cannot be polled is read; so it is said what is wrong with it.
            let _ = poll(&mut polled, None);
            if let Some(error) = signals.arrived() {
                return Err(io::Error::other(error));
            }
        }
        Ok(rustix::io::read(stdio::stdin(), room)?)
    }
}
