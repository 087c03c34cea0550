//! From when until when a certificate is valid: as much DER as that takes, and no more.

use std::ops::Range;
use std::time::SystemTime;

use crate::calendar::moment;

/// Tags of DER (X.690, section 8).
const INTEGER: u8 = 0x02;
const UTC_TIME: u8 = 0x17;
const GENERALIZED_TIME: u8 = 0x18;
const SEQUENCE: u8 = 0x30;
/// `[0]`, which holds the version (RFC 5280, section 4.1).
const VERSION: u8 = 0xa0;

/// The validity of a certificate in DER (RFC 5280, section 4.1); `None` when these bytes are none.
#[must_use]
pub fn validity(certificate: &[u8]) -> Option<Range<SystemTime>> {
    let mut certificate = Elements(certificate).next(SEQUENCE)?;
    let mut to_be_signed = certificate.next(SEQUENCE)?;
    // Left out by certificates of version 1.
    let _ = to_be_signed.next(VERSION);
    let _serial_number = to_be_signed.next(INTEGER)?;
    let _signature = to_be_signed.next(SEQUENCE)?;
    let _issuer = to_be_signed.next(SEQUENCE)?;
    let mut validity = to_be_signed.next(SEQUENCE)?;
    Some(validity.time()?..validity.time()?)
}

/// What is left of the elements of a sequence.
struct Elements<'d>(&'d [u8]);

impl<'d> Elements<'d> {
    /// The content of the next element when it has this tag; otherwise it stays.
    fn next(&mut self, tag: u8) -> Option<Elements<'d>> {
        let (_, rest) = self.0.split_first().filter(|(own, _)| **own == tag)?;
        let (&first, rest) = rest.split_first()?;
        let (length, rest) = match first {
            0..=0x7f => (usize::from(first), rest),
            // The length of the length: no certificate needs more than four bytes (X.690, section 8.1.3.5).
            0x81..=0x84 => {
                let (length, rest) = rest.split_at_checked(usize::from(first & 0x7f))?;
                (length.iter().fold(0, |length, byte| length << 8 | usize::from(*byte)), rest)
            }
            _ => return None,
        };
        let (content, rest) = rest.split_at_checked(length)?;
        self.0 = rest;
        Some(Elements(content))
    }

    /// `YYMMDDHHMMSSZ` or `YYYYMMDDHHMMSSZ` (RFC 5280, section 4.1.2.5).
    fn time(&mut self) -> Option<SystemTime> {
        let (text, century) = match self.next(UTC_TIME) {
            Some(Elements(text)) => (text, true),
            None => (self.next(GENERALIZED_TIME)?.0, false),
        };
        let digits = text.strip_suffix(b"Z").filter(|digits| digits.iter().all(u8::is_ascii_digit))?;
        let pairs: Vec<i64> =
            digits.chunks(2).map(|pair| pair.iter().fold(0, |sum, digit| sum * 10 + i64::from(digit - b'0'))).collect();
        let (year, rest) = match (century, pairs.as_slice()) {
            (true, [year @ ..50, rest @ ..]) => (2000 + year, rest),
            (true, [year, rest @ ..]) => (1900 + year, rest),
            (false, [century, year, rest @ ..]) => (century * 100 + year, rest),
            _ => return None,
        };
        let &[month, day, hour, minute, second] = rest else { return None };
        moment(year, usize::try_from(month).ok()?, day, [hour, minute, second])
            .filter(|_| digits.len().is_multiple_of(2))
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use rcgen::{CertificateParams, KeyPair, date_time_ymd};

    use super::*;

    /// A certificate that is valid from 1999 until a day of this year.
    fn certificate(year: i32) -> Vec<u8> {
        let mut params = CertificateParams::new(vec!["relay.example".to_owned()]).expect("a name");
        params.not_before = date_time_ymd(1999, 12, 31);
        params.not_after = date_time_ymd(year, 2, 28);
        params.self_signed(&KeyPair::generate().expect("a key")).expect("a certificate").der().to_vec()
    }

    fn at(seconds: u64) -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(seconds)
    }

    #[test]
    fn both_forms_of_a_time_are_read() {
        // `date -u -d 2049-02-28 +%s`
        for (year, end) in
            [(2026, 1_772_236_800), (2049, 2_498_083_200), (2050, 2_529_619_200), (9999, 253_375_776_000)]
        {
            assert_eq!(validity(&certificate(year)), Some(at(946_598_400)..at(end)), "{year}");
        }
    }

    #[test]
    fn what_is_no_certificate_has_no_validity() {
        let whole = certificate(2026);
        for length in 0..whole.len() {
            assert_eq!(validity(&whole[..length]), None, "{length}");
        }
        assert_eq!(validity(b"not really DER"), None);
        assert_eq!(validity(&[0x30, 0x84, 0xff, 0xff, 0xff, 0xff, 0x30]), None);
    }

    #[test]
    fn no_bytes_panic() {
        let whole = certificate(2026);
        arbtest::arbtest(|u| {
            let mut bytes = whole.clone();
            for _ in 0..u.int_in_range(1..=4)? {
                let index = u.choose_index(120)?;
                bytes[index] = u.arbitrary()?;
            }
            let _ = validity(&bytes);
            let _ = validity(u.bytes(u.len())?);
            Ok(())
        });
    }
}
