//! Tests of captures: where documents are found, and which are refused with which words.

use std::io::Write as _;

use super::*;

/// A folder of the tests' own, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("gzpost-capture-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir(&path).expect("the temporary folder is writable");
        Folder(path)
    }

    fn file(&self, name: &str, bytes: &[u8]) -> Source {
        let path = self.0.join(name);
        fs::write(&path, bytes).expect("the folder is writable");
        Source::File(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn gzipped(bytes: &[u8]) -> Vec<u8> {
    gzip::encode(bytes, 6)
}

fn open_all(sources: &[Source]) -> Result<Vec<Capture>> {
    open(sources, &mut &b""[..])
}

fn texts(capture: &Capture) -> Vec<String> {
    let documents = capture.documents().expect("readable");
    documents.map(|document| String::from_utf8(document.expect("readable").bytes).expect("UTF-8")).collect()
}

/// What is said about a capture of these bytes.
fn refused(bytes: &[u8]) -> String {
    let checked = open(&[Source::Stdin], &mut &*bytes).and_then(|captures| captures[0].check(|_| Ok(())));
    let error = checked.expect_err("it is refused");
    assert_eq!(error.kind, Kind::Read);
    error.message
}

#[test]
fn files_gzip_and_stdin_hold_the_same_documents_at_every_pass() {
    let folder = Folder::new("sources");
    let text = b"{\"a\":1}\n{\"b\":2}\n";
    let members = [gzipped(&text[..8]), gzipped(&text[8..])].concat();
    let files = [("plain", text.to_vec()), ("one.gz", gzipped(text)), ("two-members", members)];
    let mut sources: Vec<Source> = files.iter().map(|(name, bytes)| folder.file(name, bytes)).collect();
    sources.push(Source::Stdin);
    let captures = open(&sources, &mut &gzipped(text)[..]).expect("readable");
    assert_eq!(captures.len(), 4);
    for capture in captures {
        for _ in 0..2 {
            assert_eq!(texts(&capture), ["{\"a\":1}", "{\"b\":2}"], "{}", capture.name);
        }
        assert_eq!(capture.check(|_| Ok(())), Ok(Survey { documents: 2, bytes: 14 }));
    }
}

#[test]
fn a_directory_offers_its_captures_in_name_order() {
    let folder = Folder::new("directory");
    for name in ["b.json", "a.log", "c.json.gz", "10.jsonl", ".hidden.json", "d.txt", "e.gz", "f.json.bak"] {
        folder.file(name, b"{}");
    }
    fs::create_dir(folder.0.join("g.json")).expect("the folder is writable");
    let captures = open_all(&[Source::File(folder.0.clone())]).expect("readable");
    let names: Vec<_> = captures.iter().map(|capture| capture.name.rsplit('/').next().unwrap_or_default()).collect();
    assert_eq!(names, ["10.jsonl", "a.log", "b.json", "c.json.gz"]);
}

#[test]
fn documents_are_numbered_where_there_are_several() {
    let folder = Folder::new("labels");
    let capture = open_all(&[folder.file("a", b"{}")]).expect("readable").remove(0);
    assert_eq!(capture.label(1, 1), capture.name);
    assert_eq!(capture.label(2, 3), format!("{}#2", capture.name));
}

#[test]
fn what_cannot_be_read_is_named() {
    let folder = Folder::new("unreadable");
    let error = |source: Source| open_all(&[source]).and_then(|captures| captures[0].check(|_| Ok(()))).unwrap_err();
    let missing = error(Source::File("no/such.json".into()));
    assert_eq!((missing.kind, missing.message.as_str()), (Kind::Read, "no/such.json: no such file or directory"));
    let empty = error(Source::File(folder.0.clone()));
    let patterns = ": no *.json, *.json.gz, *.jsonl or *.log in this directory; name the files or another directory";
    assert_eq!(empty.message, format!("{}{patterns}", folder.0.display()));
    let mut cut = gzipped(&b"{\"a\": [1, 2, 3]}".repeat(100));
    cut.truncate(cut.len() / 2);
    let broken = error(folder.file("cut.gz", &cut)).message;
    assert!(broken.contains("cut.gz: could not be read: "), "{broken}");
}

#[test]
fn every_refusal_has_its_reason_and_a_way_out() {
    for (bytes, reason, way_out) in [
        (&b""[..], "stdin: is empty", "there is no request body in it"),
        (b"\n\n", "stdin: is empty", "there is no request body in it"),
        (b"(\xb5/\xfd\x04", "stdin: is compressed with zstd", "zstd -d"),
        (b"{}\n[{}]", "stdin: document 2: an array, not a body", "`jq -c '.[]'`"),
        (b"\"text\"", "stdin: document 1: JSON, but no object", "take it out"),
        (b"{\"type\":\"session\",\"version\":3}", "a pi session file", "before_provider_request"),
        (b"{\"model\":\"g\",\"contents\":[],\"config\":{}}", "Google's SDK", "capture that with a proxy"),
        (b"{\"model\":\"g\",\"contents\":\"hello\"}", "Google's SDK", "capture that with a proxy"),
        (b"{\"modelId\":\"c\",\"messages\":[]}", "AWS SDK", "capture that with a proxy"),
        (b"{\"log\":{\"version\":\"1.2\",\"entries\":[]}}", "a HAR file", "jq -r"),
        (b"{\"a\":1", "stdin: document 1: not JSON: line 1, column 6", "mend it or take it out"),
        (b"data: {}\n", "stdin: document 1: not JSON: line 1, column 1", "mend it or take it out"),
    ] {
        let message = refused(bytes);
        assert!(message.contains(reason) && message.contains(way_out), "{message}");
    }
}

#[test]
fn what_looks_alike_is_sent() {
    for body in [
        &b"{\"model\":\"m\",\"contents\":[],\"generationConfig\":{}}"[..],
        b"{\"model\":\"m\",\"config\":1,\"messages\":[]}",
        b"{\"type\":\"sessions\"}",
        b"{\"messages\":[{\"type\":\"session\"}]}",
        b"{\"log\":{}}",
        b"{}",
    ] {
        let captures = open(&[Source::Stdin], &mut &*body).expect("readable");
        assert!(captures[0].check(|_| Ok(())).is_ok(), "{}", String::from_utf8_lossy(body));
    }
}

#[test]
fn a_pipe_is_read_once_and_kept() {
    let (reader, mut writer) = std::io::pipe().expect("a pipe");
    writer.write_all(b"{\"a\":1} {}").expect("room in a pipe");
    drop(writer);
    let path = format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&reader));
    let captures = open_all(&[Source::File(path.into())]).expect("readable");
    for _ in 0..2 {
        assert_eq!(texts(&captures[0]), ["{\"a\":1}", "{}"]);
    }
}

#[test]
fn a_log_of_many_documents_is_never_in_memory_as_a_whole() {
    let folder = Folder::new("log");
    let document = format!("{{\"a\":\"{}\"}}\n", "x".repeat(100_000));
    let captures = open_all(&[folder.file("big.log", document.repeat(100).as_bytes())]).expect("readable");
    let mut largest = 0;
    let survey = captures[0].check(|document| {
        largest = largest.max(document.bytes.capacity());
        Ok(())
    });
    assert_eq!(survey.map(|survey| survey.documents), Ok(100));
    assert!(largest < 300_000, "{largest}");
}
