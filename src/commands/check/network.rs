//! The way to the relay, name by connection by TLS, and its list of models, over several connections.

use std::time::{Duration, SystemTime};

use super::ask::{Ask, Reply};
use super::report::{Report, Row, late, median};
use crate::error::Result;
use crate::http::certificate::validity;
use crate::http::timing::{Timings, wall_clock};
use crate::http::url::Scheme;
use crate::http::{Tls, Transfer};
use crate::output::{units, utc};

/// As far into the budget, in percent, as the connection is repeated.
const SHARE: u32 = 25;

/// A certificate that ends within this time should have been renewed, if it lives much longer than that.
const SOON: Duration = Duration::from_secs(14 * DAY);

const DAY: u64 = 24 * 60 * 60;

/// Connects up to `-n` times and asks for the models; whether there was a connection.
pub(super) fn probe(ask: &Ask<'_>, report: &mut Report<'_>) -> Result<bool> {
    let mut replies = vec![ask.models()?];
    while replies.len() < ask.check.repeat as usize
        && replies.iter().all(|reply| reply.answer.is_ok())
        && ask.fits(replies[0].total(), SHARE)
    {
        replies.push(ask.models()?);
    }
    report.findings.answered |= replies.iter().any(|reply| reply.transfer.status.is_some());
    let connected = rows(ask, &replies, report)?;
    if connected {
        models(ask, &replies, report)?;
    }
    Ok(connected)
}

type Moment = fn(&Timings) -> Option<Duration>;

/// A row for each step that was made, and one for the step that failed.
fn rows(ask: &Ask<'_>, replies: &[Reply], report: &mut Report<'_>) -> Result<bool> {
    let transfer = &replies[0].transfer;
    let encrypted = ask.check.request.url.scheme == Scheme::Https;
    let unix = ask.check.settings.unix_socket.is_some();
    let moments: [(&'static str, Moment, Moment); 3] = [
        ("DNS", |_| Some(Duration::ZERO), |t| t.namelookup),
        ("connect", |t| t.namelookup, |t| t.connect),
        ("TLS", |t| t.connect, |t| t.appconnect),
    ];
    for (name, from, to) in moments {
        let times: Vec<_> = replies.iter().filter_map(|reply| reply.transfer.timings.between(from, to)).collect();
        match (name, times.is_empty()) {
            ("DNS", _) if unix => report.row(Row::skipped(name, "a Unix socket needs none"))?,
            ("TLS", _) if !encrypted => report.row(Row::skipped(name, "not used: the URL is http"))?,
            (_, true) => {
                if let Err(error) = &replies[0].answer {
                    report.failed(name, "", error)?;
                }
                return Ok(false);
            }
            ("TLS", false) => {
                let row = tls(transfer.tls.as_ref(), median(times), report);
                report.row(row)?;
            }
            (_, false) => report.row(Row::ok(name, Some(median(times)), place(ask, name, transfer)))?,
        }
    }
    Ok(true)
}

/// The addresses of the name, or the one connected to.
fn place(ask: &Ask<'_>, name: &str, transfer: &Transfer) -> String {
    let text = if name == "DNS" {
        let mut addresses: Vec<String> = transfer.addresses.iter().map(|address| address.ip().to_string()).collect();
        addresses.dedup();
        addresses.join(", ")
    } else {
        // The address is known when the whole connection, TLS included, was made.
        let unix = ask.check.settings.unix_socket.as_ref().map(|path| path.display().to_string());
        let address = transfer.remote.map(|address| address.to_string());
        unix.or(address).unwrap_or_else(|| format!("port {}", ask.check.request.url.port_or_default()))
    };
    if transfer.proxy_used { format!("{text} (the proxy)") } else { text }
}

fn tls(tls: Option<&Tls>, time: Duration, report: &mut Report<'_>) -> Row {
    let Some(tls) = tls else { return Row::ok("TLS", Some(time), "") };
    let trusted = if tls.verify_result() == 0 { "" } else { ", not trusted (-k)" };
    let text = format!("{} {}{trusted}", tls.version, tls.cipher);
    let Some(validity) = tls.certificates.first().and_then(|leaf| validity(leaf)) else {
        return Row::ok("TLS", Some(time), text);
    };
    let now = wall_clock();
    let days = days_left(validity.end, now);
    report.findings.certificate_days = Some(days);
    let text = format!("{text}, certificate until {}, {}", utc::format(validity.end, "%F"), in_days(days));
    let life = validity.end.duration_since(validity.start).unwrap_or_default();
    if validity.end.duration_since(now).is_ok_and(|left| left >= SOON.min(life / 4)) {
        Row::ok("TLS", Some(time), text)
    } else {
        Row::bad("TLS", Some(time), text, format!("the certificate ends {}", in_days(days)))
    }
}

/// Whole days until then, negative when it has passed.
fn days_left(end: SystemTime, now: SystemTime) -> i64 {
    let days = |length: Duration| i64::try_from(length.as_secs() / DAY).unwrap_or(i64::MAX);
    match end.duration_since(now) {
        Ok(left) => days(left),
        Err(passed) => -1 - days(passed.duration()),
    }
}

fn in_days(days: i64) -> String {
    match days {
        0 => "today or tomorrow".to_owned(),
        1 => "in 1 day".to_owned(),
        2.. => format!("in {days} days"),
        _ => format!("{} days ago", -days),
    }
}

fn models(ask: &Ask<'_>, replies: &[Reply], report: &mut Report<'_>) -> Result<()> {
    let what = format!("GET {}", ask.target.models.path);
    let failed = replies.iter().find_map(|reply| reply.answer.as_ref().err());
    let mut answers = replies.iter().filter_map(|reply| reply.answer.as_ref().ok());
    // The one that shows a fault, if any does.
    let answer = answers.clone().find(|answer| answer.problem_with_models().is_some()).or_else(|| answers.next());
    let (Some(answer), None) = (answer, failed) else {
        let all = replies.len();
        let which = if all > 1 { format!("{what}: try {all}: ") } else { format!("{what}: ") };
        return failed.map_or(Ok(()), |error| report.failed("models", &which, error));
    };
    let time = median(replies.iter().filter_map(Reply::wait));
    let (status, html) = (answer.status, answer.html);
    let text = match answer.models {
        Some(count) if status < 300 => format!("{what}: {status}, {}", units::count(count as u64, "model")),
        _ if html && status < 300 => format!("{what}: {status}, a page and no list of models"),
        _ if matches!(status, 404 | 405 | 501) => format!("{what}: {status}, no list of models"),
        _ => format!("{what}: {}", answer.told()),
    };
    report.findings.models = Some(answer.clone());
    report.findings.no_key |= answer.problem_with_models().is_some() && ask.lacks_key(status);
    report.row(match (answer.problem_with_models(), late(replies, ask.check.max_starttransfer)) {
        (Some(problem), _) => {
            Row::bad("models", Some(time), format!("{text} - {problem}"), format!("{problem} ({status})"))
        }
        (None, Some(late)) => Row::bad("models", Some(time), format!("{text} - {late}"), late),
        // The post shows whom it refuses.
        (None, None) if (400..500).contains(&status) && !matches!(status, 404 | 405) => {
            Row { time: Some(time), ..Row::skipped("models", text) }
        }
        (None, None) => Row::ok("models", Some(time), text),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_whole_ones() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000 * DAY);
        let hours = |hours: u64| Duration::from_secs(hours * 3600);
        for (end, days, told) in [
            (now + hours(24 * 90 + 1), 90, "in 90 days"),
            (now + hours(25), 1, "in 1 day"),
            (now + hours(23), 0, "today or tomorrow"),
            (now - hours(1), -1, "1 days ago"),
            (now - hours(50), -3, "3 days ago"),
        ] {
            assert_eq!((days_left(end, now), in_days(days_left(end, now)).as_str()), (days, told));
        }
    }
}
