//! Tests of the composition: what counts as what, in the shapes of every API.

use super::*;

/// The sizes of a body's portions that are not empty, and its shape.
fn portions(body: &str) -> (&'static str, Vec<(&'static str, u64)>) {
    let composition = Composition::of(body.as_bytes());
    let sizes: Vec<_> = Portion::ALL.map(|portion| (portion.name(), composition.size(portion))).into();
    let sum: u64 = sizes.iter().map(|(_, size)| size).sum();
    assert_eq!(sum + composition.rest(), body.len() as u64);
    (composition.api, sizes.into_iter().filter(|(_, size)| *size > 0).collect())
}

#[test]
fn chat_completions() {
    let body = r#"{"model":"m-1","messages":[
        {"role":"system","content":"1234"},
        {"role":"user","content":[{"type":"text","text":"12"},{"type":"image_url","image_url":{"url":"data:"}}]},
        {"role":"assistant","content":null,"reasoning_content":"123456","tool_calls":[{"id":"c"}]},
        {"role":"tool","tool_call_id":"c","content":"12345678"},
        {"role":"developer","content":""},
        {"content":"1","role":"assistant"}
    ],"stream":true,"tools":[{"type":"function"},{"type":"function"}]}"#;
    let expected = [
        ("system", 6 + 2),
        ("user", 27),
        ("assistant content", 3),
        ("reasoning", 8),
        ("tool calls", 12),
        ("tool results", 10),
        ("tool definitions", 41),
        ("images", 48),
    ];
    assert_eq!(portions(body), ("openai-completions", expected.to_vec()));
    let composition = Composition::of(body.as_bytes());
    assert_eq!(composition.model.as_deref(), Some("m-1"));
    assert_eq!((composition.messages, composition.tools, composition.images), (6, 2, 1));
}

#[test]
fn responses() {
    let body = r#"{"model":"m","instructions":"12","input":[
        {"role":"user","content":[{"type":"input_text","text":"1"}]},
        {"type":"reasoning","summary":[]},
        {"type":"function_call","name":"f"},
        {"type":"function_call_output","output":"1"},
        {"type":"message","role":"assistant","content":[{"type":"output_text","text":"1"}]}]}"#;
    let expected = [
        ("system", 4),
        ("user", 32),
        ("assistant content", 33),
        ("reasoning", 33),
        ("tool calls", 35),
        ("tool results", 44),
    ];
    assert_eq!(portions(body), ("openai-responses", expected.to_vec()));
    assert_eq!(portions(r#"{"input":"1234"}"#), ("openai-responses", vec![("user", 6)]));
}

#[test]
fn anthropic() {
    let body = r#"{"model":"m","max_tokens":1,"system":[{"type":"text","text":"1"}],"messages":[
        {"role":"user","content":"12"},
        {"role":"assistant","content":[{"type":"thinking","thinking":"1"},{"type":"tool_use","id":"t"}]},
        {"role":"user","content":[{"type":"tool_result","content":[{"type":"text","text":"1"},{"type":"image"}]}]}],
        "tools":[{"name":"t"}]}"#;
    let expected = [
        ("system", 26),
        ("user", 4),
        ("reasoning", 34),
        ("tool calls", 28),
        ("tool results", 26),
        ("tool definitions", 14),
        ("images", 16),
    ];
    assert_eq!(portions(body), ("anthropic-messages", expected.to_vec()));
    let by_block = r#"{"messages":[{"role":"user","content":[{"type":"tool_result","content":"1"}]}]}"#;
    assert_eq!(portions(by_block), ("anthropic-messages", vec![("tool results", 36)]));
}

#[test]
fn gemini() {
    let body = r#"{"systemInstruction":{"parts":[{"text":"1"}]},"contents":[
        {"role":"user","parts":[{"text":"12"},{"inlineData":{}}]},
        {"role":"model","parts":[{"text":"1","thought":true},{"functionCall":{}}]},
        {"role":"user","parts":[{"functionResponse":{}}]}],
        "tools":[{"functionDeclarations":[{},{},{}]}]}"#;
    let expected = [
        ("system", 12),
        ("user", 13),
        ("reasoning", 27),
        ("tool calls", 19),
        ("tool results", 23),
        ("tool definitions", 37),
        ("images", 17),
    ];
    assert_eq!(portions(body), ("google-generative-ai", expected.to_vec()));
    assert_eq!(Composition::of(body.as_bytes()).tools, 3);
}

#[test]
fn ollama_and_others() {
    let body = r#"{"model":"m","messages":[{"role":"user","content":"1","images":["AA","BB"]}],"keep_alive":1}"#;
    assert_eq!(portions(body), ("ollama", vec![("user", 3), ("images", 8)]));
    assert_eq!(portions(r#"{"prompt":"1","options":{}}"#), ("ollama", vec![("user", 3)]));
    assert_eq!(portions(r#"{"prompt":"1"}"#), ("text-completions", vec![("user", 3)]));
    assert_eq!(portions("{}"), ("unknown", vec![]));
    assert_eq!(portions("[1]"), ("unknown", vec![]));
}

#[test]
fn no_json_makes_it_panic() {
    arbtest::arbtest(|u| {
        let keys = ["messages", "input", "contents", "content", "parts", "tools", "role", "type", "images", "system"];
        let mut text = String::new();
        for _ in 0..u.int_in_range(0..=30)? {
            let key = format!("\"{}\":", u.choose(&keys)?);
            text +=
                u.choose(&["{", "}", "[", "]", ",", "null", "\"user\"", "\"tool_result\"", "1", " ", key.as_str()])?;
        }
        let composition = Composition::of(format!("{{\"messages\":[{text}]}}").as_bytes());
        assert!(composition.rest() <= composition.total);
        Ok(())
    });
}
