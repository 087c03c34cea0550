//! Event-stream framing (WHATWG HTML, "Interpreting an event stream"), fed in pieces of any size.

use super::LIMIT;

/// An event stream that is being read.
///
/// It departs from the standard in two places, because servers do: a line that starts with `{` where a field is
/// expected begins bare JSON, which lasts until the next blank line (Gemini reports errors so); and the event that
/// the end of the stream left without its blank line can be asked for.
#[derive(Debug, Default)]
pub(super) struct EventStream {
    /// A line whose end has not arrived.
    line: Vec<u8>,
    /// The data of the event so far, a LF behind each line.
    data: Vec<u8>,
    /// Its `event` field.
    name: Vec<u8>,
    /// Its lines are bare JSON.
    bare: bool,
    /// It is larger than `LIMIT`: its data is dropped.
    oversized: bool,
    /// The start of the line that is being read was dropped.
    torn: bool,
    /// The last byte was a CR, so a LF belongs to it.
    after_cr: bool,
    /// The first line is complete, so no BOM can follow.
    started: bool,
    skipped: u64,
}

impl EventStream {
    /// Events that were too large to be read.
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    /// Whether the next byte begins an event: nothing of one is kept.
    pub fn between_events(&self) -> bool {
        let kept = !(self.line.is_empty() && self.data.is_empty() && self.name.is_empty());
        self.started && !(kept || self.bare || self.oversized || self.torn || self.after_cr)
    }

    /// Reads on, up to the end of the first event that is complete, and returns how much that was; `on_event` gets its
    /// name (empty when there is none) and its data.
    pub fn feed(&mut self, bytes: &[u8], on_event: &mut impl FnMut(&[u8], &[u8])) -> usize {
        if bytes.is_empty() {
            return 0;
        }
        let mut at = usize::from(std::mem::take(&mut self.after_cr) && bytes[0] == b'\n');
        while let Some(length) = bytes[at..].iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            let end = at + length;
            let complete = self.line_end(&bytes[at..end], on_event);
            at = match bytes[end..] {
                [b'\r', b'\n', ..] => end + 2,
                _ => end + 1,
            };
            self.after_cr = bytes[end..] == *b"\r";
            if complete {
                return at;
            }
        }
        let rest = &bytes[at..];
        if rest.is_empty() {
        } else if self.torn || !self.fits(rest.len()) {
            self.torn = true;
        } else {
            self.line.extend_from_slice(rest);
        }
        bytes.len()
    }

    /// The end of the stream: an event that lacks only its blank line is handed over, though the standard drops it.
    pub fn finish(&mut self, on_event: &mut impl FnMut(&[u8], &[u8])) {
        self.line_end(b"", on_event);
        self.dispatch(on_event);
    }

    /// Whether that many bytes more may be kept; otherwise what is kept is dropped.
    fn fits(&mut self, more: usize) -> bool {
        if !self.oversized && self.line.len() + self.data.len() + more > LIMIT {
            self.oversized = true;
            self.line = Vec::new();
            self.data = Vec::new();
        }
        !self.oversized
    }

    /// A line is complete; `tail` is its end, or all of it. Whether an event is complete with it.
    fn line_end(&mut self, tail: &[u8], on_event: &mut impl FnMut(&[u8], &[u8])) -> bool {
        if std::mem::take(&mut self.torn) {
            self.started = true;
        } else if self.line.is_empty() {
            return self.whole_line(tail, on_event);
        } else if self.fits(tail.len()) {
            let mut line = std::mem::take(&mut self.line);
            line.extend_from_slice(tail);
            let complete = self.whole_line(&line, on_event);
            line.clear();
            self.line = line;
            return complete;
        }
        false
    }

    fn whole_line(&mut self, line: &[u8], on_event: &mut impl FnMut(&[u8], &[u8])) -> bool {
        let bom = !std::mem::replace(&mut self.started, true);
        let line = line.strip_prefix(b"\xEF\xBB\xBF").filter(|_| bom).unwrap_or(line);
        if line.is_empty() {
            return self.dispatch(on_event);
        }
        let (field, value) = match line.iter().position(|&byte| byte == b':') {
            Some(colon) => (&line[..colon], &line[colon + 1..]),
            None => (line, &b""[..]),
        };
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match field {
            b"data" => self.push(value),
            b"event" => {
                self.name.clear();
                self.name.extend_from_slice(&value[..value.len().min(NAME_LIMIT)]);
            }
            _ if self.bare || (line[0] == b'{' && self.data.is_empty()) => {
                self.bare = true;
                self.push(line);
            }
            // Comments, `id`, `retry` and fields that do not exist.
            _ => {}
        }
        false
    }

    fn push(&mut self, value: &[u8]) {
        if self.fits(value.len() + 1) {
            self.data.extend_from_slice(value);
            self.data.push(b'\n');
        }
    }

    /// Whether there was an event to hand over.
    fn dispatch(&mut self, on_event: &mut impl FnMut(&[u8], &[u8])) -> bool {
        let mut complete = false;
        if std::mem::take(&mut self.oversized) {
            self.skipped += 1;
        } else if let [data @ .., b'\n'] = &self.data[..] {
            on_event(&self.name, data);
            complete = true;
        }
        self.data.clear();
        self.name.clear();
        self.bare = false;
        complete
    }
}

/// No event that is known has a longer name.
const NAME_LIMIT: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    fn feed(stream: &mut EventStream, mut bytes: &[u8], keep: &mut impl FnMut(&[u8], &[u8])) {
        while !bytes.is_empty() {
            let read = stream.feed(bytes, keep);
            bytes = &bytes[read..];
        }
    }

    fn events_of<'a>(parts: impl IntoIterator<Item = &'a [u8]>, finish: bool) -> Vec<(String, String)> {
        let mut events = Vec::new();
        let mut stream = EventStream::default();
        let mut keep = |name: &[u8], data: &[u8]| {
            events.push((String::from_utf8_lossy(name).into_owned(), String::from_utf8_lossy(data).into_owned()));
        };
        for part in parts {
            feed(&mut stream, part, &mut keep);
        }
        if finish {
            stream.finish(&mut keep);
        }
        events
    }

    fn data_of(text: &str) -> Vec<String> {
        events_of([text.as_bytes()], false).into_iter().map(|(_, data)| data).collect()
    }

    #[test]
    fn examples_of_the_standard() {
        assert_eq!(data_of("data: YHOO\ndata: +2\ndata: 10\n\n"), ["YHOO\n+2\n10"]);
        let text = ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n";
        assert_eq!(data_of(text), ["first event", "second event", " third event"]);
        assert_eq!(data_of("data\n\ndata\ndata\n\ndata:"), ["", "\n"]);
        assert_eq!(data_of("data:test\n\ndata: test\n\n"), ["test", "test"]);
    }

    #[test]
    fn all_line_ends_and_a_bom() {
        for end in ["\n", "\r\n", "\r"] {
            let text = "\u{FEFF}data: a\u{FEFF}\nevent: x\ndata:b\n\n:c\ndata: d\n\n".replace('\n', end);
            assert_eq!(data_of(&text), ["a\u{FEFF}\nb", "d"], "{end:?}");
        }
        assert_eq!(data_of("data: a\r\rdata: b\n\r\ndata: c\r\n\n"), ["a", "b", "c"]);
        assert_eq!(data_of("\n\u{FEFF}data: a\n\n"), [""; 0]);
    }

    #[test]
    fn names_belong_to_one_event() {
        let events = events_of([&b"event: error\ndata: 1\n\ndata: 2\n\nevent: x\n\ndata: 3\n\n"[..]], false);
        let names: Vec<_> = events.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["error", "", ""]);
    }

    #[test]
    fn an_event_is_complete_at_the_first_byte_of_its_blank_line() {
        for (text, complete) in [("data: a\n\n", 9), ("data: a\r\n\r\n", 10), ("data: a\r\r", 9)] {
            let at = (0..=text.len()).find(|&end| !data_of(&text[..end]).is_empty());
            assert_eq!(at, Some(complete), "{text:?}");
        }
    }

    #[test]
    fn the_unterminated_last_event_comes_only_with_finish() {
        for text in ["data: a\n\ndata: b", "data: a\n\ndata: b\n", "data: a\r\n\r\ndata: b\r\n"] {
            assert_eq!(data_of(text), ["a"]);
            assert_eq!(events_of([text.as_bytes()], true).len(), 2, "{text:?}");
        }
        assert_eq!(events_of([&b"data: a\n\n"[..]], true).len(), 1);
    }

    #[test]
    fn bare_json_lasts_until_a_blank_line() {
        let text = "data: a\n\n{\n  \"error\": {\n    \"code\": 503\n  }\n}\n\nnonsense: 1\ndata: b\n\n";
        assert_eq!(data_of(text), ["a", "{\n  \"error\": {\n    \"code\": 503\n  }\n}", "b"]);
    }

    #[test]
    fn an_event_over_the_limit_is_skipped_and_the_next_is_read() {
        for lines in [1, 40] {
            let mut stream = EventStream::default();
            let mut events = Vec::new();
            let mut keep = |_: &[u8], data: &[u8]| events.push(data.to_vec());
            let block = vec![b'x'; (LIMIT + LIMIT / 4) / (16 * lines)];
            for _ in 0..lines {
                feed(&mut stream, b"data: ", &mut keep);
                (0..16).for_each(|_| feed(&mut stream, &block, &mut keep));
                feed(&mut stream, b"data: y\n", &mut keep);
                assert!(stream.line.capacity() + stream.data.capacity() <= 2 * LIMIT);
            }
            feed(&mut stream, b"\ndata: small\n\n", &mut keep);
            assert_eq!((events, stream.skipped()), (vec![b"small".to_vec()], 1));
        }
    }

    #[test]
    fn any_split_gives_the_same_events() {
        const PARTS: [&str; 16] = [
            "data", ":", " ", "\n", "\r", "\r\n", "\n\n", "\u{FEFF}", "event: e", "ä", "{", "data: x", "id: 1", "}",
            "data:y\n", ": c",
        ];
        arbtest::arbtest(|u| {
            let mut text = Vec::new();
            for _ in 0..u.int_in_range(0..=40)? {
                text.extend_from_slice(u.choose(&PARTS)?.as_bytes());
            }
            let whole = events_of([&text[..]], true);
            assert_eq!(events_of(text.chunks(1), true), whole);
            let (mut rest, mut parts) = (&text[..], Vec::new());
            while !rest.is_empty() {
                let (part, after) = rest.split_at(u.int_in_range(0..=rest.len().min(9))?.max(1));
                parts.push(part);
                rest = after;
            }
            assert_eq!(events_of(parts, true), whole);
            Ok(())
        });
    }

    #[test]
    fn any_bytes_never_panic() {
        arbtest::arbtest(|u| {
            let bytes: Vec<u8> = u.arbitrary()?;
            let whole = events_of([&bytes[..]], true);
            assert_eq!(events_of(bytes.chunks(3), true), whole);
            Ok(())
        });
    }
}
