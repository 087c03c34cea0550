//! argv, stdio and what is a terminal; the only caller of exit.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::BorrowedFd;
use std::os::unix::fs::FileTypeExt;
use std::process::ExitCode;

use gzpost::commands::Context;
use gzpost::output::{Stderr, Terminal};
use gzpost::signals::{Signals, Writer};
use rustix::pipe::{fcntl_getpipe_size, fcntl_setpipe_size};
use rustix::stdio;
use rustix::termios::{isatty, tcgetwinsize};

fn main() -> ExitCode {
    // Without handlers a signal ends the program at once, as it would have anyway.
    let signals = Signals::install().ok();
    let mut context = Context {
        stdin: &mut io::stdin().lock(),
        stdout: &mut Stdout { is_widened: false },
        stderr: Stderr::new(Box::new(Writer(io::stderr()))),
        stderr_terminal: terminal(stdio::stderr()),
        stdout_terminal: terminal(stdio::stdout()),
        stdout_is_file: is_file(),
        signals: signals.clone(),
    };
    let code = gzpost::run(&std::env::args_os().skip(1).collect::<Vec<_>>(), &mut context);
    if let Some(signals) = signals {
        signals.pass_on(code);
    }
    ExitCode::from(code)
}

/// Whether stdout is a file, or a device that shows nothing, such as `/dev/null`.
fn is_file() -> bool {
    let stdout = stdio::stdout();
    let kind = stdout.try_clone_to_owned().and_then(|fd| File::from(fd).metadata()).map(|found| found.file_type());
    kind.is_ok_and(|kind| kind.is_file() || (kind.is_char_device() && !isatty(stdout)))
}

/// What a stream is, when it is a terminal.
fn terminal(stream: BorrowedFd) -> Option<Terminal> {
    isatty(stream).then(|| {
        let width = tcgetwinsize(stream).map_or(0, |size| usize::from(size.ws_col));
        let width = if width == 0 { Terminal::default().width } else { width };
        Terminal { width, ..Terminal::default() }
    })
}

/// A pipe's usual size in bytes (`pipe(7)`): a write of more has to wait for the reader in any case.
const PIPE: usize = 64 * 1024;

/// A pipe that holds several reads, so that program and reader need not take turns: a large answer takes half the time.
const WIDE_PIPE: usize = 4 * PIPE;

/// stdout without the line buffer of `std`: what has arrived is written at once.
struct Stdout {
    is_widened: bool,
}

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let stdout = stdio::stdout();
        if bytes.len() > PIPE && !self.is_widened {
            self.is_widened = true;
            if fcntl_getpipe_size(stdout).is_ok_and(|size| size < WIDE_PIPE) {
                // The user may have too many wide ones already.
                let _ = fcntl_setpipe_size(stdout, WIDE_PIPE);
            }
        }
        Writer(stdout).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
