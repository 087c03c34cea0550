//! The rows as they become known, and the last line.

use std::fmt::Write as _;
use std::io::Write;
use std::time::Duration;

use super::ask::Reply;
use super::findings::Findings;
use crate::cli::Format;
use crate::error::{Error, Result};
use crate::output::table::{self, Column};
use crate::output::{Follow, units, write_stdout};
use crate::stats;

/// What a probe brought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// As it should be.
    Ok,
    /// What makes the relay unhealthy, or out of reach.
    Bad,
    /// Not made, or without a result.
    Skipped,
}

impl State {
    /// As reports have it.
    pub fn name(self) -> &'static str {
        match self {
            State::Ok => "ok",
            State::Bad => "bad",
            State::Skipped => "-",
        }
    }
}

/// One line of the report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Row {
    /// Of the probe.
    pub name: &'static str,
    /// Its outcome.
    pub state: State,
    /// How long it took, where that is what it was made for.
    pub time: Option<Duration>,
    /// What it found.
    pub text: String,
    /// Of a bad one: why, in short, for the last line.
    pub reason: String,
}

impl Row {
    /// All is well.
    pub fn ok(name: &'static str, time: Option<Duration>, text: impl Into<String>) -> Row {
        Row { name, state: State::Ok, time, text: text.into(), reason: String::new() }
    }

    /// This makes the relay unhealthy, or out of reach.
    pub fn bad(name: &'static str, time: Option<Duration>, text: impl Into<String>, reason: impl Into<String>) -> Row {
        Row { name, state: State::Bad, time, text: text.into(), reason: reason.into() }
    }

    /// The probe was not made, or told nothing.
    pub fn skipped(name: &'static str, why: impl Into<String>) -> Row {
        Row { name, state: State::Skipped, time: None, text: why.into(), reason: String::new() }
    }
}

const COLUMNS: [Column; 4] = [Column::left("", 3), Column::left("", 7), Column::right("", 8), Column::left("", 0)];

/// What was found so far, and where it is told.
pub(super) struct Report<'a> {
    /// The figures.
    pub findings: Findings,
    out: &'a mut dyn Write,
    follow: Follow,
    format: Format,
    silent: bool,
}

impl<'a> Report<'a> {
    /// Nothing is known yet. `silent` leaves the last line.
    pub fn new(out: &'a mut dyn Write, follow: Follow, format: Format, silent: bool) -> Report<'a> {
        Report { findings: Findings::default(), out, follow, format, silent }
    }

    /// Tells a row, at once.
    pub fn row(&mut self, row: Row) -> Result<()> {
        let text = match self.format {
            _ if self.silent => String::new(),
            Format::Json => String::new(),
            Format::Text => table::line(&COLUMNS, &cells(&row)),
            Format::Markdown => {
                let head = "| | probe | time | |\n| --- | --- | ---: | --- |\n";
                let head = if self.findings.rows.is_empty() { head } else { "" };
                format!("{head}{}", markdown(&row))
            }
        };
        self.findings.rows.push(row);
        self.say(&text)
    }

    /// Tells that a probe got no answer.
    pub fn failed(&mut self, name: &'static str, what: &str, error: &Error) -> Result<()> {
        self.findings.error.get_or_insert_with(|| error.clone());
        self.row(Row::bad(name, None, format!("{what}{error}"), error.to_string()))
    }

    /// Tells that the posts behind the first one were not made.
    pub fn skip_posts(&mut self, why: &str) -> Result<()> {
        ["slope", "uplink", "gzip"]
            .into_iter()
            .try_for_each(|name| self.row(Row::skipped(name, format!("not made: {why}"))))
    }

    /// Tells the last line; returns the exit code.
    pub fn finish(mut self, relay: &str, api: &str) -> Result<u8> {
        let summary = self.findings.summary();
        let text = match self.format {
            Format::Text => format!("{summary}\n"),
            Format::Markdown if self.silent => format!("{summary}\n"),
            Format::Markdown => format!("\n{}\n", escaped(&summary)),
            Format::Json => self.findings.json(relay, api),
        };
        self.say(&text)?;
        Ok(self.findings.exit_code())
    }

    fn say(&mut self, text: &str) -> Result<()> {
        self.follow.erase();
        write_stdout(self.out, text.as_bytes())
    }
}

fn cells(row: &Row) -> [String; 4] {
    let time = row.time.map(units::duration).unwrap_or_default();
    [row.state.name().to_owned(), row.name.to_owned(), time, row.text.clone()]
}

fn markdown(row: &Row) -> String {
    let mut line = String::new();
    for cell in cells(row) {
        // Writing to a String does not fail.
        let _ = write!(line, "| {} ", escaped(&cell));
    }
    line + "|\n"
}

/// Texts of relays may hold what Markdown takes for its own.
fn escaped(text: &str) -> String {
    text.chars().fold(String::new(), |mut text, letter| {
        if matches!(letter, '|' | '\\' | '`' | '*' | '_' | '<' | '[') {
            text.push('\\');
        }
        text.push(if letter.is_control() { '?' } else { letter });
        text
    })
}

/// Why these answers are too late, by the median of what curl calls `time_starttransfer`.
pub(super) fn late(replies: &[Reply], limit: Option<Duration>) -> Option<String> {
    let times: Vec<Duration> = replies.iter().filter_map(|reply| reply.transfer.timings.starttransfer).collect();
    let limit = limit.filter(|_| !times.is_empty())?;
    let time = median(times);
    let [time_told, limit_told] = [time, limit].map(units::duration);
    (time > limit).then(|| format!("starttransfer {time_told} is above {limit_told}"))
}

/// The median; zero of none.
pub(super) fn median(times: impl IntoIterator<Item = Duration>) -> Duration {
    stats::median_time(&times.into_iter().collect::<Vec<_>>()).unwrap_or_default()
}
