//! What a bench found: plain against gzip per body, the way to the relay, and what a KB costs.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::End;
use super::bodies::Prepared;
use super::sample::{Failure, Run, Sample, milliseconds};
use crate::body::Coding;
use crate::cli::{Bench, BenchBody, Metric};
use crate::error::Kind;
use crate::http::timing::Timings;
use crate::output::units;
use crate::stats::{self, FEWEST, Line, Ratio, Summary};

/// Through two points there is always a line; only a third one says whether it means something.
const POINTS: usize = 3;

/// All results of a bench.
#[derive(Debug)]
pub(super) struct Report {
    /// As exports may show it.
    pub url: String,
    /// The moment that is compared.
    pub metric: Metric,
    /// How it was measured, in a sentence.
    pub method: String,
    /// One per body, the smallest first.
    pub comparisons: Vec<Comparison>,
    /// The way to the relay and its own costs.
    pub network: Network,
    /// The metric over sizes, plain and as gzip.
    pub costs: [Cost; 2],
    /// What limits the results, without the server's own words.
    pub warnings: Vec<String>,
    /// The same with them, for the terminal.
    pub told: Vec<String>,
    /// Every request, warm-ups too.
    pub samples: Vec<Sample>,
    /// Why it ended.
    pub end: End,
    /// Counted requests that were planned.
    pub planned: usize,
}

/// One body, plain and as gzip.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Comparison {
    /// The body.
    pub name: String,
    /// In bytes.
    pub size: u64,
    /// Plain and as gzip.
    pub sides: [Side; 2],
    /// How many times sooner the gzip one is.
    pub speedup: Option<Ratio>,
}

/// One body in one coding.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Side {
    /// How it was sent.
    pub coding: Coding,
    /// Bytes of content.
    pub sent: u64,
    /// Counted requests.
    pub n: usize,
    /// Why those among them failed that did.
    pub failures: Vec<Failure>,
    /// The status codes of the counted answers.
    pub statuses: BTreeSet<u16>,
    /// The metric in milliseconds, of the counted successes.
    pub times: Option<Summary>,
}

/// Milliseconds; `None` for what there was not.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Network {
    /// The name was looked up once.
    pub dns: Option<f64>,
    /// The median of the connections.
    pub connect: Option<f64>,
    /// The median of the handshakes.
    pub tls: Option<f64>,
    /// What was negotiated.
    pub tls_version: Option<&'static str>,
    /// How many connections were made.
    pub connections: usize,
    /// From a connection with content ready to the answer's first byte, over KB sent: both codings together.
    pub relay: Option<Line>,
}

/// What a body costs in one coding.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Cost {
    /// The metric in ms over KB of body.
    pub body: Option<Line>,
    /// The same over KB sent.
    pub sent: Option<Line>,
}

impl Report {
    pub fn new(bench: &Bench, bodies: &[Prepared], run: Run) -> Report {
        let metric = bench.metric;
        let counted: Vec<&Sample> = run.samples.iter().filter(|sample| sample.step.pair.is_some()).collect();
        let comparisons: Vec<Comparison> = bodies
            .iter()
            .enumerate()
            .map(|(number, body)| {
                let own: Vec<&Sample> = counted.iter().copied().filter(|sample| sample.step.body == number).collect();
                Comparison {
                    name: bench.shown(&body.name),
                    size: body.bytes.len() as u64,
                    sides: [Coding::Identity, Coding::Gzip].map(|coding| side(&own, coding, metric)),
                    speedup: stats::paired_ratio(&pairs(&own, metric)),
                }
            })
            .collect();
        let costs = [0, 1].map(|at| cost(&comparisons, at));
        let anew = made_anew(bench, &run.samples);
        let synthetic = bench.bodies.iter().any(|body| matches!(body, BenchBody::Synthetic { .. }));
        let limits = |why: fn(&Failure) -> &str| {
            let mut limits = warnings(&comparisons, if synthetic { "body " } else { "" }, why);
            // Failures, a time that was up and a signal are told as such.
            let whole = |own: &Comparison| own.sides.iter().all(|side| side.failures.is_empty());
            if bench.pairs < FEWEST && run.end == End::Complete && comparisons.iter().any(whole) {
                let pairs = units::count(bench.pairs as u64, "pair");
                limits.push(format!("there is no interval of {pairs}; take at least {FEWEST}"));
            }
            limits.extend(anew.as_ref().map(|counts| format!("{counts}, in spite of --keepalive")));
            limits
        };
        let (warnings, told) = (limits(|failure| &failure.why), limits(Failure::whole));
        Report {
            url: bench.shown_url.clone(),
            method: method(bench, anew),
            network: network(&run, &counted, bodies.len()),
            warnings,
            told,
            costs,
            comparisons,
            metric,
            planned: 2 * bench.pairs * bodies.len(),
            samples: run.samples,
            end: run.end,
        }
    }

    /// How far it came.
    pub fn progress(&self) -> String {
        let counted = self.samples.iter().filter(|sample| sample.step.pair.is_some()).count();
        format!("{counted} of {} counted requests done", self.planned)
    }

    /// With what gzip was refused, when every plain request was answered and no other one.
    pub fn refusal_of_gzip(&self) -> Option<String> {
        let sides = |at: usize| self.comparisons.iter().map(move |own| &own.sides[at]);
        let [plain, gzip] = [0, 1].map(|at| sides(at).map(|side| side.n).sum::<usize>());
        let answered = |side: &Side| side.failures.is_empty();
        let refused = |side: &Side| {
            let by_status = |failure: &Failure| failure.kind == Kind::HttpStatus;
            side.failures.len() == side.n
                && side.failures.iter().all(by_status)
                && side.statuses.iter().all(|status| *status >= 400)
        };
        let statuses: BTreeSet<u16> = sides(1).flat_map(|side| side.statuses.clone()).collect();
        (plain > 0 && gzip > 0 && sides(0).all(answered) && sides(1).all(refused))
            .then(|| format!("all {gzip} refused with {}; plain {plain} of {plain} answered", list(&statuses)))
    }
}

fn side(samples: &[&Sample], coding: Coding, metric: Metric) -> Side {
    let own: Vec<&&Sample> = samples.iter().filter(|sample| sample.step.coding == coding).collect();
    let times: Vec<f64> = own.iter().filter_map(|sample| sample.value(metric)).collect();
    Side {
        coding,
        sent: own.iter().map(|sample| sample.size_upload).max().unwrap_or(0),
        n: own.len(),
        failures: own.iter().filter_map(|sample| sample.failure.clone()).collect(),
        statuses: own.iter().filter_map(|sample| sample.status).collect(),
        times: stats::summary(&times),
    }
}

/// The times of plain and gzip where both of a pair succeeded.
pub(super) fn pairs(samples: &[&Sample], metric: Metric) -> Vec<(f64, f64)> {
    let mut times: BTreeMap<Option<usize>, [Option<f64>; 2]> = BTreeMap::new();
    for sample in samples {
        let gzip = usize::from(sample.step.coding == Coding::Gzip);
        times.entry(sample.step.pair).or_default()[gzip] = sample.value(metric);
    }
    times.into_values().filter_map(|[plain, gzip]| plain.zip(gzip)).collect()
}

/// Lines through the medians of all bodies.
fn cost(comparisons: &[Comparison], at: usize) -> Cost {
    let points = |kilobytes: fn(&Comparison, &Side) -> f64| -> Vec<(f64, f64)> {
        let point = |comparison: &Comparison| {
            let side = &comparison.sides[at];
            Some((kilobytes(comparison, side), side.times?.median))
        };
        comparisons.iter().filter_map(point).collect()
    };
    Cost {
        body: line(&points(|comparison, _| comparison.size as f64 / 1e3)),
        sent: line(&points(|_, side| side.sent as f64 / 1e3)),
    }
}

fn line(points: &[(f64, f64)]) -> Option<Line> {
    stats::theil_sen(points).filter(|_| points.len() >= POINTS)
}

fn network(run: &Run, counted: &[&Sample], bodies: usize) -> Network {
    let connected: Vec<&Sample> =
        run.samples.iter().filter(|sample| sample.num_connects == 1 && sample.failure.is_none()).collect();
    let median = |time: fn(&Timings) -> Option<Duration>| {
        let times: Vec<f64> = connected.iter().filter_map(|sample| time(&sample.timings)).map(milliseconds).collect();
        stats::median(&times)
    };
    let mut points = Vec::new();
    for (body, coding) in (0..bodies).flat_map(|body| [(body, Coding::Identity), (body, Coding::Gzip)]) {
        let same = counted.iter().filter(|sample| sample.step.body == body && sample.step.coding == coding);
        let (sent, waits): (Vec<f64>, Vec<f64>) =
            same.filter_map(|sample| Some((sample.size_upload as f64 / 1e3, sample.wait()?))).unzip();
        points.extend(sent.first().copied().zip(stats::median(&waits)));
    }
    Network {
        dns: run.samples.first().and_then(|sample| sample.timings.namelookup).map(milliseconds),
        connect: median(|timings| timings.between(|t| t.namelookup, |t| t.connect)),
        tls: median(|timings| timings.between(|t| t.connect, |t| t.appconnect)),
        tls_version: run.tls,
        connections: connected.len(),
        relay: line(&points),
    }
}

/// With `--keepalive`, how many connections there were when it was not one: that is for the server to decide.
fn made_anew(bench: &Bench, samples: &[Sample]) -> Option<String> {
    let made: u64 = samples.iter().map(|sample| u64::from(sample.num_connects)).sum();
    let counts = || [units::count(made, "connection"), units::count(samples.len() as u64, "request")].join(" for ");
    (!bench.settings.fresh && made != 1).then(counts)
}

fn method(bench: &Bench, made_anew: Option<String>) -> String {
    let warmup = match bench.warmup {
        0 => "without a warm-up".to_owned(),
        warmup => format!("after {}", units::count(warmup as u64, "warm-up pair")),
    };
    let one = if bench.settings.fresh { "a fresh connection each" } else { "one kept connection" };
    let connections = made_anew.unwrap_or_else(|| one.to_owned());
    let model = match (bench.bogus_model, &bench.body.model) {
        (Some(_), _) => "; a model that nobody has, so the relay alone".to_owned(),
        (None, Some(model)) => format!("; model {}", bench.shown(model)),
        (None, None) => String::new(),
    };
    format!(
        "{} of plain and gzip per body {warmup}, in the order A B B A; {connections}; time_{}{model}",
        units::count(bench.pairs as u64, "pair"),
        bench.metric.name(),
    )
}

fn list(statuses: &BTreeSet<u16>) -> String {
    statuses.iter().map(u16::to_string).collect::<Vec<_>>().join(" and ")
}

/// What stands before the name of a body makes `0` a name; `why` tells of a failure what may be told.
fn warnings(comparisons: &[Comparison], before: &str, why: fn(&Failure) -> &str) -> Vec<String> {
    let mut warnings = Vec::new();
    for Comparison { name, sides: [plain, gzip], speedup, .. } in comparisons {
        let differ = plain.statuses != gzip.statuses && !plain.statuses.is_empty() && !gzip.statuses.is_empty();
        for (side, coding) in [(plain, "plain"), (gzip, "as gzip")] {
            if let Some(first) = side.failures.first() {
                let alike = side.failures.iter().all(|failure| failure.why == first.why);
                let (failed, of, which) = (side.failures.len(), side.n, if alike { ": " } else { "; the first: " });
                warnings.push(format!("{before}{name} {coding}: {failed} of {of} failed{which}{}", why(first)));
            }
            if side.statuses.len() > 1 && !differ {
                let statuses = list(&side.statuses);
                warnings.push(format!("{before}{name} {coding}: statuses {statuses}: not the same work"));
            }
        }
        if differ {
            let [plain, gzip] = [plain, gzip].map(|side| list(&side.statuses));
            warnings.push(format!("{before}{name}: status {plain} plain but {gzip} as gzip: not the same work"));
        }
        if let Some(interval) = speedup.filter(Ratio::is_undecided).and_then(|ratio| ratio.interval) {
            let interval = super::tables::shown_interval(interval);
            warnings.push(format!("{before}{name}: no difference was shown ({interval})"));
        }
    }
    warnings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_around_one_shows_no_difference() {
        let side = |coding| {
            let statuses = BTreeSet::from([200]);
            Side { coding, sent: 100, n: 6, failures: Vec::new(), statuses, times: None }
        };
        for (interval, told) in [
            ((1.0, 1.0), Some("body 0: no difference was shown (1.00 to 1.00)")),
            ((0.9, 1.2), Some("body 0: no difference was shown (0.90 to 1.20)")),
            ((1.1, 1.2), None),
        ] {
            let comparison = Comparison {
                name: "0".to_owned(),
                size: 100,
                sides: [Coding::Identity, Coding::Gzip].map(side),
                speedup: Some(Ratio { n: 6, median: 1.0, interval: Some(interval) }),
            };
            assert_eq!(warnings(&[comparison], "body ", Failure::whole).first().map(String::as_str), told);
        }
    }
}
