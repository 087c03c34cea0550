//! `--retry` and its kin: what is tried again, after which pause, and what was told about it.

use std::os::unix::net::UnixListener;
use std::time::{Duration, SystemTime};

use gzpost::output::utc;

use crate::program::{Output, Program, TempDir, gzpost};
use crate::sample::{OK, chat, quiet};
use crate::server::{Conn, Server, read_file, refused_port};

fn busy(status: u16, fields: &str) -> String {
    format!("HTTP/1.1 {status} Busy\r\nConnection: close\r\n{fields}Content-Length: 4\r\n\r\nbusy")
}

/// A server that fails in this way `times` times and then answers; how often it was asked, and what came of it.
#[track_caller]
fn tried(
    times: usize,
    fail: impl Fn(Conn) + Send + Sync + 'static,
    options: &[&str],
    program: Program,
) -> (usize, Output) {
    let server = Server::many(move |number, mut conn| {
        conn.read_request();
        if number < times { fail(conn) } else { conn.write(OK) }
    });
    let output = program.args(options).arg(server.url("/")).run();
    (server.finish_all().len(), output)
}

fn answering(answer: String) -> impl Fn(Conn) + Send + Sync {
    move |mut conn: Conn| conn.write(&answer)
}

#[test]
fn transient_statuses_are_tried_again_and_others_are_not() {
    let options = ["--retry", "2", "--retry-delay", "0.01", "-o", "answer", "-w", "%{http_code} %{num_retries}"];
    for status in [408, 429, 500, 502, 503, 504, 522, 524] {
        let (requests, output) = tried(1, answering(busy(status, "")), &options, quiet(&[]));
        output.assert_code(0).assert_stdout("200 1");
        assert_eq!(requests, 2, "{status}");
        assert_eq!(read_file(&output.home.path().join("answer")), b"ok");
    }
    for status in [400, 401, 404, 413, 501, 505, 529] {
        let (requests, output) = tried(1, answering(busy(status, "")), &options, quiet(&[]));
        output.assert_code(0).assert_stdout(format!("{status} 0"));
        assert_eq!(requests, 1, "{status}");
    }
}

#[test]
fn nothing_is_tried_again_unasked() {
    let reset = |conn: Conn| conn.reset();
    for (options, code) in [(&[][..], 56), (&["--retry", "0"], 56), (&["--retry-all-errors"], 56)] {
        let (requests, output) = tried(1, reset, options, quiet(&[]));
        output.assert_error(code);
        assert_eq!(requests, 1, "{options:?}");
    }
    let (requests, output) = tried(1, answering(busy(503, "")), &[], quiet(&["-d", "a=1"]));
    output.assert_code(0).assert_stdout("busy");
    assert_eq!(requests, 1);
}

#[test]
fn errors_are_tried_again_as_far_as_asked_for() {
    let closing: fn(Conn) = drop;
    let cut = |mut conn: Conn| conn.write("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nsome");
    let patient = ["--retry", "1", "--retry-delay", "0.01"];
    for (fail, code) in [(closing, 52), (cut as fn(Conn), 18)] {
        let (requests, output) = tried(1, fail, &patient, quiet(&["-o", "answer"]));
        output.assert_error(code);
        assert_eq!(requests, 1);
        let (requests, output) = tried(1, fail, &patient, gzpost().args(["-sS", "--retry-all-errors", "-o", "answer"]));
        output.assert_code(0);
        assert_eq!((requests, read_file(&output.home.path().join("answer"))), (2, b"ok".to_vec()));
    }
    // A time limit counts for each attempt, and is transient.
    let server = Server::many(|number, mut conn| {
        conn.read_request();
        if number < 2 { drop(conn.read_to_end()) } else { conn.write(OK) }
    });
    let output = quiet(&patient).args(["--retry", "2", "-m", "0.3", "-w", " %{num_retries}", &server.url("/")]).run();
    output.assert_code(0).assert_stdout("ok 2");
}

#[test]
fn a_refused_connection_is_tried_again_where_asked_for() {
    let url = format!("http://127.0.0.1:{}/", refused_port());
    for (option, retries) in [("-s", 0), ("--retry-connrefused", 2), ("--retry-all-errors", 2)] {
        let told = ["--retry", "2", "--retry-delay", "0.01", "-w", "%{num_retries}"];
        let output = quiet(&told).args([option, &url]).run();
        output.assert_error(7).assert_stdout(retries.to_string());
    }
    let unknown = ["--retry", "1", "--retry-delay", "0.01", "-w", "%{num_retries}", "http://none.invalid/"];
    quiet(&unknown).run().assert_error(6).assert_stdout("1");
}

/// One address refuses, the other one fails at once: a broadcast address takes no TCP connection.
#[test]
fn a_refusal_counts_whatever_the_other_addresses_say() {
    let port = refused_port();
    for addresses in ["127.0.0.1,255.255.255.255", "255.255.255.255,127.0.0.1", "127.0.0.1"] {
        let resolve = format!("h.example:{port}:{addresses}");
        let options = ["-v", "--retry", "1", "--retry-delay", "0.01", "--retry-connrefused", "-w", "%{num_retries}"];
        let output = quiet(&options).args(["--resolve", &resolve, &format!("http://h.example:{port}/")]).run();
        output.assert_code(7).assert_stdout("1").assert_stderr_has("(7) could not connect to h.example:");
        output.assert_stderr_has(": connection refused\n");
        for address in addresses.split(',') {
            output.assert_stderr_has(&format!("connect to {address}:{port} failed: "));
        }
    }
    let folder = TempDir::new();
    let path = folder.path().join("socket");
    drop(UnixListener::bind(&path).expect("a Unix socket that nobody listens at any more"));
    let program = quiet(&["--retry", "1", "--retry-delay", "0.01", "--retry-connrefused", "-w", "%{num_retries}"]);
    program.arg("--unix-socket").arg(&path).arg("http://h.example/").run().assert_code(7).assert_stdout("1");
}

#[test]
fn the_server_says_how_long_to_wait() {
    // A delay of an hour, unless Retry-After replaces it.
    let patient = ["--retry", "1", "--retry-delay", "3600"];
    let seconds = || "1".to_owned();
    // The form of RFC 9110, section 5.6.7, made when it is sent: a moment that has passed says nothing.
    let date = || utc::format(SystemTime::now() + Duration::from_secs(3), "%a, %d %b %Y %H:%M:%S GMT");
    for value in [seconds as fn() -> String, date] {
        let fail = move |mut conn: Conn| conn.write(busy(429, &format!("Retry-After: {}\r\n", value())));
        let (requests, output) = tried(1, fail, &patient, gzpost());
        output.assert_code(0).assert_stdout("busyok").assert_stderr_has("will retry in ");
        assert_eq!(requests, 2);
    }
    // Longer than the time that is left: the answer stays what it is.
    for value in ["3600", "Fri, 31 Dec 9999 23:59:59 GMT"] {
        let fields = format!("Retry-After: {value}\r\n");
        let limited = ["--retry", "5", "--retry-max-time", "10", "-w", " %{num_retries}"];
        let (requests, output) = tried(1, answering(busy(503, &fields)), &limited, quiet(&[]));
        output.assert_code(0).assert_stdout("busy 0");
        assert_eq!(requests, 1, "{value}");
    }
}

#[test]
fn what_an_attempt_wrote_is_taken_back_from_a_file_only() {
    let options = ["--retry", "2", "--retry-delay", "0.01", "-D", "heads"];
    let (_, output) = tried(2, answering(busy(503, "")), &options, quiet(&["-o", "answer"]));
    let read = |name: &str| read_file(&output.home.path().join(name));
    assert_eq!(read("answer"), b"ok");
    assert_eq!(
        String::from_utf8_lossy(&read("heads")),
        [busy(503, ""), busy(503, "")].concat().replace("busy", "") + &OK[..OK.len() - 2]
    );
    let (_, output) = tried(2, answering(busy(503, "")), &options, quiet(&[]));
    output.assert_code(0).assert_stdout("busybusyok");
    let (_, output) = tried(2, answering(busy(503, "")), &options, quiet(&["-f"]));
    output.assert_code(0).assert_stdout("ok");
}

#[test]
fn a_line_tells_of_each_retry_unless_silent() {
    let options = ["--retry", "3", "--retry-delay", "0.01", "-w", ""];
    let (_, output) = tried(2, answering(busy(503, "")), &options, gzpost());
    let lines = ["will retry in 0.01 s (3 left)", "will retry in 0.01 s (2 left)"];
    let expected = lines.map(|line| format!("gzpost: warning: status 503; {line}\n")).concat();
    assert_eq!(output.assert_code(0).stderr_text(), expected);
    let (_, output) = tried(1, drop, &options, gzpost().arg("--retry-all-errors"));
    output.assert_code(0).assert_stderr_has("gzpost: warning: (52) ");
    let (_, output) = tried(2, answering(busy(503, "")), &options, quiet(&[]));
    assert_eq!(output.stderr_text(), "");
}

#[test]
fn every_attempt_sends_the_same_content_and_the_last_one_counts() {
    let body = chat(50_000);
    let server = Server::many(|number, mut conn| {
        let request = conn.read_request();
        if number < 3 {
            conn.write(busy(500, ""));
        } else {
            conn.write(busy(404, ""));
        }
        request
    });
    let program = quiet(&["-f", "--retry", "9", "--retry-delay", "0.01"]).stdin(body.clone());
    let output = program.args(["-w", "%{num_retries} %{http_code} %{size_upload}", &server.url("/"), "-"]).run();
    let requests = server.finish_all();
    output.assert_error(22).assert_stdout(format!("3 404 {}", requests[0].content.len()));
    assert!(requests.len() == 4 && requests.iter().all(|request| request.content == requests[0].content));
    assert_eq!(requests[0].decoded(), body);
}

#[test]
fn a_signal_ends_the_pause() {
    let server = Server::answering(busy(503, ""));
    let mut running = gzpost().args(["--retry", "1", "--retry-delay", "3600", &server.url("/")]).spawn();
    running.wait_for_stderr("will retry");
    running.signal(rustix::process::Signal::TERM);
    running.finish().assert_code(143).assert_stdout("busy").assert_stderr_has("time_total");
}
