//! `gzpost bench`: order, counting, figures against a relay of known cost, exports and records.

use std::path::Path;
use std::time::Duration;

use gzpost::relay::{self, Behave, Relay};
use rustix::process::Signal;
use serde_json::Value;

use crate::program::{Output, Program, Terminal, gzpost};
use crate::sample::{OK, chat};
use crate::server::{Conn, Request, Server, gate, read_file};

/// An answer as to a model that nobody has.
const NO_MODEL: &str = "HTTP/1.1 404 Not Found\r\nContent-Length: 60\r\n\r\n\
                        {\"error\":{\"message\":\"gzpost-bench-no-such-model: no model\"}}";

pub fn bench(arguments: &[&str]) -> Program {
    gzpost().arg("bench").args(arguments)
}

/// A relay that costs this many times less than the measured one.
pub fn relay(speed: f64, behave: Behave) -> Relay {
    Relay::start(&relay::Config { speed, behave, ..relay::Config::default() }).expect("a relay")
}

pub fn url(relay: &Relay) -> String {
    format!("http://{}/v1/chat/completions", relay.address())
}

/// A body for the relay, which knows models that begin with `demo-`.
fn for_the_relay(length: usize) -> Vec<u8> {
    String::from_utf8(chat(length)).expect("UTF-8").replace("\"test-model\"", "\"demo-model\"").into_bytes()
}

/// Answers request after request of a connection, until it ends.
pub fn answer_all(mut conn: Conn, answer: &str) -> Vec<Request> {
    let mut requests = Vec::new();
    loop {
        let first = conn.read_some(1);
        if first.is_empty() {
            return requests;
        }
        let head = [first, conn.read_head()].concat();
        let mut request = Request::parse(head);
        request.content = conn.read_content(&request);
        requests.push(request);
        conn.write(answer);
    }
}

/// `A` for plain, `B` for gzip, in the order of arrival.
fn order(requests: &[Request]) -> String {
    requests.iter().map(|request| if request.field("content-encoding").is_some() { 'B' } else { 'A' }).collect()
}

pub fn json(output: &Output, name: &str) -> Value {
    serde_json::from_slice(&read_file(&output.home.path().join(name))).expect("JSON")
}

pub fn text(folder: &Path, name: &str) -> String {
    String::from_utf8(read_file(&folder.join(name))).expect("UTF-8")
}

/// Rows of a CSV without quotes in it, by the titles.
pub fn rows(csv: &str) -> Vec<std::collections::HashMap<String, String>> {
    let mut lines = csv.lines().map(|line| line.split(','));
    let titles: Vec<&str> = lines.next().expect("a header").collect();
    lines.map(|cells| titles.iter().map(|title| (*title).to_owned()).zip(cells.map(str::to_owned)).collect()).collect()
}

#[test]
fn requests_go_out_as_a_b_b_a_each_over_a_fresh_connection() {
    let server = Server::many(|_, conn| answer_all(conn, OK));
    let output = bench(&["-n", "3", "--warmup", "1", &server.url("/v1"), "body.json"]);
    let output = output.file("body.json", chat(5000)).run();
    output.assert_code(0);
    let connections = server.finish_all();
    assert!(connections.iter().all(|requests| requests.len() == 1));
    let requests: Vec<Request> = connections.into_iter().flatten().collect();
    assert_eq!(order(&requests), "AB BAABBA".replace(' ', ""));
    for request in &requests {
        assert_eq!(request.method, "POST");
        assert_eq!(request.field("content-type"), Some("application/json"));
        assert_eq!(request.field("expect"), None);
        assert_eq!(request.decoded(), chat(5000));
    }
}

#[test]
fn keepalive_is_one_connection() {
    let server = Server::many(|_, conn| answer_all(conn, OK));
    let output = bench(&["--keepalive", "-n", "2", "--warmup", "0", "-H", "x-a: b", &server.url("/"), "-"]);
    let output = output.stdin(chat(5000)).run();
    output.assert_code(0).assert_stderr_lacks("--keepalive");
    assert!(output.stdout_text().contains("; one kept connection; "), "{}", output.describe());
    let requests = server.finish();
    assert_eq!(order(&requests), "ABBA");
    assert!(requests.iter().all(|request| request.field("x-a") == Some("b")));
}

#[test]
fn a_connection_that_the_server_does_not_keep_is_told() {
    let server = Server::many(|_, mut conn| {
        conn.read_request();
        conn.write("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok");
    });
    let arguments = ["--keepalive", "-n", "5", "--export-json", "a.json", &server.url("/"), "-"];
    let output = bench(&arguments).stdin(chat(2000)).run();
    output.assert_code(0).assert_stderr_has("12 connections for 12 requests, in spite of --keepalive");
    let found = json(&output, "a.json");
    let method = found["method"].as_str().expect("a method");
    assert!(method.contains("; 12 connections for 12 requests; ") && !method.contains("kept"), "{method}");
    assert_eq!(server.finish_all().len(), 12);
}

#[test]
fn the_relays_floor_slope_and_speed_up_are_found() {
    // Slow enough that a busy machine hardly shows.
    let (floor, per_kb) = (Duration::from_millis(100), Duration::from_millis(10));
    let relay =
        Relay::start(&relay::Config { floor, per_kb, speed: 1.0, ..relay::Config::default() }).expect("a relay");
    let arguments = ["--sizes", "0,8K,32K", "--bogus-model", "-n", "3", "--warmup", "0", &url(&relay)];
    let output = bench(&arguments).args(["--export-json", "bench.json"]).run();
    output.assert_code(0);
    let found = json(&output, "bench.json");
    // The relay never answers earlier than it says; a busy machine may be later.
    let at_least = |value: &Value, least: f64| {
        let value = value.as_f64().expect("a number");
        assert!((least..least * 10.0).contains(&value), "{value} is not {least} or little more\n{}", output.describe());
    };
    at_least(&found["network"]["relay"]["floor_ms"], 99.0);
    at_least(&found["over_sizes"]["plain"]["per_kb_of_body"]["ms"], 7.0);
    let largest = &found["bodies"][2];
    assert!(largest["speedup"]["median"].as_f64() > Some(1.0), "{}", output.describe());
    assert_eq!(largest["plain"]["statuses"], serde_json::json!([404]));
    assert_eq!(found["samples"].as_array().map(Vec::len), Some(2 * 3 * 3));
    for part in ["fixed floor", "a KB sent", "32K", "speed-up", "over sizes"] {
        assert!(output.stdout_text().contains(part), "{part}\n{}", output.describe());
    }
}

#[test]
fn a_real_model_is_measured_by_its_first_token() {
    let relay = relay(200.0, Behave::Decode);
    let arguments = ["--sizes", "0,32K", "--model", "demo-model", "--metric", "first_token", "-n", "2"];
    let output = bench(&arguments).args(["--export-json", "bench.json", &url(&relay)]).run();
    output.assert_code(0);
    let found = json(&output, "bench.json");
    assert_eq!(found["metric"], "time_first_token");
    for sample in found["samples"].as_array().expect("samples") {
        assert!(sample["num_tokens"].as_u64().is_some_and(|tokens| tokens > 0), "{sample}");
        assert!(sample["time_first_token"].as_f64() > sample["time_starttransfer"].as_f64(), "{sample}");
        assert_eq!(sample["status"], 200);
    }
}

#[test]
fn failures_are_counted_and_shown() {
    let relay = relay(1000.0, Behave::Reject400);
    let output = bench(&["-n", "5", "--export-json", "bench.json", &url(&relay), "body.json"]);
    let output = output.file("body.json", for_the_relay(5000)).run();
    output.assert_code(22).assert_stderr_has("gzpost: (22) 5 of 10 counted requests failed; the first: ");
    output.assert_stderr_has("warning: body.json as gzip: 5 of 5 failed: the server returned status 400\n");
    output.assert_stderr_has("status 200 plain but 400 as gzip");
    output.assert_stderr_has(
        "the relay does not take gzip (all 5 refused with 400; plain 5 of 5 answered); gzpost check finds out more\n",
    );
    let found = json(&output, "bench.json");
    let body = &found["bodies"][0];
    assert_eq!((&body["plain"]["failures"], &body["gzip"]["failures"]), (&Value::from(0), &Value::from(5)));
    assert_eq!(
        (&body["gzip"]["ms"], &body["speedup"], &found["status"]),
        (&Value::Null, &Value::Null, &"failed".into())
    );
    assert_eq!(output.stdout_text().matches(" -  ").count(), 3, "{}", output.describe());
}

#[test]
fn too_few_pairs_are_warned_about_where_nothing_else_is_the_reason() {
    let failing = |number: usize| number % 2 == 1;
    for (pairs, fails, expected) in [
        ("1", false, Some("there is no interval of 1 pair; take at least 6")),
        ("5", false, Some("there is no interval of 5 pairs; take at least 6")),
        ("6", false, None),
        ("5", true, None),
        ("10", true, None),
    ] {
        let server = Server::many(move |number, conn| {
            let refused = "HTTP/1.1 500 Oops\r\nContent-Length: 0\r\n\r\n";
            answer_all(conn, if fails && failing(number) { refused } else { OK })
        });
        let output = bench(&["-n", pairs, "--warmup", "0", &server.url("/"), "-"]).stdin(chat(2000)).run();
        output.assert_code(if fails { 22 } else { 0 });
        match expected {
            Some(text) => output.assert_stderr_has(text),
            None => output.assert_stderr_lacks("take at least"),
        };
        drop(server);
    }
    let slow = relay::Config { floor: Duration::from_millis(150), speed: 1.0, ..relay::Config::default() };
    let relay = Relay::start(&slow).expect("a relay");
    let limit = ["-n", "5", "--sizes", "0", "--bogus-model", "--warmup", "0", "--max-time-total", "0.4"];
    bench(&limit).arg(url(&relay)).run().assert_code(0).assert_stderr_lacks("take at least");
}

#[test]
fn a_bogus_models_answer_counts_and_another_error_does_not() {
    for (answer, code) in [
        (NO_MODEL, 0),
        (&NO_MODEL.replace("404 Not Found", "503 Service Unavailable"), 0),
        ("HTTP/1.1 404 Not Found\r\nContent-Length: 9\r\n\r\nno model!", 22),
        (&NO_MODEL.replace("404 Not Found", "429 Too Many Requests"), 22),
        ("HTTP/1.1 401 Unauthorized\r\nContent-Length: 3\r\n\r\nkey", 22),
        ("HTTP/1.1 301 Moved\r\nLocation: /v1\r\nContent-Length: 0\r\n\r\n", 22),
    ] {
        let answer = answer.to_owned();
        let server = Server::many(move |_, conn| answer_all(conn, &answer));
        bench(&["--bogus-model", "--sizes", "2K", "-n", "1", "--warmup", "0", &server.url("/")])
            .run()
            .assert_code(code);
        let requests: Vec<Request> = server.finish_all().into_iter().flatten().collect();
        let body: Value = serde_json::from_slice(&requests[1].decoded()).expect("JSON");
        assert_eq!(body["model"], "gzpost-bench-no-such-model");
    }
}

#[test]
fn answers_of_several_statuses_are_warned_about() {
    let bogus = ["--bogus-model", "--sizes", "2K", "-n", "6", "--warmup", "0"];
    for (status, code) in [("503 Service Unavailable", 0), ("429 Too Many Requests", 22)] {
        let other = NO_MODEL.replace("404 Not Found", status);
        // Every third one, so both codings are met: A B *B* A A *B* B A *A* B B *A*.
        let server = Server::many(move |number, conn| {
            answer_all(conn, if number % 3 == 2 { &other } else { NO_MODEL });
        });
        let output = bench(&bogus).args(["--export-json", "a.json", &server.url("/")]).run();
        output.assert_code(code);
        let number = &status[..3];
        for coding in ["plain", "gzip"] {
            let how = if coding == "gzip" { "as gzip" } else { coding };
            let text = format!("warning: body 2K {how}: statuses 404 and {number}: not the same work");
            output.assert_stderr_has(&text);
            let failures = &json(&output, "a.json")["bodies"][0][coding]["failures"];
            assert_eq!(*failures, if code == 0 { 0 } else { 2 }, "{coding}");
        }
    }
}

#[test]
fn an_answer_before_the_body_was_sent_is_a_failure() {
    let closing = |answer: &str| answer.replacen("\r\n", "\r\nConnection: close\r\n", 1);
    for (answer, code, why) in [
        (closing(NO_MODEL), 55, "answered with 404 before the body was sent"),
        (closing(OK), 55, "answered with 200 before the body was sent"),
        (closing("HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n"), 22, "413"),
    ] {
        let server = Server::many(move |_, mut conn| {
            conn.read_head();
            conn.write(&answer);
        });
        // Even as gzip, more than the buffers of sockets hold.
        let early = ["--bogus-model", "--sizes", "20M", "--ratio", "1.5", "-n", "1", "--warmup", "0", "--level", "1"];
        let output = bench(&early).arg(server.url("/")).run();
        output.assert_code(code).assert_stderr_has("2 of 2 counted requests failed").assert_stderr_has(why);
    }
}

#[test]
fn a_broken_stream_is_a_failure() {
    let cut = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 60\r\n\r\n\
               data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"one\"}}]}   \n\n";
    let server = Server::many(move |_, conn| answer_all(conn, cut));
    let output = bench(&["-n", "1", "--warmup", "0", &server.url("/"), "-"]).stdin(chat(2000)).run();
    output.assert_code(18).assert_stderr_has("without its end mark");
}

#[test]
fn without_a_connection_nothing_is_measured() {
    let port = crate::server::refused_port();
    let output = bench(&["-s", "-S", &format!("http://127.0.0.1:{port}/"), "-"]).stdin(chat(2000)).run();
    output.assert_error(7).assert_stdout("");
}

#[test]
fn an_interrupted_bench_prints_and_exports_what_it_has() {
    let (opener, held) = gate();
    let (reached, reaching) = gate();
    let held = std::sync::Mutex::new(Some((reached, held)));
    let server = Server::many(move |number, mut conn| {
        conn.read_request();
        if number == 4 {
            let (reached, held) = held.lock().expect("a lock").take().expect("one fifth connection");
            reached.open();
            held.wait();
        }
        conn.write(OK);
    });
    let arguments =
        ["-n", "5", "--warmup", "0", "--export-csv", "bench.csv", "--record", "record", &server.url("/"), "body"];
    let running = bench(&arguments).file("body", chat(2000)).spawn();
    reaching.wait();
    running.signal(Signal::INT);
    let output = running.finish();
    opener.open();
    output.assert_code(130).assert_stderr_has("interrupted, 4 of 10 counted requests done");
    assert!(output.stdout_text().contains("partial: interrupted"), "{}", output.describe());
    assert_eq!(rows(&text(output.home.path(), "bench.csv")).len(), 4);
    let record = json(&output, "record/record.json");
    assert_eq!((&record["status"], &record["current"]["n"]), (&"partial".into(), &2.into()));
}

#[test]
fn the_time_limit_of_all_ends_it_early() {
    let slow = relay::Config { floor: Duration::from_millis(150), speed: 1.0, ..relay::Config::default() };
    let relay = Relay::start(&slow).expect("a relay");
    let arguments = ["--sizes", "0", "--bogus-model", "--warmup", "0", "--max-time-total", "0.4", &url(&relay)];
    let output = bench(&arguments).run();
    output.assert_code(0).assert_stderr_has("stopped after 0.4 s (--max-time-total), ");
    assert!(output.stdout_text().contains("partial: the time was up"), "{}", output.describe());
}

#[test]
fn mistakes_of_bodies_are_found_before_anything_is_sent() {
    let server = Server::many(|_, conn| answer_all(conn, OK));
    let url = server.url("/");
    let broken = bench(&[&url, "good.json", "bad.json"]).file("good.json", "{}").file("bad.json", "{").run();
    broken.assert_error(26).assert_stderr_has("bad.json: not JSON");
    let coded = bench(&[&url, "body.gz"]).file("body.gz", crate::server::gzip(b"{}")).run();
    coded.assert_error(26).assert_stderr_has("body.gz: is gzip already");
    bench(&[&url, "missing.json"]).run().assert_error(26);
    server.assert_unasked();
}

#[test]
fn terminals_get_bars() {
    let server = Server::many(|_, conn| answer_all(conn, OK));
    let run = |terminal: Option<Terminal>| {
        let program = bench(&["-n", "5", &server.url("/"), "-"]).stdin(chat(2000));
        match terminal {
            Some(terminal) => program.terminal(terminal).run(),
            None => program.run(),
        }
    };
    let charted = run(Some(Terminal::Stdout));
    assert!(charted.stdout_text().contains('█'), "{}", charted.describe());
    let program = bench(&["-n", "5", &server.url("/"), "-"]).stdin(chat(2000)).env("NO_COLOR", "1");
    let plain = program.terminal(Terminal::Stdout).run();
    assert!(plain.stdout_text().is_ascii() && plain.stdout_text().contains('#'), "{}", plain.describe());
    let followed = run(Some(Terminal::Stderr));
    assert!(
        followed.stderr_text().contains("] 7/12 ") && followed.stderr_text().contains(" left"),
        "{}",
        followed.describe()
    );
    assert!(!followed.stdout_text().contains('█'));
    let piped = run(None);
    assert!(piped.stdout_text().is_ascii() && !piped.stderr_text().contains("7/12"), "{}", piped.describe());
    drop(server);
}
