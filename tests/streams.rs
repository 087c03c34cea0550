//! Streamed answers: every fixture through the whole program.

#[path = "fixtures/streams/cases.rs"]
mod cases;
mod contents;
mod errors;
mod live;
mod moments;
mod text;

use crate::server::{Conn, Server, read_file};
use cases::{Case, End};

impl Case {
    fn bytes(&self) -> Vec<u8> {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/streams");
        read_file(&folder.join(self.file))
    }

    /// The head of an answer in chunks, with the type that such answers come with.
    fn head(&self) -> String {
        let kind = match self.file.rsplit_once('.') {
            Some((_, "sse")) => "text/event-stream",
            Some((_, "ndjson")) => "application/x-ndjson",
            _ => "application/json",
        };
        format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nTransfer-Encoding: chunked\r\n\r\n")
    }

    /// The content cut behind every event: behind its blank line, or behind its closing brace.
    fn events(&self) -> Vec<Vec<u8>> {
        let ends = match self.file.rsplit_once('.') {
            Some((_, "sse")) => ["\r\n\r\n", "\n\n"],
            Some((_, "ndjson")) => ["}\n", "}\n"],
            _ => ["\n}", "\n}"],
        };
        let bytes = self.bytes();
        let mut rest = std::str::from_utf8(&bytes).expect("a fixture in UTF-8");
        let mut events = Vec::new();
        while let Some(end) = ends.iter().filter_map(|end| Some(rest.find(end)? + end.len())).min() {
            events.push(rest.as_bytes()[..end].to_vec());
            rest = &rest[end..];
        }
        events.extend(Some(rest.as_bytes().to_vec()).filter(|rest| !rest.is_empty()));
        events
    }

    /// The number of the event that holds this text, from 0.
    fn event_with(&self, mark: &str) -> Option<usize> {
        let holds = |event: &Vec<u8>| String::from_utf8_lossy(event).contains(mark);
        self.events().iter().position(holds).filter(|_| !mark.is_empty())
    }

    /// Whether something is wrong with it under `--text`.
    fn fails_as_text(&self) -> bool {
        self.is_wrong() || self.file.starts_with("unknown")
    }

    /// Whether something is wrong with it: an error inside, or no end.
    fn is_wrong(&self) -> bool {
        self.error.is_some() || self.end == End::Missing
    }

    /// What is said about it when something is.
    fn problem(&self) -> String {
        match self.error {
            Some(error) => format!("the answer holds an error: {error}"),
            None => "the stream ended without its end mark: something cut it off".to_owned(),
        }
    }
}

/// A server that sends this answer in chunks, each of them given to `released` before the next.
fn serve(
    head: String,
    chunks: impl IntoIterator<Item = Vec<u8>> + Send + 'static,
    released: impl Fn(usize) + Send + 'static,
) -> Server {
    Server::start(move |mut conn| {
        conn.read_request();
        conn.write(head);
        for (number, chunk) in chunks.into_iter().enumerate() {
            conn.write_chunk(chunk);
            released(number);
        }
        conn.write_chunk("");
    })
}

/// A server that sends this answer whole, in one chunk.
fn serve_whole(case: &Case) -> Server {
    serve(case.head(), [case.bytes()], |_| ())
}

/// Sends the beginning of an answer and closes, which breaks its framing.
fn cut(mut conn: Conn, head: &str, chunks: &[Vec<u8>]) {
    conn.read_request();
    conn.write(head);
    for chunk in chunks {
        conn.write_chunk(chunk);
    }
}
