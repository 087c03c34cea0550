//! Which request follows which: pairs in the order A B B A, so that a drift falls on both codings alike.

use std::time::Duration;

use super::sample::Sample;
use crate::body::Coding;

/// One request of a bench.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Step {
    /// The number of the body.
    pub body: usize,
    /// How it is sent.
    pub coding: Coding,
    /// The number of the pair, from 0; `None` does not count: it is a warm-up.
    pub pair: Option<usize>,
}

/// All requests in order. From round to round both the codings and the bodies change their order.
pub(super) fn steps(bodies: usize, warmup: usize, pairs: usize) -> Vec<Step> {
    let rounds = (0..warmup).map(|_| None).chain((0..pairs).map(Some));
    let mut steps = Vec::new();
    for (round, pair) in rounds.enumerate() {
        let mut bodies: Vec<usize> = (0..bodies).collect();
        let mut codings = [Coding::Identity, Coding::Gzip];
        if round % 2 == 1 {
            bodies.reverse();
            codings.reverse();
        }
        steps.extend(bodies.iter().flat_map(|&body| codings.map(|coding| Step { body, coding, pair })));
    }
    steps
}

/// How long requests take, by body and coding, and how many are still to come.
pub(super) struct Pace(Vec<[Alike; 2]>);

/// The requests of one body in one coding.
#[derive(Debug, Clone, Copy, Default)]
struct Alike {
    made: usize,
    /// How long these took together, in seconds.
    took: f64,
    left: usize,
}

impl Pace {
    /// Before the first of these.
    pub fn new(steps: &[Step]) -> Pace {
        let bodies = steps.iter().map(|step| step.body + 1).max().unwrap_or(0);
        let mut pace = Pace(vec![[Alike::default(); 2]; bodies]);
        for step in steps {
            pace.alike(*step).left += 1;
        }
        pace
    }

    fn alike(&mut self, step: Step) -> &mut Alike {
        &mut self.0[step.body][usize::from(step.coding == Coding::Gzip)]
    }

    /// Another one is over.
    pub fn made(&mut self, sample: &Sample) {
        let alike = self.alike(sample.step);
        alike.made += 1;
        alike.took += sample.timings.total.unwrap_or_default().as_secs_f64();
        alike.left -= 1;
    }

    /// What the rest takes, by the mean of the same requests so far, or of all where there were none; `None` at first.
    pub fn left(&self) -> Option<Duration> {
        let mean = |took: f64, made: usize| (made > 0).then(|| took / made as f64);
        let all = || self.0.iter().flatten();
        let any = mean(all().map(|alike| alike.took).sum(), all().map(|alike| alike.made).sum())?;
        let seconds = all().map(|alike| alike.left as f64 * mean(alike.took, alike.made).unwrap_or(any)).sum();
        Duration::try_from_secs_f64(seconds).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(bodies: usize, warmup: usize, pairs: usize) -> String {
        let letter = |step: Step| match (step.coding, step.pair) {
            (Coding::Identity, Some(_)) => format!("A{}", step.body),
            (Coding::Gzip, Some(_)) => format!("B{}", step.body),
            (coding, None) => format!("{}{}", &coding.name()[..1], step.body),
        };
        steps(bodies, warmup, pairs).into_iter().map(letter).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn codings_alternate_as_a_b_b_a() {
        assert_eq!(order(1, 0, 4), "A0 B0 B0 A0 A0 B0 B0 A0");
        assert_eq!(order(1, 1, 2), "i0 g0 B0 A0 A0 B0");
        assert_eq!(order(2, 0, 2), "A0 B0 A1 B1 B1 A1 B0 A0");
    }

    #[test]
    fn a_steady_drift_falls_on_both_codings_alike() {
        for pairs in [2, 4, 10] {
            let steps = steps(3, 1, pairs);
            for body in 0..3 {
                let places = |coding| -> usize {
                    let same = |step: &Step| step.body == body && step.coding == coding && step.pair.is_some();
                    steps.iter().enumerate().filter(|(_, step)| same(step)).map(|(place, _)| place).sum()
                };
                assert_eq!(places(Coding::Identity), places(Coding::Gzip), "{pairs} pairs of body {body}");
            }
        }
    }

    #[test]
    fn every_pair_is_whole() {
        let steps = steps(2, 3, 5);
        assert_eq!(steps.len(), 2 * 2 * 8);
        for pair in [None, Some(0), Some(4)] {
            let count = steps.iter().filter(|step| step.pair == pair).count();
            assert_eq!(count, if pair.is_none() { 12 } else { 4 });
        }
    }

    #[test]
    fn what_is_left_is_estimated_from_the_same_requests() {
        let steps = steps(2, 0, 2);
        let mut pace = Pace::new(&steps);
        assert_eq!(pace.left(), None);
        let took = |step: Step, seconds| Sample { step, ..super::super::sample::took(Duration::from_secs(seconds)) };
        pace.made(&took(steps[0], 10));
        pace.made(&took(steps[1], 2));
        // The other body is taken for the mean of both, 6 s, until it was seen: 4 × 6 + 2 + 10.
        assert_eq!(pace.left(), Some(Duration::from_secs(36)));
        for step in &steps[2..] {
            pace.made(&took(*step, 1));
        }
        assert_eq!(pace.left(), Some(Duration::ZERO));
    }
}
