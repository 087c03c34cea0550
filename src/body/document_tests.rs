//! Tests of taking documents out of a stream: where they begin and end, and where they are broken.

use super::*;

/// The documents of a text that arrives in pieces of this size.
fn documents(text: &[u8], piece: usize) -> Vec<Document> {
    let input = std::io::BufReader::with_capacity(piece, text);
    Documents::new("capture", Box::new(input)).map(|document| document.expect("bytes in memory")).collect()
}

fn texts(text: &str) -> Vec<String> {
    let whole: Vec<_> = documents(text.as_bytes(), 1 << 16);
    for piece in [1, 2, 3, 7] {
        assert_eq!(documents(text.as_bytes(), piece), whole, "in pieces of {piece}: {text}");
    }
    whole.into_iter().map(|document| String::from_utf8(document.bytes).expect("UTF-8")).collect()
}

fn fault(text: &str) -> String {
    let checked = documents(text.as_bytes(), 5).iter().find_map(|document| document.check("capture").err());
    checked.expect("a broken document").message
}

#[test]
fn documents_are_byte_ranges_whatever_stands_between_them() {
    for (text, expected) in [
        ("", &[][..]),
        (" \r\n\t\n", &[]),
        ("{}", &["{}"]),
        ("{\"a\":1}\n{\"b\":2}\n", &["{\"a\":1}", "{\"b\":2}"]),
        ("{}{}[]", &["{}", "{}", "[]"]),
        ("\n{ \"a\" : [\n  1.0, {} ]\n}\n\n\n{\n}\r\n", &["{ \"a\" : [\n  1.0, {} ]\n}", "{\n}"]),
        ("{\"}\\\"{\": \"\\\\\"} {\"é\": \"]\"}", &["{\"}\\\"{\": \"\\\\\"}", "{\"é\": \"]\"}"]),
        ("null\n5 \"x\" {}\n{}", &["null", "5 \"x\" {}", "{}"]),
        ("text with { and [\n{}", &["text with { and [", "{}"]),
    ] {
        assert_eq!(texts(text), expected, "{text}");
    }
}

#[test]
fn documents_know_their_places() {
    let places = |text: &str| -> Vec<_> {
        documents(text.as_bytes(), 4).iter().map(|document| (document.number, document.line, document.column)).collect()
    };
    assert_eq!(places("{} {}\n\n  {\n} {}"), [(1, 1, 1), (2, 1, 4), (3, 3, 3), (4, 4, 3)]);
    assert_eq!(places("x\n{}"), [(1, 1, 1), (2, 2, 1)]);
}

#[test]
fn the_lines_that_pi_logs_for_answers_are_passed_over() {
    let log = "{\n  \"a\": 1\n}\n\n[200] {\"content-type\":\"text/event-stream\"}\n\n{\n  \"a\": 2\n}\n\n[429] {}\n";
    assert_eq!(texts(log), ["{\n  \"a\": 1\n}", "{\n  \"a\": 2\n}"]);
    assert_eq!(documents(log.as_bytes(), 3)[1].line, 7);
    assert_eq!(texts("[200]\n[20] {}"), ["[200]", "[20]", "{}"]);
}

#[test]
fn a_fault_has_its_place_in_the_capture() {
    for (text, place) in [
        ("{} {\"a\" 1}", "document 2: not JSON: line 1, column 9: expected `:`"),
        ("{}\n{\n  \"a\": tru\n}\n{}", "document 2: not JSON: line 3, column 11: expected ident"),
        ("{}\n{}\n{\"a\": \"cut o\n{\"b\": \"x\"}\n{}", "document 3: not JSON: line 3, column 12: control character"),
        ("{\"a\": [1,\n{\"b\": 2}\n", "document 1: not JSON: line 2, column 9: EOF while parsing a list"),
        ("{\"a\": {\"b\": 1\n{\"c\": 2}", "document 1: not JSON: line 2, column 1: expected `,` or `}`"),
        ("{}\n  <html>\n", "document 2: not JSON: line 2, column 3: expected value"),
        ("{]", "document 1: not JSON: line 1, column 2: key must be a string"),
        ("\u{feff}{}", "document 1: not JSON: it starts with a UTF-8 byte order mark"),
    ] {
        let message = fault(text);
        assert!(message.starts_with(&format!("capture: {place}")), "{text}: {message}");
        assert!(message.ends_with("; mend it or take it out"), "{message}");
    }
}

#[test]
fn what_is_no_text_at_all_is_not_read_to_its_end() {
    let bytes = vec![b'\xff'; 10 * LINE];
    let mut documents = Documents::new("capture", Box::new(bytes.as_slice()));
    let first = documents.next().expect("a document").expect("bytes in memory");
    assert_eq!(first.bytes.len(), LINE);
    assert!(first.check("capture").expect_err("no JSON").message.contains("not UTF-8"));
}

#[test]
fn any_values_in_a_row_come_out_as_they_went_in() {
    arbtest::arbtest(|u| {
        let mut expected = Vec::new();
        let mut text = String::new();
        for _ in 0..u.int_in_range(0..=5)? {
            let key: String = u.arbitrary()?;
            let value = serde_json::json!({ key: [u.arbitrary::<String>()?, u.arbitrary::<i32>()?, {}] });
            let document = if u.arbitrary()? { value.to_string() } else { format!("{value:#}") };
            text += &document;
            text += u.choose(&["", " ", "\n", "\r\n\r\n", "\n\n\t"])?;
            expected.push(document);
        }
        assert_eq!(texts(&text), expected);
        Ok(())
    });
}

#[test]
fn no_bytes_make_it_panic_or_lose_any() {
    arbtest::arbtest(|u| {
        let mut bytes = Vec::new();
        for _ in 0..u.int_in_range(0..=40)? {
            bytes.extend_from_slice(u.choose(&[
                &b"{"[..],
                b"}",
                b"[",
                b"]",
                b"\"",
                b"\\",
                b"\n",
                b" ",
                b"a",
                b"\xff",
            ])?);
        }
        let piece = u.int_in_range(1..=8)?;
        let found = documents(&bytes, piece);
        assert_eq!(found, documents(&bytes, 64));
        let visible = |bytes: &[u8]| bytes.iter().filter(|byte| !byte.is_ascii_whitespace()).count();
        assert_eq!(found.iter().map(|document| visible(&document.bytes)).sum::<usize>(), visible(&bytes));
        for document in found {
            let _ = document.check("capture");
        }
        Ok(())
    });
}
