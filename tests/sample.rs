//! Bodies and answers that several tests use.

use std::fmt::Write;

use crate::program::{Program, gzpost};
use crate::server::{Authority, Conn, Server, Tls};

/// The program with errors only: no timing.
pub fn quiet(arguments: &[&str]) -> Program {
    gzpost().arg("-sS").args(arguments)
}

/// What has to hold over http and over https.
pub fn both_schemes() -> [Option<Authority>; 2] {
    [None, Some(Authority::new())]
}

/// A server of one connection, over TLS when there is an authority.
pub fn serve<T: Send + 'static>(
    authority: Option<&Authority>,
    script: impl FnOnce(Conn) -> T + Send + 'static,
) -> Server<T> {
    match authority {
        None => Server::start(script),
        Some(authority) => Server::tls(authority, &Tls::default(), script),
    }
}

/// `quiet`, trusting the authority.
pub fn trusting(authority: Option<&Authority>) -> Program {
    let program = quiet(&[]);
    match authority {
        None => program,
        Some(authority) => program.arg("--cacert").arg(authority.file()),
    }
}

/// The shortest answer with content.
pub const OK: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

/// The head of a streamed answer in chunks.
pub const EVENTS: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";

/// A chat completion request of exactly `length` bytes, at least 100, that compresses about as real ones do.
pub fn chat(length: usize) -> Vec<u8> {
    const HEAD: &str = r#"{"model":"test-model","messages":[{"role":"user","content":""#;
    const TAIL: &str = r#""}],"stream":true}"#;
    const WORDS: [&str; 8] = ["the ", "relay ", "reads ", "every ", "byte ", "of a ", "body, ", "slowly. "];
    let mut text = String::from(HEAD);
    let end = length.checked_sub(TAIL.len()).expect("room for the end");
    // A fixed sequence (Knuth's MMIX constants), mixed with hexadecimal words as identifiers have them.
    let mut state = 1_u64;
    while text.len() < end {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let number = state >> 33;
        match number % 4 {
            0 => write!(text, "{:x} ", number >> 8).expect("room in memory"),
            _ => text.push_str(WORDS[(number >> 4) as usize % WORDS.len()]),
        }
    }
    text.truncate(end);
    text.push_str(TAIL);
    text.into_bytes()
}

/// One event of a streamed chat completion with this text.
pub fn delta(text: &str) -> String {
    format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{text}\"}}}}]}}\n\n")
}
