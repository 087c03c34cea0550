//! Gates: what a script waits for until the test lets it go on.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};

use super::DEADLINE;

/// The end that a test keeps: each `open` lets one `Gate::wait` pass.
pub struct Opener(Sender<()>);

/// The end that a script takes.
pub struct Gate(Receiver<()>);

/// A closed gate and what opens it.
pub fn gate() -> (Opener, Gate) {
    let (sender, receiver) = channel();
    (Opener(sender), Gate(receiver))
}

impl Opener {
    /// Lets one wait pass, now or when it comes to it.
    pub fn open(&self) {
        // The other end is gone when the script has failed, and then the script's panic is what to report.
        let _ = self.0.send(());
    }
}

impl Gate {
    /// Waits until the gate was opened once more.
    #[track_caller]
    pub fn wait(&self) {
        match self.0.recv_timeout(DEADLINE) {
            Ok(()) => {}
            Err(RecvTimeoutError::Timeout) => panic!("a gate stayed closed for {DEADLINE:?}"),
            Err(RecvTimeoutError::Disconnected) => panic!("the test ended without opening a gate"),
        }
    }
}
