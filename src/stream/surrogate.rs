//! JSON whose `\u` escapes cut a surrogate pair in two: one half here, the other at the start of the next event.

use serde_json::Value;

/// Parses JSON. Where there are lone surrogates, which a `String` cannot hold, all that are written as escapes come as
/// placeholders that `join` knows; the flag says so.
pub(super) fn parse(json: &str) -> Option<(Value, bool)> {
    match serde_json::from_str(json) {
        Ok(value) => Some((value, false)),
        Err(_) => Some((serde_json::from_str(&mark(json)?).ok()?, true)),
    }
}

/// Appends `text` to `out`; `half` is a leading surrogate that waits for its other half.
pub(super) fn join(half: &mut Option<u16>, text: &str, marked: bool, out: &mut String) {
    if half.is_none() && !marked {
        out.push_str(text);
        return;
    }
    for character in text.chars() {
        let unit = unit_of(character).filter(|_| marked);
        let waiting = half.take();
        match (waiting, unit) {
            (Some(lead), Some(trail @ 0xDC00..)) => {
                out.extend(char::decode_utf16([lead, trail]).map(|pair| pair.unwrap_or(char::REPLACEMENT_CHARACTER)));
                continue;
            }
            (Some(_), _) => out.push(char::REPLACEMENT_CHARACTER),
            (None, _) => {}
        }
        match unit {
            Some(lead @ ..0xDC00) => *half = Some(lead),
            Some(_) => out.push(char::REPLACEMENT_CHARACTER),
            None => out.push(character),
        }
    }
}

/// The first of the 2,048 characters that stand for the surrogates: the end of the last private plane.
const PLACEHOLDERS: u32 = 0x10_F800;

fn unit_of(character: char) -> Option<u16> {
    u16::try_from(u32::from(character).checked_sub(PLACEHOLDERS)? + 0xD800).ok()
}

/// Replaces the escapes of surrogates; `None` when there are none.
fn mark(json: &str) -> Option<String> {
    let mut out = String::with_capacity(json.len());
    let mut found = false;
    let mut rest = json;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        out.push_str(before);
        if let Some(unit) = surrogate(escape) {
            found = true;
            out.extend(char::from_u32(PLACEHOLDERS + u32::from(unit - 0xD800)));
            rest = &escape[6..];
        } else {
            let length = 1 + escape[1..].chars().next().map_or(0, char::len_utf8);
            out.push_str(&escape[..length]);
            rest = &escape[length..];
        }
    }
    out.push_str(rest);
    found.then_some(out)
}

/// The surrogate that the escape at the start of `text` stands for.
fn surrogate(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    u16::from_str_radix(digits, 16).ok().filter(|unit| (0xD800..=0xDFFF).contains(unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(strings: &[&str]) -> String {
        let (mut half, mut out) = (None, String::new());
        for string in strings {
            let (value, marked) = parse(string).expect("JSON");
            join(&mut half, value.as_str().expect("a string"), marked, &mut out);
        }
        out.extend(half.map(|_| char::REPLACEMENT_CHARACTER));
        out
    }

    #[test]
    fn halves_meet_and_lone_ones_are_replaced() {
        for (strings, text) in [
            (&[r#""a\ud83d\ude00b""#][..], "a😀b"),
            (&[r#""a\ud83d""#, r#""\uDE00b""#], "a😀b"),
            (&[r#""a\ud83d""#, r#""""#, r#""\ude00b""#], "a😀b"),
            (&[r#""a\ud83d""#], "a\u{FFFD}"),
            (&[r#""\ud83d""#, r#""b""#], "\u{FFFD}b"),
            (&[r#""\ude00\ud83d\ud83d""#, r#""\ude00""#], "\u{FFFD}\u{FFFD}😀"),
            (&[r#""\\ud83d \ude00 \ud83d\ude00""#], "\\ud83d \u{FFFD} 😀"),
            (&["\"\u{10F83D}\""], "\u{10F83D}"),
            (&[r#""\ud83d""#, "\"\u{10FE00}\""], "\u{FFFD}\u{10FE00}"),
        ] {
            assert_eq!(joined(strings), text, "{strings:?}");
        }
    }

    #[test]
    fn what_is_no_json_stays_so() {
        for text in ["", "\\", "\\u", "\"\\ud83d", "{\"a\":\\ud83d}", "\\ä", "\"\\uD8"] {
            assert!(parse(text).is_none(), "{text:?}");
        }
    }

    #[test]
    fn any_text_never_panics_and_utf16_survives_any_cut() {
        arbtest::arbtest(|u| {
            let text: String = u.arbitrary()?;
            let _ = parse(&text);
            let units: Vec<String> = text.encode_utf16().map(|unit| format!("\"\\u{unit:04x}\"")).collect();
            let strings: Vec<&str> = units.iter().map(String::as_str).collect();
            assert_eq!(joined(&strings), text);
            Ok(())
        });
    }
}
