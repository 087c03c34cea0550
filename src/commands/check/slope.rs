//! What a KB costs: plain bodies of a few sizes, a line through their times, and who is the bottleneck.

use std::time::Duration;

use super::ask::{Ask, Form};
use super::floor::Floor;
use super::report::{Report, Row};
use crate::error::Result;
use crate::output::units;
use crate::stats::{self, Line};

/// The sizes, in bytes; a KB is 1,000 of them. The first is large enough that the next one's time can be estimated even
/// when its own answer was late.
const SIZES: [usize; 4] = [8_000, 32_000, 128_000, 512_000];

/// As far into the budget, in percent, as these are posted: the rest is for gzip.
const SHARE: u32 = 80;

/// A send buffer that grows with the connection takes the largest body at once, which hides how fast it leaves. This
/// one does not hold it up: a new connection never has more than half of what it sent so far under way. Linux doubles
/// the figure, for its bookkeeping, and refuses more than 212,992.
pub(super) const SEND_BUFFER: usize = 150_000;

/// A body of a long session that this was written for, in bytes, plain and as gzip.
pub(super) const SESSION: [u64; 2] = [2_778_983, 798_104];

/// Below this many seconds for the session's body there is nothing to gain from gzip.
const NOTHING: f64 = 0.1;

/// Times say that a body of this size costs nothing, smaller ones may drown in the noise.
const TELLING: f64 = 100_000.0;

/// What more bytes cost.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Slope {
    /// Seconds for a KB.
    PerKb(f64),
    /// No more than the times vary anyway, or next to nothing.
    Fast,
    /// The times vary by this many seconds, more than the bodies cost that there was time for.
    Unclear(f64),
    /// There was time for two sizes, and a line goes through any two.
    TwoSizes,
}

/// A body's size in bytes and the seconds until its answer began.
pub(super) type Point = (f64, f64);

/// How many seconds later than on the line an answer began.
fn off(line: &Line, point: &Point) -> f64 {
    point.1 - line.floor - line.slope * point.0
}

/// A line through the points, what the largest of them adds on it, and what their times vary by off it, in seconds.
fn line(points: &[Point]) -> Option<(Line, f64, f64)> {
    let line = stats::theil_sen(points)?;
    let largest = points.iter().fold(0.0, |largest: f64, point| largest.max(point.0));
    let off = points.iter().map(|point| off(&line, point));
    let noise = off.clone().fold(f64::NEG_INFINITY, f64::max) - off.fold(f64::INFINITY, f64::min);
    Some((line, line.slope * largest, noise))
}

/// The same through all points but the one that is furthest off the line through all, where there are enough to tell:
/// so few slopes have their median too near to those that a single late answer makes. `None` for a single size.
fn robust_line(points: &[Point]) -> Option<(Line, f64, f64)> {
    let all = line(points)?;
    let floors = points.iter().filter(|point| point.0 <= points[0].0).count();
    if points.len() < floors.max(2) + 3 {
        return Some(all);
    }
    let distance = |at: usize| off(&all.0, &points[at]).abs();
    let furthest = (0..points.len()).max_by(|one, other| distance(*one).total_cmp(&distance(*other)))?;
    line(&[&points[..furthest], &points[furthest + 1..]].concat())
}

/// The slope of the points, smallest first; `None` for a single size.
///
/// What the largest body adds must be twice what the times vary by.
pub(super) fn judge(points: &[Point]) -> Option<Slope> {
    let (line, adds, noise) = robust_line(points)?;
    // No size comes twice but the floor's.
    if points.iter().filter(|point| point.0 > points[0].0).count() < 2 {
        return Some(Slope::TwoSizes);
    }
    let clear = adds > 2.0 * noise;
    Some(if line.slope * SESSION[0] as f64 > NOTHING && clear {
        Slope::PerKb(line.slope * 1000.0)
    } else if clear || points.iter().any(|point| point.0 >= TELLING) {
        Slope::Fast
    } else {
        Slope::Unclear(noise)
    })
}

/// An estimate of the link in bytes per second: what had left the send buffer when the last byte went into it. `None`
/// when most of the body may still have been there.
///
/// The kernel asks for more when a third of the buffer is free, so that it holds from six to nine tenths of its size
/// at the end: eight, to be on one side of the middle.
pub(super) fn uplink(bytes: u64, buffer: u64, sending: Duration) -> Option<f64> {
    let left = bytes.checked_sub(buffer / 10 * 8).filter(|left| left * 4 >= bytes)?;
    Some(left as f64 / sending.as_secs_f64()).filter(|rate| rate.is_finite())
}

/// What the relay itself takes in, in bytes per second; `None` when the link explains three quarters of the slope or
/// more: the estimate is no better than that.
pub(super) fn ingestion(per_kb: f64, uplink: f64) -> Option<f64> {
    let own = per_kb - 1000.0 / uplink;
    (own > per_kb / 4.0).then(|| 1000.0 / own)
}

/// Posts the sizes, smallest first, as far as the budget goes; returns all points, the floor's too.
pub(super) fn probe(ask: &Ask<'_>, floor: &Floor, report: &mut Report<'_>) -> Result<Vec<Point>> {
    let mut points = floor.points.clone();
    let mut largest = None;
    let mut told = Vec::new();
    for size in SIZES {
        let name = units::bytes(size as u64);
        if !ask.fits(floor.beside + expected(&points, size), SHARE) {
            told.push(format!("{name} not sent: {}", ask.no_time()));
            break;
        }
        let reply = ask.post(ask.target.body(size), Form::Plain)?;
        let reason = match (&reply.answer, reply.wait(), reply.transfer.timings.posttransfer) {
            (Ok(answer), Some(wait), Some(_)) if answer.same(&floor.answer) => {
                points.push((size as f64, wait.as_secs_f64()));
                largest = Some((size as u64, reply.transfer));
                continue;
            }
            (Ok(answer), ..) if answer.status >= 400 && answer.status != 429 && !answer.same(&floor.answer) => {
                report.findings.refused = Some((size as u64, answer.status));
                format!("refused: {}", answer.told())
            }
            (Ok(answer), _, Some(_)) => format!("answered with {}", answer.told()),
            (Ok(answer), ..) => format!("answered before it was sent: {}", answer.told()),
            (Err(error), ..) => error.to_string(),
        };
        told.push(format!("{name} {reason}"));
        break;
    }
    let slope = judge(&points);
    report.findings.slope = slope;
    if let Some(slope) = slope {
        told.insert(0, describe(slope, &points[floor.points.len()..]));
    }
    let told = told.join("; ");
    report.row(if slope.is_some() { Row::ok("slope", None, told) } else { Row::skipped("slope", told) })?;
    let Some((bytes, transfer)) = largest else {
        return report.row(Row::skipped("uplink", "no plain body to tell it by")).map(|()| points);
    };
    let sending = transfer.timings.between(|t| t.pretransfer, |t| t.posttransfer).unwrap_or_default();
    let rate = transfer.send_buffer.and_then(|buffer| uplink(bytes, buffer, sending));
    report.findings.uplink = rate;
    report.row(match (rate, bottleneck(slope, rate)) {
        (Some(_), text) => Row::ok("uplink", None, text),
        (None, text) => Row::skipped("uplink", format!("{} fit into the send buffer{text}", units::bytes(bytes))),
    })?;
    Ok(points)
}

/// How long a body of this size is going to take, by what is known so far: no less than the largest one that is no
/// larger took.
pub(super) fn expected(points: &[Point], size: usize) -> Duration {
    let size = size as f64;
    let known = points.iter().rfind(|point| point.0 <= size).or(points.first()).map_or(0.0, |point| point.1);
    let seconds = robust_line(points).map_or(known, |(line, ..)| line.floor + line.slope * size);
    Duration::try_from_secs_f64(seconds.max(known)).unwrap_or_default()
}

fn describe(slope: Slope, points: &[Point]) -> String {
    let all: Vec<String> = points.iter().map(|point| format!("{:.0}", point.0 / 1000.0)).collect();
    let sizes = format!("({} KB)", all.join(", "));
    match slope {
        Slope::PerKb(seconds) => format!("{} a KB {sizes}", milliseconds(seconds)),
        Slope::Fast => format!("fast: more bytes cost next to nothing {sizes}"),
        Slope::Unclear(noise) => {
            format!("cannot be told: the times vary by {}, more than these cost {sizes}", milliseconds(noise))
        }
        Slope::TwoSizes => format!("cannot be told from two sizes (tiny, {} KB)", all.concat()),
    }
}

/// Which of the two is slower; behind a rate that is not known, only what can be said all the same.
fn bottleneck(slope: Option<Slope>, uplink: Option<f64>) -> String {
    let megabytes = |rate: f64| format!("{} MB/s", digits(rate / 1e6));
    match (slope, uplink) {
        (Some(Slope::PerKb(per_kb)), Some(uplink)) => match ingestion(per_kb, uplink) {
            Some(own) if own < uplink => {
                let (uplink, own) = (megabytes(uplink), megabytes(own));
                format!("about {uplink}, and the relay takes in {own}: the relay is the bottleneck")
            }
            Some(own) => {
                let (uplink, own) = (megabytes(uplink), megabytes(own));
                format!("about {uplink}, and the relay takes in {own}: the link is the bottleneck")
            }
            None => format!("about {}: the link is the bottleneck, or the relay reads no faster", megabytes(uplink)),
        },
        (Some(Slope::PerKb(per_kb)), None) => format!("; link and relay together take {}", megabytes(1000.0 / per_kb)),
        (_, Some(uplink)) => format!("about {}", megabytes(uplink)),
        (_, None) => String::new(),
    }
}

/// `24.1 ms`, `0.32 ms`
fn milliseconds(seconds: f64) -> String {
    format!("{} ms", digits(seconds * 1000.0))
}

/// About three digits of a small figure.
pub(super) fn digits(figure: f64) -> String {
    if figure < 0.1 { format!("{figure:.3}") } else { units::three_digits(figure) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three floors and the sizes, on a line with these ms added.
    fn points(floor: f64, per_kb: f64, off: [f64; 7]) -> Vec<Point> {
        let sizes = [110.0, 110.0, 110.0, 8e3, 32e3, 128e3, 512e3];
        let time = |(size, off): (f64, f64)| (size, (floor + per_kb * size / 1000.0 + off) / 1000.0);
        sizes.into_iter().zip(off).map(time).collect()
    }

    #[test]
    fn a_slow_relay_has_a_slope_in_spite_of_noise() {
        let noisy = points(541.0, 24.1, [0.0, 300.0, -200.0, 250.0, -250.0, 300.0, -300.0]);
        let Some(Slope::PerKb(per_kb)) = judge(&noisy) else { panic!("no slope") };
        assert!((per_kb - 24.1e-3).abs() < 2e-3, "{per_kb}");
        // Two sizes were all that the budget allowed.
        assert!(matches!(judge(&points(541.0, 24.1, [0.0; 7])[..5]), Some(Slope::PerKb(_))));
    }

    #[test]
    fn a_fast_relay_has_none() {
        for points in [
            points(3.0, 0.0, [0.0, 0.4, 0.2, 0.1, 0.3, 0.0, 0.5]),
            points(30.0, 0.0, [0.0, 9.0, -9.0, 3.0, -5.0, 0.0, 12.0]),
            points(3.0, 0.02, [0.0; 7]),
            points(30.0, -0.1, [0.0; 7]),
        ] {
            assert_eq!(judge(&points), Some(Slope::Fast), "{points:?}");
        }
    }

    #[test]
    fn one_late_answer_does_not_change_the_verdict() {
        let off = [0.0, 2.0, 1.0, 3.0, 0.0, 2.0, 1.0];
        for late in 0..7 {
            let mut fast = points(30.0, 0.0, off);
            fast[late].1 += 0.9;
            let mut slow = points(541.0, 24.1, off.map(|off| off * 20.0));
            slow[late].1 *= 3.0;
            // Three floors, and one.
            for skipped in [0, 2] {
                assert_eq!(judge(&fast[skipped..]), Some(Slope::Fast), "{fast:?}");
                let Some(Slope::PerKb(per_kb)) = judge(&slow[skipped..]) else { panic!("{slow:?}") };
                assert!((per_kb - 24.1e-3).abs() < 0.5e-3, "{per_kb} {slow:?}");
            }
            // Nor does it keep the next size from being sent: the default budget has that much left.
            for next in 4..7 {
                let expected = expected(&slow[..next], SIZES[next - 3]);
                assert!(expected < Duration::from_secs(15), "{expected:?} {slow:?}");
            }
        }
    }

    #[test]
    fn too_few_bytes_say_nothing() {
        let few = &points(541.0, 10.0, [0.0, 400.0, -300.0, 0.0, 0.0, 0.0, 0.0])[..5];
        assert!(matches!(judge(few), Some(Slope::Unclear(noise)) if noise > 0.6));
        assert_eq!(judge(&few[..3]), None);
        // A single floor and one larger size have no noise to be measured by.
        assert_eq!(judge(&few[2..4]), Some(Slope::TwoSizes));
        assert_eq!(judge(&[(110.0, 6.0), (8e3, 6.5)]), Some(Slope::TwoSizes));
    }

    #[test]
    fn the_uplink_is_what_left_the_buffer() {
        let second = Duration::from_secs(1);
        assert_eq!(uplink(512_000, 300_000, second), Some(272_000.0));
        assert_eq!(uplink(512_000, 480_000, second), Some(128_000.0));
        assert_eq!(uplink(512_000, 480_010, second), None);
        assert_eq!(uplink(512_000, 2_626_560, second), None);
        assert_eq!(uplink(512_000, 0, Duration::ZERO), None);
    }

    #[test]
    fn the_slower_one_is_named() {
        let told = |per_kb, uplink| bottleneck(Some(Slope::PerKb(per_kb)), uplink);
        let expected = "about 3.60 MB/s, and the relay takes in 0.042 MB/s: the relay is the bottleneck";
        assert_eq!(told(24.1e-3, Some(3.6e6)), expected);
        let expected = "about 0.50 MB/s, and the relay takes in 1.00 MB/s: the link is the bottleneck";
        assert_eq!(told(3.0e-3, Some(0.5e6)), expected);
        assert!(told(2.0e-3, Some(0.5e6)).ends_with("the link is the bottleneck, or the relay reads no faster"));
        assert_eq!(told(2.0e-3, None), "; link and relay together take 0.50 MB/s");
        assert_eq!(bottleneck(Some(Slope::Fast), Some(90e6)), "about 90.0 MB/s");
    }

    #[test]
    fn the_next_size_is_expected_on_the_line() {
        let points = points(541.0, 24.1, [0.0; 7]);
        assert_eq!(expected(&points[..3], 1_000).as_millis(), 543);
        assert_eq!(expected(&points[..5], 128_000).as_millis(), 3625);
        // A line that falls is no reason to hope.
        assert_eq!(expected(&[(1.0, 2.0), (2.0, 1.0)], 100).as_secs(), 1);
        assert_eq!(expected(&[], 100), Duration::ZERO);
        // Larger ones are known too when it is gzip's turn.
        assert_eq!(expected(&points, 0).as_millis(), 543);
        assert_eq!(expected(&points, 64_000).as_millis(), 2083);
    }
}
