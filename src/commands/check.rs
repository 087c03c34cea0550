//! `gzpost check URL`: is the relay up, where does its time go, does it take gzip, what does a KB cost.

mod answer;
mod ask;
mod findings;
mod floor;
mod gzip;
mod health;
mod network;
mod report;
mod slope;
mod target;

use super::{Context, begin, complain};
use crate::cli::{Api, Check};
use crate::error::Result;
use crate::http::url::Url;
use crate::output::Follow;
use ask::Ask;
use report::Report;

/// Probes and reports; returns the exit code.
pub fn run(check: &Check, context: &mut Context<'_>) -> u8 {
    probe(check, context).unwrap_or_else(|error| complain(&error, &check.output, &context.stderr))
}

/// The probes in their order, each told as soon as it is made.
fn probe(check: &Check, context: &mut Context<'_>) -> Result<u8> {
    let stderr = context.stderr.clone();
    begin(&check.output, &check.warnings, &stderr)?;
    let follow = Follow::new(&check.output, stderr, context.stderr_terminal, context.stdout_is_file);
    let mut report = Report::new(context.stdout, follow.clone(), check.format, check.output.silent);
    let ask = Ask::new(check, follow, context.signals.clone());
    if network::probe(&ask, &mut report)?
        && let Some(floor) = floor::probe(&ask, &mut report)?
    {
        // How long a larger body takes as gzip is estimated from the plain ones.
        let points = slope::probe(&ask, &floor, &mut report)?;
        gzip::probe(&ask, &floor, &points, &mut report)?;
    }
    report.finish(&shown(&check.request.url), name(ask.target.api))
}

/// The URL without what may be secret in it.
fn shown(url: &Url) -> String {
    Url { query: None, ..url.clone() }.absolute()
}

fn name(api: Api) -> &'static str {
    Api::CHOICES.iter().find(|(_, own)| *own == api).map_or("", |(name, _)| name)
}
