//! Where the tokens of a JSON text begin and end, without building anything from them.
//!
//! Nothing here recurses, and on a text that is no JSON each function gives up or stops at the end.

/// JSON's white space (RFC 8259, section 2).
pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// The first position from `at` on that is not white space, or the end.
pub(super) fn skip_space(bytes: &[u8], at: usize) -> usize {
    bytes[at..].iter().position(|&byte| !is_space(byte)).map_or(bytes.len(), |space| at + space)
}

/// The position behind the string whose opening quote is at `at`; `None` when it is not closed.
pub(super) fn string_end(bytes: &[u8], mut at: usize) -> Option<usize> {
    at += 1;
    loop {
        at += bytes.get(at..)?.iter().position(|&byte| byte == b'"' || byte == b'\\')?;
        if bytes[at] == b'"' {
            return Some(at + 1);
        }
        at += 2;
    }
}

/// The position behind the value that starts at `at`; `None` when there is none or it does not end.
pub(super) fn value_end(bytes: &[u8], mut at: usize) -> Option<usize> {
    if !matches!(bytes.get(at)?, b'"' | b'[' | b'{') {
        let ends = |&byte: &u8| is_space(byte) || matches!(byte, b',' | b':' | b']' | b'}' | b'"' | b'[' | b'{');
        let len = bytes[at..].iter().position(ends).unwrap_or(bytes.len() - at);
        return (len > 0).then_some(at + len);
    }
    let mut depth = 0_usize;
    loop {
        match bytes.get(at)? {
            b'"' => at = string_end(bytes, at)? - 1,
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth -= 1,
            _ => {}
        }
        at += 1;
        if depth == 0 {
            return Some(at);
        }
    }
}

/// The elements of an array, each as written; none of anything else.
pub(super) fn elements(array: &[u8]) -> Vec<&[u8]> {
    let mut elements = Vec::new();
    let mut at = 1;
    while array.starts_with(b"[")
        && let start = skip_space(array, at)
        && let Some(end) = value_end(array, start)
    {
        elements.push(&array[start..end]);
        // Behind the comma, or behind the bracket, where no value is.
        at = (skip_space(array, end) + 1).min(array.len());
    }
    elements
}

/// Where arrays and objects are first nested in more than `limit` levels.
pub(super) fn deeper_than(bytes: &[u8], limit: usize) -> Option<usize> {
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => at = string_end(bytes, at)? - 1,
            b'[' | b'{' if depth == limit => return Some(at),
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        at += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_string_ends_at_its_first_quote_that_is_not_escaped() {
        assert_eq!(string_end(br#""a" "#, 0), Some(3));
        assert_eq!(string_end(br#"x"" "#, 1), Some(3));
        assert_eq!(string_end(br#""\"\\" "#, 0), Some(6));
        for open in [r#"""#, r#""a"#, r#""\"#, r#""\""#] {
            assert_eq!(string_end(open.as_bytes(), 0), None, "{open}");
        }
    }

    #[test]
    fn a_value_ends_where_its_brackets_are_closed() {
        for (text, len) in [
            ("{}", 2),
            (r#"{"}":["]",{}]},"#, 14),
            (r#""a",1"#, 3),
            ("-1.5e3,", 6),
            ("true}", 4),
            ("null ", 4),
            ("12", 2),
        ] {
            assert_eq!(value_end(text.as_bytes(), 0), Some(len), "{text}");
        }
        for broken in ["", ",", "]", "[1", r#"{"a"#, " 1"] {
            assert_eq!(value_end(broken.as_bytes(), 0), None, "{broken}");
        }
    }

    #[test]
    fn elements_are_slices_of_the_array() {
        for (text, elements) in [
            ("[]", &[][..]),
            ("[ ]", &[]),
            ("[1]", &["1"]),
            ("[ 1 , [2,3],{\"a\":[]}, \"]\" ]", &["1", "[2,3]", "{\"a\":[]}", "\"]\""]),
            ("{}", &[]),
            ("null", &[]),
            ("", &[]),
            ("[1", &["1"]),
        ] {
            let slices = super::elements(text.as_bytes());
            assert_eq!(slices, elements.iter().map(|element| element.as_bytes()).collect::<Vec<_>>(), "{text}");
        }
    }

    #[test]
    fn depth_counts_brackets_outside_of_strings() {
        assert_eq!(deeper_than(b"[[1]]", 2), None);
        assert_eq!(deeper_than(b"[[1]]", 1), Some(1));
        assert_eq!(deeper_than(br#"["[[[",[]]"#, 2), None);
        assert_eq!(deeper_than(br#"[{},{"a":[]}]"#, 2), Some(9));
    }
}
