//! On a terminal: the live line while there is nothing else to see, and the bars when all is over.

use std::fs::File;
use std::process::Stdio;

use rustix::process::Signal;

use crate::program::{Output, Program, Running, Terminal, gzpost, screen};
use crate::sample::{EVENTS, delta};
use crate::server::{Gate, Opener, Server, gate};

const ROLE: &str = "data: {\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\n\n";
const DONE: &str = "data: [DONE]\n\n";

/// A server that sends the parts of a streamed answer and waits for the gate in front of each.
fn gated(parts: Vec<String>, gate: Gate) -> Server {
    Server::start(move |mut conn| {
        conn.read_request();
        for (number, part) in parts.into_iter().enumerate() {
            gate.wait();
            if number == 0 {
                conn.write(EVENTS);
            }
            conn.write_chunk(part);
        }
        conn.write_chunk("");
    })
}

/// Waits for the live line, lets the only part of the answer go, and waits for the end.
#[track_caller]
fn finish(mut running: Running, opener: &Opener) -> Output {
    running.wait_for_stderr("waiting");
    opener.open();
    running.finish()
}

/// The lines that are left of the timing block, whose first one this is.
#[track_caller]
fn assert_block(lines: &[String]) {
    let labels: Vec<_> = lines.iter().filter_map(|line| Some(line.split_once(": ")?.0.trim_start())).collect();
    let expected = ["time_namelookup", "time_connect", "time_starttransfer", "time_first_token", "time_total"];
    let mut known = labels.clone();
    known.retain(|label| *label != "time_posttransfer");
    assert_eq!((labels.len(), &known[..]), (lines.len(), &expected[..]), "{lines:#?}");
}

#[test]
fn the_live_line_counts_tokens_beside_a_file_and_leaves_no_trace() {
    let to_file = |program: Program| program.args(["-o", "answer"]);
    let redirected = |program: Program| {
        let file = File::create("/dev/null").expect("a device that shows nothing");
        program.stdout(Stdio::from(file))
    };
    let started = [to_file, redirected].map(|arrange| {
        let (opener, gate) = gate();
        let server = gated(vec![ROLE.into(), delta("one"), delta("two") + &delta("three"), DONE.into()], gate);
        (arrange(gzpost().terminal(Terminal::Stderr)).arg(server.url("/")).spawn(), opener, server)
    });
    for (mut running, opener, _server) in started {
        for said in ["s\u{1b}[K", " B received\u{1b}[K", ", ~1 token\u{1b}[K", ", ~3 tokens\u{1b}[K"] {
            running.wait_for_stderr(said);
            opener.open();
        }
        let output = running.finish();
        output.assert_code(0);
        assert_block(&screen(&output.stderr_text(), 80));
    }
}

#[test]
fn the_live_line_ends_where_the_answer_begins_on_the_same_terminal() {
    let cases =
        [(&[][..], &["data: {", "", "data: [DONE]", ""][..]), (&["--text"], &["one"]), (&["-i"], &["HTTP/1.1 200 OK"])];
    let started = cases.map(|(options, shown)| {
        let (opener, gate) = gate();
        let server = gated(vec![delta("one") + DONE], gate);
        let running = gzpost().terminal(Terminal::Both).args(options).arg(server.url("/")).spawn();
        (running, opener, server, shown)
    });
    for (running, opener, _server, shown) in started {
        let output = finish(running, &opener);
        let lines = screen(&output.assert_code(0).stderr_text(), 200);
        for (line, start) in lines.iter().zip(shown) {
            assert!(line.starts_with(start), "{start:?} in {lines:#?}");
        }
        assert_block(&lines[lines.len() - 6..]);
        assert!(!lines.join("").contains("waiting"), "{lines:#?}");
    }
}

#[test]
fn it_stays_while_the_answer_has_no_text_yet() {
    let (opener, gate) = gate();
    let server = gated(vec![ROLE.into(), delta("one") + DONE], gate);
    let mut running = gzpost().terminal(Terminal::Both).args(["--text", &server.url("/")]).spawn();
    for said in ["waiting", "received"] {
        running.wait_for_stderr(said);
        opener.open();
    }
    let lines = screen(&running.finish().assert_code(0).stderr_text(), 80);
    assert_eq!(lines[0], "one");
    assert_block(&lines[1..]);
}

/// Runs into `--max-time`, later than the live line would be there; the answer has begun or not.
fn wait_in_vain(program: Program, begun: bool) -> (Running, Server) {
    let server = Server::start(move |mut conn| {
        conn.read_request();
        if begun {
            conn.write(EVENTS);
            conn.write_chunk(delta("one"));
        }
        conn.read_to_end();
    });
    (program.args(["-m", "1.3", &server.url("/")]).spawn(), server)
}

#[test]
fn it_is_never_there_on_a_pipe_in_silence_or_beside_an_answer() {
    let on = |terminal| gzpost().terminal(terminal);
    let waits = [
        (gzpost(), false, false),
        (on(Terminal::Stdout), false, false),
        (on(Terminal::Stderr).arg("-s"), false, false),
        (on(Terminal::Stderr).args(["--stderr", "file"]), false, false),
        (on(Terminal::Both), true, false),
        (on(Terminal::Both).args(["-D", "-", "-o", "answer"]), true, false),
        (on(Terminal::Both).args(["-o", "/dev/stdout"]), true, false),
        // A reader such as `tee` may show it on the same terminal.
        (on(Terminal::Stderr), true, false),
        (on(Terminal::Stderr).arg("--text"), true, false),
        // The same wait where the line belongs.
        (on(Terminal::Both), false, true),
        (on(Terminal::Stderr).arg("-w "), false, true),
        (on(Terminal::Both).args(["-o", "answer"]), true, true),
    ];
    let running: Vec<_> = waits.into_iter().map(|(wait, begun, there)| (wait_in_vain(wait, begun), there)).collect();
    for ((running, server), there) in running {
        let output = running.finish();
        output.assert_code(28);
        let seen = output.stderr_text() + &output.stdout_text();
        assert_eq!(seen.contains("waiting"), there, "{}", output.describe());
        server.finish();
    }
}

#[test]
fn an_interrupt_takes_it_away_and_prints_the_timing() {
    let server = Server::start(|mut conn| {
        conn.read_request();
        conn.read_to_end();
    });
    let mut running = gzpost().terminal(Terminal::Both).arg(server.url("/")).spawn();
    running.wait_for_stderr("waiting");
    running.signal(Signal::INT);
    let output = running.finish();
    let lines = screen(&output.assert_code(130).stderr_text(), 80);
    assert_eq!(lines[0], "gzpost: (130) interrupted", "{lines:#?}");
    assert!(
        lines[1].starts_with("    time_namelookup: ") && lines.last().is_some_and(|line| line.contains("time_total: "))
    );
}

#[test]
fn lines_of_verbose_and_warnings_do_not_mix_with_it() {
    let (opener, gate) = gate();
    let server = gated(vec![delta("one")], gate);
    let program = gzpost().terminal(Terminal::Stderr).args(["-v", "-o", "answer", &server.url("/")]);
    let output = finish(program.spawn(), &opener);
    let lines = screen(&output.assert_code(0).stderr_text(), 200);
    let starts = ["* ", "> ", "< ", "gzpost: warning: ", " "];
    let known = |line: &String| matches!(&line[..], ">" | "<") || starts.iter().any(|start| line.starts_with(start));
    assert!(lines.iter().all(known) && !lines.join("").contains("waiting"), "{lines:#?}");
}

#[test]
fn another_attempt_has_its_own() {
    let (opener, gate) = gate();
    let gate = std::sync::Mutex::new(gate);
    let server = Server::many(move |number, mut conn| {
        conn.read_request();
        if number == 0 {
            conn.write("HTTP/1.1 503 Busy\r\nConnection: close\r\nContent-Length: 4\r\n\r\nbusy");
        } else {
            gate.lock().expect("one attempt at a time").wait();
            conn.write(EVENTS);
            conn.write_chunk(delta("one") + DONE);
            conn.write_chunk("");
        }
    });
    let program = gzpost().terminal(Terminal::Stderr).args(["--retry", "1", "-o", "answer", &server.url("/")]);
    let output = finish(program.spawn(), &opener);
    let lines = screen(&output.assert_code(0).stderr_text(), 80);
    assert_eq!(lines[0], "gzpost: warning: status 503; will retry in 1 s (1 left)");
    assert_block(&lines[1..]);
}

#[test]
fn a_plain_terminal_gets_ascii_without_escapes() {
    let cases =
        [("NO_COLOR", "1", true), ("TERM", "dumb", true), ("NO_COLOR", "", false), ("TERM", "xterm-256color", false)];
    let started = cases.map(|(name, value, plain)| {
        let (opener, gate) = gate();
        let server = gated(vec![ROLE.into(), delta("one") + DONE], gate);
        let program = gzpost().terminal(Terminal::Stderr).env(name, value).args(["-o", "answer", &server.url("/")]);
        (program.spawn(), opener, server, plain)
    });
    for (mut running, opener, _server, plain) in started {
        for said in ["waiting", "received"] {
            running.wait_for_stderr(said);
            opener.open();
        }
        let output = running.finish();
        let text = output.assert_code(0).stderr_text();
        assert_eq!(text.is_ascii() && !text.contains('\x1b'), plain, "{}", output.describe());
        let lines = screen(&text, 80);
        assert_block(&lines);
        assert_eq!(lines.iter().all(|line| line.contains('#')), plain, "{lines:#?}");
    }
}

#[test]
fn widths_from_narrow_to_wide() {
    let cases = [(20, None), (45, None), (60, Some(17)), (80, Some(37)), (0, Some(37)), (300, Some(40))];
    let started = cases.map(|(columns, bar)| {
        let (opener, gate) = gate();
        let server = gated(vec![delta("one") + DONE], gate);
        let program = gzpost().terminal_of(Terminal::Stderr, columns).args(["-o", "answer", &server.url("/")]);
        (program.spawn(), opener, server, columns, bar)
    });
    for (running, opener, _server, columns, bar) in started {
        let output = finish(running, &opener);
        let text = output.assert_code(0).stderr_text();
        let width = if columns == 0 { 80 } else { usize::from(columns) };
        for drawn in text.split('\r').filter(|drawn| drawn.starts_with("wait")) {
            // The last column stays free.
            assert!(drawn.trim_end_matches("\x1b[K").chars().count() < width, "{drawn:?} on {columns} columns");
        }
        let lines = screen(&text, 1000);
        assert_block(&lines);
        let bars: Vec<_> = lines.iter().map(|line| line.find(['█', '▏', '▎', '▍', '▌', '▋', '▊', '▉'])).collect();
        assert_eq!(bars.iter().all(Option::is_some), bar.is_some(), "{lines:#?}");
        let Some(bar) = bar else { continue };
        assert!(lines.iter().all(|line| line.chars().count() <= width), "{lines:#?}");
        // Each phase begins where the one before it ended, and the last one ends at the end of the scale.
        assert!(bars.is_sorted(), "{lines:#?}");
        let last = lines.last().expect("a line").split("~1 token").next().expect("a bar").trim_end().chars().count();
        assert_eq!(last, lines[0].find("s  ").expect("a time") + 3 + bar, "{lines:#?}");
        // Nearly all of the time went by before the gate was opened.
        let longest = lines.iter().max_by_key(|line| line.matches('█').count()).expect("a line");
        assert!(longest.contains("time_starttransfer: "), "{lines:#?}");
    }
}

#[test]
fn comments_that_keep_the_connection_alive_are_no_events() {
    let (opener, gate) = gate();
    let comment = || ": keep-alive\n\n".to_owned();
    let server = gated(vec![comment(), comment(), delta("one") + DONE], gate);
    let format = "%{time_starttransfer} %{time_first_event} %{time_first_token}";
    let program = gzpost().terminal(Terminal::Stderr).args(["-o", "answer", "-w", format, &server.url("/")]);
    let mut running = program.spawn();
    opener.open();
    // The line comes after a second, the comments before and after it.
    for said in ["14 B received", "28 B received"] {
        running.wait_for_stderr(said);
        opener.open();
    }
    let output = running.finish();
    let text = output.assert_code(0).stdout_text();
    let moments: Vec<f64> = text.split(' ').map(|moment| moment.parse().expect("seconds")).collect();
    assert!(
        moments[0] > 0.0 && moments[0] < moments[1] && moments[1] >= 1.0 && moments[1] <= moments[2],
        "{moments:?}"
    );
    assert_eq!(output.stderr_text().replace("\x1b[K", "").matches("token").count(), 0);
}
