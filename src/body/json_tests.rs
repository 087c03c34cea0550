//! Tests of the JSON check: what passes, where a fault is, and what is recognised as something else.

use super::*;

fn problem(bytes: &[u8]) -> String {
    check(bytes).expect_err("not JSON").to_string()
}

#[test]
fn json_of_every_type_passes() {
    for text in [
        "{}",
        " [1, -0.5e+300, 1e999, true, false, null, \"\\ud800\\n\\u00e9\"] \r\n\t",
        "{\"a\": {\"a\": [[], {}]}, \"a\": \"é\\\"\"}",
        "5",
        "\"text\"",
        "null",
    ] {
        assert_eq!(check(text.as_bytes()), Ok(()), "{text}");
    }
}

#[test]
fn a_fault_has_its_line_and_column_and_what_was_expected() {
    for (text, expected) in [
        ("{\"a\": 1\n \"b\": 2}", "line 2, column 2: expected `,` or `}`"),
        ("{\n  \"a\": [1,\n    2,\n  ]\n}", "line 4, column 3: expected value"),
        ("{'a': 1}", "line 1, column 2: key must be a string"),
        ("{\"model\": True}", "line 1, column 11: expected value"),
        ("[1] [2]", "line 1, column 5: trailing characters"),
        ("{\"a\":1}\n{\"a\":1}\n", "line 2, column 1: trailing characters"),
        ("[01]", "line 1, column 3: invalid number"),
        ("[\"é\", é]", "line 1, column 8: expected value"),
        ("<html>", "line 1, column 1: expected value"),
        ("{\n\"a\": tru\n}", "line 2, column 9: expected ident"),
        ("[\"cut off\n]", "line 1, column 9: control character (\\u0000-\\u001F) found while parsing a string"),
    ] {
        assert_eq!(problem(text.as_bytes()), expected, "{text}");
    }
}

#[test]
fn every_truncated_body_is_refused() {
    let text = r#"{"model": "m", "messages": [{"role": "user", "content": "a\n\u00e9"}], "n": [1, true, null]}"#;
    for len in 0..text.len() {
        assert!(check(&text.as_bytes()[..len]).is_err(), "{}", &text[..len]);
    }
    assert_eq!(problem(b"{\"a\": [1"), "line 1, column 8: EOF while parsing a list");
}

#[test]
fn numbers_that_serialisers_write_by_mistake_are_named() {
    assert_eq!(problem(b"{\"a\": NaN}"), "line 1, column 7: NaN is not a JSON number");
    assert_eq!(problem(b"[\n -Infinity]"), "line 2, column 3: Infinity is not a JSON number");
    assert_eq!(problem(b"[nan]"), "line 1, column 3: expected ident");
}

#[test]
fn what_is_not_json_at_all_is_recognised() {
    assert_eq!(problem(b""), "it is empty");
    assert_eq!(problem(b" \r\n"), "it is empty");
    let zstd = [0x28, 0xb5, 0x2f, 0xfd, 0x04, 0x00];
    assert!(problem(&zstd).starts_with("it is compressed with zstd: "), "{}", problem(&zstd));
    assert!(problem(b"\xef\xbb\xbf{}").starts_with("it starts with a UTF-8 byte order mark"));
    let units: Vec<u16> = "{\"a\": \"é\"}".encode_utf16().collect();
    let little: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
    let big: Vec<u8> = units.iter().flat_map(|unit| unit.to_be_bytes()).collect();
    for bytes in [little.clone(), big.clone(), [vec![0xff, 0xfe], little].concat(), [vec![0xfe, 0xff], big].concat()] {
        assert!(problem(&bytes).starts_with("it is UTF-16: "), "{bytes:?}");
    }
}

#[test]
fn bytes_that_are_not_utf_8_have_their_position() {
    assert_eq!(problem(b"{\"a\":\n\"x\xffy\"}"), "line 2, column 3: a byte that is not UTF-8");
    assert_eq!(problem(b"[\"caf\xe9\"]"), "line 1, column 6: a byte that is not UTF-8");
}

#[test]
fn nesting_has_a_limit_and_never_overflows_the_stack() {
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert_eq!(check(nested(MAX_DEPTH).as_bytes()), Ok(()));
    assert_eq!(problem(nested(MAX_DEPTH + 1).as_bytes()), "line 1, column 129: nested deeper than 128 levels");
    assert_eq!(problem(nested(1_000_000).as_bytes()), "line 1, column 129: nested deeper than 128 levels");
    assert_eq!(problem("[".repeat(1_000_000).as_bytes()), "line 1, column 1000000: EOF while parsing a list");
    assert!(check("{\"a\":".repeat(1_000_000).as_bytes()).is_err());
    assert!(is_json(nested(1_000_000).as_bytes()));
}

#[test]
fn the_error_names_the_body_and_the_way_out() {
    let error = require(b"{\n\n                x", "body.json").expect_err("not JSON");
    assert_eq!(error.kind, Kind::Read);
    assert_eq!(
        error.message,
        "body.json: not JSON: line 3, column 17: key must be a string (--no-check sends it anyway)"
    );
    assert_eq!(require(b"{}", "body.json"), Ok(()));
}

#[test]
fn only_objects_and_arrays_look_like_a_body() {
    for text in ["{}", " [1]\n", "{\"a\": \"b=c&d\"}"] {
        assert!(is_json(text.as_bytes()), "{text}");
    }
    for text in ["", "5", "null", "\"a\"", "a=b", "{a}", "[1", "{} {}", "{\"a\":NaN}"] {
        assert!(!is_json(text.as_bytes()), "{text}");
    }
    assert!(!is_json(b"[\"\xff\"]"));
}
