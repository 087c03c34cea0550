//! What a replay says: a row for each request, a summary, and the samples for exports.

use std::fmt::Write as _;
use std::time::{Duration, SystemTime};

use crate::body::{Capture, Survey};
use crate::cli::Replay;
use crate::commands::{Context, send};
use crate::error::{Error, Result};
use crate::http::timing::wall_clock;
use crate::http::{Request, Transfer};
use crate::output::export::{self, Row};
use crate::output::table::{self, Column};
use crate::output::{Value, units, utc, write_stdout};
use crate::stats;

/// A request that was made.
#[derive(Debug)]
pub(super) struct Sample {
    /// Capture and document.
    pub name: String,
    /// From 1.
    pub pass: u32,
    /// Of the document as captured.
    pub bytes: u64,
    pub transfer: Transfer,
}

/// Everything that was made so far, and the form of its rows.
pub(super) struct Report {
    /// Requests that were made.
    pub made: u64,
    /// How many requests all passes have.
    pub planned: u64,
    failed: u64,
    /// Bytes of all bodies, and of what was sent for them.
    sizes: [u64; 2],
    connects: u64,
    /// Of successes: when the answer and the first token came.
    moments: [Vec<Duration>; 2],
    /// The body and the error of the first request that failed.
    failure: Option<(String, Error)>,
    /// What to try then.
    hint: Option<String>,
    /// All of them, where there is an export.
    samples: Option<Vec<Sample>>,
    columns: [Column; 9],
    /// stdout is one: rows are aligned and rounded; else they are exact and separated by tabs.
    terminal: bool,
    keepalive: bool,
    request: Request,
    started: SystemTime,
}

impl Report {
    pub fn new(replay: &Replay, captures: &[(Capture, Survey)], terminal: bool) -> Report {
        let longest = |(capture, survey): &(Capture, Survey)| capture.label(survey.documents, survey.documents);
        let width = captures.iter().map(|capture| longest(capture).chars().count()).max().unwrap_or(0);
        let documents = captures.iter().map(|(_, survey)| survey.documents as u64).sum::<u64>();
        let columns = [
            Column::left("name", width),
            Column::right("bytes", 7),
            Column::right("sent", 7),
            Column::right("ratio", 6),
            Column::right("status", 0),
            Column::right("starttransfer", 0),
            Column::right("first token", 0),
            Column::right("total", 7),
            Column::left("", 0),
        ];
        let exports = replay.export_json.is_some() || replay.export_csv.is_some();
        Report {
            made: 0,
            failed: 0,
            sizes: [0; 2],
            connects: 0,
            moments: [const { Vec::new() }; 2],
            failure: None,
            hint: None,
            samples: exports.then(Vec::new),
            planned: documents.saturating_mul(replay.passes.into()),
            columns,
            terminal,
            keepalive: replay.keepalive,
            request: replay.send.request.clone(),
            started: wall_clock(),
        }
    }

    /// The header, which only people need.
    pub fn begin(&self, context: &mut Context<'_>) -> Result<()> {
        let header = if self.terminal { table::header(&self.columns) } else { String::new() };
        write_stdout(context.stdout, header.as_bytes())
    }

    /// Counts a sample, keeps it for exports, and writes its row.
    pub fn add(&mut self, mut sample: Sample, context: &mut Context<'_>) -> Result<()> {
        let cells = self.cells(&sample);
        self.count(&sample);
        if let Some(samples) = &mut self.samples {
            export::slim(&mut sample.transfer);
            samples.push(sample);
        }
        let row = if self.terminal { table::line(&self.columns, &cells) } else { table::tabbed(&cells) };
        write_stdout(context.stdout, row.as_bytes())
    }

    fn count(&mut self, sample: &Sample) {
        let Sample { name, transfer, .. } = sample;
        self.made += 1;
        self.sizes[0] += sample.size_body();
        self.sizes[1] += transfer.size_upload;
        self.connects += u64::from(transfer.num_connects);
        match &transfer.outcome {
            Ok(()) => {
                self.moments[0].extend(transfer.timings.starttransfer);
                self.moments[1].extend(transfer.timings.first_token);
            }
            Err(error) => {
                self.failed += 1;
                self.failure.get_or_insert_with(|| (name.clone(), error.clone()));
            }
        }
        if self.hint.is_none() {
            self.hint = send::hint(transfer, &self.request);
        }
    }

    fn cells(&self, sample: &Sample) -> Vec<String> {
        let Sample { name, transfer, .. } = sample;
        let size = |bytes: u64| if self.terminal { units::bytes(bytes) } else { bytes.to_string() };
        let time = |moment: Option<Duration>| match moment {
            None => "-".to_owned(),
            Some(moment) if self.terminal => units::duration(moment),
            Some(moment) => units::seconds(moment),
        };
        let unit = if self.terminal { "x" } else { "" };
        let ratio = transfer.compression_ratio().map(|ratio| format!("{ratio:.2}{unit}"));
        vec![
            name.clone(),
            size(sample.size_body()),
            size(transfer.size_upload),
            ratio.unwrap_or_else(|| "-".to_owned()),
            transfer.status.map_or_else(|| "-".to_owned(), |status| status.to_string()),
            time(transfer.timings.starttransfer),
            time(transfer.timings.first_token),
            time(transfer.timings.total),
            self.note(transfer),
        ]
    }

    /// What the figures do not say: which connection it was, and what went wrong.
    fn note(&self, transfer: &Transfer) -> String {
        let mut notes = Vec::new();
        if self.keepalive && transfer.connection_id.is_some() {
            match transfer.num_connects {
                0 => notes.push("connection reused".to_owned()),
                _ if self.made == 0 => {}
                _ => notes.push("new connection".to_owned()),
            }
        }
        match transfer.num_retries {
            0 => {}
            1 => notes.push("after 1 retry".to_owned()),
            retries => notes.push(format!("after {retries} retries")),
        }
        notes.extend(transfer.outcome.as_ref().err().map(ToString::to_string));
        notes.join("; ")
    }

    /// How many, of how many when it ended early; how much and how long, what failed first, and what to try then.
    pub fn summary(&self) -> String {
        let ([body, sent], failed) = (self.sizes, self.failed);
        let requests = match self.made {
            made if made < self.planned => format!("{made} of {}", units::count(self.planned, "request")),
            made => units::count(made, "request"),
        };
        let mut text = format!("{requests}, {failed} failed, {body} -> {sent} bytes");
        if sent > 0 && failed == 0 {
            let _ = write!(text, ", {:.2}x", body as f64 / sent as f64);
        }
        if self.keepalive {
            let _ = write!(text, ", {}", units::count(self.connects, "connection"));
        }
        text.push('\n');
        for (name, moments) in ["starttransfer", "first token"].into_iter().zip(&self.moments) {
            text += &spread(name, moments.clone());
        }
        if let Some((name, error)) = &self.failure {
            let _ = writeln!(text, "first failure: {name}: {error}");
        }
        text + self.hint.as_deref().unwrap_or_default()
    }

    /// The body and the error of the first request that failed.
    pub fn first_failure(&self) -> Option<(&str, &Error)> {
        self.failure.as_ref().map(|(name, error)| (name.as_str(), error))
    }

    /// What holds for all samples.
    pub fn head(&self, replay: &Replay) -> Row {
        vec![
            ("gzpost", Value::Text(env!("CARGO_PKG_VERSION").to_owned())),
            ("command", Value::Text("replay".to_owned())),
            ("measured_at", Value::Text(utc::format(self.started, "%Y-%m-%dT%H:%M:%SZ"))),
            ("url", Value::Text(self.request.url.redacted())),
            ("passes", Value::Number(replay.passes.into())),
            ("keepalive", Value::Number(replay.keepalive.into())),
            ("delay", Value::Time(replay.delay)),
        ]
    }

    /// A row for each sample.
    pub fn rows(&self) -> impl Iterator<Item = Row> {
        self.samples.iter().flatten().enumerate().map(|(at, sample)| {
            let labels = [
                ("number", Value::Number(at as i128 + 1)),
                ("pass", Value::Number(sample.pass.into())),
                ("name", Value::Text(sample.name.clone())),
            ];
            labels.into_iter().chain(export::sample(&sample.transfer)).collect()
        })
    }
}

impl Sample {
    /// What was to be sent; where nothing got that far, what was captured.
    fn size_body(&self) -> u64 {
        if self.transfer.size_body > 0 { self.transfer.size_body } else { self.bytes }
    }
}

/// Median and range in one line; nothing of nothing.
fn spread(name: &str, mut moments: Vec<Duration>) -> String {
    moments.sort_unstable();
    let [first, .., last] = moments.as_slice() else {
        let only = moments.first().map(|moment| format!("{name:>13}: {}\n", units::duration(*moment)));
        return only.unwrap_or_default();
    };
    let median = stats::median_time(&moments).unwrap_or_default();
    let [median, first, last] = [median, *first, *last].map(units::duration);
    format!("{name:>13}: median {median}, {first} to {last}\n")
}
