//! What goes out for a body: its type, whether it is checked, how it is changed, and its content coding.

use std::panic;
use std::thread;
use std::time::Duration;

use super::{Body, Declared, gzip, json, splice};
use crate::error::{Error, Kind, Result};
use crate::http::credentials::escape;
use crate::http::timing::Clock;

/// zlib-rs at 7 gives gzip -6's size: at most that on captured bodies, within 0.3 % on synthetic ones. 8 takes 4 to
/// 43 % more CPU for 0.1 to 0.3 % of size, 6 is up to 3 % larger.
pub const DEFAULT_LEVEL: u32 = 7;

/// In bytes: smaller bodies gain nothing, as head and content fit one packet anyway.
pub const GZIP_THRESHOLD: usize = 1024;

/// The content coding of a request (RFC 9110, section 8.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Coding {
    /// Sent as it is.
    #[default]
    Identity,
    /// One gzip member (RFC 1952).
    Gzip,
}

impl Coding {
    /// The name as in `Content-Encoding` and in `%{content_coding}`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Coding::Identity => "identity",
            Coding::Gzip => "gzip",
        }
    }
}

/// How a body becomes content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BodyOptions {
    /// Declared JSON is checked; off with `--no-check`.
    pub check: bool,
    /// `--gzip`, `--identity`, or by type and size.
    pub coding: CodingChoice,
    /// `--level`, 1 to 9.
    pub level: u32,
    /// `--model`: replaces the top-level `model`.
    pub model: Option<String>,
    /// `--set KEY=JSON`, in order.
    pub set: Vec<(String, String)>,
    /// `--compact`: white space between tokens is dropped.
    pub compact: bool,
}

impl Default for BodyOptions {
    fn default() -> BodyOptions {
        BodyOptions {
            check: true,
            coding: CodingChoice::Auto,
            level: DEFAULT_LEVEL,
            model: None,
            set: Vec::new(),
            compact: false,
        }
    }
}

/// Who decides about the coding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CodingChoice {
    /// gzip for JSON of `GZIP_THRESHOLD` bytes or more.
    #[default]
    Auto,
    /// `--gzip`
    Gzip,
    /// `--identity`
    Identity,
}

/// What goes out for a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Content {
    /// The bytes as sent; their number is the Content-Length.
    pub bytes: Vec<u8>,
    /// How the bytes are coded. `Gzip` goes out as `Content-Encoding: gzip` unless the user's field says so already.
    pub coding: Coding,
    /// Bytes of the body before coding; those sent where it came coded.
    pub size_body: u64,
    /// What the coding took.
    pub compress: Option<Duration>,
    /// The Content-Type when the user names none; `None` also when they do.
    pub content_type: Option<&'static str>,
    /// Why data that begins as JSON does went out as a form.
    pub not_json: Option<String>,
}

/// Checks, changes and codes a body. The two texts are the values of the user's own fields.
///
/// A body that is gzip by its first bytes, or that goes with the user's Content-Encoding, is sent as it is. Of the
/// others, one that is declared JSON and is none, or that cannot be changed as asked, is `Kind::Read`.
pub fn prepare(
    body: Body,
    options: &BodyOptions,
    content_type: Option<&str>,
    content_encoding: Option<&str>,
) -> Result<Content> {
    let edits = options.model.is_some() || !options.set.is_empty() || options.compact;
    if content_encoding.is_some() || gzip::is_gzip(&body.bytes) {
        return if edits {
            Err(not_editable(&body.name, content_encoding))
        } else {
            Ok(coded_already(body, content_type, content_encoding))
        };
    }
    let declared = edits || body.declared == Declared::Json || content_type.is_some_and(is_json_type);
    let data = !declared && content_type.is_none() && body.declared == Declared::Data;
    let json = declared || data && json::is_json(&body.bytes);
    let problem = if data && !json && json::begins_so(&body.bytes) { json::check(&body.bytes).err() } else { None };
    let not_json = problem.map(|problem| format!("{}: not JSON: {problem}", body.name));
    let content_type = default_type(body.declared, json, content_type);
    let Body { mut bytes, name, .. } = body;
    let mut unchecked = declared && options.check;
    if edits {
        // Before the change, so that a message gives the position in the body as the user has it.
        if unchecked {
            json::require(&bytes, &name)?;
            unchecked = false;
        }
        bytes = edit(bytes, &name, options)?;
    }
    let size_body = bytes.len() as u64;
    let large = bytes.len() >= GZIP_THRESHOLD;
    let gzip = match options.coding {
        CodingChoice::Auto => json && large,
        CodingChoice::Gzip => true,
        CodingChoice::Identity => false,
    };
    let check = || if unchecked { json::require(&bytes, &name) } else { Ok(()) };
    if !gzip {
        check()?;
        return Ok(Content { bytes, coding: Coding::Identity, size_body, compress: None, content_type, not_json });
    }
    let code = || {
        let clock = Clock::start();
        (gzip::encode(&bytes, options.level), clock.elapsed())
    };
    let (checked, (coded, took)) = if unchecked && large { beside(check, code) } else { (check(), code()) };
    checked?;
    Ok(Content { bytes: coded, coding: Coding::Gzip, size_body, compress: Some(took), content_type, not_json })
}

/// A body that is sent as it is, whatever it holds.
fn coded_already(body: Body, content_type: Option<&str>, content_encoding: Option<&str>) -> Content {
    let gzip = content_encoding.is_none_or(|coding| coding.trim().eq_ignore_ascii_case("gzip"));
    Content {
        size_body: body.bytes.len() as u64,
        bytes: body.bytes,
        coding: if gzip { Coding::Gzip } else { Coding::Identity },
        compress: None,
        content_type: default_type(body.declared, false, content_type),
        not_json: None,
    }
}

fn not_editable(name: &str, content_encoding: Option<&str>) -> Error {
    let why = match content_encoding {
        None => "is compressed already: --model, --set and --compact need it plain (gunzip it first)".to_owned(),
        Some(coding) => format!(
            "is coded already, says -H 'Content-Encoding: {}': --model, --set and --compact need it plain",
            escape(coding.as_bytes())
        ),
    };
    Error::new(Kind::Read, format!("{name}: {why}"))
}

/// The Content-Type of a body whose user names none.
fn default_type(declared: Declared, json: bool, content_type: Option<&str>) -> Option<&'static str> {
    match declared {
        _ if content_type.is_some() => None,
        Declared::Nothing => None,
        Declared::Data if !json => Some("application/x-www-form-urlencoded"),
        Declared::Data | Declared::Json => Some("application/json"),
    }
}

/// Whether a Content-Type means JSON: `application/json` or a `+json` suffix (RFC 6839, section 3.1).
fn is_json_type(value: &str) -> bool {
    let media_type = value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    media_type == "application/json" || media_type.contains('/') && media_type.ends_with("+json")
}

/// `--model`, `--set` in order, `--compact`.
fn edit(mut bytes: Vec<u8>, name: &str, options: &BodyOptions) -> Result<Vec<u8>> {
    let named = |error: Error| Error::new(error.kind, format!("{name}: {}", error.message));
    if let Some(model) = &options.model {
        bytes = splice::model(&bytes, model).map_err(named)?;
    }
    for (key, value) in &options.set {
        bytes = splice::set(&bytes, key, value).map_err(named)?;
    }
    Ok(if options.compact { splice::compact(bytes) } else { bytes })
}

/// Both at the same time, or one after the other where no thread is to be had.
fn beside<A: Send, B>(aside: impl Fn() -> A + Send + Sync, here: impl FnOnce() -> B) -> (A, B) {
    thread::scope(|scope| {
        let aside_thread = thread::Builder::new().spawn_scoped(scope, &aside);
        let here = here();
        let aside = match aside_thread.map(thread::ScopedJoinHandle::join) {
            Ok(joined) => joined.unwrap_or_else(|panic| panic::resume_unwind(panic)),
            Err(_) => aside(),
        };
        (aside, here)
    })
}

#[cfg(test)]
#[path = "content_tests.rs"]
mod tests;
