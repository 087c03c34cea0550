//! What a replay writes: rows and progress on terminals, answers, samples, and what a dry run shows.

use gzpost::body::gzip as coding;

use super::{answering, compact_fixture, fixture, pretty, replay, rows};
use crate::program::{Terminal, gzpost};
use crate::sample::{EVENTS, delta};
use crate::server::{Server, read_file};

const TWO: &str = "{\"n\":1}\n{\"n\":2}\n";

#[test]
fn a_terminal_gets_aligned_rows_under_a_header() {
    let server = answering();
    let output = replay(&server.url("/")).terminal(Terminal::Stdout).arg(fixture("provider-payload.log")).run();
    output.assert_code(0);
    server.finish_all();
    let text = output.stdout_text();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 4, "{text}");
    assert!(lines[0].starts_with("name ") && lines[0].ends_with("total"), "{text}");
    for column in ["bytes", "sent", "ratio", "status", "starttransfer", "first token"] {
        let end = lines[0].find(column).expect("a title") + column.len();
        assert!(
            lines[1..].iter().all(|line| line.as_bytes()[end] == b' ' && line.as_bytes()[end - 1] != b' '),
            "{text}"
        );
    }
    assert!(lines[2].contains(" KB ") && lines[2].contains("x  "), "{text}");
}

#[test]
fn a_terminal_shows_how_far_it_is_and_a_pipe_does_not() {
    let server = answering();
    let output = replay(&server.url("/")).terminal(Terminal::Stderr).args(["-n", "2", "-"]).stdin(TWO).run();
    output.assert_code(0);
    server.finish_all();
    let shown = output.stderr_text();
    for part in ["\r1 of 4\x1b[K", "\r2 of 4, about ", "\r4 of 4, about ", " s left"] {
        assert!(shown.contains(part), "{part:?} in {shown:?}");
    }
    let server = answering();
    let output = replay(&server.url("/")).arg("-").stdin(TWO).run();
    output.assert_code(0).assert_stderr_lacks("1 of 2").assert_stderr_lacks("\r");
    server.finish_all();
    let server = answering();
    let output = replay(&server.url("/")).args(["-s", "-"]).stdin(TWO).run();
    assert_eq!((output.assert_code(0).stderr_text(), rows(&output).len()), (String::new(), 2));
    server.finish_all();
}

#[test]
fn answers_are_saved_in_order_and_never_written_over() {
    let folder = crate::program::TempDir::new();
    let path = folder.path().join("answers");
    for pass in 0..2 {
        let server = Server::many(|number, mut conn| {
            conn.read_request();
            let (status, content) = if number == 1 { ("404 No", "missing") } else { ("200 OK", "fine") };
            conn.answer(status, content);
        });
        let program = replay(&server.url("/")).file("a b.json", "{}").file("c.jsonl", TWO).arg("--save").arg(&path);
        program.args(["a b.json", "c.jsonl"]).run().assert_code(22);
        server.finish_all();
        let entries = std::fs::read_dir(&path).expect("a directory");
        let names = entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8"));
        let mut names: Vec<String> = names.collect();
        names.sort();
        let expected = ["a-b.json", "c.jsonl-1", "c.jsonl-2", "a-b.json", "c.jsonl-1", "c.jsonl-2"];
        let expected = (1..).zip(expected).map(|(number, name)| format!("{number:04}-{name}.answer"));
        assert_eq!(names, expected.take(3 * (pass + 1)).collect::<Vec<_>>());
    }
    let saved = ["0001-a-b.json", "0002-c.jsonl-1", "0003-c.jsonl-2"];
    let saved = saved.map(|name| read_file(&path.join(format!("{name}.answer"))));
    assert_eq!(saved, [&b"fine"[..], b"missing", b"fine"]);
}

#[test]
fn an_answer_goes_nowhere_without_save() {
    let server = answering();
    let output = replay(&server.url("/")).arg("-").stdin("{}").run();
    assert!(!output.assert_code(0).stdout_text().contains("ok"), "{}", output.describe());
    server.finish();
}

#[test]
fn exports_hold_every_sample_with_its_moments_and_no_secret() {
    let server = Server::many(|_, mut conn| {
        conn.read_request();
        conn.write(EVENTS);
        conn.write_chunk(delta("a, \\\"b\\\""));
        conn.write_chunk("data: [DONE]\n\n");
        conn.write_chunk("");
    });
    let url = server.url("/v1").replace("http://", "http://ann:very-secret@");
    let name = "odd, \"name\".jsonl";
    let program = gzpost().file(name, TWO).args(["replay", &url, name, "--export-json", "j", "--export-csv", "c"]);
    let output = program.args(["-H", "Authorization: Bearer very-secret"]).run();
    output.assert_code(0).assert_stderr_lacks("very-secret");
    server.finish_all();
    let [json, csv] =
        ["j", "c"].map(|file| String::from_utf8(read_file(&output.home.path().join(file))).expect("UTF-8"));
    assert!(!json.contains("very-secret") && !csv.contains("very-secret"), "{json}\n{csv}");
    let run: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(run["url"], url.replace("very-secret", "<redacted>"));
    let samples = run["samples"].as_array().expect("a list");
    assert_eq!(samples.len(), 2);
    for (sample, number) in samples.iter().zip(1..) {
        assert_eq!(sample["name"], format!("{name}#{number}"));
        assert_eq!((sample["size_body"].as_u64(), sample["response_code"].as_u64()), (Some(7), Some(200)));
        let at = |moment: &str| sample[format!("time_{moment}")].as_f64().expect("a moment");
        let moments = ["namelookup", "connect", "pretransfer", "posttransfer", "starttransfer", "first_token", "total"];
        assert!(moments.map(at).is_sorted(), "{sample}");
        assert_eq!(sample["time_appconnect"], serde_json::json!(0.0), "{sample}");
    }
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines.len(), 3);
    assert!(lines[0].starts_with("number,pass,name,exitcode,"), "{csv}");
    assert!(lines[1].starts_with("1,1,\"odd, \"\"name\"\".jsonl#1\",0,,200,"), "{csv}");
}

#[test]
fn a_file_for_samples_that_cannot_be_written_is_said_before_anything_is_sent() {
    let server = Server::start(|_| ());
    let program = replay(&server.url("/")).args(["--export-json", "no/such/file", "-"]).stdin("{}");
    program.run().assert_error(23).assert_stderr_has("no/such/file: could not be written");
    server.assert_unasked();
}

#[test]
fn an_export_that_fails_leaves_the_other_and_the_code_of_the_run() {
    for (status, code) in [("200 OK", 23), ("500 No", 22)] {
        let server = Server::many(move |_, mut conn| {
            conn.read_request();
            conn.write(format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n"));
        });
        let exports = ["--export-json", "/dev/full", "--export-csv", "c"];
        let output = replay(&server.url("/")).arg("-f").args(exports).arg("-").stdin(TWO).run();
        output.assert_code(code).assert_stderr_has("/dev/full: could not be written");
        let csv = String::from_utf8(read_file(&output.home.path().join("c"))).expect("UTF-8");
        assert_eq!(csv.lines().count(), 3, "{csv}");
    }
}

#[test]
fn a_dry_run_sends_nothing_and_shows_what_would_go() {
    let server = Server::start(|_| ());
    let [_, body, _] = &compact_fixture()[..] else { panic!("three bodies") };
    let options = ["--dry-run", "--compact", "--model", "m-2", "--export-json", "j", "body.json"];
    let output = replay(&server.url("/")).file("body.json", pretty(body)).args(options).run();
    output.assert_code(0);
    server.assert_unasked();
    assert_eq!(output.stderr_text(), "");
    let sent = String::from_utf8(body.clone()).expect("UTF-8").replace("\"demo-model\"", "\"m-2\"");
    let (bytes, gzip) = (sent.len(), coding::encode(sent.as_bytes(), gzpost::body::DEFAULT_LEVEL).len());
    let row = rows(&output).remove(0);
    let ratio = format!("{:.2}", bytes as f64 / gzip as f64);
    assert_eq!(row[..4], ["body.json", "m-2", "openai-completions", &bytes.to_string()]);
    assert_eq!(row[4..7], [&gzip.to_string(), &ratio, "4"]);
    assert!(row[7].starts_with("1.9 KB: 1.1 KB tool results, 106 B tool calls, "), "{}", row[7]);
    assert!(row[7].contains(" in 1 tool definition, no images, "), "{}", row[7]);
    let shown: serde_json::Value = serde_json::from_slice(&read_file(&output.home.path().join("j"))).expect("JSON");
    let capture = &shown["captures"][0];
    let parts =
        ["system", "user", "assistant", "reasoning", "tool_call", "tool_result", "tool_definition", "image", "other"];
    let sum: u64 = parts.iter().filter_map(|part| capture[format!("{part}_bytes")].as_u64()).sum();
    assert_eq!((sum, capture["bytes"].as_u64()), (bytes as u64, Some(bytes as u64)));
}

#[test]
fn a_dry_run_refuses_what_a_replay_refuses() {
    let output = replay("http://127.0.0.1:1/").arg("--dry-run").arg(fixture("session.jsonl")).run();
    output.assert_error(26).assert_stdout("").assert_stderr_has("pi session file");
}

#[test]
fn a_dry_run_on_a_terminal_describes_each_body_below_its_row() {
    let program = replay("http://127.0.0.1:1/").terminal(Terminal::Stdout);
    let output = program.arg("--dry-run").arg(fixture("provider-payload.jsonl")).run();
    let text = output.assert_code(0).stdout_text();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 1 + 3 * 2, "{text}");
    assert!(lines[0].contains("model") && lines[0].ends_with("messages"), "{text}");
    assert!(lines[2].starts_with("  525 B: 85 B user, 74 B system, "), "{text}");
}
