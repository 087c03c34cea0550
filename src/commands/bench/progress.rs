//! The bar on a terminal that says how far a bench is and how long it still takes.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::plan::Step;
use crate::cli::Output;
use crate::http::{Observer, Progress as Transferred};
use crate::output::chart::bar;
use crate::output::{Follow, Live, Stderr, Terminal, units};

/// The time left is shown in seconds.
const TICK: Duration = Duration::from_millis(500);

/// Columns of the bar.
const WIDTH: usize = 20;

/// An observer; clones share the bar.
#[derive(Clone)]
pub(super) struct Progress {
    /// For `-v`.
    follow: Follow,
    stderr: Stderr,
    bar: Option<Arc<Mutex<Bar>>>,
}

struct Bar {
    live: Live,
    plain: bool,
    share: f64,
    /// `7/60 gzip 2M`
    what: String,
    /// From the beginning of the current request on.
    left: Option<Duration>,
}

impl Progress {
    /// Without a terminal, and with `-s`, nothing is drawn.
    pub fn new(output: &Output, stderr: Stderr, terminal: Option<Terminal>) -> Progress {
        let follow = Follow::new(output, stderr.clone(), None, false);
        let bar = terminal.filter(|_| !output.silent && output.stderr.is_none()).map(|terminal| Bar {
            live: Live::new(Some(terminal)),
            plain: terminal.plain,
            share: 0.0,
            what: String::new(),
            left: None,
        });
        Progress { follow, stderr, bar: bar.map(|bar| Arc::new(Mutex::new(bar))) }
    }

    /// The request after `done` others begins; `left` is asked for only where it is shown.
    pub fn begin(&mut self, steps: &[Step], done: usize, name: &str, left: impl FnOnce() -> Option<Duration>) {
        self.change(|bar, stderr| {
            bar.share = done as f64 / steps.len().max(1) as f64;
            bar.what = format!("{}/{} {} {name}", done + 1, steps.len(), super::tables::word(steps[done].coding));
            bar.left = left();
            bar.draw(Duration::ZERO, stderr);
        });
    }

    /// Takes the bar away.
    pub fn erase(&mut self) {
        self.change(|bar, stderr| bar.live.erase(stderr));
    }

    fn change(&mut self, change: impl FnOnce(&mut Bar, &mut Stderr)) {
        if let Some(bar) = &self.bar {
            change(&mut bar.lock().unwrap_or_else(PoisonError::into_inner), &mut self.stderr);
        }
    }
}

impl Bar {
    fn draw(&mut self, elapsed: Duration, stderr: &mut Stderr) {
        let left =
            self.left.map(|left| format!(", {} left", units::rough(left.saturating_sub(elapsed)))).unwrap_or_default();
        let bar = bar(self.share, WIDTH, self.plain);
        self.live.show(&format!("[{bar:<WIDTH$}] {}{left}", self.what), stderr);
    }
}

impl Observer for Progress {
    fn verbose(&self) -> bool {
        self.follow.verbose()
    }

    fn tick(&self) -> Option<Duration> {
        self.bar.as_ref().map(|_| TICK)
    }

    fn note(&mut self, text: &str) {
        self.erase();
        self.follow.note(text);
    }

    fn sent(&mut self, head: &[u8]) {
        self.erase();
        self.follow.sent(head);
    }

    fn received(&mut self, head: &[u8]) {
        self.erase();
        self.follow.received(head);
    }

    fn progress(&mut self, transferred: &Transferred) {
        self.change(|bar, stderr| bar.draw(transferred.elapsed, stderr));
    }
}
