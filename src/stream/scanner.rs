//! The scanner: it is fed what is written out, and knows what was said and when.

use std::time::Duration;

use super::event::EventStream;
use super::objects::Objects;
use super::pace::Pace;
use super::pattern::{self, Pattern};
use super::token::{Answer, Heard, is_complete};
use super::transcript::Piece;
use crate::http::Tokens;

/// Reads an answer as it arrives.
///
/// What the content is, is decided by its first bytes; the Content-Type field counts only where they leave it open.
/// Content that is neither an event stream nor JSON costs nothing, however long it is, nor does JSON of no known API.
/// At most about 16 MB are kept at any time.
#[derive(Debug)]
pub struct Scanner {
    form: Form,
    hint: Hint,
    seen: Seen,
}

/// What the content is.
#[derive(Debug)]
enum Form {
    /// The first bytes, white space dropped, do not tell yet: a handful.
    Undecided(Vec<u8>),
    EventStream(EventStream),
    /// NDJSON, one document, or the elements of an array.
    Json(Objects, Sequence),
    /// Nothing that is known, or the end.
    Idle,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sequence {
    Lines,
    Array,
}

/// What the Content-Type field says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Hint {
    EventStream,
    Lines,
    Other,
}

/// What was learnt.
#[derive(Debug, Default)]
struct Seen {
    answer: Answer,
    pace: Pace,
    pattern: Pattern,
    /// The start of an event that may follow the pattern.
    begun: Vec<u8>,
    first_event: Option<Duration>,
    events: u64,
    /// The answer came in one document.
    whole: bool,
    /// Something was too large to be read.
    skipped: bool,
}

impl Scanner {
    /// A scanner for content of that type; `text` says whether the pieces are wanted.
    #[must_use]
    pub fn new(content_type: Option<&str>, text: bool) -> Scanner {
        let content_type = content_type.unwrap_or_default().to_ascii_lowercase();
        let hint = match content_type.split(';').next().unwrap_or_default().trim() {
            "text/event-stream" => Hint::EventStream,
            kind if kind.contains("ndjson") || kind.contains("jsonl") => Hint::Lines,
            _ => Hint::Other,
        };
        let mut seen = Seen::default();
        seen.answer.transcript.wanted = text;
        Scanner { form: Form::Undecided(Vec::new()), hint, seen }
    }

    /// Reads the next bytes, which arrived at `now`.
    pub fn feed(&mut self, bytes: &[u8], now: Duration) {
        let seen = &mut self.seen;
        match &mut self.form {
            Form::Idle => {}
            Form::Undecided(head) => {
                head.extend_from_slice(bytes);
                let blank = head.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
                head.drain(..blank);
                if let Some(form) = form_of(head, self.hint) {
                    let head = std::mem::take(head);
                    self.form = form;
                    self.feed(&head, now);
                }
            }
            Form::EventStream(stream) => {
                seen.events(stream, bytes, now);
                seen.skipped = stream.skipped() > 0;
            }
            Form::Json(objects, sequence) => {
                // The first object tells what follows. NDJSON by its type goes on: its events are counted.
                let mut known = self.hint == Hint::Lines || seen.answer.recognised || seen.answer.error.is_some();
                let mut first = true;
                objects.feed(bytes, &mut |object| {
                    if known || std::mem::take(&mut first) {
                        known |= seen.object(object, *sequence, now, known);
                    }
                });
                seen.skipped = objects.skipped() > 0;
                if !known && (!first || seen.skipped) {
                    self.form = Form::Idle;
                }
            }
        }
    }

    /// The content has ended, at `now`, whole or not.
    pub fn finish(&mut self, now: Duration) {
        let seen = &mut self.seen;
        if let Form::EventStream(stream) = &mut self.form {
            stream.feed(&std::mem::take(&mut seen.begun), &mut |_, _| {});
            stream.finish(&mut |name, data| {
                if is_complete(data) {
                    let heard = seen.answer.read(name, data);
                    seen.at(heard, now);
                }
            });
        }
        self.form = Form::Idle;
        seen.answer.transcript.finish();
    }

    /// The pieces that were not taken yet, in their order; none unless they are wanted.
    pub fn take_pieces(&mut self) -> Vec<Piece> {
        std::mem::take(&mut self.seen.answer.transcript.pieces)
    }

    /// When the first event of a stream was complete.
    #[must_use]
    pub fn first_event(&self) -> Option<Duration> {
        self.seen.first_event
    }

    /// When the event with the first token of a stream was complete.
    #[must_use]
    pub fn first_token(&self) -> Option<Duration> {
        self.seen.pace.first
    }

    /// When the event with the last token of a stream so far was complete.
    #[must_use]
    pub fn last_token(&self) -> Option<Duration> {
        self.seen.pace.last
    }

    /// How many events carried a token so far.
    #[must_use]
    pub fn token_events(&self) -> u64 {
        self.seen.pace.token_events
    }

    /// Figures of a stream, or of a whole answer that reports its usage.
    ///
    /// A server's figure of 0 is that of a relay which does not count.
    #[must_use]
    pub fn tokens(&self) -> Option<Tokens> {
        let Seen { answer, pace, events, .. } = &self.seen;
        if *events == 0 && answer.usage.is_none() {
            return None;
        }
        let reported = answer.usage.filter(|&count| count > 0);
        Some(Tokens {
            count: reported.unwrap_or(pace.token_events),
            reported: reported.is_some(),
            unseen: if pace.token_events > 0 { answer.unseen() } else { 0 },
            token_events: pace.token_events,
            events: *events,
            longest_gap: pace.longest_gap,
            median_gap: pace.median_gap(),
            burst: pace.burst(),
        })
    }

    /// The error that the content reports, in one line.
    #[must_use]
    pub fn error(&self) -> Option<&str> {
        self.seen.answer.error.as_deref()
    }

    /// Whether the content is of an API that is known.
    #[must_use]
    pub fn recognised(&self) -> bool {
        self.seen.answer.recognised
    }

    /// Whether the content is a stream of an API that marks its end.
    #[must_use]
    pub fn end_expected(&self) -> bool {
        self.seen.answer.recognised && !self.seen.whole
    }

    /// Whether the end mark was there.
    #[must_use]
    pub fn end_seen(&self) -> bool {
        self.seen.answer.end_seen
    }

    /// Whether a stream ended without its end mark and without an error that explains it.
    #[must_use]
    pub fn cut_off(&self) -> bool {
        // The mark may have been in what was too large to be read.
        self.end_expected() && !self.end_seen() && self.error().is_none() && !self.seen.skipped
    }
}

impl Seen {
    /// Reads on in an event stream. Token events that follow a pattern are only counted, unless their texts are
    /// wanted.
    fn events(&mut self, stream: &mut EventStream, mut bytes: &[u8], now: Duration) {
        while !bytes.is_empty() {
            if !self.begun.is_empty() {
                bytes = self.go_on(stream, bytes, now);
            }
            let from_start = !self.answer.transcript.wanted && stream.between_events();
            if from_start {
                bytes = &bytes[self.repeats(bytes, now)..];
                if self.pattern.is_begun(bytes) {
                    self.begun.extend_from_slice(bytes);
                    return;
                }
            }
            let mut heard = Heard::default();
            let read = stream.feed(bytes, &mut |name, data| {
                heard = self.answer.read(name, data);
                self.at(heard, now);
            });
            let (event, rest) = bytes.split_at(read);
            if from_start && heard.token {
                self.pattern.learn(event);
            }
            bytes = rest;
        }
    }

    /// Counts the events that follow the pattern; returns the bytes that they take.
    fn repeats(&mut self, bytes: &[u8], now: Duration) -> usize {
        let (events, length) = self.pattern.repeats(bytes);
        self.events += events as u64;
        self.pace.tokens(events, now);
        length
    }

    /// Joins the event that was begun with what follows; returns what is left of that.
    fn go_on<'a>(&mut self, stream: &mut EventStream, bytes: &'a [u8], now: Duration) -> &'a [u8] {
        let mut begun = std::mem::take(&mut self.begun);
        let length = begun.len();
        begun.extend_from_slice(&bytes[..bytes.len().min(pattern::LARGE)]);
        let used = self.repeats(&begun, now);
        if used == 0 {
            stream.feed(&begun[..length], &mut |_, _| {});
        }
        &bytes[used.saturating_sub(length)..]
    }

    /// Whether the object is of a known shape, as the first one must be.
    fn object(&mut self, object: &[u8], sequence: Sequence, now: Duration, counted: bool) -> bool {
        let heard = self.answer.read(b"", object);
        self.whole = sequence == Sequence::Lines && self.events == 0 && heard.whole;
        if !self.whole && (heard.known || counted) {
            self.at(heard, now);
        }
        heard.known
    }

    fn at(&mut self, heard: Heard, now: Duration) {
        self.events += 1;
        self.first_event = self.first_event.or(Some(now));
        self.pace.tokens(usize::from(heard.token), now);
    }
}

/// The form by the first bytes that are not white space; `None` when there are too few.
fn form_of(head: &[u8], hint: Hint) -> Option<Form> {
    const BOM: &[u8] = b"\xEF\xBB\xBF";
    const FIELDS: [&[u8]; 5] = [b"data:", b"event:", b"id:", b"retry:", b":"];
    let start = head.strip_prefix(BOM).unwrap_or(head);
    match start.first() {
        None => None,
        Some(b'{') => Some(Form::Json(Objects::default(), Sequence::Lines)),
        Some(b'[') => Some(Form::Json(Objects::default(), Sequence::Array)),
        _ if hint == Hint::EventStream || FIELDS.iter().any(|field| start.starts_with(field)) => {
            Some(Form::EventStream(EventStream::default()))
        }
        _ if FIELDS.iter().chain(&[BOM]).any(|field| field.starts_with(start)) => None,
        _ => Some(Form::Idle),
    }
}

#[cfg(test)]
#[path = "scanner_tests.rs"]
mod tests;
