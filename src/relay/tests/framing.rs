//! HTTP/1.1 on the wire: framings, connections and limits.

use std::sync::atomic::Ordering;

use super::*;

#[test]
fn a_connection_serves_many_requests_also_pipelined() {
    let relay = relay(Behave::Decode);
    let mut client = Client::new(&relay);
    assert_eq!(client.ask(&get("/v1/models")).status, 200);
    client.send(&[post(GZIP, &gzip(PLAIN)), b"\r\n".to_vec(), get("/nothing"), post("", PLAIN)].concat());
    assert_eq!([client.answer().status, client.answer().status, client.answer().status], [200, 404, 200]);
}

#[test]
fn connection_close_and_http_1_0_are_respected() {
    let relay = relay(Behave::Decode);
    let mut client = Client::new(&relay);
    let answer = client.ask(b"GET /models HTTP/1.1\r\nHost: relay\r\nConnection: Close\r\n\r\n");
    assert!(answer.head.contains("connection: close\r\n"));
    assert!(client.closed());

    let mut client = Client::new(&relay);
    let kept = client.ask(b"GET /models HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    assert!(kept.head.contains("connection: keep-alive\r\n"));
    let length = STREAM.len();
    client.send(format!("POST /v1/chat/completions HTTP/1.0\r\nContent-Length: {length}\r\n\r\n").as_bytes());
    let answer = client.ask(STREAM);
    assert!(!answer.head.contains("transfer-encoding"));
    assert!(answer.content.ends_with("data: [DONE]\n\n"));
    assert!(client.closed());
}

#[test]
fn head_has_the_fields_of_get_and_no_content() {
    let relay = relay(Behave::Decode);
    let mut client = Client::new(&relay);
    let length = client.ask(&get("/v1/models")).content.len();
    client.send(b"HEAD /v1/models HTTP/1.1\r\nHost: relay\r\n\r\n");
    assert!(client.head().1.contains(&format!("content-length: {length}\r\n")));
    assert_eq!(client.ask(&get("/v1/models")).status, 200, "nothing stood between the answers");
}

#[test]
fn chunked_contents_are_read_with_extensions_and_trailers() {
    let relay = relay(Behave::Decode);
    let content = gzip(PLAIN);
    let (start, end) = content.split_at(10);
    let mut client = Client::new(&relay);
    client.send(b"POST /v1/chat/completions HTTP/1.1\r\nHost: relay\r\n");
    client.send(b"Transfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n\r\n");
    client.send(&[b"A;name=value\r\n", start, b"\r\n", format!("{:x}\r\n", end.len()).as_bytes(), end].concat());
    let answer = client.ask(b"\r\n000\r\nTrailer: value\r\n\r\n");
    assert!(answer.text().starts_with(&arrived(&content)), "{}", answer.content);
    assert_eq!(client.ask(&get("/models")).status, 200);
}

#[test]
fn chunks_out_of_form_are_400() {
    let relay = relay(Behave::Decode);
    for chunks in ["x\r\n", "-1\r\n", "\r\n", "1\r\nab\r\n", "fffffffffffffffff\r\n", "1 1\r\n"] {
        let mut client = Client::new(&relay);
        client.send(b"POST /v1/chat/completions HTTP/1.1\r\nHost: relay\r\nTransfer-Encoding: chunked\r\n\r\n");
        assert_eq!(client.ask(chunks.as_bytes()).status, 400, "{chunks}");
        assert!(client.closed());
    }
}

#[test]
fn expect_100_is_answered_before_the_content_is_sent() {
    let relay = relay(Behave::Decode);
    let mut client = Client::new(&relay);
    let request = post("Expect: 100-continue\r\n", PLAIN);
    let (head, content) = request.split_at(request.len() - PLAIN.len());
    client.send(head);
    assert_eq!(client.head().0, 100);
    assert_eq!(client.ask(content).status, 200);
    assert_eq!(client.ask(&post("Expect: something\r\n", b"")).status, 417);
}

#[test]
fn a_refusal_on_the_head_comes_without_100_and_closes() {
    let relay = relay(Behave::Reject415);
    let mut client = Client::new(&relay);
    let request = post("Expect: 100-continue\r\nContent-Encoding: gzip\r\n", PLAIN);
    let answer = client.ask(&request[..request.len() - PLAIN.len()]);
    assert_eq!(answer.status, 415);
    assert!(answer.head.contains("connection: close\r\n"));
    assert!(client.closed());
}

#[test]
fn a_refusal_reaches_a_client_that_is_still_sending() {
    let relay = relay(Behave::Unauthorized);
    let answer = ask(&relay, &post("", &vec![b' '; 8_000_000]));
    assert_eq!(answer.status, 401);
}

#[test]
fn bad_requests_are_answered_and_closed() {
    let relay = relay(Behave::Decode);
    for (request, status) in [
        ("nonsense\r\n\r\n", 400),
        ("\x16\x03\x01\x02\0\x01\0\x01\x03\x03", 400),
        ("GET /models HTTP/1.1\r\n\r\n", 400),
        ("GET /models HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400),
        ("GET /models HTTP/1.1\r\nHost: a\r\nbad field\r\n\r\n", 400),
        ("GET /models HTTP/2.0\r\nHost: a\r\n\r\n", 505),
        ("POST /models HTTP/1.1\r\nHost: a\r\nContent-Length: +1\r\n\r\n", 400),
        ("POST /models HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400),
        ("POST /models HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
        ("POST /models HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", 501),
        ("POST /models HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n", 501),
    ] {
        let mut client = Client::new(&relay);
        assert_eq!(client.ask(request.as_bytes()).status, status, "{request}");
        assert!(client.closed());
    }
}

#[test]
fn heads_have_limits() {
    let relay = relay(Behave::Decode);
    let many = "X: y\r\n".repeat(101);
    let large = format!("X: {}\r\n", "y".repeat(70_000));
    for fields in [many, large] {
        let request = format!("GET /models HTTP/1.1\r\nHost: relay\r\n{fields}\r\n");
        assert_eq!(ask(&relay, request.as_bytes()).status, 431);
    }
}

#[test]
fn contents_over_the_limit_are_413_with_either_framing() {
    let relay = Relay::start(&Config { max_content: 1_000, ..config() }).unwrap();
    let body = |size: usize| format!("{{\"model\":\"demo-a\",\"x\":\"{}\"}}", "x".repeat(size - 25)).into_bytes();
    assert_eq!(body(1_000).len(), 1_000);
    assert_eq!(ask(&relay, &post("", &body(1_000))).status, 200);
    assert_eq!(ask(&relay, &post(GZIP, &gzip(&body(1_000)))).status, 200);
    assert_eq!(ask(&relay, &post("", &body(1_001))).status, 413);
    assert_eq!(ask(&relay, &post(GZIP, &gzip(&body(1_001)))).status, 413);
    let chunked = "POST /chat/completions HTTP/1.1\r\nHost: relay\r\nTransfer-Encoding: chunked\r\n\r\n3e9\r\n";
    assert_eq!(ask(&relay, &[chunked.as_bytes(), &body(1_001)].concat()).status, 413);
}

#[test]
fn a_gzip_bomb_is_refused_before_it_has_arrived() {
    let relay = Relay::start(&Config { max_content: 100_000, ..config() }).unwrap();
    let bomb = gzip(&vec![b' '; 10_000_000]);
    let request = post(GZIP, &bomb);
    // The end is never sent: who waited for it, or decoded all of it, would not answer.
    assert_eq!(ask(&relay, &request[..request.len() - bomb.len() / 2]).status, 413);
    // Members that decode to nothing count as received.
    assert_eq!(ask(&relay, &post(GZIP, &gzip(b"").repeat(6_000))).status, 413);
}

#[test]
fn bodies_together_have_a_limit() {
    let relay = Relay::start(&Config { max_content: 1_000, ..config() }).unwrap();
    let others = 4_000 - PLAIN.len() as u64;
    for (held, status) in [(others, 200), (others + 1, 503), (others, 200)] {
        relay.shared.held.store(held, Ordering::Relaxed);
        assert_eq!(ask(&relay, &post(GZIP, &gzip(PLAIN))).status, status);
        assert_eq!(relay.shared.held.load(Ordering::Relaxed), held, "what ended is not counted any more");
    }
}

#[test]
fn connections_over_the_limit_are_503() {
    let relay = relay(Behave::Decode);
    // Each is asked at once, so that none is left in the listener's queue.
    let mut clients: Vec<Client> = Vec::new();
    for _ in 0..MAX_CONNECTIONS {
        let mut client = Client::new(&relay);
        assert_eq!(client.ask(&get("/models")).status, 200);
        clients.push(client);
    }
    assert_eq!(Client::new(&relay).answer().status, 503);
    assert_eq!(clients[0].ask(&get("/models")).status, 200);
    drop(relay);
    assert!(clients.iter_mut().all(Client::closed));
}
