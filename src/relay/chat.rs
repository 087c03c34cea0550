//! Chat completions: what is asked, and an answer that says what arrived.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::time::UNIX_EPOCH;

use serde_json::value::RawValue;

use super::Shared;
use super::answer::{Answer, Manner, head, quoted};
use crate::http::timing::{Clock, wall_clock};

/// The model of `/v1/models`; names that start with `demo-` are taken too.
const MODEL: &str = "demo-model";

/// The answer to `GET /v1/models`.
pub(super) fn models() -> Answer {
    let model = format!(r#"{{"id":"{MODEL}","object":"model","created":0,"owned_by":"gzpost"}}"#);
    Answer::json(200, format!(r#"{{"object":"list","data":[{model}]}}"#))
}

/// What of a request decides about the answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Chat {
    model: String,
    stream: bool,
    include_usage: bool,
}

impl Chat {
    /// Reads a body; anything that is not JSON or names no model of ours gets an answer instead.
    /// `go` has the error of Go's decoder at bytes that it cannot have expected.
    pub fn parse(body: &[u8], go: bool) -> Result<Chat, Answer> {
        let json: &RawValue = serde_json::from_slice(body).map_err(|error| match body.first() {
            Some(byte) if go && !byte.is_ascii_graphic() && !byte.is_ascii_whitespace() => {
                Answer::error(400, &format!("invalid character '\\x{byte:02x}' looking for beginning of value"))
            }
            _ => Answer::error(400, &format!("the body is not JSON: {error}")),
        })?;
        let [model, stream, options] = members(json.get(), ["model", "stream", "stream_options"]);
        let Some(Ok(model)) = model.map(serde_json::from_str::<String>) else {
            return Err(Answer::error(400, "'model' is missing or not a string"));
        };
        if !model.starts_with("demo-") {
            // A name as long as a body would come back whole.
            let shown: String = model.chars().take(100).collect();
            return Err(Answer::coded(404, &format!("The model '{shown}' does not exist"), "model_not_found"));
        }
        let [include_usage] = options.map(|options| members(options, ["include_usage"])).unwrap_or_default();
        Ok(Chat { model, stream: stream == Some("true"), include_usage: include_usage == Some("true") })
    }
}

/// The values of an object's members by name, the last one where a name repeats; none of anything else.
///
/// The JSON is valid already. A map of all members would cost many times the memory of a hostile body.
fn members<'j, const N: usize>(json: &'j str, names: [&str; N]) -> [Option<&'j str>; N] {
    let mut found = [None; N];
    let Some(mut rest) = json.strip_prefix('{') else { return found };
    while let Some(name) = next_value(&mut rest) {
        let Some(value) = next_value(&mut rest) else { break };
        if let Some(index) = names.iter().position(|wanted| name.trim_matches('"') == *wanted) {
            found[index] = Some(value);
        }
    }
    found
}

/// The next value behind a comma or a colon, with `rest` moved behind it.
fn next_value<'j>(rest: &mut &'j str) -> Option<&'j str> {
    let text: &'j str = rest.trim_start_matches([',', ':', ' ', '\t', '\r', '\n']);
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<&'j RawValue>();
    let value = values.next()?.ok()?;
    *rest = text.get(values.byte_offset()..)?;
    Some(value.get())
}

/// A completion that is ready to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Completion {
    /// Sent as events.
    pub stream: bool,
    /// As JSON, with its quotes.
    model: String,
    include_usage: bool,
    text: String,
    prompt_tokens: u64,
}

impl Completion {
    /// The answer to a body of `size` bytes that came as `gzip` bytes of gzip, or as it is.
    pub fn new(shared: &Shared, chat: &Chat, size: u64, gzip: Option<u64>) -> Completion {
        Completion {
            stream: chat.stream,
            model: quoted(&chat.model),
            include_usage: chat.include_usage,
            text: text(shared, size, gzip),
            prompt_tokens: size / 4,
        }
    }

    /// One JSON document, at the time when a stream would have ended.
    pub fn whole(&self, shared: &Shared, number: u64) -> Answer {
        let tokens = self.tokens().count();
        shared.pause(shared.gap().saturating_mul(u32::try_from(tokens).unwrap_or(u32::MAX)));
        let message = format!(r#"{{"role":"assistant","content":{}}}"#, quoted(&self.text));
        let choice = format!(r#"{{"index":0,"message":{message},"finish_reason":"stop"}}"#);
        let start = self.start("chat.completion", number);
        Answer::json(200, format!(r#"{start},"choices":[{choice}],"usage":{}}}"#, self.usage()))
    }

    /// A stream of events, each in a chunk of its own; says whether the connection stays.
    pub fn write_events(&self, shared: &Shared, number: u64, out: &mut dyn Write, manner: Manner) -> io::Result<bool> {
        let manner = Manner { keep: manner.keep && !manner.http10, ..manner };
        let framing = if manner.http10 { "" } else { "Transfer-Encoding: chunked\r\n" };
        let head = head(200, "text/event-stream; charset=utf-8", manner);
        out.write_all(format!("{head}Cache-Control: no-cache\r\n{framing}\r\n").as_bytes())?;
        let clock = Clock::start();
        let chunk = self.start("chat.completion.chunk", number);
        let usage = if self.include_usage { r#","usage":null"# } else { "" };
        let mut event = |delta: &str, finish: &str| {
            let choice = format!(r#"{{"index":0,"delta":{{{delta}}},"finish_reason":{finish}}}"#);
            write_event(out, &format!(r#"{chunk},"choices":[{choice}]{usage}}}"#), manner)
        };
        event(r#""role":"assistant","content":"""#, "null")?;
        for (token, number) in self.tokens().zip(1..) {
            // Measured from the start, so that late wake-ups do not add up.
            if !shared.pause_until(clock, shared.gap().saturating_mul(number)) {
                return Ok(false);
            }
            event(&format!(r#""content":{}"#, quoted(token)), "null")?;
        }
        event("", r#""stop""#)?;
        if self.include_usage {
            write_event(out, &format!(r#"{chunk},"choices":[],"usage":{}}}"#, self.usage()), manner)?;
        }
        write_event(out, "[DONE]", manner)?;
        if !manner.http10 {
            out.write_all(b"0\r\n\r\n")?;
        }
        Ok(manner.keep)
    }

    /// The text in the pieces that are sent.
    fn tokens(&self) -> impl Iterator<Item = &str> {
        self.text.split_inclusive(' ')
    }

    /// The members that every object of an answer starts with.
    fn start(&self, object: &str, number: u64) -> String {
        let created = wall_clock().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let model = &self.model;
        format!(r#"{{"id":"chatcmpl-demo-{number}","object":"{object}","created":{created},"model":{model}"#)
    }

    fn usage(&self) -> String {
        let (prompt, completion) = (self.prompt_tokens, self.tokens().count() as u64);
        let total = prompt + completion;
        format!(r#"{{"prompt_tokens":{prompt},"completion_tokens":{completion},"total_tokens":{total}}}"#)
    }
}

/// Says what arrived and what it cost.
fn text(shared: &Shared, size: u64, gzip: Option<u64>) -> String {
    let received = gzip.unwrap_or(size);
    let seconds = |bytes| shared.cost(bytes).as_secs_f64();
    let mut text = match gzip {
        Some(received) => format!("Your body of {size} bytes arrived as {received} bytes of gzip."),
        None => format!("Your body of {size} bytes arrived as it is, without gzip."),
    };
    // Writing to a String does not fail.
    let _ = write!(
        text,
        " This relay takes {:.3} s for a request and {:.3} s for every 1000 KB that it receives: here {:.3} s.",
        seconds(0),
        seconds(1_000_000) - seconds(0),
        seconds(received),
    );
    if gzip.is_some() {
        let _ = write!(text, " Sent plain, the same body would have taken {:.3} s.", seconds(size));
    }
    text
}

/// Writes an event as one chunk, at once.
fn write_event(out: &mut dyn Write, data: &str, manner: Manner) -> io::Result<()> {
    let event = format!("data: {data}\n\n");
    if manner.http10 {
        out.write_all(event.as_bytes())
    } else {
        out.write_all(format!("{:x}\r\n{event}\r\n", event.len()).as_bytes())
    }
}
