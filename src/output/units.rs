//! Sizes and lengths of time for people: decimal units, about three digits.

use std::time::Duration;

/// Bytes as `512 B`, `4.1 KB`, `377 KB`, `2.78 MB`, `27.8 MB`, `1.20 GB`; a KB is 1,000 bytes.
#[must_use]
pub fn bytes(bytes: u64) -> String {
    // Each limit is where rounding would reach the next unit.
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..9_950 => format!("{:.1} KB", bytes as f64 / 1e3),
        9_950..999_500 => format!("{:.0} KB", bytes as f64 / 1e3),
        999_500..999_500_000 => format!("{} MB", three_digits(bytes as f64 / 1e6)),
        _ => format!("{} GB", three_digits(bytes as f64 / 1e9)),
    }
}

/// `1.20`, `27.8`, `377`: the unit is the caller's.
#[must_use]
pub fn three_digits(value: f64) -> String {
    if value < 9.995 {
        format!("{value:.2}")
    } else if value < 99.95 {
        format!("{value:.1}")
    } else {
        format!("{value:.0}")
    }
}

/// A length of time as `0.4 ms`, `24 ms`, `11.40 s`, `123.4 s`.
#[must_use]
pub fn duration(length: Duration) -> String {
    let seconds = length.as_secs_f64();
    if seconds < 0.009_95 {
        format!("{:.1} ms", seconds * 1e3)
    } else if seconds < 0.999_5 {
        format!("{:.0} ms", seconds * 1e3)
    } else if seconds < 99.995 {
        format!("{seconds:.2} s")
    } else {
        format!("{seconds:.1} s")
    }
}

/// The same of milliseconds with three digits, for comparisons: `0.42 ms`, `27.3 ms`, `741 ms`, `2.55 s`, `70.1 s`.
#[must_use]
pub fn milliseconds(ms: f64) -> String {
    if ms < 999.5 { format!("{} ms", three_digits(ms)) } else { format!("{} s", three_digits(ms / 1e3)) }
}

/// Whole seconds, minutes or tenths of hours: as much as an estimate is worth.
#[must_use]
pub fn rough(length: Duration) -> String {
    match length.as_secs() {
        seconds @ 0..100 => format!("{seconds} s"),
        seconds @ 100..6_000 => format!("{} min", (seconds + 30) / 60),
        seconds => format!("{:.1} h", seconds as f64 / 3_600.0),
    }
}

/// Seconds as curl prints them: `0.013241`.
#[must_use]
pub fn seconds(length: Duration) -> String {
    format!("{}.{:06}", length.as_secs(), length.subsec_micros())
}

/// A number of things: `1 token`, `2 tokens`.
#[must_use]
pub fn count(number: u64, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_about_three_digits() {
        let expected = [
            (0, "0 B"),
            (999, "999 B"),
            (1_000, "1.0 KB"),
            (4_096, "4.1 KB"),
            (9_949, "9.9 KB"),
            (9_950, "10 KB"),
            (377_000, "377 KB"),
            (999_499, "999 KB"),
            (999_500, "1.00 MB"),
            (2_778_983, "2.78 MB"),
            (27_789_830, "27.8 MB"),
            (277_898_300, "278 MB"),
            (999_500_000, "1.00 GB"),
            (1_200_000_000, "1.20 GB"),
        ];
        for (number, text) in expected {
            assert_eq!(bytes(number), text);
        }
    }

    #[test]
    fn milliseconds_have_three_digits() {
        for (ms, text) in [
            (0.0, "0.00 ms"),
            (0.4211, "0.42 ms"),
            (9.996, "10.0 ms"),
            (27.31, "27.3 ms"),
            (99.96, "100 ms"),
            (741.2, "741 ms"),
            (999.6, "1.00 s"),
            (2_549.0, "2.55 s"),
            (70_123.0, "70.1 s"),
            (123_456.0, "123 s"),
            (-3.0, "-3.00 ms"),
        ] {
            assert_eq!(milliseconds(ms), text);
        }
    }

    #[test]
    fn estimates_are_rough() {
        for (seconds, text) in [(0, "0 s"), (99, "99 s"), (100, "2 min"), (3_600, "60 min"), (9_000, "2.5 h")] {
            assert_eq!(rough(Duration::from_secs(seconds)), text);
        }
    }

    #[test]
    fn times_change_their_unit_with_their_size() {
        let expected = [
            (0, "0.0 ms"),
            (420, "0.4 ms"),
            (9_949, "9.9 ms"),
            (9_950, "10 ms"),
            (24_000, "24 ms"),
            (999_499, "999 ms"),
            (999_500, "1.00 s"),
            (11_402_733, "11.40 s"),
            (123_400_000, "123.4 s"),
        ];
        for (microseconds, text) in expected {
            assert_eq!(duration(Duration::from_micros(microseconds)), text);
        }
    }
}
