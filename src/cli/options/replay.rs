//! The options that only `gzpost replay` has; `-n` means another thing for a single request.

use super::Topic::Replay;
use super::{Opt, switch, value};

/// In the order of the help.
#[rustfmt::skip]
pub static REPLAY: &[Opt] = &[
    value("passes", Some('n'), "N", Replay, "Pass over all captures N times (1)"),
    value("delay", None, "SECONDS", Replay, "Wait between two requests"),
    switch("keepalive", None, Replay, "One connection for all requests"),
    value("save", None, "DIR", Replay, "Write each answer to a new file in DIR"),
    switch("fail-early", None, Replay, "Stop at the first failure"),
    switch("dry-run", None, Replay, "Show what would be sent, and send nothing"),
    value("export-json", None, "FILE", Replay, "Write every sample as JSON to FILE"),
    value("export-csv", None, "FILE", Replay, "Write every sample as CSV to FILE"),
];
