//! Bodies that are too large, too deep, broken, or change while they are read.

use std::fs::File;
use std::io::Read;
use std::net::TcpListener;

use crate::program::{Program, SmallDisk, TempDir, gzpost};
use crate::sample::{OK, chat, quiet};
use crate::server::{Request, Server, gzip};

/// What arrives of a body that is sent.
#[track_caller]
fn sent(program: Program, options: &[&str]) -> Request {
    let server = Server::answering(OK);
    program.arg("-sS").args(options).arg(server.url("/")).run().assert_code(0).assert_stdout("ok");
    server.finish()
}

/// Not sent: exit 26, and this part of the message. A large body may be checked while the connection is made.
#[track_caller]
fn refused(body: &[u8], part: &str) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let url = format!("http://{}/", listener.local_addr().expect("an address"));
    let output = quiet(&[&url, "-"]).stdin(body).run();
    output.assert_error(26).assert_stderr_has(part).assert_stderr_has("--no-check");
    listener.set_nonblocking(true).expect("a listener that does not wait");
    if let Ok((mut connection, _)) = listener.accept() {
        let mut sent = Vec::new();
        connection.read_to_end(&mut sent).expect("an end");
        assert_eq!(sent, b"");
    }
}

#[test]
fn a_hundred_megabytes_arrive_whole() {
    let mut body = Vec::with_capacity(100_000_100);
    body.extend(b"{\"model\":\"m\",\"content\":\"");
    let piece = chat(1_000_000).iter().map(|byte| if *byte == b'"' { b'\'' } else { *byte }).collect::<Vec<u8>>();
    while body.len() < 100_000_000 {
        body.extend(&piece);
    }
    body.extend(b"\"}");
    for options in [&["--identity"][..], &["--level", "1"]] {
        let options = [options, &["--data-binary", "@body"]].concat();
        let request = sent(gzpost().file("body", &body), &options);
        assert_eq!(request.field("content-length"), Some(request.content.len().to_string().as_str()));
        assert!(request.decoded() == body, "{options:?}");
    }
}

#[test]
fn what_is_no_json_is_named_with_its_place() {
    let depth = 1_000_000;
    let deep = ["[".repeat(depth), "]".repeat(depth)].concat();
    let objects = ["{\"a\":".repeat(depth), "1".to_owned(), "}".repeat(depth)].concat();
    for (body, part) in [
        (deep.as_bytes(), "nested deeper than 128 levels"),
        (objects.as_bytes(), "nested deeper than 128 levels"),
        (&deep.as_bytes()[..depth], "EOF while parsing"),
        (b"{\"a\":\"\xff\"}", "line 1, column 7: a byte that is not UTF-8"),
        (b"\"\xed\xa0\x80\"", "a byte that is not UTF-8"),
        (b"\xef\xbb\xbf{}", "byte order mark"),
        (b"\xff\xfe{\0}\0", "UTF-16"),
        (b"\0{\0}", "UTF-16"),
        (b"{\"a\":\nNaN}", "line 2, column 1: NaN is not a JSON number"),
        (b"[-Infinity]", "Infinity is not a JSON number"),
        (b"{'a':1}", "line 1, column 2"),
        (b"[1,]", "line 1, column 4"),
        (b"{}{}", "trailing characters"),
        (b"\"a\nb\"", "control character"),
        (b"[01]", "invalid number"),
        (b"", "it is empty"),
        (b" \n", "it is empty"),
        (b"\0", "line 1, column 1"),
        (b"\x28\xb5\x2f\xfd....", "zstd"),
    ] {
        refused(body, part);
    }
}

#[test]
fn what_is_not_checked_goes_out_byte_for_byte() {
    let deep = ["[".repeat(1_000_000), "]".repeat(1_000_000)].concat().into_bytes();
    let garbage: Vec<u8> = (0..=255).cycle().take(5000).collect();
    for body in [&deep[..], &garbage, b"", b"\xef\xbb\xbf{}", b"{\"a\":\"\xff\"}"] {
        let request = sent(gzpost().stdin(body), &["--no-check", "--data-binary", "@-", "-H", "Content-Type: a/b"]);
        assert!(request.decoded() == body);
        let request = sent(gzpost().stdin(body), &["--no-check", "--gzip", "--data-binary", "@-"]);
        assert!(request.decoded() == body && request.field("content-encoding") == Some("gzip"));
    }
    // The depth of a body is no matter for changing it either.
    let body = [b"{\"a\":", &deep[..], b" , \"model\":\"old\"}"].concat();
    let request =
        sent(gzpost().stdin(body), &["--no-check", "--identity", "--model", "m", "--compact", "--json", "@-"]);
    assert_eq!(request.content, [b"{\"a\":", &deep[..], b",\"model\":\"m\"}"].concat());
}

#[test]
fn what_is_gzip_by_its_first_bytes_is_not_looked_into() {
    let twice = gzip(&gzip(b"{}"));
    for body in [&gzip(b"{}")[..], &twice, b"\x1f\x8b garbage", b"\x1f\x8b"] {
        for options in [&[][..], &["--gzip"], &["--identity"], &["-H", "Content-Encoding: gzip"]] {
            let options = [options, &["--json", "@-"]].concat();
            let request = sent(gzpost().stdin(body), &options);
            assert!(request.content == body, "{options:?}");
            assert_eq!(request.field("content-encoding"), Some("gzip"), "{options:?}");
        }
    }
    let changed = quiet(&["--model", "m", "--json", "@-", "http://127.0.0.1:1/"]).stdin(twice);
    changed.run().assert_error(26).assert_stderr_has("gunzip it first");
}

#[test]
fn stdin_may_trickle_and_a_pipe_may_have_a_name() {
    let shell = |script: &str| Program::new("sh").args(["-c", script, env!("CARGO_BIN_EXE_gzpost")]);
    let trickle = "for part in '{\"a\"' ':' '[1,' '2]' '}'; do printf %s \"$part\"; done | exec \"$0\" \"$@\" -d @-";
    assert_eq!(sent(shell(trickle), &[]).content, b"{\"a\":[1,2]}");
    let named = "mkfifo pipe; (printf '{\"a\":'; printf '1}') >pipe & exec \"$0\" \"$@\" pipe";
    let server = Server::answering(OK);
    shell(named).args(["-sS", &server.url("/")]).run().assert_code(0);
    assert_eq!(server.finish().content, b"{\"a\":1}");
}

#[test]
fn what_is_no_file_is_26_and_named() {
    for (path, part) in [
        (".", "is a directory, not a file"),
        ("missing", "no such file"),
        ("/proc/self/mem", "/proc/self/mem: "),
        ("/dev/null", "it is empty"),
        ("file/below", "file/below: "),
        ("{\"a\":1}", "--json for JSON on the command line"),
        ("@body.json", "BODY is a path without @"),
    ] {
        let output = gzpost().file("file", "").args(["-sS", "http://127.0.0.1:1/", path]).run();
        let code = if path.starts_with('{') { 2 } else { 26 };
        output.assert_error(code).assert_stderr_has(part);
    }
    // Sizes of files that are made as they are read say nothing.
    let request = sent(gzpost(), &["--data-binary", "@/proc/version"]);
    assert!(request.content.starts_with(b"Linux"), "{:?}", request.content);
}

/// Whatever was read goes out whole: a length that was announced is kept.
#[test]
fn a_file_may_shrink_and_grow_while_it_is_read() {
    let folder = TempDir::new();
    let path = folder.write("body", vec![b'x'; 1 << 20]);
    let (done, ended) = std::sync::mpsc::channel::<()>();
    let changing = {
        let path = path.clone();
        std::thread::spawn(move || {
            let file = File::options().write(true).open(path).expect("the file");
            while ended.try_recv() == Err(std::sync::mpsc::TryRecvError::Empty) {
                for size in [1 << 10, 2 << 20, 0, 1 << 20] {
                    file.set_len(size).expect("a size");
                }
            }
        })
    };
    for _ in 0..30 {
        let server = Server::answering(OK);
        let program = quiet(&["-T"]).arg(&path).arg(server.url("/to"));
        program.run().assert_code(0).assert_stdout("ok");
        let request = server.finish();
        assert_eq!(request.field("content-length"), Some(request.content.len().to_string().as_str()));
        assert!(request.content.len() <= 2 << 20 && request.content.iter().all(|byte| matches!(byte, b'x' | 0)));
    }
    drop(done);
    changing.join().expect("the thread that changes the file");
}

#[test]
fn a_full_disk_is_23_and_keeps_what_fits() {
    let Some(disk) = SmallDisk::new() else { return };
    let path = disk.path().join("answer");
    let full = |options: &[&str]| {
        let server = Server::start(|mut conn| {
            conn.read_request();
            conn.write("HTTP/1.1 200 OK\r\nContent-Length: 200000\r\n\r\n");
            conn.write_if_wanted(vec![b'x'; 200_000]);
        });
        let output = quiet(options).arg("-o").arg(&path).arg(server.url("/")).run();
        output.assert_error(23).assert_stderr_has("answer: could not be written: no space left");
    };
    full(&[]);
    assert!(path.metadata().expect("a file").len() > 0);
    full(&["--remove-on-error"]);
    assert!(!path.exists());
}
