//! Tests of `answer.rs`.

use super::*;

/// A directory of its own for each test, gone with its end.
struct Directory(PathBuf);

impl Directory {
    fn new(test: &str) -> Directory {
        let path = std::env::temp_dir().join(format!("gzpost-answer-{test}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Directory(path)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn read(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.path(name)).ok()
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).unwrap();
    }
}

const HEAD: &[u8] = b"HTTP/1.1 200 OK\r\nA: b\r\n\r\n";

/// One answer from head to end.
fn receive(output: &Output, status: u16, content: &[&[u8]], failed: bool) -> (Result<()>, Vec<u8>) {
    let mut stdout = Vec::new();
    let result = (|| {
        let mut answer = Answer::new(output, &mut stdout)?;
        answer.head(HEAD, status, &mut Vec::new())?;
        content.iter().try_for_each(|piece| answer.content(piece))?;
        answer.finish(failed)
    })();
    (result, stdout)
}

fn to_file(path: PathBuf) -> Output {
    Output { file: Some(path), ..Output::default() }
}

/// A stdout that fails in this way.
struct Broken(ErrorKind);

impl Write for Broken {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(self.0.into())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn stdout_gets_the_content_and_each_piece_at_once() {
    #[derive(Default)]
    struct Pieces(Vec<Vec<u8>>, Vec<u8>);
    impl Write for Pieces {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.1.write(bytes)
        }
        fn flush(&mut self) -> io::Result<()> {
            self.0.push(std::mem::take(&mut self.1));
            Ok(())
        }
    }
    let mut stdout = Pieces::default();
    let output = Output::default();
    let mut answer = Answer::new(&output, &mut stdout).unwrap();
    answer.head(HEAD, 200, &mut Vec::new()).unwrap();
    answer.content(b"data: 1").unwrap();
    answer.content(b"").unwrap();
    answer.content(b"\n").unwrap();
    answer.finish(false).unwrap();
    assert_eq!((answer.written, answer.filename()), (8, None));
    assert_eq!(stdout.0, [b"data: 1".to_vec(), b"\n".to_vec()]);
}

#[test]
fn heads_go_in_front_and_to_their_file() {
    let directory = Directory::new("heads");
    let dump_header = Some(Target::File(directory.path("h")));
    let output = Output { include: true, dump_header, ..to_file(directory.path("o")) };
    assert!(receive(&output, 200, &[b"x"], false).1.is_empty());
    assert_eq!(directory.read("o").unwrap(), "HTTP/1.1 200 OK\r\nA: b\r\n\r\nx");
    assert_eq!(directory.read("h").unwrap().as_bytes(), HEAD);

    let output = Output { dump_header: Some(Target::Stdout), ..Output::default() };
    assert_eq!(receive(&output, 200, &[b"x"], false).1, [HEAD, b"x"].concat());

    let output = Output { dump_header: Some(Target::Stderr), ..Output::default() };
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    Answer::new(&output, &mut stdout).unwrap().head(HEAD, 200, &mut stderr).unwrap();
    assert_eq!((stdout.as_slice(), stderr.as_slice()), (&b""[..], HEAD));
}

#[test]
fn fail_drops_the_content_of_errors_only() {
    let directory = Directory::new("fail");
    let output = Output { fail: Fail::WithoutBody, ..to_file(directory.path("o")) };
    receive(&output, 404, &[b"not found"], true).0.unwrap();
    assert_eq!(directory.read("o"), None);
    receive(&output, 399, &[b"found"], false).0.unwrap();
    assert_eq!(directory.read("o").unwrap(), "found");
    let output = Output { fail: Fail::WithBody, ..output };
    receive(&output, 404, &[b"not found"], true).0.unwrap();
    assert_eq!(directory.read("o").unwrap(), "not found");
    let output = Output { fail: Fail::WithoutBody, include: true, ..output };
    receive(&output, 404, &[b"not found"], true).0.unwrap();
    assert_eq!(directory.read("o").unwrap().as_bytes(), HEAD);
}

#[test]
fn an_empty_answer_makes_an_empty_file_and_a_failure_none() {
    let directory = Directory::new("empty");
    for (name, status, failed, expected) in
        [("a", 200, false, Some("")), ("b", 204, false, Some("")), ("c", 304, false, None), ("d", 200, true, None)]
    {
        receive(&to_file(directory.path(name)), status, &[], failed).0.unwrap();
        assert_eq!(directory.read(name).as_deref(), expected, "{name}");
    }
}

#[test]
fn a_file_is_opened_by_its_first_byte() {
    let directory = Directory::new("lazy");
    fs::write(directory.path("o"), "older").unwrap();
    let (output, mut stdout) = (to_file(directory.path("o")), Vec::new());
    let mut answer = Answer::new(&output, &mut stdout).unwrap();
    answer.head(HEAD, 200, &mut Vec::new()).unwrap();
    assert_eq!(directory.read("o").unwrap(), "older");
    answer.content(b"n").unwrap();
    assert_eq!(directory.read("o").unwrap(), "n");
}

#[test]
fn directories_are_made_when_asked_for() {
    let directory = Directory::new("directories");
    let output =
        Output { dump_header: Some(Target::File(directory.path("x/y/h"))), ..to_file(directory.path("x/z/o")) };
    let error = receive(&output, 200, &[b"x"], false).0.unwrap_err();
    assert_eq!(error.kind, Kind::Write);
    assert!(error.message.ends_with("x/z: no such directory (--create-dirs makes it)"), "{error}");
    receive(&Output { create_dirs: true, ..output }, 200, &[b"x"], false).0.unwrap();
    assert_eq!(directory.read("x/z/o").unwrap(), "x");
    assert_eq!(directory.read("x/y/h").unwrap().as_bytes(), HEAD);
}

#[test]
fn no_clobber_looks_for_a_free_number_up_to_100() {
    let directory = Directory::new("clobber");
    let output = Output { no_clobber: true, ..to_file(directory.path("o")) };
    let mut stdout = Vec::new();
    for number in 0..=100 {
        let name = if number == 0 { "o".to_owned() } else { format!("o.{number}") };
        let mut answer = Answer::new(&output, &mut stdout).unwrap();
        answer.content(name.as_bytes()).unwrap();
        assert_eq!(answer.filename(), Some(directory.path(&name).as_path()));
        assert_eq!(directory.read(&name).as_ref(), Some(&name));
    }
    let error = receive(&output, 200, &[b"x"], false).0.unwrap_err();
    assert_eq!(error.kind, Kind::Write);
    assert_eq!(directory.read("o.101"), None);
}

#[test]
fn another_attempt_begins_the_file_again() {
    let directory = Directory::new("restart");
    let (output, mut stdout) = (Output { include: true, ..to_file(directory.path("o")) }, Vec::new());
    let mut answer = Answer::new(&output, &mut stdout).unwrap();
    answer.restart().unwrap();
    answer.head(b"HTTP/1.1 503 Busy\r\n\r\n", 503, &mut Vec::new()).unwrap();
    answer.content(b"try again later").unwrap();
    answer.restart().unwrap();
    assert_eq!((directory.read("o").unwrap().as_str(), answer.written), ("", 0));
    answer.head(HEAD, 200, &mut Vec::new()).unwrap();
    answer.content(b"x").unwrap();
    answer.finish(false).unwrap();
    assert_eq!(directory.read("o").unwrap().as_bytes(), [HEAD, b"x"].concat());
    assert_eq!(answer.written, 1);
}

#[test]
fn remove_on_error_removes_what_was_written_and_nothing_else() {
    let directory = Directory::new("remove");
    let output = Output { remove_on_error: true, ..to_file(directory.path("o")) };
    receive(&output, 200, &[b"x"], true).0.unwrap();
    assert_eq!(directory.read("o"), None);
    receive(&output, 200, &[b"x"], false).0.unwrap();
    assert_eq!(directory.read("o").unwrap(), "x");
    // Not opened this time: the older file is not ours to remove.
    receive(&output, 200, &[], true).0.unwrap();
    assert_eq!(directory.read("o").unwrap(), "x");
    receive(&Output { file: Some("/dev/null".into()), ..output }, 200, &[b"x"], true).0.unwrap();
    assert!(Path::new("/dev/null").exists());
}

#[test]
fn write_errors_name_the_place_and_a_reader_that_left_is_silent() {
    let output = Output::default();
    let mut stdout = Broken(ErrorKind::StorageFull);
    let error = Answer::new(&output, &mut stdout).unwrap().content(b"x").unwrap_err();
    assert_eq!(error.kind, Kind::Write);
    assert!(error.message.starts_with("stdout: could not be written: "), "{error}");
    let mut stdout = Broken(ErrorKind::BrokenPipe);
    let error = Answer::new(&output, &mut stdout).unwrap().content(b"x").unwrap_err();
    assert_eq!(error, Error::new(Kind::Write, ""));
    let error = receive(&to_file("/dev/full".into()), 200, &[b"x"], false).0.unwrap_err();
    assert!(error.message.starts_with("/dev/full: could not be written: "), "{error}");
}
