//! Servers and networks that misbehave, and the exit code of each kind of failure.

use std::net::Ipv4Addr;

use crate::program::{Program, gzpost};
use crate::sample::{EVENTS, OK, chat, quiet};
use crate::server::{Authority, Blackhole, Conn, Request, Server, Tls, gate};

/// More than any socket buffer holds, so the server always answers in the middle of it.
const UPLOAD: usize = 30_000_000;

/// The program about to send a big body plain, and to print the status code behind the answer.
fn upload() -> Program {
    gzpost().file("big.json", chat(UPLOAD)).args(["--identity", "--data-binary", "@big.json", "-w", "%{http_code}"])
}

#[test]
fn an_early_answer_to_a_big_upload_is_not_lost_when_the_server_closes() {
    let refuse = |mut conn: Conn| {
        conn.read_head();
        conn.answer("413 Content Too Large", "too large ");
    };
    for _ in 0..5 {
        let server = Server::start(refuse);
        upload().arg(server.url("/")).run().assert_code(0).assert_stdout("too large 413");
    }
    let authority = Authority::new();
    for _ in 0..5 {
        let server = Server::tls(&authority, &Tls::default(), refuse);
        let program = upload().arg("--cacert").arg(authority.file()).arg(server.url("/"));
        program.run().assert_code(0).assert_stdout("too large 413");
    }
}

#[test]
fn an_early_answer_ends_a_big_upload_when_the_server_stops_reading() {
    let stop = |gate: crate::server::Gate| {
        move |mut conn: Conn| {
            conn.read_head();
            conn.answer("401 Unauthorized", "no key ");
            gate.wait();
        }
    };
    let (opener, gate_) = gate();
    let server = Server::start(stop(gate_));
    upload().arg(server.url("/")).run().assert_code(0).assert_stdout("no key 401");
    opener.open();

    let authority = Authority::new();
    let (opener, gate_) = gate();
    let server = Server::tls(&authority, &Tls::default(), stop(gate_));
    let program = upload().arg("--cacert").arg(authority.file()).args(["-f", &server.url("/")]);
    program.run().assert_code(22).assert_stdout("401");
    opener.open();
}

#[test]
fn a_big_upload_that_is_read_arrives_whole() {
    let server = Server::answering(OK);
    upload().arg(server.url("/")).run().assert_code(0).assert_stdout("ok200");
    assert!(server.finish().content == chat(UPLOAD));
}

/// Sends `begin`, then resets the connection once the program has written `delivered`.
fn reset_behind(begin: &'static str, delivered: &str) {
    let (opener, gate) = gate();
    let server = Server::start(move |mut conn| {
        conn.read_request();
        conn.write(begin);
        gate.wait();
        conn.reset();
    });
    let mut running = quiet(&[&server.url("/")]).spawn();
    running.wait_for_stdout(delivered);
    opener.open();
    running.finish().assert_error(56).assert_stdout(delivered);
}

#[test]
fn a_reset_within_the_content_is_56_and_keeps_what_came() {
    reset_behind("HTTP/1.1 200 OK\r\n\r\nup to here", "up to here");
    reset_behind("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nup to here", "up to here");
    reset_behind("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nup t\r\n", "up t");
}

#[test]
fn an_end_that_comes_too_early_is_18_and_keeps_what_came() {
    for begin in [
        "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nup to here",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\na\r\nup to here\r\n",
    ] {
        let server = Server::answering(begin);
        quiet(&[&server.url("/")]).run().assert_error(18).assert_stdout("up to here");
    }
    let server = Server::answering("HTTP/1.1 200 OK\r\n\r\nup to the end");
    quiet(&[&server.url("/")]).run().assert_code(0).assert_stdout("up to the end");
}

#[test]
fn a_chunk_without_a_size_is_56() {
    let server = Server::answering(EVENTS.to_owned() + "nonsense\r\nmore\r\n");
    quiet(&[&server.url("/")]).run().assert_error(56);
}

#[test]
fn a_final_answer_to_expect_ends_it_though_the_connection_stays_open() {
    let server = Server::start(|mut conn| {
        let request = Request::parse(conn.read_head());
        conn.answer("403 Forbidden", "not you");
        // Whether content follows is the client's choice; that it does not wait for a 100 is not.
        conn.read_to_end();
        request
    });
    let output = quiet(&["-H", "Expect: 100-continue", "-d", &"x".repeat(5000), &server.url("/")]).run();
    output.assert_code(0).assert_stdout("not you");
    assert_eq!(server.finish().field("expect"), Some("100-continue"));
}

#[test]
fn expect_waits_for_the_100_and_then_sends_the_content() {
    let server = Server::start(|mut conn| {
        let mut request = Request::parse(conn.read_head());
        conn.write("HTTP/1.1 100 Continue\r\n\r\n");
        request.content = conn.read_content(&request);
        conn.write(OK);
        request
    });
    let body = "x".repeat(5000);
    quiet(&["-H", "Expect: 100-continue", "-d", &body, &server.url("/")]).run().assert_code(0).assert_stdout("ok");
    assert_eq!(server.finish().content, body.as_bytes());
}

#[test]
fn expect_does_not_wait_for_ever() {
    let server = Server::answering(OK);
    quiet(&["-H", "Expect: 100-continue", "-d", "x", &server.url("/")]).run().assert_code(0).assert_stdout("ok");
    assert_eq!(server.finish().content, b"x");
}

#[test]
fn other_interim_answers_are_passed_over() {
    let server = Server::answering("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n".to_owned() + OK);
    quiet(&[&server.url("/"), "-w", "%{http_code}"]).run().assert_code(0).assert_stdout("ok200");
}

/// An answer with this many fields of this size.
fn long_head(fields: usize, size: usize) -> String {
    let value = "v".repeat(size);
    let fields: Vec<String> = (0..fields).map(|number| format!("X-{number}: {value}\r\n")).collect();
    format!("HTTP/1.1 200 OK\r\n{}Content-Length: 2\r\n\r\nok", fields.concat())
}

#[test]
fn a_head_of_60_kb_is_read_and_one_of_400_kb_is_56() {
    let server = Server::answering(long_head(60, 1000));
    let output = quiet(&["-w", "%header{x-59}", &server.url("/")]).run();
    output.assert_code(0).assert_stdout("ok".to_owned() + &"v".repeat(1000));
    let server = Server::start(|mut conn| {
        conn.read_request();
        conn.write(long_head(100, 4000));
        conn.read_to_end();
    });
    quiet(&[&server.url("/")]).run().assert_error(56);
    drop(server);
}

#[test]
fn many_fields_are_no_hang() {
    let server = Server::start(|mut conn| {
        conn.read_request();
        conn.write(long_head(1000, 10));
        conn.read_to_end();
    });
    let code = quiet(&[&server.url("/")]).run().status.code();
    assert!(matches!(code, Some(0 | 56)), "{code:?}");
}

#[test]
fn a_dead_first_address_does_not_delay_a_good_second_one() {
    let server = Server::answering(OK);
    let port = server.port();
    let _hole = Blackhole::new(Ipv4Addr::new(127, 0, 0, 2), port);
    let resolve = format!("relay.example:{port}:127.0.0.2,127.0.0.1");
    let url = format!("http://relay.example:{port}/");
    let output = quiet(&["--resolve", &resolve, "--max-time", "8", "-w", " %{remote_ip}", &url]).run();
    output.assert_code(0).assert_stdout("ok 127.0.0.1");
}

#[test]
fn a_refused_first_address_is_passed_over() {
    let server = Server::answering(OK);
    let port = server.port();
    let resolve = format!("relay.example:{port}:127.0.0.3,127.0.0.1");
    let url = format!("http://relay.example:{port}/");
    quiet(&["--resolve", &resolve, &url]).run().assert_code(0).assert_stdout("ok");
}

/// How much of the content came in the first read, and how much the head announced.
fn first_content(conn: &mut Conn) -> (usize, usize) {
    let first = conn.read_some(1 << 16);
    let head = first.windows(4).position(|window| window == b"\r\n\r\n").expect("a whole head") + 4;
    let request = Request::parse(first[..head].to_vec());
    let announced = request.field("content-length").and_then(|length| length.parse().ok()).expect("a length");
    conn.write(OK);
    (first.len() - head, announced)
}

#[test]
fn head_and_first_content_arrive_in_one_read() {
    // Two writes can come in one read by chance, so once is not enough.
    for _ in 0..10 {
        let server = Server::start(|mut conn| first_content(&mut conn));
        quiet(&[&server.url("/"), "-"]).stdin(chat(4000)).run().assert_code(0);
        let (came, announced) = server.finish();
        assert_eq!(came, announced, "content with the head");
    }
}

#[test]
fn head_and_first_content_go_into_one_tls_record() {
    let authority = Authority::new();
    let server = Server::tls(&authority, &Tls::default(), |mut conn| first_content(&mut conn));
    let program = quiet(&[&server.url("/"), "-"]).stdin(chat(4000)).arg("--cacert").arg(authority.file());
    program.run().assert_code(0);
    let (came, announced) = server.finish();
    assert_eq!(came, announced, "content in the record of the head");
}
