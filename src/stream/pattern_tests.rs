//! Tests of `pattern.rs`.

use std::time::Duration;

use super::super::Scanner;
use super::*;

const CHAT: &str = r#"data: {"id":"c1","object":"chat.completion.chunk","created":7,"model":"m","choices":[{"index":0,"delta":{"content":"TEXT"},"finish_reason":null}]}"#;

const MESSAGES: &str = "event: content_block_delta\ndata: {\"type\": \"content_block_delta\", \"index\": 0, \
                        \"delta\": {\"type\": \"text_delta\", \"text\": \"TEXT\"}}";

const RESPONSES: &str =
    r#"data:{"type":"response.output_text.delta","sequence_number":7,"item_id":"i","delta":"TEXT","obfuscation":"c1"}"#;

fn learnt(event: &str) -> Pattern {
    let mut pattern = Pattern::default();
    pattern.learn(event.as_bytes());
    pattern
}

#[test]
fn events_that_differ_in_the_token_follow_the_pattern() {
    for event in [CHAT, MESSAGES, RESPONSES] {
        let event = |text: &str| format!("{event}\n\n").replace("TEXT", text);
        let mut pattern = learnt(&event("a"));
        for text in ["b", "Grüße, 🌍", r#"\"\n\\"#, "chat.completion.chunk"] {
            assert_eq!(pattern.repeats(event(text).as_bytes()), (1, event(text).len()), "{text}");
        }
        for text in ["", r"\", r"\ud83c", r"\x", "\n", "a\",\"b\":\"c"] {
            assert_eq!(pattern.repeats(event(text).as_bytes()), (0, 0), "{text:?}");
        }
        let three = [event("a"), event("b"), event("")].concat();
        assert_eq!(pattern.repeats(three.as_bytes()), (2, event("a").len() * 2));
        assert_eq!(pattern.repeats(&event("a").as_bytes()[..event("a").len() - 1]), (0, 0));
    }
}

#[test]
fn what_changes_beside_the_token_is_learnt_when_it_does() {
    for event in [CHAT, RESPONSES] {
        let event = |number: &str, id: &str| {
            let event = event.replace("TEXT", "a").replace(":7,", &format!(":{number},")).replace("c1", id);
            event + "\r\n\r\n"
        };
        let mut pattern = learnt(&event("8", "a"));
        assert_eq!(pattern.repeats(event("9", "b").as_bytes()), (0, 0));
        pattern.learn(event("9", "b").as_bytes());
        for (number, id, follows) in [("10", "c2", true), ("0", "", true), ("01", "c", false), ("-1", "c", false)] {
            assert_eq!(pattern.repeats(event(number, id).as_bytes()).0 == 1, follows, "{number} {id}");
        }
    }
}

#[test]
fn there_is_no_pattern_where_the_token_is_not_alone() {
    for event in [
        // Two texts that are the token; a usage, an end or an error beside it; a call.
        r#"{"choices":[{"delta":{"reasoning":"a","content":"b"}}]}"#,
        r#"{"choices":[{"delta":{"content":"b"}}],"usage":{"completion_tokens":1}}"#,
        r#"{"choices":[{"delta":{"content":"b"},"finish_reason":"stop"}]}"#,
        r#"{"choices":[{"delta":{"content":"b"}}],"error":"busy"}"#,
        r#"{"choices":[{"delta":{"tool_calls":[{"function":{"name":"f"}}]}}]}"#,
    ] {
        assert!(learnt(&format!("data: {event}\n\n")).parts.is_empty(), "{event}");
    }
    for end in ["\n\r", "\r\r"] {
        assert!(learnt(&format!("{CHAT}{end}")).parts.is_empty());
    }
    assert!(learnt(&format!("{}\n\n", CHAT.replace("TEXT", &"a".repeat(LARGE)))).parts.is_empty());
}

#[test]
fn a_stream_without_patterns_is_left_alone() {
    let mut pattern = Pattern::default();
    for number in 0..=ATTEMPTS {
        let event = CHAT.replace("TEXT", "a").replace("\"m\"", &format!("\"m{number}\""));
        assert_eq!(pattern.repeats(event.as_bytes()), (0, 0));
        pattern.learn(format!("{event}\n\n").as_bytes());
        assert_eq!(pattern.failed, ATTEMPTS.min(number + 1));
    }
}

/// Counts and moments are the same where each event is parsed, as it is when texts are wanted.
#[test]
fn a_pattern_changes_nothing_but_the_time_it_takes() {
    let chunk = |delta: &str| format!(r#"data: {{"choices":[{{"delta":{{{delta}}},"finish_reason":null}}]}}"#);
    let kinds = [
        CHAT.to_owned(),
        CHAT.replace("c1", "c2"),
        MESSAGES.to_owned(),
        RESPONSES.to_owned(),
        chunk(r#""content":"TEXT""#),
        chunk(r#""reasoning":"TEXT""#),
        chunk(r#""role":"TEXT""#),
        chunk(r#""content":"TEXT""#).replace("null", "\"TEXT\""),
        r#"data: {"choices":[],"usage":{"completion_tokens":3}}"#.to_owned(),
        ": comment".to_owned(),
        "data: [DONE]".to_owned(),
    ];
    let texts = ["", "bc d", r"\n", r"\u00fc", r"\ud83c", r"\x", "\"", "ü", "}\n\n", "error"];
    arbtest::arbtest(|u| {
        let mut stream = String::new();
        let end = *u.choose(&["\n", "\r\n", "\r"])?;
        for _ in 0..u.int_in_range(0..=6)? {
            let kind = u.choose(&kinds)?;
            for _ in 0..u.int_in_range(1..=4)? {
                let text = if u.arbitrary()? { "a" } else { *u.choose(&texts)? };
                stream += &kind.replace("TEXT", text).replace('\n', end);
                stream += &end.repeat(2);
            }
        }
        let (mut counted, mut parsed) = (Scanner::new(None, false), Scanner::new(None, true));
        let (mut rest, mut now) = (stream.as_bytes(), Duration::ZERO);
        while !rest.is_empty() {
            let (part, after) = rest.split_at(u.int_in_range(1..=900)?.min(rest.len()));
            now += Duration::from_millis(u.int_in_range(0..=3)?);
            counted.feed(part, now);
            parsed.feed(part, now);
            rest = after;
        }
        counted.finish(now);
        parsed.finish(now);
        assert_eq!(counted.tokens(), parsed.tokens(), "{stream}");
        assert_eq!(
            [counted.first_event(), counted.first_token(), counted.last_token()],
            [parsed.first_event(), parsed.first_token(), parsed.last_token()]
        );
        assert_eq!((counted.error(), counted.cut_off()), (parsed.error(), parsed.cut_off()));
        Ok(())
    })
    .budget_ms(500);
}

#[test]
fn any_bytes_never_panic() {
    arbtest::arbtest(|u| {
        let mut event: Vec<u8> = u.arbitrary()?;
        if u.arbitrary()? {
            event.extend(CHAT.bytes());
            let at = u.choose_index(event.len())?;
            event[at] = u.arbitrary()?;
        }
        event.extend(b"\n\n");
        let mut pattern = Pattern { failed: u.int_in_range(0..=2)?, ..Pattern::default() };
        pattern.learn(&event);
        assert!(pattern.repeats(&event).1 <= event.len());
        Ok(())
    });
}
