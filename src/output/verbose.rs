//! `-v`: what goes over the wire, in curl's manner, without secrets and without control characters.

use std::time::SystemTime;

use super::utc;
use crate::http::credentials::{REDACTED, escape, redact_field};
use crate::http::url::redacted;

/// Fields that hold URLs.
const WITH_URLS: [&str; 3] = ["Referer", "Location", "Content-Location"];

/// What a line speaks of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// `*`: what the program does.
    Note,
    /// `>`: the head of a request.
    Sent,
    /// `<`: the head of an answer.
    Received,
}

/// The text, a note or a head, as lines that begin with the mark.
///
/// `stamp` is the time in front of each line (`--trace-time`), in UTC; curl shows local time.
#[must_use]
pub fn lines(mark: Mark, text: &[u8], stamp: Option<SystemTime>) -> String {
    let stamp = stamp.map(|stamp| utc::format(stamp, "%H:%M:%S.%f ")).unwrap_or_default();
    let sign = match mark {
        Mark::Note => '*',
        Mark::Sent => '>',
        Mark::Received => '<',
    };
    let is_head = matches!(mark, Mark::Sent | Mark::Received);
    let mut output = String::new();
    let mut secret_above = false;
    let mut is_first = true;
    for line in text.strip_suffix(b"\n").unwrap_or(text).split(|&byte| byte == b'\n') {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        // A folded line (RFC 9112, section 5.2) is as secret as the field that it continues.
        let folded = line.starts_with(b" ") || line.starts_with(b"\t");
        let shown = match (is_head, folded) {
            (true, _) if std::mem::take(&mut is_first) => match mark {
                Mark::Sent => request_line(&escape(line)),
                _ => escape(line),
            },
            (true, true) if secret_above => format!(" {REDACTED}"),
            (true, false) => {
                let shown = field(line);
                secret_above = shown.is_some();
                shown.unwrap_or_else(|| escape(line))
            }
            _ => escape(line),
        };
        output.push_str(&stamp);
        output.push(sign);
        output.push(' ');
        output.push_str(&shown);
        output.push('\n');
    }
    output
}

/// A request line without secrets in its target.
fn request_line(line: &str) -> String {
    let parts = line.split_once(' ').and_then(|(method, rest)| Some((method, rest.rsplit_once(' ')?)));
    let Some((method, (target, version))) = parts else { return line.to_owned() };
    format!("{method} {} {version}", redacted(target))
}

/// The line of a secret field without its secret; `None` for other lines.
fn field(line: &[u8]) -> Option<String> {
    let colon = line.iter().position(|&byte| byte == b':')?;
    let name = escape(&line[..colon]);
    let value = escape(&line[colon + 1..]);
    let shown = match value.trim() {
        _ if redact_field(&name, "") == REDACTED => REDACTED.to_owned(),
        // A URL may have come with a password or a key.
        url if WITH_URLS.iter().any(|own| name.eq_ignore_ascii_case(own)) => redacted(url),
        _ => return None,
    };
    Some(format!("{name}: {shown}"))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn heads_keep_their_empty_last_line() {
        let head = b"POST / HTTP/1.1\r\nHost: relay.example\r\n\r\n";
        assert_eq!(lines(Mark::Sent, head, None), "> POST / HTTP/1.1\n> Host: relay.example\n> \n");
        assert_eq!(lines(Mark::Received, b"HTTP/1.1 200 OK\n\n", None), "< HTTP/1.1 200 OK\n< \n");
    }

    #[test]
    fn secrets_of_a_query_are_redacted() {
        let head = b"POST /v1beta/models/m:generateContent?alt=sse&key=sesame HTTP/1.1\r\n\r\n";
        let shown = "> POST /v1beta/models/m:generateContent?alt=sse&key=<redacted> HTTP/1.1\n> \n";
        assert_eq!(lines(Mark::Sent, head, None), shown);
    }

    #[test]
    fn no_password_of_a_url_is_shown() {
        let answer = lines(Mark::Received, b"HTTP/1.1 302 Found\r\nLocation: //me:hush@h/2?key=hush\r\n\r\n", None);
        assert!(!answer.contains("hush") && answer.contains("< Location: "), "{answer}");
        let answer = lines(Mark::Received, b"HTTP/1.1 302 Found\r\nLocation: /me@h?a=b\r\n\r\n", None);
        assert!(answer.contains("< Location: /me@h?a=b\n"), "{answer}");
        let head = b"GET http://me:hush@h/?token=hush HTTP/1.1\r\nReferer: http://me:hush@page/?a=1\r\n\r\n";
        let shown = lines(Mark::Sent, head, None);
        assert_eq!(
            shown,
            "> GET http://me:<redacted>@h/?token=<redacted> HTTP/1.1\n> Referer: http://me:<redacted>@page/?a=1\n> \n"
        );
    }

    #[test]
    fn every_line_has_its_time() {
        let stamp = SystemTime::UNIX_EPOCH + Duration::from_micros(31_271_000_042);
        assert_eq!(lines(Mark::Note, b"a\nb", Some(stamp)), "08:41:11.000042 * a\n08:41:11.000042 * b\n");
    }

    #[test]
    fn secrets_are_redacted_in_any_case() {
        let names =
            ["Authorization", "PROXY-AUTHORIZATION", "X-Api-Key", "api-key", "x-goog-api-key", "Cookie", "Set-Cookie"];
        for name in names {
            for colon in [":", ": ", " : "] {
                let line = format!("GET / HTTP/1.1\r\n{name}{colon}Bearer sesame\r\n  sesame\r\nX: y\r\n z\r\n\r\n");
                for mark in [Mark::Sent, Mark::Received] {
                    let shown = lines(mark, line.as_bytes(), None);
                    assert!(!shown.contains("sesame"), "{shown}");
                    assert_eq!(shown.matches("<redacted>").count(), 2, "{shown}");
                    assert!(shown.contains(" X: y\n") && shown.contains("  z\n"), "{shown}");
                }
            }
        }
    }

    #[test]
    fn nothing_commands_the_terminal() {
        let head = b"HTTP/1.1 200 \x1b[31mred\x07\r\nX: a\tb\rc\xc2\x9b\xff\xc3\xa9\r\n\x1b]0;t: x\r\n\r\n";
        let expected = "< HTTP/1.1 200 \\x1b[31mred\\x07\n< X: a\tb\\rc\\u{9b}\\xff\u{e9}\n< \\x1b]0;t: x\n< \n";
        assert_eq!(lines(Mark::Received, head, None), expected);
        arbtest::arbtest(|u| {
            let bytes: Vec<u8> = u.arbitrary()?;
            for mark in [Mark::Note, Mark::Sent, Mark::Received] {
                assert!(!lines(mark, &bytes, None).contains(|c: char| c.is_control() && !matches!(c, '\n' | '\t')));
            }
            Ok(())
        });
    }
}
