//! JSON objects one after the other: NDJSON, the elements of an array, or a single document.

use super::LIMIT;

/// A sequence of JSON objects that is being read; whatever stands between them is passed over.
///
/// An object is complete at its closing brace. Its content is not checked, but a line break inside a string, which
/// JSON does not allow, drops the object, so that a torn line of NDJSON does not swallow the next.
#[derive(Debug, Default)]
pub(super) struct Objects {
    /// The start of an object whose end has not arrived.
    kept: Vec<u8>,
    /// Braces and brackets that are open.
    depth: usize,
    in_string: bool,
    escaped: bool,
    /// The object that is being read is larger than `LIMIT`: it is dropped.
    oversized: bool,
    skipped: u64,
}

impl Objects {
    /// Objects that were too large to be read, the one that is being read among them.
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    /// Reads on; `on_object` gets each object that is complete.
    pub fn feed(&mut self, bytes: &[u8], on_object: &mut impl FnMut(&[u8])) {
        let mut start = 0;
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            at += 1;
            if self.depth == 0 {
                if byte == b'{' {
                    self.depth = 1;
                    start = at - 1;
                }
            } else if self.in_string {
                match byte {
                    _ if self.escaped => self.escaped = false,
                    b'\\' => self.escaped = true,
                    b'"' => self.in_string = false,
                    b'\n' => self.reset(),
                    _ => {}
                }
            } else {
                match byte {
                    b'"' => self.in_string = true,
                    b'{' | b'[' => self.depth += 1,
                    b'}' | b']' => {
                        self.depth -= 1;
                        if self.depth == 0 {
                            self.complete(&bytes[start..at], on_object);
                            start = at;
                        }
                    }
                    _ => {}
                }
            }
        }
        if self.depth > 0 {
            self.keep(&bytes[start..]);
        }
    }

    fn complete(&mut self, tail: &[u8], on_object: &mut impl FnMut(&[u8])) {
        if self.kept.is_empty() && !self.oversized && tail.len() <= LIMIT {
            on_object(tail);
        } else {
            self.keep(tail);
            if !self.oversized {
                on_object(&self.kept);
            }
        }
        self.reset();
    }

    fn keep(&mut self, bytes: &[u8]) {
        if self.oversized {
        } else if self.kept.len() + bytes.len() > LIMIT {
            self.oversized = true;
            self.skipped += 1;
            self.kept = Vec::new();
        } else {
            self.kept.extend_from_slice(bytes);
        }
    }

    fn reset(&mut self) {
        self.kept.clear();
        self.depth = 0;
        self.in_string = false;
        self.escaped = false;
        self.oversized = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn objects_of<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> Vec<String> {
        let mut found = Vec::new();
        let mut objects = Objects::default();
        for part in parts {
            objects.feed(part, &mut |object| found.push(String::from_utf8_lossy(object).into_owned()));
        }
        found
    }

    #[test]
    fn lines_arrays_and_documents() {
        for text in ["{\"a\":1}\n{\"b\":[{}]}\n", "[{\"a\":1}\r\n,\r\n{\"b\":[{}]}]", "\n{\"a\":1} {\"b\":[{}]}"] {
            assert_eq!(objects_of([text.as_bytes()]), ["{\"a\":1}", "{\"b\":[{}]}"], "{text:?}");
        }
        let pretty = "{\n  \"a\": {\n    \"b\": \"}\\\"]\\\\\"\n  }\n}";
        assert_eq!(objects_of([pretty.as_bytes()]), [pretty]);
        assert_eq!(objects_of([&b"[1, 2]] }} null"[..]]), [""; 0]);
    }

    #[test]
    fn a_torn_line_does_not_swallow_the_next() {
        assert_eq!(objects_of([&b"{\"a\":\"torn\n{\"b\":1}\n"[..]]), ["{\"b\":1}"]);
        assert_eq!(objects_of([&b"{\"a\":\"to"[..], b"rn\n{\"b\"", b":1}\n"]), ["{\"b\":1}"]);
    }

    #[test]
    fn an_object_over_the_limit_is_skipped_and_the_next_is_read() {
        let mut objects = Objects::default();
        let mut found = Vec::new();
        let mut keep = |object: &[u8]| found.push(object.to_vec());
        objects.feed(b"[{\"a\":\"", &mut keep);
        (0..=16).for_each(|_| objects.feed(&vec![b'x'; LIMIT / 16], &mut keep));
        assert_eq!((objects.skipped(), objects.kept.capacity()), (1, 0));
        objects.feed(b"\"},{\"b\":1}]", &mut keep);
        assert_eq!((found, objects.skipped()), (vec![b"{\"b\":1}".to_vec()], 1));
    }

    #[test]
    fn any_split_gives_the_same_objects() {
        const PARTS: [&str; 12] = ["{", "}", "[", "]", "\"", "\\", "\n", "a", "{}", "{\"a\":\"b\"}", ",", "ä"];
        arbtest::arbtest(|u| {
            let mut text = Vec::new();
            for _ in 0..u.int_in_range(0..=40)? {
                text.extend_from_slice(u.choose(&PARTS)?.as_bytes());
            }
            let whole = objects_of([&text[..]]);
            assert_eq!(objects_of(text.chunks(1)), whole);
            assert_eq!(objects_of(text.chunks(u.int_in_range(2..=9)?)), whole);
            Ok(())
        });
    }
}
