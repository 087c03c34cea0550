//! Answers that come before the request is sent.

use crate::program::TempDir;
use crate::sample::{OK, both_schemes, chat, serve, trusting};
use crate::server::{Conn, Gate, Request, gate};

/// What a server does beside answering early; the gate opens when the program has ended.
type Manner = fn(Conn, &Gate);

const REFUSAL: &str = "HTTP/1.1 413 Content Too Large\r\nContent-Length: 9\r\n\r\ntoo large";

fn refuse(conn: &mut Conn) {
    conn.read_head();
    conn.write(REFUSAL);
}

/// The kernel makes a reset of this, as the content was not read.
fn closes(mut conn: Conn, _: &Gate) {
    refuse(&mut conn);
}

fn closes_before_it_was_asked(mut conn: Conn, _: &Gate) {
    conn.write(REFUSAL);
}

fn stops_reading(mut conn: Conn, gate: &Gate) {
    refuse(&mut conn);
    gate.wait();
}

fn goes_on_reading(mut conn: Conn, _: &Gate) {
    refuse(&mut conn);
    conn.read_to_end();
}

fn resets(mut conn: Conn, _: &Gate) {
    refuse(&mut conn);
    conn.reset();
}

fn half_closes(mut conn: Conn, gate: &Gate) {
    refuse(&mut conn);
    conn.close_writing();
    gate.wait();
}

const MANNERS: [(&str, Manner); 6] = [
    ("closes", closes),
    ("closes before it was asked", closes_before_it_was_asked),
    ("stops reading", stops_reading),
    ("goes on reading", goes_on_reading),
    ("resets", resets),
    ("half-closes", half_closes),
];

/// The first one is as large as real bodies, the second larger than any socket buffer even when coded.
#[test]
fn a_refusal_is_never_lost() {
    let folder = TempDir::new();
    let bodies = [3_000_000, 30_000_000].map(|length| folder.write(&length.to_string(), chat(length)));
    for authority in both_schemes() {
        for (body, coding) in bodies.iter().flat_map(|body| [(body, "--identity"), (body, "--gzip")]) {
            for (name, manner) in MANNERS {
                let (opener, gate) = gate();
                let server = serve(authority.as_ref(), move |conn| manner(conn, &gate));
                // What is sent is not what this is about, and checking it takes longer than anything else.
                let program = trusting(authority.as_ref()).args([coding, "--level", "1", "--no-check"]);
                let program = program.args(["-w", " %{http_code}", &server.url("/")]).arg(body);
                let output = program.run();
                opener.open();
                let case = format!("{name}, {coding}, {}, {}", body.display(), server.url(""));
                assert!(output.status.code() == Some(0), "{case}\n{}", output.describe());
                assert!(output.stdout == b"too large 413" && output.stderr.is_empty(), "{case}\n{}", output.describe());
            }
        }
    }
}

/// An early answer that refuses nothing does not stop the upload.
#[test]
fn an_upload_goes_on_beside_an_answer_that_does_not_refuse_it() {
    let body = chat(3_000_000);
    for authority in both_schemes() {
        for interim in ["", "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"] {
            let server = serve(authority.as_ref(), move |mut conn| {
                let mut request = Request::parse(conn.read_head());
                conn.write(interim.to_owned() + OK);
                request.content = conn.read_content(&request);
                request
            });
            let program = trusting(authority.as_ref()).stdin(body.clone()).args(["--identity", &server.url("/"), "-"]);
            program.run().assert_code(0).assert_stdout("ok");
            assert!(server.finish().content == body);
        }
    }
}

/// The server says that it closes, and need not do it: nobody is going to read the rest. Else it may still, but what
/// has arrived is delivered at once.
#[test]
fn a_complete_answer_that_closes_the_connection_ends_an_upload() {
    for authority in both_schemes() {
        for (fields, code) in [("Connection: close\r\n", 0), ("", 28)] {
            let (opener, gate) = gate();
            let server = serve(authority.as_ref(), move |mut conn| {
                conn.read_head();
                conn.write(format!("HTTP/1.1 200 OK\r\n{fields}Content-Length: 2\r\n\r\nok"));
                gate.wait();
            });
            let program = trusting(authority.as_ref()).file("body", vec![b'x'; 30_000_000]).args(["-T", "body"]);
            let output = program.args(["-m", if code == 0 { "9" } else { "0.5" }, &server.url("/")]).run();
            opener.open();
            output.assert_code(code).assert_stdout("ok");
        }
    }
}

/// However much of the answer came first, and whether it has content or not.
#[test]
fn the_rest_of_an_upload_follows_a_complete_answer() {
    let body = chat(20_000_000);
    for authority in both_schemes() {
        for (head, length) in [
            ("HTTP/1.1 204 No Content\r\n", 0),
            ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n", 0),
            ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n", 2),
            ("HTTP/1.1 200 OK\r\nContent-Length: 5000000\r\n", 5_000_000),
        ] {
            let server = serve(authority.as_ref(), move |mut conn| {
                let mut request = Request::parse(conn.read_head());
                conn.write(format!("{head}\r\n{}", "x".repeat(length)));
                request.content = conn.read_content(&request);
                request
            });
            let program = trusting(authority.as_ref()).file("body", &body).args(["--identity", "--no-check"]);
            let output = program.args(["-w", "%{stderr}%{size_upload}", &server.url("/"), "body"]).run();
            assert_eq!(output.assert_code(0).stdout.len(), length, "{head}");
            assert_eq!(output.stderr_text(), body.len().to_string(), "{head}");
            assert!(server.finish().content == body, "{head}");
        }
    }
}

/// Such a server reads no further until its answer is read: with both kept back nothing would move.
#[test]
fn a_server_that_answers_piece_by_piece_is_read_beside_the_sending() {
    let body = chat(20_000_000);
    let length = body.len();
    for authority in both_schemes() {
        for chunked in [false, true] {
            let server = serve(authority.as_ref(), move |mut conn| {
                conn.read_head();
                let framing =
                    if chunked { "Transfer-Encoding: chunked".into() } else { format!("Content-Length: {length}") };
                conn.write(format!("HTTP/1.1 200 OK\r\n{framing}\r\n\r\n"));
                let mut left = length;
                while left > 0 {
                    let piece = conn.read_some(left);
                    left -= piece.len();
                    assert!(!piece.is_empty(), "the client closed {left} bytes before the end");
                    if chunked { conn.write_chunk(piece) } else { conn.write(piece) }
                }
                if chunked {
                    conn.write_chunk("");
                }
            });
            let program = trusting(authority.as_ref()).file("body", &body).args(["--identity", "--no-check"]);
            let output = program.args(["-w", "%{stderr}%{size_upload}", &server.url("/"), "body"]).run();
            assert!(output.assert_code(0).stdout == body, "{} bytes came back", output.stdout.len());
            assert_eq!(output.stderr_text(), length.to_string());
        }
    }
}

/// Content held back for a 100 that is not the end of it.
#[test]
fn whatever_follows_expect_ends() {
    let content = "x".repeat(5000);
    for (said, more, code, stdout) in [
        ("HTTP/1.1 100 Continue\r\n\r\n", "", 52, ""),
        ("HTTP/1.1 100 Continue\r\nX: y\r\n\r\n", OK, 0, "ok"),
        ("HTTP/1.1 102 Processing\r\n\r\n", OK, 0, "ok"),
        ("HTTP/1.1 417 No\r\nContent-Length: 2\r\n\r\nno", "", 0, "no"),
        ("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 413 No\r\nContent-Length: 2\r\n\r\nno", "", 0, "no"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", "", 0, "ok"),
        ("garbage\r\n\r\n", "", 1, ""),
        ("", "", 52, ""),
    ] {
        for authority in both_schemes() {
            let server = serve(authority.as_ref(), move |mut conn| {
                let request = Request::parse(conn.read_head());
                conn.write(said);
                if !more.is_empty() {
                    conn.read_content(&request);
                    conn.write(more);
                }
                conn.close_writing();
                conn.read_to_end();
            });
            let program = trusting(authority.as_ref()).args(["-H", "Expect: 100-continue", "-d", &content]);
            let output = program.arg(server.url("/")).run();
            output.assert_code(code).assert_stdout(stdout);
            assert_eq!(output.stderr_text().lines().count(), usize::from(code != 0), "{}", output.describe());
        }
    }
}
