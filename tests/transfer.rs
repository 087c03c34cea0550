//! One request: what goes out, what comes back, and where it is written.

use crate::program::gzpost;
use crate::sample::{EVENTS, OK, chat, delta};
use crate::server::{Server, gate, read_file};

const NOT_FOUND: &str = "HTTP/1.1 404 Not Found\r\nContent-Length: 13\r\n\r\nno such model";

#[test]
fn without_a_body_it_is_a_get_and_stdin_is_not_read() {
    let server = Server::answering(OK);
    gzpost().idle_stdin().arg(server.url("/v1/models?x=1")).run().assert_code(0).assert_stdout("ok");
    let port = server.port();
    let expected = format!(
        "GET /v1/models?x=1 HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUser-Agent: gzpost/{}\r\nAccept: */*\r\n\r\n",
        env!("CARGO_PKG_VERSION")
    );
    assert_eq!(String::from_utf8_lossy(&server.finish().head), expected);
}

#[test]
fn a_body_makes_it_a_post_of_json_with_an_exact_length_and_without_expect() {
    let server = Server::answering(OK);
    let body = br#"{ "model": "m", "n": 1.0e0, "n": 2 }"#;
    gzpost().file("body.json", body).arg(server.url("/v1")).arg("body.json").run().assert_code(0);
    let request = server.finish();
    assert_eq!((request.method.as_str(), &request.content[..]), ("POST", &body[..]));
    assert_eq!(request.field("content-type"), Some("application/json"));
    assert_eq!(request.field("content-length"), Some(body.len().to_string().as_str()));
    for absent in ["expect", "content-encoding", "transfer-encoding", "accept-encoding"] {
        assert_eq!(request.field(absent), None, "{absent}");
    }
}

#[test]
fn a_dash_is_stdin() {
    let server = Server::answering(OK);
    gzpost().stdin(r#"{"model":"m"}"#).args([&server.url("/"), "-"]).run().assert_code(0);
    assert_eq!(server.finish().content, br#"{"model":"m"}"#);
}

#[test]
fn fields_are_added_replaced_emptied_and_removed() {
    let server = Server::answering(OK);
    let fields = ["X-Twice: 1", "x-twice: 2", "User-Agent: mine", "X-Empty;", "Accept:", "Host: other.example"];
    let options = fields.iter().flat_map(|field| ["-H", field]);
    gzpost().args(options).arg(server.url("/")).run().assert_code(0);
    let request = server.finish();
    let twice: Vec<_> = request.fields.iter().filter(|field| field.0.eq_ignore_ascii_case("x-twice")).collect();
    assert_eq!(twice, [&("X-Twice".to_owned(), "1".to_owned()), &("x-twice".to_owned(), "2".to_owned())]);
    assert_eq!(request.field("user-agent"), Some("mine"));
    assert_eq!(request.field("x-empty"), Some(""));
    assert_eq!(request.field("accept"), None);
    assert_eq!(request.field("host"), Some("other.example"));
}

#[test]
fn methods_and_targets_are_curls() {
    let put = ["-XPUT", "-d", "a"];
    let query = ["-G", "-d", "a=1", "-d", "b=2"];
    let head = ["-I"];
    for (options, line) in
        [(&put[..], "PUT /p HTTP/1.1\r\n"), (&query, "GET /p?a=1&b=2 HTTP/1.1\r\n"), (&head, "HEAD /p HTTP/1.1\r\n")]
    {
        let server = Server::answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
        gzpost().args(options).arg(server.url("/p")).run().assert_code(0);
        let head = String::from_utf8(server.finish().head).expect("a head in UTF-8");
        assert!(head.starts_with(line), "{line:?} in {head:?}");
    }
}

#[test]
fn the_answers_bytes_come_out_as_they_are() {
    let bytes: Vec<u8> = (0..=255).cycle().take(100_000).collect();
    let sent = bytes.clone();
    let server = Server::start(move |mut conn| {
        conn.read_request();
        conn.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
        for piece in sent.chunks(7001) {
            conn.write_chunk(piece);
        }
        conn.write("0\r\nX-Trailer: 1\r\n\r\n");
    });
    let output = gzpost().arg("-s").arg(server.url("/")).run();
    output.assert_code(0).assert_stdout(bytes);
    assert_eq!(output.stderr_text(), "");
}

#[test]
fn an_event_is_written_before_the_next_one_is_sent() {
    let (opener, gate) = gate();
    let server = Server::start(move |mut conn| {
        conn.read_request();
        conn.write(EVENTS);
        for number in 0..5 {
            conn.write_chunk(delta(&number.to_string()));
            gate.wait();
        }
        conn.write_chunk("data: [DONE]\n\n");
        conn.write_chunk("");
    });
    let mut running = gzpost().stdin(chat(4000)).args([&server.url("/"), "-"]).spawn();
    let mut expected = String::new();
    for number in 0..5 {
        expected.push_str(&delta(&number.to_string()));
        running.wait_for_stdout(&expected);
        opener.open();
    }
    running.finish().assert_code(0).assert_stdout(expected + "data: [DONE]\n\n");
}

#[test]
fn text_is_only_what_was_generated_and_no_later_than_its_event() {
    let (opener, gate) = gate();
    let server = Server::start(move |mut conn| {
        conn.read_request();
        conn.write(EVENTS);
        conn.write_chunk(
            "data: {\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\n\n: comment\n\n",
        );
        conn.write_chunk(delta("Grüße, "));
        gate.wait();
        conn.write_chunk(delta("\\\"world\\\"\\n"));
        conn.write_chunk("data: [DONE]\n\n");
        conn.write_chunk("");
    });
    let mut running = gzpost().args(["--text", "-d", "{}", &server.url("/")]).spawn();
    running.wait_for_stdout("Grüße, ");
    opener.open();
    running.finish().assert_code(0).assert_stdout("Grüße, \"world\"\n");
}

#[test]
fn files_take_content_and_heads() {
    let server = Server::answering("HTTP/1.1 200 OK\r\nX-A: b\r\nContent-Length: 2\r\n\r\nok");
    let output = gzpost().args(["-o", "content", "-D", "heads", &server.url("/")]).run();
    output.assert_code(0).assert_stdout("");
    assert_eq!(read_file(&output.home.path().join("content")), b"ok");
    let heads = read_file(&output.home.path().join("heads"));
    assert_eq!(heads, b"HTTP/1.1 200 OK\r\nX-A: b\r\nContent-Length: 2\r\n\r\n");

    let server = Server::answering(OK);
    gzpost().args(["-i", &server.url("/")]).run().assert_code(0).assert_stdout(OK);
}

#[test]
fn fail_means_22_without_or_with_the_content() {
    for (option, stdout, code) in
        [("-f", "", 22), ("--fail-with-body", "no such model", 22), ("-s", "no such model", 0)]
    {
        let server = Server::answering(NOT_FOUND);
        gzpost().args([option, &server.url("/")]).run().assert_code(code).assert_stdout(stdout);
    }
}

#[test]
fn a_redirected_post_becomes_a_get_without_content_and_its_coding() {
    let server = Server::many(|number, mut conn| {
        let request = conn.read_request();
        match number {
            0 => conn.write("HTTP/1.1 302 Found\r\nLocation: /next\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"),
            _ => conn.write(OK),
        }
        request
    });
    gzpost().stdin(chat(4000)).args(["-L", &server.url("/"), "-"]).run().assert_code(0).assert_stdout("ok");
    let requests = server.finish_all();
    assert_eq!((requests[1].method.as_str(), requests[1].target.as_str()), ("GET", "/next"));
    for absent in ["content-encoding", "content-type", "content-length"] {
        assert_eq!(requests[1].field(absent), None, "{absent}");
    }
}

#[test]
fn a_308_repeats_the_post_without_the_credentials_elsewhere() {
    let elsewhere = Server::answering(OK);
    let location = elsewhere.url("/elsewhere");
    let server = Server::start(move |mut conn| {
        conn.read_request();
        conn.write(format!("HTTP/1.1 308 Permanent\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n"));
    });
    let body = chat(4000);
    let program = gzpost().stdin(body.clone()).args(["-L", "-H", "Authorization: Bearer secret", "-H", "X-Kept: 1"]);
    program.args([&server.url("/"), "-"]).run().assert_code(0);
    let request = elsewhere.finish();
    assert_eq!((request.method.as_str(), request.decoded()), ("POST", body));
    assert_eq!((request.field("authorization"), request.field("x-kept")), (None, Some("1")));
}

#[test]
fn a_transient_answer_is_asked_again_with_the_same_content() {
    let server = Server::many(|number, mut conn| {
        let request = conn.read_request();
        let busy = "HTTP/1.1 503 Busy\r\nConnection: close\r\nContent-Length: 4\r\n\r\nbusy";
        conn.write(if number == 0 { busy } else { OK });
        request.content
    });
    let program =
        gzpost().stdin(chat(4000)).args(["--retry", "3", "-o", "answer", "-w", "%{num_retries} %{http_code}"]);
    let output = program.args([&server.url("/"), "-"]).run();
    output.assert_code(0).assert_stdout("1 200");
    assert_eq!(read_file(&output.home.path().join("answer")), b"ok");
    let contents = server.finish_all();
    assert_eq!(contents[0], contents[1]);
}

#[test]
fn a_unix_socket_stands_in_for_the_network() {
    let server = Server::unix(|mut conn| {
        let request = conn.read_request();
        conn.write(OK);
        request
    });
    let program = gzpost().arg("--unix-socket").arg(server.path()).arg("http://relay.example/v1");
    program.run().assert_code(0).assert_stdout("ok");
    assert_eq!(server.finish().field("host"), Some("relay.example"));
}

#[test]
fn a_reader_that_goes_away_ends_it_quietly_with_23() {
    let server = Server::start(|mut conn| {
        conn.read_request();
        conn.write(EVENTS);
        conn.write_chunk("data: first\n\n");
        conn.write_until_closed("10\r\n0123456789abcdef\r\n".repeat(1000));
    });
    let mut running = gzpost().args(["-sS", &server.url("/")]).spawn();
    running.close_stdout();
    let output = running.finish();
    output.assert_code(23);
    assert_eq!(output.stderr_text(), "");
}

#[test]
fn options_come_from_a_file_and_from_stdin() {
    let config =
        |port: u16| format!("# a comment\nheader = \"X-From: file\"\nurl = \"http://127.0.0.1:{port}/k\"\nsilent\n");
    let server = Server::answering(OK);
    gzpost().file("config", config(server.port())).args(["-K", "config"]).run().assert_code(0).assert_stdout("ok");
    assert_eq!(server.finish().field("x-from"), Some("file"));
    let server = Server::answering(OK);
    gzpost().stdin(config(server.port())).args(["-K", "-"]).run().assert_code(0);
    assert_eq!(server.finish().target, "/k");
}
