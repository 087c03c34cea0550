//! Takes in an answer: writes it out at once, reads a copy of it for tokens and errors, and judges the outcome.

use std::time::Duration;

use crate::cli::{Fail, Output};
use crate::error::{Error, Kind, Result};
use crate::http::head::Head;
use crate::http::{Sink, Transfer};
use crate::output::{Answer, Follow, Stderr};
use crate::stream::{self, Piece, Scanner};

/// As much of an answer that is of no API as a message quotes, in bytes.
const QUOTED: usize = 300;

/// The sink of one attempt.
pub(super) struct Receive<'a, 'b> {
    answer: &'a mut Answer<'b>,
    follow: &'a Follow,
    output: &'a Output,
    stderr: Stderr,
    scanner: Scanner,
    /// `--text`: whether what was written so far ends a line; `None` while nothing was.
    line_ended: Option<bool>,
    /// `--text --reasoning`: what was written last is reasoning.
    reasoned: bool,
    /// `--text`: how the content begins, for the message about content that has no text.
    start: Vec<u8>,
}

impl<'a, 'b> Receive<'a, 'b> {
    pub fn new(answer: &'a mut Answer<'b>, follow: &'a Follow, output: &'a Output) -> Receive<'a, 'b> {
        let scanner = Scanner::new(None, output.text);
        let stderr = follow.stderr();
        follow.count(0);
        Receive { answer, follow, output, stderr, scanner, line_ended: None, reasoned: false, start: Vec::new() }
    }

    /// Ends the answer's last line, where messages on the same terminal would continue it.
    pub fn end_answer(&self) {
        // --text ends its last line itself.
        if self.answer.open_line() && !self.output.text {
            self.stderr.say("\n");
        }
    }

    /// Notes what was learnt about tokens in the transfer, and makes its outcome an error where `-f` or `--text`
    /// say so.
    pub fn finish(mut self, transfer: &mut Transfer) {
        self.scanner.finish(transfer.timings.total.unwrap_or_default());
        super::note_tokens(transfer, &self.scanner);
        if self.output.text
            && let Err(error) = self.finish_text()
        {
            transfer.outcome = transfer.outcome.clone().and(Err(error));
        }
        if let Err(error) = &mut transfer.outcome {
            // The server may have said why before the connection broke.
            if let Some(said) = self.scanner.error().filter(|_| !error.message.is_empty()) {
                error.message = format!("{}; before that the answer held an error: {said}", error.message);
            }
            return;
        }
        let Some(problem) = self.problem(transfer.status.unwrap_or_default()) else { return };
        if self.output.text || self.output.fail != Fail::Never {
            transfer.outcome = Err(Error::new(Kind::HttpStatus, problem));
        } else if transfer.status.is_some_and(|status| status < 400) && (!self.output.silent || self.output.show_error)
        {
            self.follow.erase();
            super::warn(&problem, &self.stderr);
        }
    }

    /// What is wrong with the answer, by its status or in spite of it.
    fn problem(&self, status: u16) -> Option<String> {
        let error = self.scanner.error();
        if status >= 400 {
            let quoted = if error.is_none() && self.output.text { quote(&self.start) } else { None };
            return Some(refusal(status, error.or(quoted.as_deref())));
        }
        if let Some(error) = error {
            return Some(format!("the answer holds an error: {error}"));
        }
        if self.scanner.cut_off() {
            return Some("the stream ended without its end mark: something cut it off".to_owned());
        }
        if !self.output.text || self.scanner.recognised() {
            return None;
        }
        Some(match quote(&self.start) {
            None if self.start.is_empty() => "--text: the answer is empty".to_owned(),
            None if self.start.starts_with(&[0x1f, 0x8b]) => {
                "--text: the answer is gzip, which --compressed undoes".to_owned()
            }
            None => "--text: the answer is no text; without --text it is written as it is".to_owned(),
            Some(start) => format!("--text: the answer is of no API that gzpost knows: {start}"),
        })
    }

    fn finish_text(&mut self) -> Result<()> {
        self.write_pieces()?;
        self.end_line()
    }

    fn end_line(&mut self) -> Result<()> {
        if self.line_ended == Some(false) { self.write_text("\n") } else { Ok(()) }
    }

    /// `--text`: writes out what was generated since the last time.
    fn write_pieces(&mut self) -> Result<()> {
        for piece in self.scanner.take_pieces() {
            match piece {
                Piece::Reasoning(_) if !self.output.reasoning => {}
                Piece::Reasoning(text) => self.write_voice(&text, true)?,
                Piece::Text(text) => self.write_voice(&text, false)?,
                Piece::ToolCall(line) => {
                    self.end_line()?;
                    self.write_text(&format!("{line}\n"))?;
                }
            }
        }
        Ok(())
    }

    /// Reasoning and answer each begin a line where they take turns.
    fn write_voice(&mut self, text: &str, reasoning: bool) -> Result<()> {
        if std::mem::replace(&mut self.reasoned, reasoning) != reasoning {
            self.end_line()?;
        }
        self.write_text(text)
    }

    fn write_text(&mut self, text: &str) -> Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        self.follow.before_content();
        self.line_ended = Some(text.ends_with('\n'));
        self.answer.content(text.as_bytes())
    }
}

impl Sink for Receive<'_, '_> {
    fn head(&mut self, head: &Head, last: bool) -> Result<()> {
        self.follow.before_head();
        self.answer.head(&head.raw, head.status, &mut self.stderr)?;
        if !last {
            return Ok(());
        }
        if self.output.fail == Fail::WithoutBody && head.status >= 400 {
            return Err(Error::new(Kind::HttpStatus, refusal(head.status, None)));
        }
        self.scanner = Scanner::new(head.field("Content-Type"), self.output.text);
        Ok(())
    }

    fn trailers(&mut self, raw: &[u8]) -> Result<()> {
        self.follow.before_head();
        self.answer.head(raw, 0, &mut self.stderr)
    }

    fn content(&mut self, bytes: &[u8], now: Duration) -> Result<()> {
        if self.output.text {
            let room = QUOTED.saturating_sub(self.start.len());
            self.start.extend_from_slice(&bytes[..bytes.len().min(room)]);
            self.scanner.feed(bytes, now);
            self.write_pieces()?;
        } else {
            self.follow.before_content();
            self.answer.content(bytes)?;
            self.scanner.feed(bytes, now);
        }
        self.follow.count(self.scanner.token_events());
        Ok(())
    }
}

/// What a status of 400 or above says.
pub(super) fn refusal(status: u16, error: Option<&str>) -> String {
    match error {
        Some(error) => format!("the server returned status {status}: {error}"),
        None => format!("the server returned status {status}"),
    }
}

/// The beginning of content on one line; `None` when it is no text.
fn quote(start: &[u8]) -> Option<String> {
    // The last character may be cut.
    let text = start.utf8_chunks().next()?.valid();
    let whole = text.len() + 4 > start.len() && !text.contains('\0');
    let more = if start.len() == QUOTED { "…" } else { "" };
    Some(stream::one_line(text)).filter(|line| whole && !line.is_empty()).map(|line| line + more)
}
