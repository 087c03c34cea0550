//! The line on a terminal that says how far a transfer is, while nothing else is to be seen.

use std::io::Write;
use std::time::Duration;

use super::{Terminal, units};
use crate::http::Progress;

/// A shorter wait is over before it could be read.
const QUIET: Duration = Duration::from_secs(1);

/// Ten steps a second look alive and cost nothing.
pub const TICK: Duration = Duration::from_millis(100);

/// `uploaded 61 %, waiting 12.3 s, 4.1 KB received, ~57 tokens`, without what there is nothing to say about; the
/// tokens are the events counted so far.
#[must_use]
pub fn text(progress: &Progress, tokens: u64) -> String {
    let mut parts = Vec::new();
    if progress.to_upload > 0 {
        let percent = u128::from(progress.uploaded) * 100 / u128::from(progress.to_upload);
        parts.push(format!("uploaded {} %", percent.min(100)));
    }
    parts.push(format!("waiting {:.1} s", progress.elapsed.as_secs_f64()));
    if progress.downloaded > 0 {
        parts.push(format!("{} received", units::bytes(progress.downloaded)));
    }
    if tokens > 0 {
        parts.push(format!("~{}", units::count(tokens, "token")));
    }
    parts.join(", ")
}

/// The line's place on the terminal.
///
/// Erase it before anything else goes to the terminal, and draw it again after.
#[derive(Debug)]
pub struct Live {
    terminal: Option<Terminal>,
    /// Columns in use, 0 when nothing is shown.
    shown: usize,
    /// When it was drawn last, unless it was erased since.
    drawn: Option<Duration>,
    /// Token events so far.
    tokens: u64,
    /// Stands in front: how far a run of many transfers is.
    label: String,
}

impl Live {
    /// Without a terminal nothing is ever drawn.
    #[must_use]
    pub fn new(terminal: Option<Terminal>) -> Live {
        Live { terminal, shown: 0, drawn: None, tokens: 0, label: String::new() }
    }

    /// Another transfer begins, of a run that is so far; from now on the line is drawn however short transfers are.
    pub fn label(&mut self, label: String) {
        (self.label, self.tokens, self.drawn) = (label, 0, None);
    }

    /// Takes in how many token events there were.
    pub fn count(&mut self, tokens: u64) {
        self.tokens = tokens;
    }

    /// Draws the line in place of the former one, once the transfer has taken a second or there is a label, and at
    /// most once a tick: a stream calls this at each of its reads.
    ///
    /// The line is decoration: a terminal that cannot be written to is no error.
    pub fn draw(&mut self, progress: &Progress, err: &mut dyn Write) {
        // A clock that went back is that of another attempt.
        let too_soon = self.drawn.is_some_and(|drawn| progress.elapsed.abs_diff(drawn) < TICK);
        let waited = (progress.elapsed >= QUIET).then(|| text(progress, self.tokens));
        let label = Some(self.label.clone()).filter(|label| !label.is_empty());
        let text = label.into_iter().chain(waited).collect::<Vec<_>>().join(", ");
        if !text.is_empty() && !too_soon {
            self.drawn = Some(progress.elapsed);
            self.show(&text, err);
        }
    }

    /// Draws this text in place of the former one, cut to the terminal's width.
    pub fn show(&mut self, text: &str, err: &mut dyn Write) {
        let Some(terminal) = self.terminal else { return };
        // The last column stays free: a cursor behind it would be on the next line.
        let text: String = text.chars().take(terminal.width.saturating_sub(1)).collect();
        let width = text.chars().count();
        let line = if terminal.plain {
            // Blanks in place of an escape sequence, and back to where the text ends.
            format!("\r{text:<0$}\r{text}", self.shown)
        } else {
            format!("\r{text}\x1b[K")
        };
        self.shown = width;
        err.write_all(line.as_bytes()).and_then(|()| err.flush()).ok();
    }

    /// Takes the line away, as if it had never been.
    pub fn erase(&mut self, err: &mut dyn Write) {
        self.drawn = None;
        let shown = std::mem::take(&mut self.shown);
        if shown == 0 {
            return;
        }
        let plain = self.terminal.is_some_and(|terminal| terminal.plain);
        let line = if plain { format!("\r{:shown$}\r", "") } else { "\r\x1b[K".to_owned() };
        err.write_all(line.as_bytes()).and_then(|()| err.flush()).ok();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(milliseconds: u64) -> Progress {
        Progress { uploaded: 61, to_upload: 100, elapsed: Duration::from_millis(milliseconds), downloaded: 4_096 }
    }

    fn drawn(terminal: Option<Terminal>, steps: &[Progress]) -> String {
        let mut err = Vec::new();
        let mut live = Live::new(terminal);
        for progress in steps {
            live.draw(progress, &mut err);
        }
        live.erase(&mut err);
        live.erase(&mut err);
        String::from_utf8(err).unwrap()
    }

    #[test]
    fn says_what_there_is_to_say() {
        assert_eq!(text(&after(12_345), 0), "uploaded 61 %, waiting 12.3 s, 4.1 KB received");
        assert_eq!(text(&after(12_345), 57), "uploaded 61 %, waiting 12.3 s, 4.1 KB received, ~57 tokens");
        let silent = Progress { elapsed: Duration::from_secs(2), ..Progress::default() };
        assert_eq!(text(&silent, 0), "waiting 2.0 s");
        let complete = Progress { uploaded: 3, to_upload: 3, ..silent };
        assert_eq!(text(&complete, 1), "uploaded 100 %, waiting 2.0 s, ~1 token");
    }

    #[test]
    fn nothing_without_a_terminal_and_nothing_within_a_second() {
        assert_eq!(drawn(None, &[after(5_000)]), "");
        assert_eq!(drawn(Some(Terminal::default()), &[after(999)]), "");
    }

    #[test]
    fn a_label_stands_in_front_from_the_first_moment() {
        let (mut err, mut live) = (Vec::new(), Live::new(Some(Terminal { width: 80, plain: true })));
        live.count(9);
        live.label("3 of 12".into());
        live.draw(&after(500), &mut err);
        live.draw(&after(1_500), &mut err);
        let last = "3 of 12, uploaded 61 %, waiting 1.5 s, 4.1 KB received";
        let expected = format!("\r3 of 12\r3 of 12\r{last}\r{last}");
        assert_eq!(String::from_utf8(err).unwrap(), expected);
    }

    #[test]
    fn each_line_replaces_the_former_and_the_last_is_erased_once() {
        let expected = "\ruploaded 61 %, waiting 1.0 s, 4.1 KB received\x1b[K\
                        \ruploaded 61 %, waiting 1.5 s, 4.1 KB received\x1b[K\r\x1b[K";
        assert_eq!(drawn(Some(Terminal::default()), &[after(1_000), after(1_500)]), expected);
    }

    #[test]
    fn it_is_drawn_once_a_tick_again_after_it_was_erased_and_by_the_clock_of_another_attempt() {
        let mut err = Vec::new();
        let mut live = Live::new(Some(Terminal::default()));
        for elapsed in [1_900, 1_901, 1_999, 2_000, 1_000, 1_001] {
            live.draw(&after(elapsed), &mut err);
        }
        live.erase(&mut err);
        live.draw(&after(1_002), &mut err);
        let drawn = String::from_utf8(err).unwrap();
        let seconds: Vec<_> = drawn.split("waiting ").skip(1).map(|line| &line[..3]).collect();
        assert_eq!(seconds, ["1.9", "2.0", "1.0", "1.0"]);
    }

    #[test]
    fn a_narrow_terminal_never_wraps() {
        let drawn = drawn(Some(Terminal { width: 10, plain: false }), &[after(1_000)]);
        assert_eq!(drawn, "\ruploaded \x1b[K\r\x1b[K");
    }

    #[test]
    fn a_plain_terminal_is_cleaned_with_blanks() {
        let terminal = Some(Terminal { width: 80, plain: true });
        let short = Progress { elapsed: Duration::from_secs(2), ..Progress::default() };
        let long = "uploaded 61 %, waiting 1.0 s, 4.1 KB received";
        let expected = format!("\r{long}\r{long}\r{:45}\rwaiting 2.0 s\r{:13}\r", "waiting 2.0 s", "");
        assert_eq!(drawn(terminal, &[after(1_000), short]), expected);
    }
}
