//! The raw content: byte-exact and undelayed, whatever it is and however it is coded.

use std::io::Write;
use std::process::Stdio;

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};

use super::cases::CASES;
use super::serve;
use crate::program::gzpost;
use crate::sample::{EVENTS, delta};
use crate::server::gate;

#[test]
fn every_byte_is_out_before_the_next_chunk_is_released() {
    for case in CASES {
        // Each event in two chunks, cut wherever its middle is: within lines, fields and characters.
        let halves = |event: Vec<u8>| {
            let middle = event.len() / 2;
            [event[..middle].to_vec(), event[middle..].to_vec()]
        };
        let chunks: Vec<Vec<u8>> = case.events().into_iter().flat_map(halves).filter(|half| !half.is_empty()).collect();
        let (opener, gate) = gate();
        let server = serve(case.head(), chunks.clone(), move |_| gate.wait());
        let mut running = gzpost().args(["-s", &server.url("/")]).spawn();
        let mut expected = Vec::new();
        for chunk in chunks {
            expected.extend(chunk);
            running.wait_for_stdout(&expected);
            opener.open();
        }
        running.finish().assert_code(0).assert_stdout(case.bytes());
    }
}

/// Each event as the next piece of one compressed stream, flushed.
macro_rules! flushed {
    ($encoder:ident, $events:expr) => {{
        let mut encoder = $encoder::new(Vec::new(), Compression::default());
        let mut pieces: Vec<Vec<u8>> = Vec::new();
        for event in $events {
            encoder.write_all(event.as_bytes()).and_then(|()| encoder.flush()).expect("room in memory");
            pieces.push(std::mem::take(encoder.get_mut()));
        }
        pieces.push(encoder.finish().expect("room in memory"));
        pieces
    }};
}

#[test]
fn a_compressed_stream_is_undone_event_by_event() {
    let events: Vec<String> =
        ["one", " two", " 🌍"].map(delta).into_iter().chain(["data: [DONE]\n\n".into()]).collect();
    for (coding, pieces) in [
        ("gzip", flushed!(GzEncoder, &events)),
        ("deflate", flushed!(ZlibEncoder, &events)),
        ("deflate", flushed!(DeflateEncoder, &events)),
    ] {
        for (option, steps) in [("-s", events.clone()), ("--text", ["one", " two", " 🌍", ""].map(Into::into).to_vec())]
        {
            let head = EVENTS.replacen("\r\n", &format!("\r\nContent-Encoding: {coding}\r\n"), 1);
            let (opener, gate) = gate();
            let server = serve(head, pieces.clone(), move |_| gate.wait());
            let format = "%{stderr}%{num_tokens} %{size_download} %{size_delivered}";
            let program = gzpost().args(["--compressed", option, "-w", format, &server.url("/")]);
            let mut running = program.spawn();
            let mut expected = String::new();
            for step in steps {
                expected.push_str(&step);
                running.wait_for_stdout(&expected);
                opener.open();
            }
            opener.open();
            let (received, delivered) = (pieces.concat().len(), events.concat().len());
            let output = running.finish();
            output.assert_code(0).assert_stderr_has(&format!("3 {received} {delivered}"));
        }
    }
}

#[test]
fn events_of_any_size_pass() {
    // The second is larger than what the scanner keeps of an event: it passes unread, and its end mark is not missed.
    for (length, tokens) in [(5 << 20, 2), (17 << 20, 1)] {
        let text = "x".repeat(length);
        let chunks = [delta("a").into_bytes(), delta(&text).into_bytes(), b"data: [DONE]\n\n".to_vec()];
        let expected = chunks.concat();
        let server = serve(EVENTS.to_owned(), chunks.clone(), |_| ());
        let output = gzpost().args(["-f", "-w", "%{stderr}%{num_tokens}", &server.url("/")]).run();
        output.assert_code(0);
        assert!(output.stdout == expected, "{} bytes", output.stdout.len());
        assert_eq!(output.stderr_text(), tokens.to_string());
        let server = serve(EVENTS.to_owned(), chunks, |_| ());
        let output = gzpost().args(["-sS", "--text", &server.url("/")]).run();
        let seen = if tokens == 2 { format!("a{text}\n") } else { "a\n".to_owned() };
        assert!(output.assert_code(0).stdout == seen.as_bytes(), "{} bytes", output.stdout.len());
    }
}

#[test]
fn a_slow_reader_gets_everything_also_from_a_pipe_that_does_not_block() {
    for nonblocking in [false, true] {
        let content = delta("word ").repeat(30_000).into_bytes();
        let chunks: Vec<Vec<u8>> = content.chunks(1 << 18).map(<[u8]>::to_vec).collect();
        let server = serve(EVENTS.to_owned(), chunks, |_| ());
        let (mut reader, writer) = std::io::pipe().expect("a pipe");
        rustix::io::ioctl_fionbio(&writer, nonblocking).expect("a mode of a pipe");
        let running = gzpost().args(["-sS", &server.url("/")]).stdout(Stdio::from(writer)).spawn();
        // A byte at first: the rest waits in the pipe, in the program and in the server.
        let mut received = vec![0];
        std::io::Read::read_exact(&mut reader, &mut received).expect("a byte");
        std::io::Read::read_to_end(&mut reader, &mut received).expect("the rest");
        let output = running.finish();
        assert_eq!(
            output.assert_code(0).stderr_text(),
            "gzpost: warning: the stream ended without its end mark: something cut it off\n"
        );
        assert!(received == content, "{} bytes", received.len());
    }
}
