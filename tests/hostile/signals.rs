//! SIGTERM and SIGINT at each stage: the first one ends the program.

use std::net::Ipv4Addr;
use std::os::unix::process::ExitStatusExt;

use rustix::process::Signal;

use crate::program::{Output, Program, Running, gzpost};
use crate::server::{Blackhole, Conn, Server, gate};

const PROGRAM: &str = env!("CARGO_BIN_EXE_gzpost");

/// Ends a transfer with a signal once `seen` is on stderr; it says so and shows its timing.
#[track_caller]
fn interrupted(mut running: Running, seen: &str, signal: Signal) -> Output {
    running.wait_for_stderr(seen);
    running.signal(signal);
    let output = running.finish();
    let (code, word) = if signal == Signal::INT { (130, "interrupted") } else { (143, "terminated") };
    output.assert_code(code).assert_stderr_has(&format!("gzpost: ({code}) {word}\n")).assert_stderr_has("time_total: ");
    output
}

#[test]
fn a_transfer_ends_with_its_timing_wherever_it_is() {
    let silent = || Server::start(|mut conn| drop(conn.read_to_end()));
    let saying = |said: &'static str| {
        Server::start(move |mut conn| {
            conn.read_request();
            conn.write(said);
            conn.read_to_end();
        })
    };
    for signal in [Signal::INT, Signal::TERM] {
        let hole = Blackhole::new(Ipv4Addr::new(127, 0, 0, 5), 0);
        let running = gzpost().args(["-v", &format!("http://{}/", hole.address())]).spawn();
        interrupted(running, "Trying 127.0.0.5", signal).assert_stderr_lacks("time_connect: ");

        let server = silent();
        let running = gzpost().args(["-v", &server.url("/").replace("http", "https")]).spawn();
        interrupted(running, "Connected to", signal).assert_stderr_lacks("time_appconnect: ");

        let server = silent();
        let running = gzpost().args(["-v", "-x", &server.url(""), "https://h.example/"]).spawn();
        interrupted(running, "> CONNECT h.example:443", signal);

        let server = saying("");
        let running = gzpost().args(["-v", "-d", "a=1", &server.url("/")]).spawn();
        interrupted(running, "> POST / HTTP/1.1", signal).assert_stderr_lacks("time_starttransfer: ");

        let server = saying("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nX");
        let running = gzpost().args(["-v", "-d", "a=1", &server.url("/")]).spawn();
        interrupted(running, "< HTTP/1.1 100 Continue", signal);

        let server = saying("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n");
        let running = gzpost().args(["-v", "-d", "a=1", &server.url("/")]).spawn();
        interrupted(running, "< Content-Length: 9", signal);

        let server = silent();
        let running = gzpost().args(["-v", "-H", "Expect: 100-continue", "-d", "a=1", "-o", "x", &server.url("/")]);
        interrupted(running.spawn(), "Connected to", signal);
    }
}

#[test]
fn an_upload_that_nobody_reads_ends_too() {
    let (opener, gate) = gate();
    let (reached, reaching) = crate::server::gate();
    let server = Server::start(move |mut conn: Conn| {
        conn.read_head();
        reached.open();
        gate.wait();
    });
    let program = gzpost().file("big", vec![b'x'; 30_000_000]).args(["-v", "-T", "big", &server.url("/")]);
    let running = program.spawn();
    reaching.wait();
    interrupted(running, "Connected to", Signal::TERM).assert_stderr_lacks("time_posttransfer: ");
    opener.open();
}

/// Writing to a pipe that nobody reads blocks, and handlers of signals restart what blocks.
#[test]
fn an_output_that_nobody_reads_ends_too() {
    for options in [&[][..], &["-w", "%{http_code}"], &["-i"]] {
        let server = Server::start(|mut conn| {
            conn.read_request();
            conn.write("HTTP/1.1 200 OK\r\n\r\n");
            conn.write_until_closed(vec![b'x'; 1 << 16]);
        });
        let running = gzpost().args(options).arg(server.url("/")).spawn();
        running.wait_until_stdout_is_full();
        running.wait_until_it_sleeps(PROGRAM);
        running.signal(Signal::TERM);
        let output = running.finish();
        output.assert_code(143).assert_stderr_has("gzpost: (143) terminated\n");
        assert_eq!(output.stderr_text().matches("terminated").count(), 1, "{}", output.describe());
    }
}

/// Before a transfer there is nothing to tell: the signal does what it does to any program.
#[test]
fn what_blocks_before_a_transfer_ends_as_well() {
    let url = "http://127.0.0.1:1/";
    for (name, arguments) in [
        ("stdin as the body", &[url, "-"][..]),
        ("stdin as options", &["-K", "-"]),
        ("stdin as fields", &["-H", "@-", url]),
        ("stdin as a format", &["-w", "@-", url]),
        ("a pipe as the body", &[url, "pipe"]),
        ("a pipe as options", &["-K", "pipe"]),
        ("a pipe as fields", &["-H", "@pipe", url]),
        ("a pipe as the file of heads", &["-D", "pipe", url]),
    ] {
        for signal in [Signal::INT, Signal::TERM] {
            let script = "mkfifo pipe; echo ready; exec \"$0\" \"$@\"";
            let program = Program::new("sh").args(["-c", script, PROGRAM]).args(arguments);
            let mut running = program.idle_stdin().spawn();
            running.wait_for_stdout("ready\n");
            running.wait_until_it_sleeps(PROGRAM);
            running.signal(signal);
            let output = running.finish();
            assert_eq!(output.status.signal(), Some(signal.as_raw()), "{name}\n{}", output.describe());
            assert_eq!(output.stderr_text(), "", "{name}");
        }
    }
}

/// Opening a pipe blocks until somebody opens its other end: the program cannot look for signals meanwhile.
#[test]
fn a_pipe_that_nobody_opens_ends_at_the_first_signal() {
    for (scheme, options) in [
        ("http", &["-o", "pipe"][..]),
        ("http", &["-w", "%output{pipe}x"]),
        ("https", &["--cacert", "pipe"]),
        ("https", &["--capath", "."]),
        ("https", &["-k", "--cert", "pipe"]),
    ] {
        let (answered, answering) = gate();
        let server = Server::start(move |mut conn| {
            if scheme == "http" {
                conn.read_request();
                conn.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
                answered.open();
            }
            conn.read_to_end();
        });
        let script = "mkfifo pipe; exec \"$0\" \"$@\"";
        let url = server.url("/").replace("http", scheme);
        let running = Program::new("sh").args(["-c", script, PROGRAM]).args(options).arg(url).spawn();
        if scheme == "http" {
            answering.wait();
        }
        running.wait_until_it_sleeps(PROGRAM);
        running.signal(Signal::TERM);
        let output = running.finish();
        assert!(!output.status.success(), "{}", output.describe());
    }
}

/// Neither does a pipe whose reader does not read.
#[test]
fn a_full_pipe_by_its_name_ends_too() {
    for options in [&["-o", "pipe"][..], &["-D", "pipe", "-o", "/dev/null"], &["-v", "--stderr", "pipe", "-o", "x"]] {
        let (answered, answering) = gate();
        let server = Server::start(move |mut conn| {
            conn.read_request();
            let field = format!("X: {}\r\n", "y".repeat(1000)).repeat(200);
            let content = "x".repeat(200_000);
            conn.write(format!("HTTP/1.1 200 OK\r\n{field}Content-Length: 200000\r\n\r\n{content}"));
            answered.open();
            conn.read_to_end();
        });
        let script = "mkfifo pipe; exec \"$0\" \"$@\" 3<>pipe";
        let program = Program::new("sh").args(["-c", script, PROGRAM, &server.url("/")]).args(options);
        let running = program.spawn();
        answering.wait();
        running.wait_until_it_sleeps(PROGRAM);
        running.signal(Signal::TERM);
        let output = running.finish();
        output.assert_code(143);
        assert_eq!(output.stderr_text().contains("(143) terminated"), options[0] != "-v", "{}", output.describe());
    }
}
