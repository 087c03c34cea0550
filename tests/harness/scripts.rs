//! The scripted server over TCP and Unix sockets.

use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, TcpStream};

use super::failure;
use crate::program::curl;
use crate::server::{Blackhole, Server, gate, gunzip, gzip, read_file, refused_port, set_deadlines};

fn connect<T>(server: &Server<T>) -> TcpStream
where
    T: Send + 'static,
{
    let socket = TcpStream::connect(("127.0.0.1", server.port())).expect("a connection to the server");
    set_deadlines(&socket).expect("deadlines on a socket");
    socket
}

#[test]
fn records_a_request_and_answers_it() {
    let server = Server::answering("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello");
    let output = curl().args(["-d", "a=1", "-H", "X-Case: Kept"]).arg(server.url("/v1?q")).run();
    output.assert_code(0).assert_stdout("hello");
    let request = server.finish();
    assert_eq!((request.method.as_str(), request.target.as_str()), ("POST", "/v1?q"));
    assert_eq!(request.content, b"a=1");
    assert_eq!(request.field("x-case"), Some("Kept"));
    assert!(request.head.starts_with(b"POST /v1?q HTTP/1.1\r\nHost: 127.0.0.1:"));
    assert!(request.head.ends_with(b"\r\n\r\n"));
}

#[test]
fn reads_chunked_content_of_any_size() {
    let body: Vec<u8> = (0..300_000u32).flat_map(u32::to_le_bytes).collect();
    let server = Server::answering("HTTP/1.1 204 No Content\r\n\r\n");
    let program = curl().file("body", &body).args(["-H", "Transfer-Encoding: chunked", "-H", "Expect:"]);
    program.args(["--data-binary", "@body"]).arg(server.url("/")).run().assert_code(0);
    assert_eq!(server.finish().content, body);
}

#[test]
fn decodes_gzip_content() {
    let body = br#"{"model":"m"}"#.repeat(1000);
    let server = Server::answering("HTTP/1.1 204 No Content\r\n\r\n");
    let program = curl().stdin(gzip(&body)).args(["-H", "Content-Encoding: gzip", "--data-binary", "@-"]);
    program.arg(server.url("/")).run().assert_code(0);
    let request = server.finish();
    assert_ne!(request.content, body);
    assert_eq!(request.decoded(), body);
}

#[test]
fn refuses_two_gzip_members() {
    let mut members = gzip(b"one");
    members.extend(gzip(b"two"));
    assert!(failure(|| gunzip(&members)).contains("behind the gzip member"));
}

#[test]
fn serves_several_requests_on_one_connection_and_several_connections() {
    let server = Server::many(|number, mut conn| {
        let mut targets = Vec::new();
        loop {
            targets.push(conn.read_request().target);
            conn.answer("200 OK", number.to_string());
            if targets.last().is_some_and(|target| target.starts_with("/last")) {
                return targets;
            }
        }
    });
    let first = curl().arg(server.url("/a")).arg(server.url("/last")).run();
    first.assert_code(0).assert_stdout("00");
    curl().arg(server.url("/last-too")).run().assert_stdout("1");
    assert_eq!(server.finish_all(), [vec!["/a", "/last"], vec!["/last-too"]]);
}

#[test]
fn a_gate_holds_back_what_follows_until_the_client_has_what_came_before() {
    let (opener, gate) = gate();
    let server = Server::start(move |mut conn| {
        conn.read_request();
        conn.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
        for event in ["data: 1\n\n", "data: 2\n\n"] {
            conn.write_chunk(event);
            gate.wait();
        }
        conn.write_chunk("");
    });
    let mut running = curl().arg("-N").arg(server.url("/")).spawn();
    running.wait_for_stdout("data: 1\n\n");
    opener.open();
    running.wait_for_stdout("data: 1\n\ndata: 2\n\n");
    opener.open();
    running.finish().assert_code(0);
}

#[test]
fn a_reset_is_a_reset_and_a_close_is_not() {
    let (opener, gate) = gate();
    let server = Server::start(move |mut conn| {
        conn.write("before");
        gate.wait();
        conn.reset();
    });
    let mut socket = connect(&server);
    let mut before = [0; 6];
    socket.read_exact(&mut before).expect("what came before the reset");
    opener.open();
    assert_eq!(socket.read(&mut before).expect_err("a reset").kind(), ErrorKind::ConnectionReset);

    let server = Server::start(|mut conn| conn.write("all"));
    let mut all = Vec::new();
    connect(&server).read_to_end(&mut all).expect("an end without a reset");
    assert_eq!(all, b"all");
}

/// What early answers to big uploads depend on: Linux keeps what arrived before a reset for reading.
#[test]
fn what_was_said_before_the_reset_of_an_unread_upload_can_be_read() {
    for _ in 0..20 {
        let server = Server::start(|mut conn| {
            conn.read_exact(1);
            conn.write("too large");
        });
        let mut socket = connect(&server);
        while socket.write_all(&[0; 1 << 14]).is_ok() {}
        let mut said = Vec::new();
        // The end is a reset or not, by chance.
        let _ = socket.read_to_end(&mut said);
        assert_eq!(said, b"too large");
    }
}

#[test]
fn a_half_closed_connection_still_reads() {
    let server = Server::start(|mut conn| {
        conn.write("bye");
        conn.close_writing();
        conn.read_to_end()
    });
    let mut socket = connect(&server);
    let mut bytes = Vec::new();
    socket.read_to_end(&mut bytes).expect("an end");
    socket.write_all(b"one more thing").expect("the other half");
    drop(socket);
    assert_eq!((bytes, server.finish()), (b"bye".to_vec(), b"one more thing".to_vec()));
}

#[test]
fn one_read_brings_what_one_write_sent() {
    let server =
        Server::start(|mut conn| (conn.read_some(3), conn.read_exact(2), conn.read_some(1), conn.read_some(1)));
    connect(&server).write_all(b"abcde!").expect("a write");
    let some = |bytes: &[u8]| bytes.to_vec();
    assert_eq!(server.finish(), (some(b"abc"), some(b"de"), some(b"!"), some(b"")));
}

#[test]
fn writing_until_the_client_has_closed_ends() {
    let server = Server::start(|mut conn| {
        conn.read_request();
        conn.write("HTTP/1.1 200 OK\r\n\r\n");
        conn.write_until_closed(vec![b'x'; 1 << 16]);
    });
    let mut running = curl().arg(server.url("/")).spawn();
    running.close_stdout();
    running.finish().assert_code(23);
}

#[test]
fn speaks_over_a_unix_socket() {
    let server = Server::unix(|mut conn| {
        let request = conn.read_request();
        conn.answer("200 OK", "local");
        request.target
    });
    let output = curl().arg("--unix-socket").arg(server.path()).arg("http://localhost/here").run();
    output.assert_code(0).assert_stdout("local");
    assert_eq!(server.finish(), "/here");
}

#[test]
fn is_a_proxy_when_the_script_says_so() {
    let server = Server::start(|mut conn| {
        let connect = conn.read_request();
        conn.write("HTTP/1.1 200 Connection established\r\n\r\n");
        conn.read_request();
        conn.answer("200 OK", "through the tunnel");
        connect.target
    });
    let output = curl().args(["-p", "-x", &server.url("")]).arg("http://origin.example/").run();
    output.assert_code(0).assert_stdout("through the tunnel");
    assert_eq!(server.finish(), "origin.example:80");
}

#[test]
fn fails_when_it_was_never_asked() {
    assert_eq!(failure(|| Server::start(drop)), "the server was never asked");
    Server::start(drop).assert_unasked();
    let asked = || {
        let server = Server::start(drop);
        connect(&server);
        server.assert_unasked();
    };
    assert_eq!(failure(asked), "1 connections were made");
}

#[test]
fn fails_when_its_script_failed() {
    let server = Server::start(|mut conn| drop(conn.read_request()));
    drop(connect(&server));
    assert!(failure(|| server).contains("a script failed: the client closed within a line"));
}

#[test]
fn fails_when_a_gate_can_never_open() {
    let (opener, gate) = gate();
    let server = Server::start(move |_| gate.wait());
    connect(&server);
    drop(opener);
    assert!(failure(|| server).contains("without opening a gate"));
}

#[test]
fn a_second_connection_to_a_server_of_one_is_refused() {
    let server = Server::start(|mut conn| conn.write("!"));
    connect(&server).read_exact(&mut [0]).expect("the first connection");
    // The listener is gone once its thread is; the script's answer may come before that.
    let second = TcpStream::connect(("127.0.0.1", server.port()));
    let second = second.and_then(|mut socket| set_deadlines(&socket).and_then(|()| socket.read_exact(&mut [0])));
    second.expect_err("nobody accepts a second connection");
}

#[test]
fn refused_ports_refuse_and_blackholes_do_not_answer() {
    curl().arg(format!("http://127.0.0.1:{}/", refused_port())).run().assert_code(7);
    let hole = Blackhole::new(Ipv4Addr::new(127, 0, 0, 2), 0);
    let output = curl().args(["--connect-timeout", "0.2"]).arg(format!("http://{}/", hole.address())).run();
    output.assert_code(28);
}

#[test]
fn stores_what_was_sent_in_files_of_the_working_folder() {
    let server = Server::answering("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nkept");
    let output = curl().args(["-o", "answer"]).arg(server.url("/")).run();
    assert_eq!(read_file(&output.home.path().join("answer")), b"kept");
}
