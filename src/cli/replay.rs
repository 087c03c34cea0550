//! `gzpost replay [OPTIONS] URL CAPTURE...`: the options into one `Replay`.

use super::Outside;
use super::args::{Args, usage};
use super::argv::CommandLine;
use super::command::{Fail, Output, Replay, Send};
use super::output::messages;
use super::parts::files;
use super::send::{Asks, body_options, coding, request, retry, settings};
use super::target::{rules, url_and_bodies};
use super::values::{positive, seconds};
use crate::body::BodyOptions;
use crate::error::Result;

/// The arguments behind `replay`.
pub fn replay(mut line: CommandLine, outside: &mut Outside) -> Result<Replay> {
    let mut args = Args::new(&line, &[]);
    let mut warnings = Vec::new();
    let rules = rules(&mut args)?;
    let (url, captures) = url_and_bodies(&mut line, &mut args, &rules)?;
    if captures.is_empty() {
        return Err(usage("no CAPTURE: name files or directories with captured bodies, or - for stdin"));
    }
    let parts = files(&captures)?;
    let asks = Asks { follow: args.on("--follow"), ..Asks::default() };
    let request = request(&mut args, url, &asks, &parts, outside, &mut warnings)?;
    let coding = coding(&mut args, &request)?;
    let send = Send {
        body: checked(body_options(&mut args, coding, false)?)?,
        settings: settings(&mut args, &asks, outside, &rules, &mut warnings)?,
        retry: retry(&mut args)?,
        output: output(&mut args)?,
        request,
        parts,
        get: false,
        warnings: line.warned(warnings),
    };
    let replay = Replay {
        send,
        passes: args.parsed("--passes", positive)?.unwrap_or(1),
        delay: args.parsed("--delay", seconds)?.unwrap_or_default(),
        keepalive: args.on("--keepalive"),
        save: args.path("--save")?,
        fail_early: args.on("--fail-early"),
        dry_run: args.on("--dry-run"),
        export_json: args.path("--export-json")?,
        export_csv: args.path("--export-csv")?,
    };
    args.finish("gzpost replay").map(|()| replay)
}

fn checked(options: BodyOptions) -> Result<BodyOptions> {
    if options.check { Ok(options) } else { Err(usage("--no-check: a capture is JSON, or no body is found in it")) }
}

/// Answers go nowhere, unless `--save` names a file for each; they are judged as under `--fail-with-body`, so that
/// `-f` adds nothing.
fn output(args: &mut Args) -> Result<Output> {
    args.on("--fail");
    args.on("--fail-with-body");
    Ok(Output { file: Some("/dev/null".into()), fail: Fail::WithBody, ..messages(args)? })
}
