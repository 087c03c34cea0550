//! `--retry` and its kin as pure rules: whether another attempt follows, and after which pause.

use std::time::{Duration, SystemTime};

use super::{Retry, Transfer};
use crate::calendar::http_date;
use crate::error::Kind;

/// The first pause; each further one is twice as long.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(600);
/// curl waits no longer for a server's Retry-After.
const LONGEST_RETRY_AFTER: Duration = Duration::from_secs(6 * 60 * 60);

/// What follows an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It was the last one.
    Done,
    /// Another one after this pause.
    After(Duration),
}

/// Judges a finished attempt after `retries` earlier retries; `elapsed` is since the start of the first attempt.
///
/// `now` is compared with a date in Retry-After.
#[must_use]
pub fn verdict(retry: &Retry, retries: u32, transfer: &Transfer, elapsed: Duration, now: SystemTime) -> Verdict {
    let limit = retry.max_time;
    if retries >= retry.count || limit.is_some_and(|limit| elapsed >= limit) {
        return Verdict::Done;
    }
    let transient_status = has_transient_status(transfer);
    if transient_status && let Some(pause) = retry_after(transfer, now) {
        // Only a pause of the server's is weighed against the limit: the own ones end when it has passed.
        let too_late = limit.is_some_and(|limit| elapsed.saturating_add(pause) > limit);
        return if too_late { Verdict::Done } else { Verdict::After(pause) };
    }
    if !transient_status && !is_transient_error(retry, transfer) {
        return Verdict::Done;
    }
    let doubled = FIRST_PAUSE.saturating_mul(1 << retries.min(30)).min(LONGEST_PAUSE);
    Verdict::After(retry.delay.unwrap_or(doubled))
}

/// Status codes that may be different next time, unless the attempt failed for a reason beside the code.
fn has_transient_status(transfer: &Transfer) -> bool {
    let whole = transfer.outcome.as_ref().err().is_none_or(|error| error.kind == Kind::HttpStatus);
    whole && matches!(transfer.status, Some(408 | 429 | 500 | 502 | 503 | 504 | 522 | 524))
}

fn is_transient_error(retry: &Retry, transfer: &Transfer) -> bool {
    match transfer.outcome.as_ref().err().map(|error| error.kind) {
        // Whoever stopped the program or the reading of its output does not want it again.
        None | Some(Kind::Interrupted | Kind::Terminated | Kind::Write) => false,
        Some(Kind::Timeout | Kind::Name | Kind::ProxyName) => true,
        Some(Kind::Connect) if transfer.refused && retry.connrefused => true,
        Some(_) => retry.all_errors,
    }
}

/// Seconds or a date (RFC 9110, section 10.2.3); `None` for neither, for 0 and for a date that has passed.
fn retry_after(transfer: &Transfer, now: SystemTime) -> Option<Duration> {
    let value = transfer.field("retry-after")?.trim();
    let pause = match http_date(value) {
        Some(date) => date.duration_since(now).ok()?,
        None if value.bytes().all(|byte| byte.is_ascii_digit()) => Duration::from_secs(value.parse().ok()?),
        None => return None,
    };
    Some(pause.min(LONGEST_RETRY_AFTER)).filter(|pause| !pause.is_zero())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;
    use crate::http::{Field, sample};

    const NOW: u64 = 784_111_777; // 1994-11-06 08:49:37

    fn now() -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(NOW)
    }

    fn ended(outcome: Result<(), Kind>, status: u16, retry_after: &[&str]) -> Transfer {
        let field = |value: &&str| Field { name: "Retry-After".to_owned(), value: (*value).to_owned() };
        Transfer {
            status: (status != 0).then_some(status),
            fields: retry_after.iter().map(field).collect(),
            outcome: outcome.map_err(|kind| Error::new(kind, "")),
            ..sample()
        }
    }

    fn three() -> Retry {
        Retry { count: 3, ..Retry::default() }
    }

    fn seconds(seconds: u64) -> Verdict {
        Verdict::After(Duration::from_secs(seconds))
    }

    fn first(retry: &Retry, transfer: &Transfer) -> Verdict {
        verdict(retry, 0, transfer, Duration::from_secs(5), now())
    }

    #[test]
    fn transient_statuses_are_retried() {
        for status in [408, 429, 500, 502, 503, 504, 522, 524] {
            assert_eq!(first(&three(), &ended(Ok(()), status, &[])), seconds(1), "{status}");
            assert_eq!(first(&three(), &ended(Err(Kind::HttpStatus), status, &[])), seconds(1), "{status}");
            assert_eq!(first(&three(), &ended(Err(Kind::Partial), status, &[])), Verdict::Done, "{status}");
        }
        for status in [200, 301, 400, 401, 404, 501, 505, 520, 523, 529] {
            assert_eq!(first(&three(), &ended(Ok(()), status, &[])), Verdict::Done, "{status}");
        }
    }

    #[test]
    fn transient_errors_are_retried() {
        for kind in [Kind::Timeout, Kind::Name, Kind::ProxyName] {
            assert_eq!(first(&three(), &ended(Err(kind), 0, &[])), seconds(1), "{kind:?}");
        }
        for kind in [Kind::Connect, Kind::Empty, Kind::Receive, Kind::Certificate, Kind::HttpStatus, Kind::Write] {
            assert_eq!(first(&three(), &ended(Err(kind), 404, &[])), Verdict::Done, "{kind:?}");
        }
    }

    #[test]
    fn refused_connections_need_the_option() {
        let refused = Transfer { refused: true, ..ended(Err(Kind::Connect), 0, &[]) };
        assert_eq!(first(&three(), &refused), Verdict::Done);
        let option = Retry { connrefused: true, ..three() };
        assert_eq!(first(&option, &refused), seconds(1));
        assert_eq!(first(&option, &ended(Err(Kind::Connect), 0, &[])), Verdict::Done);
    }

    #[test]
    fn all_errors_are_retried_but_not_what_the_user_ended() {
        let all = Retry { all_errors: true, ..three() };
        for kind in [Kind::Connect, Kind::Empty, Kind::Certificate, Kind::HttpStatus] {
            assert_eq!(first(&all, &ended(Err(kind), 404, &[])), seconds(1), "{kind:?}");
        }
        for kind in [Kind::Interrupted, Kind::Terminated, Kind::Write] {
            assert_eq!(first(&all, &ended(Err(kind), 0, &[])), Verdict::Done, "{kind:?}");
        }
        assert_eq!(first(&all, &ended(Ok(()), 404, &[])), Verdict::Done);
    }

    #[test]
    fn pauses_double_up_to_ten_minutes_unless_given() {
        let retry = Retry { count: u32::MAX, ..Retry::default() };
        let pause = |retry: &Retry, retries| verdict(retry, retries, &ended(Ok(()), 503, &[]), Duration::ZERO, now());
        let pauses = [0, 1, 2, 9, 10, 500_000].map(|retries| pause(&retry, retries));
        assert_eq!(pauses, [1, 2, 4, 512, 600, 600].map(seconds));
        let delay = |seconds| Retry { delay: Some(Duration::from_secs(seconds)), ..retry };
        assert_eq!([0, 7].map(|retries| pause(&delay(3), retries)), [3, 3].map(seconds));
    }

    #[test]
    fn count_and_time_end_it() {
        let transfer = ended(Ok(()), 503, &[]);
        assert_eq!(verdict(&Retry::default(), 0, &transfer, Duration::ZERO, now()), Verdict::Done);
        assert_eq!(verdict(&three(), 2, &transfer, Duration::ZERO, now()), seconds(4));
        assert_eq!(verdict(&three(), 3, &transfer, Duration::ZERO, now()), Verdict::Done);
        let limited = |limit| Retry { max_time: Some(Duration::from_secs(limit)), ..three() };
        assert_eq!([5, 6].map(|limit| first(&limited(limit), &transfer)), [Verdict::Done, seconds(1)]);
    }

    #[test]
    fn retry_after_overrides() {
        let delayed = Retry { delay: Some(Duration::from_secs(2)), ..three() };
        for (value, expected) in [
            ("7", 7),
            (" 120 ", 120),
            ("999999", 21_600),
            ("Sun, 06 Nov 1994 08:50:00 GMT", 23),
            ("Sunday, 06-Nov-94 09:49:37 GMT", 3600),
            // No use, so the own pause.
            ("0", 2),
            ("-1", 2),
            ("1.5", 2),
            ("99999999999999999999999", 2),
            ("soon", 2),
            ("", 2),
            ("Sun, 06 Nov 1994 08:49:37 GMT", 2),
            ("Sun Nov  6 08:49:36 1994", 2),
        ] {
            assert_eq!(first(&delayed, &ended(Ok(()), 429, &[value, "9"])), seconds(expected), "{value:?}");
        }
        assert_eq!(first(&three(), &ended(Err(Kind::Timeout), 429, &["7"])), seconds(1));
        assert_eq!(first(&three(), &ended(Ok(()), 200, &["7"])), Verdict::Done);
    }

    #[test]
    fn retry_after_beyond_the_time_ends_it() {
        let limited = Retry { max_time: Some(Duration::from_secs(12)), ..three() };
        let after = |value| first(&limited, &ended(Ok(()), 503, &[value]));
        assert_eq!([after("7"), after("8")], [seconds(7), Verdict::Done]);
    }
}
