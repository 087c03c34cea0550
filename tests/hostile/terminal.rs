//! What a server says does not command the terminal: not in heads under `-v`, not in any message.

use crate::program::{Output, gzpost};
use crate::sample::quiet;
use crate::server::Server;

/// Red letters, a bell, a title, the two-byte form of ESC [, and a byte that is no character.
const EVIL: &str = "\u{1b}[31mred\u{7}\u{1b}]0;title\u{7}\u{9b}2J";

/// Fails when stderr holds a control character other than line ends.
#[track_caller]
fn assert_tame(output: &Output) {
    let text = output.stderr_text();
    let wild = text.chars().find(|letter| letter.is_control() && *letter != '\n');
    assert!(wild.is_none(), "{wild:?} in {text:?}\n{}", output.line);
}

#[track_caller]
fn told(answer: &str, options: &[&str], part: &str) {
    let server = Server::answering(answer.replace("{E}", EVIL));
    let output = gzpost().args(options).arg(server.url("/")).run();
    assert_tame(&output);
    output.assert_stderr_has(part);
}

#[test]
fn heads_are_escaped_under_v() {
    let head = "HTTP/1.1 200 {E}\r\nX-A: {E}\r\n{E}: x\r\nFolded: a\r\n {E}\r\nContent-Length: 0\r\n\r\n";
    for options in [&["-v"][..], &["-v", "-I"], &["-v", "--trace-time"], &["-sv"]] {
        told(head, options, "\\x1b[31mred\\x07\\x1b]0;title\\x07");
    }
    let interim = "HTTP/1.1 103 {E}\r\nLink: {E}\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
    told(interim, &["-v"], "< HTTP/1.1 103 \\x1b[31m");
}

#[test]
fn messages_quote_what_is_wrong_and_nothing_else() {
    let ok = "HTTP/1.1 200 OK\r\n";
    for (answer, options, part) in [
        ("{E}\r\n\r\n".to_owned(), &[][..], "begins with: \\x1b[31mred"),
        ("HTTP/1.1 {E}\r\n\r\n".to_owned(), &[], "unsupported status code"),
        ("HTTP/9{E}\r\n\r\n".to_owned(), &[], "unsupported HTTP version"),
        (format!("{ok}Content-Length: {{E}}\r\n\r\n"), &[], "Content-Length is no number: \\x1b"),
        (format!("{ok}Transfer-Encoding: {{E}}\r\n\r\n"), &[], "transfer coding that was not asked for: \\x1b"),
        (format!("{ok}Content-Encoding: {{E}}\r\n\r\n"), &["--compressed"], "content coding is \\x1b"),
        (format!("{ok}{{E}}: {}\r\n\r\n", "x".repeat(120_000)), &[], "the field \\x1b[31mred"),
        ("HTTP/1.1 302 {E}\r\nLocation: http://{E}/\r\n\r\n".to_owned(), &["-L"], "malformed URL"),
        ("HTTP/1.1 302 {E}\r\nLocation: x{E}://h/\r\n\r\n".to_owned(), &["-L", "--max-redirs", "0"], "redirects"),
        (
            "HTTP/1.1 302 F\r\nLocation: http://h/{E}\r\n\r\n".to_owned(),
            &["-L", "--proto-redir", "=https"],
            "http://h/",
        ),
        ("HTTP/1.1 503 {E}\r\nRetry-After: {E}\r\nContent-Length: 0\r\n\r\n".to_owned(), &["-f"], "status 503"),
    ] {
        told(&answer, &[&["-sS"], options].concat(), part);
    }
}

#[test]
fn errors_inside_a_200_are_one_tame_line() {
    let sse = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";
    let escaped = "\\u001b[31mred\\u0007\\u009b2J\\r\\nsecond line";
    for answer in [
        format!("{sse}data: {{\"error\":{{\"message\":\"{escaped}\",\"code\":\"{escaped}\"}}}}\n\n"),
        format!("{sse}event: error\ndata: {{E}}\n\n"),
        format!("{sse}data: {{\"type\":\"error\",\"error\":{{\"type\":\"{escaped}\",\"message\":\"{escaped}\"}}}}\n\n"),
    ] {
        told(&answer, &[], "gzpost: warning: the answer holds an error: ");
        told(&answer, &["-f"], "gzpost: (22) the answer holds an error: ");
    }
    let refusal = format!("HTTP/1.1 400 No\r\nContent-Length: 200\r\n\r\n{{\"error\":{{\"message\":\"{escaped}\"}}}}");
    let refusal = refusal.clone() + &" ".repeat(200 - refusal.split("\r\n\r\n").nth(1).expect("content").len());
    told(&refusal, &["--fail-with-body"], "status 400: ");
}

#[test]
fn a_proxy_and_a_peer_without_http_are_quoted_tamely_too() {
    let server = Server::answering(format!("HTTP/1.1 500 {EVIL}\r\n{EVIL}: {EVIL}\r\n\r\n"));
    let output = quiet(&["-v", "-x", &server.url(""), "https://h.example/"]).run();
    output.assert_code(56).assert_stderr_has("< HTTP/1.1 500 \\x1b[31m");
    assert_tame(&output);
}
