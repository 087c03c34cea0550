//! How fast does an answer come through, and how much later is an event? `cargo bench --bench stream`
//!
//! 200 MB in the framings of HTTP, to `/dev/null` and through a pipe, beside `curl -N`; then small events that are sent
//! one after the other, each when the one before has come out of the pipe.

#![allow(clippy::print_stdout, reason = "a bench has nobody else to tell")]

mod common;

use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;

use common::{Way, gzpost, installed, measure, ratio, server, spawning};
use gzpost::http::timing::Clock;
use gzpost::output::table::{self, Column};
use gzpost::stats;

/// An answer is this many blocks of a million bytes.
const BLOCKS: usize = 200;

/// Counted runs of each way.
const RUNS: usize = 7;

/// Events that are sent one by one.
const EVENTS: usize = 10_000;

/// Framing and content, as in the path and in the table.
const ANSWERS: [(&str, &str); 6] = [
    ("/length/bytes", "bytes, Content-Length"),
    ("/close/bytes", "bytes, until the end of the connection"),
    ("/chunks/bytes", "bytes, chunks of 16 KB"),
    ("/length/events", "chat events, Content-Length"),
    ("/close/events", "chat events, until the end of the connection"),
    ("/chunks/events", "chat events, one a chunk"),
];

fn main() {
    let curl = installed("curl");
    println!("{}", throughput(curl));
    println!("{}", delays(curl));
}

fn throughput(curl: bool) -> String {
    let url = server::http(respond);
    let mut rows = Vec::new();
    for (path, name) in ANSWERS {
        let target = format!("{url}{path}");
        for (to, piped) in [("/dev/null", false), ("a pipe", true)] {
            let way = |name, words: &[&str]| {
                let line = format!("'{}' | cat >/dev/null", words.join("' '"));
                Way { name, run: if piped { spawning(&["sh", "-c", &line]) } else { spawning(words) } }
            };
            let mut ways = vec![way("gzpost", &[gzpost(), "-s", &target])];
            if curl {
                ways.push(way("curl -N", &["curl", "-q", "-sSN", &target]));
            }
            let times = measure(&ways, 1, RUNS);
            let median = |way: usize| times.get(way).and_then(|times| stats::median(times));
            let speed = |way| median(way).map(|ms| format!("{:.0} MB/s", BLOCKS as f64 * 1e3 / ms)).unwrap_or_default();
            let faster = times.get(1).and_then(|curl| ratio(curl, &times[0]));
            let faster = faster.map(|ratio| format!("{ratio:.2}x")).unwrap_or_default();
            rows.push([name.to_owned(), to.to_owned(), speed(0), speed(1), faster]);
        }
    }
    let [answer, to] = ["200 MB of", "to"].map(|title| Column::left(title, 0));
    let speeds = ["gzpost", "curl -N", "as fast as curl"].map(|title| Column::right(title, 0));
    table::aligned(&[&[answer, to][..], &speeds].concat(), &rows)
}

fn respond(path: &str, out: &mut dyn Write) -> io::Result<bool> {
    let (kind, block) =
        if path.ends_with("events") { ("text/event-stream", events()) } else { ("application/octet-stream", bytes()) };
    let (field, pieces) = match path.split('/').nth(1) {
        Some("length") => (format!("Content-Length: {}", block.concat().len() * BLOCKS), block),
        Some("chunks") => ("Transfer-Encoding: chunked".to_owned(), block.iter().map(|piece| chunk(piece)).collect()),
        _ => ("Connection: close".to_owned(), block),
    };
    write!(out, "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\n{field}\r\n\r\n")?;
    let block = pieces.concat();
    for _ in 0..BLOCKS {
        out.write_all(&block)?;
    }
    if field.starts_with("Transfer") {
        out.write_all(b"0\r\n\r\n")?;
    }
    Ok(!field.starts_with("Connection"))
}

fn chunk(piece: &[u8]) -> Vec<u8> {
    [format!("{:x}\r\n", piece.len()).as_bytes(), piece, b"\r\n"].concat()
}

/// About a million bytes of no form that is known.
fn bytes() -> Vec<Vec<u8>> {
    let piece: Vec<u8> = (0..16_384_u32).map(|at| b'a' + (at.wrapping_mul(2_654_435_761) >> 28) as u8).collect();
    vec![piece; 1_000_000 / 16_384]
}

/// About a million bytes of events.
fn events() -> Vec<Vec<u8>> {
    (0..1_000_000 / event(0).len()).map(event).collect()
}

/// A chunk of chat completions; all are of the same length.
fn event(number: usize) -> Vec<u8> {
    let token = number % 1000;
    let event = format!(
        "data: {{\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1700000000,\"model\":\"demo-model\",\
         \"choices\":[{{\"index\":0,\"delta\":{{\"content\":\" {token:03}\"}},\"finish_reason\":null}}]}}\n\n"
    );
    event.into_bytes()
}

fn delays(curl: bool) -> String {
    let mut rows = vec![row("the socket itself", &straight())];
    rows.push(row("gzpost", &through(&[gzpost(), "-s"])));
    if curl {
        rows.push(row("curl -N", &through(&["curl", "-q", "-sSN"])));
    }
    let figures = ["p50", "p99", "max"].map(|title| Column::right(title, 0));
    table::aligned(&[&[Column::left("an event's delay through", 0)][..], &figures].concat(), &rows)
}

fn row(name: &str, delays: &[f64]) -> Vec<String> {
    let summary = stats::summary(delays).expect("delays");
    let figures = [summary.p50, summary.p99, summary.max].map(|ms| format!("{ms:.3} ms"));
    [&[name.to_owned()][..], &figures].concat()
}

/// Events through a program and its pipe.
fn through(words: &[&str]) -> Vec<f64> {
    let mut program = None;
    let delays = one_by_one(|address| {
        let mut command = Command::new(words[0]);
        command.args(&words[1..]).arg(format!("http://{address}/")).stdin(Stdio::null()).stdout(Stdio::piped());
        let program = program.insert(command.stderr(Stdio::null()).spawn().expect("a program to start"));
        Box::new(program.stdout.take().expect("its pipe"))
    });
    let ended = program.expect("a program").wait().expect("its end");
    assert!(ended.success(), "{words:?}: {ended}");
    delays
}

/// Events straight from the socket.
fn straight() -> Vec<f64> {
    one_by_one(|address| {
        let mut stream = TcpStream::connect(address).expect("a connection");
        stream.write_all(b"GET / HTTP/1.1\r\n\r\n").expect("a request sent");
        let mut head = [0; HEAD.len()];
        stream.read_exact(&mut head).expect("a head");
        Box::new(stream)
    })
}

const HEAD: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";

/// Milliseconds from the moment an event is sent to that when all of it has come out of what `open` opens.
fn one_by_one(open: impl FnOnce(&str) -> Box<dyn Read>) -> Vec<f64> {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("an address").to_string();
    let (ask, asked) = mpsc::channel();
    let (tell, sent) = mpsc::channel();
    let clock = Clock::start();
    let server = thread::spawn(move || {
        let (mut stream, _) = listener.accept()?;
        stream.set_nodelay(true)?;
        let mut request = Vec::new();
        while !request.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte)?;
            request.extend(byte);
        }
        stream.write_all(HEAD)?;
        for number in asked {
            let event = event(number);
            let _ = tell.send(clock.elapsed());
            stream.write_all(&event)?;
        }
        io::Result::Ok(())
    });
    let mut output = open(&address);
    let mut room = event(0);
    let mut delays = Vec::with_capacity(EVENTS);
    for number in 0..EVENTS {
        ask.send(number).expect("the server");
        output.read_exact(&mut room).expect("an event");
        let arrived = clock.elapsed();
        let sent = sent.recv().expect("the server");
        delays.push(arrived.saturating_sub(sent).as_secs_f64() * 1e3);
    }
    drop(ask);
    server.join().expect("the server").expect("its connection");
    // The first event waits for the start of the program.
    delays.split_off(1)
}
