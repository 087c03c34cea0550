//! `gzpost check [OPTIONS] URL`.

use std::time::Duration;

use super::Outside;
use super::args::{Args, not_of, usage};
use super::argv::CommandLine;
use super::command::{Api, Check, Format};
use super::output::messages;
use super::send::{Asks, request, settings};
use super::target::{rules, url_and_body};
use super::values::{choice, positive, seconds};
use crate::error::Result;

/// Three connections tell a median from an accident.
const REPEAT: u32 = 3;

/// Someone waits for the verdict.
const BUDGET: Duration = Duration::from_secs(30);

/// The arguments behind `check`.
pub fn check(mut line: CommandLine, outside: &mut Outside) -> Result<Check> {
    // What a single request may say of itself would be read below, and taken for something of each probe.
    if let Some(given) = line.given.iter().find(|given| !given.option.holds_in("check")) {
        return Err(not_of(&format!("--{}", given.option.long), "gzpost check"));
    }
    let mut args = Args::new(&line, &[]);
    let mut warnings = Vec::new();
    let rules = rules(&mut args)?;
    let (url, body) = url_and_body(&mut line, &mut args, &rules)?;
    if let Some(body) = body {
        return Err(usage(format!("{}: gzpost check takes a URL and no BODY", body.to_string_lossy())));
    }
    let asks = Asks { follow: args.on("--follow"), ..Asks::default() };
    let budget = args.parsed("--budget", seconds)?.unwrap_or(BUDGET);
    let mut settings = settings(&mut args, &asks, outside, &rules, &mut warnings)?;
    // A relay that is silent must not keep a monitor waiting for ever.
    settings.max_time = settings.max_time.or(Some(budget.max(Duration::from_secs(1))));
    let check = Check {
        request: request(&mut args, url, &asks, &[], outside, &mut warnings)?,
        settings,
        output: messages(&mut args)?,
        api: args.parsed("--api", |name| choice(name, &Api::CHOICES))?,
        repeat: args.parsed("--repeat", positive)?.unwrap_or(REPEAT),
        budget,
        max_starttransfer: args.parsed("--max-starttransfer", seconds)?,
        format: args.parsed("--format", |name| choice(name, &Format::CHOICES))?.unwrap_or_default(),
        warnings: line.warned(warnings),
    };
    args.finish("gzpost check")?;
    if check.request.names("Content-Encoding") {
        return Err(usage("--header: Content-Encoding is what gzpost check tries out itself"));
    }
    Ok(check)
}
