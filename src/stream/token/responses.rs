//! OpenAI responses.

use serde_json::Value;

use super::{Answer, Heard, items, text};
use crate::stream::transcript::{CallPart, Transcript, Voice};

/// An event, or a whole answer.
pub(super) fn read(event: &Value, answer: &mut Answer) -> Heard {
    let kind = text(&event["type"]);
    match kind {
        "response.completed" | "response.incomplete" | "response.failed" => Heard {
            // Relays that do not stream the text send it at the end.
            token: whole(&event["response"], answer),
            ..Heard::default()
        },
        "response.output_item.done" => {
            let token = !answer.token_seen && is_call(&event["item"]);
            item(&event["item"], &mut answer.transcript, false);
            Heard { token, ..Heard::default() }
        }
        _ if kind.strip_suffix(".delta").is_some() => {
            let delta = text(&event["delta"]);
            match kind {
                _ if kind.contains("reasoning") => answer.transcript.say(Voice::Reasoning, delta),
                "response.output_text.delta" | "response.refusal.delta" => {
                    answer.transcript.say(Voice::Answer, delta);
                }
                // Arguments: the item holds them all when it is done.
                _ => {}
            }
            Heard { token: !delta.is_empty(), ..Heard::default() }
        }
        "" => Heard { token: whole(event, answer), whole: true, ..Heard::default() },
        _ => Heard::default(),
    }
}

/// The end: usage, and all that was said unless it was said before.
fn whole(response: &Value, answer: &mut Answer) -> bool {
    let usage = &response["usage"];
    answer.count(&usage["output_tokens"], &usage["output_tokens_details"]["reasoning_tokens"]);
    answer.end_seen = true;
    let mut token = false;
    if !answer.token_seen {
        for output in items(&response["output"]) {
            token |= item(output, &mut answer.transcript, true);
        }
    }
    token
}

fn is_call(item: &Value) -> bool {
    matches!(text(&item["type"]), "function_call" | "custom_tool_call")
}

/// An item that is complete: calls are always new, texts only when they did not come as deltas.
fn item(item: &Value, transcript: &mut Transcript, texts: bool) -> bool {
    if is_call(item) {
        let (arguments, input) = (text(&item["arguments"]), text(&item["input"]));
        let arguments = if arguments.is_empty() { input } else { arguments };
        transcript.whole_call(CallPart { key: None, id: text(&item["call_id"]), name: text(&item["name"]), arguments });
        return true;
    }
    let voice = if item["type"] == "reasoning" { Voice::Reasoning } else { Voice::Answer };
    let mut token = false;
    for part in items(&item["summary"]).iter().chain(items(&item["content"])).filter(|_| texts) {
        for said in [text(&part["text"]), text(&part["refusal"])] {
            transcript.say(voice, said);
            token |= !said.is_empty();
        }
    }
    token
}
