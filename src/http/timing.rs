//! The only clock of the program, and the moments of a transfer in curl's order.

#![allow(clippy::disallowed_methods, reason = "this is the one place that reads the clock")]

use std::time::{Duration, Instant, SystemTime};

/// A transfer's clock: every moment is a distance from its start.
#[derive(Debug, Clone, Copy)]
pub struct Clock(Instant);

impl Clock {
    /// A clock that starts now.
    #[must_use]
    pub fn start() -> Clock {
        Clock(Instant::now())
    }

    /// The time since the start, at least 1 µs: a moment that was reached is never 0 (curl does the same).
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.0.elapsed().max(Duration::from_micros(1))
    }
}

/// The wall clock, for records and for dates that servers send.
#[must_use]
pub fn wall_clock() -> SystemTime {
    SystemTime::now()
}

/// The moments of a transfer, each measured from its start; `None` when it did not happen.
///
/// Names are curl's without `time_` (`curl(1)`, `--write-out`). Over redirects each moment is the sum over
/// the requests; a retry starts again from nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Timings {
    /// The name was resolved.
    pub namelookup: Option<Duration>,
    /// The connection was made.
    pub connect: Option<Duration>,
    /// TLS was negotiated.
    pub appconnect: Option<Duration>,
    /// The request was about to be sent.
    pub pretransfer: Option<Duration>,
    /// The last byte of the request was handed to the kernel.
    pub posttransfer: Option<Duration>,
    /// The first byte of the answer arrived; 1xx answers do not count.
    pub starttransfer: Option<Duration>,
    /// The first event of a stream was complete.
    pub first_event: Option<Duration>,
    /// The first token arrived.
    pub first_token: Option<Duration>,
    /// The last token arrived.
    pub last_token: Option<Duration>,
    /// The transfer ended.
    pub total: Option<Duration>,
    /// From the start until the request of the last redirect began.
    pub redirect: Option<Duration>,
    /// What the content coding took, on its own thread (not a moment but a length).
    pub compress: Option<Duration>,
}

impl Timings {
    /// The time between two moments; `None` unless both were reached, and in this order.
    #[must_use]
    pub fn between(
        &self,
        from: fn(&Timings) -> Option<Duration>,
        to: fn(&Timings) -> Option<Duration>,
    ) -> Option<Duration> {
        to(self)?.checked_sub(from(self)?)
    }

    /// Adds the moments of another request of the same transfer, as curl sums them over redirects.
    pub(super) fn add(&mut self, hop: &Timings) {
        let add = |sum: &mut Option<Duration>, moment: Option<Duration>| {
            if let Some(moment) = moment {
                *sum = Some(sum.unwrap_or_default() + moment);
            }
        };
        add(&mut self.namelookup, hop.namelookup);
        add(&mut self.connect, hop.connect);
        add(&mut self.appconnect, hop.appconnect);
        add(&mut self.pretransfer, hop.pretransfer);
        add(&mut self.posttransfer, hop.posttransfer);
        add(&mut self.starttransfer, hop.starttransfer);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_moments_that_were_reached_in_order_have_a_time_between_them() {
        let [early, late] = [1, 3].map(|seconds| Some(Duration::from_secs(seconds)));
        let timings = Timings { connect: early, starttransfer: late, ..Timings::default() };
        let between = |from, to| timings.between(from, to).map(|time| time.as_secs());
        assert_eq!(between(|t| t.connect, |t| t.starttransfer), Some(2));
        assert_eq!(between(|t| t.connect, |t| t.connect), Some(0));
        assert_eq!(between(|t| t.starttransfer, |t| t.connect), None);
        assert_eq!(between(|t| t.connect, |t| t.appconnect), None);
        assert_eq!(between(|t| t.appconnect, |t| t.starttransfer), None);
    }
}
