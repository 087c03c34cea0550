//! `gzpost replay`: what arrives for captures of every form, and what is refused before anything is sent.

mod connections;
mod reports;

use std::path::{Path, PathBuf};

use gzpost::body::{gzip as coding, synthetic};

use crate::program::{Output, Program, TempDir, gzpost};
use crate::sample::{EVENTS, delta};
use crate::server::{Request, Server, gzip, read_file};

/// A capture of `tests/fixtures/captures`.
fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/captures").join(name)
}

/// The compact bodies that the pretty-printed fixture was made from.
fn compact_fixture() -> Vec<Vec<u8>> {
    let lines = read_file(&fixture("provider-payload.jsonl"));
    lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).map(<[u8]>::to_vec).collect()
}

/// A server that answers any number of requests, each on its own connection.
fn answering() -> Server<Request> {
    Server::many(|_, mut conn| {
        let request = conn.read_request();
        conn.answer("200 OK", r#"{"ok":true}"#);
        request
    })
}

fn replay(url: &str) -> Program {
    gzpost().args(["replay", url])
}

/// The cells of the rows on stdout.
fn rows(output: &Output) -> Vec<Vec<String>> {
    output.stdout_text().lines().map(|line| line.split('\t').map(str::to_owned).collect()).collect()
}

/// JSON as `JSON.stringify(value, null, 2)` would print it, but for empty arrays and objects.
fn pretty(compact: &[u8]) -> Vec<u8> {
    let (mut text, mut depth, mut in_string, mut escaped) = (Vec::new(), 0, false, false);
    for &byte in compact {
        let line = |depth: usize| [&b"\n"[..], &b"  ".repeat(depth)].concat();
        if in_string {
            text.push(byte);
            in_string = escaped || byte != b'"';
            escaped = !escaped && byte == b'\\';
            continue;
        }
        match byte {
            b'{' | b'[' => {
                depth += 1;
                text.push(byte);
                text.extend(line(depth));
            }
            b'}' | b']' => {
                depth -= 1;
                text.extend(line(depth));
                text.push(byte);
            }
            b',' => {
                text.push(byte);
                text.extend(line(depth));
            }
            b':' => text.extend(b": "),
            _ => {
                in_string = byte == b'"';
                text.push(byte);
            }
        }
    }
    text
}

#[test]
fn bodies_of_a_directory_are_sent_in_name_order_with_their_figures() {
    let server = Server::many(|_, mut conn| {
        let request = conn.read_request();
        conn.write(EVENTS);
        conn.write_chunk(delta("a"));
        conn.write_chunk("data: [DONE]\n\n");
        conn.write_chunk("");
        request
    });
    let captures = TempDir::new();
    let (mut expected, mut bodies) = (Vec::new(), Vec::new());
    for (name, size) in [("1-small.json", 900), ("2.json", 20_491), ("3.json.gz", 373_413), ("4.json", 1_200_000)] {
        let body = synthetic("demo-model", size, 3.6, size as u64);
        let sent = if size < 1024 { size } else { coding::encode(&body, gzpost::body::DEFAULT_LEVEL).len() };
        captures.write(name, if name.ends_with("gz") { gzip(&body) } else { body.clone() });
        bodies.push(body);
        let path = captures.path().join(name).display().to_string();
        expected.push([path, size.to_string(), sent.to_string(), format!("{:.2}", size as f64 / sent as f64)]);
    }
    let output = replay(&server.url("/")).arg(captures.path()).run();
    output.assert_code(0);
    let rows = rows(&output);
    assert_eq!(rows.len(), expected.len(), "{}", output.describe());
    for (row, expected) in rows.iter().zip(&expected) {
        assert_eq!(row[..4], *expected);
        let [start, token, total] = [&row[5], &row[6], &row[7]].map(|time| time.parse::<f64>().expect("seconds"));
        assert_eq!((row[4].as_str(), row[8].as_str()), ("200", ""));
        assert!(0.0 < start && start <= token && token <= total, "{row:?}");
    }
    let arrived: Vec<_> = server.finish_all().iter().map(Request::decoded).collect();
    assert!(arrived == bodies);
    let sum = |at: usize| expected.iter().map(|row| row[at].parse::<u64>().expect("bytes")).sum::<u64>();
    let bytes = format!("4 requests, 0 failed, {} -> {} bytes, ", sum(1), sum(2));
    output.assert_stderr_has(&bytes).assert_stderr_has("starttransfer: median ");
    output.assert_stderr_has("first token: median ");
}

#[test]
fn every_form_of_a_capture_arrives_byte_for_byte() {
    let lines = read_file(&fixture("provider-payload.jsonl"));
    let log = read_file(&fixture("provider-payload.log"));
    let compact = compact_fixture();
    let documents = String::from_utf8(log.clone()).expect("UTF-8");
    let printed: Vec<Vec<u8>> = documents.trim_end().split("\n\n").map(|text| text.as_bytes().to_vec()).collect();
    assert_eq!(printed.len(), 3);
    for (name, bytes, expected) in [
        ("one.json", &compact[0], &compact[..1]),
        ("lines.jsonl", &lines, &compact),
        ("payload.log", &log, &printed),
        ("payload.log.gz", &gzip(&log), &printed),
    ] {
        for stdin in [false, true] {
            let server = answering();
            let program = replay(&server.url("/v1")).file(name, bytes).stdin(bytes.clone());
            let output = program.arg(if stdin { "-" } else { name }).run();
            output.assert_code(0);
            let bodies: Vec<_> = server.finish_all().iter().map(Request::decoded).collect();
            assert!(bodies == expected, "{name}, on stdin: {stdin}");
            let shown = if stdin { "stdin" } else { name };
            let names: Vec<_> = rows(&output).into_iter().map(|row| row[0].clone()).collect();
            let numbered = (1..=expected.len()).map(|number| format!("{shown}#{number}"));
            assert_eq!(names, if expected.len() == 1 { vec![shown.to_owned()] } else { numbered.collect() });
        }
    }
}

#[test]
fn compact_gives_back_what_a_pretty_printed_body_was_made_from() {
    let server = answering();
    replay(&server.url("/")).arg("--compact").arg(fixture("provider-payload.log")).run().assert_code(0);
    let bodies: Vec<_> = server.finish_all().iter().map(Request::decoded).collect();
    assert!(bodies == compact_fixture());

    let body = synthetic("demo-model", 300_000, 3.6, 7);
    let printed = pretty(&body);
    assert!(printed.len() > body.len());
    let server = answering();
    replay(&server.url("/")).args(["--compact", "-"]).stdin(printed).run().assert_code(0);
    assert!(server.finish().decoded() == body);
}

#[test]
fn model_and_members_are_spliced_in() {
    let server = answering();
    let options = ["--model", "other", "--set", "n=1.0", "--identity", "-H", "X-A: b", "a.json"];
    replay(&server.url("/")).file("a.json", "{ \"model\":\"m\", \"x\" : 1e0 }\n").args(options).run().assert_code(0);
    let request = server.finish();
    assert_eq!(request.content, b"{ \"model\":\"other\", \"x\" : 1e0,\"n\":1.0 }");
    assert_eq!((request.method.as_str(), request.field("x-a")), ("POST", Some("b")));
    assert_eq!(request.field("content-type"), Some("application/json"));
}

#[test]
fn the_lines_that_pi_logs_for_answers_are_no_bodies() {
    let server = answering();
    replay(&server.url("/")).arg(fixture("with-answers.log")).arg("--compact").run().assert_code(0);
    let bodies: Vec<_> = server.finish_all().iter().map(Request::decoded).collect();
    assert!(bodies == compact_fixture()[..2]);
}

/// Fails unless the captures, the last of them at fault, are refused before any request.
#[track_caller]
fn assert_refused(captures: &[PathBuf], parts: &[&str]) {
    let server = Server::start(|_| ());
    let output = replay(&server.url("/")).arg(fixture("provider-payload.log")).args(captures).run();
    output.assert_error(26).assert_stdout("");
    for part in parts {
        output.assert_stderr_has(part);
    }
    server.assert_unasked();
}

#[test]
fn what_is_no_request_body_is_refused_before_anything_is_sent() {
    let session = fixture("session.jsonl");
    assert_refused(&[session], &["session.jsonl: document 1: a pi session file", "before_provider_request"]);
    assert_refused(
        &[fixture("google-sdk.json")],
        &["google-sdk.json: document 1: parameters of Google's SDK", "proxy"],
    );
    let empty = TempDir::new();
    assert_refused(&[empty.path().to_owned()], &["no *.json, *.json.gz, *.jsonl or *.log in this directory"]);
    assert_refused(&["missing.json".into()], &["missing.json: no such file"]);
    let other = TempDir::new();
    let page = other.write("page.json", "<html></html>");
    assert_refused(&[page], &["page.json: document 1: not JSON: line 1, column 1: expected value"]);
}

#[test]
fn a_truncated_document_is_found_in_the_middle_of_others() {
    assert_refused(&[fixture("truncated.jsonl")], &["truncated.jsonl: document 3: not JSON: line 3, column "]);
    let folder = TempDir::new();
    let log = String::from_utf8(read_file(&fixture("provider-payload.log"))).expect("UTF-8");
    let documents: Vec<&str> = log.split_inclusive("\n\n").collect();
    // Between two tokens and within a string: what follows is no part of the document.
    let third = documents[2].trim_end().strip_suffix('}').expect("a brace");
    let before = [documents[0], documents[1], third].concat();
    let mixed = [&before, "\n", documents[0], documents[1]].concat();
    let line = before.matches('\n').count() + 2;
    let place = format!("cut.log: document 3: not JSON: line {line}, column 1: ");
    assert_refused(&[folder.write("cut.log", mixed)], &[&place]);
    let cut = log.find("größe").expect("a word of the first document");
    assert_refused(&[folder.write("end.log", &log[..cut])], &["end.log: document 1: not JSON: line ", "EOF"]);
}
