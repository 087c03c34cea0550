//! Moments in which a server's or a network's behaviour matters: gates tell them apart. `hostile` has the families.

use std::net::Ipv4Addr;

use crate::sample::{OK, chat, quiet};
use crate::server::{Authority, Blackhole, Conn, Request, Server, Tls, gate};

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
fn the_size_of_a_chunk_goes_with_the_content_not_with_the_head() {
    let chunked = || quiet(&["-v", "-w", "%{size_request}", "-H", "Transfer-Encoding: chunked", "-d", "abc"]);
    let server = Server::answering(OK);
    let output = chunked().arg(server.url("/")).run();
    let request = server.finish();
    assert_eq!(request.content, b"abc");
    output.assert_code(0).assert_stdout(format!("ok{}", request.head.len())).assert_stderr_lacks("> 3");

    let server = Server::start(|mut conn| {
        conn.read_head();
        conn.write("HTTP/1.1 417 No\r\nContent-Length: 2\r\n\r\nno");
        conn.read_to_end()
    });
    let output = chunked().args(["-H", "Expect: 100-continue", &server.url("/")]).run();
    output.assert_code(0).assert_stderr_lacks("> 3");
    assert_eq!(server.finish(), b"", "sent in front of the 100");

    let server = Server::start(|mut conn| {
        let request = Request::parse(conn.read_head());
        conn.write("HTTP/1.1 100 Continue\r\n\r\n");
        let content = conn.read_content(&request);
        conn.write(OK);
        content
    });
    chunked().args(["-H", "Expect: 100-continue", &server.url("/")]).run().assert_code(0);
    assert_eq!(server.finish(), b"abc");
}

#[test]
fn expect_does_not_wait_for_ever() {
    let server = Server::answering(OK);
    quiet(&["-H", "Expect: 100-continue", "-d", "x", &server.url("/")]).run().assert_code(0).assert_stdout("ok");
    assert_eq!(server.finish().content, b"x");
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
