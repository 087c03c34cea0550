//! The pieces of a body in the order of the command line, and which of them go together.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::args::{text, usage};
use super::argv::Given;
use super::target::Rules;
use crate::body::{Part, PartKind, Source, json};
use crate::error::Result;
use crate::http::url::Url;

/// The options that make a part; their order among each other matters.
pub const DATA_OPTIONS: [&str; 6] = ["data", "data-binary", "data-raw", "data-urlencode", "json", "upload-file"];

/// All parts. BODY, data options and `-T` exclude each other.
pub fn parts(given: &[Given], body: Option<OsString>) -> Result<Vec<Part>> {
    let options: Vec<&Given> = given.iter().filter(|given| DATA_OPTIONS.contains(&given.option.long)).collect();
    if let (Some(body), Some(given)) = (&body, options.first()) {
        return Err(usage(format!("BODY ({}) and --{} exclude each other", body.to_string_lossy(), given.option.long)));
    }
    if let Some(name) = body {
        return Ok(vec![self::body(&name)]);
    }
    let (uploads, data): (Vec<&Given>, Vec<&Given>) =
        options.into_iter().partition(|given| given.option.long == "upload-file");
    match (uploads.first(), data.first()) {
        (Some(_), Some(data)) => Err(usage(format!("--upload-file and --{} exclude each other", data.option.long))),
        // As in curl, the first one is for the first URL, and '' uploads nothing.
        (Some(upload), None) => match upload.value.as_deref().unwrap_or_default().as_bytes() {
            b"" => Ok(Vec::new()),
            b"." => Ok(vec![Part { kind: PartKind::Upload, source: Source::Stdin }]),
            path => Ok(vec![Part { kind: PartKind::Upload, source: file_or_stdin(path) }]),
        },
        _ => data.into_iter().map(data_part).collect(),
    }
}

fn data_part(given: &Given) -> Result<Part> {
    let bytes = given.value.as_deref().unwrap_or_default().as_bytes();
    let (kind, source) = match given.option.long {
        "data-raw" => (PartKind::Raw, Source::Text(bytes.to_vec())),
        "data-binary" => (PartKind::Binary, text_or_file(bytes)),
        "json" if Path::new(OsStr::from_bytes(bytes)).is_file() && json::check(bytes).is_err() => {
            let name = String::from_utf8_lossy(bytes);
            return Err(usage(format!("--json: {name} is a file; --json @{name} sends what is in it")));
        }
        "json" => (PartKind::Json, text_or_file(bytes)),
        "data-urlencode" => {
            let (name, source) = urlencode_source(bytes);
            let name = name.map(|name| text("--data-urlencode", OsStr::from_bytes(name).to_owned())).transpose()?;
            (PartKind::Urlencode(name), source)
        }
        _ => (PartKind::Data, text_or_file(bytes)),
    };
    Ok(Part { kind, source })
}

/// `NAME=TEXT`, `=TEXT`, `TEXT`, `NAME@FILE`, `@FILE`: an `=` anywhere goes before an `@`.
fn urlencode_source(bytes: &[u8]) -> (Option<&[u8]>, Source) {
    let mark = [b'=', b'@'].iter().find_map(|mark| bytes.iter().position(|byte| byte == mark));
    let Some(mark) = mark else {
        return (None, Source::Text(bytes.to_vec()));
    };
    let (name, content) = (&bytes[..mark], &bytes[mark + 1..]);
    let source = if bytes[mark] == b'@' { file_or_stdin(content) } else { Source::Text(content.to_vec()) };
    (Some(name).filter(|name| !name.is_empty()), source)
}

fn text_or_file(bytes: &[u8]) -> Source {
    bytes.strip_prefix(b"@").map_or_else(|| Source::Text(bytes.to_vec()), file_or_stdin)
}

/// BODY or CAPTURE, any number of them.
pub fn files(names: &[OsString]) -> Result<Vec<Part>> {
    if names.iter().filter(|name| *name == "-").count() > 1 {
        return Err(usage("stdin can be read once; give - once"));
    }
    Ok(names.iter().map(|name| body(name)).collect())
}

fn body(name: &OsStr) -> Part {
    Part { kind: PartKind::Body, source: file_or_stdin(name.as_bytes()) }
}

/// A path, or `-` for stdin.
fn file_or_stdin(path: &[u8]) -> Source {
    if path == b"-" { Source::Stdin } else { Source::File(PathBuf::from(OsStr::from_bytes(path))) }
}

/// `-T FILE` to a URL that ends with a slash and has no query: the file's name is added to it, as curl does.
pub fn with_file_name(url: Url, path: &Path, rules: &Rules) -> Result<Url> {
    if url.query.is_some() || !url.path.ends_with('/') {
        return Ok(url);
    }
    let name = path.file_name().unwrap_or_default().as_bytes();
    let encoded: String = name.iter().map(|byte| percent_encoded(*byte)).collect();
    let base = url.given.split('#').next().unwrap_or_default();
    let slash = if base.ends_with('/') { "" } else { "/" };
    rules.parse_literal(&format!("{base}{slash}{encoded}"))
}

fn percent_encoded(byte: u8) -> String {
    match byte {
        b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urlencode_forms() {
        let text = |text: &str| Source::Text(text.into());
        for (given, name, source) in [
            ("a b", None, text("a b")),
            ("=a=b", None, text("a=b")),
            ("n=a@b", Some("n"), text("a@b")),
            ("a@b=c", Some("a@b"), text("c")),
            ("n@f", Some("n"), Source::File("f".into())),
            ("@-", None, Source::Stdin),
            ("", None, text("")),
        ] {
            assert_eq!(urlencode_source(given.as_bytes()), (name.map(str::as_bytes), source), "{given}");
        }
    }
}
