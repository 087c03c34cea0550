//! `gzpost replay [OPTIONS] URL CAPTURE...`: the options into one `Replay`.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;

use super::Outside;
use super::args::{Args, text, usage};
use super::argv::CommandLine;
use super::command::{Fail, Output, Replay, Send};
use super::output::target;
use super::parts::file_or_stdin;
use super::send::{Asks, body_options, coding, request, retry, settings};
use super::target::{Rules, rules};
use super::values::{count32, seconds};
use crate::body::{BodyOptions, Part, PartKind};
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
        warnings: Vec::new(),
    };
    let replay = Replay {
        send,
        passes: args.parsed("--passes", passes)?.unwrap_or(1),
        delay: args.parsed("--delay", seconds)?.unwrap_or_default(),
        keepalive: args.on("--keepalive"),
        save: args.path("--save")?,
        fail_early: args.on("--fail-early"),
        dry_run: args.on("--dry-run"),
        export_json: args.path("--export-json")?,
        export_csv: args.path("--export-csv")?,
    };
    args.finish("gzpost replay")?;
    for warning in warnings {
        line.warn(warning);
    }
    Ok(Replay { send: Send { warnings: line.warnings, ..replay.send }, ..replay })
}

/// The URL from `--url` or the first argument; everything behind it is a capture.
fn url_and_captures(urls: &[String], arguments: Vec<OsString>, rules: &Rules) -> Result<(Url, Vec<Part>)> {
    let mut arguments = arguments.into_iter();
    let url = match urls {
        [] => text("URL", arguments.next().ok_or_else(|| usage("no URL; see gzpost replay --help"))?)?,
        [url] => url.clone(),
        [_, second, ..] => return Err(usage(format!("{second}: a second URL; all captures go to one"))),
    };
    let url = rules.parse(&url)?;
    let captures: Vec<OsString> = arguments.collect();
    let is_url = |capture: &&OsString| [&b"http://"[..], b"https://"].iter().any(|s| capture.as_bytes().starts_with(s));
    if let Some(capture) = captures.iter().find(is_url) {
        let text = format!("{} is no CAPTURE; the URL comes first: gzpost replay URL CAPTURE...", capture.display());
        return Err(usage(text));
    }
    if captures.is_empty() {
        return Err(usage("no CAPTURE: name files or directories with captured bodies, or - for stdin"));
    }
    if captures.iter().filter(|capture| *capture == "-").count() > 1 {
        return Err(usage("stdin is given twice and can be read once"));
    }
    let part = |capture: &OsString| Part { kind: PartKind::Body, source: file_or_stdin(capture.as_bytes()) };
    Ok((url, captures.iter().map(part).collect()))
}

fn checked(options: BodyOptions) -> Result<BodyOptions> {
    if options.check { Ok(options) } else { Err(usage("--no-check: a capture is JSON, or no body is found in it")) }
}

/// Answers go nowhere, unless `--save` names a file for each; they are judged as under `--fail-with-body`, so that
/// `-f` adds nothing.
fn output(args: &mut Args) -> Result<Output> {
    args.on("--fail");
    args.on("--fail-with-body");
    Ok(Output {
        file: Some("/dev/null".into()),
        fail: Fail::WithBody,
        silent: args.on("--silent"),
        show_error: args.on("--show-error"),
        verbose: args.on("--verbose"),
        trace_time: args.on("--trace-time"),
        stderr: args.path("--stderr")?.map(target),
        ..Output::default()
    })
}

fn passes(text: &str) -> Result<u32, String> {
    count32(text).ok().filter(|passes| *passes > 0).ok_or_else(|| format!("'{text}' is not a number from 1 on"))
}
