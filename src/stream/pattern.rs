//! What a stream repeats around its tokens, so that most of its events are counted without being parsed.

use std::ops::Range;

use super::event::EventStream;
use super::token::Answer;

/// The bytes of a token event, and the places in which the next one may differ.
///
/// Which of an event's texts is the token is found out by parsing: without it the event carries no token, with any
/// other in its place it does. So an event that differs in nothing else carries a token too, and nothing more.
#[derive(Debug, Default)]
pub(super) struct Pattern {
    /// Bytes that come again, each with the place behind them; none while there is no pattern.
    parts: Vec<(Vec<u8>, Place)>,
    /// The bytes behind the last place.
    end: Vec<u8>,
    /// Patterns in a row that no event followed.
    failed: usize,
}

/// What may differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// The token, a text that is not empty.
    Token,
    /// A text under one of `IDLE_KEYS`.
    Text,
    /// A whole number under one of `IDLE_KEYS`.
    Number,
}

/// Some streams change these from event to event; they say nothing that is looked for.
const IDLE_KEYS: [&[u8]; 6] = [b"id", b"created", b"created_at", b"item_id", b"obfuscation", b"sequence_number"];

/// After so many patterns that no event followed, the stream is taken to have none.
const ATTEMPTS: usize = 8;

/// In a larger event the search for the token would cost more than it saves, in bytes.
pub(super) const LARGE: usize = 2048;

impl Pattern {
    /// How many events at the start of `bytes` follow the pattern, and the bytes that they take.
    pub fn repeats(&mut self, bytes: &[u8]) -> (usize, usize) {
        let (mut events, mut at) = (0, 0);
        while let Some(length) = self.length_of(&bytes[at..]) {
            (events, at) = (events + 1, at + length);
            self.failed = 0;
        }
        (events, at)
    }

    /// Whether the bytes are the start of an event that may follow the pattern; no event is complete in them.
    pub fn is_begun(&self, bytes: &[u8]) -> bool {
        let Some((repeated, _)) = self.parts.first() else { return false };
        let (start, rest) = bytes.split_at(repeated.len().min(bytes.len()));
        bytes.len() < LARGE && repeated.starts_with(start) && !rest.contains(&b'\n')
    }

    /// The length of the first event, when all of it is there and follows the pattern.
    fn length_of(&self, bytes: &[u8]) -> Option<usize> {
        let mut rest = bytes;
        for (repeated, place) in &self.parts {
            rest = rest.strip_prefix(&repeated[..])?;
            rest = &rest[place.length(rest)?..];
        }
        let rest = rest.strip_prefix(&self.end[..])?;
        (!self.parts.is_empty()).then_some(bytes.len() - rest.len())
    }

    /// Takes an event with a token as the pattern of those to come: all its bytes, the blank line included.
    pub fn learn(&mut self, event: &[u8]) {
        // A lone CR at the end leaves open whether a LF belongs to it.
        if self.failed == ATTEMPTS || event.len() > LARGE || !event.ends_with(b"\n") {
            return;
        }
        self.failed += 1;
        self.parts.clear();
        let values = values_of(event);
        let Some(token) = values.iter().find(|value| value.is_token(event)) else { return };
        // Most streams repeat everything but the token, which is compared fastest.
        let idle = |value: &&Value| self.failed > 1 && IDLE_KEYS.contains(&value.key);
        let mut start = 0;
        for value in values.iter().filter(|value| idle(value) || value.range == token.range) {
            let place = if value.range == token.range { Place::Token } else { value.place };
            self.parts.push((event[start..value.range.start].to_vec(), place));
            start = value.range.end;
        }
        self.end = event[start..].to_vec();
    }
}

impl Place {
    /// The length of what stands at the start of `bytes` in this place; `None` when it does not belong there.
    fn length(self, bytes: &[u8]) -> Option<usize> {
        let length = if self == Place::Number { number_length(bytes) } else { text_length(bytes) }?;
        (length > 0 || self == Place::Text).then_some(length)
    }
}

/// A text or whole number in the JSON of an event.
struct Value<'a> {
    key: &'a [u8],
    /// Without the quotes of a text.
    range: Range<usize>,
    place: Place,
}

impl Value<'_> {
    fn is_token(&self, event: &[u8]) -> bool {
        let with = |text: &[u8]| carries_token(&[&event[..self.range.start], text, &event[self.range.end..]].concat());
        self.place == Place::Text && with(b"") == Some(false) && with(b"x") == Some(true)
    }
}

/// Whether the event carries a token; `None` when it is none that is known, or says something else too.
fn carries_token(event: &[u8]) -> Option<bool> {
    let (mut answer, mut heard) = (Answer::default(), None);
    EventStream::default().feed(event, &mut |name, data| heard = Some(answer.read(name, data)));
    let plain = answer.recognised && answer.usage.is_none() && answer.error.is_none() && !answer.end_seen;
    heard.filter(|_| plain).map(|heard| heard.token)
}

/// The texts and whole numbers, in order; up to the first text with an escape that `text_length` leaves alone.
fn values_of(event: &[u8]) -> Vec<Value<'_>> {
    let mut values = Vec::new();
    let (mut key, mut at) = (&b""[..], 0);
    while at < event.len() {
        let (place, length) = match event[at] {
            b'"' => (Place::Text, text_length(&event[at + 1..])),
            b'0'..=b'9' if matches!(event[..at].last(), Some(b':' | b' ')) => {
                (Place::Number, number_length(&event[at..]))
            }
            _ => {
                at += 1;
                continue;
            }
        };
        let Some(length) = length else { return values };
        let start = at + usize::from(place == Place::Text);
        at = start + length + usize::from(place == Place::Text);
        if event.get(at) == Some(&b':') {
            key = &event[start..start + length];
        } else {
            values.push(Value { key, range: start..start + length, place });
        }
    }
    values
}

/// The length of a JSON string's content (RFC 8259, section 7) up to its quote; `None` when it has none, is not
/// valid, or has escapes in hexadecimal, which may be half a character.
fn text_length(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        match bytes.get(at)? {
            b'"' => return Some(at),
            b'\\' if matches!(bytes.get(at + 1)?, b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => at += 2,
            b'\\' | ..0x20 => return None,
            _ => at += 1,
        }
    }
}

/// The length of a whole number (RFC 8259, section 6) that surely fits; `None` when it is something else.
fn number_length(bytes: &[u8]) -> Option<usize> {
    let length = bytes.iter().position(|byte| !byte.is_ascii_digit())?;
    let whole = matches!(bytes[length], b',' | b'}' | b']' | b' ');
    (whole && (length == 1 || (2..18).contains(&length) && bytes[0] != b'0')).then_some(length)
}

#[cfg(test)]
#[path = "pattern_tests.rs"]
mod tests;
