//! Braces and brackets in a URL, which curl takes for patterns of several URLs.

use super::args::usage;
use crate::error::{Error, Kind, Result};

/// The one URL that a pattern stands for: `{a}` is `a`, and a backslash takes the meaning of a brace or a bracket
/// away. A pattern for several URLs is exit 2, one that curl refuses exit 3.
pub fn expand(pattern: &str) -> Result<String> {
    let mut url = String::with_capacity(pattern.len());
    let mut rest = pattern;
    while let Some(letter) = rest.chars().next() {
        let mut length = letter.len_utf8();
        match letter {
            '\\' if rest[1..].starts_with(['{', '}', '[', ']']) => {
                url.push_str(&rest[1..2]);
                length = 2;
            }
            '[' => {
                length = literal_brackets(rest)?;
                url.push_str(&rest[..length]);
            }
            '{' => length = set(rest, &mut url)?,
            '}' | ']' => return Err(malformed(&format!("'{letter}' without its opening"))),
            _ => url.push(letter),
        }
        rest = &rest[length..];
    }
    Ok(url)
}

/// The length of `[]` and of an IPv6 address; anything else in brackets is a range.
fn literal_brackets(text: &str) -> Result<usize> {
    let end = text.find(']').ok_or_else(|| malformed("'[' without its closing"))?;
    let inside = &text[1..end];
    if inside.is_empty() || inside.matches(':').count() >= 2 && !inside.contains('-') {
        Ok(end + 1)
    } else if inside.contains('-') {
        Err(several(&text[..=end]))
    } else {
        Err(malformed(&format!("[{inside}] is no range")))
    }
}

/// The length of a set in braces, whose only member goes to `url`.
fn set(text: &str, url: &mut String) -> Result<usize> {
    let mut letters = text.char_indices().skip(1);
    let mut empty = true;
    while let Some((index, letter)) = letters.next() {
        match letter {
            '}' if empty => return Err(malformed("nothing between braces")),
            '}' => return Ok(index + 1),
            ',' => return Err(several(&text[..=text.find('}').unwrap_or(index)])),
            '{' | '[' | ']' => return Err(malformed(&format!("'{letter}' between braces"))),
            '\\' => url.push(letters.next().map_or(letter, |(_, escaped)| escaped)),
            _ => url.push(letter),
        }
        empty = false;
    }
    Err(malformed("'{' without its closing"))
}

const WAY_OUT: &str = "--globoff takes braces and brackets as they are";

fn several(pattern: &str) -> Error {
    usage(format!("{pattern} in the URL stands for several, and a command sends one request; {WAY_OUT}"))
}

fn malformed(why: &str) -> Error {
    Error::new(Kind::Url, format!("malformed URL: {why}; {WAY_OUT}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_url_comes_out() {
        for (pattern, url) in [
            ("http://h/a?b=c", "http://h/a?b=c"),
            ("http://h/{id}/x", "http://h/id/x"),
            ("http://h/{a\\,b\\}}", "http://h/a,b}"),
            ("http://h/\\{id\\}/\\[1-2\\]", "http://h/{id}/[1-2]"),
            ("http://h/a\\b", "http://h/a\\b"),
            ("http://h/?k=${KEY}", "http://h/?k=$KEY"),
            ("http://[::1]:80/a[]=1", "http://[::1]:80/a[]=1"),
            ("http://[fe80::1%25eth0]/", "http://[fe80::1%25eth0]/"),
            ("http://h/\u{e9}{\u{e9}}", "http://h/\u{e9}\u{e9}"),
            ("", ""),
        ] {
            assert_eq!(expand(pattern), Ok(url.to_owned()), "{pattern}");
        }
    }

    #[test]
    fn several_urls_are_exit_2_and_nonsense_exit_3() {
        for (pattern, kind) in [
            ("http://{a,b}.example/", Kind::Usage),
            ("http://h/[1-3]", Kind::Usage),
            ("http://h/[a-z:2]", Kind::Usage),
            ("http://h/{a", Kind::Url),
            ("http://h/a}", Kind::Url),
            ("http://h/a]", Kind::Url),
            ("http://h/[1", Kind::Url),
            ("http://h/{}", Kind::Url),
            ("http://h/{a{b}}", Kind::Url),
            ("http://h/[x]", Kind::Url),
            ("http://h/{a\\", Kind::Url),
        ] {
            assert_eq!(expand(pattern).map_err(|error| error.kind), Err(kind), "{pattern}");
        }
    }

    #[test]
    fn any_text_is_expanded_or_refused() {
        arbtest::arbtest(|u| {
            let text: String = (0..u.int_in_range(0..=20)?)
                .map(|_| u.choose(&['a', '{', '}', '[', ']', '\\', ',', ':', '-', '\u{e9}']).copied())
                .collect::<Result<_, _>>()?;
            if !text.contains(['{', '}', '[', ']']) {
                assert_eq!(expand(&text), Ok(text.clone()));
            }
            let _ = expand(&text);
            Ok(())
        });
    }
}
