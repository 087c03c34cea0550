//! `%{json}` and `%{header_json}` of `-w`, in curl's layout.

use std::fmt::Write as _;

use super::write_out_value::{Facts, VARIABLES};
use crate::http::Field;

/// One object with every variable in alphabetical order, then `curl_version`, as curl has it.
pub(super) fn write(facts: &Facts, text: &mut String) {
    text.push('{');
    for (name, value) in VARIABLES {
        quote(name, text);
        text.push(':');
        value(facts).write_json(text);
        text.push(',');
    }
    text.push_str(concat!("\"curl_version\":\"gzpost/", env!("CARGO_PKG_VERSION"), "\"}"));
}

/// One object of the fields: names in lower case, in the order of their first appearance, each with all its values.
pub(super) fn write_fields(fields: &[Field], text: &mut String) {
    let mut separator = "{";
    for (at, field) in fields.iter().enumerate() {
        let same = |other: &&Field| other.name.eq_ignore_ascii_case(&field.name);
        if fields[..at].iter().any(|earlier| same(&earlier)) {
            continue;
        }
        text.push_str(separator);
        quote(&field.name.to_ascii_lowercase(), text);
        separator = ":[";
        for value in fields[at..].iter().filter(same) {
            text.push_str(separator);
            quote(&value.value, text);
            separator = ",";
        }
        text.push(']');
        separator = ",\n";
    }
    text.push_str(if separator == "{" { "{\n}" } else { "\n}" });
}

/// A JSON string (RFC 8259, section 7); only what must be escaped is.
pub(super) fn quote(value: &str, text: &mut String) {
    text.push('"');
    for character in value.chars() {
        match character {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '\u{8}' => text.push_str("\\b"),
            '\u{c}' => text.push_str("\\f"),
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\t' => text.push_str("\\t"),
            '\0'..' ' => {
                let _ = write!(text, "\\u{:04x}", u32::from(character));
            }
            _ => text.push(character),
        }
    }
    text.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(list: &[(&str, &str)]) -> String {
        let fields: Vec<Field> =
            list.iter().map(|&(name, value)| Field { name: name.into(), value: value.into() }).collect();
        let mut text = String::new();
        write_fields(&fields, &mut text);
        text
    }

    #[test]
    fn fields_of_one_name_share_an_array() {
        let text = fields(&[("Vary", "A"), ("Date", "now"), ("vary", "\"B\"")]);
        assert_eq!(text, "{\"vary\":[\"A\",\"\\\"B\\\"\"],\n\"date\":[\"now\"]\n}");
    }

    #[test]
    fn no_fields_make_an_empty_object() {
        assert_eq!(fields(&[]), "{\n}");
    }

    #[test]
    fn quoted_text_reads_back_as_it_was() {
        arbtest::arbtest(|u| {
            let value: String = u.arbitrary()?;
            let mut text = String::new();
            quote(&value, &mut text);
            assert_eq!(serde_json::from_str::<String>(&text).unwrap(), value);
            Ok(())
        });
    }
}
