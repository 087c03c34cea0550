//! When the moments of events and tokens are stamped: by presence and order, never by magnitude.

use super::cases::CASES;
use super::{cut, serve_whole};
use crate::program::{Terminal, gzpost};
use crate::sample::{EVENTS, delta};
use crate::server::{Server, gate};

const FORMAT: &str = "%{time_starttransfer} %{time_first_event} %{time_first_token} %{time_last_token} %{time_total}";

/// The moments that such a format printed.
fn moments(text: &str) -> [f64; 5] {
    let moments: Vec<f64> = text.split(' ').map(|moment| moment.parse().expect("seconds")).collect();
    moments.try_into().expect("five moments")
}

#[test]
fn a_moment_is_stamped_by_its_event_and_by_none_before_it() {
    for case in CASES {
        let events = case.events();
        let marks = [case.first_event, case.first_token].map(|mark| case.event_with(mark));
        // The stream is cut in front of each event that matters, and behind it.
        let mut ends: Vec<usize> = marks.iter().flatten().flat_map(|&mark| [mark, mark + 1]).collect();
        ends.push(events.len());
        ends.dedup();
        for end in ends {
            let (head, sent) = (case.head(), events[..end].to_vec());
            let server = Server::start(move |conn| cut(conn, &head, &sent));
            let output = gzpost().args(["-s", "-o", "answer", "-w", FORMAT, &server.url("/")]).run();
            let [start, first_event, first_token, last_token, total] = moments(&output.assert_code(18).stdout_text());
            let name = format!("{} cut behind {end} events", case.file);
            let [event_expected, token_expected] = marks.map(|mark| mark.is_some_and(|mark| mark < end));
            assert_eq!([first_event > 0.0, first_token > 0.0], [event_expected, token_expected], "{name}");
            assert_eq!(last_token > 0.0, token_expected, "{name}");
            let mut reached = vec![start, first_event, first_token, last_token, total];
            reached.retain(|&moment| moment > 0.0);
            assert!(start > 0.0 && total > 0.0 && reached.is_sorted(), "{name}: {reached:?}");
        }
    }
}

#[test]
fn every_figure_is_in_the_format_in_json_and_in_the_block() {
    for case in CASES {
        let format = "%{num_tokens} %{tokens_source} %{tokens_burst} %{stderr}%{json}";
        let output = gzpost().args(["-s", "-o", "answer", "-w", format, &serve_whole(case).url("/")]).run();
        let json: serde_json::Value = serde_json::from_slice(&output.assert_code(0).stderr).expect("JSON");
        let source = if case.reported { "usage" } else { "events" };
        match case.tokens {
            None => output.assert_stdout("0  0 "),
            Some((count, ..)) => output.assert_stdout(format!("{count} {source} 0 ")),
        };
        let streamed = !case.first_event.is_empty();
        assert_eq!(json["num_tokens"].as_u64(), case.tokens.map(|tokens| tokens.0), "{}", case.file);
        assert_eq!(json["tokens_source"].as_str(), case.tokens.map(|_| source), "{}", case.file);
        assert_eq!(json["time_first_event"].is_number(), streamed, "{}", case.file);
        assert_eq!(json["time_first_token"].is_number(), !case.first_token.is_empty(), "{}", case.file);
        let token_events = case.tokens.map_or(0, |tokens| tokens.1);
        for gap in ["time_longest_gap", "time_median_gap"] {
            assert_eq!(json[gap].is_number(), token_events > 1, "{} {gap}", case.file);
        }

        let output = gzpost().args(["-o", "answer", &serve_whole(case).url("/")]).run();
        let block = output.stderr_text();
        let total = block.lines().last().expect("a line");
        match case.tokens.filter(|tokens| tokens.0 > 0) {
            None => assert!(!total.contains("token"), "{total}"),
            Some((count, ..)) => {
                let mark = if case.reported { "  " } else { "~" };
                let noun = if count == 1 { "token" } else { "tokens" };
                assert!(total.contains(&format!("{mark}{count} {noun}")), "{} {total}", case.file);
            }
        }
        assert_eq!(block.contains("time_first_token: "), !case.first_token.is_empty(), "{block}");
    }
}

#[test]
fn an_answer_that_was_held_back_is_a_burst_without_a_rate() {
    let format = "%{tokens_burst} %{tokens_per_second} %{num_tokens}";
    let started = [&[][..], &["-w", format]].map(|options| {
        let (opener, gate) = gate();
        let server = Server::start(move |mut conn| {
            conn.read_request();
            conn.write(EVENTS);
            // The wait is one for the live line, so it is a second at least.
            gate.wait();
            conn.write_chunk(delta("word ").repeat(50) + "data: [DONE]\n\n");
            conn.write_chunk("");
        });
        let program = gzpost().terminal(Terminal::Stderr).args(["-o", "answer", &server.url("/")]);
        (program.args(options).spawn(), opener, server)
    });
    let [block, format] = started.map(|(mut running, opener, _server)| {
        running.wait_for_stderr("waiting");
        opener.open();
        running.finish()
    });
    let said = "~50 tokens\r\nevents arrived in one burst: something on the way buffers the stream\r\n";
    block.assert_code(0).assert_stderr_has(said);
    format.assert_code(0).assert_stdout("1 0.00 50");
}

#[test]
fn moments_belong_to_the_last_attempt_and_to_the_last_answer() {
    // Tokens in what was redirected or refused are nobody's.
    for (status, option) in [("503 Busy", "--retry"), ("307 Elsewhere\r\nLocation: /next", "--max-redirs")] {
        let server = Server::many(move |number, mut conn| {
            conn.read_request();
            let events = delta("one").repeat(3);
            let head = if number == 0 { status } else { "200 OK" };
            let content = if number == 0 { events } else { ": nothing\n\n".to_owned() };
            let length = content.len();
            conn.write(format!(
                "HTTP/1.1 {head}\r\nContent-Type: text/event-stream\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{content}"
            ));
        });
        let program = gzpost().args(["-s", "-L", option, "1", "-o", "answer", "-d", "{}"]);
        let output = program.args(["-w", &format!("{FORMAT}|%{{num_tokens}}|%{{http_code}}"), &server.url("/")]).run();
        let text = output.assert_code(0).stdout_text();
        let (times, rest) = text.split_once('|').expect("two parts");
        let [start, first_event, first_token, last_token, _] = moments(times);
        assert!(start > 0.0 && first_event + first_token + last_token == 0.0, "{text}");
        assert_eq!(rest, "0|200", "{option}");
        assert_eq!(server.finish_all().len(), 2);
    }
}

#[test]
fn moments_after_a_redirect_count_from_the_start() {
    let server = Server::many(move |number, mut conn| {
        conn.read_request();
        if number == 0 {
            conn.write("HTTP/1.1 307 On\r\nLocation: /next\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
        } else {
            conn.write(EVENTS);
            conn.write_chunk(delta("one") + "data: [DONE]\n\n");
            conn.write_chunk("");
        }
    });
    let output = gzpost().args(["-s", "-L", "-o", "answer", "-d", "{}", "-w", FORMAT, &server.url("/")]).run();
    let moments = moments(&output.assert_code(0).stdout_text());
    assert!(moments[0] > 0.0 && moments.is_sorted(), "{moments:?}");
}
