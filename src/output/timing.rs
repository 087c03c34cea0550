//! The timing block that stderr gets when a transfer has ended, on a terminal with a bar beside each line.

use std::fmt::Write as _;
use std::time::Duration;

use super::{Terminal, units};
use crate::body::Coding;
use crate::http::{Tokens, Transfer};

/// A bar that is longer says no more.
const BAR_MAX: usize = 40;

/// Below this a bar says nothing.
const BAR_MIN: usize = 4;

/// A stall is told of streams with this many token events, …
const STALL_EVENTS: u64 = 8;

/// … when it lasted this long …
const STALL_MIN: Duration = Duration::from_millis(500);

/// … and this many times the median gap.
const STALL_FACTOR: u32 = 10;

struct Line {
    name: &'static str,
    at: Duration,
    note: String,
}

/// The whole block, to be written at once; a line is left out when its moment did not happen.
///
/// On a terminal each line shows the time since the line before it as a bar on a common scale, the total.
#[must_use]
pub fn block(transfer: &Transfer, terminal: Option<Terminal>) -> String {
    let lines = lines(transfer);
    let longest = |length: fn(&Line) -> usize| lines.iter().map(length).max().unwrap_or(0);
    let time_width = longest(|line| units::seconds(line.at).len()).max("10.123456".len());
    let used = " time_starttransfer: s  ".len() + time_width + longest(|line| line.note.len() + 2);
    let bars = terminal.map(|terminal| (terminal.plain, terminal.width.saturating_sub(used).min(BAR_MAX)));
    let bars = bars.filter(|&(_, width)| width >= BAR_MIN);
    let scale = lines.iter().map(|line| line.at).max().unwrap_or_default();

    let mut text = String::new();
    let mut before = Duration::ZERO;
    for Line { name, at, note } in &lines {
        let mut line = format!("{:>19}: {:>time_width$}s", format!("time_{name}"), units::seconds(*at));
        if let Some((plain, width)) = bars {
            let bar = if plain { plain_bar } else { fine_bar }(before, *at, scale, width);
            let _ = write!(line, "  {bar:<width$}");
        }
        if !note.is_empty() {
            let _ = write!(line, "  {note}");
        }
        text.push_str(line.trim_end());
        text.push('\n');
        before = before.max(*at);
    }
    if let Some(tokens) = &transfer.tokens {
        text.push_str(&stall(tokens).unwrap_or_default());
        if tokens.burst {
            text.push_str("events arrived in one burst: something on the way buffers the stream\n");
        }
    }
    text
}

fn lines(transfer: &Transfer) -> Vec<Line> {
    let tls = transfer.tls.as_ref().map(|tls| format!("{} {}", tls.version, tls.cipher));
    let status = transfer.status.map(|status| status.to_string());
    let timings = &transfer.timings;
    [
        ("namelookup", timings.namelookup, None),
        ("connect", timings.connect, None),
        ("appconnect", timings.appconnect, tls),
        ("posttransfer", timings.posttransfer, content(transfer)),
        ("starttransfer", timings.starttransfer, status),
        ("first_token", timings.first_token, None),
        ("total", timings.total, tokens(transfer)),
    ]
    .into_iter()
    .filter_map(|(name, at, note)| Some(Line { name, at: at?, note: note.unwrap_or_default() }))
    .collect()
}

/// What was sent; nothing when there was no content.
fn content(transfer: &Transfer) -> Option<String> {
    let (body, sent) = (transfer.size_body, transfer.size_upload);
    let ratio = transfer.compression_ratio()?;
    Some(match transfer.coding {
        Coding::Identity => format!("{sent} bytes"),
        Coding::Gzip => format!("{body} -> {sent} bytes gzip, {ratio:.2}x"),
    })
}

/// The longest wait within a stream, when it was a stall: much longer than its median, and long enough to be felt.
fn stall(tokens: &Tokens) -> Option<String> {
    let (longest, median) = (tokens.longest_gap?, tokens.median_gap?);
    let stalled = tokens.token_events >= STALL_EVENTS && longest >= STALL_MIN && longest >= median * STALL_FACTOR;
    stalled.then(|| {
        let (longest, median) = (units::duration(longest), units::duration(median));
        format!("longest gap between tokens: {longest} (median {median})\n")
    })
}

/// Tokens and their rate; with a `~` when they are events that we counted and not the server's figure.
fn tokens(transfer: &Transfer) -> Option<String> {
    let tokens = transfer.tokens.as_ref().filter(|tokens| tokens.count > 0)?;
    let mark = if tokens.reported { "" } else { "~" };
    let count = units::count(tokens.count, "token");
    let unseen = if tokens.unseen > 0 { format!(" ({} unseen)", tokens.unseen) } else { String::new() };
    let rate = transfer.tokens_per_second().map(|rate| format!(", {rate:.1}/s")).unwrap_or_default();
    Some(format!("{mark}{count}{unseen}{rate}"))
}

/// From `start` to `end` in eighths of a column: begins in the column that `start` falls in and ends exactly.
fn fine_bar(start: Duration, end: Duration, scale: Duration, width: usize) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let first = (share(start, scale, width * 8) / 8).min(width - 1);
    let length = share(end, scale, width * 8).saturating_sub(first * 8).max(1);
    format!("{}{}{}", " ".repeat(first), "█".repeat(length / 8), EIGHTHS[length % 8])
}

/// The same in whole columns of ASCII.
fn plain_bar(start: Duration, end: Duration, scale: Duration, width: usize) -> String {
    let first = share(start, scale, width).min(width - 1);
    let length = share(end, scale, width).saturating_sub(first).max(1);
    format!("{}{}", " ".repeat(first), "#".repeat(length))
}

/// How many of `steps` a moment on the scale is.
fn share(at: Duration, scale: Duration, steps: usize) -> usize {
    let share = at.as_micros() * steps as u128 / scale.as_micros().max(1);
    usize::try_from(share).map_or(steps, |share| share.min(steps))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::sample;
    use crate::http::timing::Timings;

    #[test]
    fn a_pipe_gets_the_times_and_their_notes() {
        let expected = "\
\x20   time_namelookup:  0.013241s
\x20      time_connect:  0.048112s
\x20   time_appconnect:  0.124450s  TLSv1.3 TLS_AES_256_GCM_SHA384
\x20 time_posttransfer:  0.421020s  2778983 -> 798104 bytes gzip, 3.48x
\x20time_starttransfer: 11.402733s  200
\x20  time_first_token: 11.655102s
\x20        time_total: 14.212090s  412 tokens, 161.1/s
";
        assert_eq!(block(&sample(), None), expected);
    }

    #[test]
    fn a_terminal_gets_each_phase_on_one_scale() {
        let expected = "\
\x20   time_namelookup:  0.013241s  ▏
\x20      time_connect:  0.048112s  ▏
\x20   time_appconnect:  0.124450s  ▏           TLSv1.3 TLS_AES_256_GCM_SHA384
\x20 time_posttransfer:  0.421020s  ▎           2778983 -> 798104 bytes gzip, 3.48x
\x20time_starttransfer: 11.402733s  ████████    200
\x20  time_first_token: 11.655102s          ▏
\x20        time_total: 14.212090s          ██  412 tokens, 161.1/s
";
        assert_eq!(block(&sample(), Some(Terminal::default())), expected);
    }

    #[test]
    fn a_plain_terminal_gets_ascii() {
        let text = block(&sample(), Some(Terminal { width: 80, plain: true }));
        assert!(text.is_ascii(), "{text}");
        assert!(text.contains("11.402733s  ########    200\n"), "{text}");
    }

    #[test]
    fn a_moment_that_did_not_happen_has_no_line() {
        let timings = Timings { namelookup: Some(Duration::from_micros(10)), ..Timings::default() };
        let transfer = Transfer { timings, tokens: None, status: None, ..sample() };
        assert_eq!(block(&transfer, None), "    time_namelookup:  0.000010s\n");
        let transfer = Transfer { timings: Timings::default(), ..transfer };
        assert_eq!(block(&transfer, Some(Terminal::default())), "");
    }

    #[test]
    fn a_plain_body_and_no_body() {
        let mut transfer = Transfer { coding: Coding::Identity, size_upload: 2_778_983, ..sample() };
        assert!(block(&transfer, None).contains("0.421020s  2778983 bytes\n"));
        transfer.size_upload = 0;
        assert!(block(&transfer, None).contains("0.421020s\n"));
    }

    #[test]
    fn counted_tokens_are_marked_and_a_burst_is_explained_without_a_rate() {
        let tokens = Tokens { count: 412, reported: false, burst: true, ..Tokens::default() };
        let text = block(&Transfer { tokens: Some(tokens), ..sample() }, None);
        let end = "s  ~412 tokens\nevents arrived in one burst: something on the way buffers the stream\n";
        assert!(text.ends_with(end), "{text}");
    }

    #[test]
    fn reasoning_that_was_not_seen_does_not_count_for_the_rate() {
        let tokens = Tokens { count: 412, reported: true, unseen: 300, ..Tokens::default() };
        let text = block(&Transfer { tokens: Some(tokens), ..sample() }, None);
        assert!(text.ends_with("s  412 tokens (300 unseen), 43.5/s\n"), "{text}");
    }

    #[test]
    fn a_stall_is_told() {
        let gaps = |events, longest, median| Tokens {
            token_events: events,
            longest_gap: Some(Duration::from_millis(longest)),
            median_gap: Some(Duration::from_millis(median)),
            ..Tokens::default()
        };
        assert_eq!(stall(&gaps(8, 2_100, 12)).as_deref(), Some("longest gap between tokens: 2.10 s (median 12 ms)\n"));
        for calm in [gaps(7, 2_100, 12), gaps(8, 499, 1), gaps(8, 2_100, 211), Tokens::default()] {
            assert_eq!(stall(&calm), None, "{calm:?}");
        }
    }

    #[test]
    fn lines_fit_the_terminal_whatever_the_times() {
        arbtest::arbtest(|u| {
            let moments: [Option<u32>; 4] = u.arbitrary()?;
            let [connect, posttransfer, starttransfer, total] =
                moments.map(|moment| moment.map(|moment| Duration::from_micros(moment.into())));
            let timings = Timings { connect, posttransfer, starttransfer, total, ..Timings::default() };
            let width = 70 + usize::from(u.arbitrary::<u8>()?);
            let plain = u.arbitrary()?;
            for line in block(&Transfer { timings, ..sample() }, Some(Terminal { width, plain })).lines() {
                assert!(line.chars().count() <= width, "{line}");
            }
            Ok(())
        });
    }
}
