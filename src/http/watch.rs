//! Waiting for sockets: the one place where a transfer blocks, and where its limits end it.

use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::settings::SpeedLimit;
use super::timing::Clock;
use crate::error::{Error, Kind, Result};
use crate::signals::Signals;

/// How far a transfer is, for the live line.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Progress {
    /// Since the start of the attempt.
    pub elapsed: Duration,
    /// Content to send, in bytes; 0 while it is not known.
    pub to_upload: u64,
    /// Content handed over so far.
    pub uploaded: u64,
    /// Content received so far.
    pub downloaded: u64,
}

/// Follows a transfer from outside: `-v` and the live line.
pub trait Observer: Send {
    /// Whether `note`, `sent` and `received` are wanted: texts are not built for nothing.
    fn verbose(&self) -> bool {
        false
    }
    /// How often `progress` is wanted.
    fn tick(&self) -> Option<Duration> {
        None
    }
    /// Something happened that `-v` tells.
    fn note(&mut self, _text: &str) {}
    /// A request's head was sent.
    fn sent(&mut self, _head: &[u8]) {}
    /// An answer's head was received, interim answers and those of proxies included.
    fn received(&mut self, _head: &[u8]) {}
    /// Called at each tick while waiting.
    fn progress(&mut self, _progress: &Progress) {}
}

/// Follows nothing.
#[derive(Debug, Clone, Copy)]
pub struct Unobserved;

impl Observer for Unobserved {}

/// The limits of one attempt and the descriptors that end it.
pub(super) struct Watch {
    pub clock: Clock,
    pub observer: Box<dyn Observer>,
    pub progress: Progress,
    /// Content that the attempt's earlier requests moved, in bytes: `progress` counts anew at a redirect.
    moved_before: u64,
    signals: Option<Arc<Signals>>,
    max_time: Option<Duration>,
    connecting: Option<Connecting>,
    speed: Option<Speed>,
}

/// The making of a connection: what must be over `limit` after its beginning.
struct Connecting {
    since: Duration,
    limit: Duration,
    /// What is being done, as a message about its failure begins.
    step: String,
}

impl Watch {
    pub fn new(
        observer: Box<dyn Observer>,
        signals: Option<Arc<Signals>>,
        max_time: Option<Duration>,
        limit: Option<SpeedLimit>,
    ) -> Watch {
        let speed = limit.map(|limit| Speed { limit, since: Duration::ZERO, moved: 0, slow_since: None });
        let (clock, progress) = (Clock::start(), Progress::default());
        Watch { clock, observer, progress, moved_before: 0, signals, max_time, connecting: None, speed }
    }

    /// Begins another attempt: every limit counts anew.
    pub fn restart(&mut self) {
        self.hold_signals();
        self.clock = Clock::start();
        (self.progress, self.moved_before) = (Progress::default(), 0);
        self.connecting = None;
        if let Some(speed) = &mut self.speed {
            (speed.since, speed.moved, speed.slow_since) = (Duration::ZERO, 0, None);
        }
    }

    /// Begins another request of the attempt: its content is counted from nothing, the limits go on.
    pub fn next_request(&mut self) {
        self.moved_before += self.progress.uploaded + self.progress.downloaded;
        self.progress = Progress { elapsed: self.progress.elapsed, ..Progress::default() };
    }

    /// From now on the connection must be ready within `limit`, until `connected`.
    pub fn connect_within(&mut self, limit: Duration) {
        self.connecting = Some(Connecting { since: self.clock.elapsed(), limit, step: String::new() });
    }

    /// Begins a step of connecting: `could not connect to relay.example:80`, where a reason can follow.
    pub fn connecting(&mut self, step: String) {
        if let Some(connecting) = &mut self.connecting {
            connecting.step = step;
        }
    }

    /// The connection is ready.
    pub fn connected(&mut self) {
        self.connecting = None;
    }

    /// `-v`: tells the observer, building the text only when it listens.
    pub fn note(&mut self, text: impl FnOnce() -> String) {
        if self.observer.verbose() {
            self.observer.note(&text());
        }
    }

    /// Waits until one of `fds` is ready, at most `at_most`, and returns the ready events of each (all empty when
    /// `at_most` passed). Ends with an error at a limit or a signal.
    pub fn wait(&mut self, fds: &[(BorrowedFd<'_>, PollFlags)], at_most: Option<Duration>) -> Result<Vec<PollFlags>> {
        let signals = self.signals.clone();
        let until = at_most.map(|limit| self.clock.elapsed() + limit);
        loop {
            let now = self.clock.elapsed();
            self.check(now)?;
            let mut polled: Vec<PollFd<'_>> = Vec::with_capacity(fds.len() + 1);
            polled.extend(fds.iter().map(|(fd, events)| PollFd::from_borrowed_fd(*fd, *events)));
            if let Some(signals) = &signals {
                polled.push(PollFd::from_borrowed_fd(signals.as_fd(), PollFlags::IN));
            }
            let timeout = self.next_limit(now, until).map(|limit| timespec(limit.saturating_sub(now)));
            match poll(&mut polled, timeout.as_ref()) {
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(Error::new(Kind::Receive, format!("poll: {error}"))),
            }
            let ready: Vec<PollFlags> = polled[..fds.len()].iter().map(PollFd::revents).collect();
            if ready.iter().any(|events| !events.is_empty()) || until.is_some_and(|until| self.clock.elapsed() >= until)
            {
                return Ok(ready);
            }
        }
    }

    /// Waits for one descriptor, without a limit of its own.
    pub fn wait_for(&mut self, fd: &impl AsFd, events: PollFlags) -> Result<PollFlags> {
        self.wait(&[(fd.as_fd(), events)], None).map(|ready| ready[0])
    }

    /// Does nothing for `length`; only a signal ends it earlier.
    pub fn sleep(&self, length: Duration) -> Result<()> {
        self.hold_signals();
        let clock = Clock::start();
        loop {
            if let Some(error) = self.signals.as_ref().and_then(|signals| signals.arrived()) {
                return Err(error);
            }
            let left = length.saturating_sub(clock.elapsed());
            if left.is_zero() {
                return Ok(());
            }
            let mut signals: Vec<PollFd<'_>> =
                self.signals.iter().map(|signals| PollFd::from_borrowed_fd(signals.as_fd(), PollFlags::IN)).collect();
            // Interrupted or not: the loop looks at the signals and the clock.
            let _ = poll(&mut signals, Some(&timespec(left)));
        }
    }

    /// Ends with an error at a limit or a signal, without waiting for anything.
    pub fn look(&mut self) -> Result<()> {
        self.check(self.clock.elapsed())
    }

    /// What follows looks for signals, so they need not end the process.
    fn hold_signals(&self) {
        if let Some(signals) = &self.signals {
            signals.hold();
        }
    }

    /// The next moment at which something has to be looked at.
    fn next_limit(&self, now: Duration, until: Option<Duration>) -> Option<Duration> {
        let tick = self.observer.tick().map(|tick| now + tick);
        let second = self.speed.as_ref().map(|speed| speed.since + Duration::from_secs(1));
        let connect_by = self.connecting.as_ref().map(|connecting| connecting.since + connecting.limit);
        [self.max_time, connect_by, until, tick, second].into_iter().flatten().min()
    }

    /// The error of a limit that was reached or of a signal that arrived.
    fn check(&mut self, now: Duration) -> Result<()> {
        if let Some(error) = self.signals.as_ref().and_then(|signals| signals.arrived()) {
            return Err(error);
        }
        self.progress.elapsed = now;
        if self.observer.tick().is_some() {
            self.observer.progress(&self.progress);
        }
        if self.max_time.is_some_and(|limit| now >= limit) {
            let (ms, bytes) = (now.as_millis(), self.progress.downloaded);
            let text = format!("operation timed out after {ms} ms with {bytes} bytes received (--max-time)");
            return Err(Error::new(Kind::Timeout, text));
        }
        if let Some(Connecting { since, limit, step }) = &self.connecting
            && now >= *since + *limit
        {
            let ms = now.saturating_sub(*since).as_millis();
            let text = format!("{step}: timed out after {ms} ms of connecting (--connect-timeout)");
            return Err(Error::new(Kind::Timeout, text));
        }
        let moved = self.moved_before + self.progress.uploaded + self.progress.downloaded;
        self.speed.as_mut().map_or(Ok(()), |speed| speed.check(now, moved))
    }
}

/// `-Y` and `-y`: bytes are counted second by second, in both directions.
struct Speed {
    limit: SpeedLimit,
    /// When the current second began, and what had been moved by then.
    since: Duration,
    moved: u64,
    slow_since: Option<Duration>,
}

impl Speed {
    fn check(&mut self, now: Duration, moved: u64) -> Result<()> {
        let passed = now.saturating_sub(self.since);
        if passed < Duration::from_secs(1) {
            return Ok(());
        }
        let rate = (moved - self.moved) as f64 / passed.as_secs_f64();
        if rate >= self.limit.bytes_per_second as f64 {
            self.slow_since = None;
        } else {
            let slow_since = *self.slow_since.get_or_insert(self.since);
            if now.saturating_sub(slow_since) >= self.limit.time {
                let SpeedLimit { bytes_per_second, time } = self.limit;
                let text = format!("slower than {bytes_per_second} bytes/s for the last {} s", time.as_secs());
                return Err(Error::new(Kind::Timeout, text));
            }
        }
        (self.since, self.moved) = (now, moved);
        Ok(())
    }
}

fn timespec(duration: Duration) -> Timespec {
    Timespec {
        tv_sec: i64::try_from(duration.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: i64::from(duration.subsec_nanos()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connecting_has_a_time_of_its_own_that_begins_with_it() {
        let mut watch = Watch::new(Box::new(Unobserved), None, None, None);
        let (since, limit) = (Duration::from_secs(5), Duration::from_millis(300));
        watch.connecting = Some(Connecting { since, limit, step: "could not connect to h:1".to_owned() });
        assert_eq!(watch.check(Duration::from_millis(5299)), Ok(()));
        let text = "could not connect to h:1: timed out after 301 ms of connecting (--connect-timeout)";
        assert_eq!(watch.check(Duration::from_millis(5301)), Err(Error::new(Kind::Timeout, text)));
        watch.connected();
        assert_eq!(watch.check(Duration::from_secs(9)), Ok(()));
    }

    #[test]
    fn the_speed_is_that_of_all_requests_of_an_attempt() {
        let limit = SpeedLimit { bytes_per_second: 100, time: Duration::from_secs(2) };
        let at = Duration::from_secs_f64;
        let sent = |watch: &mut Watch, bytes| watch.progress.uploaded += bytes;

        // Silence behind a redirect is silence from its beginning.
        let mut watch = Watch::new(Box::new(Unobserved), None, None, Some(limit));
        sent(&mut watch, 300_000);
        assert_eq!(watch.check(at(1.5)), Ok(()));
        watch.next_request();
        assert_eq!(watch.check(at(3.0)), Ok(()));
        assert_eq!(watch.check(at(4.0)).map_err(|error| error.kind), Err(Kind::Timeout));

        // A redirect in the middle of a second hides nothing of what it moved.
        watch.restart();
        for second in 1..5 {
            sent(&mut watch, 60);
            watch.next_request();
            sent(&mut watch, 60);
            assert_eq!(watch.check(at(f64::from(second))), Ok(()));
        }
    }
}
