//! The results of a bench in files: JSON and CSV with every sample, Markdown, SVG, and the record.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use super::End;
use super::report::{Comparison, Cost, Report, Side};
use super::sample::Sample;
use super::{tables, text};
use crate::cli::{Bench, BenchBody, Metric};
use crate::error::{Error, Result};
use crate::http::timing::Timings;
use crate::output::export::Export;
use crate::output::record::{self, Folders, Record};
use crate::output::{csv, svg, units, utc};
use crate::stats::{self, FEWEST, Line, Ratio, Summary};

/// What a record says about the time before the measurement.
pub(super) struct Occasion {
    pub measured_at: SystemTime,
    pub load_before: Option<Vec<f64>>,
}

type Moment = fn(&Timings) -> Option<Duration>;

/// The moments of a sample by curl's names and ours; `time_compress` is a length.
const MOMENTS: [(&str, Moment); 11] = [
    ("time_namelookup", |timings| timings.namelookup),
    ("time_connect", |timings| timings.connect),
    ("time_appconnect", |timings| timings.appconnect),
    ("time_pretransfer", |timings| timings.pretransfer),
    ("time_posttransfer", |timings| timings.posttransfer),
    ("time_starttransfer", |timings| timings.starttransfer),
    ("time_first_event", |timings| timings.first_event),
    ("time_first_token", |timings| timings.first_token),
    ("time_last_token", |timings| timings.last_token),
    ("time_total", |timings| timings.total),
    ("time_compress", |timings| timings.compress),
];

/// The files for JSON, CSV, Markdown and SVG.
pub(super) type Files = [Export; 4];

/// Refuses what could not be written in the end, and what is a body.
pub(super) fn open(bench: &Bench) -> Result<(Files, Option<Folders>)> {
    let exports = &bench.exports;
    let files = bench.bodies.iter().filter_map(|body| match body {
        BenchBody::Given(part) => part.source.path(),
        BenchBody::Synthetic { .. } => None,
    });
    let read: Vec<&Path> = files.collect();
    // First, as the others may go there too.
    let folders = exports.record.as_deref().map(record::check).transpose()?;
    let open = |path: &Option<PathBuf>| Export::open(path.as_deref(), &read);
    let files = [open(&exports.json)?, open(&exports.csv)?, open(&exports.markdown)?, open(&exports.svg)?];
    Ok((files, folders))
}

/// Writes everything that was asked for; what fails does not keep the rest from being written. `true` when a record
/// was left as it was, for want of an answer.
pub(super) fn write(bench: &Bench, report: &Report, occasion: &Occasion, files: Files) -> (bool, Vec<Error>) {
    let samples = samples_csv(report);
    let [json, csv, markdown, svg] = files;
    let keep = |folder: &PathBuf| {
        let name = bench.shown(&record::name(folder));
        record::write(folder, &record_of(bench, report, occasion, name), &samples)
    };
    let kept = bench.exports.record.as_ref().map_or(Ok(true), keep);
    let left = kept == Ok(false);
    let written = [
        kept.map(drop),
        json.write(|| format!("{:#}\n", results(report))),
        csv.write(|| samples.clone()),
        markdown.write(|| text::markdown(report)),
        svg.write(|| svg::figure(&tables::figure(report))),
    ];
    (left, written.into_iter().filter_map(Result::err).collect())
}

/// The CSV of all samples: seconds as curl prints them, nothing for what did not happen.
fn samples_csv(report: &Report) -> String {
    let header: Vec<&str> = SAMPLE_FACTS.into_iter().chain(MOMENTS.map(|(name, _)| name)).collect();
    let rows: Vec<Vec<String>> = report
        .samples
        .iter()
        .enumerate()
        .map(|(number, sample)| {
            let facts = facts(report, number, sample).map(|fact| match fact {
                Value::Null => String::new(),
                Value::String(text) => text,
                Value::Number(number) if number.is_f64() => format!("{:.6}", number.as_f64().unwrap_or_default()),
                other => other.to_string(),
            });
            let moments = MOMENTS.map(|(_, moment)| moment(&sample.timings).map(units::seconds).unwrap_or_default());
            facts.into_iter().chain(moments).collect()
        })
        .collect();
    csv::text(&header, &rows)
}

/// What is said about a sample besides its moments.
const SAMPLE_FACTS: [&str; 14] = [
    "number",
    "body",
    "coding",
    "pair",
    "warmup",
    "ok",
    "status",
    "exit_code",
    "error",
    "size_body",
    "size_upload",
    "size_download",
    "num_tokens",
    "started",
];

fn facts(report: &Report, number: usize, sample: &Sample) -> [Value; 14] {
    let step = sample.step;
    let failure = sample.failure.as_ref();
    [
        number.into(),
        report.comparisons[step.body].name.as_str().into(),
        tables::word(step.coding).into(),
        step.pair.into(),
        step.pair.is_none().into(),
        failure.is_none().into(),
        sample.status.into(),
        failure.map_or(0, |failure| failure.kind.code()).into(),
        failure.map(|failure| failure.why.as_str()).into(),
        sample.size_body.into(),
        sample.size_upload.into(),
        sample.size_download.into(),
        sample.tokens.into(),
        rounded(sample.started.as_secs_f64()).into(),
    ]
}

/// To whole microseconds of seconds, to whole nanoseconds of milliseconds.
fn rounded(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}

/// The JSON with results and samples.
fn results(report: &Report) -> Value {
    let sample = |(number, sample): (usize, &Sample)| {
        let facts = SAMPLE_FACTS.into_iter().zip(facts(report, number, sample));
        let moments = MOMENTS
            .iter()
            .map(|(name, moment)| (*name, moment(&sample.timings).map(|moment| rounded(moment.as_secs_f64())).into()));
        facts.chain(moments).map(|(name, value)| (name.to_owned(), value)).collect::<Value>()
    };
    let mut results = extra(report);
    results["url"] = report.url.as_str().into();
    results["metric"] = format!("time_{}", report.metric.name()).into();
    results["method"] = method(report).into();
    results["status"] = status(report).into();
    results["network"] = network(report);
    results["warnings"] = report.warnings.clone().into();
    results["samples"] = report.samples.iter().enumerate().map(sample).collect();
    results
}

/// The results per body and over sizes; times are in milliseconds.
fn extra(report: &Report) -> Value {
    let [plain, gzip] = report.costs.each_ref().map(cost);
    json!({
        "bodies": report.comparisons.iter().map(comparison).collect::<Value>(),
        "over_sizes": {"plain": plain, "gzip": gzip},
    })
}

fn comparison(comparison: &Comparison) -> Value {
    let [plain, gzip] = comparison.sides.each_ref().map(side);
    let speedup = |Ratio { n, median, interval }: Ratio| {
        let (low, high) = interval.map(|(low, high)| (rounded(low), rounded(high))).unzip();
        json!({"pairs": n, "median": rounded(median), "low": low, "high": high})
    };
    json!({
        "body": comparison.name,
        "size_body": comparison.size,
        "plain": plain,
        "gzip": gzip,
        "speedup": comparison.speedup.map(speedup),
    })
}

fn side(side: &Side) -> Value {
    let times = side.times.map(|Summary { n: _, median, min, max, mad, p50, p95, p99 }| {
        let [median, min, max, mad, p50, p95, p99] = [median, min, max, mad, p50, p95, p99].map(rounded);
        json!({"median": median, "min": min, "max": max, "mad": mad, "p50": p50, "p95": p95, "p99": p99})
    });
    json!({
        "size_upload": side.sent,
        "n": side.n,
        "failures": side.failures.len(),
        "statuses": side.statuses,
        "ms": times,
    })
}

fn cost(cost: &Cost) -> Value {
    json!({"per_kb_of_body": line(cost.body), "per_kb_sent": line(cost.sent)})
}

fn line(line: Option<Line>) -> Value {
    line.map_or(Value::Null, |Line { slope, floor }| json!({"floor_ms": rounded(floor), "ms": rounded(slope)}))
}

fn network(report: &Report) -> Value {
    let network = &report.network;
    json!({
        "dns_ms": network.dns.map(rounded),
        "connect_ms": network.connect.map(rounded),
        "tls_ms": network.tls.map(rounded),
        "tls_version": network.tls_version,
        "connections": network.connections,
        "relay": line(network.relay),
    })
}

fn status(report: &Report) -> &'static str {
    match report.end {
        _ if report.comparisons.iter().all(|comparison| comparison.speedup.is_none()) => "failed",
        End::Complete => "complete",
        End::TimeIsUp | End::Interrupted(_) => "partial",
    }
}

fn method(report: &Report) -> String {
    format!(
        "{}. Percentiles by nearest rank, so p95 is the largest of fewer than 20; the speed-up is the median of plain \
         over gzip pair by pair, its interval the two ratios whose ranks hold the true median at least 95 times in 100 \
         (sign test), from {FEWEST} pairs on; lines over sizes by Theil and Sen through the medians. A KB is 1,000 bytes.",
        report.method
    )
}

/// The largest body answers the question.
fn record_of(bench: &Bench, report: &Report, occasion: &Occasion, name: String) -> Record {
    let largest = report.comparisons.iter().rev().find(|comparison| comparison.speedup.is_some());
    let ratios = largest.map(|comparison| ratios(report, comparison)).unwrap_or_default();
    let does = match report.metric {
        Metric::Starttransfer => "begin to answer",
        Metric::FirstToken => "bring the first token",
        Metric::Total => "finish its answer",
    };
    let mut caveats = report.warnings.clone();
    if bench.bogus_model.is_some() {
        caveats.push("A model that nobody has was asked for: a real model's own time comes on top.".to_owned());
    }
    if bench.alias.is_some() {
        caveats.push("Names of hosts are replaced: the command line needs the real ones.".to_owned());
    }
    Record {
        name,
        question: format!("How much sooner does {} {does} when the body goes out as gzip?", report.url),
        answer: answer(report, largest, occasion),
        status: status(report),
        answered: largest.is_some() || report.refusal_of_gzip().is_some(),
        metric: format!("speed-up of time_{} by gzip, largest body", report.metric.name()),
        unit: "times",
        stat: "median of pair-by-pair ratios",
        summary: stats::summary(&ratios),
        extra: extra(report),
        measured_at: occasion.measured_at,
        load_before: occasion.load_before.clone(),
        network: network(report),
        method: method(report),
        reproduce: bench.reproduce.clone(),
        caveats,
        tables: text::markdown(report),
    }
}

fn ratios(report: &Report, comparison: &Comparison) -> Vec<f64> {
    let number = report.comparisons.iter().position(|other| other == comparison);
    let own = |sample: &&Sample| Some(sample.step.body) == number && sample.step.pair.is_some();
    let own: Vec<&Sample> = report.samples.iter().filter(own).collect();
    let pairs = super::report::pairs(&own, report.metric);
    pairs.iter().map(|(plain, gzip)| rounded(plain / gzip)).collect()
}

fn answer(report: &Report, largest: Option<&Comparison>, occasion: &Occasion) -> String {
    let when = utc::format(occasion.measured_at, "%Y-%m-%d %H:%M UTC");
    let parts = largest.and_then(|largest| {
        let [plain, gzip] = [0, 1].map(|at| largest.sides[at].times.map(|times| units::milliseconds(times.median)));
        Some((largest, largest.speedup?, plain?, gzip?))
    });
    if let Some(refused) = report.refusal_of_gzip() {
        return format!("The relay at {} does not take gzip ({refused}; {when}).", report.url);
    }
    let Some((Comparison { name, size, sides, .. }, Ratio { n, median, interval }, plain, gzip)) = parts else {
        return format!("Nothing could be compared at {} on {when}: no pair of requests succeeded.", report.url);
    };
    let (size, sent) = (units::bytes(*size), units::bytes(sides[1].sent));
    let interval = match interval.map(tables::shown_interval) {
        Some(interval) => format!("95 % interval of the speed-up {interval}"),
        None => "too few pairs for an interval of the speed-up".to_owned(),
    };
    format!(
        "{median:.2} times as soon for the largest body, {name} ({size}, {sent} as gzip): {gzip} in place of {plain} \
         (medians of time_{}; {interval}; {} against {} on {when}).",
        report.metric.name(),
        units::count(n as u64, "interleaved pair"),
        report.url,
    )
}
