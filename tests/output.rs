//! Where the answer and what is said about it go.

use std::path::Path;

use crate::program::{Output, Program, gzpost};
use crate::sample::{OK, quiet};
use crate::server::{Server, read_file, refused_port};

const ANSWER: &str = "HTTP/1.1 200 OK\r\nX-A: b\r\nContent-Length: 2\r\n\r\nok";
const HEAD: &str = "HTTP/1.1 200 OK\r\nX-A: b\r\nContent-Length: 2\r\n\r\n";
const NOT_FOUND: &str = "HTTP/1.1 404 No\r\nContent-Length: 2\r\n\r\nno";
const CUT: &str = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nsome";
const EMPTY: &str = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
const UNCHANGED: &str = "HTTP/1.1 304 Not Modified\r\n\r\n";

#[track_caller]
fn asked(program: Program, answer: &'static str, options: &[&str]) -> Output {
    let server = Server::answering(answer);
    program.arg("-sS").args(options).arg(server.url("/dir/name")).run()
}

/// The files in a folder with their content, but for the folders.
fn files(folder: &Path) -> Vec<(String, String)> {
    let entries = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut files: Vec<_> = entries
        .filter(|path| path.is_file())
        .map(|path| {
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            (name, String::from_utf8_lossy(&read_file(&path)).into_owned())
        })
        .collect();
    files.sort();
    files
}

#[test]
fn heads_go_in_front_to_a_file_or_to_stdout() {
    let both = [HEAD, ANSWER].concat();
    for (options, stdout, file) in [
        (&["-i"][..], ANSWER, None),
        (&["-I"], HEAD, None),
        (&["-D", "-"], ANSWER, None),
        (&["-D", "-", "-i"], &both, None),
        (&["-D", "-", "-o", "file"], HEAD, Some("ok")),
        (&["-D", "file"], "ok", Some(HEAD)),
        (&["-D", "file", "-I"], HEAD, Some(HEAD)),
        (&["-i", "-o", "file"], "", Some(ANSWER)),
        (&["-I", "-o", "file"], "", Some(HEAD)),
        (&["-D", "file", "-f"], "ok", Some(HEAD)),
    ] {
        let output = asked(gzpost(), ANSWER, options);
        output.assert_code(0).assert_stdout(stdout);
        let expected: Vec<_> = file.map(|text| ("file".to_owned(), text.to_owned())).into_iter().collect();
        assert_eq!(files(output.home.path()), expected, "{options:?}");
    }
    let output = asked(gzpost(), ANSWER, &["-D", "%"]);
    assert_eq!((output.stdout_text(), output.stderr_text()), ("ok".to_owned(), HEAD.to_owned()));
}

#[test]
fn interim_heads_trailers_and_those_of_redirects_are_shown_too() {
    let answer = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\
                  2\r\nok\r\n0\r\nX-Trailer: t\r\n\r\n";
    let heads = answer.split("2\r\nok").next().expect("heads");
    asked(gzpost(), answer, &["-i"]).assert_code(0).assert_stdout(format!("{heads}okX-Trailer: t\r\n"));
    let redirect = "HTTP/1.1 302 Found\r\nLocation: /next\r\nContent-Length: 4\r\n\r\n";
    let server = Server::many(move |number, mut conn| {
        conn.read_request();
        if number == 0 { conn.write(redirect.to_owned() + "gone") } else { conn.write(ANSWER) }
    });
    quiet(&["-iL", &server.url("/")]).run().assert_code(0).assert_stdout([redirect, ANSWER].concat());
}

/// What is in the files `old` (before: "old") and `new` after an answer, and the exit code.
#[track_caller]
fn after(answer: &'static str, options: &[&str]) -> (i32, Option<String>, Option<String>) {
    let mut left = ["old", "new"].map(|name| {
        let options = [options, &["-o", name]].concat();
        let output = asked(gzpost().file("old", "old"), answer, &options);
        let files = files(output.home.path());
        let text = files.into_iter().find(|(own, _)| own == name).map(|(_, text)| text);
        (output.status.code().expect("an exit code"), text)
    });
    assert_eq!(left[0].0, left[1].0);
    let [old, new] = left.each_mut().map(|(_, text)| text.take());
    (left[0].0, old, new)
}

#[test]
fn a_file_is_made_when_there_is_something_to_write() {
    for (answer, options, code, old, new) in [
        (ANSWER, &[][..], 0, Some("ok"), Some("ok")),
        (EMPTY, &[], 0, Some(""), Some("")),
        (UNCHANGED, &[], 0, Some("old"), None),
        (NOT_FOUND, &["-f"], 22, Some("old"), None),
        (NOT_FOUND, &["--fail-with-body"], 22, Some("no"), Some("no")),
        (CUT, &[], 18, Some("some"), Some("some")),
        (CUT, &["--remove-on-error"], 18, None, None),
        (NOT_FOUND, &["-f", "--remove-on-error"], 22, Some("old"), None),
        ("", &[], 52, Some("old"), None),
        ("", &["--remove-on-error"], 52, Some("old"), None),
    ] {
        let text = |text: Option<&str>| text.map(str::to_owned);
        assert_eq!(after(answer, options), (code, text(old), text(new)), "{answer:?} {options:?}");
    }
}

#[test]
fn no_clobber_looks_for_a_free_name_and_tells_it() {
    let program = || gzpost().file("name", "old").file("name.1", "older");
    let told = ["-w", "%{filename_effective}"];
    for (options, name) in [(&["-o", "name"][..], "name.2"), (&["-O"], "name.2"), (&["-o", "free"], "free")] {
        let options = [options, &["--no-clobber"], &told].concat();
        let output = asked(program(), ANSWER, &options);
        output.assert_code(0).assert_stdout(name);
        let left = files(output.home.path());
        assert!(
            left.contains(&("name".into(), "old".into())) && left.contains(&(name.into(), "ok".into())),
            "{left:?}"
        );
    }
    let output = asked(program(), CUT, &["--no-clobber", "--remove-on-error", "-o", "name"]);
    output.assert_code(18);
    assert_eq!(files(output.home.path()).len(), 2, "the one that was there stays, the new one goes");
}

#[test]
fn folders_are_made_when_asked_for() {
    for options in [&["-o", "a/b/c"][..], &["-D", "a/b/c", "-o", "-"], &["-O", "--output-dir", "a/b"]] {
        let output = asked(gzpost(), ANSWER, &[options, &["--create-dirs"]].concat());
        let path = if options[0] == "-O" { "a/b/name" } else { "a/b/c" };
        assert!(output.assert_code(0).home.path().join(path).is_file(), "{options:?}");
    }
    // An answer that nothing can be done with is not asked for.
    let url = format!("http://127.0.0.1:{}/name", refused_port());
    for options in [&["-o", "a/b/c"][..], &["-O", "--output-dir", "a/b"], &["-D", "a/b/c"]] {
        let missing = quiet(options).arg(&url).run();
        missing.assert_error(23).assert_stderr_has("a/b: no such directory (--create-dirs makes it)");
    }
}

/// The name comes from the URL, which may come from anywhere: it never leads out of the folder.
#[test]
fn a_remote_name_stays_in_its_folder() {
    for (target, name) in [
        ("/a/name", "name"),
        ("/a/name?q=/../x#/f", "name"),
        ("/a/name/", "name"),
        ("/", "curl_response"),
        ("", "curl_response"),
        ("/..", "curl_response"),
        ("/a/../..", "curl_response"),
        ("/%2e%2e/%2E%2e/x", "x"),
        ("/a/%2e%2e", "curl_response"),
        ("/..%2f..%2fx", "..%2f..%2fx"),
        ("/a\\..\\..\\b", "b"),
        ("//etc/passwd", "passwd"),
        ("/-rf", "-rf"),
        ("/~", "~"),
        ("/a%00b", "a%00b"),
    ] {
        let server = Server::answering(OK);
        let home =
            gzpost().file("outer", "").args(["-sSO", "--create-dirs", "--output-dir", "in", &server.url(target)]);
        let output = home.run();
        output.assert_code(0);
        assert_eq!(files(&output.home.path().join("in")), [(name.to_owned(), "ok".to_owned())], "{target}");
        assert_eq!(files(output.home.path()).len(), 1, "{target}");
    }
    // With the dots left in place the name is a folder.
    asked(gzpost(), ANSWER, &["-O", "--path-as-is"]).assert_code(0);
    let server = Server::answering(OK);
    let output = quiet(&["-O", "--path-as-is", &server.url("/a/..")]).run();
    output.assert_error(23);
}

#[test]
fn stderr_goes_where_it_is_told_to() {
    let url = format!("http://127.0.0.1:{}/", refused_port());
    let output = gzpost().args(["--stderr", "said", &url]).run();
    output.assert_code(7).assert_stdout("");
    assert_eq!(output.stderr_text(), "");
    let said = String::from_utf8(read_file(&output.home.path().join("said"))).expect("text");
    assert!(said.starts_with("gzpost: (7) ") && said.contains("time_total"), "{said}");
    let output = gzpost().args(["--stderr", "-", &url]).run();
    assert_eq!(output.assert_code(7).stderr_text(), "");
    assert!(output.stdout_text().starts_with("gzpost: (7) "), "{}", output.describe());
    quiet(&["--stderr", "no/such/folder", &url]).run().assert_error(23).assert_stderr_has("no/such/folder");
}

#[test]
fn verbose_shows_both_heads_and_trace_time_when() {
    let output = asked(gzpost(), ANSWER, &["-v", "-d", "a=1"]);
    output.assert_code(0).assert_stdout("ok");
    let text = output.stderr_text();
    for line in ["> POST /dir/name HTTP/1.1", "> Content-Length: 3", "< HTTP/1.1 200 OK", "< X-A: b"] {
        assert!(text.lines().any(|own| own == line), "{line:?} in {text}");
    }
    assert!(text.lines().all(|line| line.starts_with(['*', '>', '<'])), "{text}");
    let output = asked(gzpost(), ANSWER, &["-v", "--trace-time"]);
    let stamped = |line: &str| {
        let (time, rest) = line.split_once(' ').unwrap_or_default();
        let form: String = time.chars().map(|letter| if letter.is_ascii_digit() { '0' } else { letter }).collect();
        form == "00:00:00.000000" && rest.starts_with(['*', '>', '<'])
    };
    assert!(output.stderr_text().lines().all(stamped), "{}", output.describe());
    assert_eq!(asked(gzpost(), ANSWER, &["--trace-time"]).stderr_text(), "");
}

#[test]
fn the_fields_of_options_are_sent() {
    for (options, name, value) in [
        (&["-e", "http://a.example/"][..], "referer", Some("http://a.example/")),
        (&["-e", ""], "referer", None),
        (&["-b", "a=1", "-b", "b=2"], "cookie", Some("a=1; b=2")),
        (&["-A", ""], "user-agent", None),
        (&["-A", "x/1"], "user-agent", Some("x/1")),
        (&["-r", "0-4"], "range", Some("bytes=0-4")),
        (&["--compressed"], "accept-encoding", Some("deflate, gzip")),
        (&["-u", "a:b"], "authorization", Some("Basic YTpi")),
        (&["--oauth2-bearer", "t"], "authorization", Some("Bearer t")),
        (&["-b", "a=1", "-H", "Cookie: z=9"], "cookie", Some("z=9")),
    ] {
        let server = Server::answering(OK);
        quiet(options).arg(server.url("/")).run().assert_code(0);
        assert_eq!(server.finish().field(name), value, "{options:?}");
    }
}

#[test]
fn a_place_that_takes_nothing_is_23() {
    for options in [&["-o", "/dev/full"][..], &["-D", "/dev/full"], &["-i", "-o", "/dev/full"]] {
        asked(gzpost(), ANSWER, options).assert_error(23).assert_stderr_has("/dev/full");
    }
    let server = Server::answering(OK);
    let script = Program::new("sh").args(["-c", "exec \"$0\" -sS \"$1\" >/dev/full", env!("CARGO_BIN_EXE_gzpost")]);
    script.arg(server.url("/")).run().assert_error(23).assert_stderr_has("stdout");
    // What cannot be said does not matter.
    let server = Server::answering(OK);
    for text in ["--help", "--version", "--completions bash"] {
        let command = format!("exec \"$0\" {text} >/dev/full");
        let script = Program::new("sh").args(["-c", &command, env!("CARGO_BIN_EXE_gzpost")]);
        script.run().assert_error(23).assert_stderr_has("stdout: could not be written: no space left on device\n");
    }
    let script = Program::new("sh").args(["-c", "exec \"$0\" -v \"$1\" 2>/dev/full", env!("CARGO_BIN_EXE_gzpost")]);
    script.arg(server.url("/")).run().assert_code(0).assert_stdout("ok");
}
