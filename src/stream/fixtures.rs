//! The answers in `tests/fixtures/streams`: what the scanner says about each, and at which byte.

use std::path::PathBuf;
use std::time::Duration;

use super::{Piece, Scanner};
use crate::http::Tokens;

#[path = "../../tests/fixtures/streams/cases.rs"]
mod cases;

use cases::End::{Missing, NotExpected, Seen};
use cases::{CASES, Case};

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
    names.retain(|name| !matches!(&name[..], "README.md" | "cases.rs" | ".gitattributes"));
    names.sort_unstable();
    let mut cases: Vec<_> = CASES.iter().map(|case| case.file).collect();
    cases.sort_unstable();
    assert_eq!(names, cases);
}
