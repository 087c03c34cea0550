//! Fields of the request: `-H` in all its forms, and what goes into fields of its own.

use std::io::Read;

use super::args::{Args, text, usage};
use crate::error::{Error, Kind, Result, describe};
use crate::http::FieldLine;

/// curl's limit for a request head; what is larger is refused before a connection is made.
const MAX_FIELD: usize = 1 << 20;

/// `-H`, `--proxy-header`: each a line, or `@FILE`, `@-` with a line each.
pub fn field_lines(
    key: &'static str,
    args: &mut Args,
    stdin: &mut dyn Read,
    warnings: &mut Vec<String>,
) -> Result<Vec<FieldLine>> {
    let mut fields = Vec::new();
    for value in args.texts(key)? {
        let lines = match value.strip_prefix('@') {
            Some(path) => file_lines(key, path, stdin)?,
            None => vec![value],
        };
        for line in lines {
            match field_line(key, &line)? {
                Some(field) => fields.push(field),
                // A line may be a secret that was meant for something else.
                None => warnings.push(format!("{key}: dropped a line of {} bytes without a colon", line.len())),
            }
        }
    }
    Ok(fields)
}

fn file_lines(key: &str, path: &str, stdin: &mut dyn Read) -> Result<Vec<String>> {
    let lines = text(key, std::os::unix::ffi::OsStringExt::from_vec(file(key, path, stdin)?))?;
    let lines = lines.lines().map(|line| line.strip_suffix('\r').unwrap_or(line));
    let comment = |line: &str| matches!(line.trim_start_matches([' ', '\t']).bytes().next(), None | Some(b'#'));
    Ok(lines.filter(|line| !comment(line)).map(str::to_owned).collect())
}

/// The bytes of a file that an option names; `-` is stdin.
pub fn file(key: &str, path: &str, stdin: &mut dyn Read) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = match path {
        "-" => stdin.read_to_end(&mut bytes).map(drop),
        _ => std::fs::read(path).map(|read| bytes = read),
    };
    read.map_err(|error| Error::new(Kind::Read, format!("{key}: cannot read {path}: {}", describe(&error))))?;
    Ok(bytes)
}

/// `Name: value`, `Name:` (remove), `Name;` (empty); `None` for a line that says nothing.
fn field_line(key: &str, line: &str) -> Result<Option<FieldLine>> {
    no_control(key, line)?;
    if line.len() > MAX_FIELD {
        return Err(Error::new(Kind::FieldTooLarge, format!("{key}: a line of {} bytes is too long", line.len())));
    }
    let blank = [' ', '\t'];
    let field = match (line.split_once(':'), line.strip_suffix(';')) {
        (None, Some(name)) if !name.contains(';') => FieldLine::Set(name.trim_matches(blank).to_owned(), String::new()),
        (None, _) => return Ok(None),
        (Some((name, value)), _) => match (name.trim_matches(blank).to_owned(), value.trim_matches(blank)) {
            (name, "") => FieldLine::Remove(name),
            (name, value) => FieldLine::Set(name, value.to_owned()),
        },
    };
    match &field {
        FieldLine::Set(name, _) if !is_token(name) => Err(usage(format!("{key}: '{name}' is not a field name"))),
        _ => Ok(Some(field)),
    }
}

/// Whether a line names this field, removing included.
pub fn names(fields: &[FieldLine], name: &str) -> bool {
    fields.iter().any(|field| field.is(name))
}

/// A text without control characters, for the head or, as a model's name, for the body.
pub fn head_text(key: &'static str, args: &mut Args) -> Result<Option<String>> {
    let value = args.text(key)?;
    value.as_deref().map_or(Ok(()), |value| no_control(key, value))?;
    Ok(value)
}

/// Nothing that could end a line of the head and begin another one.
pub fn no_control(key: &str, value: &str) -> Result<()> {
    match value.chars().find(|letter| letter.is_ascii_control() && *letter != '\t') {
        None => Ok(()),
        Some(letter) => Err(usage(format!("{key}: the value holds a control character ({})", letter.escape_debug()))),
    }
}

/// A method or a field name (RFC 9110, section 5.6.2).
pub fn is_token(text: &str) -> bool {
    let is_tchar = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty() && text.bytes().all(is_tchar)
}

/// `-b`, joined as curl does; files of cookies are refused.
pub fn cookie(args: &mut Args) -> Result<Option<String>> {
    let mut cookie = String::new();
    for pair in args.texts("--cookie")? {
        no_control("--cookie", &pair)?;
        if !pair.contains('=') {
            return Err(usage("--cookie takes NAME=VALUE; files of cookies are not supported"));
        }
        if !cookie.is_empty() {
            cookie.push_str(if pair.starts_with([' ', '\t']) { ";" } else { "; " });
        }
        cookie.push_str(&pair);
    }
    Ok(Some(cookie).filter(|cookie| !cookie.is_empty()))
}

/// `-e URL`, `-e 'URL;auto'`: the field, and whether redirects set it.
pub fn referer(args: &mut Args) -> Result<(Option<String>, bool)> {
    let Some(value) = head_text("--referer", args)? else {
        return Ok((None, false));
    };
    let (url, auto) = value.strip_suffix(";auto").map_or((value.as_str(), false), |url| (url, true));
    Ok((Some(url.to_owned()).filter(|url| !url.is_empty()), auto))
}

/// `-r`: the field, in front of those of `-H` unless one of them names it.
pub fn range(args: &mut Args, fields: &mut Vec<FieldLine>, warnings: &mut Vec<String>) -> Result<()> {
    let Some(mut range) = head_text("--range", args)? else {
        return Ok(());
    };
    if range.is_empty() {
        return Err(usage("--range: the range is empty"));
    }
    if range.bytes().all(|byte| byte.is_ascii_digit()) {
        warnings.push(format!("--range: {range} has no dash, took it as {range}-"));
        range.push('-');
    } else if range.bytes().any(|byte| !byte.is_ascii_digit() && !b"-,".contains(&byte)) {
        warnings.push(format!("--range: {range} is not made of numbers and dashes"));
    }
    if !names(fields, "range") {
        fields.insert(0, FieldLine::Set("Range".into(), format!("bytes={range}")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(name: &str, value: &str) -> FieldLine {
        FieldLine::Set(name.into(), value.into())
    }

    #[test]
    fn every_form_of_a_line() {
        for (line, field) in [
            ("A: b", Some(set("A", "b"))),
            ("A:b", Some(set("A", "b"))),
            ("A: \t b c ;\t", Some(set("A", "b c ;"))),
            ("A: b: c", Some(set("A", "b: c"))),
            ("A : b", Some(set("A", "b"))),
            ("A;", Some(set("A", ""))),
            ("A:", Some(FieldLine::Remove("A".into()))),
            ("A:  ", Some(FieldLine::Remove("A".into()))),
            ("\u{201c}host:", Some(FieldLine::Remove("\u{201c}host".into()))),
            ("A:;", Some(set("A", ";"))),
            ("A", None),
            ("A; b", None),
            ("A;;", None),
            ("", None),
            ("X: caf\u{e9}", Some(set("X", "caf\u{e9}"))),
        ] {
            assert_eq!(field_line("--header", line), Ok(field), "{line}");
        }
    }

    #[test]
    fn what_would_break_the_head_is_refused() {
        for line in
            ["A: b\r\nC: d", "A: b\nC: d", "A: b\r", "A\0: b", "A: \x07", "A\n;", "A B: c", ": c", ";", "\u{e9}: c"]
        {
            assert_eq!(field_line("--header", line).map_err(|error| error.kind), Err(Kind::Usage), "{line}");
        }
        let long = format!("A: {}", "x".repeat(MAX_FIELD));
        assert_eq!(field_line("--header", &long).map_err(|error| error.kind), Err(Kind::FieldTooLarge));
    }

    #[test]
    fn no_line_gets_a_line_break_into_the_head() {
        arbtest::arbtest(|u| {
            let line: String = u.arbitrary()?;
            if let Ok(Some(FieldLine::Set(name, value))) = field_line("--header", &line) {
                assert!(is_token(&name));
                assert!(!value.contains(['\r', '\n', '\0']));
            }
            Ok(())
        });
    }
}
