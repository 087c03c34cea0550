//! The answers in `tests/fixtures/streams`: what the scanner says about each, and at which byte.

use std::path::PathBuf;
use std::time::Duration;

use super::{Piece, Scanner};
use crate::http::Tokens;

/// What a fixture holds. An event is named by a text that stands in it alone.
struct Case {
    file: &'static str,
    text: &'static str,
    reasoning: &'static str,
    calls: &'static [&'static str],
    /// Tokens, token events, events.
    tokens: Option<(u64, u64, u64)>,
    /// The tokens are the server's figure.
    reported: bool,
    first_event: &'static str,
    first_token: &'static str,
    last_token: &'static str,
    error: Option<&'static str>,
    end: End,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum End {
    NotExpected,
    Seen,
    Missing,
}
use End::{Missing, NotExpected, Seen};

const NOTHING: Case = Case {
    file: "",
    text: "",
    reasoning: "",
    calls: &[],
    tokens: None,
    reported: true,
    first_event: "",
    first_token: "",
    last_token: "",
    error: None,
    end: Seen,
};

const WEATHER: &str = r#"{"id":"call_1","name":"weather","arguments":{"city":"Köln"}}"#;

#[rustfmt::skip]
const CASES: &[Case] = &[
    Case { file: "chat-text.sse", text: "Grüße an die 🌍", tokens: Some((7, 2, 6)), first_event: "role", first_token: "Grüße", last_token: "🌍", ..NOTHING },
    Case { file: "chat-crlf.sse", text: "Tschüß an die 🌍", tokens: Some((7, 2, 6)), first_event: "role", first_token: "Tschüß", last_token: "🌍", ..NOTHING },
    Case { file: "chat-azure.sse", text: "Hello", tokens: Some((1, 1, 5)), reported: false, first_event: "prompt_filter", first_token: "Hello", last_token: "Hello", ..NOTHING },
    Case { file: "chat-no-last-line-end.sse", text: "Grüße an die 🌍", tokens: Some((7, 2, 6)), first_event: "role", first_token: "Grüße", last_token: "🌍", ..NOTHING },
    Case { file: "chat-reasoning.sse", text: "4", reasoning: "Two and two.", tokens: Some((12, 3, 6)), first_event: "role", first_token: "Two", last_token: "\"4\"", ..NOTHING },
    Case { file: "chat-tool.sse", calls: &[WEATHER, r#"{"id":"call_2","name":"now","arguments":{}}"#], tokens: Some((5, 5, 8)), reported: false, first_event: "role", first_token: "call_1", last_token: "{}\"}}]", ..NOTHING },
    Case { file: "chat-error.sse", text: "Once upon", tokens: Some((2, 2, 3)), reported: false, first_event: "Once", first_token: "Once", last_token: "upon", error: Some("Provider disconnected (server_error)"), ..NOTHING },
    Case { file: "chat-vllm-error.sse", tokens: Some((0, 0, 3)), reported: false, first_event: "role", error: Some("The engine is dead (InternalServerError)"), ..NOTHING },
    Case { file: "chat-cut.sse", text: "Half an", tokens: Some((1, 1, 2)), reported: false, first_event: "role", first_token: "Half", last_token: "Half", end: Missing, ..NOTHING },
    Case { file: "chat-surrogates.sse", text: "a 🌍 b \u{FFFD}", tokens: Some((2, 2, 4)), reported: false, first_event: "a \\ud83c", first_token: "a \\ud83c", last_token: " b ", ..NOTHING },
    Case { file: "chat-whole.json", text: "Ich schaue nach. ⛅", reasoning: "Look it up.", calls: &[r#"{"id":"call_1","name":"weather","arguments":{   "city": "Köln" }}"#], tokens: Some((10, 0, 0)), end: NotExpected, ..NOTHING },
    Case { file: "chat-whole-error.json", error: Some("Upstream is busy (upstream_error)"), end: NotExpected, ..NOTHING },
    Case { file: "responses-text.sse", text: "Grüße 🌍", reasoning: "Greeting", tokens: Some((21, 3, 15)), first_event: "\"sequence_number\":0,", first_token: "\"sequence_number\":5,", last_token: "\"sequence_number\":11,", ..NOTHING },
    Case { file: "responses-tool.sse", calls: &[WEATHER], tokens: Some((17, 2, 7)), first_event: "\"sequence_number\":0,", first_token: "\"sequence_number\":2,", last_token: "\"sequence_number\":3,", ..NOTHING },
    Case { file: "responses-failed.sse", text: "No", tokens: Some((1, 1, 3)), reported: false, first_event: "\"sequence_number\":0,", first_token: "\"sequence_number\":1,", last_token: "\"sequence_number\":1,", error: Some("The model failed to generate a response. (server_error)"), ..NOTHING },
    Case { file: "responses-error.sse", text: "Once", tokens: Some((1, 1, 3)), reported: false, first_event: "\"sequence_number\":0,", first_token: "\"sequence_number\":1,", last_token: "\"sequence_number\":1,", error: Some("Slow down (rate_limit_exceeded)"), end: Missing, ..NOTHING },
    Case { file: "responses-cut.sse", reasoning: "Hm", tokens: Some((1, 1, 3)), reported: false, first_event: "\"sequence_number\":0,", first_token: "\"sequence_number\":1,", last_token: "\"sequence_number\":1,", end: Missing, ..NOTHING },
    Case { file: "responses-whole.json", text: "Grüße 🌍", reasoning: "Greeting", calls: &[r#"{"id":"call_1","name":"now","arguments":{}}"#], tokens: Some((21, 0, 0)), end: NotExpected, ..NOTHING },
    Case { file: "anthropic-text.sse", text: "Grüße 🌍", reasoning: "Be kind.", tokens: Some((15, 3, 13)), first_event: "\"message_start\"", first_token: "Be kind.", last_token: "🌍", ..NOTHING },
    Case { file: "anthropic-tool.sse", calls: &[r#"{"id":"toolu_1","name":"weather","arguments":{"city": "Köln"}}"#], tokens: Some((89, 2, 9)), first_event: "\"message_start\"", first_token: "city", last_token: "Köln", ..NOTHING },
    Case { file: "anthropic-error.sse", text: "Once", tokens: Some((1, 1, 4)), reported: false, first_event: "\"message_start\"", first_token: "Once", last_token: "Once", error: Some("Overloaded (overloaded_error)"), end: Missing, ..NOTHING },
    Case { file: "anthropic-cut.sse", text: "Once", tokens: Some((1, 1, 4)), reported: false, first_event: "\"message_start\"", first_token: "Once", last_token: "Once", end: Missing, ..NOTHING },
    Case { file: "anthropic-whole.json", text: "Grüße 🌍", reasoning: "Be kind.", calls: &[r#"{"id":"toolu_1","name":"weather","arguments":{"city":"Köln"}}"#], tokens: Some((61, 0, 0)), end: NotExpected, ..NOTHING },
    Case { file: "gemini-text.sse", text: "Grüße 🌍", reasoning: "Be kind.", tokens: Some((25, 3, 5)), first_event: "\"totalTokenCount\":9}", first_token: "Be kind.", last_token: "🌍", ..NOTHING },
    Case { file: "gemini-tool.sse", calls: &[r#"{"name":"weather","arguments":{"city":"Köln"}}"#], tokens: Some((15, 1, 2)), first_event: "\"CiQB\"}],\"role", first_token: "functionCall", last_token: "functionCall", ..NOTHING },
    Case { file: "gemini-error.sse", reasoning: "Be kind.", tokens: Some((20, 1, 2)), first_event: "Be kind.", first_token: "Be kind.", last_token: "Be kind.", error: Some("This model is currently experiencing high demand. (UNAVAILABLE)"), end: Missing, ..NOTHING },
    Case { file: "gemini-cut.sse", text: "Once", tokens: Some((4, 1, 1)), first_event: "Once", first_token: "Once", last_token: "Once", end: Missing, ..NOTHING },
    Case { file: "gemini-array.json", text: "Grüße [🌍]\n\"}", tokens: Some((8, 2, 2)), first_event: "Grüße", first_token: "Grüße", last_token: "🌍", ..NOTHING },
    Case { file: "gemini-array-error.json", tokens: Some((0, 0, 1)), reported: false, first_event: "error", error: Some("Resource has been exhausted (e.g. check quota). (RESOURCE_EXHAUSTED)"), end: NotExpected, ..NOTHING },
    Case { file: "gemini-whole.json", text: "Grüße 🌍", reasoning: "Be kind.", calls: &[r#"{"id":"fc_1","name":"now","arguments":{}}"#], tokens: Some((25, 0, 0)), end: NotExpected, ..NOTHING },
    Case { file: "ollama-text.ndjson", text: "Grüße 🌍", reasoning: "Be kind.", tokens: Some((12, 3, 5)), first_event: "\"content\":\"\"},\"done\":false", first_token: "Be kind.", last_token: "🌍", ..NOTHING },
    Case { file: "ollama-tool.ndjson", calls: &[r#"{"name":"weather","arguments":{"city":"Köln"}}"#], tokens: Some((19, 1, 2)), first_event: "weather", first_token: "weather", last_token: "weather", ..NOTHING },
    Case { file: "ollama-generate.ndjson", text: "Ja!", reasoning: "Hm", tokens: Some((4, 3, 3)), first_event: "Hm", first_token: "Hm", last_token: "!", ..NOTHING },
    Case { file: "ollama-error.ndjson", text: "Once", tokens: Some((1, 1, 2)), reported: false, first_event: "Once", first_token: "Once", last_token: "Once", error: Some("an error was encountered while running the model"), end: Missing, ..NOTHING },
    Case { file: "ollama-cut.ndjson", text: "Once upon", tokens: Some((2, 2, 2)), reported: false, first_event: "Once", first_token: "Once", last_token: "upon", end: Missing, ..NOTHING },
    Case { file: "ollama-whole.json", text: "Grüße 🌍", reasoning: "Be kind.", tokens: Some((12, 0, 0)), end: NotExpected, ..NOTHING },
    Case { file: "unknown-events.sse", tokens: Some((0, 0, 2)), reported: false, first_event: "price", end: NotExpected, ..NOTHING },
    Case { file: "unknown-document.json", end: NotExpected, ..NOTHING },
];

fn folder() -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "tests", "fixtures", "streams"].iter().collect()
}

fn bytes_of(file: &str) -> Vec<u8> {
    std::fs::read(folder().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// The moment when that many bytes had arrived, for bytes that arrive one a microsecond.
fn moment(bytes: usize) -> Duration {
    Duration::from_micros(bytes as u64)
}

/// Scans content that arrives in parts.
fn scan<'a>(content_type: Option<&str>, parts: impl IntoIterator<Item = &'a [u8]>) -> (Scanner, Vec<Piece>) {
    let mut scanner = Scanner::new(content_type, true);
    let (mut arrived, mut pieces) = (0, Vec::new());
    for part in parts {
        arrived += part.len();
        scanner.feed(part, moment(arrived));
        pieces.append(&mut scanner.take_pieces());
    }
    scanner.finish(moment(arrived));
    pieces.append(&mut scanner.take_pieces());
    (scanner, pieces)
}

/// When the event that holds `mark` is complete: with its blank line, or with its closing brace.
fn complete(file: &str, bytes: &[u8], mark: &str) -> Option<Duration> {
    let text = str::from_utf8(bytes).expect("UTF-8");
    let mark = text.find(mark).filter(|_| !mark.is_empty())?;
    // With CRLF the CR ends the blank line; the LF behind it is known to follow.
    let (end, length) = match file.rsplit_once('.') {
        Some((_, "sse")) if text.contains("\r\n") => ("\r\n\r\n", 3),
        Some((_, "sse")) => ("\n\n", 2),
        Some((_, "ndjson")) => ("}\n", 1),
        _ => ("\n}", 2),
    };
    Some(moment(mark + text[mark..].find(end).expect("an end") + length))
}

fn said(pieces: &[Piece]) -> (String, String, Vec<&str>) {
    let (mut text, mut reasoning, mut calls) = (String::new(), String::new(), Vec::new());
    for piece in pieces {
        match piece {
            Piece::Text(piece) => text += piece,
            Piece::Reasoning(piece) => reasoning += piece,
            Piece::ToolCall(line) => calls.push(&line[..]),
        }
    }
    (text, reasoning, calls)
}

/// What was said and counted, which no split may change.
fn check(case: &Case, scanner: &Scanner, pieces: &[Piece]) {
    let file = case.file;
    let (text, reasoning, calls) = said(pieces);
    assert_eq!((&text[..], &reasoning[..], &calls[..]), (case.text, case.reasoning, case.calls), "{file}");
    let tokens = scanner.tokens();
    let counts = tokens.as_ref().map(|tokens| (tokens.count, tokens.token_events, tokens.events));
    assert_eq!(counts, case.tokens, "{file}");
    assert_eq!(tokens.is_some_and(|tokens| tokens.reported), case.tokens.is_some() && case.reported, "{file}");
    assert_eq!(scanner.error(), case.error, "{file}");
    let end = match (scanner.end_expected(), scanner.end_seen()) {
        (false, _) => NotExpected,
        (true, true) => Seen,
        (true, false) => Missing,
    };
    assert_eq!(end, case.end, "{file}");
    assert_eq!(scanner.cut_off(), case.end == Missing && case.error.is_none(), "{file}");
}

#[test]
fn each_fixture_says_what_it_holds_at_the_byte_that_completes_it() {
    for case in CASES {
        let bytes = bytes_of(case.file);
        let (scanner, pieces) = scan(None, bytes.chunks(1));
        check(case, &scanner, &pieces);
        let moments = [scanner.first_event(), scanner.first_token(), scanner.last_token()];
        let marks = [case.first_event, case.first_token, case.last_token];
        assert_eq!(moments, marks.map(|mark| complete(case.file, &bytes, mark)), "{}", case.file);
    }
}

#[test]
fn the_content_type_is_not_trusted() {
    for case in CASES {
        let bytes = bytes_of(case.file);
        for content_type in ["application/json", "text/event-stream; charset=utf-8", "text/plain", ""] {
            let (scanner, pieces) = scan(Some(content_type), [&bytes[..]]);
            check(case, &scanner, &pieces);
        }
    }
}

#[test]
fn any_split_any_line_end_and_a_bom_change_nothing() {
    arbtest::arbtest(|u| {
        let case = &CASES[u.choose_index(CASES.len())?];
        let text = String::from_utf8(bytes_of(case.file)).expect("UTF-8").replace("\r\n", "\n");
        let text = text.replace('\n', if case.file.ends_with("sse") { u.choose(&["\n", "\r\n", "\r"])? } else { "\n" });
        let text = format!("{}{text}", u.choose(&["", "\u{FEFF}", "\n", "\r\n \n"])?);
        let (mut rest, mut parts) = (text.as_bytes(), Vec::new());
        while !rest.is_empty() {
            let (part, after) = rest.split_at(u.int_in_range(1..=400)?.min(rest.len()));
            parts.push(part);
            rest = after;
        }
        let (scanner, pieces) = scan(None, parts);
        check(case, &scanner, &pieces);
        Ok(())
    });
}

#[test]
fn damaged_fixtures_never_panic() {
    arbtest::arbtest(|u| {
        let mut bytes = bytes_of(CASES[u.choose_index(CASES.len())?].file);
        for _ in 0..u.int_in_range(1..=8)? {
            let at = u.choose_index(bytes.len())?;
            match u.int_in_range(0..=2)? {
                0 => bytes[at] = u.arbitrary()?,
                1 => bytes.truncate(at.max(1)),
                _ => {
                    let part: &[u8] = u.choose(&[&b"\\ud800"[..], b"\"", b"}", b"null", b"\n\n", b"[["])?;
                    bytes.splice(at..at, part.iter().copied());
                }
            }
        }
        let (whole, _) = scan(None, [&bytes[..]]);
        let (split, _) = scan(None, bytes.chunks(7));
        let counts = |scanner: &Scanner| scanner.tokens().map(|Tokens { count, events, .. }| (count, events));
        assert_eq!((counts(&whole), whole.error()), (counts(&split), split.error()));
        Ok(())
    });
}

#[test]
fn every_fixture_has_a_case() {
    let names = std::fs::read_dir(folder()).expect("the folder").map(|entry| entry.expect("an entry").file_name());
    let mut names: Vec<_> = names.filter_map(|name| name.into_string().ok()).collect();
    names.retain(|name| !matches!(&name[..], "README.md" | ".gitattributes"));
    names.sort_unstable();
    let mut cases: Vec<_> = CASES.iter().map(|case| case.file).collect();
    cases.sort_unstable();
    assert_eq!(names, cases);
}
