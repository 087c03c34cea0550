//! Takes in an answer: writes it out at once, reads a copy of it for tokens and errors, and judges the outcome.

use std::time::Duration;

use crate::cli::{Fail, Output};
use crate::error::{Error, Kind, Result};
use crate::http::head::Head;
use crate::http::{Sink, Transfer};
use crate::output::{Answer, Follow, Stderr};
use crate::stream::{Piece, Scanner};

/// The sink of one attempt.
pub(super) struct Receive<'a, 'b> {
    answer: &'a mut Answer<'b>,
    follow: &'a Follow,
    output: &'a Output,
    stderr: Stderr,
    scanner: Scanner,
    /// `--text`: whether what was written so far ends a line; `None` while nothing was.
    line_ended: Option<bool>,
}

impl<'a, 'b> Receive<'a, 'b> {
    pub fn new(answer: &'a mut Answer<'b>, follow: &'a Follow, output: &'a Output) -> Receive<'a, 'b> {
        let scanner = Scanner::new(None, output.text);
        Receive { answer, follow, output, stderr: follow.stderr(), scanner, line_ended: None }
    }

    /// Ends the answer's last line, where messages on the same terminal would continue it.
    pub fn end_line(&self) {
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
        if transfer.outcome.is_err() {
            return;
        }
        let status = transfer.status.unwrap_or_default();
        let problem = if status >= 400 { Some(refusal(status, self.scanner.error())) } else { self.problem() };
        let Some(problem) = problem else { return };
        let judged = self.output.text || self.output.fail != Fail::Never;
        if judged {
            transfer.outcome = Err(Error::new(Kind::HttpStatus, problem));
        } else if status < 400 && !self.output.silent {
            self.follow.erase();
            self.stderr.say(&format!("gzpost: warning: {problem}\n"));
        }
    }

    /// What is wrong with an answer whose status says that nothing is.
    fn problem(&self) -> Option<String> {
        if let Some(error) = self.scanner.error() {
            return Some(format!("the answer holds an error: {error}"));
        }
        if self.scanner.cut_off() {
            return Some("the stream ended without its end mark: something cut it off".to_owned());
        }
        let nothing = self.output.text && !self.scanner.recognised();
        nothing.then(|| "--text: the answer is of no API that gzpost knows; without --text it is shown".to_owned())
    }

    fn finish_text(&mut self) -> Result<()> {
        self.write_pieces()?;
        if self.line_ended == Some(false) { self.answer.content(b"\n") } else { Ok(()) }
    }

    /// `--text`: writes out what was generated since the last time.
    fn write_pieces(&mut self) -> Result<()> {
        for piece in self.scanner.take_pieces() {
            match piece {
                Piece::Text(text) => self.write_text(&text)?,
                Piece::Reasoning(text) if self.output.reasoning => self.write_text(&text)?,
                Piece::Reasoning(_) => {}
                Piece::ToolCall(line) => {
                    // A line of its own, whatever stands before it.
                    let before = if self.line_ended == Some(false) { "\n" } else { "" };
                    self.write_text(&format!("{before}{line}\n"))?;
                }
            }
        }
        Ok(())
    }

    fn write_text(&mut self, text: &str) -> Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        self.follow.stop();
        self.line_ended = Some(text.ends_with('\n'));
        self.answer.content(text.as_bytes())
    }
}

impl Sink for Receive<'_, '_> {
    fn head(&mut self, head: &Head, last: bool) -> Result<()> {
        self.follow.erase();
        self.answer.head(&head.raw, head.status, &mut self.stderr)?;
        if !last {
            return Ok(());
        }
        if self.output.fail == Fail::WithoutBody && head.status >= 400 {
            return Err(Error::new(Kind::HttpStatus, refusal(head.status, None)));
        }
        let content_type = head.fields.iter().find(|field| field.name.eq_ignore_ascii_case("content-type"));
        self.scanner = Scanner::new(content_type.map(|field| field.value.as_str()), self.output.text);
        Ok(())
    }

    fn trailers(&mut self, raw: &[u8]) -> Result<()> {
        self.answer.head(raw, 0, &mut self.stderr)
    }

    fn content(&mut self, bytes: &[u8], now: Duration) -> Result<()> {
        if self.output.text {
            self.scanner.feed(bytes, now);
            return self.write_pieces();
        }
        self.follow.stop();
        self.answer.content(bytes)?;
        self.scanner.feed(bytes, now);
        Ok(())
    }
}

fn refusal(status: u16, error: Option<&str>) -> String {
    match error {
        Some(error) => format!("the server returned status {status}: {error}"),
        None => format!("the server returned status {status}"),
    }
}
