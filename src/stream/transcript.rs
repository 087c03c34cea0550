//! What the model said, in the order it was said: text, reasoning and complete tool calls.

use std::borrow::Cow;

use serde_json::Value;
use serde_json::value::RawValue;

use super::{LIMIT, surrogate};

/// A piece of what the model said, handed out as soon as it is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Text of the answer, refusals too.
    Text(String),
    /// Text of the reasoning or of its summary.
    Reasoning(String),
    /// A complete tool call as one line of JSON, `{"id":…,"name":…,"arguments":…}`; the `id` may be absent.
    ToolCall(String),
}

/// Whose voice a text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Voice {
    #[default]
    Answer,
    Reasoning,
}

/// A part of a tool call, or all of it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct CallPart<'a> {
    /// Tells the calls of an answer apart; `None`: the last one that was begun.
    pub key: Option<u64>,
    /// Empty when the part does not say.
    pub id: &'a str,
    /// Empty when the part does not say.
    pub name: &'a str,
    /// The next characters of the arguments.
    pub arguments: &'a str,
}

/// Gathers the pieces of one answer; does nothing unless `wanted`.
#[derive(Debug, Default)]
pub(super) struct Transcript {
    pub wanted: bool,
    /// What was not handed out yet.
    pub pieces: Vec<Piece>,
    /// Reasoning was heard, wanted or not.
    pub reasoned: bool,
    /// The texts that come now may hold placeholders of `surrogate`.
    pub marked: bool,
    voice: Voice,
    /// Half a character at the end of what `voice` said.
    half: Option<u16>,
    /// The calls that are not complete.
    calls: Vec<Call>,
    /// About how many bytes they take.
    held: usize,
}

#[derive(Debug, Default)]
struct Call {
    key: Option<u64>,
    id: String,
    name: String,
    arguments: String,
    half: Option<u16>,
    /// It grew over `LIMIT` and is not handed out.
    lost: bool,
}

impl Transcript {
    pub fn say(&mut self, voice: Voice, text: &str) {
        self.reasoned |= voice == Voice::Reasoning && !text.is_empty();
        if !self.wanted || text.is_empty() {
            return;
        }
        if voice != self.voice {
            self.finish();
            self.voice = voice;
        }
        let mut said = String::new();
        surrogate::join(&mut self.half, text, self.marked, &mut said);
        self.push(said);
    }

    /// A part of a call that ends with `close` or `close_all`.
    pub fn call(&mut self, part: CallPart<'_>) {
        if !self.wanted {
            return;
        }
        let same = |call: &Call| {
            (part.key.is_none() || part.key == call.key)
                && (part.id.is_empty() || call.id.is_empty() || part.id == call.id)
        };
        let size = part.id.len() + part.name.len() + part.arguments.len() + size_of::<Call>();
        let fits = self.held + size <= LIMIT;
        let at = match self.calls.iter().rposition(same) {
            Some(at) => at,
            None if fits => {
                self.calls.push(Call { key: part.key, ..Call::default() });
                self.calls.len() - 1
            }
            None => return,
        };
        let call = &mut self.calls[at];
        if !fits {
            call.lost = true;
            return;
        }
        self.held += size;
        if call.id.is_empty() {
            call.id.push_str(part.id);
        }
        if call.name.is_empty() {
            call.name.push_str(part.name);
        }
        surrogate::join(&mut call.half, part.arguments, self.marked, &mut call.arguments);
    }

    /// The call with that key is complete.
    pub fn close(&mut self, key: Option<u64>) {
        if let Some(at) = self.calls.iter().position(|call| call.key == key) {
            let call = self.calls.remove(at);
            self.hand_out(call);
        }
        if self.calls.is_empty() {
            self.held = 0;
        }
    }

    /// All calls are complete.
    pub fn close_all(&mut self) {
        for call in std::mem::take(&mut self.calls) {
            self.hand_out(call);
        }
        self.held = 0;
    }

    /// A call that came in one part.
    pub fn whole_call(&mut self, part: CallPart<'_>) {
        if self.wanted {
            let mut call = Call { id: part.id.into(), name: part.name.into(), ..Call::default() };
            surrogate::join(&mut call.half, part.arguments, self.marked, &mut call.arguments);
            self.hand_out(call);
        }
    }

    /// Nobody speaks any more: half a character that still waits for its other half is replaced.
    pub fn finish(&mut self) {
        if self.half.take().is_some() {
            self.push(char::REPLACEMENT_CHARACTER.into());
        }
    }

    fn push(&mut self, text: String) {
        if !text.is_empty() {
            self.pieces.push(match self.voice {
                Voice::Answer => Piece::Text(text),
                Voice::Reasoning => Piece::Reasoning(text),
            });
        }
    }

    fn hand_out(&mut self, call: Call) {
        if !call.lost {
            self.pieces.push(Piece::ToolCall(call.into_line()));
        }
    }
}

impl Call {
    fn into_line(mut self) -> String {
        self.arguments.extend(self.half.map(|_| char::REPLACEMENT_CHARACTER));
        let arguments = self.arguments.trim();
        let arguments = match serde_json::from_str::<&RawValue>(arguments) {
            _ if arguments.is_empty() => "{}".into(),
            // Outside its strings, where JSON allows no line breaks, a space does as well.
            Ok(_) => arguments.replace(['\n', '\r'], " "),
            Err(_) => Value::from(arguments).to_string(),
        };
        let id = if self.id.is_empty() { String::new() } else { format!("\"id\":{},", Value::from(self.id)) };
        format!("{{{id}\"name\":{},\"arguments\":{arguments}}}", Value::from(self.name))
    }
}

/// Arguments as text: some servers send JSON in a string, some the JSON itself.
pub(super) fn arguments_of(value: &Value) -> Cow<'_, str> {
    match value {
        Value::String(text) => text.into(),
        Value::Null => "".into(),
        _ => value.to_string().into(),
    }
}
