//! Tests of `scanner.rs`.

use super::super::LIMIT;
use super::*;

const AT: Duration = Duration::from_secs(1);

/// Whether nothing more is expected: the content is of no form that is known, or has ended.
fn idle(scanner: &Scanner) -> bool {
    matches!(scanner.form, Form::Idle)
}

#[test]
fn what_is_neither_stream_nor_json_costs_nothing() {
    for content in [
        "<!doctype html>",
        "\u{1F}\u{8B}\u{8}",
        "%PDF-1.7\n{}",
        "date: x\n\n",
        "\"text\"",
        "404 page not found",
        "{\\rtf1\\ansi {x}}",
        "{} {\"done\":true,\"response\":\"a\"}",
        "[{}, {}]",
        "[1, [2]]{\"a\":0}",
        "\u{FEFF}data",
    ] {
        for size in [1, content.len()] {
            let mut scanner = Scanner::new(None, true);
            content.as_bytes().chunks(size).for_each(|part| scanner.feed(part, AT));
            scanner.feed(b"\n", AT);
            assert!(idle(&scanner), "{content}");
            assert_eq!((scanner.first_event(), scanner.tokens(), scanner.cut_off()), (None, None, false), "{content}");
        }
    }
}

#[test]
fn too_few_bytes_say_nothing() {
    for content in ["", " \n", "da", "\u{FEFF}", "{\"choices\":[", "[", "data: {\"choices\":[]"] {
        let mut scanner = Scanner::new(None, true);
        scanner.feed(content.as_bytes(), AT);
        assert!(!idle(&scanner), "{content}");
        scanner.finish(AT);
        assert_eq!((scanner.recognised(), scanner.tokens(), scanner.error()), (false, None, None), "{content}");
    }
}

#[test]
fn the_type_decides_where_the_first_bytes_do_not() {
    let mut stream = Scanner::new(Some("Text/Event-Stream;charset=utf-8"), false);
    stream.feed(b"x: 1\ndata: a\n\n", AT);
    assert_eq!(stream.tokens().map(|tokens| tokens.events), Some(1));
    let mut lines = Scanner::new(Some("application/x-ndjson"), false);
    lines.feed(b"{\"a\":1}\n{\"b\":2}\n", AT);
    assert_eq!(lines.tokens().map(|tokens| tokens.events), Some(2));
    assert!(!lines.end_expected());
}

#[test]
fn white_space_before_a_document_keeps_the_connection_alive() {
    let mut scanner = Scanner::new(Some("application/json"), true);
    (0..1000).for_each(|_| scanner.feed(b"\n", AT));
    scanner.feed(br#"{"object":"chat.completion","choices":[{"message":{"content":"a"}}]}"#, AT);
    scanner.finish(AT);
    assert_eq!(scanner.take_pieces(), [Piece::Text("a".into())]);
    assert_eq!((scanner.tokens(), scanner.first_token(), scanner.cut_off()), (None, None, false));
}

#[test]
fn pieces_are_gathered_only_when_they_are_wanted() {
    let mut scanner = Scanner::new(None, false);
    scanner.feed(b"data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n", AT);
    assert_eq!((scanner.take_pieces(), scanner.first_token()), (vec![], Some(AT)));
}

#[test]
fn chunks_on_lines_are_a_stream() {
    let mut scanner = Scanner::new(Some("application/json"), false);
    scanner.feed(b"{\"choices\":[{\"delta\":{\"content\":\"a\"}}]}", AT);
    assert_eq!((scanner.first_event(), scanner.first_token()), (Some(AT), Some(AT)));
    scanner.finish(AT);
    assert!(scanner.cut_off());
}

#[test]
fn the_servers_figure_counts_unless_it_is_zero() {
    for (usage, count, reported) in [("null", 1, false), ("0", 1, false), ("5", 5, true)] {
        let mut scanner = Scanner::new(None, false);
        let choices = r#"[{"delta":{"content":"a"}}]"#;
        let event = format!("data: {{\"choices\":{choices},\"usage\":{{\"completion_tokens\":{usage}}}}}\n\n");
        scanner.feed(event.as_bytes(), AT);
        assert_eq!(scanner.tokens().map(|tokens| (tokens.count, tokens.reported)), Some((count, reported)));
    }
}

#[test]
fn reasoning_that_was_not_streamed_is_unseen() {
    let usage = |reasoning: u64| {
        let details = format!("{{\"reasoning_tokens\":{reasoning}}}");
        format!("\"usage\":{{\"completion_tokens\":9,\"completion_tokens_details\":{details}}}")
    };
    for (delta, reasoning, unseen) in
        [("\"content\":\"a\"", 6, 6), ("\"content\":\"a\"", 20, 0), ("\"reasoning\":\"a\"", 6, 0)]
    {
        let mut scanner = Scanner::new(None, false);
        let event = format!("data: {{\"choices\":[{{\"delta\":{{{delta}}}}}],{}}}\n\n", usage(reasoning));
        scanner.feed(event.as_bytes(), AT);
        assert_eq!(scanner.tokens().map(|tokens| (tokens.count, tokens.unseen)), Some((9, unseen)), "{delta}");
    }
}

#[test]
fn a_document_over_the_limit_is_given_up() {
    let mut scanner = Scanner::new(None, true);
    scanner.feed(b"{\"choices\":\"", AT);
    let (part, mut fed) = (vec![b'x'; 1 << 16], 0);
    while !idle(&scanner) {
        scanner.feed(&part, AT);
        fed += part.len();
    }
    assert!((LIMIT - part.len()..=LIMIT).contains(&fed));
    assert!(!scanner.cut_off());
}

#[test]
fn an_end_in_what_was_skipped_is_not_missed() {
    let mut scanner = Scanner::new(None, false);
    scanner.feed(b"data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\ndata: ", AT);
    (0..=16).for_each(|_| scanner.feed(&vec![b'x'; 1 << 20], AT));
    scanner.feed(b"\n\n", AT);
    scanner.finish(AT);
    assert!(!scanner.end_seen() && !scanner.cut_off());
}

#[test]
fn calls_that_grow_over_the_limit_are_dropped() {
    let mut scanner = Scanner::new(None, true);
    let part = format!(r#"{{"index":0,"id":"c","function":{{"name":"f","arguments":"{}"}}}}"#, "1".repeat(1 << 20));
    let event = format!("data: {{\"choices\":[{{\"delta\":{{\"tool_calls\":[{part}]}}}}]}}\n\n");
    (0..20).for_each(|_| scanner.feed(event.as_bytes(), AT));
    scanner.feed(b"data: [DONE]\n\n", AT);
    assert_eq!(scanner.take_pieces(), []);
    assert_eq!(scanner.tokens().map(|tokens| tokens.token_events), Some(20));
}
