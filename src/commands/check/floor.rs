//! What every request costs, however small: a tiny body for a model that does not exist.

use std::time::Duration;

use super::answer::Answer;
use super::ask::{Ask, Form, Reply};
use super::health::Problem;
use super::report::{Report, Row, late, median};
use super::slope::Point;
use crate::error::Result;

/// As far into the budget, in percent, as the post is repeated.
const SHARE: u32 = 50;

/// What the other posts are compared with.
pub(super) struct Floor {
    /// The answer to a tiny plain body.
    pub answer: Answer,
    /// What a probe takes beside its wait: the connection, and the rest of the answer.
    pub beside: Duration,
    /// Size and time of each repeat.
    pub points: Vec<Point>,
}

/// Posts the tiny body up to `-n` times; `None` when there is no sense in posting anything more.
pub(super) fn probe(ask: &Ask<'_>, report: &mut Report<'_>) -> Result<Option<Floor>> {
    if !ask.fits(Duration::ZERO, 100) {
        report.row(Row::skipped("floor", format!("not made: {}", ask.no_time())))?;
        return report.skip_posts(&ask.no_time()).map(|()| None);
    }
    let body = ask.target.body(0);
    let list = report.findings.models.clone();
    let problem = |reply: &Reply| reply.answer.as_ref().ok().and_then(|answer| answer.problem(list.as_ref()));
    // What failed, or ran, is not asked for again.
    let worth_repeating =
        |reply: &Reply| reply.answer.as_ref().is_ok_and(|answer| !answer.generated) && problem(reply).is_none();
    let mut replies = vec![ask.post(body.clone(), Form::Plain)?];
    while replies.len() < ask.check.repeat as usize
        && replies.iter().all(worth_repeating)
        && ask.fits(replies[0].total(), SHARE)
    {
        replies.push(ask.post(body.clone(), Form::Plain)?);
    }
    let all = replies.len();
    let waits: Vec<Duration> = replies.iter().filter_map(Reply::wait).collect();
    let beside = median(replies.iter().map(|reply| reply.total().saturating_sub(reply.wait().unwrap_or_default())));
    let late = late(&replies, ask.check.max_starttransfer);
    report.findings.answered |= replies.iter().any(|reply| reply.transfer.status.is_some());
    let time = (!waits.is_empty()).then(|| median(waits.iter().copied()));
    let what = format!("POST {}", ask.target.endpoint.path);
    // The one that shows a fault, if any does.
    let fault = replies.iter().position(|reply| reply.answer.is_err() || problem(reply).is_some());
    let answer = match replies.swap_remove(fault.unwrap_or(all - 1)).answer {
        Ok(answer) => answer,
        Err(error) => {
            report.failed("floor", &format!("{what}: "), &error)?;
            return report.skip_posts("a tiny body was not answered").map(|()| None);
        }
    };
    let text = format!("{what}: {}", answer.told());
    if let Some(Problem { short, whole }) = answer.problem(list.as_ref()) {
        report.findings.no_key |= ask.lacks_key(answer.status);
        report.row(Row::bad("floor", time, format!("{text} - {short}"), whole))?;
        return report.skip_posts(&format!("a tiny body was answered with {}", answer.status)).map(|()| None);
    }
    report.findings.floor = time;
    report.row(match late {
        Some(late) => Row::bad("floor", time, format!("{text} - {late}"), late),
        None => Row::ok("floor", time, text),
    })?;
    if answer.generated {
        report.findings.any_model = true;
        let why = "a model ran though none has that name, so that larger bodies might be billed";
        return report.skip_posts(why).map(|()| None);
    }
    let points = waits.iter().map(|wait| (body.len() as f64, wait.as_secs_f64())).collect();
    Ok(Some(Floor { answer, beside, points }))
}
