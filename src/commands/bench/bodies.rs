//! The bodies of a bench, read or made once, checked and changed before anything is sent.

use std::path::Path;

use crate::body::{self, Body, BodyOptions, CodingChoice, Declared, Source, gzip, synthetic};
use crate::cli::{Bench, BenchBody};
use crate::commands::Context;
use crate::error::{Error, Kind, Result};

/// Synthetic bodies are the same in every run.
const SEED: u64 = 1;

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
                let bytes = synthetic(model, *size, bench.ratio, SEED);
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

/// A path says more about the machine than about the body.
fn file_name(source: &Source) -> String {
    match source {
        Source::File(path) => path.file_name().unwrap_or(Path::new("body").as_os_str()).to_string_lossy().into_owned(),
        Source::Stdin => "stdin".to_owned(),
        Source::Text(_) => "body".to_owned(),
    }
}
