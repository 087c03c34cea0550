//! Follows a transfer while it runs: the lines of `-v` and the live line.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::verbose::{self, Mark};
use super::{Live, Stderr, Terminal};
use crate::cli::Output;
use crate::http::timing::wall_clock;
use crate::http::{Observer, Progress};

/// Ten steps a second look alive and cost nothing.
const TICK: Duration = Duration::from_millis(100);

/// An observer that writes to stderr; clones share the live line.
#[derive(Clone)]
pub struct Follow {
    stderr: Stderr,
    live: Arc<Mutex<Option<Live>>>,
    verbose: bool,
    stamped: bool,
}

impl Follow {
    /// Follows as `output` says. A live line is drawn on `terminal` only.
    #[must_use]
    pub fn new(output: &Output, stderr: Stderr, terminal: Option<Terminal>) -> Follow {
        let shown = terminal.filter(|_| !output.silent && output.stderr.is_none());
        let live = shown.map(|terminal| Live::new(Some(terminal)));
        Follow { stderr, live: Arc::new(Mutex::new(live)), verbose: output.verbose, stamped: output.trace_time }
    }

    /// Where it writes.
    #[must_use]
    pub fn stderr(&self) -> Stderr {
        self.stderr.clone()
    }

    /// Takes the live line away, before anything else is written to the terminal.
    pub fn erase(&self) {
        if let Some(live) = &mut *self.live.lock().unwrap_or_else(PoisonError::into_inner) {
            live.erase(&mut self.stderr.clone());
        }
    }

    /// Takes the live line away for good.
    pub fn stop(&self) {
        self.erase();
        *self.live.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    fn lines(&self, mark: Mark, text: &[u8]) {
        self.erase();
        let stamp = self.stamped.then(wall_clock);
        self.stderr.say(&verbose::lines(mark, text, stamp));
    }
}

impl Observer for Follow {
    fn verbose(&self) -> bool {
        self.verbose
    }

    fn tick(&self) -> Option<Duration> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner).as_ref().map(|_| TICK)
    }

    fn note(&mut self, text: &str) {
        self.lines(Mark::Note, text.as_bytes());
    }

    fn sent(&mut self, head: &[u8]) {
        self.lines(Mark::Sent, head);
    }

    fn received(&mut self, head: &[u8]) {
        self.lines(Mark::Received, head);
    }

    fn progress(&mut self, progress: &Progress) {
        if let Some(live) = &mut *self.live.lock().unwrap_or_else(PoisonError::into_inner) {
            live.draw(progress, &mut self.stderr.clone());
        }
    }
}
