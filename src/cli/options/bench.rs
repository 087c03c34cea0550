//! The options that only `gzpost bench` has; `-n` means another thing for a single request.

use super::Topic::Bench;
use super::{Opt, switch, value};

/// In the order of the help.
#[rustfmt::skip]
pub static BENCH: &[Opt] = &[
    value("pairs", Some('n'), "N", Bench, "Counted pairs of plain and gzip per body (10)"),
    value("warmup", None, "N", Bench, "Pairs per body before those that count (1)"),
    switch("keepalive", None, Bench, "One connection for all, not one each"),
    value("sizes", None, "LIST", Bench, "Synthetic bodies: 0,32K,2M; K is 1024"),
    value("ratio", None, "R", Bench, "How well they compress (3.6)"),
    switch("bogus-model", None, Bench, "Ask for a model that nobody has: the relay alone"),
    value("metric", None, "NAME", Bench, "starttransfer (default), first_token or total"),
    value("max-time-total", None, "SECONDS", Bench, "Begin no request later than this"),
    value("export-json", None, "FILE", Bench, "Write results and all samples as JSON"),
    value("export-csv", None, "FILE", Bench, "Write all samples as CSV"),
    value("export-markdown", None, "FILE", Bench, "Write the tables as Markdown"),
    value("export-svg", None, "FILE", Bench, "Write a figure of the metric over body sizes"),
    value("record", None, "DIR", Bench, "Keep record.json, samples.csv and record.md"),
    value("alias", None, "NAME", Bench, "What exports call the host"),
];
