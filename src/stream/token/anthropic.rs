//! Anthropic messages.

use serde_json::Value;

use super::{Answer, Heard, items, text};
use crate::stream::transcript::{CallPart, Transcript, Voice, arguments_of};

/// An event, or a whole message.
pub(super) fn read(event: &Value, answer: &mut Answer) -> Heard {
    let key = event["index"].as_u64();
    let token = match text(&event["type"]) {
        "content_block_start" => block(&event["content_block"], &mut answer.transcript, key),
        "content_block_delta" => delta(&event["delta"], &mut answer.transcript, key),
        "content_block_stop" => {
            answer.transcript.close(key);
            false
        }
        "message_delta" => {
            answer.count(&event["usage"]["output_tokens"], &Value::Null);
            false
        }
        "message_stop" => {
            answer.end();
            false
        }
        "message" => {
            answer.count(&event["usage"]["output_tokens"], &Value::Null);
            let mut token = false;
            for part in items(&event["content"]) {
                token |= block(part, &mut answer.transcript, None) || is_call(part);
                answer.transcript.close_all();
            }
            answer.end_seen = true;
            return Heard { token, whole: true, ..Heard::default() };
        }
        // `message_start`: its usage is the figure before anything was generated.
        _ => false,
    };
    Heard { token, ..Heard::default() }
}

/// A block that starts, usually empty, or that is whole.
fn block(block: &Value, transcript: &mut Transcript, key: Option<u64>) -> bool {
    if is_call(block) {
        let input = &block["input"];
        let arguments = arguments_of(input);
        let arguments = if arguments == "{}" { "" } else { &arguments };
        transcript.call(CallPart { key, id: text(&block["id"]), name: text(&block["name"]), arguments });
        return false;
    }
    say(text(&block["text"]), text(&block["thinking"]), transcript)
}

fn delta(delta: &Value, transcript: &mut Transcript, key: Option<u64>) -> bool {
    let arguments = text(&delta["partial_json"]);
    if !arguments.is_empty() {
        transcript.call(CallPart { key, arguments, ..CallPart::default() });
        return true;
    }
    say(text(&delta["text"]), text(&delta["thinking"]), transcript)
}

fn say(answer: &str, reasoning: &str, transcript: &mut Transcript) -> bool {
    transcript.say(Voice::Reasoning, reasoning);
    transcript.say(Voice::Answer, answer);
    !(answer.is_empty() && reasoning.is_empty())
}

/// `tool_use`, `server_tool_use`, `mcp_tool_use`
fn is_call(block: &Value) -> bool {
    text(&block["type"]).ends_with("tool_use")
}
