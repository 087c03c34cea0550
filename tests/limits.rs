//! Time limits at each moment of a transfer, over http and https, all at once: they only wait.

use std::net::{Ipv4Addr, TcpStream};
use std::os::fd::OwnedFd;
use std::os::unix::net::{UnixListener, UnixStream};

use rustix::process::Signal;

use crate::program::{Program, Running, TempDir, gzpost};
use crate::sample::{OK, both_schemes, quiet, serve, trusting};
use crate::server::{Authority, Blackhole, Conn, Server, gate};

/// What a server says before it falls silent.
const MOMENTS: [(&str, &str); 10] = [
    ("", ""),
    ("HTTP/1.1 2", ""),
    ("HTTP/1.1 200 OK\r\nX: y\r\n", ""),
    ("HTTP/1.1 100 Continue\r\n\r\n", ""),
    ("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n", ""),
    ("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nsome", "some"),
    ("HTTP/1.1 200 OK\r\n\r\nsome", "some"),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nsome\r\n", "some"),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nsome\r\n4", "some"),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nsome\r\n0\r\nX: y", "some"),
];

/// Starts a program against a server that falls silent behind `said`.
fn silent(said: &'static str, program: impl Fn(&str) -> Program, https: Option<&Authority>) -> (Running, Server) {
    let server = serve(https, move |mut conn| {
        conn.read_request();
        conn.write(said);
        conn.read_to_end();
    });
    (program(&server.url("/")).spawn(), server)
}

#[test]
fn the_time_of_a_transfer_and_silence_end_it_at_any_moment() {
    let limits = [&["-m", "0.5"][..], &["-Y", "1", "-y", "1"], &["-y", "1"], &["-Y", "1000", "-y", "1", "-m", "5"]];
    let schemes = both_schemes();
    let mut begun = Vec::new();
    for (authority, (said, delivered), limit) in
        schemes.iter().flat_map(|scheme| MOMENTS.map(|moment| limits.map(|limit| (scheme, moment, limit)))).flatten()
    {
        let program = |url: &str| trusting(authority.as_ref()).args(limit).args(["-d", "a=1", url]);
        let (program, server) = silent(said, program, authority.as_ref());
        begun.push((program, server, limit, delivered));
    }
    for (program, _server, limit, delivered) in begun {
        let output = program.finish();
        output.assert_error(28).assert_stdout(delivered);
        let reason = if limit[0] == "-m" { "operation timed out after " } else { "slower than " };
        output.assert_stderr_has(reason);
    }
}

#[test]
fn what_is_complete_is_not_waited_for() {
    for authority in both_schemes() {
        for said in [
            OK,
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok and more",
        ] {
            let program = |url: &str| trusting(authority.as_ref()).args(["-m", "9", url]);
            let (program, _server) = silent(said, program, authority.as_ref());
            program.finish().assert_code(0).assert_stdout("ok");
        }
        for said in ["HTTP/1.1 204 No\r\n\r\n", "HTTP/1.1 304 No\r\nContent-Length: 9\r\n\r\n"] {
            let program = |url: &str| trusting(authority.as_ref()).args(["-m", "9", url]);
            let (program, _server) = silent(said, program, authority.as_ref());
            program.finish().assert_code(0).assert_stdout("");
        }
    }
}

/// A server that accepts and says nothing: no TLS, no tunnel.
fn mute() -> Server {
    Server::start(|mut conn| drop(conn.read_to_end()))
}

#[test]
fn the_connect_timeout_covers_everything_before_the_request() {
    let hole = Blackhole::new(Ipv4Addr::new(127, 0, 0, 4), 0);
    let half_a_tunnel = Server::start(|mut conn| {
        conn.read_head();
        conn.write("HTTP/1.1 200 Connection esta");
        conn.read_to_end();
    });
    let half_a_handshake = Server::start(|mut conn| {
        conn.read_some(1 << 16);
        // The header of a handshake record whose content never comes.
        conn.write(b"\x16\x03\x03\x01\x00");
        conn.read_to_end();
    });
    let (handshake, tunnel) = (mute(), mute());
    let https = |server: &Server| server.url("/").replace("http:", "https:");
    let connecting = format!("could not connect to {}", hole.address());
    let [handshaking, half_handshaking] =
        [&handshake, &half_a_handshake].map(|server| format!("TLS with {}", server.address()));
    let [tunnelling, half_tunnelling] = [&tunnel, &half_a_tunnel].map(|server| format!("proxy {}", server.address()));
    let begun: Vec<(Running, String)> = [
        (vec![format!("http://{}/", hole.address())], connecting.clone()),
        (vec!["-x".into(), format!("http://{}", hole.address()), "https://h.example/".into()], connecting),
        (vec![https(&handshake)], handshaking),
        (vec![https(&half_a_handshake)], half_handshaking),
        (vec!["-x".into(), tunnel.url(""), "https://h.example/".into()], tunnelling),
        (vec!["-px".into(), half_a_tunnel.url(""), "http://h.example/".into()], half_tunnelling),
    ]
    .into_iter()
    .map(|(arguments, step)| (gzpost().args(["-sS", "--connect-timeout", "0.3"]).args(arguments).spawn(), step))
    .collect();
    for (running, step) in begun {
        let output = running.finish();
        output.assert_error(28).assert_stderr_has(&format!("(28) {step}: timed out after "));
        output.assert_stderr_has(" ms of connecting (--connect-timeout)");
    }
    // Behind it the answer may take as long as it likes.
    let server = Server::start(|mut conn| {
        conn.read_request();
        conn.read_to_end();
    });
    let output = quiet(&["--connect-timeout", "0.1", "-m", "0.5", &server.url("/")]).run();
    output.assert_error(28).assert_stderr_has("operation timed out after ");
}

/// A blocking connect(2) would wait for room in the queue as long as there is none, whatever else happens.
#[test]
fn a_unix_socket_with_a_full_queue_is_waited_for_within_the_limits() {
    let folder = TempDir::new();
    let path = folder.path().join("socket");
    let listener = UnixListener::bind(&path).expect("a Unix socket");
    // A backlog of 0 holds one connection.
    rustix::net::listen(&listener, 0).expect("a queue of one");
    let _queued = UnixStream::connect(&path).expect("the one connection that fits");
    let program = || quiet(&["-v", "http://h.example/", "--unix-socket"]).arg(&path);
    for limit in [["-m", "0.2"], ["--connect-timeout", "0.2"]] {
        program().args(limit).run().assert_code(28).assert_stderr_has("timed out after ");
    }
    let mut running = program().spawn();
    running.wait_for_stderr("Trying ");
    running.signal(Signal::TERM);
    running.finish().assert_code(143);

    let mut running = program().spawn();
    running.wait_for_stderr("Trying ");
    let accept = || listener.accept().expect("a connection").0;
    drop(accept());
    let mut conn = Conn::plain(TcpStream::from(OwnedFd::from(accept())));
    conn.read_request();
    conn.write(OK);
    running.finish().assert_code(0).assert_stdout("ok");
}

#[test]
fn an_upload_that_nobody_reads_ends_at_the_limits() {
    let schemes = both_schemes();
    let mut begun = Vec::new();
    for authority in &schemes {
        for limit in [&["-m", "0.5"][..], &["-Y", "1000", "-y", "1"]] {
            let (opener, gate) = gate();
            let server = serve(authority.as_ref(), move |mut conn| {
                conn.read_head();
                gate.wait();
            });
            // Of a type that is not checked, so that the sending begins at once.
            let program = trusting(authority.as_ref()).file("big", vec![b'x'; 30_000_000]).args(limit);
            begun.push((program.args(["-T", "big", &server.url("/")]).spawn(), server, opener));
        }
    }
    for (running, _server, opener) in begun {
        running.finish().assert_error(28).assert_stdout("");
        opener.open();
    }
}

/// Where there is always something to read nothing waits, and the limits hold all the same.
#[test]
fn a_flood_ends_at_the_limits_and_by_a_signal() {
    let flood = |begin: &'static str, more: String| {
        move |mut conn: Conn| {
            conn.read_request();
            conn.write(begin);
            conn.write_until_closed(more);
        }
    };
    let chunk = format!("10000\r\n{}\r\n", "x".repeat(1 << 16));
    for authority in both_schemes() {
        for (begin, more) in [
            ("HTTP/1.1 200 OK\r\n\r\n", "x".repeat(1 << 16)),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", chunk.clone()),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\nx\r\n".repeat(10_000)),
        ] {
            let server = serve(authority.as_ref(), flood(begin, more.clone()));
            let program = trusting(authority.as_ref()).args(["-o", "/dev/null", "-m", "0.3", &server.url("/")]);
            program.run().assert_error(28);
            let server = serve(authority.as_ref(), flood(begin, more));
            let program = trusting(authority.as_ref()).args(["-v", "-o", "/dev/null", &server.url("/")]);
            let mut running = program.spawn();
            running.wait_for_stderr("< HTTP/1.1 200 OK");
            running.signal(Signal::TERM);
            running.finish().assert_code(143).assert_stderr_has("gzpost: (143) terminated");
        }
    }
}

#[test]
fn limits_of_zero_are_none_and_odd_ones_are_2() {
    let server = Server::answering(OK);
    let zero = ["-m", "0", "--connect-timeout", "0", "-Y", "0", "-y", "0", &server.url("/")];
    quiet(&zero).run().assert_code(0).assert_stdout("ok");
    let server = Server::answering(OK);
    quiet(&["-m", "9000000000000000", &server.url("/")]).run().assert_code(0).assert_stdout("ok");
    for limit in ["-1", "soon", "1e3", "", " 1", "99999999999999999999", "0x10"] {
        quiet(&["-m", limit, "http://127.0.0.1:1/"]).run().assert_error(2);
    }
}
