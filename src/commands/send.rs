//! `gzpost URL [BODY]`: one request, its answer streamed out, its timing told.

use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use super::receive::Receive;
use super::{Context, begin, complain, warn};
use crate::body::{self, Body, Pending};
use crate::cli::{Output, Send};
use crate::error::{Error, Kind, Result};
use crate::http::retry::{Verdict, verdict};
use crate::http::timing::{Clock, wall_clock};
use crate::http::{Client, Request, Transfer};
use crate::output::{Answer, Follow, timing, write_out};

/// Sends the request, retries as asked, and reports; returns the exit code.
pub fn run(send: Send, context: &mut Context<'_>) -> u8 {
    let stderr = context.stderr.clone();
    let output = send.output.clone();
    tell(send, context).unwrap_or_else(|error| complain(&error, &output, &stderr))
}

/// Everything up to the report; an error is one from before or after the transfer.
fn tell(mut send: Send, context: &mut Context<'_>) -> Result<u8> {
    let stderr = context.stderr.clone();
    begin(&send.output, &send.warnings, &stderr)?;
    let content = content(&mut send, context)?;
    // An answer and the live line would share it.
    let one_terminal = context.stdout_terminal.and(context.stderr_terminal).is_some() && says_more(&send.output);
    let follow = Follow::new(&send.output, stderr.clone(), context.stderr_terminal, context.stdout_is_file)
        .on_one_terminal(one_terminal);
    let client = Client::new(send.settings.clone(), Box::new(follow.clone()), context.signals.clone());
    let transfer = transfer(&client, &send, content.as_ref(), context.stdout, &follow)?;
    follow.stop();
    let not_json = content.and_then(|content| content.made()?.not_json.clone());
    report(&transfer, &send, not_json, context)
}

/// One request with its retries, its answer written where the output options say; an error is one from before it.
pub(super) fn transfer(
    client: &Client,
    send: &Send,
    content: Option<&Arc<Pending>>,
    stdout: &mut dyn Write,
    follow: &Follow,
) -> Result<Transfer> {
    let mut answer = Answer::new(&send.output, stdout)?;
    let mut transfer = attempts(client, send, content, &mut answer, follow);
    if let Err(error) = answer.finish(transfer.outcome.is_err()) {
        transfer.outcome = transfer.outcome.and(Err(error));
    }
    transfer.filename_effective = answer.filename().map(Into::into);
    Ok(transfer)
}

/// Reads the body and starts to make content of it; `-G` moves it into the query.
fn content(send: &mut Send, context: &mut Context<'_>) -> Result<Option<Arc<Pending>>> {
    if send.parts.is_empty() {
        return Ok(None);
    }
    let body = body::read(&send.parts, context.stdin)?;
    if send.get {
        let query = String::from_utf8(body.bytes)
            .map_err(|_| Error::new(Kind::Url, format!("{}: not UTF-8, so no query of a URL", body.name)))?;
        send.request.url = send.request.url.with_query_added(&query)?;
        return Ok(None);
    }
    start(body, send).map(Some)
}

/// Starts to make content of a body.
pub(super) fn start(body: Body, send: &Send) -> Result<Arc<Pending>> {
    let field = |name: &str| send.request.field(name).map(str::to_owned);
    let pending = Pending::start(body, send.body.clone(), field("Content-Type"), field("Content-Encoding"));
    // Without a thread at work it is known before anyone is connected to.
    pending.failed().map_or(Ok(Arc::new(pending)), Err)
}

/// Whether something on stderr follows the answer in any case.
fn says_more(output: &Output) -> bool {
    !output.silent && output.write_out.is_none() && output.stderr.is_none()
}

/// Tries until the verdict is to stop.
fn attempts(
    client: &Client,
    send: &Send,
    content: Option<&Arc<Pending>>,
    answer: &mut Answer<'_>,
    follow: &Follow,
) -> Transfer {
    let stderr = follow.stderr();
    let clock = Clock::start();
    let mut retries = 0;
    loop {
        let mut receive = Receive::new(answer, follow, &send.output);
        let mut transfer = client.send(&send.request, content.cloned(), &mut receive);
        if follow.is_on_one_terminal() {
            receive.end_answer();
        }
        receive.finish(&mut transfer);
        transfer.num_retries = retries;
        let Verdict::After(pause) = verdict(&send.retry, retries, &transfer, clock.elapsed(), wall_clock()) else {
            return transfer;
        };
        follow.erase();
        if !send.output.silent {
            warn(&retry_notice(&transfer, pause, send.retry.count - retries), &stderr);
        }
        retries += 1;
        if let Err(error) = client.pause(pause).and_then(|()| answer.restart()) {
            transfer.outcome = Err(error);
            return transfer;
        }
    }
}

fn retry_notice(transfer: &Transfer, pause: Duration, left: u32) -> String {
    let problem = match (&transfer.outcome, transfer.status) {
        (Err(error), _) if error.kind != Kind::HttpStatus => error.to_string(),
        (_, Some(status)) => format!("status {status}"),
        _ => "no answer".to_owned(),
    };
    let seconds = pause.as_secs_f64();
    format!("{problem}; will retry in {seconds} s ({left} left)")
}

/// The error line, the hint, the timing block or `-w`; returns the exit code.
fn report(transfer: &Transfer, send: &Send, not_json: Option<String>, context: &mut Context<'_>) -> Result<u8> {
    let output = &send.output;
    let stderr = &context.stderr;
    if let Err(error) = &transfer.outcome {
        if error.message.is_empty() {
            return Ok(error.kind.code());
        }
        complain(error, output, stderr);
    }
    let mut said = String::new();
    // What an error line says is no help without the way out.
    if !output.silent || output.show_error && transfer.outcome.is_err() {
        let form = not_json.filter(|_| transfer.status.is_some_and(|status| status >= 400));
        let form = form.map(|why| format!("gzpost: hint: the data went out as a form ({why})\n"));
        said.push_str(&form.or_else(|| hint(transfer, &send.request)).unwrap_or_default());
    }
    // A body that could not be sent says nothing about the server, so there is no timing to look at.
    let unread = matches!(&transfer.outcome, Err(error) if error.kind == Kind::Read);
    if !output.silent && output.write_out.is_none() && !unread {
        let terminal = context.stderr_terminal.filter(|_| output.stderr.is_none());
        said.push_str(&timing::block(transfer, terminal));
    }
    stderr.say(&said);
    if let Some(format) = &output.write_out {
        let url_part = |effective: bool, name: &str| {
            let url = if effective { &transfer.url_effective } else { &transfer.url };
            crate::http::url::Url::parse(url).ok()?.part(name)
        };
        let mut err = stderr.clone();
        let written = write_out::write(format, transfer, &url_part, wall_clock(), context.stdout, &mut err);
        if transfer.outcome.is_ok() {
            written?;
        }
    }
    Ok(transfer.outcome.as_ref().map_or_else(|error| error.kind.code(), |()| 0))
}

/// Under which statuses a server may have stumbled over the coding.
const SUSPICIOUS: [u16; 6] = [400, 413, 415, 422, 500, 502];

/// What to try when a server may have stumbled over the coding, the method or a key that was not sent.
pub(super) fn hint(transfer: &Transfer, request: &Request) -> Option<String> {
    if transfer.status == Some(405) && transfer.method == "GET" && !request.method_forced && transfer.num_redirects == 0
    {
        return Some("gzpost: hint: without BODY this was a GET; name a file, or - for stdin\n".to_owned());
    }
    if matches!(transfer.status, Some(401 | 403)) && !request.has_credentials() {
        return Some("gzpost: hint: no key was sent; --bearer-env VARIABLE sends the one in a variable\n".to_owned());
    }
    let status = transfer.status.filter(|status| SUSPICIOUS.contains(status))?;
    let coded_here = transfer.timings.compress.is_some() && !request.names("Content-Encoding");
    coded_here.then(|| {
        format!("gzpost: hint: the body went out as gzip and the status is {status}; --identity sends it plain\n")
    })
}
