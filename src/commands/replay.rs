//! `gzpost replay URL CAPTURE...`: captured bodies one after the other, a row for each, a summary at the end.

mod dry_run;
mod report;
mod save;

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{Context, begin, complain, complain_of_all, send};
use crate::body::{Body, Capture, Declared, Document, Survey, capture};
use crate::cli::{Replay, Send};
use crate::error::{Error, Kind, Result};
use crate::http::timing::Clock;
use crate::http::{Client, Transfer};
use crate::output::export::{self, Export};
use crate::output::{Follow, units};
use report::{Report, Sample};
use save::Save;

/// What a request costs beside its bytes, as bytes of a body: 0.54 s at 24 ms for a KB of gzip, 3.5 times as much JSON.
/// Only the estimate of the time left depends on it.
const FLOOR: u64 = 75_000;

/// Checks all captures, sends them, and reports; returns the exit code.
pub fn run(replay: Replay, context: &mut Context<'_>) -> u8 {
    let (output, stderr) = (replay.send.output.clone(), context.stderr.clone());
    tell(replay, context).unwrap_or_else(|error| complain(&error, &output, &stderr))
}

/// An error is one from before the first request, or one that ended the run.
fn tell(replay: Replay, context: &mut Context<'_>) -> Result<u8> {
    begin(&replay.send.output, &replay.send.warnings, &context.stderr)?;
    let sources: Vec<_> = replay.send.parts.iter().map(|part| part.source.clone()).collect();
    let captures = capture::open(&sources, context.stdin)?;
    if replay.dry_run {
        return dry_run::show(&replay, &captures, context).map(|()| 0);
    }
    let [json, csv] = exports(&replay, &captures)?;
    let captures = survey(captures, context)?;
    let report = Report::new(&replay, &captures, context.stdout_terminal.is_some());
    let mut run = Run::new(replay, report, &captures, context)?;
    let ended = run.passes(&captures, context);
    run.follow.stop();
    let Run { report, replay, .. } = run;
    // A reader of the rows that went away wants no summary either.
    let unread = ended.as_ref().is_err_and(|error| error.message.is_empty());
    if !replay.send.output.silent && !unread {
        context.stderr.say(&report.summary());
    }
    // What fails keeps nothing else from being written, and comes after what became of the run itself.
    let written = [
        json.write(|| export::json(&report.head(&replay), "samples", report.rows())),
        csv.write(|| export::csv(report.rows())),
    ];
    let outcome = ended.and_then(|()| match report.first_failure() {
        None => Ok(0),
        // The summary, which names it, is left out.
        Some((name, error)) if replay.send.output.silent => {
            Err(Error::new(error.kind, format!("{name}: {}", error.message)))
        }
        Some((_, error)) => Ok(error.kind.code()),
    });
    let failed = written.into_iter().filter_map(Result::err);
    Ok(complain_of_all(outcome, failed, &replay.send.output, &context.stderr))
}

/// The files for JSON and CSV.
fn exports(replay: &Replay, captures: &[Capture]) -> Result<[Export; 2]> {
    let read: Vec<&Path> = captures.iter().filter_map(Capture::path).collect();
    let open = |path: &Option<PathBuf>| Export::open(path.as_deref(), &read);
    Ok([open(&replay.export_json)?, open(&replay.export_csv)?])
}

/// Checks every document of every capture.
fn survey(captures: Vec<Capture>, context: &Context<'_>) -> Result<Vec<(Capture, Survey)>> {
    let survey = |capture: Capture| {
        let survey = capture.check(|_| context.check_signals())?;
        Ok((capture, survey))
    };
    captures.into_iter().map(survey).collect()
}

/// A run: what stays the same from request to request, and how far it is.
struct Run {
    replay: Replay,
    follow: Follow,
    /// `--keepalive`: the one client; else the last one.
    client: Option<Client>,
    save: Option<Save>,
    report: Report,
    progress: Progress,
}

/// How far the run is, in bytes of bodies with `FLOOR` for each request.
struct Progress {
    clock: Clock,
    weight: u64,
    done: u64,
}

impl Run {
    fn new(replay: Replay, report: Report, captures: &[(Capture, Survey)], context: &Context<'_>) -> Result<Run> {
        let requests = captures.iter().map(|(_, survey)| survey.documents as u64).sum::<u64>();
        let bytes = captures.iter().map(|(_, survey)| survey.bytes).sum::<u64>();
        let passes = u64::from(replay.passes);
        let weight = (bytes + FLOOR * requests).saturating_mul(passes);
        let save = replay.save.as_deref().map(|dir| Save::new(dir, report.planned)).transpose()?;
        let follow =
            Follow::new(&replay.send.output, context.stderr.clone(), context.stderr_terminal, context.stdout_is_file);
        let progress = Progress { clock: Clock::start(), weight, done: 0 };
        Ok(Run { replay, follow, client: None, save, report, progress })
    }

    /// All passes over all captures; an error ends the run.
    fn passes(&mut self, captures: &[(Capture, Survey)], context: &mut Context<'_>) -> Result<()> {
        self.report.begin(context)?;
        for pass in 1..=self.replay.passes {
            for (capture, survey) in captures {
                let mut documents = capture.documents()?;
                for _ in 0..survey.documents {
                    let changed =
                        || Error::new(Kind::Read, format!("{}: has changed since it was checked", capture.name));
                    let document = documents.next().ok_or_else(changed)??;
                    let label = capture.label(document.number, survey.documents);
                    let failed = self.request(document, label, pass, context)?;
                    if failed && self.replay.fail_early {
                        return Ok(());
                    }
                }
            }
        }
        Ok(())
    }

    /// One request and its row; says whether it failed.
    fn request(&mut self, document: Document, name: String, pass: u32, context: &mut Context<'_>) -> Result<bool> {
        let number = self.report.made + 1;
        let bytes = document.bytes.len() as u64;
        self.follow.label(self.progress.label(number, self.report.planned, self.replay.delay));
        if let Some(client) = self.client.as_ref().filter(|_| !self.replay.delay.is_zero()) {
            client.pause(self.replay.delay)?;
        }
        let body = Body { bytes: document.bytes, name: name.clone(), declared: Declared::Json };
        let saved = self.save.as_mut().map(|save| save.path(&name));
        let transfer = self.send(body, saved, context)?;
        self.follow.erase();
        if let Err(error) = &transfer.outcome
            && error.kind.is_signal()
        {
            return Err(error.clone());
        }
        self.progress.done += bytes + FLOOR;
        let failed = transfer.outcome.is_err();
        self.report.add(Sample { name, pass, bytes, transfer }, context)?;
        Ok(failed)
    }

    fn send(&mut self, body: Body, saved: Option<PathBuf>, context: &mut Context<'_>) -> Result<Transfer> {
        let Send { settings, output, .. } = &mut self.replay.send;
        if saved.is_some() {
            (output.file, output.no_clobber) = (saved, true);
        }
        let kept = self.client.take().filter(|_| self.replay.keepalive);
        let client = kept
            .unwrap_or_else(|| Client::new(settings.clone(), Box::new(self.follow.clone()), context.signals.clone()));
        let client = self.client.insert(client);
        let content = send::start(body, &self.replay.send)?;
        let mut transfer = send::transfer(client, &self.replay.send, Some(&content), context.stdout, &self.follow)?;
        transfer.filename_effective = transfer.filename_effective.filter(|_| self.save.is_some());
        Ok(transfer)
    }
}

impl Progress {
    /// `3 of 12, about 45 s left`
    fn label(&self, number: u64, planned: u64, delay: Duration) -> String {
        let of = format!("{number} of {planned}");
        if self.done == 0 {
            return of;
        }
        let [before, behind] = [number - 1, planned - number].map(|pauses| delay.as_secs_f64() * pauses as f64);
        let so_far = (self.clock.elapsed().as_secs_f64() - before).max(0.0);
        let rest = so_far * (self.weight - self.done) as f64 / self.done as f64;
        // Never "0 s": it is not over yet.
        let left = Duration::try_from_secs_f64((rest + behind).max(1.0)).unwrap_or(Duration::MAX);
        format!("{of}, about {} left", units::rough(left))
    }
}
