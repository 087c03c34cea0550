//! The results of a bench as cells, for text and Markdown alike, and as bars.

use super::report::{Comparison, Cost, Report, Side};
use crate::body::Coding;
use crate::output::chart::Bar;
use crate::output::svg::{Figure, Group, Range};
use crate::output::table::Column;
use crate::output::units;

/// Rows under columns.
pub(super) struct Table {
    pub columns: Vec<Column>,
    pub rows: Vec<Vec<String>>,
}

/// What tables call a coding.
pub(super) fn word(coding: Coding) -> &'static str {
    match coding {
        Coding::Identity => "plain",
        Coding::Gzip => "gzip",
    }
}

/// The way to the relay and its own costs.
pub(super) fn network(report: &Report) -> Table {
    let network = &report.network;
    let mut rows = Vec::new();
    let mut row = |name: &str, value: Option<String>, note: String| {
        rows.extend(value.map(|value| vec![name.to_owned(), value, note]));
    };
    let of_connections = format!("median of {}", network.connections);
    row("DNS", network.dns.map(units::milliseconds), "looked up once".to_owned());
    row("connect", network.connect.map(units::milliseconds), of_connections.clone());
    let tls = network.tls_version.unwrap_or_default();
    row("TLS", network.tls.map(units::milliseconds), format!("{of_connections}, {tls}"));
    let line = network.relay;
    row("fixed floor", line.map(|line| units::milliseconds(line.floor)), "an empty body on an open connection".into());
    row("a KB sent", line.map(|line| per_kb(line.slope)), "upload and relay, plain and gzip together".into());
    Table { columns: vec![Column::left("network", 0), Column::right("time", 0), Column::left("", 0)], rows }
}

/// A row per body and coding.
pub(super) fn bodies(report: &Report) -> Table {
    let columns = vec![
        Column::left("body", 0),
        Column::left("coding", 0),
        Column::right("sent", 0),
        Column::right("n", 0),
        Column::right("failed", 0),
        Column::right("median", 0),
        Column::right("min", 0),
        Column::right("max", 0),
        Column::right("p95", 0),
        Column::right("speed-up", 0),
        Column::left("95 % interval", 0),
    ];
    let both = |comparison: &Comparison| [0, 1].map(|at| row(comparison, &comparison.sides[at]));
    Table { columns, rows: report.comparisons.iter().flat_map(both).collect() }
}

fn row(comparison: &Comparison, side: &Side) -> Vec<String> {
    let time = |value: fn(&crate::stats::Summary) -> f64| {
        side.times.as_ref().map_or_else(|| "-".to_owned(), |times| units::milliseconds(value(times)))
    };
    let speedup = comparison.speedup.filter(|_| side.coding == Coding::Gzip);
    vec![
        comparison.name.clone(),
        word(side.coding).to_owned(),
        units::bytes(side.sent),
        side.n.to_string(),
        side.failures.len().to_string(),
        time(|times| times.median),
        time(|times| times.min),
        time(|times| times.max),
        time(|times| times.p95),
        speedup.map_or_else(String::new, |ratio| format!("{:.2}x", ratio.median)),
        speedup.map_or_else(String::new, |ratio| ratio.interval.map_or_else(|| "-".to_owned(), shown_interval)),
    ]
}

pub(super) fn shown_interval((low, high): (f64, f64)) -> String {
    format!("{low:.2} to {high:.2}")
}

/// The floor and what a KB costs, plain and as gzip; no rows below three sizes.
pub(super) fn costs(report: &Report) -> Table {
    let columns = vec![
        Column::left("over sizes", 0),
        Column::right("floor", 0),
        Column::right("a KB of body", 0),
        Column::right("a KB sent", 0),
    ];
    let row = |(coding, cost): (Coding, &Cost)| {
        let (body, sent) = (cost.body?, cost.sent?);
        Some(vec![word(coding).to_owned(), units::milliseconds(body.floor), per_kb(body.slope), per_kb(sent.slope)])
    };
    let rows = [Coding::Identity, Coding::Gzip].into_iter().zip(&report.costs).filter_map(row).collect();
    Table { columns, rows }
}

/// Slopes are small and compared with each other.
fn per_kb(ms: f64) -> String {
    if ms.abs() < 9.9995 { format!("{ms:.3} ms") } else { format!("{ms:.2} ms") }
}

/// Two bars per body.
pub(super) fn bars(report: &Report) -> Vec<Bar> {
    let bar = |comparison: &Comparison, side: &Side| {
        let label = if side.coding == Coding::Identity { comparison.name.as_str() } else { "" };
        let width = report.comparisons.iter().map(|own| own.name.chars().count()).max().unwrap_or(0);
        let speedup = comparison.speedup.filter(|_| side.coding == Coding::Gzip);
        let speedup = speedup.map(|ratio| format!("  {:.2}x", ratio.median)).unwrap_or_default();
        Bar {
            label: format!("{label:<width$}  {}", word(side.coding)),
            value: side.times.map_or(0.0, |times| times.median),
            note: side.times.map_or("-".to_owned(), |times| units::milliseconds(times.median)) + &speedup,
        }
    };
    report.comparisons.iter().flat_map(|own| own.sides.iter().map(|side| bar(own, side))).collect()
}

/// The same for a page.
pub(super) fn figure(report: &Report) -> Figure {
    let group = |comparison: &Comparison| Group {
        label: comparison.name.clone(),
        size: comparison.size as f64,
        ranges: comparison
            .sides
            .each_ref()
            .map(|side| side.times.map(|times| Range { median: times.median, min: times.min, max: times.max })),
    };
    let title = match report.metric {
        crate::cli::Metric::Starttransfer => "Time to the first byte of the answer, plain and as gzip",
        crate::cli::Metric::FirstToken => "Time to the first token, plain and as gzip",
        crate::cli::Metric::Total => "Time to the end of the answer, plain and as gzip",
    };
    let n = report.comparisons.iter().flat_map(|own| &own.sides).map(|side| side.n).min().unwrap_or(0);
    Figure {
        title: title.to_owned(),
        axis: format!("time_{}", report.metric.name()),
        note: format!("{n} requests per mark, interleaved A B B A, against {}", report.url),
        groups: report.comparisons.iter().map(group).collect(),
    }
}
