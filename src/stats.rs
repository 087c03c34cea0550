//! Statistics of few and noisy samples: medians, nearest-rank percentiles, paired ratios and robust lines.

use std::time::Duration;

/// With fewer samples, the smallest and the largest hold the median between them less than 95 times in 100.
pub const FEWEST: usize = 6;

/// What is said about a set of samples; each figure is in the samples' own unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Summary {
    /// How many samples.
    pub n: usize,
    /// The mean of the middle two when their number is even.
    pub median: f64,
    /// The smallest.
    pub min: f64,
    /// The largest.
    pub max: f64,
    /// The median of the distances from the median, unscaled.
    pub mad: f64,
    /// The 50th percentile by nearest rank: a sample, where the median may lie between two.
    pub p50: f64,
    /// The 95th percentile by nearest rank; below 20 samples the largest.
    pub p95: f64,
    /// The 99th percentile by nearest rank; below 100 samples the largest.
    pub p99: f64,
}

/// How many times one thing is another, and between what bounds that is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ratio {
    /// The number of pairs.
    pub n: usize,
    /// The median of the ratios, pair by pair.
    pub median: f64,
    /// The ends of its 95 % interval, which are two of the ratios; `None` below `FEWEST` pairs.
    pub interval: Option<(f64, f64)>,
}

/// `y = floor + slope × x`
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Line {
    /// What a step of 1 in x adds to y.
    pub slope: f64,
    /// y at x = 0.
    pub floor: f64,
}

impl Ratio {
    /// Whether there is an interval and it leaves open which of the two is the larger.
    #[must_use]
    pub fn is_undecided(&self) -> bool {
        self.interval.is_some_and(|(low, high)| low <= 1.0 && high >= 1.0)
    }
}

/// The median; `None` of nothing.
#[must_use]
pub fn median(values: &[f64]) -> Option<f64> {
    let mut values = values.to_vec();
    middle(&mut values)
}

/// The median of times; `None` of nothing.
#[must_use]
pub fn median_time(times: &[Duration]) -> Option<Duration> {
    let seconds: Vec<f64> = times.iter().map(Duration::as_secs_f64).collect();
    median(&seconds).map(Duration::from_secs_f64)
}

/// The median of values that may be put into another order.
fn middle(values: &mut [f64]) -> Option<f64> {
    let half = values.len().checked_sub(1)? / 2;
    let even = values.len().is_multiple_of(2);
    let (_, low, above) = values.select_nth_unstable_by(half, f64::total_cmp);
    let next = above.iter().copied().min_by(f64::total_cmp).filter(|_| even);
    Some(f64::midpoint(*low, next.unwrap_or(*low)))
}

/// The percentile by nearest rank, the smallest sample that at least `percent` % of them do not exceed; of sorted
/// samples. `None` of nothing.
#[must_use]
pub fn percentile(sorted: &[f64], percent: usize) -> Option<f64> {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).copied()
}

/// All figures about the samples; `None` of nothing.
#[must_use]
pub fn summary(values: &[f64]) -> Option<Summary> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let median = median(&sorted)?;
    let distances: Vec<f64> = sorted.iter().map(|value| (value - median).abs()).collect();
    Some(Summary {
        n: sorted.len(),
        median,
        min: *sorted.first()?,
        max: *sorted.last()?,
        mad: self::median(&distances)?,
        p50: percentile(&sorted, 50)?,
        p95: percentile(&sorted, 95)?,
        p99: percentile(&sorted, 99)?,
    })
}

/// How many times the first of each pair is the second: the median of the ratios and its interval. `None` without
/// pairs, or when a second is 0.
#[must_use]
pub fn paired_ratio(pairs: &[(f64, f64)]) -> Option<Ratio> {
    let mut ratios: Vec<f64> = pairs.iter().map(|(first, second)| first / second).collect();
    if ratios.iter().any(|ratio| !ratio.is_finite()) {
        return None;
    }
    ratios.sort_unstable_by(f64::total_cmp);
    let n = ratios.len();
    let interval = rank(n).map(|rank| (ratios[rank - 1], ratios[n - rank]));
    Some(Ratio { n, median: median(&ratios)?, interval })
}

/// The largest k so that the k-th smallest and the k-th largest of n samples hold the true median between them at least
/// 95 times in 100, whatever the distribution: `1 - 2 P(Bin(n, 1/2) < k)`, as in the sign test. `None` below `FEWEST`.
fn rank(n: usize) -> Option<usize> {
    // The terms are C(n, i) / 2^n; of large n the first ones are too small to be anything but logarithms.
    let mut logarithm = -(n as f64) * std::f64::consts::LN_2;
    let mut tail = 0.0;
    for below in 0..n {
        tail += logarithm.exp();
        if tail > 0.025 {
            return Some(below).filter(|rank| *rank > 0);
        }
        logarithm += ((n - below) as f64 / (below + 1) as f64).ln();
    }
    None
}

/// The line through points by Theil and Sen: the median of the slopes between all pairs of points with different x,
/// then the median of what is left over at x = 0. A single wild point does not move it. `None` without two different
/// x.
#[must_use]
pub fn theil_sen(points: &[(f64, f64)]) -> Option<Line> {
    let mut slopes = Vec::new();
    for (at, (x, y)) in points.iter().enumerate() {
        for (other_x, other_y) in &points[at + 1..] {
            if (other_x - x).abs() > 0.0 {
                slopes.push((other_y - y) / (other_x - x));
            }
        }
    }
    let slope = middle(&mut slopes)?;
    let left: Vec<f64> = points.iter().map(|(x, y)| y - slope * x).collect();
    Some(Line { slope, floor: median(&left)? })
}

#[cfg(test)]
#[path = "stats_tests.rs"]
mod tests;
