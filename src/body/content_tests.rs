//! Tests of what becomes of a body: type, check, change and coding.

use std::io::Read;

use super::*;

const JSON: Option<&str> = Some("application/json");
const FORM: Option<&str> = Some("application/x-www-form-urlencoded");

fn body(declared: Declared, bytes: impl Into<Vec<u8>>) -> Body {
    Body { bytes: bytes.into(), name: "body.json".to_owned(), declared }
}

fn prepared(declared: Declared, bytes: impl Into<Vec<u8>>, content_type: Option<&str>) -> Content {
    prepare(body(declared, bytes), &BodyOptions::default(), content_type, None).expect("it can be sent")
}

fn refused(declared: Declared, bytes: impl Into<Vec<u8>>, options: &BodyOptions, content_type: Option<&str>) -> String {
    let error = prepare(body(declared, bytes), options, content_type, None).expect_err("it must not be sent");
    assert_eq!(error.kind, Kind::Read);
    error.message
}

fn choose(coding: CodingChoice) -> BodyOptions {
    BodyOptions { coding, ..BodyOptions::default() }
}

/// A JSON object of this many bytes.
fn object(len: usize) -> Vec<u8> {
    format!("{{\"a\":\"{}\"}}", "x".repeat(len - 8)).into_bytes()
}

fn decode(coded: &[u8]) -> Vec<u8> {
    let mut decoded = Vec::new();
    flate2::read::GzDecoder::new(coded).read_to_end(&mut decoded).expect("gzip");
    decoded
}

#[test]
fn json_goes_out_as_gzip_from_the_threshold_on() {
    let small = prepared(Declared::Json, object(GZIP_THRESHOLD - 1), None);
    assert_eq!((small.coding, small.size_body, small.compress), (Coding::Identity, 1023, None));
    assert_eq!(small.bytes, object(GZIP_THRESHOLD - 1));

    let large = prepared(Declared::Json, object(GZIP_THRESHOLD), None);
    assert_eq!((large.coding, large.size_body), (Coding::Gzip, 1024));
    assert!(large.compress.is_some());
    assert_eq!(decode(&large.bytes), object(GZIP_THRESHOLD));
}

#[test]
fn the_choice_of_coding_wins_over_type_and_size() {
    for (declared, bytes) in
        [(Declared::Nothing, b"plain text".to_vec()), (Declared::Data, vec![]), (Declared::Json, object(9))]
    {
        let content =
            prepare(body(declared, bytes.clone()), &choose(CodingChoice::Gzip), None, None).expect("any type");
        assert_eq!((content.coding, content.size_body), (Coding::Gzip, bytes.len() as u64));
        assert_eq!(decode(&content.bytes), bytes);
    }
    let plain = prepare(body(Declared::Json, object(5000)), &choose(CodingChoice::Identity), None, None).expect("JSON");
    assert_eq!((plain.coding, plain.bytes, plain.compress), (Coding::Identity, object(5000), None));
}

#[test]
fn only_json_is_compressed_unasked() {
    let form = format!("a={}", "x".repeat(5000));
    for (declared, bytes, content_type, coding) in [
        (Declared::Data, object(5000), None, Coding::Gzip),
        (Declared::Data, form.clone().into(), None, Coding::Identity),
        (Declared::Data, object(5000), Some("text/plain"), Coding::Identity),
        (Declared::Nothing, object(5000), None, Coding::Identity),
        (Declared::Nothing, object(5000), Some("application/vnd.api+json"), Coding::Gzip),
        (Declared::Json, object(5000), Some("text/plain"), Coding::Gzip),
    ] {
        assert_eq!(prepared(declared, bytes, content_type).coding, coding, "{declared:?} {content_type:?}");
    }
}

#[test]
fn the_type_follows_the_option_and_the_looks() {
    for (declared, bytes, content_type) in [
        (Declared::Json, "[]", JSON),
        (Declared::Json, "5", JSON),
        (Declared::Data, "{\"a\":1}", JSON),
        (Declared::Data, " [1]", JSON),
        (Declared::Data, "a=b", FORM),
        (Declared::Data, "5", FORM),
        (Declared::Data, "{\"a\":NaN}", FORM),
        (Declared::Data, "", FORM),
        (Declared::Nothing, "{}", None),
    ] {
        assert_eq!(prepared(declared, bytes, None).content_type, content_type, "{bytes}");
        let theirs = if bytes.contains('=') || bytes.is_empty() || bytes.contains("NaN") {
            "text/plain"
        } else {
            "application/json"
        };
        assert_eq!(prepared(declared, bytes, Some(theirs)).content_type, None, "{bytes}");
    }
}

#[test]
fn declared_json_that_is_none_is_refused() {
    let default = BodyOptions::default();
    let message = "body.json: not JSON: line 1, column 7: NaN is not a JSON number (--no-check sends it anyway)";
    assert_eq!(refused(Declared::Json, "{\"a\": NaN}", &default, None), message);
    for content_type in
        ["application/json", "Application/JSON; charset=utf-8", "application/problem+json", " text/x+JSON ;a=b"]
    {
        assert_eq!(refused(Declared::Data, "{\"a\": NaN}", &default, Some(content_type)), message, "{content_type}");
        assert_eq!(refused(Declared::Nothing, "{\"a\": NaN}", &default, Some(content_type)), message);
    }
    for content_type in ["application/jsonl", "text/json5", "application/json-seq", "+json", ""] {
        assert_eq!(
            prepared(Declared::Data, "{\"a\": NaN}", Some(content_type)).bytes,
            b"{\"a\": NaN}",
            "{content_type}"
        );
    }
    assert!(refused(Declared::Json, "", &default, None).starts_with("body.json: not JSON: it is empty"));
}

#[test]
fn a_large_body_is_checked_beside_its_compression_too() {
    let mut bytes = object(3_000_000);
    bytes.push(b'}');
    for coding in [CodingChoice::Auto, CodingChoice::Gzip, CodingChoice::Identity] {
        let message = refused(Declared::Json, bytes.clone(), &choose(coding), None);
        assert!(message.contains("line 1, column 3000001: trailing characters"), "{message}");
    }
}

#[test]
fn no_check_sends_anything() {
    let options = BodyOptions { check: false, ..BodyOptions::default() };
    for bytes in [vec![], b"{".to_vec(), vec![0xff; 5000], b"\xef\xbb\xbf{}".to_vec()] {
        let content = prepare(body(Declared::Json, bytes.clone()), &options, None, None).expect("unchecked");
        assert_eq!(content.content_type, JSON);
        let sent = if content.coding == Coding::Gzip { decode(&content.bytes) } else { content.bytes };
        assert_eq!(sent, bytes);
    }
}

#[test]
fn gzip_is_sent_as_it_is_whatever_was_asked_for() {
    let mut truncated = gzip::encode(b"{", 8);
    truncated.truncate(12);
    for bytes in [gzip::encode(&object(5000), 8), gzip::encode(b"no JSON", 8), truncated, vec![0x1f, 0x8b]] {
        for coding in [CodingChoice::Auto, CodingChoice::Gzip, CodingChoice::Identity] {
            let content = prepare(body(Declared::Json, bytes.clone()), &choose(coding), None, None).expect("unchecked");
            assert_eq!((content.coding, content.compress, content.content_type), (Coding::Gzip, None, JSON));
            assert_eq!(content.size_body, bytes.len() as u64);
            assert_eq!(content.bytes, bytes);
        }
    }
}

#[test]
fn a_body_with_the_users_content_encoding_is_sent_as_it_is() {
    let zstd = [&[0x28, 0xb5, 0x2f, 0xfd][..], &[0; 5000]].concat();
    for (encoding, bytes, coding) in [
        ("zstd", zstd, Coding::Identity),
        ("GZIP", gzip::encode(b"{}", 8), Coding::Gzip),
        ("br", gzip::encode(b"{}", 8), Coding::Identity),
        ("identity", b"no JSON".to_vec(), Coding::Identity),
    ] {
        let content = prepare(body(Declared::Json, bytes.clone()), &choose(CodingChoice::Gzip), JSON, Some(encoding));
        let content = content.expect("unchecked");
        assert_eq!((content.coding, content.bytes), (coding, bytes), "{encoding}");
    }
}

#[test]
fn changes_are_made_before_the_coding() {
    let options = BodyOptions {
        model: Some("m".to_owned()),
        set: vec![("n".to_owned(), "1".to_owned()), ("n".to_owned(), "2".to_owned())],
        compact: true,
        ..BodyOptions::default()
    };
    let content = prepare(body(Declared::Data, "{ \"model\": \"x\" }"), &options, None, None).expect("JSON");
    assert_eq!(String::from_utf8_lossy(&content.bytes), r#"{"model":"m","n":2}"#);
    assert_eq!((content.size_body, content.content_type), (19, JSON));

    let content = prepare(body(Declared::Json, object(5000)), &options, None, None).expect("JSON");
    assert!(decode(&content.bytes).ends_with(br#"x","model":"m","n":2}"#));
    assert_eq!(content.size_body, decode(&content.bytes).len() as u64);

    // The threshold is for what is compressed.
    let spaces = format!("{{{}}}", " ".repeat(5000));
    let compact = BodyOptions { compact: true, ..BodyOptions::default() };
    let content = prepare(body(Declared::Json, spaces), &compact, None, None).expect("JSON");
    assert_eq!((content.coding, content.bytes), (Coding::Identity, b"{}".to_vec()));
}

#[test]
fn what_cannot_be_changed_is_refused() {
    let model = BodyOptions { model: Some("m".to_owned()), ..BodyOptions::default() };
    let compact = BodyOptions { compact: true, ..BodyOptions::default() };
    assert_eq!(
        refused(Declared::Json, "[1]", &model, None),
        "body.json: not a JSON object, so there is no `model` to set"
    );
    for options in [&model, &compact] {
        // The position is that in the body as read.
        let message = refused(Declared::Data, "{\n\n    \"a\": x}", options, None);
        assert!(message.starts_with("body.json: not JSON: line 3, column 10: expected value"), "{message}");
        let message = refused(Declared::Json, gzip::encode(b"{}", 8), options, None);
        assert!(message.starts_with("body.json: is compressed already: --model, --set and --compact"), "{message}");
    }
    let error = prepare(body(Declared::Json, "{}"), &model, None, Some("br")).expect_err("unknown coding");
    assert_eq!(error.kind, Kind::Read);
    assert!(error.message.starts_with("body.json: is coded already, says -H 'Content-Encoding: br': "), "{error}");
}

#[test]
fn a_body_without_a_coding_is_moved_and_not_copied() {
    let bytes = object(100_000);
    let place = bytes.as_ptr();
    let content = prepare(body(Declared::Json, bytes), &choose(CodingChoice::Identity), None, None).expect("JSON");
    assert_eq!(content.bytes.as_ptr(), place);
}

#[test]
fn codings_have_the_names_of_the_field() {
    assert_eq!((Coding::Gzip.name(), Coding::Identity.name()), ("gzip", "identity"));
}
