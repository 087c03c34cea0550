//! The lines of a config file (`-K`): `name = "value"`, `name: value`, `--name value`, `#` comments.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

/// An option in a config file.
#[derive(Debug, PartialEq, Eq)]
pub struct ConfigLine {
    /// From 1.
    pub number: usize,
    /// As written, with or without dashes.
    pub name: Vec<u8>,
    /// `None`: nothing follows the name.
    pub value: Option<OsString>,
    /// What looks like a mistake.
    pub warning: Option<&'static str>,
}

/// The options of a config file, in order. Every text has a meaning; which options exist is the caller's business.
#[must_use]
pub fn lines(text: &[u8]) -> Vec<ConfigLine> {
    text.split(|byte| *byte == b'\n').enumerate().filter_map(|(index, line)| parse_line(index + 1, line)).collect()
}

fn parse_line(number: usize, line: &[u8]) -> Option<ConfigLine> {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let line = &line[line.iter().position(|byte| !is_blank(*byte))?..];
    if line.starts_with(b"#") {
        return None;
    }
    // `:` and `=` separate only after a name without dashes: `-o=x` is the file `=x`.
    let separates = |byte: u8| is_blank(byte) || !line.starts_with(b"-") && matches!(byte, b'=' | b':');
    let (name, rest) = line.split_at(line.iter().position(|byte| separates(*byte)).unwrap_or(line.len()));
    let rest = &rest[rest.iter().position(|byte| !separates(*byte)).unwrap_or(rest.len())..];
    let (value, warning) = parse_value(rest);
    Some(ConfigLine { number, name: name.to_vec(), value: value.map(OsString::from_vec), warning })
}

fn parse_value(text: &[u8]) -> (Option<Vec<u8>>, Option<&'static str>) {
    if let Some(quoted) = text.strip_prefix(b"\"") {
        return (Some(unquote(quoted)), None);
    }
    let (word, rest) = text.split_at(text.iter().position(u8::is_ascii_whitespace).unwrap_or(text.len()));
    if word.is_empty() {
        return (None, None);
    }
    let behind = rest.iter().find(|byte| !is_blank(**byte));
    let warning = if word.starts_with(b"'") {
        Some("single quotes do not quote here, use double quotes")
    } else if behind.is_some_and(|byte| *byte != b'#') {
        Some("only the first word is the value, use double quotes")
    } else {
        None
    };
    (Some(word.to_vec()), warning)
}

/// Up to the closing quote or the end of the line; a backslash in front of any other letter means nothing.
fn unquote(text: &[u8]) -> Vec<u8> {
    let mut value = Vec::new();
    let mut bytes = text.iter();
    while let Some(byte) = bytes.next().filter(|byte| **byte != b'"') {
        if *byte == b'\\' {
            value.extend(bytes.next().map(|escaped| match escaped {
                b't' => b'\t',
                b'n' => b'\n',
                b'r' => b'\r',
                b'v' => b'\x0b',
                other => *other,
            }));
        } else {
            value.push(*byte);
        }
    }
    value
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Vec<(String, Option<String>)> {
        let text_of = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let value = |line: &ConfigLine| line.value.as_ref().map(|value| value.to_string_lossy().into_owned());
        lines(text.as_bytes()).iter().map(|line| (text_of(&line.name), value(line))).collect()
    }

    #[test]
    fn every_form_of_a_line() {
        for (text, name, value) in [
            ("url = \"http://a/\"", "url", Some("http://a/")),
            ("url=http://a/", "url", Some("http://a/")),
            ("url: http://a/", "url", Some("http://a/")),
            ("url http://a/", "url", Some("http://a/")),
            ("--url http://a/", "--url", Some("http://a/")),
            ("--url=http://a/", "--url=http://a/", None),
            ("-o =x", "-o", Some("=x")),
            ("-o = x", "-o", Some("=")),
            ("  silent\r", "silent", None),
            ("-sS # both", "-sS", Some("#")),
            ("data = \"a\\tb\\n\\\"c\\\" \\\\ \\d\" # comment", "data", Some("a\tb\n\"c\" \\ d")),
            ("data = a\\tb", "data", Some("a\\tb")),
            ("data = \"\"", "data", Some("")),
            ("data = \"open", "data", Some("open")),
            ("data = \"end\\", "data", Some("end")),
        ] {
            assert_eq!(parsed(text), [(name.to_owned(), value.map(str::to_owned))], "{text}");
        }
    }

    #[test]
    fn comments_and_empty_lines_are_passed_over_but_counted() {
        let lines = lines(b"# one\n\n   # two\n \t\nsilent\n");
        assert_eq!(lines.iter().map(|line| line.number).collect::<Vec<_>>(), [5]);
        assert_eq!(super::lines(b""), []);
    }

    #[test]
    fn likely_mistakes_are_warned_about() {
        assert!(lines(b"data = arg with space")[0].warning.is_some_and(|text| text.contains("first word")));
        assert!(lines(b"data = 'quoted'")[0].warning.is_some_and(|text| text.contains("single quotes")));
        assert_eq!(lines(b"data = word # comment")[0].warning, None);
        assert_eq!(lines(b"data = word  \r")[0].warning, None);
    }

    #[test]
    fn any_text_has_lines() {
        arbtest::arbtest(|u| {
            let alphabet = b"ab-=: \t\"\\#'\r\n\0\xff";
            let text: Vec<u8> =
                (0..u.int_in_range(0..=60)?).map(|_| u.choose(alphabet).copied()).collect::<Result<_, _>>()?;
            let rows = text.split(|byte| *byte == b'\n').count();
            let numbers: Vec<usize> = lines(&text).iter().map(|line| line.number).collect();
            assert!(numbers.is_sorted_by(|before, after| before < after), "{numbers:?}");
            assert!(numbers.iter().all(|number| (1..=rows).contains(number)), "{numbers:?} of {rows}");
            Ok(())
        });
    }

    #[test]
    fn a_quoted_value_comes_back_as_it_was() {
        arbtest::arbtest(|u| {
            let value: String = u.arbitrary()?;
            let value = value.replace('\n', " ");
            let quoted = value.replace('\\', "\\\\").replace('"', "\\\"");
            let found = lines(format!("data = \"{quoted}\"").as_bytes());
            assert_eq!(found[0].value.as_deref(), Some(std::ffi::OsStr::new(&value)));
            Ok(())
        });
    }
}
