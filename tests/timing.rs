//! Moments: their order and presence, in `-w`, in the block on stderr and on a terminal.

use std::io::Write;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use ::gzpost::commands::Context;
use ::gzpost::output::{Stderr, Terminal as TerminalFacts};
use rustix::process::Signal;

use crate::program::{Output, Terminal, gzpost};
use crate::sample::{EVENTS, OK, chat, delta};
use crate::server::{Authority, Server, Tls, gate, refused_port};

/// curl's moments in their order.
const MOMENTS: [&str; 7] =
    ["namelookup", "connect", "appconnect", "pretransfer", "posttransfer", "starttransfer", "total"];

/// A format that prints these moments in seconds, one a line.
fn format(moments: &[&str]) -> String {
    moments.iter().flat_map(|moment| ["%{time_", moment, "}\\n"]).collect()
}

/// What such a format printed: digits as curl prints them.
#[track_caller]
fn seconds(text: &str) -> Vec<f64> {
    let second = |line: &str| {
        let digits = line.split_once('.').map_or(0, |(_, digits)| digits.len());
        assert_eq!(digits, 6, "microseconds in {line:?}");
        line.parse::<f64>().unwrap_or_else(|_| panic!("seconds {line:?}"))
    };
    text.lines().map(second).collect()
}

/// The lines of the timing block as label and rest, in order; every line must have the block's form.
#[track_caller]
fn block(output: &Output) -> Vec<(String, String)> {
    let text = output.stderr_text();
    let line = |line: &str| {
        let (label, rest) = line.split_once(": ").unwrap_or_else(|| panic!("{}", output.describe()));
        let (value, more) = rest.split_once('s').unwrap_or_else(|| panic!("{}", output.describe()));
        assert!(label.len() == 19 && value.len() == 9, "columns of {line:?}\n{}", output.describe());
        assert!(seconds(value.trim_start())[0] > 0.0, "{line:?}");
        (label.trim_start().to_owned(), more.trim_start().to_owned())
    };
    text.lines().map(line).collect()
}

fn labels(block: &[(String, String)]) -> Vec<&str> {
    block.iter().map(|(label, _)| label.as_str()).collect()
}

#[test]
fn moments_are_in_curls_order() {
    let server = Server::answering(OK);
    let program = gzpost().stdin(chat(50_000)).args(["-o", "answer", "-w", &format(&MOMENTS)]);
    let output = program.args([&server.url("/"), "-"]).run();
    let mut moments = seconds(&output.assert_code(0).stdout_text());
    assert_eq!(moments.remove(2).to_bits(), 0.0_f64.to_bits(), "appconnect without TLS");
    assert!(moments[0] > 0.0 && moments.is_sorted(), "{moments:?}");
    assert_eq!(moments.len(), 6);
}

#[test]
fn moments_are_in_curls_order_over_tls() {
    let authority = Authority::new();
    let server = Server::tls(&authority, &Tls::default(), |mut conn| {
        conn.read_request();
        conn.write(OK);
    });
    let program = gzpost().stdin(chat(50_000)).arg("--cacert").arg(authority.file());
    let output = program.args(["-o", "answer", "-w", &format(&MOMENTS), &server.url("/"), "-"]).run();
    let moments = seconds(&output.assert_code(0).stdout_text());
    assert!(moments.len() == 7 && moments[0] > 0.0 && moments.is_sorted(), "{moments:?}");
    assert!(moments[2] > moments[1], "a handshake takes time: {moments:?}");
}

#[test]
fn moments_that_were_not_reached_are_zero() {
    let url = format!("http://127.0.0.1:{}/", refused_port());
    let output = gzpost().args(["-w", &(format(&MOMENTS) + "%{http_code} %{exitcode}"), &url]).run();
    let text = output.assert_code(7).stdout_text();
    let (moments, rest) = text.rsplit_once('\n').expect("lines");
    assert_eq!(rest, "000 7");
    let moments = seconds(moments);
    assert!(moments[1..6].iter().all(|&moment| moment.to_bits() == 0), "{moments:?}");
    assert!(moments[6] > 0.0, "{moments:?}");
}

#[test]
fn an_early_answer_starts_before_the_request_has_ended() {
    let server = Server::start(|mut conn| {
        conn.read_head();
        conn.answer("413 Content Too Large", "");
    });
    let program = gzpost().file("big.json", chat(30_000_000));
    let program = program.args(["--identity", "-w", "%{time_starttransfer}\\n%{time_total}", &server.url("/")]);
    let output = program.arg("big.json").run();
    let moments = seconds(&output.assert_code(0).stdout_text());
    assert!(moments[0] > 0.0 && moments.is_sorted(), "{moments:?}");
}

/// What is measured at the server lies between what is measured here, so that no clock has to agree with another.
#[test]
fn an_interim_answer_does_not_start_the_answer() {
    for (interim, answer) in [
        ("HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 413 No\r\nContent-Length: 0\r\n\r\n"),
        ("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Ea", "rly\r\n\r\nHTTP/1.1 413 No\r\nContent-Length: 0\r\n\r\n"),
    ] {
        let server = Server::start(move |mut conn| {
            conn.read_head();
            conn.write(interim);
            let between = Instant::now();
            // Far more than the buffers hold, so that the interim answer was read by then.
            conn.read_exact(25_000_000);
            let between = between.elapsed();
            conn.write(answer);
            between
        });
        let program = gzpost().file("big", vec![b'x'; 30_000_000]).args(["-T", "big", "-H", "Expect: 100-continue"]);
        let output = program.args(["-w", &format(&["pretransfer", "starttransfer"]), &server.url("/")]).run();
        let moments = seconds(&output.assert_code(0).stdout_text());
        let between = server.finish().as_secs_f64();
        assert!(moments[1] - moments[0] >= between, "{moments:?}, {between} s between the two");
    }
}

#[test]
fn events_and_tokens_have_their_moments() {
    let server = Server::start(|mut conn| {
        conn.read_request();
        conn.write(EVENTS);
        conn.write_chunk("data: {\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\n\n");
        for word in ["one", " two", " three"] {
            conn.write_chunk(delta(word));
        }
        conn.write_chunk("data: {\"choices\":[],\"usage\":{\"completion_tokens\":7}}\n\ndata: [DONE]\n\n");
        conn.write_chunk("");
    });
    let moments = ["starttransfer", "first_event", "first_token", "last_token", "total"];
    let format = format(&moments) + "%{stderr}%{num_tokens}";
    let output = gzpost().args(["-o", "answer", "-d", "{}", "-w", &format, &server.url("/")]).run();
    let moments = seconds(&output.assert_code(0).stdout_text());
    assert!(moments.len() == 5 && moments[0] > 0.0 && moments.is_sorted(), "{moments:?}");
    assert_eq!(output.stderr_text(), "7");
}

#[test]
fn sizes_tell_body_and_content_apart() {
    let body = chat(50_000);
    let format = "%{size_body} %{size_upload} %{content_coding} %{compression_ratio} %{size_download}";
    let server = Server::answering(OK);
    let output = gzpost().stdin(body.clone()).args(["-o", "-", "-w", format, &server.url("/"), "-"]).run();
    let sent = server.finish().content.len();
    let text = output.assert_code(0).stdout_text();
    let ratio = text.split(' ').nth(3).and_then(|ratio| ratio.parse::<f64>().ok()).expect("a ratio");
    assert!((ratio - body.len() as f64 / sent as f64).abs() < 0.01, "{text}");
    assert!(text.starts_with(&format!("ok50000 {sent} gzip ")) && text.ends_with(" 2"), "{text}");
}

#[test]
fn json_holds_curls_keys_and_ours() {
    let server = Server::answering(OK);
    let output = gzpost().stdin(chat(5000)).args(["-o", "answer", "-w", "%{json}", &server.url("/v1"), "-"]).run();
    let json: serde_json::Value = serde_json::from_slice(&output.assert_code(0).stdout).expect("JSON");
    assert_eq!(json["http_code"], 200);
    assert_eq!(json["method"], "POST");
    assert_eq!(json["url"], server.url("/v1"));
    assert_eq!(json["remote_port"], server.port());
    assert_eq!(json["content_coding"], "gzip");
    assert_eq!(json["size_body"], 5000);
    assert_eq!(json["num_connects"], 1);
    for moment in MOMENTS {
        assert!(json[format!("time_{moment}")].is_number(), "{moment}: {json}");
    }
}

#[test]
fn the_block_shows_what_happened_in_order() {
    let server = Server::answering(OK);
    let output = gzpost().stdin(chat(50_000)).args([&server.url("/"), "-"]).run();
    let sent = server.finish().content.len();
    let block = block(output.assert_code(0));
    let expected = ["time_namelookup", "time_connect", "time_posttransfer", "time_starttransfer", "time_total"];
    assert_eq!(labels(&block), expected);
    let ratio = 50_000.0 / sent as f64;
    assert_eq!(block[2].1, format!("50000 -> {sent} bytes gzip, {ratio:.2}x"));
    assert_eq!(block[3].1, "200");
}

#[test]
fn the_block_names_tls_and_counts_tokens() {
    let authority = Authority::new();
    let server = Server::tls(&authority, &Tls::default(), |mut conn| {
        conn.read_request();
        conn.write(EVENTS);
        conn.write_chunk(delta("one"));
        conn.write_chunk(delta("two"));
        conn.write_chunk("data: [DONE]\n\n");
        conn.write_chunk("");
    });
    let program = gzpost().arg("--cacert").arg(authority.file()).args(["-o", "answer", "-d", "{}"]);
    let output = program.arg(server.url("/")).run();
    let block = block(output.assert_code(0));
    assert_eq!(
        labels(&block)[2..],
        ["time_appconnect", "time_posttransfer", "time_starttransfer", "time_first_token", "time_total"]
    );
    assert!(block[2].1.starts_with("TLSv1.3 TLS_"), "{}", block[2].1);
    assert!(block[6].1.starts_with("~2 tokens"), "{}", block[6].1);
}

#[test]
fn the_block_is_there_on_failure_too() {
    let server = Server::answering("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nsome");
    let output = gzpost().arg(server.url("/")).run();
    output.assert_code(18).assert_stderr_has("time_starttransfer: ").assert_stderr_has("gzpost: (18) ");
    let output = gzpost().arg(format!("http://127.0.0.1:{}/", refused_port())).run();
    output.assert_code(7).assert_stderr_has("time_total: ").assert_stderr_lacks("time_connect: ");
}

#[test]
fn silence_and_a_format_of_the_users_leave_the_block_out() {
    for options in [&["-s"][..], &["-sS"], &["-w", "%{http_code}"], &["-w", ""]] {
        let server = Server::answering(OK);
        let output = gzpost().args(options).arg(server.url("/")).run();
        assert_eq!(output.assert_code(0).stderr_text(), "", "{options:?}");
    }
}

#[test]
fn signals_end_it_with_the_moments_reached() {
    for (signal, code) in [(Signal::INT, 130), (Signal::TERM, 143)] {
        let (opener, gate) = gate();
        let server = Server::start(move |mut conn| {
            conn.read_request();
            conn.write("HTTP/1.1 200 OK\r\n\r\nsome");
            conn.read_to_end();
            gate.wait();
        });
        let mut running = gzpost().arg(server.url("/")).spawn();
        running.wait_for_stdout("some");
        running.signal(signal);
        let output = running.finish();
        // A shell ends its loop for what died of the signal, not for a code.
        output.assert_code(code).assert_signal(code - 128).assert_stdout("some");
        output.assert_stderr_has("time_starttransfer: ").assert_stderr_has("time_total: ");
        opener.open();
    }
}

#[test]
fn waiting_shows_a_live_line_on_a_terminal_only() {
    let (opener, gate) = gate();
    let server = Server::start(move |mut conn| {
        conn.read_request();
        gate.wait();
        conn.write(OK);
    });
    let mut running = gzpost().terminal(Terminal::Stderr).arg(server.url("/")).spawn();
    running.wait_for_stderr("waiting");
    opener.open();
    let output = running.finish();
    output.assert_code(0).assert_stdout("ok").assert_stderr_has("time_total: ");
}

#[test]
fn bars_are_for_terminals() {
    let server = Server::many(|_, mut conn| {
        conn.read_request();
        conn.write(OK);
    });
    let on_terminal = gzpost().terminal(Terminal::Stderr).arg(server.url("/")).run().stderr_text();
    let on_pipe = gzpost().arg(server.url("/")).run().stderr_text();
    let last = |text: &str| text.lines().last().map(|line| line.trim_end().chars().count());
    assert!(last(&on_terminal) > last(&on_pipe), "{on_terminal}\n{on_pipe}");
    assert!(on_pipe.is_ascii() && !on_pipe.contains('\x1b'), "{on_pipe}");
}

#[test]
fn messages_do_not_continue_the_answers_last_line_on_a_terminal() {
    for (more, expected) in [(&[][..], "\n    time_namelookup: "), (&["-s"], ""), (&["-w", ""], "")] {
        let server = Server::answering(OK);
        let said = Shared::default();
        let mut answer = Vec::new();
        let mut context = Context {
            stdin: &mut std::io::empty(),
            stdout: &mut answer,
            stderr: Stderr::new(Box::new(said.clone())),
            stderr_terminal: Some(TerminalFacts::default()),
            stdout_terminal: Some(TerminalFacts::default()),
            stdout_is_file: false,
            signals: None,
        };
        let url = server.url("/");
        let words: Vec<_> = more.iter().copied().chain([url.as_str()]).map(Into::into).collect();
        assert_eq!(::gzpost::run(&words, &mut context), 0);
        assert_eq!(answer, b"ok");
        let said = String::from_utf8(said.0.lock().expect("one thread").clone()).expect("text");
        assert!(said.starts_with(expected) && said.is_empty() == expected.is_empty(), "{said:?}");
    }
}

/// A writer whose bytes can be looked at from outside.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("one thread").write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
