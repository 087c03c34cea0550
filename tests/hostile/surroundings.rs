//! Descriptors that are closed, few or full, and environments that are strange.

use crate::program::{Output, Program, gzpost};
use crate::sample::{OK, chat, quiet};
use crate::server::{Server, gate, read_file};

/// Runs a line of shell in which `$0` is the program and `$1` a server's URL.
#[track_caller]
fn shell(script: &str, answer: &'static str) -> Output {
    let server = Server::answering(answer);
    Program::new("sh").args(["-c", script, env!("CARGO_BIN_EXE_gzpost"), &server.url("/")]).run()
}

#[test]
fn closed_descriptors_are_no_matter_where_they_are_not_needed() {
    shell("exec \"$0\" \"$1\" <&-", OK).assert_code(0).assert_stdout("ok");
    assert_eq!(shell("exec \"$0\" \"$1\" 2>&-", OK).assert_code(0).assert_stdout("ok").stderr_text(), "");
    shell("exec \"$0\" -v \"$1\" <&- 2>&-", OK).assert_code(0).assert_stdout("ok");
    let output = shell("exec \"$0\" -sS -o file \"$1\" <&- >&-", OK);
    assert_eq!(read_file(&output.assert_code(0).home.path().join("file")), b"ok");
    let output =
        Program::new("sh").args(["-c", "exec \"$0\" -sS http://127.0.0.1:1/ - <&-", env!("CARGO_BIN_EXE_gzpost")]);
    output.run().assert_error(26).assert_stderr_has("it is empty");
}

/// From none to plenty: one line says what is missing, or nothing is.
#[test]
fn few_descriptors_are_told() {
    for limit in 3..16 {
        for body in [false, true] {
            let server = Server::many(|_, mut conn| {
                // Without a thread for the content nothing is sent.
                conn.read_some(1 << 16);
                conn.write_if_wanted(OK);
            });
            let script = format!("ulimit -n {limit}; exec \"$0\" -sS \"$@\"");
            let program = Program::new("sh").args(["-c", &script, env!("CARGO_BIN_EXE_gzpost"), &server.url("/")]);
            let program = if body { program.file("body", chat(2000)).arg("body") } else { program };
            let output = program.run();
            let (code, text) = (output.status.code(), output.stderr_text());
            let told = text.starts_with("gzpost: (") && text.to_lowercase().contains("too many open files");
            let right = if code == Some(0) { text.is_empty() } else { told && text.lines().count() == 1 };
            assert!(right, "{limit}\n{}", output.describe());
            server.finish_any();
        }
    }
}

#[test]
fn an_output_that_does_not_block_is_waited_for() {
    // perl is essential in Debian, and POSIX's shell cannot do it.
    let script = "perl -MFcntl -e 'fcntl(STDOUT, F_SETFL, O_WRONLY | O_NONBLOCK) or die' && exec \"$0\" -sS \"$1\"";
    let server = Server::start(|mut conn| {
        conn.read_request();
        conn.write("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n");
        conn.write(vec![b'x'; 1_000_000]);
    });
    let program = Program::new("sh").args(["-c", script, env!("CARGO_BIN_EXE_gzpost"), &server.url("/")]);
    let running = program.spawn();
    running.wait_until_stdout_is_full();
    let output = running.finish();
    assert!(output.assert_code(0).stdout == vec![b'x'; 1_000_000], "{} bytes", output.stdout.len());
}

#[test]
fn what_is_told_is_waited_for_as_well() {
    let script = "perl -MFcntl -e 'fcntl(STDERR, F_SETFL, O_WRONLY | O_NONBLOCK) or die' && exec \"$0\" -v -o x \"$1\"";
    let (answered, answering) = gate();
    let server = Server::start(move |mut conn| {
        conn.read_request();
        let fields = format!("X: {}\r\n", "y".repeat(1000)).repeat(200);
        conn.write(format!("HTTP/1.1 200 OK\r\n{fields}Content-Length: 2\r\n\r\nok"));
        answered.open();
    });
    let program = env!("CARGO_BIN_EXE_gzpost");
    let running = Program::new("sh").args(["-c", script, program, &server.url("/")]).spawn();
    answering.wait();
    // Nobody has read stderr so far, and it does not hold all of this.
    running.wait_until_it_sleeps(program);
    let output = running.finish();
    output.assert_code(0).assert_stderr_has("< Content-Length: 2").assert_stderr_has("time_total: ");
    assert_eq!(output.stderr_text().matches("< X: y").count(), 200);
}

#[test]
fn strange_environments_change_nothing() {
    for variables in [
        &[("LC_ALL", "tr_TR.UTF-8"), ("LANG", "xx"), ("LANGUAGE", "\u{1b}")][..],
        &[("HOME", ""), ("TMPDIR", "/nonexistent"), ("PATH", "")],
        &[("RUST_BACKTRACE", "full"), ("RUST_LOG", "trace"), ("RUST_MIN_STACK", "nonsense")],
        &[("TERM", "dumb"), ("COLUMNS", "1"), ("NO_COLOR", "1"), ("TZ", "nonsense")],
        &[("SSL_CERT_FILE", "missing"), ("SSL_CERT_DIR", "missing"), ("CURL_CA_BUNDLE", "missing")],
        &[("http_proxy", ""), ("no_proxy", ",,, *, "), ("HTTP_PROXY", "http://127.0.0.1:1")],
    ] {
        let server = Server::answering(OK);
        let program = quiet(&["-d", "a=1", "-w", " %{http_code}", &server.url("/")]);
        let program = variables.iter().fold(program, |program, (name, value)| program.env(name, value));
        let output = program.run();
        output.assert_code(0).assert_stdout("ok 200");
        assert_eq!(output.stderr_text(), "", "{variables:?}");
    }
}

#[test]
fn a_head_of_any_size_is_sent_and_arrives() {
    for (count, size) in [(1, 100_000), (500, 100), (5, 100_000)] {
        let server = Server::answering(OK);
        let value = "v".repeat(size);
        let fields = (0..count).flat_map(|number| ["-H".to_owned(), format!("X-{number}: {value}")]);
        gzpost().arg("-sS").args(fields).args(["-d", "a=1", &server.url("/")]).run().assert_code(0);
        let request = server.finish();
        assert!((0..count).all(|number| request.field(&format!("x-{number}")) == Some(&value)));
        assert_eq!(request.content, b"a=1");
    }
    let server = Server::answering(OK);
    let target = format!("/{}?{}", "p".repeat(50_000), "q".repeat(50_000));
    quiet(&[&server.url(&target)]).run().assert_code(0);
    assert_eq!(server.finish().target, target);
    let long = format!("X: {}", "v".repeat(1 << 20));
    let output = gzpost().file("fields", long).args(["-sS", "-H", "@fields", "http://127.0.0.1:1/"]).run();
    output.assert_error(100).assert_stderr_has("too long");
}
