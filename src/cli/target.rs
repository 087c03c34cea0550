//! The URL of a request: where it stands on the command line, and which schemes it may have.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::args::{Args, text, usage};
use super::glob;
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
pub fn url_and_body(urls: Vec<String>, arguments: Vec<OsString>, rules: &Rules) -> Result<(Url, Option<OsString>)> {
    let (url, mut bodies) = url_and_bodies(urls, arguments, rules)?;
    if let Some(more) = bodies.get(1) {
        return Err(usage(format!("{}: one argument too many after URL and BODY", more.to_string_lossy())));
    }
    Ok((url, bodies.pop()))
}

/// The same for a command that takes any number of bodies.
pub fn url_and_bodies(urls: Vec<String>, arguments: Vec<OsString>, rules: &Rules) -> Result<(Url, Vec<OsString>)> {
    let mut arguments = arguments.into_iter();
    let mut urls = urls.into_iter();
    let url = match urls.next() {
        Some(url) => url,
        None => text("URL", arguments.next().ok_or_else(|| usage("no URL; see gzpost --help"))?)?,
    };
    let bodies: Vec<OsString> = arguments.collect();
    let second = urls.next().map(OsString::from).or_else(|| bodies.iter().find(|body| is_url(body)).cloned());
    if let Some(second) = second {
        let what = if url.contains("://") {
            "a second URL; a command has one".to_owned()
        } else {
            format!("the URL comes first, then BODY; '{url}' stands in its place")
        };
        return Err(usage(format!("{}: {what}", shown(&second))));
    }
    // A name that could be a host's, but for the file that has it.
    let is_file =
        |name: &str| [".json", ".jsonl", ".gz"].iter().any(|end| name.ends_with(end)) && Path::new(name).is_file();
    if bodies.is_empty() && is_file(&url) {
        return Err(usage(format!("{url} is a file; the URL comes first, then BODY")));
    }
    if bodies.iter().any(|body| body.as_bytes().starts_with(b"{") && !Path::new(body).exists()) {
        return Err(usage("BODY is a file, or - for stdin; use --json for JSON on the command line"));
    }
    Ok((rules.parse(&url)?, bodies))
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
