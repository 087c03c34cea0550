//! Gemini's `generateContent` and `streamGenerateContent`.

use serde_json::Value;

use super::{Answer, Heard, is_first, items, text};
use crate::stream::transcript::{CallPart, Transcript, Voice, arguments_of};

/// A chunk; a whole answer has the same shape.
pub(super) fn read(event: &Value, answer: &mut Answer) -> Heard {
    let usage = &event["usageMetadata"];
    let counts = ["candidatesTokenCount", "thoughtsTokenCount"].map(|name| usage[name].as_u64());
    if let [Some(_), _] | [_, Some(_)] = counts {
        answer.usage = Some(counts.into_iter().flatten().fold(0, u64::saturating_add));
        answer.usage_reasoning = counts[1].or(answer.usage_reasoning);
    }
    let mut token = false;
    let mut unseen = Transcript::default();
    for candidate in items(&event["candidates"]) {
        let transcript = if is_first(candidate) { &mut answer.transcript } else { &mut unseen };
        for part in items(&candidate["content"]["parts"]) {
            token |= read_part(part, transcript);
        }
        answer.end_seen |= !text(&candidate["finishReason"]).is_empty();
    }
    // A blocked prompt has no candidates.
    answer.end_seen |= !text(&event["promptFeedback"]["blockReason"]).is_empty();
    Heard { token, whole: true, ..Heard::default() }
}

/// A part may hold nothing but a `thoughtSignature`.
fn read_part(part: &Value, transcript: &mut Transcript) -> bool {
    let call = &part["functionCall"];
    if call.is_object() {
        let arguments = arguments_of(&call["args"]);
        let (id, name) = (text(&call["id"]), text(&call["name"]));
        transcript.whole_call(CallPart { key: None, id, name, arguments: &arguments });
        return true;
    }
    let voice = if part["thought"] == true { Voice::Reasoning } else { Voice::Answer };
    transcript.say(voice, text(&part["text"]));
    !text(&part["text"]).is_empty()
}
