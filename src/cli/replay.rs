//! `gzpost replay [OPTIONS] URL CAPTURE...`: the options into one `Replay`.

use std::ffi::{OsStr, OsString};

use super::Outside;
use super::args::{Args, text, usage};
use super::argv::CommandLine;
use super::command::{Fail, Output, Replay, Send};
use super::output::messages;
use super::parts::files;
use super::send::{Asks, body_options, coding, request, retry, settings};
use super::target::{Rules, is_url, rules, shown};
use super::values::{positive, seconds};
use crate::body::{BodyOptions, Part};
use crate::error::Result;
use crate::http::url::Url;

/// The arguments behind `replay`.
pub fn replay(mut line: CommandLine, outside: &mut Outside) -> Result<Replay> {
    let mut args = Args::new(&line, &[]);
    let mut warnings = Vec::new();
    let rules = rules(&mut args)?;
    let (url, parts) = url_and_captures(&args.texts("--url")?, std::mem::take(&mut line.arguments), &rules)?;
    let asks = Asks { follow: args.on("--follow"), ..Asks::default() };
    let coding = coding(&mut args)?;
    let send = Send {
        body: checked(body_options(&mut args, coding, false)?)?,
        settings: settings(&mut args, &asks, outside, &rules, &mut warnings)?,
        retry: retry(&mut args)?,
        output: output(&mut args)?,
        request: request(&mut args, url, &asks, &parts, outside, &mut warnings)?,
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

/// The URL from `--url` or the first argument; everything behind it is a capture.
fn url_and_captures(urls: &[String], arguments: Vec<OsString>, rules: &Rules) -> Result<(Url, Vec<Part>)> {
    let mut arguments = arguments.into_iter();
    let url = match urls {
        [] => text("URL", arguments.next().ok_or_else(|| usage("no URL; see gzpost replay --help"))?)?,
        [url] => url.clone(),
        [_, second, ..] => {
            return Err(usage(format!("{}: a second URL; all captures go to one", shown(OsStr::new(second)))));
        }
    };
    let url = rules.parse(&url)?;
    let captures: Vec<OsString> = arguments.collect();
    if let Some(capture) = captures.iter().find(|capture| is_url(capture)) {
        let text = format!("{} is no CAPTURE; the URL comes first: gzpost replay URL CAPTURE...", shown(capture));
        return Err(usage(text));
    }
    if captures.is_empty() {
        return Err(usage("no CAPTURE: name files or directories with captured bodies, or - for stdin"));
    }
    Ok((url, files(&captures)?))
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
