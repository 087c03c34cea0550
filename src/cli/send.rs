//! `gzpost URL [BODY]`: the options into one `Send`.

use super::Outside;
use super::args::{Args, usage};
use super::argv::CommandLine;
use super::command::Send;
use super::credentials::authorization;
use super::fields::{self, field_lines, head_text};
use super::network::{connect_to, proxies, resolve};
use super::output::{FILE_OPTIONS, output};
use super::parts::{DATA_OPTIONS, parts, with_file_name};
use super::target::{Rules, rules, url_and_body};
use super::tls::tls;
use super::values::{bytes, count, count32, seconds};
use crate::body::{BodyOptions, CodingChoice, DEFAULT_LEVEL, Part, PartKind, Source, json};
use crate::error::Result;
use crate::http::url::Url;
use crate::http::{FieldLine, IpVersion, Request, Retry, Settings, SpeedLimit};

/// curl's limit of redirects where `--max-redirs` names none.
const MAX_REDIRECTS: u32 = 50;

/// The whole command line of a single request.
pub fn send(mut line: CommandLine, outside: &mut Outside) -> Result<Send> {
    let in_order = [DATA_OPTIONS.as_slice(), &FILE_OPTIONS].concat();
    let mut args = Args::new(&line, &in_order);
    let mut warnings = Vec::new();

    let rules = rules(&mut args)?;
    let (url, body) = url_and_body(&mut line, &mut args, &rules)?;
    let parts = parts(&line.given, body)?;
    let url = match parts.first() {
        Some(Part { kind: PartKind::Upload, source: Source::File(path) }) => with_file_name(url, path, &rules)?,
        _ => url,
    };
    let asks = Asks { get: args.on("--get"), head: args.on("--head"), follow: args.on("--follow") };
    let get = asks.get && !parts.is_empty();
    asks.check(&parts)?;

    let request = request(&mut args, url, &asks, &parts, outside, &mut warnings)?;
    let coding = coding(&mut args, &request)?;
    let send = Send {
        body: body_options(&mut args, coding, parts.is_empty())?,
        settings: settings(&mut args, &asks, outside, &rules, &mut warnings)?,
        retry: retry(&mut args)?,
        output: output(&mut args, &line.given, &request.url, asks.head, outside.stdin, &mut warnings)?,
        request,
        parts,
        get,
        warnings: line.warned(warnings),
    };
    args.finish("a single request").map(|()| send)
}

/// The switches that more than one part of a request depends on.
#[derive(Debug, Default)]
pub(super) struct Asks {
    pub get: bool,
    pub head: bool,
    pub follow: bool,
}

impl Asks {
    fn check(&self, parts: &[Part]) -> Result<()> {
        let data =
            !parts.is_empty() && !parts.iter().any(|part| matches!(part.kind, PartKind::Body | PartKind::Upload));
        match parts.first() {
            Some(_) if self.head && !(self.get && data) => {
                Err(usage("--head sends no body; with --get too, the data goes into the query"))
            }
            Some(Part { kind: PartKind::Body, .. }) if self.get => {
                Err(usage("--get puts data into the query, not BODY"))
            }
            Some(Part { kind: PartKind::Upload, .. }) if self.get => {
                Err(usage("--get and --upload-file exclude each other"))
            }
            _ => Ok(()),
        }
    }

    fn method(&self, parts: &[Part]) -> &'static str {
        match parts.first() {
            _ if self.head => "HEAD",
            None => "GET",
            Some(_) if self.get => "GET",
            Some(Part { kind: PartKind::Upload, .. }) => "PUT",
            Some(_) => "POST",
        }
    }
}

/// What is asked for, with these pieces as its body.
pub(super) fn request(
    args: &mut Args,
    url: Url,
    asks: &Asks,
    parts: &[Part],
    outside: &mut Outside,
    warnings: &mut Vec<String>,
) -> Result<Request> {
    let mut fields = field_lines("--header", args, outside.stdin, warnings)?;
    fields::range(args, &mut fields, warnings)?;
    let forced = args.parsed("--request", method)?;
    let (referer, auto_referer) = fields::referer(args)?;
    let json = parts.iter().any(|part| part.kind == PartKind::Json);
    Ok(Request {
        // With --follow, -X holds for the first request only.
        method_forced: forced.is_some() && !asks.follow,
        method: forced.unwrap_or_else(|| asks.method(parts).to_owned()),
        head: asks.head,
        content_type: content_type(&fields, parts, asks),
        accept: if json { "application/json" } else { "*/*" }.to_owned(),
        authorization: authorization(args, &url, outside)?,
        user_agent: head_text("--user-agent", args)?,
        referer,
        auto_referer,
        cookie: fields::cookie(args)?,
        target: head_text("--request-target", args)?,
        http10: args.on("--http1.0"),
        fields,
        url,
    })
}

fn method(name: &str) -> Result<String, String> {
    if fields::is_token(name) { Ok(name.to_owned()) } else { Err(format!("'{}' is not a method", name.escape_debug())) }
}

/// Declared JSON where no line of `-H` says otherwise; for other data the body decides later.
fn content_type(fields: &[FieldLine], parts: &[Part], asks: &Asks) -> Option<String> {
    let declared = parts.iter().any(|part| matches!(part.kind, PartKind::Body | PartKind::Json));
    (declared && !asks.get && !fields::names(fields, "content-type")).then(|| "application/json".to_owned())
}

/// `--gzip` or `--identity`.
pub(super) fn coding(args: &mut Args, request: &Request) -> Result<CodingChoice> {
    match (args.on("--gzip"), args.on("--identity")) {
        (true, true) => Err(usage("--gzip and --identity exclude each other")),
        (true, false) => Ok(CodingChoice::Gzip),
        (false, true) => Ok(CodingChoice::Identity),
        // -H 'Content-Encoding:' takes the label away, and gzip without it is garbage to a server.
        (false, false) if request.names("Content-Encoding") => Ok(CodingChoice::Identity),
        (false, false) => Ok(CodingChoice::Auto),
    }
}

/// How a body is checked, changed and compressed.
pub(super) fn body_options(args: &mut Args, coding: CodingChoice, no_body: bool) -> Result<BodyOptions> {
    let options = BodyOptions {
        check: !args.on("--no-check"),
        coding,
        level: args.parsed("--level", level)?.unwrap_or(DEFAULT_LEVEL),
        model: head_text("--model", args)?,
        set: args.texts("--set")?.iter().map(|member| set_member(member)).collect::<Result<_>>()?,
        compact: args.on("--compact"),
    };
    let changes =
        [("--model", options.model.is_some()), ("--set", !options.set.is_empty()), ("--compact", options.compact)];
    match changes.iter().find(|(_, given)| *given && no_body) {
        Some((key, _)) => Err(usage(format!("{key} changes a body, and there is none"))),
        None => Ok(options),
    }
}

fn level(text: &str) -> Result<u32, String> {
    let level = count32(text).ok().filter(|level| (1..=9).contains(level));
    level.ok_or_else(|| format!("'{text}' is not a level from 1 to 9"))
}

/// `KEY=JSON`
fn set_member(given: &str) -> Result<(String, String)> {
    let Some((key, value)) = given.split_once('=').filter(|(key, _)| !key.is_empty()) else {
        return Err(usage(format!("--set: '{given}' is not KEY=JSON")));
    };
    json::check(value.as_bytes()).map_err(|problem| {
        usage(format!("--set: the value of {key} is not JSON: {problem}; a text is written as '{key}=\"TEXT\"'"))
    })?;
    Ok((key.to_owned(), value.to_owned()))
}

/// How connections are made and watched.
pub(super) fn settings(
    args: &mut Args,
    asks: &Asks,
    outside: &mut Outside,
    rules: &Rules,
    warnings: &mut Vec<String>,
) -> Result<Settings> {
    let not_zero = |time: &std::time::Duration| !time.is_zero();
    let ip_version = match (args.on("--ipv4"), args.on("--ipv6")) {
        (true, _) => IpVersion::V4,
        (_, true) => IpVersion::V6,
        _ => IpVersion::Any,
    };
    let location_trusted = args.on("--location-trusted");
    let follows = args.on("--location") || location_trusted || asks.follow;
    let max_redirects = args.parsed("--max-redirs", redirects)?.unwrap_or(Some(MAX_REDIRECTS));
    Ok(Settings {
        connect_timeout: args.parsed("--connect-timeout", seconds)?.filter(not_zero),
        max_time: args.parsed("--max-time", seconds)?.filter(not_zero),
        speed_limit: speed_limit(args)?,
        resolve: args.texts("--resolve")?.iter().map(|entry| resolve(entry)).collect::<Result<_>>()?,
        connect_to: args.texts("--connect-to")?.iter().map(|entry| connect_to(entry)).collect::<Result<_>>()?,
        ip_version,
        unix_socket: args.path("--unix-socket")?,
        proxies: proxies(args, outside, warnings)?,
        tls: tls(args, outside)?,
        follow: follows.then_some(max_redirects),
        https_only: !rules.redirect_to_http,
        location_trusted,
        keep_post: ["--post301", "--post302", "--post303"].map(|key| args.on(key)),
        max_filesize: args.parsed("--max-filesize", bytes)?.filter(|size| *size > 0),
        compressed: args.on("--compressed"),
        ignore_content_length: args.on("--ignore-content-length"),
        path_as_is: rules.path_as_is,
        fresh: false,
        send_buffer: None,
    })
}

/// Either of the two alone brings the other's default; 0 turns the limit off.
fn speed_limit(args: &mut Args) -> Result<Option<SpeedLimit>> {
    let speed = args.parsed("--speed-limit", count)?;
    let time = args.parsed("--speed-time", seconds)?;
    if speed.is_none() && time.is_none() {
        return Ok(None);
    }
    let limit =
        SpeedLimit { bytes_per_second: speed.unwrap_or(1), time: time.unwrap_or(std::time::Duration::from_secs(30)) };
    Ok(Some(limit).filter(|limit| limit.bytes_per_second > 0 && !limit.time.is_zero()))
}

/// -1 is any number.
fn redirects(text: &str) -> Result<Option<u32>, String> {
    if text == "-1" { Ok(None) } else { count32(text).map(Some) }
}

/// Whether and when to try again.
pub fn retry(args: &mut Args) -> Result<Retry> {
    let not_zero = |time: &std::time::Duration| !time.is_zero();
    Ok(Retry {
        count: args.parsed("--retry", count32)?.unwrap_or_default(),
        delay: args.parsed("--retry-delay", seconds)?.filter(not_zero),
        max_time: args.parsed("--retry-max-time", seconds)?.filter(not_zero),
        connrefused: args.on("--retry-connrefused"),
        all_errors: args.on("--retry-all-errors"),
    })
}
