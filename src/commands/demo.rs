//! `gzpost demo`: a relay on loopback, and the whole story against it.

use std::sync::Arc;
use std::time::Duration;

use super::{Context, complain};
use crate::body::{Body, BodyOptions, CodingChoice, Declared, Pending, synthetic};
use crate::cli::{Demo, Output};
use crate::error::Result;
use crate::http::url::Url;
use crate::http::{Client, Request, Settings, Sink, Transfer, Unobserved};
use crate::output::table::{self, Column};
use crate::output::{timing, units, write_stdout};
use crate::relay::{self, Relay};
use crate::stream::{Piece, Scanner};

/// The bodies: a session of an agent early on, and the one that the measured relay took over a minute for.
const SIZES: [usize; 2] = [377_000, 2_780_000];

/// What gzip makes of real sessions.
const RATIO: f64 = 3.6;

/// As much of the answer as fits a line.
const SHOWN: usize = 100;

/// Tells the story, or serves until a signal; returns the exit code.
pub fn run(demo: &Demo, context: &mut Context<'_>) -> u8 {
    match serve_or_tell(demo, context) {
        Ok(()) => 0,
        // A signal is how --serve is meant to end.
        Err(error) if demo.serve.is_some() && error.kind.is_signal() => 0,
        Err(error) => complain(&error, &Output::default(), &context.stderr),
    }
}

fn serve_or_tell(demo: &Demo, context: &mut Context<'_>) -> Result<()> {
    let mut config = relay::Config { speed: demo.speed, behave: demo.behave, ..relay::Config::default() };
    if let Some(address) = demo.serve {
        config.address = address;
    }
    let relay = Relay::start(&config)?;
    let base = format!("http://{}/v1", relay.address());
    let (floor, per_kb) = (config.floor.as_secs_f64() * 1000.0, config.per_kb.as_secs_f64() * 1000.0);
    let costs = format!("{floor} ms and {per_kb} ms per KB received, {} times faster", config.speed);
    if demo.serve.is_some() {
        say(context, &format!("serving {base} ({costs}) until interrupted\n"))?;
        say(
            context,
            &format!("try: gzpost {base}/chat/completions -d '{{\"model\":\"demo-model\",\"messages\":[]}}'\n"),
        )?;
        let client = Client::new(Settings::default(), Box::new(Unobserved), context.signals.clone());
        return client.pause(Duration::MAX);
    }
    say(context, &format!("A relay on loopback that costs what a measured one does: {costs}.\n"))?;
    let rows = SIZES.iter().map(|size| compare(&base, *size, context)).collect::<Result<Vec<_>>>()?;
    let columns = [
        Column::left("body", 0),
        Column::right("sent plain", 0),
        Column::right("sent gzip", 0),
        Column::right("starttransfer plain", 0),
        Column::right("gzip", 0),
        Column::right("speed-up", 0),
    ];
    say(context, &format!("\n{}", table::aligned(&columns, &rows)))
}

/// Posts one body plain and as gzip, shows both, and makes the table's row of them.
fn compare(base: &str, size: usize, context: &mut Context<'_>) -> Result<Vec<String>> {
    let body = synthetic("demo-model", size, RATIO, 1);
    let plain = post(base, &body, CodingChoice::Identity, context)?;
    let gzip = post(base, &body, CodingChoice::Gzip, context)?;
    let start = |transfer: &Transfer| transfer.timings.starttransfer.unwrap_or_default();
    Ok(vec![
        units::bytes(plain.size_body),
        units::bytes(plain.size_upload),
        units::bytes(gzip.size_upload),
        units::duration(start(&plain)),
        units::duration(start(&gzip)),
        format!("{:.2}x", start(&plain).as_secs_f64() / start(&gzip).as_secs_f64()),
    ])
}

fn post(base: &str, body: &[u8], coding: CodingChoice, context: &mut Context<'_>) -> Result<Transfer> {
    let url = Url::parse(&format!("{base}/chat/completions"))?;
    let request = Request::new("POST", url);
    let name = if coding == CodingChoice::Gzip { "gzip" } else { "plain" };
    say(context, &format!("\n{} {name}\n", units::bytes(body.len() as u64)))?;
    let body = Body { bytes: body.to_vec(), name: "the built-in body".to_owned(), declared: Declared::Json };
    let options = BodyOptions { coding, ..BodyOptions::default() };
    let content = Pending::start(body, options, None, None);
    let client = Client::new(Settings::default(), Box::new(Unobserved), context.signals.clone());
    let mut story = Story { scanner: Scanner::new(None, true), text: String::new() };
    let mut transfer = client.send(&request, Some(Arc::new(content)), &mut story);
    story.scanner.finish(transfer.timings.total.unwrap_or_default());
    super::note_tokens(&mut transfer, &story.scanner);
    transfer.outcome.clone()?;
    if transfer.status != Some(200) {
        let status = transfer.status.unwrap_or_default();
        say(context, &format!("the relay answered {status}\n"))?;
    }
    if !story.text.is_empty() {
        say(context, &format!("{}…\n", story.text.chars().take(SHOWN).collect::<String>().trim_end()))?;
    }
    say(context, &timing::block(&transfer, None))?;
    Ok(transfer)
}

/// Keeps the beginning of the answer's text.
struct Story {
    scanner: Scanner,
    text: String,
}

impl Sink for Story {
    fn content(&mut self, bytes: &[u8], now: Duration) -> Result<()> {
        self.scanner.feed(bytes, now);
        for piece in self.scanner.take_pieces() {
            if let Piece::Text(text) = piece
                && self.text.len() < SHOWN
            {
                self.text.push_str(&text);
            }
        }
        Ok(())
    }
}

fn say(context: &mut Context<'_>, text: &str) -> Result<()> {
    write_stdout(context.stdout, text.as_bytes())
}
