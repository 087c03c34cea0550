//! The Gregorian calendar in UTC: lengths of years and months, and the dates that servers write.

use std::time::{Duration, SystemTime};

/// The names of the months, from January on.
pub const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// 1 January of a year in days since the epoch (Gregorian, also before its introduction).
pub fn first_day(year: i64) -> i64 {
    let past = year - 1;
    let leaps = past.div_euclid(4) - past.div_euclid(100) + past.div_euclid(400);
    (year - 1970) * 365 + leaps - 477
}

/// In days.
pub fn year_length(year: i64) -> i64 {
    first_day(year + 1) - first_day(year)
}

/// In days; month 0 is January.
pub fn month_length(year: i64, month: usize) -> i64 {
    match month {
        1 if year_length(year) == 366 => 29,
        1 => 28,
        3 | 5 | 8 | 10 => 30,
        _ => 31,
    }
}

/// A moment; month 1 is January. `None` for one that does not exist.
pub fn moment(year: i64, month: usize, day: i64, clock: [i64; 3]) -> Option<SystemTime> {
    // A leap second is the next minute's first.
    let [hour @ 0..24, minute @ 0..60, second @ 0..=60] = clock else { return None };
    let month = month.checked_sub(1).filter(|month| *month < MONTHS.len())?;
    if !(1..=month_length(year, month)).contains(&day) {
        return None;
    }
    let days = first_day(year) + (0..month).map(|month| month_length(year, month)).sum::<i64>() + day - 1;
    let seconds = ((days * 24 + hour) * 60 + minute) * 60 + second;
    let distance = Duration::from_secs(seconds.unsigned_abs());
    let epoch = SystemTime::UNIX_EPOCH;
    if seconds < 0 { epoch.checked_sub(distance) } else { epoch.checked_add(distance) }
}

/// A date in one of HTTP's three forms (RFC 9110, section 5.6.7); the day of the week is not checked.
///
/// Two digits of a year below 70 belong to the 21st century.
#[must_use]
pub fn http_date(text: &str) -> Option<SystemTime> {
    let words: Vec<&str> = text.split([' ', ',', '-']).filter(|word| !word.is_empty()).collect();
    let (day, month, year, time) = match words.as_slice() {
        // Sun, 06 Nov 1994 08:49:37 GMT; Sunday, 06-Nov-94 08:49:37 GMT
        [_, day, month, year, time, zone] if zone.eq_ignore_ascii_case("GMT") => (day, month, year, time),
        // Sun Nov  6 08:49:37 1994
        [_, month, day, time, year] => (day, month, year, time),
        _ => return None,
    };
    let year = match (year.len(), number(year)?) {
        (4, year) => year,
        (2, year @ ..70) => 2000 + year,
        (2, year) => 1900 + year,
        _ => return None,
    };
    let month = MONTHS.iter().position(|name| name[..3].eq_ignore_ascii_case(month))? + 1;
    let day = number(day)?;
    let clock = time.split(':').map(|part| number(part).filter(|_| part.len() == 2)).collect::<Option<Vec<i64>>>()?;
    let &[hour, minute, second] = clock.as_slice() else { return None };
    moment(year, month, day, [hour, minute, second])
}

fn number(text: &str) -> Option<i64> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_in_three_forms() {
        let unix = |text| http_date(text)?.duration_since(SystemTime::UNIX_EPOCH).ok().map(|since| since.as_secs());
        for (text, expected) in [
            ("Sun, 06 Nov 1994 08:49:37 GMT", Some(784_111_777)),
            ("Sunday, 06-Nov-94 08:49:37 GMT", Some(784_111_777)),
            ("Sun Nov  6 08:49:37 1994", Some(784_111_777)),
            ("sun, 6 nov 1994 08:49:37 gmt", Some(784_111_777)),
            ("Thu, 01 Jan 1970 00:00:00 GMT", Some(0)),
            ("Tue, 29 Feb 2000 23:59:60 GMT", Some(951_868_800)),
            ("Thu, 01-Jan-69 00:00:00 GMT", Some(3_124_224_000)),
            ("Fri, 31 Dec 9999 23:59:59 GMT", Some(253_402_300_799)),
            ("Wed, 29 Feb 2100 00:00:00 GMT", None),
            ("Sun, 06 Nov 1994 08:49:37 CET", None),
            ("Sun, 00 Nov 1994 08:49:37 GMT", None),
            ("Sun, 31 Nov 1994 08:49:37 GMT", None),
            ("Sun, 06 Nov 1994 24:00:00 GMT", None),
            ("Sun, 06 Nov 1994 8:49:37 GMT", None),
            ("Sun, 06 Nov 1994 08:49 GMT", None),
            ("Sun, 06 Nov +994 08:49:37 GMT", None),
            ("Sun, 06 Nov 19940 08:49:37 GMT", None),
            ("120", None),
            ("", None),
        ] {
            assert_eq!(unix(text), expected, "{text:?}");
        }
        let past = http_date("Sat, 01 Jan 0000 00:00:00 GMT").expect("the calendar's first day");
        assert_eq!(past + Duration::from_secs(62_167_219_200), SystemTime::UNIX_EPOCH);
    }

    #[test]
    fn dates_never_panic() {
        arbtest::arbtest(|u| {
            let mut text = String::new();
            for _ in 0..u.int_in_range(0..=7)? {
                let words =
                    ["Sun,", "6", "Nov", "Feb", "1994", "94", "0000", "08:49:37", "99:99:99", "GMT", ":", "\u{e4}"];
                text += u.choose(&words)?;
                text += u.choose(&[" ", "-", ""])?;
            }
            if let Some(date) = http_date(&text) {
                assert!(date < SystemTime::UNIX_EPOCH + Duration::from_secs(253_402_300_801), "{text:?}");
            }
            Ok(())
        });
    }
}
