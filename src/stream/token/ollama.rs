//! Ollama's own `/api/chat` and `/api/generate`.

use serde_json::Value;

use super::{Answer, Heard, items, text};
use crate::stream::transcript::{CallPart, Voice, arguments_of};

/// A line; a whole answer has the shape of the last one.
pub(super) fn read(event: &Value, answer: &mut Answer) -> Heard {
    let message = &event["message"];
    let mut token = false;
    for (voice, said) in [
        (Voice::Reasoning, &message["thinking"]),
        (Voice::Reasoning, &event["thinking"]),
        (Voice::Answer, &message["content"]),
        (Voice::Answer, &event["response"]),
    ] {
        answer.transcript.say(voice, text(said));
        token |= !text(said).is_empty();
    }
    for call in items(&message["tool_calls"]) {
        let function = &call["function"];
        let arguments = arguments_of(&function["arguments"]);
        let (id, name) = (text(&call["id"]), text(&function["name"]));
        answer.transcript.whole_call(CallPart { key: None, id, name, arguments: &arguments });
        token = true;
    }
    let done = event["done"] == true;
    answer.end_seen |= done;
    answer.count(&event["eval_count"], &Value::Null);
    Heard { token, whole: done, ..Heard::default() }
}
