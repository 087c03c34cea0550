//! The URL of a request: where it stands on the command line, and which schemes it may have.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::args::{Args, text, usage};
use super::argv::{CommandLine, Given};
use super::glob;
use super::options::COMMANDS;
use crate::error::{Error, Kind, Result};
use crate::http::url::{Scheme, Url};

/// How URLs of the command line are read, and which are allowed.
#[derive(Debug)]
pub struct Rules {
    http: bool,
    /// Whether a redirect may lead to http.
    pub redirect_to_http: bool,
    default: Option<Scheme>,
    /// `--path-as-is`
    pub path_as_is: bool,
    /// `-g`
    glob_off: bool,
}

/// `--proto`, `--proto-redir`, `--proto-default`, `--path-as-is`, `-g`.
pub fn rules(args: &mut Args) -> Result<Rules> {
    let http = args.parsed("--proto", allows_http)?.unwrap_or(true);
    let redirect = args.parsed("--proto-redir", allows_http)?.unwrap_or(true);
    let scheme = |name: String| {
        let message = format!("--proto-default: {name} is not spoken here, http and https are");
        Scheme::from_name(&name).ok_or_else(|| Error::new(Kind::UnsupportedProtocol, message))
    };
    Ok(Rules {
        http,
        redirect_to_http: http && redirect,
        default: args.text("--proto-default")?.map(scheme).transpose()?,
        path_as_is: args.on("--path-as-is"),
        glob_off: args.on("--globoff"),
    })
}

impl Rules {
    /// A URL by these rules.
    pub fn parse(&self, given: &str) -> Result<Url> {
        if given.starts_with('@') {
            return Err(usage("--url @FILE is not supported; a command sends one request"));
        }
        if self.glob_off { self.parse_literal(given) } else { self.parse_literal(&glob::expand(given)?) }
    }

    /// The same where braces and brackets are no patterns.
    pub fn parse_literal(&self, given: &str) -> Result<Url> {
        let url = Url::parse_with(given, self.default, self.path_as_is)?;
        if url.scheme == Scheme::Http && !self.http {
            return Err(Error::new(Kind::UnsupportedProtocol, "--proto does not allow the URL's scheme, http"));
        }
        Ok(url)
    }
}

/// curl's list: `=` sets, `+` or nothing adds, `-` takes away; other protocols do not matter here.
fn allows_http(list: &str) -> Result<bool, String> {
    let (mut http, mut https) = (true, true);
    for word in list.split(',').filter(|word| !word.is_empty()) {
        let (action, name) = match word.strip_prefix(['=', '+', '-']) {
            Some(name) => (&word[..1], name.to_ascii_lowercase()),
            None => ("+", word.to_ascii_lowercase()),
        };
        if action == "=" {
            (http, https) = (false, false);
        }
        http = if matches!(&*name, "http" | "all") { action != "-" } else { http };
        https = if matches!(&*name, "https" | "all") { action != "-" } else { https };
    }
    // A redirect from http to https is always followed, so that a list without https could not be kept.
    if https { Ok(http) } else { Err(format!("'{list}' leaves out https; list it too")) }
}

/// The URL from `--url` or the first argument, and what remains as BODY.
pub fn url_and_body(line: &mut CommandLine, args: &mut Args, rules: &Rules) -> Result<(Url, Option<OsString>)> {
    let (url, mut bodies) = url_and_bodies(line, args, rules)?;
    if let Some(more) = bodies.get(1) {
        return Err(usage(format!("{}: one argument too many after URL and BODY", more.to_string_lossy())));
    }
    Ok((url, bodies.pop()))
}

/// The same for a command that takes any number of them: `BODY` or `CAPTURE`.
pub fn url_and_bodies(line: &mut CommandLine, args: &mut Args, rules: &Rules) -> Result<(Url, Vec<OsString>)> {
    let mut bodies = std::mem::take(&mut line.arguments);
    let mut urls: Vec<OsString> = args.texts("--url")?.into_iter().map(OsString::from).collect();
    let what = if line.command == Some("replay") { "CAPTURE" } else { "BODY" };
    if urls.is_empty() {
        let taken = line.given.iter().find(|given| takes_url_by_mistake(given));
        let taken = taken.map(|given| format!("--{} took the URL as its value", given.option.long));
        if bodies.is_empty() {
            let command = line.command.map_or_else(|| "gzpost".to_owned(), |word| format!("gzpost {word}"));
            return Err(usage(format!("no URL; {}", taken.unwrap_or_else(|| format!("see {command} --help")))));
        }
        urls.push(bodies.remove(0));
        stands_for_url(&urls[0], &bodies, what)
            .map_err(|error| taken.map_or(error, |taken| usage(format!("no URL; {taken}"))))?;
    }
    if let Some(second) = urls.get(1).or_else(|| bodies.iter().find(|body| is_url(body))) {
        return Err(usage(format!("{}: a second URL; a command has one", shown(second))));
    }
    if bodies.iter().any(|body| body.as_bytes().starts_with(b"{") && !Path::new(body).exists()) {
        let json = if line.command.is_none() { "; use --json for JSON on the command line" } else { "" };
        return Err(usage(format!("{what} is a file, or - for stdin{json}")));
    }
    Ok((rules.parse(&text("URL", urls.remove(0))?)?, bodies))
}

/// Whether an option that takes no URL got one.
fn takes_url_by_mistake(given: &Given) -> bool {
    let takes_none = matches!(given.option.arg, Some("SECONDS" | "N" | "FILE" | "DIR" | "NAME" | "METHOD" | "LIST"));
    takes_none && given.value.as_deref().is_some_and(is_url)
}

/// Refuses a first argument that is no URL beyond doubt: a URL is behind it, or there is a file of that name.
fn stands_for_url(first: &OsStr, bodies: &[OsString], what: &str) -> Result<()> {
    if is_url(first) {
        return Ok(());
    }
    let (first, path) = (first.to_string_lossy(), Path::new(first));
    if let Some(url) = bodies.iter().find(|body| is_url(body)) {
        if COMMANDS.contains(&&*first) {
            return Err(usage(format!("a command is the first argument: gzpost {first} [OPTIONS] URL")));
        }
        let is_word = first.bytes().all(|byte| byte.is_ascii_lowercase());
        let commands = if is_word { format!(" and is no command ({})", COMMANDS.join(", ")) } else { String::new() };
        let (url, place) = (shown(url), format!("'{first}' stands in its place{commands}"));
        return Err(usage(format!("{url}: the URL comes first, then {what}; {place}")));
    }
    let is_named_so = [".json", ".jsonl", ".gz"].iter().any(|end| first.ends_with(end));
    // Without a CAPTURE there is nothing to do, whatever the name; a directory may be called as a host is.
    if is_named_so && path.is_file() || what == "CAPTURE" && bodies.is_empty() && path.exists() {
        let kind = if path.is_dir() { "directory" } else { "file" };
        return Err(usage(format!("{first} is a {kind}; the URL comes first, then {what}")));
    }
    Ok(())
}

/// Whether an argument is a URL beyond doubt.
pub fn is_url(argument: &OsStr) -> bool {
    [&b"http://"[..], b"https://"].iter().any(|start| argument.as_bytes().starts_with(start))
}

/// An argument for a message: without the password when it is a URL.
pub fn shown(argument: &OsStr) -> String {
    let text = argument.to_string_lossy();
    Url::parse(&text)
        .map_or_else(|_| text.into_owned(), |url| if url.userinfo.is_some() { url.redacted() } else { url.given })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_protocols() {
        for (list, http) in [
            ("=https", false),
            ("=http,https", true),
            ("", true),
            ("-all,https", false),
            ("-http", false),
            ("-ftp,+HTTP", true),
            ("=all", true),
            ("https,-http", false),
        ] {
            assert_eq!(allows_http(list), Ok(http), "{list}");
        }
        for list in ["=http", "-https", "-all", "=ftp"] {
            assert!(allows_http(list).is_err(), "{list}");
        }
    }
}
