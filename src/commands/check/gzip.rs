//! Whether a relay takes gzip: one body in three forms, and the answers compared.

use super::answer::Answer;
use super::ask::{Ask, Form};
use super::floor::Floor;
use super::report::{Report, Row};
use super::slope::{Point, expected};
use crate::error::Result;

/// The larger body, in bytes: some gateways treat sizes differently.
const LARGE: usize = 64_000;

/// What a relay does with gzip.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Taken {
    /// Decodes it.
    Decoded,
    /// Refuses it, with this status.
    Rejected(u16),
    /// Reads it as if it were plain.
    Ignored,
    /// The answers do not tell.
    Unknown,
}

/// What it does, and what shows that.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Verdict {
    pub taken: Taken,
    pub text: String,
}

fn verdict(taken: Taken, text: impl Into<String>) -> Verdict {
    Verdict { taken, text: text.into() }
}

/// Compares the answers to the same body plain, as gzip, and labelled with a coding that nobody knows.
///
/// `telling` says that the plain answer depends on the body: a relay that has not read it can give the same one.
pub(super) fn judge(plain: &Answer, telling: bool, gzip: &Result<Answer>, control: Option<&Answer>) -> Verdict {
    let gzip = match gzip {
        Ok(gzip) => gzip,
        Err(error) => return verdict(Taken::Unknown, format!("cannot be told: as gzip it got no answer: {error}")),
    };
    let told = gzip.told();
    if gzip.status == 429 {
        return verdict(Taken::Unknown, format!("cannot be told: {told}"));
    }
    let control = control.filter(|control| control.status != 429);
    let control_is_plain = control.map(|control| control.same(plain));
    match (gzip.same(plain), control_is_plain) {
        (true, Some(false)) => {
            let status = control.map_or(0, |control| control.status);
            verdict(Taken::Decoded, format!("decodes it; an unknown coding is refused with {status}"))
        }
        (true, _) if telling => verdict(Taken::Decoded, "decodes it"),
        (true, _) => verdict(Taken::Unknown, "cannot be told: it answers the same, whatever the body is"),
        (false, _) if gzip.status == 415 || speaks_of_codings(gzip) => {
            verdict(Taken::Rejected(gzip.status), format!("rejects it: {told}"))
        }
        (false, Some(true)) => {
            let how = if gzip.status < 300 { format!("{told} with another content") } else { told };
            verdict(Taken::Ignored, format!("ignores the coding and reads the bytes as plain: {how}"))
        }
        (false, _) if gzip.status >= 400 => verdict(Taken::Rejected(gzip.status), format!("rejects it: {told}")),
        (false, _) => verdict(Taken::Unknown, format!("cannot be told: plain {}, gzip {told}", plain.told())),
    }
}

/// Of a body that was read as if it were plain no one says such a thing.
fn speaks_of_codings(answer: &Answer) -> bool {
    let text = answer.text.to_ascii_lowercase();
    ["gzip", "content-encoding", "content encoding", "content coding", "compress"]
        .iter()
        .any(|word| text.contains(word))
}

/// Adds what a larger body as gzip showed. `large_plain` is asked for when the two sizes disagree about gzip.
pub(super) fn confirm(
    tiny: &Verdict,
    plain: &Answer,
    large: &Result<Answer>,
    large_plain: impl FnOnce() -> Result<Option<Answer>>,
) -> Result<Verdict> {
    let (decoded, same) = (tiny.taken == Taken::Decoded, large.as_ref().is_ok_and(|large| large.same(plain)));
    let text = &tiny.text;
    let told = large.as_ref().map_or_else(ToString::to_string, Answer::told);
    let status = large.as_ref().map_or(0, |large| large.status);
    match (decoded, same) {
        (true, true) => return Ok(verdict(tiny.taken, format!("{text}; decodes 64 KB too"))),
        (false, true) => return Ok(verdict(Taken::Decoded, format!("decodes 64 KB, but a tiny body: {text}"))),
        (false, false) if matches!(status, 0 | 429) => {
            return Ok(verdict(tiny.taken, format!("{text}; 64 KB cannot be told: {told}")));
        }
        (false, false) => return Ok(verdict(tiny.taken, format!("{text}; 64 KB too"))),
        (true, false) => {}
    }
    let by_size = match (large_plain()?, large) {
        (Some(large_plain), Ok(large)) => large_plain.same(large),
        _ => false,
    };
    Ok(if by_size {
        verdict(Taken::Decoded, format!("{text}; 64 KB is refused in either form: {told}"))
    } else if status >= 400 && status != 429 {
        verdict(Taken::Rejected(status), format!("decodes a tiny body, but rejects 64 KB: {told}"))
    } else {
        verdict(Taken::Unknown, format!("{text}, but 64 KB cannot be told: {told}"))
    })
}

/// Posts the forms that the floor has not posted yet, and the larger body. The points are what plain bodies took.
pub(super) fn probe(ask: &Ask<'_>, floor: &Floor, points: &[Point], report: &mut Report<'_>) -> Result<()> {
    let post = |size: usize, form: Form| {
        // No less than gzip takes, for a relay may pay for what it decoded.
        let fits = ask.fits(floor.beside + expected(points, size), 100);
        fits.then(|| ask.post(ask.target.body(size), form).map(|reply| reply.answer)).transpose()
    };
    let Some(gzip) = post(0, Form::Gzip)? else {
        return report.row(Row::skipped("gzip", format!("not made: {}", ask.no_time())));
    };
    let control = post(0, Form::Mislabelled)?.and_then(Result::ok);
    let mut telling = floor.answer.names_model && !ask.target.model_in_path;
    if !telling && gzip.as_ref().is_ok_and(|gzip| gzip.same(&floor.answer)) {
        // Who reads the body has another answer to garbage.
        let garbage = post(0, Form::Unlabelled)?.and_then(Result::ok);
        telling = garbage.is_some_and(|garbage| garbage.status != 429 && !garbage.same(&floor.answer));
    }
    let mut found = judge(&floor.answer, telling, &gzip, control.as_ref());
    if found.taken != Taken::Unknown {
        found = match post(LARGE, Form::Gzip)? {
            Some(large) => {
                confirm(&found, &floor.answer, &large, || Ok(post(LARGE, Form::Plain)?.and_then(Result::ok)))?
            }
            None => verdict(found.taken, format!("{}; not tried with 64 KB: {}", found.text, ask.no_time())),
        };
    }
    report.findings.gzip = Some(found.taken);
    report.row(match found.taken {
        Taken::Unknown => Row::skipped("gzip", found.text),
        Taken::Rejected(_) | Taken::Ignored => Row::ok("gzip", None, found.text + "; send with --identity"),
        Taken::Decoded => Row::ok("gzip", None, found.text),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::{Error, Kind};

    fn answer(status: u16, text: &str) -> Answer {
        Answer::read(status, None, text.as_bytes(), &[])
    }

    fn error(status: u16, message: &str) -> Answer {
        answer(status, &format!(r#"{{"error":{{"message":"{message}"}}}}"#))
    }

    fn unknown_model() -> Answer {
        error(404, "The model gzpost-check-no-such-model does not exist")
    }

    /// What is found by the answers to gzip and to the control, beside a plain one that names the model.
    fn found(gzip: Answer, control: &Answer) -> Taken {
        judge(&unknown_model(), true, &Ok(gzip), Some(control)).taken
    }

    #[test]
    fn who_finds_the_model_in_gzip_decodes() {
        assert_eq!(found(unknown_model(), &error(415, "unsupported")), Taken::Decoded);
        assert_eq!(found(unknown_model(), &unknown_model()), Taken::Decoded);
        assert_eq!(judge(&unknown_model(), true, &Ok(unknown_model()), None).taken, Taken::Decoded);
    }

    #[test]
    fn who_minds_any_coding_rejects() {
        for (status, message) in
            [(400, "There was an error parsing the body"), (500, "Internal"), (415, "no"), (413, "")]
        {
            assert_eq!(found(error(status, message), &error(status, message)), Taken::Rejected(status));
        }
        // It knows which coding it does not like.
        assert_eq!(found(error(415, "no"), &unknown_model()), Taken::Rejected(415));
        assert_eq!(found(error(400, "gzip is switched off"), &unknown_model()), Taken::Rejected(400));
        assert_eq!(judge(&unknown_model(), true, &Ok(error(400, "")), None).taken, Taken::Rejected(400));
    }

    #[test]
    fn who_reads_an_unknown_coding_as_plain_ignores_it() {
        let go = r"invalid character '\\x1f' looking for beginning of value";
        for (status, message) in [(400, go), (422, "JSON decode error"), (500, "utf-8 codec cannot decode byte")] {
            assert_eq!(found(error(status, message), &unknown_model()), Taken::Ignored, "{message}");
        }
        let echo = answer(200, r#"{"model":"gzpost-check-no-such-model"}"#);
        let verdict = judge(&echo, true, &Ok(answer(200, "\u{1f}garbage")), Some(&echo));
        assert_eq!(verdict.taken, Taken::Ignored);
        assert!(verdict.text.ends_with("200 with another content"), "{}", verdict.text);
    }

    #[test]
    fn answers_that_do_not_depend_on_the_body_do_not_tell() {
        let busy = error(400, "come back later");
        let verdict = judge(&busy, false, &Ok(busy.clone()), Some(&busy));
        assert_eq!(verdict.taken, Taken::Unknown);
        assert_eq!(verdict.text, "cannot be told: it answers the same, whatever the body is");
        assert_eq!(found(error(429, "slowly"), &unknown_model()), Taken::Unknown);
        assert_eq!(found(answer(200, "fine"), &answer(204, "")), Taken::Unknown);
        let gone = Err(Error::new(Kind::Empty, "closed"));
        let verdict = judge(&unknown_model(), true, &gone, Some(&unknown_model()));
        assert_eq!((verdict.taken, verdict.text.ends_with("no answer: (52) closed")), (Taken::Unknown, true));
        // A model in the path is named by who never saw the body; a coding refused shows that this one is not.
        assert_eq!(judge(&unknown_model(), false, &Ok(unknown_model()), Some(&unknown_model())).taken, Taken::Unknown);
        assert_eq!(judge(&unknown_model(), false, &Ok(unknown_model()), Some(&error(415, ""))).taken, Taken::Decoded);
    }

    #[test]
    fn a_larger_body_confirms_or_not() {
        let at = |taken, large: Answer, large_plain: Answer| {
            let tiny = verdict(taken, "does so");
            let asked = confirm(&tiny, &unknown_model(), &Ok(large), || Ok(Some(large_plain)));
            asked.expect("no signal").taken
        };
        let other = || error(413, "too large");
        assert_eq!(at(Taken::Decoded, unknown_model(), other()), Taken::Decoded);
        assert_eq!(at(Taken::Rejected(400), other(), other()), Taken::Rejected(400));
        assert_eq!(at(Taken::Ignored, other(), other()), Taken::Ignored);
        assert_eq!(at(Taken::Rejected(400), unknown_model(), other()), Taken::Decoded);
        assert_eq!(at(Taken::Decoded, other(), other()), Taken::Decoded);
        assert_eq!(at(Taken::Decoded, other(), unknown_model()), Taken::Rejected(413));
        assert_eq!(at(Taken::Decoded, error(429, ""), unknown_model()), Taken::Unknown);
        let gone = Err(Error::new(Kind::Empty, "closed"));
        let asked = confirm(&verdict(Taken::Decoded, ""), &unknown_model(), &gone, || Ok(None));
        assert_eq!(asked.expect("no signal").taken, Taken::Unknown);
    }
}
