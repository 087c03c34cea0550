//! Synthetic bodies: an agent's session that never happened, of any size and compressibility.

mod text;
mod words;

use std::collections::VecDeque;
use std::io::Write as _;
use std::ops::Range;

use flate2::Compression;
use flate2::write::GzEncoder;

use text::{Kind, Text};
use words::{SYSTEM, TOOLS};

use crate::random::Random;

/// Compressibility is the same all over a body, so it is tried on this much of it, in bytes.
const SAMPLE: usize = 256 * 1024;
/// Bodies of this size and more have a system prompt and tools, in bytes.
const FULL: usize = 16 * 1024;
/// As far back as gzip finds a text again, in bytes.
const WINDOW: usize = 32 * 1024;
/// Lines that can be repeated come from this much of the text before, in bytes: gzip finds all of them.
const NEAR: usize = 24 * 1024;

/// Calls of tools, as they stand in the JSON, and what comes back; they take turns, so that every stretch of a body
/// has the same mixture.
const CALLS: [(Kind, &str); 8] = [
    (Kind::Listing, r#"bash","arguments":"{\"command\":\"rg -n '$i' src | head -$d\"}""#),
    (Kind::Code, r#"read","arguments":"{\"path\":\"$f\"}""#),
    (Kind::Diff, r#"edit","arguments":"{\"path\":\"$f\",\"old\":\"$i($i)\",\"new\":\"$i($d) // $s\"}""#),
    (Kind::Log, r#"bash","arguments":"{\"command\":\"make test-$n 2>&1 | tail -$d\",\"timeout\":$D}""#),
    (Kind::Code, r#"read","arguments":"{\"path\":\"$f\",\"offset\":$d}""#),
    (Kind::Prose, r#"read","arguments":"{\"path\":\"docs/$n.md\",\"limit\":$d}""#),
    (Kind::Code, r#"bash","arguments":"{\"command\":\"git show $h:$f\"}""#),
    (Kind::Log, r#"bash","arguments":"{\"command\":\"git status --short $f\"}""#),
];

/// A chat-completions body of exactly `size` bytes that gzip -6 makes `ratio` times smaller, within about 5 %
/// from 32 KB on; compact, valid JSON that asks `model` for a stream.
///
/// The same arguments give the same bytes. Ratios between about 1.7 and 10 can be had; others become the nearest
/// of these. A body that is smaller than its own frame, some 120 bytes, is the frame.
#[must_use]
pub fn synthetic(model: &str, size: usize, ratio: f64, seed: u64) -> Vec<u8> {
    let sample = size.min(SAMPLE);
    // What the two ends are taken to compress to before anything was tried; only the first steps depend on it.
    let (mut low, mut high) = ((-0.98, 0.05), (1.0, 0.72));
    let wanted = 1.0 / ratio;
    let (mut best, mut distance) = (0.0, f64::INFINITY);
    for _ in 0..8 {
        let share = low.0 + (high.0 - low.0) * ((wanted - low.1) / (high.1 - low.1)).clamp(0.02, 0.98);
        let body = session(model, sample, share, seed);
        let got = left(&body, size);
        if (got - wanted).abs() < distance {
            (best, distance) = (share, (got - wanted).abs());
        }
        if distance < wanted * 0.005 {
            if sample == size {
                return body;
            }
            break;
        }
        *(if got < wanted { &mut low } else { &mut high }) = (share, got);
    }
    session(model, size, best, seed)
}

/// The share that gzip -6 leaves of a body of `size` bytes that goes on as its sample does; the start, before
/// gzip's window is full, compresses worse than the rest.
fn left(sample: &[u8], size: usize) -> f64 {
    let (start, whole) = (&sample[..sample.len().min(WINDOW)], gzip_size(sample) as f64);
    if size <= sample.len() {
        return whole / sample.len() as f64;
    }
    let pace = (whole - gzip_size(start) as f64) / (sample.len() - start.len()) as f64;
    (whole + pace * (size - sample.len()) as f64) / size as f64
}

fn gzip_size(body: &[u8]) -> usize {
    let mut encoder = GzEncoder::new(Vec::with_capacity(body.len() / 2), Compression::new(6));
    // Writing to a Vec does not fail.
    let _ = encoder.write_all(body);
    encoder.finish().map_or(0, |content| content.len())
}

/// A body whose compressibility follows `share`: from 0 to 1, the share of lines that do not compress; from 0 to
/// -1, the chance at each line that earlier ones come again, as when a file is read twice.
fn session(model: &str, size: usize, share: f64, seed: u64) -> Vec<u8> {
    let mut tail = br#"],"stream":true,"stream_options":{"include_usage":true}"#.to_vec();
    if size >= FULL {
        tail.extend_from_slice(br#","tools":"#);
        tail.extend_from_slice(TOOLS.as_bytes());
    }
    tail.push(b'}');
    let mut session = Session {
        out: Vec::with_capacity(size.max(256)),
        text: Text::new(seed),
        share,
        calls: 0,
        chances: Random::new(!seed),
        recent: VecDeque::new(),
        line: String::new(),
    };
    session.out.extend_from_slice(br#"{"model":"#);
    session.out.extend_from_slice(serde_json::Value::from(model).to_string().as_bytes());
    session.out.extend_from_slice(br#","messages":["#);
    let end = size.saturating_sub(tail.len());
    if size >= FULL {
        session.open(r#"{"role":"system","content":""#);
        session.escaped(SYSTEM);
        session.passage(Kind::Prose, 1_500, end);
        session.close();
        while end.saturating_sub(session.out.len()) > 4_000 {
            session.turn(end);
        }
    }
    session.finish(end);
    session.out.extend_from_slice(&tail);
    session.out
}

/// A body in the making.
struct Session {
    out: Vec<u8>,
    text: Text,
    share: f64,
    /// Tools called so far.
    calls: usize,
    /// Decides about `share`: the text stays nearly the same when the share changes.
    chances: Random,
    /// Where in `out` the last lines are.
    recent: VecDeque<Range<usize>>,
    line: String,
}

impl Session {
    /// A question now and then, an assistant that calls a tool, and what the tool returned.
    fn turn(&mut self, end: usize) {
        // What stands between passages is shorter than this.
        let end = end - 1_000;
        if self.text.random.below(5) == 0 {
            self.open(r#"{"role":"user","content":""#);
            self.passage(Kind::Prose, 400, end);
            self.close();
        }
        let thoughts = [150, 150, 300, 1_200][self.text.random.low(4)];
        self.open(r#"{"role":"assistant","content":""#);
        self.passage(Kind::Prose, thoughts, end);
        self.text.open_file();
        let (kind, call) = CALLS[self.calls % CALLS.len()];
        self.calls += 1;
        let mut id = String::new();
        self.text.fill("call_$h$h$h", &mut id);
        self.raw(r#"","tool_calls":[{"id":""#);
        self.raw(&id);
        self.raw(r#"","type":"function","function":{"name":""#);
        let mut filled = String::new();
        self.text.fill(call, &mut filled);
        self.raw(&filled);
        self.raw("}}]}");
        self.open(r#"{"role":"tool","tool_call_id":""#);
        self.raw(&id);
        self.raw(r#"","content":""#);
        let length = 400 + self.text.random.low(8_000);
        self.passage(kind, length, end);
        self.close();
    }

    /// The last question; it takes what is left to the byte.
    fn finish(&mut self, end: usize) {
        self.open(r#"{"role":"user","content":""#);
        let end = end.saturating_sub(2);
        self.passage(Kind::Prose, usize::MAX, end);
        self.line.clear();
        while self.out.len() + self.line.len() < end {
            self.text.fill("$w ", &mut self.line);
        }
        let left = end.saturating_sub(self.out.len());
        self.out.extend_from_slice(&self.line.as_bytes()[..left]);
        self.close();
    }

    fn raw(&mut self, json: &str) {
        self.out.extend_from_slice(json.as_bytes());
    }

    /// Starts a message, up to its content.
    fn open(&mut self, start: &str) {
        if self.out.last() == Some(&b'}') {
            self.out.push(b',');
        }
        self.raw(start);
    }

    fn close(&mut self) {
        self.raw("\"}");
    }

    /// Adds lines of a kind, about `length` bytes of them, and nothing behind `end`.
    fn passage(&mut self, kind: Kind, length: usize, end: usize) {
        let stop = self.out.len().saturating_add(length).min(end);
        while self.out.len() < stop {
            let chance = self.chances.below(10_000) as f64 / 10_000.0;
            if chance < -self.share && self.repeat(end) {
                continue;
            }
            self.line.clear();
            self.text.line(if chance < self.share { Kind::Noise } else { kind }, &mut self.line);
            self.line.push('\n');
            let start = self.out.len();
            let line = std::mem::take(&mut self.line);
            self.escaped(&line);
            self.line = line;
            if self.out.len() > end {
                self.out.truncate(start);
                return;
            }
            self.recent.push_back(start..self.out.len());
        }
    }

    /// Adds a few lines of shortly before again, if they end before `end`.
    fn repeat(&mut self, end: usize) -> bool {
        while self.recent.front().is_some_and(|line| line.start + NEAR < self.out.len()) {
            self.recent.pop_front();
        }
        if self.recent.is_empty() {
            return false;
        }
        let first = self.chances.below(self.recent.len());
        let count = self.chances.below(10) + 3;
        let length: usize = self.recent.range(first..).take(count).map(Range::len).sum();
        if self.out.len() + length > end {
            return false;
        }
        for line in self.recent.range(first..).take(count) {
            self.out.extend_from_within(line.clone());
        }
        true
    }

    /// Adds a text inside a JSON string.
    fn escaped(&mut self, text: &str) {
        for byte in text.bytes() {
            match byte {
                b'"' => self.out.extend_from_slice(b"\\\""),
                b'\\' => self.out.extend_from_slice(b"\\\\"),
                b'\n' => self.out.extend_from_slice(b"\\n"),
                byte => self.out.push(byte),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(body: &[u8]) -> f64 {
        body.len() as f64 / gzip_size(body) as f64
    }

    #[test]
    fn ratios_are_met_from_32_kb_on() {
        for (size, wanted) in [
            (32_768, 3.6),
            (32_768, 2.0),
            (131_072, 3.4),
            (131_072, 8.0),
            (377_000, 3.8),
            (377_000, 2.5),
            (2_780_000, 3.4),
            (2_780_000, 3.8),
        ] {
            for seed in 1..=3 {
                let body = synthetic("demo-model", size, wanted, seed);
                assert_eq!(body.len(), size);
                let error = ratio(&body) / wanted - 1.0;
                assert!(error.abs() < 0.05, "{size} bytes, ratio {wanted}, seed {seed}: off by {error:.3}");
            }
        }
    }

    #[test]
    fn a_body_is_an_agents_request() {
        let body = synthetic("demo-\"model\"", 100_000, 3.6, 7);
        let json: serde_json::Value = serde_json::from_slice(&body).unwrap();
        assert_eq!(json["model"], "demo-\"model\"");
        assert_eq!(json["stream"], true);
        assert_eq!(json["stream_options"]["include_usage"], true);
        assert_eq!(json["tools"].as_array().unwrap().len(), 3);
        let messages = json["messages"].as_array().unwrap();
        assert_eq!(messages[0]["role"], "system");
        assert_eq!(messages.last().unwrap()["role"], "user");
        let calls: Vec<_> = messages.iter().filter(|message| message["role"] == "assistant").collect();
        let results: Vec<_> = messages.iter().filter(|message| message["role"] == "tool").collect();
        assert!(results.len() > 10);
        for (call, result) in calls.iter().zip(&results) {
            let call = &call["tool_calls"][0];
            assert_eq!(call["id"], result["tool_call_id"]);
            let arguments = call["function"]["arguments"].as_str().unwrap();
            assert!(serde_json::from_str::<serde_json::Value>(arguments).unwrap().is_object());
        }
    }

    #[test]
    fn sizes_are_exact_and_the_json_is_valid_and_compact() {
        arbtest::arbtest(|u| {
            let size = u.int_in_range(0..=40_000)?;
            let share = f64::from(u.int_in_range(-100..=100)?) / 100.0;
            let body = session("demo-model", size, share, u.arbitrary()?);
            let json: Result<serde_json::Value, _> = serde_json::from_slice(&body);
            assert!(json.is_ok(), "{size} {share}: {json:?}");
            assert_eq!(body.len(), size.max(session("demo-model", 0, 0.0, 0).len()));
            assert!(!body.iter().any(u8::is_ascii_control));
            Ok(())
        })
        .budget_ms(500);
        assert!(synthetic("demo-model", 0, 3.6, 1).len() < 200);
    }

    #[test]
    fn the_same_arguments_give_the_same_bytes_and_others_do_not() {
        let body = synthetic("demo-model", 50_000, 3.6, 1);
        assert_eq!(body, synthetic("demo-model", 50_000, 3.6, 1));
        assert_ne!(body, synthetic("demo-model", 50_000, 3.6, 2));
        for ratio in [f64::NAN, f64::INFINITY, 0.0, -3.0] {
            assert_eq!(synthetic("demo-model", 2_000, ratio, 1).len(), 2_000);
        }
    }

    #[test]
    fn no_part_of_a_body_is_another_one_again() {
        let body = synthetic("demo-model", 1_000_000, 3.6, 1);
        let whole = gzip_size(&body);
        let halves: usize = body.chunks(500_000).map(gzip_size).sum();
        assert!(halves < whole + whole / 50, "{halves} in two halves, {whole} as one");
        // gzip sees 32 KB far: what lies further back has to be looked for.
        let (past, present) = body.split_at(900_000);
        let past: std::collections::HashSet<&[u8]> = past.chunks_exact(200).collect();
        assert!(present[..50_000].windows(200).all(|stretch| !past.contains(stretch)));
    }
}
