//! `--compressed` and `--max-filesize`: codings undone, broken ones, and bombs.

use std::io::Write;

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};

use crate::program::{Output, Program, gzpost};
use crate::sample::{both_schemes, chat, quiet, serve, trusting};
use crate::server::{Server, gzip};

fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).and_then(|()| encoder.finish()).expect("bytes in memory")
}

fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).and_then(|()| encoder.finish()).expect("bytes in memory")
}

fn answer(fields: &str, content: &[u8]) -> Vec<u8> {
    let mut answer = format!("HTTP/1.1 200 OK\r\n{fields}Content-Length: {}\r\n\r\n", content.len()).into_bytes();
    answer.extend(content);
    answer
}

/// The answer to `--compressed` with these codings.
#[track_caller]
fn decoded(codings: &str, content: &[u8]) -> Output {
    let server = Server::answering(answer(&format!("Content-Encoding: {codings}\r\n"), content));
    let output = quiet(&["--compressed", &server.url("/")]).run();
    assert_eq!(server.finish().field("accept-encoding"), Some("deflate, gzip"));
    output
}

#[test]
fn every_coding_is_undone() {
    let text = chat(100_000);
    let several = [gzip(&text[..500]), gzip(b""), gzip(&text[500..])].concat();
    for (codings, content) in [
        ("gzip", gzip(&text)),
        ("GZIP", gzip(&text)),
        ("x-gzip", gzip(&text)),
        ("gzip", several),
        ("deflate", zlib(&text)),
        ("deflate", deflate(&text)),
        ("identity", text.clone()),
        ("", text.clone()),
        ("deflate, gzip", gzip(&zlib(&text))),
        ("gzip\r\nContent-Encoding: gzip", gzip(&gzip(&text))),
        ("identity\r\nContent-Encoding: deflate", zlib(&text)),
    ] {
        assert!(decoded(codings, &content).assert_code(0).stdout == text, "{codings:?}");
    }
    decoded("gzip", b"").assert_code(0).assert_stdout("");
}

#[test]
fn what_is_broken_is_61_and_keeps_what_came_before() {
    let (text, member) = (chat(3000), gzip(&chat(3000)));
    let cut = |behind: usize| member[..member.len() - behind].to_vec();
    let with_crc = |crc: [u8; 8]| [&cut(8), &crc[..]].concat();
    for (codings, content, delivered) in [
        ("gzip", b"no gzip at all".to_vec(), 0),
        ("gzip", cut(1), 3000),
        ("gzip", cut(8), 3000),
        ("gzip", member[..5].to_vec(), 0),
        ("gzip", vec![0x1f], 0),
        ("gzip", with_crc([0; 8]), 3000),
        ("gzip", [&member[..], b"\0\0\0\0"].concat(), 3000),
        ("gzip", [&member[..], b"garbage"].concat(), 3000),
        ("gzip", text.clone(), 0),
        ("deflate", zlib(&text)[..20].to_vec(), 0),
        ("deflate", [&zlib(&text)[..], b"more"].concat(), 3000),
        ("deflate", vec![0x78], 0),
        ("gzip, gzip", member.clone(), 0),
        ("br", text.clone(), 0),
        ("gzip, zstd", text.clone(), 0),
        ("gzip, gzip, gzip, gzip, gzip, gzip", member.clone(), 0),
    ] {
        let output = decoded(codings, &content);
        output.assert_error(61);
        let came = &output.stdout;
        assert!(text.starts_with(came) && came.len() >= delivered, "{codings}: {}", output.describe());
    }
}

#[test]
fn codings_are_left_alone_unless_asked_for_and_where_there_is_no_content() {
    let member = gzip(b"text");
    let server = Server::answering(answer("Content-Encoding: gzip\r\n", &member));
    let output = quiet(&[&server.url("/")]).run();
    assert_eq!(server.finish().field("accept-encoding"), None);
    output.assert_code(0).assert_stdout(&member);
    for (option, head) in [
        ("-I", "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 24\r\n\r\n"),
        ("-i", "HTTP/1.1 204 No Content\r\nContent-Encoding: gzip\r\n\r\n"),
        ("-i", "HTTP/1.1 304 Not Modified\r\nContent-Encoding: gzip\r\n\r\n"),
    ] {
        let server = Server::answering(head);
        quiet(&["--compressed", option, &server.url("/")]).run().assert_code(0).assert_stdout(head);
    }
}

#[test]
fn a_streamed_coding_is_undone_as_it_comes() {
    let (opener, gate) = crate::server::gate();
    let server = Server::start(move |mut conn| {
        conn.read_request();
        conn.write("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n");
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        for event in ["data: 1\n\n", "data: 2\n\n"] {
            encoder.write_all(event.as_bytes()).and_then(|()| encoder.flush()).expect("bytes in memory");
            conn.write_chunk(std::mem::take(encoder.get_mut()));
            gate.wait();
        }
        conn.write_chunk(encoder.finish().expect("bytes in memory"));
        conn.write_chunk("");
    });
    let mut running = quiet(&["--compressed", &server.url("/")]).spawn();
    running.wait_for_stdout("data: 1\n\n");
    opener.open();
    running.wait_for_stdout("data: 1\n\ndata: 2\n\n");
    opener.open();
    running.finish().assert_code(0);
}

/// 256 MB from 1.2 MB, or from a few hundred bytes where it is coded twice, in an address space of 80 MB.
#[test]
fn a_bomb_goes_off_in_constant_memory() {
    const SIZE: usize = 256 << 20;
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    let zeros = vec![0; 1 << 20];
    (0..SIZE >> 20).try_for_each(|_| encoder.write_all(&zeros)).expect("bytes in memory");
    let bomb = encoder.finish().expect("bytes in memory");
    for (codings, content) in [("gzip", bomb.clone()), ("gzip, gzip", gzip(&bomb))] {
        let server = Server::answering(answer(&format!("Content-Encoding: {codings}\r\n"), &content));
        let program =
            Program::new("sh").args(["-c", "ulimit -v 80000; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_gzpost")]);
        let format = "%{size_download} %{size_delivered}";
        let output = program.args(["-sS", "--compressed", "-o", "/dev/null", "-w", format, &server.url("/")]).run();
        output.assert_code(0).assert_stdout(format!("{} {SIZE}", content.len()));
    }
}

/// 10 GB that arrive in a few reads are given up in the middle of one.
#[test]
fn a_limit_ends_an_answer_that_has_arrived_and_expands() {
    let content = gzip(&gzip(&vec![0; 16 << 20]).repeat(600));
    let server = Server::answering(answer("Content-Encoding: gzip, gzip\r\n", &content));
    let program = gzpost().args(["-sS", "--compressed", "-m", "0.3", "-o", "/dev/null", &server.url("/")]);
    program.run().assert_error(28);
}

#[test]
fn nothing_is_written_beyond_the_largest_size() {
    let chunked =
        |length: usize| format!("Transfer-Encoding: chunked\r\n\r\n{length:x}\r\n{}\r\n0\r\n\r\n", "x".repeat(length));
    let closing = |length: usize| format!("\r\n{}", "x".repeat(length));
    let announced = |length: usize| format!("Content-Length: {length}\r\n\r\n{}", "x".repeat(length));
    for authority in both_schemes() {
        let ask = |rest: String| {
            let server = serve(authority.as_ref(), move |mut conn| {
                conn.read_request();
                conn.offer(format!("HTTP/1.1 200 OK\r\n{rest}"));
            });
            trusting(authority.as_ref()).args(["--max-filesize", "1K", &server.url("/")]).run()
        };
        for (rest, written) in [(announced(1025), 0), (chunked(1025), 1024), (closing(100_000), 1024)] {
            ask(rest).assert_error(63).assert_stdout("x".repeat(written));
        }
        for rest in [announced(1024), chunked(1024), closing(1024)] {
            ask(rest).assert_code(0).assert_stdout("x".repeat(1024));
        }
    }
    // What counts is what is written.
    let server = Server::answering(answer("Content-Encoding: gzip\r\n", &gzip(&vec![b'x'; 100_000])));
    let output = quiet(&["--compressed", "--max-filesize", "1000", &server.url("/")]).run();
    output.assert_error(63).assert_stdout("x".repeat(1000));
}

#[test]
fn a_length_counts_for_the_largest_size_where_it_frames_the_content() {
    const CHUNKS: &str = "5\r\nhello\r\n0\r\n\r\n";
    for (status, fields, content, options, code) in [
        (200, "Content-Length: 5, 5", "hello", &[][..], 0),
        (200, "Content-Length: 100\r\nTransfer-Encoding: chunked", CHUNKS, &[], 0),
        (200, "Content-Length: 100", "hello", &["--ignore-content-length"], 0),
        (200, "Content-Length: 99999999999999999999", "hello", &["--ignore-content-length"], 0),
        (204, "Content-Length: 100", "", &[], 0),
        (304, "Content-Length: 100", "", &[], 0),
        (200, "Content-Length: 11, 11", "", &[], 63),
        (200, "Content-Length: 99999999999999999999", "hello", &[], 63),
        // What HEAD asks is how large it would be.
        (200, "Content-Length: 100", "", &["-I", "-o", "heads"], 63),
    ] {
        let server = Server::answering(format!("HTTP/1.1 {status} X\r\n{fields}\r\n\r\n{content}"));
        let output = quiet(&["--max-filesize", "10"]).args(options).arg(server.url("/")).run();
        let expected = if code == 0 && status == 200 { "hello" } else { "" };
        output.assert_code(code).assert_stdout(expected);
    }
}
