//! Statistics against values computed by hand, and their laws.

use super::*;

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
    let ratio = paired_ratio(&[(20.0, 10.0), (3.0, 1.0), (400.0, 100.0)], 1).unwrap();
    assert_close(ratio.median, 3.0);
    assert_close(ratio.low, 2.0);
    assert_close(ratio.high, 4.0);
    assert_eq!(ratio.n, 3);
    assert!(!ratio.is_undecided());
}

#[test]
fn a_constant_ratio_has_no_width() {
    // A drift over both of a pair does not matter.
    let pairs: Vec<(f64, f64)> = (1..=10).map(|step| (f64::from(step) * 3.0, f64::from(step))).collect();
    assert_eq!(paired_ratio(&pairs, 7), Some(Ratio { n: 10, median: 3.0, low: 3.0, high: 3.0 }));
    assert!(paired_ratio(&[(1.0, 1.0)], 7).is_some_and(|ratio| ratio.is_undecided()));
}

#[test]
fn no_ratio_of_nothing_or_over_zero() {
    assert_eq!(paired_ratio(&[], 1), None);
    assert_eq!(paired_ratio(&[(1.0, 0.0)], 1), None);
    assert_eq!(paired_ratio(&[(0.0, 0.0), (1.0, 1.0)], 1), None);
}

#[test]
fn the_bootstrap_can_be_reproduced() {
    let pairs: Vec<(f64, f64)> = (1..=9).map(|step| (f64::from(step * step % 7 + 3), 2.0)).collect();
    assert_eq!(paired_ratio(&pairs, 42), paired_ratio(&pairs, 42));
}

#[test]
fn the_interval_holds_the_truth_about_as_often_as_it_says() {
    // Ratios spread evenly around 2: of 300 sets of 15 pairs, about 95 % of the intervals have to hold 2.
    let mut random = Random::new(11);
    let mut held = 0;
    for seed in 0..300 {
        let pairs: Vec<(f64, f64)> = (0..15).map(|_| (1.0 + random.below(2_001) as f64 / 1_000.0, 1.0)).collect();
        let ratio = paired_ratio(&pairs, seed).unwrap();
        held += usize::from(ratio.low <= 2.0 && 2.0 <= ratio.high);
    }
    assert!((270..=299).contains(&held), "{held} of 300");
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
        let seed = u.arbitrary()?;
        let ratio = paired_ratio(&pairs, seed).unwrap();
        let all = summary(&firsts).unwrap();
        assert!(all.min / 2.0 <= ratio.low && ratio.low <= ratio.high && ratio.high <= all.max / 2.0, "{ratio:?}");
        assert_close(ratio.median, all.median / 2.0);
        let scaled: Vec<(f64, f64)> = pairs.iter().map(|(first, second)| (first * 4.0, second * 4.0)).collect();
        assert_eq!(paired_ratio(&scaled, seed), Some(ratio));
        Ok(())
    })
    .budget_ms(300);
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
