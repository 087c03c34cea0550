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

/// What the rest takes, by the mean of the same requests so far, or of all where there were none; `None` at first.
pub(super) fn time_left(rest: &[Step], samples: &[Sample]) -> Option<Duration> {
    let total = |sample: &&Sample| sample.timings.total.unwrap_or_default().as_secs_f64();
    let mean = |same: &dyn Fn(&&Sample) -> bool| {
        let times: Vec<f64> = samples.iter().filter(same).map(|sample| total(&sample)).collect();
        (!times.is_empty()).then(|| times.iter().sum::<f64>() / times.len() as f64)
    };
    let any = mean(&|_| true)?;
    let like = |step: &Step| mean(&|sample| (sample.step.body, sample.step.coding) == (step.body, step.coding));
    let seconds: f64 = rest.iter().map(|step| like(step).unwrap_or(any)).sum();
    Duration::try_from_secs_f64(seconds).ok()
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
        assert_eq!(time_left(&steps, &[]), None);
        let took = |step: Step, seconds| Sample { step, ..super::super::sample::took(Duration::from_secs(seconds)) };
        let samples = [took(steps[0], 10), took(steps[1], 2)];
        // The other body is taken for the mean of both, 6 s, until it was seen: 4 × 6 + 2 + 10.
        assert_eq!(time_left(&steps[2..], &samples), Some(Duration::from_secs(36)));
        assert_eq!(time_left(&[], &samples), Some(Duration::ZERO));
    }
}
