//! Tests of splicing: examples, and properties against a parser on random JSON texts.

use arbtest::arbitrary::{Result as Arbitrary, Unstructured};
use arbtest::arbtest;

use super::super::json;
use super::*;

fn with(text: &str, key: &str, value: &str) -> String {
    String::from_utf8(set(text.as_bytes(), key, value).expect("an object")).expect("UTF-8")
}

fn compacted(text: &str) -> String {
    String::from_utf8(compact(text.into())).expect("UTF-8")
}

#[test]
fn only_the_bytes_of_the_value_change() {
    for (text, expected) in [
        (r#"{"model":"a","n":1.0e0}"#, r#"{"model":7,"n":1.0e0}"#),
        ("\n{ \"n\" : 1 ,\r\n\t\"model\" : {\"a\": [1, 2]} } \n", "\n{ \"n\" : 1 ,\r\n\t\"model\" : 7 } \n"),
        (r#"{"a":{"model":1},"b":["model"],"model":null}"#, r#"{"a":{"model":1},"b":["model"],"model":7}"#),
        (r#"{"c":"\"model\":1,","model":2}"#, r#"{"c":"\"model\":1,","model":7}"#),
        (r#"{"mod\u0065l":2}"#, r#"{"mod\u0065l":7}"#),
        (r#"{"model":1,"x":0,"model":"\\\"","mode\u006c":3}"#, r#"{"model":7,"x":0,"model":7,"mode\u006c":7}"#),
    ] {
        assert_eq!(with(text, "model", "7"), expected);
    }
}

#[test]
fn a_missing_member_becomes_the_last_one() {
    assert_eq!(with("{}", "a", "1"), r#"{"a":1}"#);
    assert_eq!(with(" { } ", "a", "1"), r#" {"a":1 } "#);
    assert_eq!(with("{\n  \"b\": 2\n}\n", "a", "[1]"), "{\n  \"b\": 2,\"a\":[1]\n}\n");
    assert_eq!(with(r#"{"Model":1,"model ":1}"#, "model", "2"), r#"{"Model":1,"model ":1,"model":2}"#);
    assert_eq!(with("{}", "a\"\n", "1"), r#"{"a\"\n":1}"#);
}

#[test]
fn a_model_name_is_written_as_json() {
    let edited = model(br#"{"model":"x"}"#, "a\"b\\\n\u{1}é").expect("an object");
    assert_eq!(String::from_utf8(edited).expect("UTF-8"), r#"{"model":"a\"b\\\n\u0001é"}"#);
}

#[test]
fn what_is_no_object_is_refused() {
    for text in
        ["", "[]", "1", "\"{}\"", "{", "{}x", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{,}", "{a:1}", "{\"a\":1 2}"]
    {
        let error = set(text.as_bytes(), "a", "1").expect_err(text);
        assert_eq!(error, Error::new(Kind::Read, "not a JSON object, so there is no `a` to set"), "{text}");
    }
}

#[test]
fn compact_drops_white_space_between_tokens_only() {
    assert_eq!(
        compacted(" {\n\t\"a b\" : [ 1.50 , \"\\\" \\\\\" ],\r\n \"c\": {} }\n"),
        r#"{"a b":[1.50,"\" \\"],"c":{}}"#
    );
    for text in ["", "{}", r#"{"a":" x "}"#] {
        assert_eq!(compacted(text), text);
    }
    assert_eq!(compacted(" \n"), "");
}

#[test]
fn a_million_brackets_are_no_trouble() {
    let depth = 1_000_000;
    let text = format!("{{\"a\": {}{}}}", "[ ".repeat(depth), "]".repeat(depth));
    assert_eq!(with(&text, "a", "1"), "{\"a\": 1}");
    assert_eq!(compacted(&text).len(), 6 + 2 * depth);
}

/// White space, mostly none.
fn space(u: &mut Unstructured, text: &mut String) -> Arbitrary<()> {
    text.push_str(u.choose(&["", "", "", " ", "\n", "\t", "\r\n  "])?);
    Ok(())
}

/// A string of pieces that look like JSON, with every sort of escape.
fn string(u: &mut Unstructured, text: &mut String) -> Arbitrary<()> {
    let pieces = ["a", " ", "\\\"", "\\\\", "\\u0041", "\\ud83d\\ude00", "é", "{", "}", "[", "]", ",", ":", "\\n"];
    text.push('"');
    for _ in 0..u.int_in_range(0..=4)? {
        text.push_str(u.choose(&pieces)?);
    }
    text.push('"');
    Ok(())
}

fn value(u: &mut Unstructured, depth: u32, text: &mut String) -> Arbitrary<()> {
    match u.int_in_range(0..=if depth == 0 { 2 } else { 4 })? {
        0 => text.push_str(u.choose(&["true", "false", "null", "0", "-1.50", "1e5", "12345678901234567890123"])?),
        1 | 2 => string(u, text)?,
        3 => object(u, depth - 1, text)?,
        _ => {
            text.push('[');
            space(u, text)?;
            for number in 0..u.int_in_range(0..=3)? {
                text.push_str(if number > 0 { "," } else { "" });
                space(u, text)?;
                value(u, depth - 1, text)?;
                space(u, text)?;
            }
            text.push(']');
        }
    }
    Ok(())
}

fn object(u: &mut Unstructured, depth: u32, text: &mut String) -> Arbitrary<()> {
    text.push('{');
    space(u, text)?;
    for number in 0..u.int_in_range(0..=4)? {
        text.push_str(if number > 0 { "," } else { "" });
        space(u, text)?;
        match u.int_in_range(0..=2)? {
            0 => string(u, text)?,
            _ => {
                text.push_str(u.choose(&[
                    "\"model\"",
                    "\"mod\\u0065l\"",
                    "\"\\u006dodel\"",
                    "\"a\"",
                    "\"\\u0061\"",
                ])?);
            }
        }
        space(u, text)?;
        text.push(':');
        space(u, text)?;
        value(u, depth, text)?;
        space(u, text)?;
    }
    text.push('}');
    Ok(())
}

fn parse(text: &[u8]) -> Value {
    serde_json::from_slice(text).expect("JSON")
}

#[test]
fn a_parser_sees_exactly_that_member_changed() {
    arbtest(|u| {
        let mut text = String::new();
        space(u, &mut text)?;
        object(u, 3, &mut text)?;
        space(u, &mut text)?;
        let key = u.choose(&["model", "a", "A", "missing", ""])?;
        let mut new = String::new();
        value(u, 1, &mut new)?;

        let edited = set(text.as_bytes(), key, &new).expect("an object");
        let mut expected = parse(text.as_bytes());
        expected[*key] = parse(new.as_bytes());
        assert_eq!(parse(&edited), expected, "{text}");

        // Whichever of several members a server reads, it reads the new value.
        let object = Object::scan(&edited).expect("an object");
        for member in object.members {
            if parse(&edited[member.key]) == **key {
                assert_eq!(&edited[member.value], new.as_bytes(), "{text}");
            }
        }
        Ok(())
    })
    .size_max(4096)
    .budget_ms(1000);
}

#[test]
fn a_parser_sees_no_difference_after_compact() {
    arbtest(|u| {
        let mut text = String::new();
        space(u, &mut text)?;
        value(u, 4, &mut text)?;
        space(u, &mut text)?;
        let short = compacted(&text);
        assert_eq!(parse(short.as_bytes()), parse(text.as_bytes()), "{text}");
        assert_eq!(compacted(&short), short);
        // Without what a string may hold, nothing is left to drop.
        let spaces = |text: &str| text.chars().filter(|&char| char.is_ascii_whitespace()).count();
        assert_eq!(short.len() - spaces(&short), text.len() - spaces(&text), "{text}");
        Ok(())
    })
    .size_max(4096)
    .budget_ms(1000);
}

#[test]
fn no_bytes_make_splicing_panic() {
    let tokens = ["{", "}", "[", "]", "\"", "\\", ",", ":", " ", "a", "1", "\"a\"", "\"a\":", "\u{0}", "é"];
    arbtest(|u| {
        let mut text = String::new();
        while !u.is_empty() {
            text.push_str(u.choose(&tokens)?);
        }
        let edited = set(text.as_bytes(), "a", "1");
        if json::check(text.as_bytes()).is_ok() {
            assert_eq!(edited.is_ok(), parse(text.as_bytes()).is_object(), "{text}");
        }
        assert!(compact(text.clone().into_bytes()).len() <= text.len());
        let _ = json::check(text.as_bytes());
        Ok(())
    })
    .size_max(64);
}
