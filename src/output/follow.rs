//! Follows a transfer while it runs: the lines of `-v` and the live line.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::live::TICK;
use super::verbose::{self, Mark};
use super::{Live, Stderr, Terminal};
use crate::cli::{Output, Target};
use crate::http::timing::wall_clock;
use crate::http::{Observer, Progress};

/// An observer that writes to stderr; clones share the live line.
#[derive(Clone)]
pub struct Follow {
    stderr: Stderr,
    live: Arc<Mutex<Option<Live>>>,
    verbose: bool,
    stamped: bool,
    /// Content may be seen on the terminal: the live line ends where it begins.
    content_seen: bool,
    /// So may heads.
    heads_seen: bool,
    on_one_terminal: bool,
}

impl Follow {
    /// Follows as `output` says. A live line is drawn on `terminal` only, and not beside what goes to stdout unless
    /// that is a file: a reader behind a pipe, such as `tee`, writes to the same terminal.
    #[must_use]
    pub fn new(output: &Output, stderr: Stderr, terminal: Option<Terminal>, stdout_is_file: bool) -> Follow {
        let shown = terminal.filter(|_| !output.silent && output.stderr.is_none());
        let live = Arc::new(Mutex::new(shown.map(|terminal| Live::new(Some(terminal)))));
        let content_seen = output.file.as_deref().map_or(!stdout_is_file, is_device);
        let heads_seen = match &output.dump_header {
            Some(Target::Stdout) => !stdout_is_file,
            Some(Target::File(path)) => is_device(path),
            Some(Target::Stderr) | None => false,
        };
        let heads_seen = heads_seen || (output.include && content_seen);
        Follow {
            stderr,
            live,
            verbose: output.verbose,
            stamped: output.trace_time,
            content_seen,
            heads_seen,
            on_one_terminal: false,
        }
    }

    /// Says whether messages follow the answer on the same terminal.
    #[must_use]
    pub fn on_one_terminal(self, on_one_terminal: bool) -> Follow {
        Follow { on_one_terminal, ..self }
    }

    /// Whether they do.
    #[must_use]
    pub fn is_on_one_terminal(&self) -> bool {
        self.on_one_terminal
    }

    /// Where it writes.
    #[must_use]
    pub fn stderr(&self) -> Stderr {
        self.stderr.clone()
    }

    /// Takes the live line away, before anything else is written to the terminal.
    pub fn erase(&self) {
        if let Some(live) = &mut *self.live() {
            live.erase(&mut self.stderr.clone());
        }
    }

    /// Begins the live line with this from now on, as far as there is one, and shows it.
    pub fn label(&self, label: String) {
        if let Some(live) = &mut *self.live() {
            live.label(label);
            live.draw(&Progress::default(), &mut self.stderr.clone());
        }
    }

    /// Takes the live line away for good.
    pub fn stop(&self) {
        self.erase();
        *self.live() = None;
    }

    /// A head is about to be written out.
    pub fn before_head(&self) {
        if self.heads_seen { self.stop() } else { self.erase() }
    }

    /// Content is about to be written out.
    pub fn before_content(&self) {
        if self.content_seen {
            self.stop();
        }
    }

    /// Takes in how many token events there were, for the live line.
    pub fn count(&self, tokens: u64) {
        if let Some(live) = &mut *self.live() {
            live.count(tokens);
        }
    }

    fn live(&self) -> MutexGuard<'_, Option<Live>> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
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
        self.live().as_ref().map(|_| TICK)
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
        if let Some(live) = &mut *self.live() {
            live.draw(progress, &mut self.stderr.clone());
        }
    }
}

/// A path such as `/dev/stdout`, which may be the terminal.
fn is_device(path: &Path) -> bool {
    path.starts_with("/dev") && path != Path::new("/dev/null")
}
