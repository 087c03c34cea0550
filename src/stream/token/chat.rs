//! OpenAI chat completions and the older completions, with the dialects of their followers.

use serde_json::Value;

use super::{Answer, Heard, describe, is_first, items, text};
use crate::stream::transcript::{CallPart, Transcript, Voice, arguments_of};

/// A chunk (`delta`) or a whole answer (`message`).
pub(super) fn read(event: &Value, answer: &mut Answer) -> Heard {
    let usage = &event["usage"];
    answer.count(&usage["completion_tokens"], &usage["completion_tokens_details"]["reasoning_tokens"]);
    let mut heard = Heard { whole: true, ..Heard::default() };
    // Several choices are counted, but only the first is shown.
    let mut unseen = Transcript::default();
    for choice in items(&event["choices"]) {
        let transcript = if is_first(choice) { &mut answer.transcript } else { &mut unseen };
        heard.whole &= choice["delta"].is_null();
        for said in [&choice["delta"], &choice["message"]] {
            heard.token |= message(said, transcript);
        }
        heard.token |= say(Voice::Answer, text(&choice["text"]), transcript);
        if choice["error"].is_object() {
            answer.error.get_or_insert_with(|| describe(&choice["error"]));
        }
        if !text(&choice["finish_reason"]).is_empty() {
            answer.end_seen = true;
            transcript.close_all();
        }
    }
    heard
}

fn message(message: &Value, transcript: &mut Transcript) -> bool {
    // Servers that use two of the names send the same text under both.
    let reasoning = ["reasoning_content", "reasoning", "reasoning_text"].map(|name| text(&message[name]));
    let reasoning = reasoning.into_iter().find(|text| !text.is_empty()).unwrap_or_default();
    let mut token = say(Voice::Reasoning, reasoning, transcript);
    token |= say(Voice::Answer, text(&message["content"]), transcript);
    token |= say(Voice::Answer, text(&message["refusal"]), transcript);
    // Mistral's content is a list of parts when the model reasons.
    for part in items(&message["content"]) {
        token |= say(Voice::Answer, text(&part["text"]), transcript);
        for thought in items(&part["thinking"]) {
            token |= say(Voice::Reasoning, text(&thought["text"]), transcript);
        }
    }
    for call in items(&message["tool_calls"]) {
        call_part(call["index"].as_u64(), text(&call["id"]), &call["function"], transcript);
        token = true;
    }
    if message["function_call"].is_object() {
        call_part(None, "", &message["function_call"], transcript);
        token = true;
    }
    token
}

fn say(voice: Voice, text: &str, transcript: &mut Transcript) -> bool {
    transcript.say(voice, text);
    !text.is_empty()
}

fn call_part(key: Option<u64>, id: &str, function: &Value, transcript: &mut Transcript) {
    let arguments = arguments_of(&function["arguments"]);
    transcript.call(CallPart { key, id, name: text(&function["name"]), arguments: &arguments });
}
