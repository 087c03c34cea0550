//! `gzpost bench [OPTIONS] URL [BODY...]`: the options into one `Bench`.

use std::ffi::OsString;

use super::Outside;
use super::alias::Alias;
use super::args::{Args, usage};
use super::argv::CommandLine;
use super::command::{Bench, BenchBody, Exports, Metric};
use super::output::messages;
use super::parts::files;
use super::reproduce::{reproduce, shown_url};
use super::send::{Asks, body_options, request, settings};
use super::target::{rules, url_and_bodies};
use super::values::{bytes, choice, count32, seconds};
use crate::body::{BodyOptions, CodingChoice, Part, PartKind, Source};
use crate::error::Result;
use crate::http::Settings;

/// Enough for an interval that means something.
const PAIRS: usize = 10;

/// The compressibility of an agent's sessions.
const RATIO: f64 = 3.6;

/// A larger body is no longer one that a relay takes.
const LARGEST: u64 = 256 << 20;

/// Pairs of a body: years of measuring, and still a plan that fits into memory.
const MOST: usize = 100_000;

/// The model that nobody has.
const BOGUS_MODEL: &str = "gzpost-bench-no-such-model";

/// The arguments behind `bench`.
pub fn bench(mut line: CommandLine, outside: &mut Outside) -> Result<Bench> {
    let mut args = Args::new(&line, &[]);
    let mut warnings = Vec::new();
    let rules = rules(&mut args)?;
    let (url, names) = url_and_bodies(&mut line, &mut args, &rules)?;
    let bodies = bodies(&names, args.parsed("--sizes", sizes)?)?;
    let asks = Asks { follow: args.on("--follow"), ..Asks::default() };
    // Whether it is read or made, every body is declared JSON.
    let parts = [Part { kind: PartKind::Body, source: Source::Text(Vec::new()) }];
    let settings = settings(&mut args, &asks, outside, &rules, &mut warnings)?;
    let request = request(&mut args, url, &asks, &parts, outside, &mut warnings)?;
    let alias = args.parsed("--alias", alias)?.map(|name| Alias::new(name, &request, &settings));
    let shown_url = shown_url(&request.url, alias.as_ref());
    let bench = Bench {
        settings: Settings { fresh: !args.on("--keepalive"), ..settings },
        reproduce: reproduce(&line, &shown_url, &names, alias.as_ref()),
        body: body_options(&mut args, CodingChoice::Auto, false)?,
        ratio: args.parsed("--ratio", ratio)?.unwrap_or(RATIO),
        output: messages(&mut args)?,
        pairs: args.parsed("--pairs", at_least_one)?.unwrap_or(PAIRS),
        warmup: args.parsed("--warmup", number)?.unwrap_or(1),
        bogus_model: args.on("--bogus-model").then_some(BOGUS_MODEL),
        metric: args.parsed("--metric", metric)?.unwrap_or_default(),
        max_time_total: args.parsed("--max-time-total", seconds)?.filter(|time| !time.is_zero()),
        exports: exports(&mut args)?,
        bodies,
        shown_url,
        alias,
        request,
        warnings: line.warned(warnings),
    };
    args.finish("gzpost bench")?;
    check(bench)
}

/// What only fits together or does not.
fn check(bench: Bench) -> Result<Bench> {
    let method = bench.request.method.as_str();
    let synthetic = bench.bodies.iter().any(|body| matches!(body, BenchBody::Synthetic { .. }));
    let body = match (bench.bogus_model, &bench.body.model) {
        (Some(_), Some(_)) => return Err(usage("--bogus-model and --model exclude each other")),
        (Some(bogus), None) => BodyOptions { model: Some(bogus.to_owned()), ..bench.body },
        (None, None) if synthetic => {
            return Err(usage("--sizes needs --bogus-model, or --model NAME to ask a real model"));
        }
        _ => bench.body,
    };
    if bench.bogus_model.is_some() && bench.metric == Metric::FirstToken {
        return Err(usage("--metric first_token needs a model that answers; with --bogus-model none does"));
    }
    if matches!(method, "GET" | "HEAD") {
        return Err(usage(format!("bench sends bodies, and {method} has none")));
    }
    if bench.request.names("Content-Encoding") {
        return Err(usage("--header: bench says itself which Content-Encoding a body has"));
    }
    Ok(Bench { body, ..bench })
}

fn bodies(names: &[OsString], sizes: Option<Vec<BenchBody>>) -> Result<Vec<BenchBody>> {
    let given = files(names)?;
    match sizes {
        Some(_) if !names.is_empty() => Err(usage("BODY and --sizes exclude each other")),
        Some(sizes) => Ok(sizes),
        None if names.is_empty() => Err(usage("bench needs a BODY, or --sizes 0,32K,128K,512K,2M --bogus-model")),
        None => Ok(given.into_iter().map(BenchBody::Given).collect()),
    }
}

/// `0,32K,2M`: different sizes, in any order.
fn sizes(list: &str) -> Result<Vec<BenchBody>, String> {
    let mut sizes: Vec<BenchBody> = Vec::new();
    for word in list.split(',') {
        let size = bytes(word)?;
        let fits = usize::try_from(size).ok().filter(|_| size <= LARGEST);
        let size = fits.ok_or_else(|| format!("'{word}' is more than 256M"))?;
        let body = BenchBody::Synthetic { label: word.to_owned(), size };
        if sizes.iter().any(|other| matches!(other, BenchBody::Synthetic { size: other, .. } if *other == size)) {
            return Err(format!("'{word}' is there twice"));
        }
        sizes.push(body);
    }
    Ok(sizes)
}

fn ratio(text: &str) -> Result<f64, String> {
    let ratio = text.parse().ok().filter(|ratio: &f64| (1.0..=1000.0).contains(ratio));
    ratio.ok_or_else(|| format!("'{text}' is not a ratio from 1 on"))
}

fn number(text: &str) -> Result<usize, String> {
    let number = usize::try_from(count32(text)?).unwrap_or(MOST);
    if number <= MOST { Ok(number) } else { Err(format!("'{text}' is more than {MOST}")) }
}

fn at_least_one(text: &str) -> Result<usize, String> {
    number(text)?.checked_sub(1).map(|less| less + 1).ok_or_else(|| "at least 1 pair has to count".to_owned())
}

fn metric(name: &str) -> Result<Metric, String> {
    let choices = Metric::ALL.map(|metric| (metric.name(), metric));
    choice(name.strip_prefix("time_").unwrap_or(name), &choices)
}

/// A name that can stand in the place of a host's.
fn alias(name: &str) -> Result<String, String> {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b".-_".contains(&byte);
    let valid = !name.is_empty() && name.bytes().all(fits);
    valid.then(|| name.to_owned()).ok_or_else(|| format!("'{name}' is not made of letters, digits, '.', '-' and '_'"))
}

fn exports(args: &mut Args) -> Result<Exports> {
    Ok(Exports {
        json: args.path("--export-json")?,
        csv: args.path("--export-csv")?,
        markdown: args.path("--export-markdown")?,
        svg: args.path("--export-svg")?,
        record: args.path("--record")?,
    })
}
