//! Where the answer goes, and what is said about it.

use std::ffi::{OsStr, OsString};
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use super::args::{Args, text, usage};
use super::argv::Given;
use super::command::{Fail, Output, Target};
use super::fields;
use crate::error::Result;
use crate::http::url::Url;

/// The options that name the file: the first of them counts, as in curl for a single URL.
pub const FILE_OPTIONS: [&str; 3] = ["output", "remote-name", "out-null"];

/// The output options; `head` is `-I`.
pub fn output(
    args: &mut Args,
    given: &[Given],
    url: &Url,
    head: bool,
    stdin: &mut dyn Read,
    warnings: &mut Vec<String>,
) -> Result<Output> {
    let fail = match (args.on("--fail"), args.on("--fail-with-body")) {
        (true, true) => return Err(usage("--fail and --fail-with-body exclude each other")),
        (true, false) => Fail::WithoutBody,
        (false, true) => Fail::WithBody,
        (false, false) => Fail::Never,
    };
    Ok(Output {
        file: file(given, url, args.path("--output-dir")?, warnings)?,
        create_dirs: args.on("--create-dirs"),
        no_clobber: args.on("--no-clobber"),
        remove_on_error: args.on("--remove-on-error"),
        dump_header: args.path("--dump-header")?.map(target),
        include: args.on("--show-headers") || head,
        fail,
        write_out: args.os("--write-out")?.map(|format| write_out(format, stdin)).transpose()?,
        text: args.on("--text"),
        reasoning: args.on("--reasoning"),
        ..messages(args)?
    })
}

/// What goes to stderr and where that is; the options of all commands that say something.
pub fn messages(args: &mut Args) -> Result<Output> {
    Ok(Output {
        silent: args.on("--silent"),
        show_error: args.on("--show-error"),
        verbose: args.on("--verbose"),
        trace_time: args.on("--trace-time"),
        stderr: args.path("--stderr")?.map(target),
        ..Output::default()
    })
}

/// `-` and `%`. That `--stderr %` changes nothing, and is a file in curl, is of no use to anybody.
fn target(name: PathBuf) -> Target {
    match name.as_os_str().as_bytes() {
        b"-" => Target::Stdout,
        b"%" => Target::Stderr,
        _ => Target::File(name),
    }
}

fn file(given: &[Given], url: &Url, dir: Option<PathBuf>, warnings: &mut Vec<String>) -> Result<Option<PathBuf>> {
    let mut named = given.iter().filter(|given| FILE_OPTIONS.contains(&given.option.long));
    let Some(first) = named.next() else {
        return Ok(None);
    };
    if let Some(more) = named.next() {
        let name = more.value.as_deref().unwrap_or_default().to_string_lossy();
        warnings.push(format!("--{} {name}: there is only one answer, and it has its file", more.option.long));
    }
    let name = match (first.option.long, first.value.as_deref()) {
        ("out-null", _) => return Ok(Some(PathBuf::from("/dev/null"))),
        (_, Some(name)) if name == "-" => return Ok(None),
        (_, Some(name)) if name.is_empty() => return Err(usage("--output: the file name is empty")),
        (_, Some(name)) => name.to_owned(),
        (_, None) => remote_name(url, warnings),
    };
    Ok(Some(below(dir, name)))
}

/// The last part of the URL's path that is not empty; curl's default where there is none.
fn remote_name(url: &Url, warnings: &mut Vec<String>) -> OsString {
    let name = url.remote_name();
    if name.is_none() {
        warnings.push("--remote-name: the URL names no file, writing to curl_response".into());
    }
    name.unwrap_or("curl_response").into()
}

/// `--output-dir` goes in front of an absolute name too, as in curl.
fn below(dir: Option<PathBuf>, name: OsString) -> PathBuf {
    let Some(dir) = dir else {
        return PathBuf::from(name);
    };
    let mut path = dir.into_os_string();
    path.push("/");
    path.push(name);
    PathBuf::from(path)
}

/// `FORMAT`, or `@FILE`, `@-` without their line breaks, as in curl.
fn write_out(format: OsString, stdin: &mut dyn Read) -> Result<String> {
    let Some(path) = format.as_bytes().strip_prefix(b"@") else {
        return text("--write-out", format);
    };
    let path = text("--write-out", OsStr::from_bytes(path).to_owned())?;
    let mut bytes = fields::file("--write-out", &path, stdin)?;
    bytes.retain(|byte| !matches!(byte, b'\r' | b'\n' | b'\0'));
    text("--write-out", std::os::unix::ffi::OsStringExt::from_vec(bytes))
}
