//! The options that only `gzpost demo` has.

use super::Topic::Demo;
use super::{Opt, optional, value};

/// In the order of the help.
#[rustfmt::skip]
pub static DEMO: &[Opt] = &[
    optional("serve", None, "ADDR", Demo, "Only the relay, on ADDR (127.0.0.1:8037)"),
    value("speed", None, "N", Demo, "How many times faster than measured (20)"),
    value("behave", None, "HOW", Demo, "What the relay does (gzpost demo --help lists HOW)"),
];
