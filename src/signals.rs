//! SIGINT and SIGTERM: the first ends a transfer with its timing printed, a second one ends the process, as does
//! the first while there is no transfer, and while something blocks that cannot look for signals.

use std::fs;
use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::{flag, low_level};

use crate::error::{Error, Kind, Result};

/// Those of the process: signals are its own, so whatever writes knows them without being told.
static INSTALLED: OnceLock<Arc<Signals>> = OnceLock::new();

/// The signals that arrived, and a descriptor that becomes readable when one does.
#[derive(Debug)]
pub struct Signals {
    arrived: Arc<AtomicUsize>,
    /// A signal ends the process.
    fatal: Arc<AtomicBool>,
    wake: UnixStream,
}

impl Signals {
    /// Installs the handlers. Until `hold`, signals do what they do without them: nothing that blocks before a
    /// transfer, such as reading a pipe, has to look for them.
    pub fn install() -> io::Result<Arc<Signals>> {
        let (wake, notify) = UnixStream::pair()?;
        let arrived = Arc::new(AtomicUsize::new(0));
        let fatal = Arc::new(AtomicBool::new(true));
        // Handlers run in the order of their registration: a second signal meets the flag of the first, and the
        // number is stored before the descriptor wakes anyone who would read it.
        for signal in [SIGINT, SIGTERM] {
            flag::register_conditional_default(signal, Arc::clone(&fatal))?;
            flag::register(signal, Arc::clone(&fatal))?;
            flag::register_usize(signal, Arc::clone(&arrived), usize::try_from(signal).unwrap_or_default())?;
            low_level::pipe::register(signal, notify.try_clone()?)?;
        }
        Ok(Arc::clone(INSTALLED.get_or_init(|| Arc::new(Signals { arrived, fatal, wake }))))
    }

    /// From now on the first signal only arrives: a transfer begins, which looks for it.
    pub fn hold(&self) {
        if self.arrived.load(Ordering::Relaxed) == 0 {
            self.fatal.store(false, Ordering::Relaxed);
        }
    }

    /// Ends the process by the signal that this exit code stands for, if it arrived: a shell ends its loop over
    /// commands for one that died of SIGINT, and for no exit code. `$?` is the same.
    pub fn pass_on(&self, code: u8) {
        let number = self.arrived.load(Ordering::Relaxed);
        if number > 0 && usize::from(code) == 128 + number {
            // Without its effect the exit code tells.
            let _ = low_level::emulate_default_handler(i32::try_from(number).unwrap_or_default());
        }
    }

    /// The error to end with, when a signal arrived.
    #[must_use]
    pub fn arrived(&self) -> Option<Error> {
        match self.arrived.load(Ordering::Relaxed) {
            0 => None,
            number if Ok(number) == usize::try_from(SIGINT) => Some(Error::new(Kind::Interrupted, "interrupted")),
            _ => Some(Error::new(Kind::Terminated, "terminated")),
        }
    }
}

impl AsFd for Signals {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.wake.as_fd()
    }
}

/// Opens or reads a file by its name. One that is not regular may block without end, as a pipe does that nobody
/// opens at its other end: there the first signal ends the process.
///
/// An error is that of a signal that had arrived before.
pub fn while_at<T>(path: &Path, act: impl FnOnce() -> T) -> Result<T> {
    let blocks = fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir());
    let Some(signals) = INSTALLED.get().filter(|_| blocks) else { return Ok(act()) };
    let was_fatal = signals.fatal.swap(true, Ordering::Relaxed);
    // One that arrives from here on ends the process; one that came before would be waited for in vain.
    if let Some(error) = signals.arrived() {
        return Err(error);
    }
    let done = act();
    signals.fatal.store(was_fatal, Ordering::Relaxed);
    Ok(done)
}

/// Writes to a descriptor, and waits while there is no room, whether it blocks or not. A signal ends the wait: the
/// error holds that of the signal.
#[derive(Debug)]
pub struct Writer<F>(pub F);

impl<F: AsFd> Write for Writer<F> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let fd = self.0.as_fd();
        let signals = INSTALLED.get();
        let (wake, wakes) = signals.map_or((fd, PollFlags::empty()), |signals| (signals.wake.as_fd(), PollFlags::IN));
        loop {
            let mut polled = [PollFd::from_borrowed_fd(fd, PollFlags::OUT), PollFd::from_borrowed_fd(wake, wakes)];
            if poll(&mut polled, None) == Err(Errno::INTR) {
                continue;
            }
            let arrived = signals.and_then(|signals| signals.arrived());
            if let Some(error) = arrived.filter(|_| polled[0].revents().is_empty()) {
                return Err(io::Error::other(error));
            }
            // A reader that is ready takes some of it, so a signal that comes while the rest waits ends the call with
            // what was taken.
            match rustix::io::write(fd, bytes) {
                // Whoever shares it may have made it non-blocking.
                Err(Errno::AGAIN | Errno::INTR) => {}
                written => return Ok(written?),
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
