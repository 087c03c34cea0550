//! SIGINT and SIGTERM: the first ends a transfer with its timing printed, a second one ends the process, as does
//! the first while there is no transfer.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::{flag, low_level};

use crate::error::{Error, Kind};

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
    pub fn install() -> io::Result<Signals> {
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
        Ok(Signals { arrived, fatal, wake })
    }

    /// From now on the first signal only arrives: a transfer begins, which looks for it.
    pub fn hold(&self) {
        if self.arrived.load(Ordering::Relaxed) == 0 {
            self.fatal.store(false, Ordering::Relaxed);
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
