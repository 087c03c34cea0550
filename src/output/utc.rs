//! Moments of the wall clock as text in UTC, in the way of `strftime` in the C locale.

use std::fmt::Write as _;
use std::time::{Duration, SystemTime};

use crate::calendar::{MONTHS, first_day, month_length, year_length};

const WEEKDAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
/// A moment taken apart.
struct Moment {
    /// Since the epoch; negative before it.
    seconds: i64,
    microseconds: u32,
    year: i64,
    /// 0 is January.
    month: usize,
    /// 1 to 31
    day: i64,
    /// Of the year, 0 to 365.
    yearday: i64,
    /// 0 is Sunday.
    weekday: usize,
    hour: i64,
    minute: i64,
    second: i64,
}

/// The moment in a format of `strftime(3)`, with curl's `%f` for microseconds (`curl(1)`, TIME OUTPUT FORMAT).
///
/// A conversion that is unknown stays as it is.
#[must_use]
pub fn format(moment: SystemTime, format: &str) -> String {
    let mut text = String::new();
    expand(&Moment::new(moment), format, &mut text);
    text
}

fn expand(moment: &Moment, format: &str, text: &mut String) {
    let mut characters = format.chars();
    while let Some(character) = characters.next() {
        if character != '%' {
            text.push(character);
            continue;
        }
        match characters.next() {
            None => text.push('%'),
            Some(conversion) => convert(moment, conversion, text),
        }
    }
}

fn convert(moment: &Moment, conversion: char, text: &mut String) {
    let m = moment;
    let hour12 = (m.hour + 11) % 12 + 1;
    let half = if m.hour < 12 { "AM" } else { "PM" };
    let (week, week_year) = m.iso_week();
    let weekday = i64::try_from(m.weekday).unwrap_or(0);
    match conversion {
        'a' => text.push_str(&WEEKDAYS[m.weekday][..3]),
        'A' => text.push_str(WEEKDAYS[m.weekday]),
        'b' | 'h' => text.push_str(&MONTHS[m.month][..3]),
        'B' => text.push_str(MONTHS[m.month]),
        'c' => expand(m, "%a %b %e %H:%M:%S %Y", text),
        'D' | 'x' => expand(m, "%m/%d/%y", text),
        'F' => expand(m, "%Y-%m-%d", text),
        'r' => expand(m, "%I:%M:%S %p", text),
        'R' => expand(m, "%H:%M", text),
        'T' | 'X' => expand(m, "%H:%M:%S", text),
        'p' => text.push_str(half),
        'P' => text.push_str(&half.to_ascii_lowercase()),
        'z' => text.push_str("+0000"),
        'Z' => text.push_str("UTC"),
        'n' => text.push('\n'),
        't' => text.push('\t'),
        '%' => text.push('%'),
        'e' => padded(text, m.day, ' ', 2),
        'k' => padded(text, m.hour, ' ', 2),
        'l' => padded(text, hour12, ' ', 2),
        'C' => padded(text, m.year.div_euclid(100), '0', 2),
        'd' => padded(text, m.day, '0', 2),
        'f' => padded(text, i64::from(m.microseconds), '0', 6),
        'g' => padded(text, week_year.rem_euclid(100), '0', 2),
        'G' => padded(text, week_year, '0', 1),
        'H' => padded(text, m.hour, '0', 2),
        'I' => padded(text, hour12, '0', 2),
        'j' => padded(text, m.yearday + 1, '0', 3),
        'm' => padded(text, i64::try_from(m.month).unwrap_or(0) + 1, '0', 2),
        'M' => padded(text, m.minute, '0', 2),
        's' => padded(text, m.seconds, '0', 1),
        'S' => padded(text, m.second, '0', 2),
        'u' => padded(text, (weekday + 6) % 7 + 1, '0', 1),
        'U' => padded(text, (m.yearday + 7 - weekday) / 7, '0', 2),
        'V' => padded(text, week, '0', 2),
        'w' => padded(text, weekday, '0', 1),
        'W' => padded(text, (m.yearday + 7 - (weekday + 6) % 7) / 7, '0', 2),
        'y' => padded(text, m.year.rem_euclid(100), '0', 2),
        'Y' => padded(text, m.year, '0', 1),
        unknown => text.extend(['%', unknown]),
    }
}

fn padded(text: &mut String, number: i64, fill: char, width: usize) {
    let _ = if fill == '0' { write!(text, "{number:0width$}") } else { write!(text, "{number:width$}") };
}

impl Moment {
    fn new(moment: SystemTime) -> Moment {
        // Rounded down before the epoch too, so that the microseconds are never negative.
        let (seconds, microseconds) = match moment.duration_since(SystemTime::UNIX_EPOCH) {
            Ok(since) => (whole_seconds(since), since.subsec_micros()),
            Err(before) => {
                let back = before.duration() + Duration::from_nanos(999);
                match back.subsec_micros() {
                    0 => (-whole_seconds(back), 0),
                    part => (-whole_seconds(back) - 1, 1_000_000 - part),
                }
            }
        };
        let (days, time) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
        let (year, yearday) = year_of(days);
        let mut day = yearday;
        let mut month = 0;
        while day >= month_length(year, month) {
            day -= month_length(year, month);
            month += 1;
        }
        // 1 January 1970 was a Thursday.
        let weekday = usize::try_from((days + 4).rem_euclid(7)).unwrap_or(0);
        let (hour, minute, second) = (time / 3600, time / 60 % 60, time % 60);
        Moment { seconds, microseconds, year, month, day: day + 1, yearday, weekday, hour, minute, second }
    }

    /// The week of ISO 8601 and the year that it belongs to: the one its Thursday is in.
    fn iso_week(&self) -> (i64, i64) {
        let weekday = i64::try_from(self.weekday).unwrap_or(0);
        let thursday = self.yearday - (weekday + 6) % 7 + 3;
        if thursday < 0 {
            ((thursday + year_length(self.year - 1)) / 7 + 1, self.year - 1)
        } else if thursday >= year_length(self.year) {
            (1, self.year + 1)
        } else {
            (thursday / 7 + 1, self.year)
        }
    }
}

fn whole_seconds(duration: Duration) -> i64 {
    // A clock set beyond a million years must not keep us counting them.
    i64::try_from(duration.as_secs()).unwrap_or(i64::MAX).min(i64::from(u32::MAX) * 8192)
}

/// The year that a day since the epoch falls in, and the day's number in it from 0.
fn year_of(days: i64) -> (i64, i64) {
    // The average year never leads further than one year astray.
    let mut year = 1970 + (days * 400).div_euclid(146_097);
    if days < first_day(year) {
        year -= 1;
    } else if days >= first_day(year + 1) {
        year += 1;
    }
    (year, days - first_day(year))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)
    }

    #[test]
    fn curls_own_example() {
        let moment = at(1_754_037_103) + Duration::from_micros(37_103);
        let text = format(moment, "%d/%b/%Y %H:%M:%S.%f %z %Z%%s %s");
        assert_eq!(text, "01/Aug/2025 08:31:43.037103 +0000 UTC%s 1754037103");
    }

    #[test]
    fn every_conversion() {
        let all =
            "%a %A %b %B %c|%C %d %D %e %F %g %G %h %H %I %j %k %l %m %M %p %P|%r|%R %S %T %u %U %V %w %W %x %X %y";
        let expected = "Fri Friday Aug August Fri Aug  1 08:31:43 2025|20 01 08/01/25  1 2025-08-01 25 2025 Aug 08 08 213  8  8 \
                        08 31 AM am|08:31:43 AM|08:31 43 08:31:43 5 30 31 5 30 08/01/25 08:31:43 25";
        assert_eq!(format(at(1_754_037_103), all), expected);
    }

    #[test]
    fn leap_days_and_ends_of_years() {
        assert_eq!(format(at(0), "%F %T %j %a"), "1970-01-01 00:00:00 001 Thu");
        assert_eq!(format(at(951_782_400), "%F %j"), "2000-02-29 060");
        assert_eq!(format(at(978_220_800), "%F %j"), "2000-12-31 366");
        assert_eq!(format(at(4_107_542_400), "%F"), "2100-03-01");
        // The first and last days of these years belong to a week of the neighbour.
        assert_eq!(format(at(1_609_459_200), "%F %G-%V"), "2021-01-01 2020-53");
        assert_eq!(format(at(1_735_603_200), "%F %G-%V"), "2024-12-31 2025-01");
        assert_eq!(format(SystemTime::UNIX_EPOCH - Duration::from_micros(1), "%F %T.%f"), "1969-12-31 23:59:59.999999");
    }

    #[test]
    fn unknown_conversions_stay() {
        assert_eq!(format(at(0), "%Q %é 100%"), "%Q %é 100%");
    }

    #[test]
    fn no_format_and_no_moment_panics() {
        arbtest::arbtest(|u| {
            let (text, seconds): (String, u64) = (u.arbitrary()?, u.arbitrary()?);
            let far = SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds));
            let _ = format(far.unwrap_or(SystemTime::UNIX_EPOCH), &text);
            let _ = format(SystemTime::UNIX_EPOCH, &format!("%{text}"));
            Ok(())
        });
    }
}
