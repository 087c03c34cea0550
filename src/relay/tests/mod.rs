//! The relay seen from a client that has nothing but a socket.

mod behaviour;
mod framing;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;

use super::{Behave, Config, MAX_CONNECTIONS, Relay, Shared};

/// Fast enough to cost nothing.
fn config() -> Config {
    Config { speed: 1e6, ..Config::default() }
}

fn relay(behave: Behave) -> Relay {
    Relay::start(&Config { behave, ..config() }).unwrap()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// A POST to the completions with these further field lines.
fn post(fields: &str, content: &[u8]) -> Vec<u8> {
    let length = content.len();
    let head = format!("POST /v1/chat/completions HTTP/1.1\r\nHost: relay\r\n{fields}Content-Length: {length}\r\n\r\n");
    [head.as_bytes(), content].concat()
}

fn get(target: &str) -> Vec<u8> {
    format!("GET {target} HTTP/1.1\r\nHost: relay\r\n\r\n").into_bytes()
}

/// What the relay says of `PLAIN` as this gzip.
fn arrived(content: &[u8]) -> String {
    format!("Your body of {} bytes arrived as {} bytes of gzip.", PLAIN.len(), content.len())
}

const GZIP: &str = "Content-Encoding: gzip\r\n";
const PLAIN: &[u8] = br#"{"model":"demo-model","messages":[{"role":"user","content":"hello"}]}"#;
const STREAM: &[u8] = br#"{"model":"demo-model","messages":[],"stream":true,"stream_options":{"include_usage":true}}"#;

/// A client that fails a test instead of hanging it.
struct Client(BufReader<TcpStream>);

/// An answer without its framing.
struct Answer {
    status: u16,
    /// In lower case.
    head: String,
    content: String,
}

impl Answer {
    fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.content).unwrap()
    }

    /// The text of a completion, which says what arrived.
    fn text(&self) -> String {
        self.json()["choices"][0]["message"]["content"].as_str().unwrap().to_owned()
    }

    /// The error's message.
    fn message(&self) -> String {
        self.json()["error"]["message"].as_str().unwrap().to_owned()
    }

    /// The data of a stream's events.
    fn events(&self) -> Vec<&str> {
        let events = self.content.strip_suffix("\n\n").unwrap().split("\n\n");
        events.map(|event| event.strip_prefix("data: ").unwrap()).collect()
    }
}

impl Client {
    fn new(relay: &Relay) -> Client {
        let stream = TcpStream::connect(relay.address()).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        Client(BufReader::new(stream))
    }

    fn send(&mut self, bytes: &[u8]) {
        self.0.get_mut().write_all(bytes).unwrap();
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.0.read_line(&mut line).unwrap();
        line
    }

    fn head(&mut self) -> (u16, String) {
        let mut head = self.line();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        while !head.ends_with("\r\n\r\n") {
            let line = self.line();
            assert!(!line.is_empty(), "the head ended early: {head}");
            head.push_str(&line);
        }
        (status, head.to_ascii_lowercase())
    }

    /// A chunk of a chunked answer; empty at the end.
    fn chunk(&mut self) -> String {
        let size = usize::from_str_radix(self.line().trim(), 16).unwrap();
        let chunk = self.exactly(size);
        assert_eq!(self.line(), "\r\n");
        chunk
    }

    fn exactly(&mut self, size: usize) -> String {
        let mut bytes = vec![0; size];
        self.0.read_exact(&mut bytes).unwrap();
        String::from_utf8(bytes).unwrap()
    }

    fn answer(&mut self) -> Answer {
        let (status, head) = self.head();
        let length = head.split_once("content-length: ").map(|(_, rest)| rest.split_once("\r\n").unwrap().0);
        let mut content = String::new();
        if let Some(length) = length {
            content = self.exactly(length.parse().unwrap());
        } else if head.contains("transfer-encoding: chunked\r\n") {
            loop {
                let chunk = self.chunk();
                if chunk.is_empty() {
                    break;
                }
                content.push_str(&chunk);
            }
        } else {
            self.0.read_to_string(&mut content).unwrap();
        }
        Answer { status, head, content }
    }

    fn ask(&mut self, request: &[u8]) -> Answer {
        self.send(request);
        self.answer()
    }

    /// Whether the relay closes; nothing may come before.
    fn closed(&mut self) -> bool {
        matches!(self.0.read(&mut [0]), Ok(0))
    }
}

/// Asks on a connection of its own.
fn ask(relay: &Relay, request: &[u8]) -> Answer {
    Client::new(relay).ask(request)
}
