//! Resets and ends at each moment, and connections that half-close or go on behind the end.

use crate::program::gzpost;
use crate::sample::{OK, both_schemes, chat, quiet, serve, trusting};
use crate::server::{Conn, Server};

/// How a connection ends.
type Stop = fn(Conn);

/// What a server says before it stops, what is delivered of it, and the code of a reset and of an end.
const MOMENTS: [(&str, &str, i32, i32); 12] = [
    ("", "", 56, 52),
    ("H", "", 56, 18),
    ("HTTP/1.1 200 OK\r\nX: y\r\n", "", 56, 18),
    ("HTTP/1.1 100 Continue\r\n\r\n", "", 56, 52),
    ("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", "", 56, 18),
    ("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nsome", "some", 56, 18),
    ("HTTP/1.1 200 OK\r\n\r\nsome", "some", 56, 0),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nsome\r\n", "some", 56, 18),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nsome\r\n0\r\nX: y", "some", 56, 18),
    // What is complete stays so.
    ("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nsome", "some", 0, 0),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nsome\r\n0\r\n\r\n", "some", 0, 0),
    ("HTTP/1.1 204 No\r\n\r\n", "", 0, 0),
];

#[test]
fn at_any_moment_a_reset_is_told_from_an_end_and_keeps_what_came() {
    let stops: [Stop; 3] = [Conn::reset, drop, |mut conn| {
        conn.close_writing();
        conn.read_to_end();
    }];
    for authority in both_schemes() {
        for (said, delivered, reset, end) in MOMENTS {
            for (stop, code) in stops.into_iter().zip([reset, end, end]) {
                let server = serve(authority.as_ref(), move |mut conn| {
                    conn.read_request();
                    conn.write(said);
                    stop(conn);
                });
                let output = trusting(authority.as_ref()).args(["-d", "a=1", &server.url("/")]).run();
                output.assert_code(code).assert_stdout(delivered);
                let lines = output.stderr_text().lines().count();
                assert_eq!(lines, usize::from(code != 0), "{said:?}\n{}", output.describe());
            }
        }
    }
}

#[test]
fn before_the_answer_too() {
    let scripts: [(&str, Stop, &[i32]); 5] = [
        // The connecting meets the reset, the sending, or the waiting for an answer.
        ("http", Conn::reset, &[7, 55, 56]),
        ("http", drop, &[52, 55, 56]),
        ("https", Conn::reset, &[7, 35]),
        ("https", drop, &[35]),
        ("https", |mut conn| drop(conn.read_some(100)), &[35]),
    ];
    for (scheme, script, codes) in scripts {
        for size in [3, 3_000_000] {
            let server = Server::start(script);
            let url = server.url("/").replace("http", scheme);
            let output = quiet(&["--identity", &url, "-"]).stdin(chat(size.max(100))).run();
            let code = output.code();
            assert!(codes.contains(&code), "{scheme}, {size}\n{}", output.describe());
            output.assert_error(code).assert_stdout("");
        }
    }
}

#[test]
fn in_the_middle_of_an_upload_too() {
    let stops: [(Stop, &[i32]); 3] = [
        (Conn::reset, &[55, 56]),
        (drop, &[52, 55, 56]),
        // Nothing will come any more, though more would be taken.
        (
            |mut conn: Conn| {
                conn.close_writing();
                conn.read_to_end();
            },
            &[52],
        ),
    ];
    for authority in both_schemes() {
        for (stop, codes) in stops {
            let server = serve(authority.as_ref(), move |mut conn| {
                conn.read_exact(1_000_000);
                stop(conn);
            });
            let program = trusting(authority.as_ref()).stdin(vec![b'x'; 20_000_000]).args(["-T", "-"]);
            let output = program.arg(server.url("/")).run();
            let code = output.code();
            assert!(codes.contains(&code), "{}", output.describe());
            output.assert_error(code);
        }
    }
}

#[test]
fn a_stream_that_ends_without_its_mark_is_told() {
    let event = "data: {\"choices\":[{\"delta\":{\"content\":\"half an ans\"}}]}\n\n";
    let answer = format!("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n{event}");
    let server = Server::answering(answer.clone());
    let output = gzpost().arg(server.url("/")).run();
    output.assert_code(0).assert_stdout(event).assert_stderr_has("the stream ended without its end mark");
    let server = Server::answering(answer);
    quiet(&["--text", &server.url("/")]).run().assert_error(22).assert_stdout("half an ans\n");
}

#[test]
fn answers_behind_the_answer_are_left_alone() {
    for authority in both_schemes() {
        for behind in ["more", OK, "HTTP/1.1 500 No\r\n\r\n", "\r\n\r\n"] {
            let server = serve(authority.as_ref(), move |mut conn| {
                conn.read_request();
                conn.write(OK);
                conn.write_if_wanted(behind);
                // The program does not wait for the connection to close.
                conn.read_to_end();
            });
            let program = trusting(authority.as_ref()).args(["-w", " %{http_code}", &server.url("/")]);
            program.run().assert_code(0).assert_stdout("ok 200");
        }
    }
}
