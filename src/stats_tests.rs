//! Statistics against values computed by hand, and their laws.

use super::*;
use crate::random::Random;

fn assert_close(got: f64, expected: f64) {
    assert!((got - expected).abs() <= expected.abs() * 1e-9 + 1e-12, "{got} is not {expected}");
}

#[test]
fn medians_by_hand() {
    for (values, expected) in [
        (&[3.0][..], 3.0),
        (&[4.0, 1.0], 2.5),
        (&[9.0, 1.0, 5.0], 5.0),
        (&[1.0, 100.0, 2.0, 3.0], 2.5),
        (&[2.0, 2.0, 2.0, 7.0, 1.0], 2.0),
    ] {
        assert_close(median(values).unwrap(), expected);
    }
    assert_eq!(median(&[]), None);
}

#[test]
fn percentiles_are_samples_by_nearest_rank() {
    // The textbook's example of five, and a hundred where rank and percentile are the same.
    let five = [15.0, 20.0, 35.0, 40.0, 50.0];
    for (percent, expected) in [(5, 15.0), (30, 20.0), (40, 20.0), (50, 35.0), (95, 50.0), (100, 50.0), (0, 15.0)] {
        assert_close(percentile(&five, percent).unwrap(), expected);
    }
    let hundred: Vec<f64> = (1..=100).map(f64::from).collect();
    for percent in [1, 50, 95, 99, 100] {
        assert_close(percentile(&hundred, percent).unwrap(), percent as f64);
    }
    let ten: Vec<f64> = (1..=10).map(f64::from).collect();
    assert_close(percentile(&ten, 50).unwrap(), 5.0);
    assert_close(percentile(&ten, 95).unwrap(), 10.0);
    let twenty: Vec<f64> = (1..=20).map(f64::from).collect();
    assert_close(percentile(&twenty, 95).unwrap(), 19.0);
    assert_eq!(percentile(&[], 50), None);
}

#[test]
fn a_summary_by_hand() {
    // Sorted 1 1 2 2 4 6 9; distances from 2: 1 1 0 0 2 4 7, sorted 0 0 1 1 2 4 7.
    let expected = Summary { n: 7, median: 2.0, min: 1.0, max: 9.0, mad: 1.0, p50: 2.0, p95: 9.0, p99: 9.0 };
    assert_eq!(summary(&[2.0, 1.0, 9.0, 4.0, 6.0, 1.0, 2.0]), Some(expected));
    let one = Summary { n: 1, median: 5.0, min: 5.0, max: 5.0, mad: 0.0, p50: 5.0, p95: 5.0, p99: 5.0 };
    assert_eq!(summary(&[5.0]), Some(one));
    assert_eq!(summary(&[]), None);
}

#[test]
fn ratios_are_taken_pair_by_pair() {
    // 2, 3 and 4; the ratio of the medians would be 20 / 10.
    let ratio = paired_ratio(&[(20.0, 10.0), (3.0, 1.0), (400.0, 100.0)]).unwrap();
    assert_eq!(ratio, Ratio { n: 3, median: 3.0, interval: None });
    assert!(!ratio.is_undecided());
    let pairs = [(20.0, 10.0), (3.0, 1.0), (1.0, 2.0), (7.0, 1.0), (5.0, 1.0), (6.0, 1.0)];
    let ratio = paired_ratio(&pairs).unwrap();
    assert_eq!(ratio, Ratio { n: 6, median: 4.0, interval: Some((0.5, 7.0)) });
    assert!(ratio.is_undecided());
}

#[test]
fn a_constant_ratio_has_no_width() {
    // A drift over both of a pair does not matter.
    let pairs: Vec<(f64, f64)> = (1..=10).map(|step| (f64::from(step) * 3.0, f64::from(step))).collect();
    assert_eq!(paired_ratio(&pairs), Some(Ratio { n: 10, median: 3.0, interval: Some((3.0, 3.0)) }));
    assert!(paired_ratio(&[(1.0, 1.0); FEWEST]).is_some_and(|ratio| ratio.is_undecided()));
}

#[test]
fn no_ratio_of_nothing_or_over_zero() {
    assert_eq!(paired_ratio(&[]), None);
    assert_eq!(paired_ratio(&[(1.0, 0.0)]), None);
    assert_eq!(paired_ratio(&[(0.0, 0.0), (1.0, 1.0)]), None);
}

#[test]
fn ranks_are_those_of_tables() {
    for few in 0..FEWEST {
        assert_eq!(rank(few), None, "{few}");
    }
    for (n, low, high) in
        [(6, 1, 6), (7, 1, 7), (8, 1, 8), (9, 2, 8), (10, 2, 9), (15, 4, 12), (20, 6, 15), (100, 40, 61)]
    {
        assert_eq!(rank(n).map(|rank| (rank, n + 1 - rank)), Some((low, high)), "{n}");
    }
    // Counted with whole numbers; the normal distribution says n / 2 - 1.96 √n / 2 = 49,690.1.
    assert_eq!(rank(100_000), Some(49_690));
}

#[test]
fn intervals_are_the_narrowest_that_cover_enough() {
    // Whole numbers up to 2^100 are exact here: Pascal's triangle.
    let mut row = vec![1_u128];
    for n in 1..=100 {
        row = std::iter::once(1).chain(row.windows(2).map(|two| two[0] + two[1])).chain([1]).collect();
        let covers = |rank: usize| 40 * row[..rank].iter().sum::<u128>() <= 1 << n;
        match rank(n) {
            Some(rank) => assert!(covers(rank) && !covers(rank + 1), "{rank} of {n}"),
            None => assert!(!covers(1), "{n}"),
        }
    }
}

#[test]
fn the_interval_holds_the_truth_at_least_as_often_as_it_says() {
    // Fourth powers of evenly spread numbers around 1: the median is 1 + 1, most of the rest is far above it.
    const SETS: usize = 4_000;
    let mut random = Random::new(11);
    for n in [6, 7, 10, 15] {
        let mut draw = || 1.0 + (random.below(2_001) as f64 / 1_000.0).powi(4);
        let mut held = 0;
        for _ in 0..SETS {
            let pairs: Vec<(f64, f64)> = (0..n).map(|_| (draw(), 1.0)).collect();
            let (low, high) = paired_ratio(&pairs).unwrap().interval.unwrap();
            held += usize::from(low <= 2.0 && 2.0 <= high);
        }
        assert!(held * 100 >= SETS * 95, "{held} of {SETS} sets of {n}");
    }
}

#[test]
fn a_line_by_hand() {
    // Ten of the slopes are 2; the five of the wild point (3, 100) do not move the median.
    let line = theil_sen(&[(0.0, 5.0), (1.0, 7.0), (2.0, 9.0), (4.0, 13.0), (5.0, 15.0), (3.0, 100.0)]).unwrap();
    assert_close(line.slope, 2.0);
    assert_close(line.floor, 5.0);
    // Three points: slopes 1, 2, 1.5; left over 0 - 0, 1 - 1.5, 3 - 3.
    let line = theil_sen(&[(0.0, 0.0), (1.0, 1.0), (2.0, 3.0)]).unwrap();
    assert_close(line.slope, 1.5);
    assert_close(line.floor, 0.0);
}

#[test]
fn no_line_without_two_places() {
    assert_eq!(theil_sen(&[]), None);
    assert_eq!(theil_sen(&[(1.0, 2.0)]), None);
    assert_eq!(theil_sen(&[(1.0, 2.0), (1.0, 3.0)]), None);
}

fn values(u: &mut arbtest::arbitrary::Unstructured<'_>, most: usize) -> arbtest::arbitrary::Result<Vec<f64>> {
    let count = u.int_in_range(1..=most)?;
    (0..count).map(|_| Ok(f64::from(u.int_in_range(1..=1_000_000_u32)?) / 1_000.0)).collect()
}

#[test]
fn laws_of_a_summary() {
    arbtest::arbtest(|u| {
        let mut values = values(u, 40)?;
        let summary = summary(&values).unwrap();
        let Summary { n, median, min, max, mad, p50, p95, p99 } = summary;
        assert_eq!(n, values.len());
        assert!(min <= p50 && p50 <= median && median <= max && p50 <= p95 && p95 <= p99 && p99 <= max, "{summary:?}");
        assert!(mad <= max - min);
        for sample in [min, max, p50, p95, p99] {
            assert!(values.contains(&sample));
        }
        let within = values.iter().filter(|value| **value <= p95).count();
        assert!(within * 100 >= 95 * n, "{within} of {n}");
        values.reverse();
        assert_eq!(super::summary(&values), Some(summary));
        Ok(())
    });
}

#[test]
fn laws_of_a_ratio() {
    arbtest::arbtest(|u| {
        let firsts = values(u, 12)?;
        let pairs: Vec<(f64, f64)> = firsts.iter().map(|first| (*first, 2.0)).collect();
        let ratio = paired_ratio(&pairs).unwrap();
        let all = summary(&firsts).unwrap();
        assert_eq!(ratio.interval.is_some(), firsts.len() >= FEWEST);
        if let Some((low, high)) = ratio.interval {
            assert!(all.min / 2.0 <= low && low <= ratio.median, "{ratio:?}");
            assert!(ratio.median <= high && high <= all.max / 2.0, "{ratio:?}");
        }
        assert_close(ratio.median, all.median / 2.0);
        let scaled: Vec<(f64, f64)> = pairs.iter().map(|(first, second)| (first * 4.0, second * 4.0)).collect();
        assert_eq!(paired_ratio(&scaled), Some(ratio));
        Ok(())
    });
}

#[test]
fn a_line_is_found_again_below_a_quarter_of_wild_points() {
    arbtest::arbtest(|u| {
        let slope = f64::from(u.int_in_range(0..=5_000_u32)?) / 100.0;
        let floor = f64::from(u.int_in_range(0..=5_000_u32)?);
        let count = u.int_in_range(9..=20_u32)?;
        let mut points: Vec<(f64, f64)> = (0..count).map(|x| (f64::from(x), floor + slope * f64::from(x))).collect();
        // With 2 of 9 wild, 21 of 36 slopes are still the line's.
        for _ in 0..2 {
            let at = u.choose_index(points.len())?;
            points[at].1 = f64::from(u.int_in_range(0..=1_000_000_u32)?);
        }
        let line = theil_sen(&points).unwrap();
        assert!((line.slope - slope).abs() < 1e-6 && (line.floor - floor).abs() < 1e-4, "{line:?} {slope} {floor}");
        Ok(())
    });
}
