//! Tests of reading and joining: curl's rules, and what is said when a part cannot be read.

use super::*;

/// Stdin that must not be read.
struct Untouched;

impl Read for Untouched {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        panic!("nobody asked for stdin");
    }
}

fn text(kind: PartKind, text: &str) -> Part {
    Part { kind, source: Source::Text(text.into()) }
}

fn stdin(kind: PartKind, mut input: &[u8]) -> Vec<u8> {
    read(&[Part { kind, source: Source::Stdin }], &mut input).expect("stdin is readable").bytes
}

fn joined(parts: &[Part]) -> String {
    String::from_utf8(read(parts, &mut Untouched).expect("text").bytes).expect("UTF-8")
}

/// A file in the tests' own folder, removed at the end.
struct File(PathBuf);

impl File {
    fn new(name: &str, bytes: &[u8]) -> File {
        let path = std::env::temp_dir().join(format!("gzpost-source-{}-{name}", std::process::id()));
        std::fs::write(&path, bytes).expect("the temporary folder is writable");
        File(path)
    }

    fn part(&self, kind: PartKind) -> Part {
        Part { kind, source: Source::File(self.0.clone()) }
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

#[test]
fn data_drops_line_ends_and_nul_of_files_and_keeps_those_of_the_command_line() {
    let file = File::new("data", b"a\r\nb\0c\n");
    assert_eq!(read(&[file.part(PartKind::Data)], &mut Untouched).expect("file").bytes, b"abc");
    assert_eq!(stdin(PartKind::Data, b"a\r\nb\0c\n"), b"abc");
    assert_eq!(joined(&[text(PartKind::Data, "a\r\nb")]), "a\r\nb");
}

#[test]
fn the_other_options_keep_every_byte() {
    let bytes = b"a\r\nb\0c\xff\n";
    let file = File::new("binary", bytes);
    for kind in [PartKind::Body, PartKind::Binary, PartKind::Json, PartKind::Upload] {
        assert_eq!(read(&[file.part(kind.clone())], &mut Untouched).expect("file").bytes, bytes, "{kind:?}");
        assert_eq!(stdin(kind, bytes), bytes);
    }
}

#[test]
fn parts_are_joined_with_an_ampersand_and_json_with_nothing() {
    let data = |piece| text(PartKind::Data, piece);
    let json = |piece| text(PartKind::Json, piece);
    assert_eq!(joined(&[data("a=1"), text(PartKind::Raw, "@b"), text(PartKind::Binary, "c")]), "a=1&@b&c");
    assert_eq!(joined(&[json("{\"a\":"), json("1}")]), "{\"a\":1}");
    assert_eq!(joined(&[json("{}"), data("a")]), "{}&a");
    assert_eq!(joined(&[data("a"), json("{}")]), "a{}");
    // The sign goes behind what is there already, and only then.
    assert_eq!(joined(&[data(""), data("a")]), "a");
    assert_eq!(joined(&[data("a"), data("")]), "a&");
}

#[test]
fn urlencode_encodes_the_content_and_not_the_name() {
    let encode = |name: Option<&str>, content| joined(&[text(PartKind::Urlencode(name.map(str::to_owned)), content)]);
    assert_eq!(encode(None, "c d"), "c+d");
    assert_eq!(encode(Some(""), "c d"), "c+d");
    assert_eq!(encode(Some("a b"), "c d&~é/+"), "a b=c+d%26~%C3%A9%2F%2B");
    assert_eq!(encode(Some("n"), ""), "n=");
    assert_eq!(encode(None, "AZaz09-._~"), "AZaz09-._~");
    assert_eq!(stdin(PartKind::Urlencode(Some("n".to_owned())), b"a\r\n\0"), b"n=a%0D%0A%00");
}

#[test]
fn stdin_has_an_end_for_the_second_that_asks() {
    let part = Part { kind: PartKind::Data, source: Source::Stdin };
    assert_eq!(read(&[part.clone(), part], &mut &b"xyz\n"[..]).expect("stdin").bytes, b"xyz&");
}

#[test]
fn an_empty_body_is_a_body() {
    let body = read(&[text(PartKind::Data, "")], &mut Untouched).expect("text");
    assert!(body.bytes.is_empty());
    assert_eq!((body.name.as_str(), body.declared), ("-d", Declared::Data));
}

#[test]
fn the_options_say_what_is_declared() {
    let declared = |kinds: &[PartKind]| {
        let parts: Vec<Part> = kinds.iter().map(|kind| text(kind.clone(), "1")).collect();
        read(&parts, &mut Untouched).expect("text").declared
    };
    assert_eq!(declared(&[PartKind::Body]), Declared::Json);
    assert_eq!(declared(&[PartKind::Data, PartKind::Json]), Declared::Json);
    assert_eq!(declared(&[PartKind::Upload]), Declared::Nothing);
    assert_eq!(declared(&[PartKind::Raw, PartKind::Urlencode(None), PartKind::Binary]), Declared::Data);
}

#[test]
fn messages_name_the_path_as_given_and_the_reason() {
    let error = |kind: PartKind, path: &str| {
        let part = Part { kind, source: Source::File(path.into()) };
        let error = read(&[part], &mut Untouched).expect_err("unreadable");
        assert_eq!(error.kind, Kind::Read);
        error.message
    };
    assert_eq!(error(PartKind::Data, "./no/such.json"), "./no/such.json: no such file");
    assert_eq!(error(PartKind::Body, "src"), "src: is a directory, not a file");
    assert_eq!(error(PartKind::Body, "Cargo.toml/x"), "Cargo.toml/x: not a directory");
    assert_eq!(error(PartKind::Body, "{\"a\":1}"), "{\"a\":1}: no such file (--json sends the argument itself)");
    assert_eq!(error(PartKind::Body, "@body.json"), "@body.json: no such file (BODY is a path without @)");
}

#[test]
fn a_failing_stdin_says_so() {
    struct Failing(Option<io::Error>);
    impl Read for Failing {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(self.0.take().expect("asked once"))
        }
    }
    let part = Part { kind: PartKind::Body, source: Source::Stdin };
    let error = read(&[part], &mut Failing(Some(io::Error::other("gone"))));
    assert_eq!(error, Err(Error::new(Kind::Read, "stdin: gone")));
}
