//! How long does a command's round trip take? `cargo bench --bench roundtrip [-- -n N --record DIR]`
//!
//! Starts the program again and again, one after the other, against a server on loopback that answers at once; in turn
//! with curl where it is installed, and with requests over a kept connection inside this process. What is measured is
//! what an agent waits for beyond the relay: start, connection, request, answer and end of the process.

#![allow(clippy::print_stdout, reason = "a bench has nobody else to tell")]

mod common;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use common::{Way, gzpost, installed, ratio, server, spawning};
use gzpost::body::{Body, BodyOptions, Declared, Pending, synthetic};
use gzpost::error::Result;
use gzpost::http::timing::wall_clock;
use gzpost::http::url::Url;
use gzpost::http::{Client, Request, Settings, Sink, Unobserved};
use gzpost::output::record::{self, Record};
use gzpost::output::table::{self, Column};
use gzpost::output::{csv, host, units, utc};
use gzpost::stats::{self, Summary};
use serde_json::{Value, json};

/// Counted runs of each way.
const RUNS: usize = 300;

/// Runs before those.
const WARMUP: usize = 5;

/// A small request, in bytes: it is sent as it is.
const SIZE: usize = 500;

fn main() -> Result<()> {
    let (runs, folder) = arguments();
    let measured_at = wall_clock();
    let load_before = host::load_average();
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR")).join("roundtrip-body.json");
    let body = synthetic("demo-model", SIZE, 3.6, 1);
    std::fs::write(&scratch, &body).expect("a folder for temporary files");
    let url = server::http(server::answer_at_once) + "/v1/chat/completions";
    let (secured, certificate) = server::https(server::answer_at_once, Duration::ZERO);
    let ways = ways(&url, &secured, &certificate, &scratch, &body);
    let times = common::measure(&ways, WARMUP, runs);
    let rows: Vec<(&str, Summary, Option<f64>)> = (0..ways.len())
        .filter_map(|way| Some((ways[way].name, stats::summary(&times[way])?, against_curl(&ways, &times, way))))
        .collect();
    let tables = tables(&rows);
    println!("{}", text(&rows));
    let Some((_, summary, _)) = rows.first().copied() else { return Ok(()) };
    let record = Record {
        name: record::name(&folder),
        question: "How long does the round trip of a command take?".to_owned(),
        answer: answer(&rows, &utc::format(measured_at, "%Y-%m-%d %H:%M UTC")),
        status: "complete",
        answered: true,
        metric: "gzpost URL body, from its start to its end".to_owned(),
        unit: "ms",
        stat: "median",
        summary: Some(summary),
        extra: extra(&rows),
        measured_at,
        load_before,
        network: json!("loopback"),
        method: method(runs),
        reproduce: format!("cargo bench --bench roundtrip -- -n {runs}"),
        caveats: vec!["The server is a thread of the measuring process on the same machine.".to_owned()],
        tables,
    };
    record::write(&folder, &record, &samples(&ways, &times))?;
    println!("record: {}", folder.display());
    Ok(())
}

/// `-n N` and `--record DIR`; cargo adds arguments of its own.
fn arguments() -> (usize, PathBuf) {
    let words: Vec<String> = std::env::args().collect();
    let value = |name: &str| words.iter().position(|word| word == name).and_then(|at| words.get(at + 1));
    let runs = value("-n").and_then(|runs| runs.parse().ok()).unwrap_or(RUNS);
    let folder = value("--record").map(PathBuf::from);
    (runs, folder.unwrap_or_else(|| Path::new(env!("CARGO_TARGET_TMPDIR")).join("roundtrip")))
}

/// All ways, the program's own first; those of curl only where it is installed.
fn ways(url: &str, secured_url: &str, certificate: &Path, file: &Path, body: &[u8]) -> Vec<Way> {
    let [file, certificate] = [file, certificate].map(|path| path.to_str().expect("a path of UTF-8"));
    let direct = [gzpost(), url, file];
    let secured = [gzpost(), "--cacert", certificate, secured_url, file];
    let data = format!("@{file}");
    let curl = ["curl", "-q", "-sS", "-H", "Content-Type: application/json", "--data-binary", &data, url];
    let curl_secured = [&curl[..7], &["--cacert", certificate, secured_url]].concat();
    let mut ways = vec![
        Way { name: "gzpost URL body", run: spawning(&direct) },
        Way { name: "gzpost URL body, https", run: spawning(&secured) },
        Way { name: "sh -c 'gzpost URL body'", run: spawning(&through_shell(&direct)) },
    ];
    if installed("curl") {
        ways.push(Way { name: "curl --data-binary @body URL", run: spawning(&curl) });
        ways.push(Way { name: "curl --data-binary @body URL, https", run: spawning(&curl_secured) });
        ways.push(Way { name: "sh -c 'curl --data-binary @body URL'", run: spawning(&through_shell(&curl)) });
    }
    ways.push(Way { name: "a kept connection in-process", run: keeping(url, body) });
    // Any process takes this long here.
    ways.push(Way { name: "true", run: spawning(&["true"]) });
    ways
}

fn through_shell(words: &[&str]) -> Vec<String> {
    let line: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
    vec!["sh".to_owned(), "-c".to_owned(), line.join(" ")]
}

/// Sends over one connection of one client.
fn keeping(url: &str, body: &[u8]) -> Box<dyn Fn()> {
    let client = Client::new(Settings::default(), Box::new(Unobserved), None);
    let request = Request::new("POST", Url::parse(url).expect("a URL"));
    let body = Body { bytes: body.to_vec(), name: "body".to_owned(), declared: Declared::Json };
    Box::new(move || {
        let content = Pending::start(body.clone(), BodyOptions::default(), None, None);
        let transfer = client.send(&request, Some(Arc::new(content)), &mut Nowhere);
        assert!(transfer.outcome.is_ok() && transfer.status == Some(200), "{:?}", transfer.outcome);
    })
}

/// Drops the answer.
struct Nowhere;

impl Sink for Nowhere {
    fn content(&mut self, _: &[u8], _: Duration) -> Result<()> {
        Ok(())
    }
}

/// How many times as long as curl's direct start over the same scheme, run by run; `None` of curl and without it.
fn against_curl(ways: &[Way], times: &[Vec<f64>], way: usize) -> Option<f64> {
    let secured = |way: &Way| way.name.ends_with("https");
    let curl = ways.iter().position(|other| other.name.starts_with("curl") && secured(other) == secured(&ways[way]))?;
    ratio(&times[way], &times[curl]).filter(|_| way != curl)
}

fn columns() -> [Column; 6] {
    let [p50, p95, p99, max] = ["p50", "p95", "p99", "max"].map(|title| Column::right(title, 0));
    [Column::left("round trip", 0), p50, p95, p99, max, Column::right("of curl's", 0)]
}

fn cells((name, summary, ratio): &(&str, Summary, Option<f64>)) -> Vec<String> {
    let Summary { p50, p95, p99, max, .. } = *summary;
    let times = [p50, p95, p99, max].map(units::milliseconds);
    let ratio = ratio.map_or_else(String::new, |ratio| format!("{ratio:.2}x"));
    [vec![(*name).to_owned()], times.to_vec(), vec![ratio]].concat()
}

fn text(rows: &[(&str, Summary, Option<f64>)]) -> String {
    table::aligned(&columns(), &rows.iter().map(cells).collect::<Vec<_>>())
}

fn tables(rows: &[(&str, Summary, Option<f64>)]) -> String {
    table::markdown(&columns(), &rows.iter().map(cells).collect::<Vec<_>>())
}

fn extra(rows: &[(&str, Summary, Option<f64>)]) -> Value {
    let row = |(name, Summary { n, median, min, max, mad, p50, p95, p99 }, ratio): &(&str, Summary, Option<f64>)| {
        json!({"way": name, "n": n, "median": median, "min": min, "max": max, "mad": mad, "p50": p50, "p95": p95,
            "p99": p99, "ratio_to_curl": ratio})
    };
    json!({"unit": "ms", "ways": rows.iter().map(row).collect::<Value>()})
}

fn answer(rows: &[(&str, Summary, Option<f64>)], when: &str) -> String {
    let (_, summary, ratio) = &rows[0];
    let Summary { n, p50, p95, p99, max, .. } = *summary;
    let [p50, p95, p99, max] = [p50, p95, p99, max].map(units::milliseconds);
    let curl = ratio.map(|ratio| format!(", {ratio:.2} times curl's")).unwrap_or_default();
    format!(
        "gzpost URL body takes {p50}{curl} (p95 {p95}, p99 {p99}, max {max}; {n} serial starts with a body of {SIZE} \
         bytes against a loopback server that answers at once, on {when})."
    )
}

fn method(runs: usize) -> String {
    format!(
        "{runs} serial runs of each way after {WARMUP} warm-ups, in turn, the order turned around from round to round; \
         a body of {SIZE} bytes, sent as it is; stdin, stdout and stderr are /dev/null; \
         percentiles by nearest rank, ratios by run."
    )
}

fn samples(ways: &[Way], times: &[Vec<f64>]) -> String {
    let row = |name: &str, run: usize, ms: f64| [name.to_owned(), run.to_string(), format!("{ms:.6}")];
    let rows: Vec<[String; 3]> = ways
        .iter()
        .zip(times)
        .flat_map(|(way, times)| times.iter().enumerate().map(|(run, ms)| row(way.name, run, *ms)))
        .collect();
    csv::text(&["way", "run", "ms"], &rows)
}
