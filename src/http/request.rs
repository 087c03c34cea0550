//! A request as the user described it, and the head that goes out for it.

use super::url::Url;

/// A request without its content.
#[derive(Debug, Clone)]
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
    /// The Content-Type when `-H` names none; `None` with no content.
    pub content_type: Option<String>,
    /// The Accept when `-H` names none (`--json` sets it).
    pub accept: String,
    /// `--request-target`: goes into the request line in place of the URL's path and query.
    pub target: Option<String>,
    /// `-0`: HTTP/1.0.
    pub http10: bool,
}

/// What a `-H` line asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldLine {
    /// `Name: value`, or `Name;` with an empty value: sent, and in place of an internal field.
    Set(String, String),
    /// `Name:`: the internal field is not sent.
    Remove(String),
}
