//! The moments of token events: gaps between them, and whether they came in one burst.

use std::time::Duration;

/// The moments of token events so far.
#[derive(Debug, Default)]
pub(super) struct Pace {
    pub first: Option<Duration>,
    pub last: Option<Duration>,
    pub token_events: u64,
    pub longest_gap: Option<Duration>,
    /// The first `GAPS` gaps in microseconds: half a megabyte at most.
    gaps: Vec<u32>,
}

/// Of a longer stream, and no model answers in more tokens, the median is that of the first 131,072 gaps.
const GAPS: usize = 1 << 17;

/// Fewer events than these are no burst: a short answer may fit one packet.
const BURST_EVENTS: usize = 8;

/// A burst takes less than this part of the wait before it.
const BURST_PART: u64 = 20;

/// In a burst an event takes less than this on average: 4,000 events a second are more than models write, and fewer
/// than a link of 2 MB/s carries.
const BURST_MICROSECONDS: u64 = 250;

impl Pace {
    /// Events that carry a token have arrived, all at once.
    pub fn tokens(&mut self, events: usize, now: Duration) {
        if events == 0 {
            return;
        }
        self.token_events += events as u64;
        let gap = self.last.map(|last| now.saturating_sub(last));
        // Between those that come together there is no time.
        let none = (events > 1).then_some(Duration::ZERO);
        self.longest_gap = self.longest_gap.max(gap).max(none);
        if let Some(gap) = gap.filter(|_| self.gaps.len() < GAPS) {
            self.gaps.push(gap.as_micros().try_into().unwrap_or(u32::MAX));
        }
        self.gaps.resize(GAPS.min(self.gaps.len() + events - 1), 0);
        self.first = self.first.or(Some(now));
        self.last = Some(now);
    }

    /// The median of the gaps, the mean of the middle two when their number is even.
    pub fn median_gap(&self) -> Option<Duration> {
        let mut gaps = self.gaps.clone();
        let (odd, middle) = (gaps.len() % 2 == 1, gaps.len() / 2);
        let (below, high, _) = (!gaps.is_empty()).then(|| gaps.select_nth_unstable(middle))?;
        let low = if odd { &*high } else { below.iter().max()? };
        Some(Duration::from_nanos((u64::from(*low) + u64::from(*high)) * 500))
    }

    /// Whether something on the way held the answer back and let it go at once: nine tenths of at least
    /// `BURST_EVENTS` events arrived one after the other in less than a twentieth of the time before them, and faster
    /// than a model writes.
    ///
    /// The second condition spares a short answer that really streamed after a long wait. The number of reads is no
    /// measure: over chunked framing each event of a burst is a read of its own, and many events of a slow stream
    /// share one when the reader was late.
    pub fn burst(&self) -> bool {
        let events = self.gaps.len() + 1;
        let Some(first) = self.first.filter(|_| events >= BURST_EVENTS) else { return false };
        let most = events - events / 10;
        let mut start = u64::try_from(first.as_micros()).unwrap_or(u64::MAX / 2);
        let (inside, after) = self.gaps.split_at(most - 1);
        let mut length: u64 = inside.iter().map(|&gap| u64::from(gap)).sum();
        let short =
            |start: u64, length: u64| length * BURST_PART <= start && length <= BURST_MICROSECONDS * (most as u64 - 1);
        // The stretch moves over the events one by one: a gap leaves it and one enters.
        short(start, length)
            || self.gaps.iter().zip(after).any(|(&left, &entered)| {
                start += u64::from(left);
                length = length + u64::from(entered) - u64::from(left);
                short(start, length)
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pace_of(moments: impl IntoIterator<Item = u64>) -> Pace {
        let mut pace = Pace::default();
        moments.into_iter().for_each(|micros| pace.tokens(1, Duration::from_micros(micros)));
        pace
    }

    #[test]
    fn gaps_lie_between_token_events() {
        let pace = pace_of([1000, 1300, 1400, 2400, 2600]);
        assert_eq!((pace.first, pace.last), (Some(Duration::from_millis(1)), Some(Duration::from_micros(2600))));
        assert_eq!(pace.longest_gap, Some(Duration::from_millis(1)));
        assert_eq!(pace.median_gap(), Some(Duration::from_micros(250)));
        assert_eq!(pace_of([5, 6, 8, 11]).median_gap(), Some(Duration::from_micros(2)));
        for few in [pace_of([]), pace_of([7])] {
            assert_eq!((few.longest_gap, few.median_gap(), few.burst()), (None, None, false));
        }
    }

    #[test]
    fn a_buffered_answer_is_a_burst() {
        let wait = 11_000_000;
        // All in one read; one read each; over a slow link; with a straggler before and one after.
        assert!(pace_of([wait; 8]).burst());
        assert!(pace_of((0..400).map(|event| wait + event * 20)).burst());
        assert!(pace_of((0..400).map(|event| wait + event / 12 * 1_400)).burst());
        assert!(pace_of([wait / 2].into_iter().chain([wait; 20]).chain([wait + 900_000])).burst());
    }

    #[test]
    fn a_streamed_answer_is_no_burst() {
        let wait = 11_000_000;
        // At 161 tokens a second and at 1,000; few tokens; in lumps of 20; in no time but without a wait.
        assert!(!pace_of((0..400).map(|event| wait + event * 6_211)).burst());
        assert!(!pace_of((0..10).map(|event| wait + event * 1_000)).burst());
        assert!(!pace_of([wait; 7]).burst());
        assert!(!pace_of((0..400).map(|event| wait + event / 20 * 100_000)).burst());
        assert!(!pace_of((0..400).map(|event| 50_000 + event * 200)).burst());
    }
}
