//! Bodies and answers that several tests use.

use std::fmt::Write;

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
