//! The options that only `gzpost check` has; `-n` means another thing for a single request.

use super::Topic::Check;
use super::{Opt, value};

/// In the order of the help.
#[rustfmt::skip]
pub static CHECK: &[Opt] = &[
    value("repeat", Some('n'), "N", Check, "Medians of N connections and tiny posts (3)"),
    value("budget", None, "SECONDS", Check, "Begin no probe that would end later (30)"),
    value("max-starttransfer", None, "SECONDS", Check, "Later than this an answer is unhealthy"),
    value("api", None, "NAME", Check, "openai, anthropic, responses, gemini, ollama"),
    value("format", None, "NAME", Check, "text, json or markdown"),
];
