//! Errors inside a 200, streams that were cut off, answers that are no streams: messages and exit codes.

use super::cases::CASES;
use super::{cut, serve, serve_whole};
use crate::program::gzpost;
use crate::sample::{EVENTS, delta};
use crate::server::{Server, gzip};

const UNAUTHORISED: &str = r#"{"error":{"message":"Incorrect API key","type":"invalid_request_error","code":401}}"#;

#[test]
fn what_is_wrong_inside_a_200_is_one_line_and_22_under_fail() {
    for case in CASES.iter().filter(|case| case.is_wrong()) {
        let warning = format!("gzpost: warning: {}\n", case.problem());
        let failure = format!("gzpost: (22) {}\n", case.problem());
        for (options, code, said, block) in [
            (&[][..], 0, &warning[..], true),
            (&["-f"], 22, &failure, true),
            (&["--fail-with-body"], 22, &failure, true),
            (&["-w", ""], 0, &warning, false),
            (&["-s"], 0, "", false),
            (&["-sS"], 0, &warning, false),
            (&["-sf"], 22, "", false),
            (&["-sSf"], 22, &failure, false),
        ] {
            let output = gzpost().args(options).arg(serve_whole(case).url("/")).run();
            // What had arrived before the error was written already; nothing of it is held back.
            output.assert_code(code).assert_stdout(case.bytes());
            let stderr = output.stderr_text();
            let rest = stderr.strip_prefix(said).unwrap_or_else(|| panic!("{said}\n{}", output.describe()));
            assert_eq!(rest.starts_with("    time_namelookup: "), block, "{}", output.describe());
            assert!(block || rest.is_empty(), "{}", output.describe());
        }
    }
}

#[test]
fn what_is_whole_is_no_failure() {
    for case in CASES.iter().filter(|case| !case.is_wrong()) {
        for option in ["-sSf", "-sS"] {
            let output = gzpost().arg(option).arg(serve_whole(case).url("/")).run();
            output.assert_code(0).assert_stdout(case.bytes());
            assert_eq!(output.stderr_text(), "", "{}", case.file);
        }
    }
}

#[test]
fn a_broken_framing_stays_18() {
    for options in [&["-sS"][..], &["-sSf"], &["-sS", "--fail-with-body"], &["-sS", "--text"]] {
        for case in CASES.iter().filter(|case| !case.first_event.is_empty()) {
            let (head, events) = (case.head(), case.events());
            let server = Server::start(move |conn| cut(conn, &head, &events));
            let output = gzpost().args(options).arg(server.url("/")).run();
            output.assert_error(18);
            // The server may have said why.
            if let Some(error) = case.error {
                output.assert_stderr_has(&format!("; before that the answer held an error: {error}\n"));
            }
        }
    }
}

#[test]
fn a_close_that_ends_the_answer_is_not_taken_for_its_end() {
    for (options, code) in [(&["-sS"][..], 0), (&["-sSf"], 22), (&["-sS", "--text"], 22)] {
        let server = Server::start(|mut conn| {
            conn.read_request();
            conn.write("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n");
            conn.write(delta("Once"));
        });
        let output = gzpost().args(options).arg(server.url("/")).run();
        output.assert_code(code).assert_stderr_has("the stream ended without its end mark");
    }
}

#[test]
fn a_status_counts_for_more_than_what_the_content_says() {
    for status in ["401 Unauthorized", "500 Internal Server Error"] {
        let number = &status[..3];
        let told =
            format!("gzpost: (22) the server returned status {number}: Incorrect API key (invalid_request_error)\n");
        let curt = format!("gzpost: (22) the server returned status {number}\n");
        for (options, code, stdout, stderr) in [
            (&["-sS"][..], 0, UNAUTHORISED, ""),
            (&["-sSf"], 22, "", &curt[..]),
            (&["-sS", "--fail-with-body"], 22, UNAUTHORISED, &told),
            (&["-sS", "--text"], 22, "", &told),
            (&["-s", "--text"], 22, "", ""),
        ] {
            let answer = format!(
                "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{UNAUTHORISED}",
                UNAUTHORISED.len()
            );
            let server = Server::answering(answer);
            let output = gzpost().args(options).args(["-H", "api-key: wrong", &server.url("/")]).run();
            output.assert_code(code).assert_stdout(stdout);
            assert_eq!(output.stderr_text(), stderr, "{options:?}");
        }
    }
}

#[test]
fn text_of_what_is_no_answer_of_an_api_says_what_it_is() {
    let page = "<!doctype html>\n<html><title>502 \x1b[31mBad Gateway</title>\n</html>\n".as_bytes().to_vec();
    let quoted = "<!doctype html> <html><title>502 [31mBad Gateway</title> </html>";
    let unknown = "--text: the answer is of no API that gzpost knows";
    let long = "word ".repeat(1000).into_bytes();
    for (status, content, message) in [
        ("200 OK", page.clone(), format!("{unknown}: {quoted}")),
        ("502 Bad Gateway", page, format!("the server returned status 502: {quoted}")),
        (
            "422 No",
            br#"{"detail":"Field required"}"#.to_vec(),
            "the server returned status 422: {\"detail\":\"Field required\"}".into(),
        ),
        ("404 Not Found", Vec::new(), "the server returned status 404".into()),
        ("200 OK", Vec::new(), "--text: the answer is empty".into()),
        ("200 OK", gzip(b"data: [DONE]\n\n"), "--text: the answer is gzip, which --compressed undoes".into()),
        ("200 OK", vec![0; 1000], "--text: the answer is no text; without --text it is written as it is".into()),
        ("200 OK", long, format!("{unknown}: {}…", "word ".repeat(60).trim_end())),
        ("200 OK", "ä".repeat(200).into_bytes(), format!("{unknown}: {}…", "ä".repeat(150))),
        ("200 OK", ("a".to_owned() + &"ä".repeat(200)).into_bytes(), format!("{unknown}: a{}…", "ä".repeat(149))),
    ] {
        let head = format!("HTTP/1.1 {status}\r\nContent-Type: text/html\r\nContent-Length: {}\r\n\r\n", content.len());
        let server = Server::answering([head.into_bytes(), content].concat());
        let output = gzpost().args(["-sS", "--text", &server.url("/")]).run();
        output.assert_error(22).assert_stdout("");
        assert_eq!(output.stderr_text(), format!("gzpost: (22) {message}\n"));
    }
}

#[test]
fn an_error_event_is_said_after_the_text_that_came_before_it() {
    let events = delta("Once") + "data: {\"error\":{\"message\":\"gone\"}}\n\n";
    let server = serve(EVENTS.to_owned(), [events.into_bytes()], |_| ());
    let program = gzpost().terminal(crate::program::Terminal::Both).args(["-sS", "--text", &server.url("/")]);
    let output = program.run();
    output.assert_code(22);
    assert_eq!(output.stderr_text(), "Once\r\ngzpost: (22) the answer holds an error: gone\r\n");
}
