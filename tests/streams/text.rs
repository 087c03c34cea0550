//! `--text` and `--reasoning`: what is written of each answer, and when.

use super::cases::{CASES, Case};
use super::{serve, serve_whole};
use crate::program::gzpost;
use crate::sample::{EVENTS, delta};
use crate::server::gate;

/// The lines that a case comes to.
fn lines(case: &Case, reasoning: bool) -> String {
    let reasoning = if reasoning { case.reasoning } else { "" };
    let parts = [reasoning, case.text].into_iter().chain(case.calls.iter().copied());
    let line = |part: &str| if part.is_empty() || part.ends_with('\n') { part.to_owned() } else { format!("{part}\n") };
    parts.map(line).collect()
}

#[test]
fn text_calls_and_reasoning_of_every_answer() {
    for case in CASES {
        for options in [&["-sS", "--text"][..], &["-sS", "--text", "--reasoning"]] {
            let output = gzpost().args(options).arg(serve_whole(case).url("/")).run();
            output.assert_stdout(lines(case, options.len() > 2));
            if case.is_wrong() {
                output.assert_error(22).assert_stderr_has(&case.problem());
            } else if case.fails_as_text() {
                output.assert_error(22).assert_stderr_has("--text: the answer is of no API that gzpost knows: ");
            } else {
                output.assert_code(0);
                assert_eq!(output.stderr_text(), "", "{}", case.file);
            }
        }
    }
}

#[test]
fn the_type_that_the_server_names_does_not_matter() {
    for kind in ["application/json", "text/event-stream", "text/html", "application/octet-stream"] {
        for case in CASES.iter().filter(|case| !case.fails_as_text()) {
            let head = format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nTransfer-Encoding: chunked\r\n\r\n");
            let server = serve(head, [case.bytes()], |_| ());
            let output = gzpost().args(["-sS", "--text", &server.url("/")]).run();
            output.assert_code(0).assert_stdout(lines(case, false));
        }
    }
}

#[test]
fn the_last_token_is_written_before_the_next_event_is_sent() {
    // Half a character at the end waits for its other half until the end.
    let whole_text = |case: &&Case| case.calls.is_empty() && !case.last_token.is_empty() && !case.text.is_empty();
    for case in CASES.iter().filter(whole_text).filter(|case| !case.text.contains(char::REPLACEMENT_CHARACTER)) {
        let last = case.event_with(case.last_token).expect("an event");
        let (opener, gate) = gate();
        let server = serve(case.head(), case.events(), move |number| {
            if number == last {
                gate.wait();
            }
        });
        let mut running = gzpost().args(["-s", "--text", &server.url("/")]).spawn();
        running.wait_for_stdout(case.text);
        opener.open();
        running.finish().assert_stdout(lines(case, false));
    }
}

#[test]
fn a_character_is_written_whole_however_its_bytes_arrive() {
    let event = delta("a 🌍") + &delta("ß");
    let at = event.find('🌍').expect("a character");
    for cut in at + 1..at + 4 {
        let (opener, gate) = gate();
        let chunks = [delta("b ").into_bytes(), event.as_bytes()[..cut].to_vec(), event.as_bytes()[cut..].to_vec()];
        let chunks = chunks.into_iter().chain([b"data: [DONE]\n\n".to_vec()]);
        let server = serve(EVENTS.to_owned(), chunks, move |number| {
            if number > 0 {
                gate.wait();
            }
        });
        let mut running = gzpost().args(["-s", "--text", &server.url("/")]).spawn();
        for said in ["b ", "b a 🌍ß"] {
            running.wait_for_stdout(said);
            opener.open();
        }
        opener.open();
        running.finish().assert_code(0).assert_stdout("b a 🌍ß\n");
    }
}

#[test]
fn text_that_ends_a_line_gets_no_other_end() {
    for (text, expected) in [("", ""), ("a", "a\n"), ("a\\n", "a\n"), ("a\\n\\n", "a\n\n"), ("\\r", "\r\n")] {
        let server = serve(EVENTS.to_owned(), [(delta(text) + "data: [DONE]\n\n").into_bytes()], |_| ());
        gzpost().args(["-s", "--text", &server.url("/")]).run().assert_code(0).assert_stdout(expected);
    }
}

#[test]
fn text_goes_where_content_would() {
    let case = &CASES[0];
    let output = gzpost().args(["-s", "--text", "-o", "text", &serve_whole(case).url("/")]).run();
    output.assert_code(0).assert_stdout("");
    assert_eq!(crate::server::read_file(&output.home.path().join("text")), lines(case, false).as_bytes());
    let output = gzpost().args(["-s", "--text", "-i", &serve_whole(case).url("/")]).run();
    output.assert_code(0).assert_stdout(case.head() + &lines(case, false));
}
