//! Which connections a replay makes, and what ends it early.

use rustix::process::Signal;

use super::{answering, fixture, replay, rows};
use crate::server::{Authority, Request, Server, Tls, gate};

const THREE: &str = "{\"n\":1}\n{\"n\":2}\n{\"n\":3}\n";

#[test]
fn each_request_has_a_connection_of_its_own() {
    let server = answering();
    let output = replay(&server.url("/")).arg("-").stdin(THREE).run();
    output.assert_code(0);
    assert_eq!(server.finish_all().len(), 3);
    assert!(rows(&output).iter().all(|row| row[8].is_empty()), "{}", output.describe());
}

#[test]
fn keepalive_uses_one_connection_and_says_so() {
    let authority = Authority::new();
    let server = Server::tls(&authority, &Tls::default(), |mut conn| {
        [(); 3].map(|()| {
            let request = conn.read_request();
            conn.answer("200 OK", "{}");
            request.content
        })
    });
    let program = replay(&server.url("/")).args(["--keepalive", "--export-json", "samples", "-", "--cacert"]);
    let output = program.arg(authority.file()).stdin(THREE).run();
    output.assert_code(0).assert_stderr_has("3 requests, 0 failed, 21 -> 21 bytes, 1.00x, 1 connection\n");
    assert_eq!(server.finish(), [b"{\"n\":1}", b"{\"n\":2}", b"{\"n\":3}"]);
    let notes: Vec<_> = rows(&output).into_iter().map(|row| row[8].clone()).collect();
    assert_eq!(notes, ["", "connection reused", "connection reused"]);
    let samples = crate::server::read_file(&output.home.path().join("samples"));
    let samples: serde_json::Value = serde_json::from_slice(&samples).expect("JSON");
    for (at, made) in [true, false, false].into_iter().enumerate() {
        for moment in ["time_connect", "time_appconnect"] {
            assert_eq!(samples["samples"][at][moment].as_f64().expect("seconds") > 0.0, made, "{at} {moment}");
        }
    }
}

#[test]
fn a_connection_that_the_server_closed_is_replaced_and_the_row_says_so() {
    // Closes behind its first answer, which asks for no such thing; the pause gives the client time to see it.
    let server = Server::many(|number, mut conn| {
        let requests = if number == 0 { 1 } else { 2 };
        for _ in 0..requests {
            conn.read_request();
            conn.answer("200 OK", "{}");
        }
    });
    let output = replay(&server.url("/")).args(["--keepalive", "--delay", "0.2", "-"]).stdin(THREE).run();
    output.assert_code(0).assert_stderr_has("2 connections");
    assert_eq!(server.finish_all().len(), 2);
    let notes: Vec<_> = rows(&output).into_iter().map(|row| row[8].clone()).collect();
    assert_eq!(notes, ["", "new connection", "connection reused"]);
}

#[test]
fn passes_go_over_all_captures() {
    let server = answering();
    let output = replay(&server.url("/")).args(["-n", "2", "-"]).stdin(THREE).run();
    output.assert_code(0).assert_stderr_has("6 requests, 0 failed");
    let bodies: Vec<_> = server.finish_all().into_iter().map(|request| request.content).collect();
    assert_eq!(bodies, [1, 2, 3, 1, 2, 3].map(|n| format!("{{\"n\":{n}}}").into_bytes()));
}

/// Answers the second request with 404, the third with something that is no HTTP.
fn failing() -> Server<Request> {
    Server::many(|number, mut conn| {
        let request = conn.read_request();
        match number {
            1 => conn.answer("404 Not Found", r#"{"error":{"message":"no such model"}}"#),
            2 => {}
            _ => conn.answer("200 OK", "{}"),
        }
        request
    })
}

#[test]
fn the_first_failure_decides_the_exit_code_and_the_others_go_on() {
    let server = failing();
    let output = replay(&server.url("/")).args(["-", "-n", "2"]).stdin(THREE).run();
    output.assert_code(22).assert_stderr_has("6 requests, 2 failed");
    output.assert_stderr_has("first failure: stdin#2: (22) the server returned status 404: no such model");
    assert_eq!(server.finish_all().len(), 6);
    let rows = rows(&output);
    let columns: Vec<_> = rows.iter().map(|row| (row[4].as_str(), row[8].get(..4).unwrap_or_default())).collect();
    let fine = ("200", "");
    assert_eq!(columns, [fine, ("404", "(22)"), ("-", "(52)"), fine, fine, fine], "{}", output.describe());
    assert_eq!(rows[2][5..8], ["-", "-", rows[2][7].as_str()]);
}

#[test]
fn silence_leaves_the_summary_out_and_show_error_names_the_first_failure() {
    for (options, said) in
        [("-s", ""), ("-sS", "gzpost: (22) stdin#2: the server returned status 404: no such model\n")]
    {
        let server = failing();
        let output = replay(&server.url("/")).args(["-", "--fail-early", options]).stdin(THREE).run();
        output.assert_code(22);
        assert_eq!(output.stderr_text(), said, "{options}");
        server.finish_all();
    }
}

#[test]
fn fail_early_stops_at_the_first_failure() {
    let server = failing();
    let output = replay(&server.url("/")).args(["-", "--fail-early"]).stdin(THREE).run();
    output.assert_code(22).assert_stderr_has("2 of 3 requests, 1 failed");
    assert_eq!(server.finish_all().len(), 2);
}

#[test]
fn retries_are_those_of_a_single_request() {
    let server = Server::many(|number, mut conn| {
        let request = conn.read_request();
        conn.answer(if number == 0 { "503 Busy" } else { "200 OK" }, "{}");
        request.content
    });
    let output = replay(&server.url("/")).args(["--retry", "1", "--retry-delay", "0.01", "-"]).stdin("{}").run();
    output.assert_code(0).assert_stderr_has("will retry").assert_stderr_has("1 request, 0 failed");
    assert_eq!(server.finish_all().len(), 2);
    assert_eq!(rows(&output)[0][8], "after 1 retry");
}

#[test]
fn a_server_that_may_have_stumbled_over_gzip_earns_the_hint() {
    let server = Server::many(|_, mut conn| {
        conn.read_request();
        conn.answer("415 Unsupported Media Type", "");
    });
    let output = replay(&server.url("/")).arg(fixture("provider-payload.log")).run();
    output.assert_code(22).assert_stderr_has("--identity sends it plain");
    assert_eq!(output.stderr_text().matches("--identity").count(), 1);
    server.finish_all();
}

#[test]
fn a_signal_ends_it_with_the_summary_so_far() {
    for (signal, code) in [(Signal::INT, 130), (Signal::TERM, 143)] {
        let (reached, reaching) = gate();
        let opener = std::sync::Mutex::new(reached);
        let server = Server::many(move |number, mut conn| {
            conn.read_request();
            if number == 0 {
                conn.answer("200 OK", "{}");
            } else {
                opener.lock().expect("a lock").open();
                conn.read_to_end();
            }
        });
        let program = replay(&server.url("/")).file("three.jsonl", THREE);
        let running = program.args(["three.jsonl", "--export-csv", "samples.csv"]).spawn();
        reaching.wait();
        running.signal(signal);
        let output = running.finish();
        output.assert_code(code).assert_stderr_has("1 of 3 requests, 0 failed").assert_stderr_has(&format!("({code})"));
        assert_eq!(rows(&output).len(), 1);
        let samples = crate::server::read_file(&output.home.path().join("samples.csv"));
        assert_eq!(String::from_utf8_lossy(&samples).lines().count(), 2);
        server.finish_all();
    }
}

#[test]
fn a_reader_that_goes_away_ends_it_quietly() {
    let (reached, reaching) = gate();
    let (opener, gate) = gate();
    let server = Server::start(move |mut conn| {
        conn.read_request();
        reached.open();
        gate.wait();
        conn.answer("200 OK", "{}");
    });
    let mut running = replay(&server.url("/")).file("three.jsonl", THREE).arg("three.jsonl").spawn();
    reaching.wait();
    running.close_stdout();
    opener.open();
    let output = running.finish();
    output.assert_code(23);
    assert_eq!(output.stderr_text(), "");
    server.finish();
}
