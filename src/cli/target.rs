//! The URL of a request: where it stands on the command line, and which schemes it may have.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::args::{Args, text, usage};
use crate::error::{Error, Kind, Result};
use crate::http::url::{Scheme, Url};

/// What `--proto`, `--proto-redir` and `--proto-default` leave of http and https.
#[derive(Debug)]
pub struct Protocols {
    http: bool,
    /// Whether a redirect may lead to http.
    pub redirect_to_http: bool,
    default: Option<String>,
}

/// `--proto`, `--proto-redir`, `--proto-default`.
pub fn protocols(args: &mut Args) -> Result<Protocols> {
    let http = args.parsed("--proto", allows_http)?.unwrap_or(true);
    let redirect = args.parsed("--proto-redir", allows_http)?.unwrap_or(true);
    let default = args.text("--proto-default")?.map(|scheme| scheme.to_ascii_lowercase());
    match default.as_deref() {
        None | Some("http" | "https") => Ok(Protocols { http, redirect_to_http: http && redirect, default }),
        Some(other) => {
            let message = format!("--proto-default: {other} is not spoken here, http and https are");
            Err(Error::new(Kind::UnsupportedProtocol, message))
        }
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
pub fn url_and_body(
    urls: Vec<String>,
    arguments: Vec<OsString>,
    protocols: &Protocols,
) -> Result<(Url, Option<OsString>)> {
    let mut arguments = arguments.into_iter();
    let mut urls = urls.into_iter();
    let url = match urls.next() {
        Some(url) => url,
        None => text("URL", arguments.next().ok_or_else(|| usage("no URL; see gzpost --help"))?)?,
    };
    let body = arguments.next();
    let is_url = |argument: &OsString| {
        let bytes = argument.as_bytes();
        bytes.starts_with(b"http://") || bytes.starts_with(b"https://")
    };
    let second = urls.next().map(OsString::from).or_else(|| body.clone().filter(is_url));
    if let Some(second) = second {
        return Err(usage(format!("{}: a second URL; a command sends one request", second.to_string_lossy())));
    }
    if let Some(more) = arguments.next() {
        return Err(usage(format!("{}: one argument too many after URL and BODY", more.to_string_lossy())));
    }
    if body.as_ref().is_some_and(|body| body.as_bytes().starts_with(b"{") && !Path::new(body).exists()) {
        return Err(usage("BODY is a file, or - for stdin; use --json for JSON on the command line"));
    }
    Ok((parse_url(&url, protocols)?, body))
}

fn parse_url(given: &str, protocols: &Protocols) -> Result<Url> {
    if given.starts_with('@') {
        return Err(usage("--url @FILE is not supported; a command sends one request"));
    }
    if let Some(letter) = given.chars().find(char::is_ascii_control) {
        return Err(Error::new(Kind::Url, format!("the URL holds a control character ({})", letter.escape_debug())));
    }
    let url = match protocols.default.as_deref().filter(|_| !has_scheme(given)) {
        Some(scheme) => Url { given: given.to_owned(), ..Url::parse(&format!("{scheme}://{given}"))? },
        None => Url::parse(given)?,
    };
    if url.scheme == Scheme::Http && !protocols.http {
        return Err(Error::new(Kind::UnsupportedProtocol, "--proto does not allow the URL's scheme, http"));
    }
    Ok(url)
}

fn has_scheme(given: &str) -> bool {
    let is_scheme = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
    given.split_once("://").is_some_and(|(scheme, _)| is_scheme(scheme))
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

    #[test]
    fn a_scheme_is_in_front_only() {
        assert!(has_scheme("http://a"));
        assert!(has_scheme("HTTPS://a"));
        assert!(!has_scheme("a.example/?to=http://b"));
        assert!(!has_scheme("a.example"));
    }
}
