//! `-v`: what goes over the wire, in curl's manner, without secrets and without control characters.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::net::SocketAddr;
use std::time::SystemTime;

use super::utc;

/// What a line speaks of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// `*`: what the program does.
    Note,
    /// `>`: the head of a request.
    Sent,
    /// `<`: the head of an answer.
    Received,
    /// `}`: content going out.
    SentContent,
    /// `{`: content coming in.
    ReceivedContent,
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
        Mark::SentContent => '}',
        Mark::ReceivedContent => '{',
    };
    let is_head = matches!(mark, Mark::Sent | Mark::Received);
    let mut output = String::new();
    let mut secret_above = false;
    for line in text.strip_suffix(b"\n").unwrap_or(text).split(|&byte| byte == b'\n') {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        // A folded line (RFC 9112, section 5.2) is as secret as the field that it continues.
        let folded = line.starts_with(b" ") || line.starts_with(b"\t");
        let shown = match (is_head, folded) {
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

/// The note before a connection is tried.
#[must_use]
pub fn trying(address: SocketAddr) -> String {
    format!("  Trying {address}...")
}

/// The note when a connection is made.
#[must_use]
pub fn connected(host: &str, address: SocketAddr) -> String {
    format!("Connected to {host} ({}) port {}", address.ip(), address.port())
}

/// The text in place of content.
#[must_use]
pub fn content(bytes: usize) -> String {
    format!("[{bytes} bytes data]")
}

/// The line of a secret field without its secret; `None` for other lines.
fn field(line: &[u8]) -> Option<String> {
    let colon = line.iter().position(|&byte| byte == b':')?;
    let (name, value) = (escape(&line[..colon]), escape(&line[colon + 1..]));
    match redact_field(name.trim_end(), value.trim_start()) {
        Cow::Borrowed(_) => None,
        Cow::Owned(redacted) => Some(format!("{name}: {redacted}")),
    }
}

const REDACTED: &str = "<redacted>";

/// The value to show for a field: `<redacted>` for those that carry credentials.
fn redact_field<'a>(name: &str, value: &'a str) -> Cow<'a, str> {
    const SECRET: [&str; 7] =
        ["authorization", "proxy-authorization", "x-api-key", "api-key", "x-goog-api-key", "cookie", "set-cookie"];
    if SECRET.iter().any(|secret| name.eq_ignore_ascii_case(secret)) {
        Cow::Owned(REDACTED.to_owned())
    } else {
        Cow::Borrowed(value)
    }
}

/// The text with control characters and bytes that are not UTF-8 made visible (`\t`, `\x1b`): a server must not be
/// able to command the terminal.
fn escape(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            match character {
                '\t' => text.push_str("\\t"),
                _ if character.is_control() => {
                    let _ = write!(text, "\\x{:02x}", u32::from(character));
                }
                _ => text.push(character),
            }
        }
        for byte in chunk.invalid() {
            let _ = write!(text, "\\x{byte:02x}");
        }
    }
    text
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
    fn notes_read_as_curls() {
        let address = SocketAddr::from(([127, 0, 0, 1], 8080));
        assert_eq!(lines(Mark::Note, trying(address).as_bytes(), None), "*   Trying 127.0.0.1:8080...\n");
        let note = connected("localhost", address);
        assert_eq!(lines(Mark::Note, note.as_bytes(), None), "* Connected to localhost (127.0.0.1) port 8080\n");
        assert_eq!(lines(Mark::SentContent, content(12).as_bytes(), None), "} [12 bytes data]\n");
        assert_eq!(lines(Mark::ReceivedContent, content(5).as_bytes(), None), "{ [5 bytes data]\n");
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
        let expected = "< HTTP/1.1 200 \\x1b[31mred\\x07\n< X: a\\tb\\x0dc\\x9b\\xff\u{e9}\n< \\x1b]0;t: x\n< \n";
        assert_eq!(lines(Mark::Received, head, None), expected);
        arbtest::arbtest(|u| {
            let bytes: Vec<u8> = u.arbitrary()?;
            for mark in [Mark::Note, Mark::Sent, Mark::Received] {
                assert!(!lines(mark, &bytes, None).contains(|c: char| c.is_control() && c != '\n'));
            }
            Ok(())
        });
    }
}
