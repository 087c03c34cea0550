//! What an event says: which API it belongs to, whether it carries a token, usage, end and error.

mod anthropic;
mod chat;
mod gemini;
mod ollama;
mod responses;

use serde_json::Value;

use super::surrogate;
use super::transcript::Transcript;

/// What the events of an answer have said so far.
#[derive(Debug, Default)]
pub(super) struct Answer {
    pub transcript: Transcript,
    /// An event had the shape of an API that is known.
    pub recognised: bool,
    /// The server's last figure of tokens generated, reasoning included.
    pub usage: Option<u64>,
    /// How many of these the server says were reasoning.
    pub usage_reasoning: Option<u64>,
    /// The API's end mark was there.
    pub end_seen: bool,
    /// The first error, in one line.
    pub error: Option<String>,
    /// A token was there.
    token_seen: bool,
}

/// What one event was.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Heard {
    /// Its shape was known.
    pub known: bool,
    /// It carried a token.
    pub token: bool,
    /// It can be an answer that was not streamed.
    pub whole: bool,
}

impl Answer {
    /// Reads the data of an event; `name` is its `event` field.
    pub fn read(&mut self, name: &[u8], data: &[u8]) -> Heard {
        let data = String::from_utf8_lossy(data);
        let data = data.trim_ascii();
        if data == DONE {
            self.end();
            return Heard { known: true, ..Heard::default() };
        }
        let Some((event, marked)) = surrogate::parse(data) else {
            if name == b"error" {
                self.error.get_or_insert_with(|| one_line(data));
            }
            return Heard::default();
        };
        self.transcript.marked = marked;
        let error = error_of(&event, name);
        let failed = error.is_some();
        self.error = self.error.take().or(error);
        let Some(read) = reader_of(&event) else {
            return Heard { known: failed, token: false, whole: failed };
        };
        self.recognised = true;
        let heard = Heard { known: true, ..read(&event, self) };
        self.token_seen |= heard.token;
        heard
    }

    fn end(&mut self) {
        self.end_seen = true;
        self.transcript.close_all();
    }

    /// Figures that are not there change nothing.
    fn count(&mut self, usage: &Value, reasoning: &Value) {
        self.usage = usage.as_u64().or(self.usage);
        self.usage_reasoning = reasoning.as_u64().or(self.usage_reasoning);
    }

    /// The server's figure of reasoning that it did not stream. One that is not within the figure of tokens is left
    /// alone: some servers count reasoning beside it.
    pub fn unseen(&self) -> u64 {
        let figures = self.usage.zip(self.usage_reasoning).filter(|_| !self.transcript.reasoned);
        figures.map_or(0, |(all, reasoning)| if reasoning < all { reasoning } else { 0 })
    }
}

/// Whether that data is all there, so that it can be used though its event was not terminated.
pub(super) fn is_complete(data: &[u8]) -> bool {
    let data = String::from_utf8_lossy(data);
    data.trim_ascii() == DONE || surrogate::parse(&data).is_some()
}

/// The sentinel that OpenAI and its followers send last.
const DONE: &str = "[DONE]";

/// Each reads the events of one API.
type Reader = fn(&Value, &mut Answer) -> Heard;

/// The API by the event's shape.
fn reader_of(event: &Value) -> Option<Reader> {
    let kind = text(&event["type"]);
    let object = text(&event["object"]);
    Some(match kind {
        "message_start" | "message_delta" | "message_stop" => anthropic::read,
        _ if kind.starts_with("content_block_") => anthropic::read,
        "message" if event["content"].is_array() && event["role"].is_string() => anthropic::read,
        _ if kind.starts_with("response.") || object == "response" => responses::read,
        _ if event["choices"].is_array() || object.starts_with("chat.completion") => chat::read,
        _ if event["candidates"].is_array() || event["usageMetadata"].is_object() => gemini::read,
        _ if event["promptFeedback"].is_object() => gemini::read,
        _ if event["done"].is_boolean() && (event["message"].is_object() || event["response"].is_string()) => {
            ollama::read
        }
        _ => return None,
    })
}

/// The error that an event reports, in one line.
fn error_of(event: &Value, name: &[u8]) -> Option<String> {
    let kind = text(&event["type"]);
    match &event["error"] {
        Value::String(message) if !message.is_empty() => Some(one_line(message)),
        // Some servers always send the field, with nothing in it.
        error @ Value::Object(fields) if fields.values().any(|value| !value.is_null() && value != "" && value != 0) => {
            Some(describe(error))
        }
        _ if kind == "response.failed" => Some(match &event["response"]["error"] {
            Value::Null => "the response failed".into(),
            error => describe(error),
        }),
        _ if kind == "error" || name == b"error" || event["object"] == "error" => Some(describe(event)),
        _ => None,
    }
}

/// `message (type)`, or the whole error when it has no message.
fn describe(error: &Value) -> String {
    let message = match (text(&error["message"]), text(error)) {
        ("", "") => error.to_string(),
        ("", text) => text.into(),
        (message, _) => message.into(),
    };
    let labels = [&error["type"], &error["status"], &error["code"]];
    let label = labels.into_iter().map(text).find(|label| !matches!(*label, "" | "error" | "None"));
    let code = error["code"].as_u64().map(|code| code.to_string());
    match label.map(String::from).or(code) {
        Some(label) => one_line(&format!("{message} ({label})")),
        None => one_line(&message),
    }
}

/// A text from outside on one line: runs of white space and control characters become one space, since it goes to a
/// terminal, and what is too long is cut.
#[must_use]
pub fn one_line(text: &str) -> String {
    let words = text.split(|character: char| character.is_whitespace() || character.is_control());
    let line = words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MESSAGE_LIMIT) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// The most characters of an error that are shown.
const MESSAGE_LIMIT: usize = 500;

/// A string; empty when the value is none.
fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// The elements of an array; none when the value is none.
fn items(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Only the first of several answers is shown: mixed they would be no text.
fn is_first(answer: &Value) -> bool {
    answer["index"].as_u64().unwrap_or(0) == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::Piece;

    fn answer_to<'a>(events: impl IntoIterator<Item = &'a str>) -> (Answer, usize) {
        let mut answer = Answer::default();
        answer.transcript.wanted = true;
        let tokens = events.into_iter().filter(|event| answer.read(b"", event.as_bytes()).token).count();
        answer.transcript.finish();
        (answer, tokens)
    }

    fn pieces_of<'a>(events: impl IntoIterator<Item = &'a str>) -> (Vec<Piece>, usize) {
        let (answer, tokens) = answer_to(events);
        (answer.transcript.pieces, tokens)
    }

    fn answer(text: &str) -> Piece {
        Piece::Text(text.into())
    }

    fn thought(text: &str) -> Piece {
        Piece::Reasoning(text.into())
    }

    fn call(line: &str) -> Piece {
        Piece::ToolCall(line.into())
    }

    #[test]
    fn dialects_of_chat_completions() {
        for (delta, pieces) in [
            (r#"{"reasoning":"a"}"#, vec![thought("a")]),
            (r#"{"reasoning_text":"a","content":null}"#, vec![thought("a")]),
            (r#"{"reasoning":"a","reasoning_content":"a","content":"b"}"#, vec![thought("a"), answer("b")]),
            (r#"{"refusal":"no"}"#, vec![answer("no")]),
            (
                r#"{"content":[{"type":"thinking","thinking":[{"type":"text","text":"a"}]},{"type":"text","text":"b"}]}"#,
                vec![thought("a"), answer("b")],
            ),
            (r#"{"function_call":{"name":"f","arguments":"{}"}}"#, vec![call(r#"{"name":"f","arguments":{}}"#)]),
            (
                r#"{"tool_calls":[{"id":"c","function":{"name":"f","arguments":{"a":1}}}]}"#,
                vec![call(r#"{"id":"c","name":"f","arguments":{"a":1}}"#)],
            ),
        ] {
            let event = format!(r#"{{"choices":[{{"delta":{delta}}}]}}"#);
            assert_eq!(pieces_of([&event[..], DONE]), (pieces, 1), "{delta}");
        }
        for event in [
            r#"{"choices":[]}"#,
            r#"{"choices":[{"delta":{"role":"assistant","content":"","reasoning":null,"tool_calls":[]}}]}"#,
            r#"{"choices":[{"delta":{"role":"assistant"},"finish_reason":""}]}"#,
            r#"{"object":"chat.completion.chunk","usage":{"completion_tokens":3}}"#,
        ] {
            let (answer, tokens) = answer_to([event]);
            assert_eq!((answer.recognised, answer.end_seen, tokens), (true, false, 0), "{event}");
        }
        assert_eq!(pieces_of([r#"{"object":"text_completion","choices":[{"text":"a"}]}"#]), (vec![answer("a")], 1));
    }

    #[test]
    fn only_the_first_choice_is_shown_but_all_are_counted() {
        let events = [
            r#"{"choices":[{"index":1,"delta":{"content":"b"}}]}"#,
            r#"{"choices":[{"index":0,"delta":{"content":"a"}},{"index":1,"delta":{"content":"b"}}]}"#,
        ];
        assert_eq!(pieces_of(events), (vec![answer("a")], 2));
        let event =
            r#"{"candidates":[{"index":1,"content":{"parts":[{"text":"b"}]}},{"content":{"parts":[{"text":"a"}]}}]}"#;
        assert_eq!(pieces_of([event]), (vec![answer("a")], 1));
    }

    #[test]
    fn parts_of_calls_find_each_other() {
        let part = |call: &str| format!(r#"{{"choices":[{{"delta":{{"tool_calls":[{call}]}}}}]}}"#);
        for parts in [
            // The identifier in each part; two calls under one index; no index; parts in turns.
            [
                r#"{"index":0,"id":"1","function":{"name":"f","arguments":"["}}"#,
                r#"{"index":0,"id":"1","function":{"name":"f","arguments":"]"}}"#,
                r#"{"index":0,"id":"2","function":{"name":"g","arguments":"4"}}"#,
                r#"{"index":0,"id":"2","function":{"arguments":"2"}}"#,
            ],
            [
                r#"{"id":"1","function":{"name":"f","arguments":"["}}"#,
                r#"{"function":{"arguments":"]"}}"#,
                r#"{"id":"2","function":{"name":"g","arguments":"4"}}"#,
                r#"{"id":"","function":{"name":null,"arguments":"2"}}"#,
            ],
            [
                r#"{"index":0,"id":"1","function":{"name":"f","arguments":"["}}"#,
                r#"{"index":1,"id":"2","function":{"name":"g","arguments":"4"}}"#,
                r#"{"index":0,"function":{"arguments":"]"}}"#,
                r#"{"index":1,"function":{"arguments":"2"}}"#,
            ],
        ] {
            let mut events = parts.map(part).to_vec();
            assert_eq!(pieces_of(events.iter().map(String::as_str)).0, [], "cut off: {parts:?}");
            events.push(r#"{"choices":[{"finish_reason":"tool_calls"}]}"#.into());
            let calls =
                [r#"{"id":"1","name":"f","arguments":[]}"#, r#"{"id":"2","name":"g","arguments":42}"#].map(call);
            assert_eq!(pieces_of(events.iter().map(String::as_str)), (calls.to_vec(), 4), "{parts:?}");
        }
    }

    #[test]
    fn arguments_that_are_no_json_stay_text_on_one_line() {
        let event = r#"{"output":[{"type":"custom_tool_call","call_id":"1","name":"f","input":"a\n\"b\""}],"object":"response"}"#;
        assert_eq!(pieces_of([event]).0, [call(r#"{"id":"1","name":"f","arguments":"a\n\"b\""}"#)]);
    }

    #[test]
    fn responses_that_are_not_streamed_until_their_end() {
        let item = r#"{"type":"function_call","call_id":"1","name":"f","arguments":"{}"}"#;
        let text =
            r#"{"type":"message","content":[{"type":"output_text","text":"a"},{"type":"refusal","refusal":"b"}]}"#;
        let end = format!(
            r#"{{"type":"response.incomplete","response":{{"output":[{text},{item}],"usage":{{"output_tokens":4}}}}}}"#
        );
        let line = call(r#"{"id":"1","name":"f","arguments":{}}"#);
        assert_eq!(pieces_of([&end[..]]), (vec![answer("a"), answer("b"), line.clone()], 1));
        let delta = r#"{"type":"response.output_text.delta","delta":"ab"}"#;
        assert_eq!(pieces_of([delta, &end[..]]), (vec![answer("ab")], 1));
        let done = format!(r#"{{"type":"response.output_item.done","item":{item}}}"#);
        assert_eq!(pieces_of([&done[..], &end[..]]), (vec![line], 1));
        assert_eq!(answer_to([&end[..]]).0.usage, Some(4));
    }

    #[test]
    fn errors_in_all_forms() {
        for (name, data, error) in [
            ("", r#"{"error":"CUDA error:\n out of memory\u001b[2J"}"#, Some("CUDA error: out of memory [2J")),
            ("", r#"{"error":{"message":"busy","type":"None","code":502}}"#, Some("busy (502)")),
            ("", r#"{"error":{"code":7}}"#, Some(r#"{"code":7} (7)"#)),
            ("", r#"{"choices":[{"error":{"message":"busy","code":502},"delta":{"content":""}}]}"#, Some("busy (502)")),
            ("", r#"{"type":"response.failed","response":{"error":null}}"#, Some("the response failed")),
            ("", r#"{"type":"error","error":{"type":"api_error","message":"m"}}"#, Some("m (api_error)")),
            ("error", "Internal Server Error", Some("Internal Server Error")),
            ("error", r#"{"message":"m"}"#, Some("m")),
            ("error", r#""text""#, Some("text")),
            ("", "Internal Server Error", None),
            ("", r#"{"error":null}"#, None),
            ("", r#"{"error":""}"#, None),
            ("", r#"{"error":{"message":"","type":"","code":null}}"#, None),
            ("", r#"{"error":false,"object":"list"}"#, None),
            ("", r#"{"type":"response.completed","response":{"error":null}}"#, None),
        ] {
            let mut answer = Answer::default();
            answer.read(name.as_bytes(), data.as_bytes());
            assert_eq!(answer.error.as_deref(), error, "{name} {data}");
        }
        let long = "ä".repeat(2 * MESSAGE_LIMIT);
        assert_eq!(one_line(&long).chars().count(), MESSAGE_LIMIT + 1);
        let (answer, _) = answer_to([r#"{"error":"first"}"#, r#"{"error":"second"}"#]);
        assert_eq!(answer.error.as_deref(), Some("first"));
    }

    #[test]
    fn what_is_of_no_api_says_nothing() {
        for data in [
            "",
            "1",
            "null",
            "[]",
            "[DONE",
            "{}",
            r#"{"type":"ping"}"#,
            r#"{"type":"message","content":"chat"}"#,
            r#"{"message":{"content":"a"}}"#,
            r#"{"choices":"a"}"#,
            r#"{"done":true}"#,
            r#"{"response":{}}"#,
            r#"{"choices":[{"delta":{"content":"a"}}]"#,
            "\u{0}",
            r#"{"status":"pulling manifest"}"#,
        ] {
            let (answer, tokens) = answer_to([data]);
            assert_eq!((answer.recognised, answer.error, tokens), (false, None, 0), "{data}");
        }
    }

    #[test]
    fn half_a_character_stays_with_its_voice() {
        let events = [
            r#"{"reasoning":"a\ud83c"}"#,
            r#"{"content":"\udf0d"}"#,
            r#"{"content":"b\ud83c"}"#,
            r#"{"content":"\udf0d"}"#,
        ];
        let events = events.map(|delta| format!(r#"{{"choices":[{{"delta":{delta}}}]}}"#));
        let (thoughts, answers) = (["a", "\u{FFFD}"].map(thought), ["\u{FFFD}", "b", "🌍"].map(answer));
        assert_eq!(pieces_of(events.iter().map(String::as_str)).0, [&thoughts[..], &answers].concat());
    }

    #[test]
    fn a_blocked_prompt_is_an_end() {
        let (answer, tokens) = answer_to([r#"{"promptFeedback":{"blockReason":"SAFETY"}}"#]);
        assert_eq!((answer.recognised, answer.end_seen, tokens), (true, true, 0));
    }

    #[test]
    fn invalid_utf8_is_replaced() {
        let mut answer = Answer::default();
        answer.transcript.wanted = true;
        answer.read(b"", b"{\"choices\":[{\"delta\":{\"content\":\"a\xFF\"}}]}");
        assert_eq!(answer.transcript.pieces, [Piece::Text("a\u{FFFD}".into())]);
    }
}
