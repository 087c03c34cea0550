//! A request as the user described it, and the head that goes out for it.

use super::credentials::is_secret;
use super::proxy::authorization;
use super::settings::{Proxy, Settings};
use super::url::Url;
use crate::body::{Coding, Content};

/// What is sent as User-Agent unless `-A` or `-H` say otherwise.
const USER_AGENT: &str = concat!("gzpost/", env!("CARGO_PKG_VERSION"));

/// A request without its content.
#[derive(Clone)]
pub struct Request {
    /// `-X`, or what the other options imply.
    pub method: String,
    /// Whether the method came from `-X`: then it survives redirects.
    pub method_forced: bool,
    /// `-I`: the answer's content is not read, whatever the method is.
    pub head: bool,
    /// The target.
    pub url: Url,
    /// `-H`, in order.
    pub fields: Vec<FieldLine>,
    /// The value of Authorization from `-u`, `--oauth2-bearer`, `--bearer-env` or the URL; a secret.
    pub authorization: Option<String>,
    /// `-A`; `None` is the default, an empty text sends no field.
    pub user_agent: Option<String>,
    /// `-e`
    pub referer: Option<String>,
    /// `-e 'URL;auto'`: a redirect sends the URL before it as Referer.
    pub auto_referer: bool,
    /// `-b name=value`
    pub cookie: Option<String>,
    /// The Content-Type when `-H` names none and the content knows none.
    pub content_type: Option<String>,
    /// The Accept when `-H` names none (`--json` sets it).
    pub accept: String,
    /// `--request-target`: goes into the request line in place of the URL's path and query.
    pub target: Option<String>,
    /// `-0`: HTTP/1.0.
    pub http10: bool,
}

/// What a `-H` line asks for.
#[derive(Clone, PartialEq, Eq)]
pub enum FieldLine {
    /// `Name: value`, or `Name;` with an empty value: sent, and in place of an internal field.
    Set(String, String),
    /// `Name:`: the internal field is not sent.
    Remove(String),
}

impl FieldLine {
    /// The field's name as given.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            FieldLine::Set(name, _) | FieldLine::Remove(name) => name,
        }
    }

    /// Whether it is about the field of this name, in any case.
    #[must_use]
    pub fn is(&self, name: &str) -> bool {
        self.name().eq_ignore_ascii_case(name)
    }
}

/// Values may be secrets, so none is shown.
impl std::fmt::Debug for FieldLine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// Credentials are left out.
impl std::fmt::Debug for Request {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Request({} {} {:?})", self.method, self.url.redacted(), self.fields)
    }
}

/// A head, and how its content is framed.
pub(super) struct Framed {
    pub head: Vec<u8>,
    /// What goes with the content in front of it, when the user asked for chunked framing: the size of its only chunk.
    pub lead: Vec<u8>,
    /// What follows the content then: the last chunk.
    pub tail: &'static [u8],
    /// The content waits for `100 Continue`.
    pub expects_continue: bool,
}

impl Request {
    /// A request with nothing that was not asked for.
    #[must_use]
    pub fn new(method: &str, url: Url) -> Request {
        Request {
            method: method.to_owned(),
            method_forced: false,
            head: false,
            url,
            fields: Vec::new(),
            authorization: None,
            user_agent: None,
            referer: None,
            auto_referer: false,
            cookie: None,
            content_type: None,
            accept: "*/*".to_owned(),
            target: None,
            http10: false,
        }
    }

    /// The value of a field that `-H` sets, the first one.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&str> {
        self.fields.iter().find_map(|line| match line {
            FieldLine::Set(_, value) if line.is(name) => Some(value.as_str()),
            _ => None,
        })
    }

    /// Whether `-H` says anything about a field.
    #[must_use]
    pub fn names(&self, name: &str) -> bool {
        self.fields.iter().any(|line| line.is(name))
    }

    /// Whether it says who asks, in one way or another.
    #[must_use]
    pub fn has_credentials(&self) -> bool {
        let fields = self.fields.iter().map(FieldLine::name).filter(|name| self.field(name).is_some());
        let query = self.url.query.iter().flat_map(|query| query.split('&')).filter_map(|pair| pair.split_once('='));
        let mut names = fields.chain(query.map(|(name, _)| name));
        self.authorization.is_some() || self.cookie.is_some() || names.any(is_secret)
    }

    pub(super) fn user_agent(&self) -> &str {
        self.user_agent.as_deref().unwrap_or(USER_AGENT)
    }

    /// The head, in curl's order. `via` is the proxy when it is asked for the whole URL.
    pub(super) fn head(&self, via: Option<&Proxy>, settings: &Settings, content: Option<&Content>) -> Framed {
        let mut head = Vec::with_capacity(512);
        let target = match (&self.target, via) {
            (Some(target), _) => target.clone(),
            (None, Some(_)) => self.url.absolute(),
            (None, None) => self.url.target(),
        };
        let version = if self.http10 { "1.0" } else { "1.1" };
        head.extend_from_slice(format!("{} {target} HTTP/{version}\r\n", self.method).as_bytes());
        let host = self.field("Host").map_or_else(|| self.url.host_header(), str::to_owned);
        if !self.fields.iter().any(|line| line.is("Host") && matches!(line, FieldLine::Remove(_))) {
            push_field(&mut head, "Host", &host);
        }
        let proxy_authorization = via.and_then(|proxy| proxy.credentials.as_deref()).map(authorization);
        let user_agent = Some(self.user_agent()).filter(|value| !value.is_empty());
        for (name, value) in [
            ("Proxy-Authorization", proxy_authorization.as_deref()),
            ("Authorization", self.authorization.as_deref()),
            ("User-Agent", user_agent),
            ("Accept", Some(self.accept.as_str())),
            ("Accept-Encoding", settings.compressed.then_some("deflate, gzip")),
            ("Referer", self.referer.as_deref()),
            ("Proxy-Connection", via.map(|_| "Keep-Alive")),
            ("Cookie", self.cookie.as_deref()),
        ] {
            let for_proxy = |line: &FieldLine| via.is_some() && line.is(name);
            let named = self.names(name) || settings.proxies.fields.iter().any(for_proxy);
            if let Some(value) = value.filter(|_| !named) {
                push_field(&mut head, name, value);
            }
        }
        let chunked = content.is_some()
            && self.field("Transfer-Encoding").is_some_and(|value| value.to_ascii_lowercase().contains("chunked"));
        for line in self.fields.iter().chain(via.map(|_| &settings.proxies.fields).into_iter().flatten()) {
            if let FieldLine::Set(name, value) = line
                && !line.is("Host")
                // The length is ours to say: a wrong one would make the server wait or read garbage.
                && !(line.is("Content-Length") && content.is_some())
            {
                push_field(&mut head, name, value);
            }
        }
        if let Some(content) = content {
            self.push_content_fields(&mut head, content, chunked);
        }
        head.extend_from_slice(b"\r\n");
        let (lead, tail): (_, &[u8]) = match content.filter(|_| chunked).map(|content| content.bytes.len()) {
            None => (Vec::new(), b""),
            Some(0) => (Vec::new(), b"0\r\n\r\n"),
            Some(length) => (format!("{length:x}\r\n").into_bytes(), b"\r\n0\r\n\r\n"),
        };
        let expects_continue =
            content.is_some() && self.field("Expect").is_some_and(|value| value.eq_ignore_ascii_case("100-continue"));
        Framed { head, lead, tail, expects_continue }
    }

    fn push_content_fields(&self, head: &mut Vec<u8>, content: &Content, chunked: bool) {
        if content.coding == Coding::Gzip && !self.names("Content-Encoding") {
            push_field(head, "Content-Encoding", "gzip");
        }
        if !chunked {
            push_field(head, "Content-Length", &content.bytes.len().to_string());
        }
        let content_type = self.content_type.as_deref().or(content.content_type);
        if let Some(value) = content_type.filter(|_| !self.names("Content-Type")) {
            push_field(head, "Content-Type", value);
        }
    }
}

/// Appends `name: value`; an empty value leaves `name:`, as curl sends it.
pub(super) fn push_field(head: &mut Vec<u8>, name: &str, value: &str) {
    head.extend_from_slice(name.as_bytes());
    head.extend_from_slice(if value.is_empty() { b":" } else { b": " });
    head.extend_from_slice(value.as_bytes());
    head.extend_from_slice(b"\r\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_has_many_names() {
        for (url, fields, expected) in [
            ("http://relay.example/v1", &[][..], false),
            ("http://relay.example/v1?beta=1", &["X-Of"], false),
            ("http://relay.example/v1?key=a", &[], true),
            ("http://relay.example/v1", &["X-API-Key"], true),
            ("http://relay.example/v1", &["authorization"], true),
        ] {
            let mut request = Request::new("GET", Url::parse(url).expect("a URL"));
            request.fields = fields.iter().map(|name| FieldLine::Set((*name).to_owned(), "a".to_owned())).collect();
            request.fields.push(FieldLine::Remove("Cookie".to_owned()));
            assert_eq!(request.has_credentials(), expected, "{url} {fields:?}");
            request.authorization = Some("Bearer a".to_owned());
            assert!(request.has_credentials());
        }
    }
}
