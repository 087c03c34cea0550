//! `gzpost bench`: the same bodies plain and as gzip, interleaved, many times; what that says, and records of it.

mod bodies;
mod export;
mod plan;
mod progress;
mod report;
mod sample;
mod tables;
mod text;

use std::sync::Arc;

use super::{Context, begin, complain, complain_of_all, warn};
use crate::body::{Body, BodyOptions, Coding, CodingChoice, Declared, Pending};
use crate::cli::Bench;
use crate::error::{Error, Kind, Result};
use crate::http::Client;
use crate::http::credentials::escape;
use crate::http::timing::{Clock, wall_clock};
use crate::output::{chart, host, write_stdout};
use bodies::Prepared;
use export::Occasion;
use plan::{Pace, Step};
use progress::Progress;
use report::Report;
use sample::{Failure, Run, Sample, Taste};

/// Why a bench ended.
#[derive(Debug, Clone, PartialEq, Eq)]
enum End {
    /// All of the plan was measured.
    Complete,
    /// `--max-time-total`
    TimeIsUp,
    /// A signal.
    Interrupted(Error),
}

/// Measures, tells and exports; returns the exit code.
pub fn run(mut bench: Bench, context: &mut Context<'_>) -> u8 {
    tell(&mut bench, context).unwrap_or_else(|error| complain(&error, &bench.output, &context.stderr))
}

fn tell(bench: &mut Bench, context: &mut Context<'_>) -> Result<u8> {
    let stderr = context.stderr.clone();
    begin(&bench.output, &bench.warnings, &stderr)?;
    // Minutes later it would be too late to find out what cannot be written.
    let (files, _folders) = export::open(bench)?;
    let bodies = bodies::prepare(bench, context)?;
    let occasion = Occasion { measured_at: wall_clock(), load_before: host::load_average() };
    let run = measure(bench, &bodies, context)?;
    let report = Report::new(bench, &bodies, run);
    let mut told = text::report(&report);
    if let Some(terminal) = context.stdout_terminal {
        let bars = chart::bars(&tables::bars(&report), terminal);
        told = format!("{told}\n{bars}");
    }
    let told = write_stdout(context.stdout, told.as_bytes());
    if !bench.output.silent {
        report.told.iter().for_each(|warning| warn(warning, &stderr));
        if let Some(refused) = report.refusal_of_gzip() {
            warn(&format!("the relay does not take gzip ({refused}); gzpost check finds out more"), &stderr);
        }
    }
    // What was measured is kept, whoever has stopped reading.
    let (left, failed) = export::write(bench, &report, &occasion, files);
    if let (Some(folder), true, false) = (&bench.exports.record, left, bench.output.silent) {
        let folder = escape(folder.as_os_str().as_encoded_bytes());
        warn(&format!("{folder}: no pair of requests succeeded: the record was left as it was"), &stderr);
    }
    let outcome = told.and_then(|()| conclude(bench, &report, context));
    Ok(complain_of_all(outcome, failed, &bench.output, &stderr))
}

/// Sends everything that the plan says, until it is done, a signal comes or the time is up.
fn measure(bench: &Bench, bodies: &[Prepared], context: &mut Context<'_>) -> Result<Run> {
    let steps = plan::steps(bodies.len(), bench.warmup, bench.pairs);
    let mut pace = Pace::new(&steps);
    let mut progress = Progress::new(&bench.output, context.stderr.clone(), context.stderr_terminal);
    let client = Client::new(bench.settings.clone(), Box::new(progress.clone()), context.signals.clone());
    let clock = Clock::start();
    let mut run = Run { samples: Vec::new(), end: End::Complete, tls: None };
    for (done, step) in steps.iter().enumerate() {
        let started = clock.elapsed();
        if bench.max_time_total.is_some_and(|limit| started >= limit) {
            run.end = End::TimeIsUp;
            break;
        }
        progress.begin(&steps, done, &bodies[step.body].name, || pace.left());
        let mut taste = Taste::new(bench);
        let content = content(bench, &bodies[step.body], *step);
        let transfer = client.send(&bench.request, Some(Arc::new(content)), &mut taste);
        if let Err(error) = &transfer.outcome {
            if error.kind.is_signal() {
                run.end = End::Interrupted(error.clone());
                break;
            }
            // Where the first request gets no connection, the others will not either.
            if done == 0 && transfer.timings.pretransfer.is_none() {
                progress.erase();
                return Err(error.clone());
            }
        }
        run.tls = run.tls.or_else(|| transfer.tls.as_ref().map(|tls| tls.version));
        let sample = taste.sample(*step, started, transfer, bench.metric);
        pace.made(&sample);
        run.samples.push(sample);
    }
    progress.erase();
    Ok(run)
}

/// The body as content, coded anew each time: that is what a request costs.
fn content(bench: &Bench, body: &Prepared, step: Step) -> Pending {
    let coding = match step.coding {
        Coding::Identity => CodingChoice::Identity,
        Coding::Gzip => CodingChoice::Gzip,
    };
    let options = BodyOptions { check: bench.body.check, coding, level: bench.body.level, ..BodyOptions::default() };
    let body = Body { bytes: body.bytes.clone(), name: body.name.clone(), declared: Declared::Json };
    Pending::start(body, options, bench.request.field("Content-Type").map(str::to_owned), None)
}

/// The exit code: a signal's, else that of the first failure that counts.
fn conclude(bench: &Bench, report: &Report, context: &mut Context<'_>) -> Result<u8> {
    if let End::Interrupted(error) = &report.end {
        return Err(Error::new(error.kind, format!("{}, {}", error.message, report.progress())));
    }
    if report.end == End::TimeIsUp && !bench.output.silent {
        let limit = bench.max_time_total.unwrap_or_default().as_secs_f64();
        warn(&format!("stopped after {limit} s (--max-time-total), {}", report.progress()), &context.stderr);
    }
    let counted: Vec<&Sample> = report.samples.iter().filter(|sample| sample.step.pair.is_some()).collect();
    let failures: Vec<&Failure> = counted.iter().filter_map(|sample| sample.failure.as_ref()).collect();
    match failures.first() {
        Some(first) => {
            let (failed, of, whole) = (failures.len(), counted.len(), first.whole());
            Err(Error::new(first.kind, format!("{failed} of {of} counted requests failed; the first: {whole}")))
        }
        None if counted.is_empty() => Err(Error::new(Kind::Timeout, "the time was up before a request counted")),
        None => Ok(0),
    }
}
