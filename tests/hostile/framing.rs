//! Answers whose head or framing is at fault.

use crate::program::Output;
use crate::sample::{OK, quiet, serve, trusting};
use crate::server::{Authority, Server};

#[track_caller]
fn answered(answer: impl AsRef<[u8]> + Send + 'static) -> Output {
    let server = Server::start(move |mut conn| {
        conn.read_request();
        conn.write_if_wanted(answer);
    });
    quiet(&[&server.url("/")]).run()
}

/// Behind the status line of a 200.
const H: &str = "HTTP/1.1 200 OK\r\n";
const C: &str = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

/// The whole table: an answer, the exit code, what is delivered, and a part of the message.
#[track_caller]
fn check<A: AsRef<str>>(cases: &[(A, i32, &str, &str)]) {
    for (answer, code, stdout, part) in cases {
        let answer = answer.as_ref().replace("{H}", H).replace("{C}", C);
        let shown = answer.chars().take(200).collect::<String>();
        let output = answered(answer);
        let said = output.stderr_text();
        let told = if *code == 0 { said.is_empty() } else { said.lines().count() == 1 && said.contains(part) };
        let right = output.status.code() == Some(*code) && output.stdout == stdout.as_bytes() && told;
        assert!(right, "{shown:?}: {code}, {stdout:?}, {part:?} expected\n{}", output.describe());
    }
}

#[test]
fn what_is_no_http_1_is_1_and_shown() {
    check(&[
        ("SSH-2.0-OpenSSH_9.2\r\n", 1, "", "begins with: SSH-2.0-OpenSSH_9.2"),
        ("<html>hello</html>", 1, "", "begins with: <html>"),
        ("http/1.1 200 OK\r\n\r\n", 1, "", "begins with: http/1.1"),
        ("\r\n{H}\r\n", 1, "", "not HTTP"),
        (" {H}\r\n", 1, "", "not HTTP"),
        ("ICY 200 OK\r\n\r\n", 1, "", "not HTTP"),
        ("\0\0\0\0", 1, "", "\\x00"),
        ("\x15\x03\x01\0\x02\x02\x46", 1, "", "https://"),
        ("HTTP/2 200\r\n\r\n", 1, "", "unsupported HTTP version"),
        ("HTTP/1.2 200 OK\r\n\r\n", 1, "", "unsupported HTTP version"),
        ("HTTP/1.1 20\r\n\r\n", 1, "", "unsupported status code"),
        ("HTTP/1.1 2000 OK\r\n\r\n", 1, "", "unsupported status code"),
        ("HTTP/1.1 099 OK\r\n\r\n", 1, "", "unsupported status code"),
        ("HTTP/1.1 -20 OK\r\n\r\n", 1, "", "unsupported status code"),
        ("HTTP/1.1\r\n\r\n", 1, "", "status code"),
        ("HTTP/1.1200 OK\r\n\r\n", 1, "", "status code"),
        ("HTTP/1.1 100 Continue\r\n\r\ngarbage", 8, "", "begins with: garbage"),
    ]);
}

#[test]
fn heads_are_read_tolerantly_where_nothing_is_lost_by_it() {
    check(&[
        ("HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nok", 0, "ok", ""),
        ("HTTP/1.1 200 OK\nContent-Length: 2\n\nok", 0, "ok", ""),
        ("HTTP/1.0 200 OK\r\n\r\nok", 0, "ok", ""),
        ("HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok", 0, "ok", ""),
        ("HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", 0, "ok", ""),
        ("HTTP/1.1 999 What\r\nContent-Length: 2\r\n\r\nok", 0, "ok", ""),
        ("{H}X: a\r\n b\r\n\tc\r\nContent-Length: 2\r\n\r\nok", 0, "ok", ""),
        ("{H}X:\r\n \r\nContent-Length: 2\r\n\r\nok", 0, "ok", ""),
        ("{H}: x\r\nA B: x\r\nX: \u{fe}\r\ncontent-LENGTH:2\r\n\r\nok", 0, "ok", ""),
        ("{H} folded\r\nContent-Length: 2\r\n\r\nok", 8, "", "folded line before the first field"),
        ("{H}nonsense\r\nContent-Length: 2\r\n\r\nok", 8, "", "field without a colon"),
        ("{H}HTTP/1.1 404 No\r\nContent-Length: 2\r\n\r\nok", 8, "", "field without a colon"),
        ("{H}X: a\0b\r\nContent-Length: 2\r\n\r\nok", 8, "", "NUL byte in a field"),
        ("{H}X\0: a\r\nContent-Length: 2\r\n\r\nok", 8, "", "NUL byte in a field"),
        ("{H}X: a\rContent-Length: 9\r\nContent-Length: 2\r\n\r\nok", 8, "", "carriage return inside a field"),
    ]);
}

#[test]
fn lengths_that_contradict_each_other_or_are_none_are_8() {
    check(&[
        ("{H}Content-Length: 2\r\nContent-Length: 2\r\n\r\nok", 0, "ok", ""),
        ("{H}Content-Length: 2, 2\r\n\r\nok", 0, "ok", ""),
        ("{H}Content-Length: 2\r\nContent-Length: 3\r\n\r\nok!", 8, "", "two values for Content-Length"),
        ("{H}Content-Length: 2, 3\r\n\r\nok!", 8, "", "two values for Content-Length"),
        ("{H}Content-Length: -2\r\n\r\nok", 8, "", "Content-Length is no number"),
        ("{H}Content-Length: +2\r\n\r\nok", 8, "", "Content-Length is no number"),
        ("{H}Content-Length: 0x2\r\n\r\nok", 8, "", "Content-Length is no number"),
        ("{H}Content-Length: 2 2\r\n\r\nok", 8, "", "Content-Length is no number"),
        ("{H}Content-Length:\r\n\r\nok", 8, "", "Content-Length is no number"),
        ("{H}Content-Length: 99999999999999999999\r\n\r\nok", 0, "ok", ""),
        ("{H}Content-Length: 9223372036854775807\r\n\r\nok", 18, "ok", "ended before its content was complete"),
        // What follows the content is not for this request.
        ("{H}Content-Length: 2\r\n\r\nok and more", 0, "ok", ""),
        ("{H}Content-Length: 2\r\n\r\nokHTTP/1.1 500 No\r\n\r\n", 0, "ok", ""),
        ("{H}Content-Length: 0\r\n\r\nmore", 0, "", ""),
        ("HTTP/1.1 204 No\r\nContent-Length: 2\r\n\r\nno", 0, "", ""),
        ("HTTP/1.1 204 No\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nno\r\n0\r\n\r\n", 0, "", ""),
        ("HTTP/1.1 304 No\r\nContent-Length: 2\r\n\r\nno", 0, "", ""),
        ("HTTP/1.1 101 Other\r\nUpgrade: x\r\n\r\nbytes", 0, "", ""),
    ]);
}

#[test]
fn transfer_codings_are_chunked_or_61() {
    check(&[
        ("{H}Content-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", 0, "ok", ""),
        ("{H}Transfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n2\r\nok\r\n0\r\n\r\n", 0, "ok", ""),
        ("{H}transfer-encoding: CHUNKED\r\n\r\n2\r\nok\r\n0\r\n\r\n", 0, "ok", ""),
        ("{H}Transfer-Encoding: identity\r\nContent-Length: 2\r\n\r\nok", 0, "ok", ""),
        ("{H}Transfer-Encoding: gzip\r\n\r\nok", 61, "", "transfer coding"),
        ("{H}Transfer-Encoding: gzip, chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", 61, "", "transfer coding"),
        ("{H}Transfer-Encoding: chunked, identity\r\n\r\n2\r\nok\r\n0\r\n\r\n", 61, "", "transfer coding"),
        ("{H}Transfer-Encoding: xchunked\r\nContent-Length: 2\r\n\r\nok", 61, "", "transfer coding"),
    ]);
}

#[test]
fn chunks_are_read_tolerantly_and_their_faults_are_56() {
    let long = format!("{{C}}2;{}\r\nok\r\n0\r\n\r\n", "x".repeat(10_000));
    let too_long = format!("{{C}}2\r\nok\r\n2;{}", "x".repeat(20_000));
    let size = |size: &str| format!("{{C}}2\r\nok\r\n{size}\r\nmore\r\n0\r\n\r\n");
    check(&[
        ("{C}2;a=\"b\"\r\nok\r\n0;x\r\n\r\n".to_owned(), 0, "ok", ""),
        ("{C}2 \nok\n0\n\n".to_owned(), 0, "ok", ""),
        ("{C}00000000000000000000002\r\nok\r\n0\r\n\r\n".to_owned(), 0, "ok", ""),
        ("{C}2\r\nok\r\n0\r\nX: y\r\nZ:\r\n folded\r\n\r\n".to_owned(), 0, "ok", ""),
        ("{C}0\r\n\r\n".to_owned(), 0, "", ""),
        ("{C}2\r\nok\r\n0\r\n\r\nmore".to_owned(), 0, "ok", ""),
        (long, 0, "ok", ""),
        (too_long, 56, "ok", "too long"),
        (size("-4"), 56, "ok", "without its size"),
        (size("0x4"), 56, "ok", "without its size"),
        (size("4 4"), 56, "ok", "without its size"),
        (size(""), 56, "ok", "without its size"),
        (size("ffffffffffffffff"), 56, "ok", "too large"),
        (size("10000000000000004"), 56, "ok", "too large"),
        ("{C}1\r\nok\r\n0\r\n\r\n".to_owned(), 56, "o", "longer than its size"),
        ("{C}2\r\nok\r\n0\r\nnonsense\r\n\r\n".to_owned(), 8, "ok", "trailer field without a colon"),
        ("{C}2\r\nok\r\n0\r\nX: \0\r\n\r\n".to_owned(), 8, "ok", "NUL byte in a trailer field"),
        (format!("{{C}}2\r\nok\r\n0\r\n{}", "X: y\r\n".repeat(60_000)), 56, "ok", "too long"),
    ]);
}

#[test]
fn interim_answers_are_passed_over_but_not_for_ever() {
    let interim = |count: usize, size: usize| {
        format!("HTTP/1.1 103 Early\r\nLink: {}\r\n\r\n", "x".repeat(size)).repeat(count) + OK
    };
    check(&[
        (format!("HTTP/1.1 100 Continue\r\nContent-Length: 5\r\nX: y\r\n\r\n{OK}"), 0, "ok", ""),
        (format!("HTTP/1.1 199 What\r\n\r\n{OK}"), 0, "ok", ""),
        (interim(50, 10), 0, "ok", ""),
        (interim(280, 1000), 0, "ok", ""),
        (interim(320, 1000), 56, "", "larger than 300 KB"),
        (interim(20_000, 1), 56, "", "larger than 300 KB"),
        ("HTTP/1.1 100 Continue\r\n\r\n".to_owned(), 52, "", "without an answer"),
    ]);
}

#[test]
fn large_heads_are_read_up_to_curls_limits() {
    let fields = |count: usize| {
        let fields: Vec<String> = (0..count).map(|number| format!("X-{number}: y\r\n")).collect();
        format!("{{H}}{}Content-Length: 2\r\n\r\nok", fields.concat())
    };
    let value = |size: usize| format!("{{H}}X: {}\r\nContent-Length: 2\r\n\r\nok", "y".repeat(size));
    check(&[
        (fields(1000), 0, "ok", ""),
        (fields(4_999), 0, "ok", ""),
        (fields(5_000), 100, "", "more than 5000 fields"),
        (fields(40_000), 56, "", "larger than 300 KB"),
        (value(99_000), 0, "ok", ""),
        (value(110_000), 100, "", "the field X of the answer is larger than 100 KB"),
        (value(400_000), 56, "", "larger than 300 KB"),
        (format!("HTTP/1.1 200 {}", "x".repeat(400_000)), 56, "", "larger than 300 KB"),
        (format!("{{H}}X: y\r\n{}", " z\r\n".repeat(100_000)), 56, "", "larger than 300 KB"),
    ]);
}

/// What is delivered of an answer that is cut off behind `length` bytes, and with which code.
fn cut(answer: &[u8], content_from: usize, delivered: impl Fn(usize) -> Vec<u8>, length: usize) {
    let output = answered(answer[..length].to_vec());
    let code = match length {
        0 => 52,
        _ if length == answer.len() => 0,
        _ => 18,
    };
    let expected = if length < content_from { Vec::new() } else { delivered(length) };
    assert!(output.status.code() == Some(code) && output.stdout == expected, "{length} bytes\n{}", output.describe());
    assert_eq!(output.stderr_text().lines().count(), usize::from(code != 0), "{}", output.describe());
}

#[test]
fn every_truncation_is_told_and_keeps_what_came() {
    let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
    let content = answer.len() - 5;
    for length in 0..=answer.len() {
        cut(answer, content, |length| answer[content..length].to_vec(), length);
    }
    let answer = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2;x\r\nlo\r\n0\r\nT: u\r\n\r\n";
    let first = answer.windows(4).rposition(|window| window == b"hel\r").expect("a chunk");
    let second = answer.windows(4).rposition(|window| window == b"lo\r\n").expect("a chunk");
    let data = |length: usize| {
        let upto = |start: usize, size: usize| length.saturating_sub(start).min(size);
        [&b"hel"[..upto(first, 3)], &b"lo"[..upto(second, 2)]].concat()
    };
    // Without a byte of the second head, nothing was answered yet.
    let interim = b"HTTP/1.1 100 Continue\r\n\r\n".len();
    for length in (1..=answer.len()).filter(|length| *length != interim) {
        cut(answer, first, data, length);
    }
}

#[test]
fn an_end_of_tls_without_notice_is_an_end_only_where_the_framing_has_ended() {
    let authority = Authority::new();
    for (answer, code, stdout) in [
        ("{H}Content-Length: 2\r\n\r\nok", 0, "ok"),
        ("{C}2\r\nok\r\n0\r\n\r\n", 0, "ok"),
        ("HTTP/1.1 204 No\r\n\r\n", 0, ""),
        ("{H}\r\nok", 56, "ok"),
        ("{H}Content-Length: 3\r\n\r\nok", 56, "ok"),
        ("{C}2\r\nok\r\n", 56, "ok"),
        ("{C}2\r\nok\r\n0\r\n", 56, "ok"),
        ("HTTP/1.1 200", 56, ""),
        ("", 56, ""),
    ] {
        let server = serve(Some(&authority), move |mut conn| {
            conn.read_request();
            conn.write(answer.replace("{H}", H).replace("{C}", C));
            conn.close_without_notify();
        });
        let output = trusting(Some(&authority)).arg(server.url("/")).run();
        output.assert_code(code).assert_stdout(stdout);
        assert_eq!(output.stderr_text().lines().count(), usize::from(code != 0), "{}", output.describe());
    }
}
