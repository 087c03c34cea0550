//! Numbers as curl writes them on its command line.

use std::time::Duration;

/// Longer limits are cut to a century, so that no deadline overflows.
const LONGEST: Duration = Duration::from_secs(100 * 365 * 24 * 3600);

/// `2`, `0.25`: seconds with decimals, curl's `ARG_SECS`; more than a signed 64-bit number of ms is no number.
pub fn seconds(text: &str) -> Result<Duration, String> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let bad = || format!("'{text}' is not a number of seconds");
    let whole: u64 = Some(whole).filter(|whole| digits(whole)).and_then(|whole| whole.parse().ok()).ok_or_else(bad)?;
    if !digits(fraction) || whole >= i64::MAX.unsigned_abs() / 1000 {
        return Err(bad());
    }
    let first = fraction.bytes().chain(std::iter::repeat(b'0')).take(9);
    let nanos = first.fold(0, |nanos, digit| nanos * 10 + u32::from(digit - b'0'));
    Ok(Duration::new(whole, nanos).min(LONGEST))
}

/// `0`, `17`: a number without a sign.
pub fn count(text: &str) -> Result<u64, String> {
    text.parse().ok().filter(|_| digits(text)).ok_or_else(|| format!("'{text}' is not a number from 0 on"))
}

/// The same, where more than `u32::MAX` is as good as endless.
pub fn count32(text: &str) -> Result<u32, String> {
    count(text).map(|number| u32::try_from(number).unwrap_or(u32::MAX))
}

/// `1`, `17`, and as large.
pub fn positive(text: &str) -> Result<u32, String> {
    count32(text).ok().filter(|number| *number > 0).ok_or_else(|| format!("'{text}' is not a number from 1 on"))
}

/// One of these names.
pub fn choice<T: Copy>(name: &str, choices: &[(&str, T)]) -> Result<T, String> {
    choices.iter().find(|(own, _)| *own == name).map(|(_, choice)| *choice).ok_or_else(|| {
        let names: Vec<&str> = choices.iter().map(|(own, _)| *own).collect();
        format!("'{name}' is none of {}", names.join(", "))
    })
}

/// `200`, `1.5M`: bytes with a suffix in powers of 1024, or `B`.
pub fn bytes(text: &str) -> Result<u64, String> {
    let bad = || format!("'{text}' is not a number of bytes; suffixes are K, M, G, T, P");
    let unit = text.chars().last().filter(char::is_ascii_alphabetic);
    let power = match unit.map(|unit| unit.to_ascii_uppercase()) {
        None | Some('B') => 0,
        Some(unit) => "KMGTP".find(unit).map(|index| index + 1).ok_or_else(bad)?,
    };
    let number = unit.map_or(text, |_| &text[..text.len() - 1]);
    let scale = 1024_u128.pow(u32::try_from(power).map_err(|_| bad())?);
    let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
    if number.contains('.') && power == 0 {
        return Err(format!("'{text}' is not a whole number of bytes"));
    }
    if !digits(fraction) {
        return Err(bad());
    }
    let whole: u128 = count(whole).map_err(|_| bad())?.into();
    // 15 digits of a fraction are finer than a byte in any unit.
    let fraction = &fraction[..fraction.len().min(15)];
    let part: u128 = count(fraction).map_err(|_| bad())?.into();
    let total = whole * scale + part * scale / 10_u128.pow(u32::try_from(fraction.len()).map_err(|_| bad())?);
    u64::try_from(total).map_err(|_| bad())
}

fn digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_have_decimals() {
        for (text, ms) in [("0", 0), ("5", 5000), ("0.25", 250), ("1.0004", 1000), ("007.5", 7500)] {
            assert_eq!(seconds(text).map(|time| time.as_millis()), Ok(ms), "{text}");
        }
        assert_eq!(seconds("1.1234567899"), Ok(Duration::new(1, 123_456_789)));
        assert_eq!(seconds("9223372036854774"), Ok(LONGEST));
        for text in [
            "",
            "x",
            "-1",
            "+1",
            "1.",
            ".5",
            "1s",
            " 1",
            "1,5",
            "9223372036854776",
            "184467440737095510",
            "1.2.3",
            "1e3",
            "٣",
        ] {
            assert!(seconds(text).is_err(), "{text}");
        }
    }

    #[test]
    fn counts_have_no_sign() {
        assert_eq!(count("17"), Ok(17));
        assert_eq!(count32("99999999999"), Ok(u32::MAX));
        for text in ["", "-1", "+1", "1.5", "x", "99999999999999999999"] {
            assert!(count(text).is_err(), "{text}");
        }
    }

    #[test]
    fn sizes_have_suffixes() {
        for (text, size) in [
            ("0", 0),
            ("200", 200),
            ("200b", 200),
            ("1k", 1024),
            ("1.5M", 1_572_864),
            ("2G", 2_147_483_648),
            ("1.0000000000000000000001P", 1 << 50),
            ("0.5k", 512),
        ] {
            assert_eq!(bytes(text), Ok(size), "{text}");
        }
        for text in ["", "k", "1.5", "1.5b", "1x", "1kk", "-1", "1.k", ".5k", "99999999P", "1 k", "1é"] {
            assert!(bytes(text).is_err(), "{text}");
        }
    }

    #[test]
    fn any_text_is_a_number_or_an_error() {
        arbtest::arbtest(|u| {
            let text: String = u.arbitrary()?;
            let digits: String = (0..u.int_in_range(0..=30)?)
                .map(|_| u.choose(b"0123456789.kPb-").map(|b| char::from(*b)))
                .collect::<Result<_, _>>()?;
            for text in [text, digits] {
                if let Ok(time) = seconds(&text) {
                    assert!(time <= LONGEST);
                }
                let _ = (count(&text), bytes(&text));
            }
            Ok(())
        });
    }
}
