//! Changing a JSON text without parsing and writing it anew: every byte that is not meant stays.

use std::ops::Range;

use serde_json::Value;

use super::scan;
use crate::error::{Error, Kind, Result};

/// Sets the top-level member `key` to `value`, which is JSON itself; a missing member is added as the last one.
///
/// Every member of that name is set, as servers differ in which of several they read. A text that is no object is
/// `Kind::Read`, without the name of the body.
pub fn set(bytes: &[u8], key: &str, value: &str) -> Result<Vec<u8>> {
    let object = Object::scan(bytes)
        .ok_or_else(|| Error::new(Kind::Read, format!("not a JSON object, so there is no `{key}` to set")))?;
    let mut edited = Vec::with_capacity(bytes.len() + key.len() + value.len() + 16);
    let mut copied = 0;
    for member in object.members.iter().filter(|member| is_key(&bytes[member.key.clone()], key)) {
        edited.extend_from_slice(&bytes[copied..member.value.start]);
        edited.extend_from_slice(value.as_bytes());
        copied = member.value.end;
    }
    if copied == 0 {
        let (end, comma) = object.members.last().map_or((object.open + 1, ""), |last| (last.value.end, ","));
        edited.extend_from_slice(&bytes[..end]);
        edited.extend_from_slice(format!("{comma}{}:{value}", Value::from(key)).as_bytes());
        copied = end;
    }
    edited.extend_from_slice(&bytes[copied..]);
    Ok(edited)
}

/// Sets the top-level `model` to this name.
pub fn model(bytes: &[u8], name: &str) -> Result<Vec<u8>> {
    set(bytes, "model", &Value::from(name).to_string())
}

/// Drops white space between tokens; strings and numbers stay as they are.
#[must_use]
pub fn compact(mut bytes: Vec<u8>) -> Vec<u8> {
    let (mut read, mut written) = (scan::skip_space(&bytes, 0), 0);
    while read < bytes.len() {
        let start = read;
        while read < bytes.len() && !scan::is_space(bytes[read]) {
            read = match bytes[read] {
                b'"' => scan::string_end(&bytes, read).unwrap_or(bytes.len()),
                _ => read + 1,
            };
        }
        bytes.copy_within(start..read, written);
        written += read - start;
        read = scan::skip_space(&bytes, read);
    }
    bytes.truncate(written);
    bytes
}

/// Whether a key as written, quotes included, means this one.
fn is_key(written: &[u8], key: &str) -> bool {
    if written.contains(&b'\\') {
        serde_json::from_slice::<String>(written).is_ok_and(|name| name == key)
    } else {
        &written[1..written.len() - 1] == key.as_bytes()
    }
}

/// The members of an object, in order: names without quotes as written, and values as written; none of anything else.
pub(super) fn members(object: &[u8]) -> Vec<(&[u8], &[u8])> {
    let members = Object::scan(object).map(|object| object.members).unwrap_or_default();
    let slices = |Member { key, value }| (&object[key.start + 1..key.end - 1], &object[value]);
    members.into_iter().map(slices).collect()
}

/// Where the members of a top-level object are.
struct Object {
    open: usize,
    members: Vec<Member>,
}

struct Member {
    key: Range<usize>,
    value: Range<usize>,
}

impl Object {
    /// `None` when the text is not one object and nothing else; what is inside the values is not looked at.
    fn scan(bytes: &[u8]) -> Option<Object> {
        let open = scan::skip_space(bytes, 0);
        if *bytes.get(open)? != b'{' {
            return None;
        }
        let mut members = Vec::new();
        let mut at = scan::skip_space(bytes, open + 1);
        while *bytes.get(at)? != b'}' {
            if !members.is_empty() {
                at = (bytes[at] == b',').then(|| scan::skip_space(bytes, at + 1))?;
            }
            let key = at..(*bytes.get(at)? == b'"').then(|| scan::string_end(bytes, at))??;
            let colon = scan::skip_space(bytes, key.end);
            let start = (*bytes.get(colon)? == b':').then(|| scan::skip_space(bytes, colon + 1))?;
            let value = start..scan::value_end(bytes, start)?;
            at = scan::skip_space(bytes, value.end);
            members.push(Member { key, value });
        }
        (scan::skip_space(bytes, at + 1) == bytes.len()).then_some(Object { open, members })
    }
}

#[cfg(test)]
#[path = "splice_tests.rs"]
mod tests;
