//! URLs as curl reads them: guessed scheme, user info, address forms, redirect targets.

mod parse;
#[cfg(test)]
mod tests;

use std::fmt;

pub(super) use parse::encode;

use super::credentials::{REDACTED, redact_query};
use crate::error::Result;

/// A target URL, split and normalised.
#[derive(Clone, PartialEq, Eq)]
pub struct Url {
    /// As the user gave it, also after redirects; a secret when it holds a password.
    pub given: String,
    /// Decides about TLS and the default port.
    pub scheme: Scheme,
    /// What stands before the `@`, as written (`%{url_effective}` shows it so); a secret.
    pub userinfo: Option<String>,
    /// Percent-decoded; empty for `http://@host/`, which asks for an Authorization field too.
    pub user: Option<String>,
    /// Percent-decoded; a secret together with `user`.
    pub password: Option<String>,
    /// Name or address without brackets, in the case it was given in: Host shows it so.
    pub host: String,
    /// The zone of an IPv6 address (`[fe80::1%25eth0]`): an interface's name or number, never sent.
    pub zone: Option<String>,
    /// The port as written, when one was.
    pub port: Option<u16>,
    /// Starts with `/`, without dot segments, otherwise as written: `target` is what goes out.
    pub path: String,
    /// Without the `?`, as written.
    pub query: Option<String>,
    /// Without the `#`; never sent.
    pub fragment: Option<String>,
}

/// The schemes this program speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scheme {
    /// `http`
    Http,
    /// `https`
    Https,
}

impl Scheme {
    /// The scheme of this name, in any case.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Scheme> {
        [Scheme::Http, Scheme::Https].into_iter().find(|scheme| name.eq_ignore_ascii_case(scheme.name()))
    }

    /// `http` or `https`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Scheme::Http => "http",
            Scheme::Https => "https",
        }
    }

    /// 80 or 443.
    #[must_use]
    pub fn default_port(self) -> u16 {
        match self {
            Scheme::Http => 80,
            Scheme::Https => 443,
        }
    }
}

/// `HOST:PORT`, an IPv6 address in brackets.
pub(super) fn host_and_port(host: &str, port: u16) -> String {
    if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") }
}

/// Scheme, host and port: credentials stay within one (RFC 6454, section 4).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Origin {
    /// The scheme.
    pub scheme: Scheme,
    /// In lower case, with its zone.
    pub host: String,
    /// The scheme's default when the URL names none.
    pub port: u16,
}

impl Url {
    /// Reads a URL of the command line; without a scheme it is http, and dot segments are removed.
    ///
    /// Exit 3 for a malformed URL, 1 for a scheme that is neither http nor https.
    pub fn parse(text: &str) -> Result<Url> {
        Url::parse_with(text, None, false)
    }

    /// The same with `--proto-default`, and with `--path-as-is`, which leaves dot segments in place.
    pub fn parse_with(text: &str, default_scheme: Option<Scheme>, path_as_is: bool) -> Result<Url> {
        parse::given(text, default_scheme, path_as_is)
    }

    /// Where a Location field points to from here (RFC 3986, section 5); `given` stays.
    ///
    /// Blanks and other bytes that do not belong into a URL are percent-encoded, and dot segments removed.
    pub fn join(&self, location: &str, path_as_is: bool) -> Result<Url> {
        let location = location.trim_matches([' ', '\t']);
        let authority = || format!("{}://{}", self.scheme.name(), self.authority(self.userinfo.as_deref()));
        let text = if parse::scheme(location).is_some() {
            location.to_owned()
        } else if location.starts_with("//") {
            format!("{}:{location}", self.scheme.name())
        } else {
            let query = self.query.as_ref().map(|query| format!("?{query}")).unwrap_or_default();
            let kept = match location.as_bytes().first() {
                None | Some(b'#') => format!("{}{query}", self.path),
                Some(b'/') => String::new(),
                Some(b'?') => self.path.clone(),
                Some(_) => self.path[..=self.path.rfind('/').unwrap_or(0)].to_owned(),
            };
            format!("{}{kept}{location}", authority())
        };
        parse::redirect(&text, path_as_is).map(|url| Url { given: self.given.clone(), ..url })
    }

    /// With `-G` data behind the query, the way curl does it: joined by `&`, and only blanks encoded.
    ///
    /// Exit 3 when the data holds control characters.
    pub fn with_query_added(&self, data: &str) -> Result<Url> {
        let mut url = self.clone();
        let query = self.query.as_deref().unwrap_or_default();
        let separator = if query.is_empty() || query.ends_with('&') { "" } else { "&" };
        url.query = Some(format!("{query}{separator}{data}")).filter(|query| !query.is_empty());
        let effective = url.effective();
        let guessed = parse::scheme(&self.given).is_none_or(|(_, rest)| !rest.starts_with('/'));
        let scheme = if guessed { self.scheme.name().len() + "://".len() } else { 0 };
        // A second look encodes blanks, and cuts off what follows a `#` in the data, as curl does.
        let reread = Url::parse_with(&effective, None, true)?;
        Ok(Url { given: effective[scheme..].to_owned(), ..reread })
    }

    /// The value of Host: the port only when it is not the scheme's default.
    #[must_use]
    pub fn host_header(&self) -> String {
        let port = self.port_or_default();
        let port = if port == self.scheme.default_port() { String::new() } else { format!(":{port}") };
        if self.host.contains(':') { format!("[{}]{port}", self.host) } else { format!("{}{port}", self.host) }
    }

    /// The origin form of the request line: path and query, percent-encoded where they are not ASCII.
    #[must_use]
    pub fn target(&self) -> String {
        let mut target = encode(&self.path, "%20");
        if let Some(query) = &self.query {
            target += "?";
            target += &encode(query, "+");
        }
        target
    }

    /// The absolute form, for a proxy: without user info and fragment.
    #[must_use]
    pub fn absolute(&self) -> String {
        format!("{}://{}{}", self.scheme.name(), self.host_header(), self.target())
    }

    /// The port to connect to.
    #[must_use]
    pub fn port_or_default(&self) -> u16 {
        self.port.unwrap_or(self.scheme.default_port())
    }

    /// The host as the system resolves it: an IPv6 address with its zone.
    #[must_use]
    pub fn host_with_zone(&self) -> String {
        let zone = self.zone.as_ref().map(|zone| format!("%{zone}")).unwrap_or_default();
        format!("{}{zone}", self.host)
    }

    /// What is compared before credentials follow a redirect.
    #[must_use]
    pub fn origin(&self) -> Origin {
        let host = self.host_with_zone().to_ascii_lowercase();
        Origin { scheme: self.scheme, host, port: self.port_or_default() }
    }

    /// `%{url_effective}`: normalised, with user info and fragment; a secret when it holds a password.
    #[must_use]
    pub fn effective(&self) -> String {
        self.text(self.userinfo.as_deref())
    }

    /// The same with `<redacted>` for the password and for secrets in query and fragment, for messages.
    #[must_use]
    pub fn redacted(&self) -> String {
        self.for_showing().effective()
    }

    /// The parts that `redacted` shows.
    #[must_use]
    pub fn for_showing(&self) -> Url {
        let without_password = |info: &String| match info.split_once(':') {
            Some((user, password)) if !password.is_empty() => format!("{user}:{REDACTED}"),
            // A user without a password may be a key.
            _ => REDACTED.to_owned(),
        };
        let without_secrets = |part: &Option<String>| part.as_deref().map(|part| redact_query(part).into_owned());
        Url {
            userinfo: self.userinfo.as_ref().map(without_password),
            query: without_secrets(&self.query),
            fragment: without_secrets(&self.fragment),
            ..self.clone()
        }
    }

    /// The name for `-O`: the last segment of the path that has one.
    #[must_use]
    pub fn remote_name(&self) -> Option<&str> {
        let name = self.path.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next();
        name.filter(|name| !name.is_empty())
    }

    /// A part by curl's name for it, as in `%{url.host}`; the port is the default when none was given.
    #[must_use]
    pub fn part(&self, name: &str) -> Option<String> {
        let userinfo = self.userinfo.as_deref();
        let split = userinfo.and_then(|info| info.split_once(':'));
        let present = |part: &Option<String>| part.clone().filter(|part| !part.is_empty());
        match name {
            "scheme" => Some(self.scheme.name().to_owned()),
            "user" => split.map(|(user, _)| user).or(userinfo).map(str::to_owned),
            "password" => split.map(|(_, password)| password.to_owned()),
            "host" if self.host.contains(':') => Some(format!("[{}]", self.host)),
            "host" => Some(self.host.clone()),
            "port" => Some(self.port_or_default().to_string()),
            "path" => Some(self.path.clone()),
            "query" => present(&self.query),
            "fragment" => present(&self.fragment),
            "zoneid" => self.zone.clone(),
            // `options` too: only mail URLs have them.
            _ => None,
        }
    }

    fn text(&self, userinfo: Option<&str>) -> String {
        let mut text = format!("{}://{}{}", self.scheme.name(), self.authority(userinfo), self.path);
        for (sign, part) in [("?", &self.query), ("#", &self.fragment)] {
            if let Some(part) = part {
                text += sign;
                text += part;
            }
        }
        text
    }

    fn authority(&self, userinfo: Option<&str>) -> String {
        let userinfo = userinfo.map(|info| format!("{info}@")).unwrap_or_default();
        let zone = self.zone.as_ref().map(|zone| format!("%25{zone}")).unwrap_or_default();
        let port = self.port.map(|port| format!(":{port}")).unwrap_or_default();
        let (open, close) = if self.host.contains(':') { ("[", "]") } else { ("", "") };
        format!("{userinfo}{open}{}{zone}{close}{port}", self.host)
    }
}

/// A URL, or a path with its query, as it may be shown: without passwords and without values that are likely secrets.
#[must_use]
pub fn redacted(text: &str) -> String {
    match Url::parse(text) {
        // The authority is where a password can be.
        _ if !text.contains('@') || text.starts_with('/') && !text.starts_with("//") => redact_query(text).into_owned(),
        Ok(url) if url.userinfo.is_some() && text.matches('@').count() == 1 => url.redacted(),
        // What cannot be read as a URL may hold a password all the same.
        _ => REDACTED.to_owned(),
    }
}

/// Without the password, so that no message shows it by accident. There is no `Display` for the same reason.
impl fmt::Debug for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Url({})", self.redacted())
    }
}
