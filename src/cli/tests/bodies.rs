//! The parts of a body and what is done with it.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

use super::{Setting, send};
use crate::body::{BodyOptions, CodingChoice, Part, PartKind, Source};
use crate::cli::Command;

fn text(kind: PartKind, text: &str) -> Part {
    Part { kind, source: Source::Text(text.into()) }
}

fn file(kind: PartKind, path: &str) -> Part {
    Part { kind, source: Source::File(path.into()) }
}

#[test]
fn every_data_option_in_its_order() {
    let parts = send(
        "u -d a --data @f --data-ascii b --data-binary @- --data-raw @c --json {} --data-urlencode n=v \
         --data-urlencode 'n@f' --data-urlencode 'plain text' -d@- --data=",
    )
    .parts;
    let urlencode = |name: Option<&str>| PartKind::Urlencode(name.map(str::to_owned));
    let expected = [
        text(PartKind::Data, "a"),
        file(PartKind::Data, "f"),
        text(PartKind::Data, "b"),
        Part { kind: PartKind::Binary, source: Source::Stdin },
        text(PartKind::Raw, "@c"),
        text(PartKind::Json, "{}"),
        text(urlencode(Some("n")), "v"),
        file(urlencode(Some("n")), "f"),
        text(urlencode(None), "plain text"),
        Part { kind: PartKind::Data, source: Source::Stdin },
        text(PartKind::Data, ""),
    ];
    assert_eq!(parts, expected);
}

#[test]
fn the_second_argument_is_the_body() {
    assert_eq!(send("u body.json").parts, [file(PartKind::Body, "body.json")]);
    assert_eq!(send("u -").parts, [Part { kind: PartKind::Body, source: Source::Stdin }]);
    assert_eq!(send("body.json --url u").parts, [file(PartKind::Body, "body.json")]);
    assert_eq!(send("u -- -x").parts, [file(PartKind::Body, "-x")]);
    assert_eq!(send("u").parts, []);
}

#[test]
fn uploads() {
    assert_eq!(send("u -T f").parts, [file(PartKind::Upload, "f")]);
    for line in ["u -T -", "u -T ."] {
        assert_eq!(send(line).parts, [Part { kind: PartKind::Upload, source: Source::Stdin }], "{line}");
    }
    assert_eq!(send("u -T a -T b").parts, [file(PartKind::Upload, "a")]);
    assert_eq!(send("u -T ''").parts, []);
    for (line, given) in [
        ("http://h/dir/ -T 'a/b c.json'", "http://h/dir/b%20c.json"),
        ("http://h -T f", "http://h/f"),
        ("http://h/dir/#top -T f", "http://h/dir/f"),
        ("http://h/x -T f", "http://h/x"),
        ("http://h/\\{x\\}/ -T {f}", "http://h/{x}/%7Bf%7D"),
        ("http://h/?q -T f", "http://h/?q"),
        ("http://h/d/ -T -", "http://h/d/"),
        ("h/ -T f --proto-default https", "h/f"),
    ] {
        assert_eq!(send(line).request.url.given, given, "{line}");
    }
}

#[test]
fn data_for_the_query() {
    let asked = send("u -G -d a=b --data-urlencode c=d");
    assert!(asked.get);
    assert_eq!(asked.parts.len(), 2);
    assert!(!send("u -G").get);
    assert!(!send("u -G --no-get -d a").get);
}

#[test]
fn arguments_may_be_any_bytes() {
    let bytes = |bytes: &[u8]| OsString::from_vec(bytes.to_vec());
    let words = [bytes(b"u"), bytes(b"-d\xff"), bytes(b"-d"), bytes(b"@\xfe"), bytes(b"-o"), bytes(b"\xfd")];
    let Ok(Command::Send(send)) = Setting::default().parse_os(&words) else {
        panic!("refused");
    };
    assert_eq!(send.parts[0].source, Source::Text(vec![0xff]));
    assert_eq!(send.parts[1].source, Source::File(bytes(b"\xfe").into()));
    assert_eq!(send.output.file, Some(bytes(b"\xfd").into()));
}

#[test]
fn coding_and_changes() {
    let defaults = BodyOptions::default();
    assert_eq!(send("u body.json").body, defaults);
    let set = [("a", "1"), ("b", "\"x=y\""), ("a", "[2]")].map(|(key, value)| (key.to_owned(), value.to_owned()));
    let expected = BodyOptions {
        check: false,
        coding: CodingChoice::Gzip,
        level: 9,
        model: Some("m".into()),
        set: set.to_vec(),
        compact: true,
    };
    let words = [
        "u",
        "b",
        "--gzip",
        "--level",
        "9",
        "--no-check",
        "--model",
        "m",
        "--set",
        "a=1",
        "--set",
        "b=\"x=y\"",
        "--set",
        "a=[2]",
        "--compact",
    ];
    assert_eq!(Setting::default().send(&words).unwrap().body, expected);
    assert_eq!(send("u b --identity").body.coding, CodingChoice::Identity);
    assert_eq!(send("u b --no-check --check").body, defaults);
    assert_eq!(send("u b --no-gzip").body.coding, CodingChoice::Identity);
    // Who takes the label away gets no gzip without it, unless they ask for just that.
    assert_eq!(send("u b -H Content-Encoding:").body.coding, CodingChoice::Identity);
    assert_eq!(send("u b -H content-encoding: --gzip").body.coding, CodingChoice::Gzip);
}
