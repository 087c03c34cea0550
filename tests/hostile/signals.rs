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

#[test]
fn a_second_signal_ends_what_the_first_one_cannot() {
    let (answered, answering) = gate();
    let server = Server::start(move |mut conn| {
        conn.read_request();
        conn.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
        answered.open();
        conn.read_to_end();
    });
    // Nobody opens the pipe for reading.
    let script = "mkfifo pipe; echo ready; exec \"$0\" -o pipe \"$1\"";
    let program = Program::new("sh").args(["-c", script, PROGRAM, &server.url("/")]);
    let mut running = program.spawn();
    running.wait_for_stdout("ready\n");
    answering.wait();
    running.wait_until_it_sleeps(PROGRAM);
    // Two of the same kind could arrive as one.
    running.signal(Signal::INT);
    running.signal(Signal::TERM);
    let output = running.finish();
    assert!(!output.status.success(), "{}", output.describe());
}
