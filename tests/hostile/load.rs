//! Many processes one after the other and at once, and a server that restarts under them.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use crate::program::{Running, gzpost};
use crate::sample::{OK, quiet};
use crate::server::{Conn, Request, Server};

/// A body with a number of its own that is large enough for gzip.
fn body(number: usize) -> Vec<u8> {
    let text = format!("{number} words ").repeat(200);
    format!("{{\"number\":{number},\"text\":\"{text}\"}}").into_bytes()
}

/// Fails unless each of the bodies from 0 on arrived once and whole.
#[track_caller]
fn assert_each_once(requests: &[Request], count: usize) {
    let mut seen = BTreeMap::new();
    for request in requests {
        let content = request.decoded();
        let json: serde_json::Value = serde_json::from_slice(&content).expect("a whole body");
        let number = usize::try_from(json["number"].as_u64().expect("a number")).expect("a small number");
        assert!(content == body(number), "body {number} arrived changed");
        *seen.entry(number).or_insert(0) += 1;
    }
    let more_or_less: Vec<_> = (0..count).filter(|number| seen.get(number) != Some(&1)).collect();
    assert!(more_or_less.is_empty() && seen.len() == count, "not once: {more_or_less:?}");
}

#[test]
fn a_thousand_in_a_row() {
    // A server keeps its threads until it is finished, and each makes starting a process dearer.
    for hundred in 0..10 {
        let server = Server::many(|_, conn| serve(conn));
        for number in 0..100 {
            let output = quiet(&[&server.url("/"), "-"]).stdin(body(number)).run();
            output.assert_code(0).assert_stdout("ok");
            assert_eq!(output.stderr_text(), "", "{hundred}");
        }
        assert_each_once(&server.finish_all(), 100);
    }
}

#[test]
fn sixty_four_at_once() {
    let server = Server::many(|_, conn| serve(conn));
    for round in 0..4 {
        let begin = |number: usize| {
            let file = body(round * 64 + number);
            gzpost().file("body.json", file).args(["-sS", &server.url("/"), "body.json"]).spawn()
        };
        let running: Vec<Running> = (0..64).map(begin).collect();
        for running in running {
            running.finish().assert_code(0).assert_stdout("ok");
        }
    }
    assert_each_once(&server.finish_all(), 256);
}

/// Between its lives the server refuses connections, and at the end of each it resets those that it did not take.
#[test]
fn a_server_that_restarts_gets_each_body_once() {
    const COUNT: usize = 64;
    const LIFE: usize = 8;
    // An address of its own: nobody else takes the port between two lives.
    let first = Server::some(SocketAddr::from(([127, 0, 0, 6], 0)), LIFE, serve);
    let (address, url) = (first.address(), first.url("/"));
    let begin = |number: usize| {
        let options = ["-sS", "--retry", "1000", "--retry-delay", "0.02", "--retry-connrefused", "--retry-all-errors"];
        gzpost().file("body.json", body(number)).args(options).args([&url, "body.json"]).spawn()
    };
    let running: Vec<Running> = (0..COUNT).map(begin).collect();
    let mut requests = first.finish_when_full();
    while requests.len() < COUNT {
        requests.extend(Server::some(address, LIFE, serve).finish_when_full());
    }
    for running in running {
        running.finish().assert_code(0).assert_stdout("ok");
    }
    assert_each_once(&requests, COUNT);
}

fn serve(mut conn: Conn) -> Request {
    let request = conn.read_request();
    conn.write(OK);
    request
}
