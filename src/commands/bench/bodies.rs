//! The bodies of a bench, read or made once, checked and changed before anything is sent.

use std::path::Path;

use crate::body::{self, Body, BodyOptions, CodingChoice, Declared, Source, gzip, synthetic};
use crate::cli::{Bench, BenchBody};
use crate::commands::Context;
use crate::error::{Error, Kind, Result};

/// Synthetic bodies are the same in every run.
const SEED: u64 = 1;

/// A real model's answer to it is short: it is the context that is measured.
const QUESTION: &str = " Answer with one word: is anything left to do?";

/// A body that is ready to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Prepared {
    /// What tables call it.
    pub name: String,
    /// As it is sent plain.
    pub bytes: Vec<u8>,
}

/// All bodies, the smallest first.
pub(super) fn prepare(bench: &mut Bench, context: &mut Context<'_>) -> Result<Vec<Prepared>> {
    let mut prepared: Vec<Prepared> = Vec::new();
    for body in &bench.bodies {
        let (name, read) = match body {
            BenchBody::Given(part) => {
                let read = body::read(std::slice::from_ref(part), context.stdin)?;
                (file_name(&part.source), read)
            }
            BenchBody::Synthetic { label, size } => {
                let model = bench.body.model.as_deref().unwrap_or_default();
                let bytes = match bench.bogus_model {
                    Some(_) => synthetic(model, *size, bench.ratio, SEED),
                    None => asking(synthetic(model, size.saturating_sub(QUESTION.len()), bench.ratio, SEED)),
                };
                (label.clone(), Body { bytes, name: format!("the body of {label}"), declared: Declared::Json })
            }
        };
        if gzip::is_gzip(&read.bytes) {
            let text = format!("{}: is gzip already; gunzip it, for bench sends it plain and as gzip", read.name);
            return Err(Error::new(Kind::Read, text));
        }
        let options = BodyOptions { coding: CodingChoice::Identity, ..bench.body.clone() };
        let content = body::prepare(read, &options, bench.request.field("Content-Type"), None)?;
        let same = prepared.iter().filter(|other| other.name.trim_end_matches(" (again)") == name).count();
        prepared.push(Prepared { name: name + &" (again)".repeat(same), bytes: content.bytes });
    }
    prepared.sort_by_key(|body| body.bytes.len());
    Ok(prepared)
}

/// A synthetic body with the question behind its last message.
fn asking(mut body: Vec<u8>) -> Vec<u8> {
    const END: &[u8] = br#""}],"stream":true"#;
    if let Some(at) = body.windows(END.len()).rposition(|window| window == END) {
        body.splice(at..at, QUESTION.bytes());
    }
    body
}

/// A path says more about the machine than about the body.
fn file_name(source: &Source) -> String {
    match source {
        Source::File(path) => path.file_name().unwrap_or(Path::new("body").as_os_str()).to_string_lossy().into_owned(),
        Source::Stdin => "stdin".to_owned(),
        Source::Text(_) => "body".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_real_model_is_asked_for_little() {
        for size in [0, 200, 50_000] {
            let body = asking(synthetic("m", size, 3.6, SEED));
            let json: serde_json::Value = serde_json::from_slice(&body).unwrap();
            let last = json["messages"].as_array().and_then(|messages| messages.last()).unwrap();
            assert!(last["content"].as_str().is_some_and(|text| text.ends_with(QUESTION)), "{last}");
            assert_eq!(json["stream"], true);
        }
    }

    #[test]
    fn names_are_those_of_files() {
        assert_eq!(file_name(&Source::File("/some/where/body.json".into())), "body.json");
        assert_eq!(file_name(&Source::Stdin), "stdin");
    }
}
