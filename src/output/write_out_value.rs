//! The variables of `-w`: the only table of their names, and the form of their values.

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::time::Duration;

use super::units;
use super::write_out::UrlPart;
use super::write_out_json::quote;
use crate::error::Kind;
use crate::http::credentials::base64;
use crate::http::{Tls, Tokens, Transfer};

/// What the variables speak of.
pub(super) struct Facts<'a> {
    pub(super) transfer: &'a Transfer,
    pub(super) url_part: &'a UrlPart<'a>,
}

/// The value of a variable.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// As it is.
    Text(String),
    /// A status code: three digits at least, 000 for none; a plain number in JSON.
    Code(Option<u16>),
    /// A whole number.
    Number(i128),
    /// With two decimals.
    Ratio(f64),
    /// Seconds with six decimals.
    Time(Duration),
    /// Nothing to say: this text in plain, null in JSON.
    Missing(&'static str),
}

impl Value {
    pub(super) fn write_plain(&self, text: &mut String) {
        let _ = match self {
            Value::Text(value) => text.write_str(value),
            Value::Code(code) => write!(text, "{:03}", code.unwrap_or(0)),
            Value::Number(number) => write!(text, "{number}"),
            Value::Ratio(ratio) => write!(text, "{ratio:.2}"),
            Value::Time(time) => text.write_str(&units::seconds(*time)),
            Value::Missing(stand_in) => text.write_str(stand_in),
        };
    }

    pub(super) fn write_json(&self, text: &mut String) {
        match self {
            Value::Text(value) => quote(value, text),
            Value::Code(code) => text.push_str(&code.unwrap_or(0).to_string()),
            Value::Missing(_) => text.push_str("null"),
            _ => self.write_plain(text),
        }
    }
}

/// The value of the variable of this name, when there is such a variable.
pub(super) fn of(name: &str, facts: &Facts) -> Option<Value> {
    let at = VARIABLES.binary_search_by_key(&name, |(known, _)| known).ok()?;
    Some(VARIABLES[at].1(facts))
}

/// A name, and what finds its value.
type Variable = (&'static str, fn(&Facts) -> Value);

/// Every variable that has a value, in alphabetical order, as `%{json}` shows them.
///
/// Ours among curl's: `compression_ratio`, `content_coding`, `num_tokens`, `size_body`, `time_compress`,
/// `time_first_event`, `time_first_token`, `time_last_token`, `time_longest_gap`, `time_median_gap`, `tls_cipher`,
/// `tls_version`, `tokens_burst`, `tokens_per_second`, `tokens_source`, `tokens_unseen`.
pub(super) const VARIABLES: &[Variable] = &[
    ("certs", |f| Value::Text(certificates(f.transfer))),
    ("compression_ratio", |f| f.transfer.compression_ratio().map_or(Value::Missing("0.00"), Value::Ratio)),
    ("conn_id", |f| f.transfer.connection_id.map_or(Value::Number(-1), number)),
    ("content_coding", |f| Value::Text(f.transfer.coding.name().into())),
    ("content_type", |f| text(f.transfer.field("content-type"))),
    ("errormsg", |f| text(f.transfer.outcome.as_ref().err().map(|error| error.message.as_str()))),
    ("exitcode", |f| number(f.transfer.outcome.as_ref().err().map_or(0, |error| error.kind.code()))),
    ("filename_effective", |f| text(f.transfer.filename_effective.as_ref().map(|path| path.to_string_lossy()))),
    ("ftp_entry_path", |_| Value::Missing("")),
    ("http_code", |f| Value::Code(f.transfer.status)),
    ("http_connect", |f| Value::Code(f.transfer.http_connect)),
    ("http_version", |f| Value::Text(f.transfer.http_version.trim_end_matches(".0").into())),
    ("local_ip", |f| address(f.transfer.local)),
    ("local_port", |f| port(f.transfer.local)),
    ("method", |f| Value::Text(f.transfer.method.clone())),
    ("num_certs", |f| number(f.transfer.tls.as_ref().map_or(0, |tls| tls.certificates.len() as u64))),
    ("num_connects", |f| number(f.transfer.num_connects)),
    ("num_headers", |f| number(f.transfer.fields.len() as u64)),
    ("num_redirects", |f| number(f.transfer.num_redirects)),
    ("num_retries", |f| number(f.transfer.num_retries)),
    ("num_tokens", |f| f.transfer.tokens.as_ref().map_or(Value::Missing("0"), |tokens| number(tokens.count))),
    ("proxy_ssl_verify_result", |_| Value::Number(0)),
    ("proxy_used", |f| number(f.transfer.proxy_used)),
    ("redirect_url", |f| text(f.transfer.redirect_url.as_ref())),
    ("referer", |f| text(f.transfer.referer.as_ref())),
    ("remote_ip", |f| address(f.transfer.remote)),
    ("remote_port", |f| port(f.transfer.remote)),
    ("response_code", |f| Value::Code(f.transfer.status)),
    ("scheme", |f| Value::Text(f.transfer.scheme.into())),
    ("size_body", |f| number(f.transfer.size_body)),
    ("size_delivered", |f| number(f.transfer.size_delivered)),
    ("size_download", |f| number(f.transfer.size_download)),
    ("size_header", |f| number(f.transfer.size_header)),
    ("size_request", |f| number(f.transfer.size_request)),
    ("size_upload", |f| number(f.transfer.size_upload)),
    ("speed_download", |f| speed(f.transfer.size_download, f.transfer)),
    ("speed_upload", |f| speed(f.transfer.size_upload, f.transfer)),
    ("ssl_verify_result", |f| number(verify_result(f.transfer))),
    ("time_appconnect", |f| time(f.transfer.timings.appconnect)),
    ("time_compress", |f| our_time(f.transfer.timings.compress)),
    ("time_connect", |f| time(f.transfer.timings.connect)),
    ("time_first_event", |f| our_time(f.transfer.timings.first_event)),
    ("time_first_token", |f| our_time(f.transfer.timings.first_token)),
    ("time_last_token", |f| our_time(f.transfer.timings.last_token)),
    ("time_longest_gap", |f| our_time(f.transfer.tokens.as_ref().and_then(|tokens| tokens.longest_gap))),
    ("time_median_gap", |f| our_time(f.transfer.tokens.as_ref().and_then(|tokens| tokens.median_gap))),
    ("time_namelookup", |f| time(f.transfer.timings.namelookup)),
    ("time_posttransfer", |f| time(f.transfer.timings.posttransfer)),
    ("time_pretransfer", |f| time(f.transfer.timings.pretransfer)),
    // Nothing waits in a queue here.
    ("time_queue", |_| time(None)),
    ("time_redirect", |f| time(f.transfer.timings.redirect)),
    ("time_starttransfer", |f| time(f.transfer.timings.starttransfer)),
    ("time_total", |f| time(f.transfer.timings.total)),
    ("tls_cipher", |f| text(f.transfer.tls.as_ref().map(|tls| tls.cipher.as_str()))),
    ("tls_earlydata", |_| Value::Number(0)),
    ("tls_version", |f| text(f.transfer.tls.as_ref().map(|tls| tls.version))),
    ("tokens_burst", |f| f.transfer.tokens.as_ref().map_or(Value::Missing("0"), |tokens| number(tokens.burst))),
    ("tokens_per_second", |f| f.transfer.tokens_per_second().map_or(Value::Missing("0.00"), Value::Ratio)),
    ("tokens_source", |f| text(f.transfer.tokens.as_ref().map(tokens_source))),
    ("tokens_unseen", |f| f.transfer.tokens.as_ref().map_or(Value::Missing("0"), |tokens| number(tokens.unseen))),
    ("url", |f| Value::Text(f.transfer.url.clone())),
    ("url.fragment", |f| text((f.url_part)(false, "fragment"))),
    ("url.host", |f| text((f.url_part)(false, "host"))),
    ("url.options", |f| text((f.url_part)(false, "options"))),
    ("url.password", |f| text((f.url_part)(false, "password"))),
    ("url.path", |f| text((f.url_part)(false, "path"))),
    ("url.port", |f| text((f.url_part)(false, "port"))),
    ("url.query", |f| text((f.url_part)(false, "query"))),
    ("url.scheme", |f| text((f.url_part)(false, "scheme"))),
    ("url.user", |f| text((f.url_part)(false, "user"))),
    ("url.zoneid", |f| text((f.url_part)(false, "zoneid"))),
    ("url_effective", |f| Value::Text(f.transfer.url_effective.clone())),
    ("urle.fragment", |f| text((f.url_part)(true, "fragment"))),
    ("urle.host", |f| text((f.url_part)(true, "host"))),
    ("urle.options", |f| text((f.url_part)(true, "options"))),
    ("urle.password", |f| text((f.url_part)(true, "password"))),
    ("urle.path", |f| text((f.url_part)(true, "path"))),
    ("urle.port", |f| text((f.url_part)(true, "port"))),
    ("urle.query", |f| text((f.url_part)(true, "query"))),
    ("urle.scheme", |f| text((f.url_part)(true, "scheme"))),
    ("urle.user", |f| text((f.url_part)(true, "user"))),
    ("urle.zoneid", |f| text((f.url_part)(true, "zoneid"))),
    ("urlnum", |_| Value::Number(0)),
    ("xfer_id", |_| Value::Number(0)),
];

/// Where `num_tokens` is from: the server's `usage`, or the token `events`, which were counted here.
fn tokens_source(tokens: &Tokens) -> &'static str {
    if tokens.reported { "usage" } else { "events" }
}

fn text(value: Option<impl Into<String>>) -> Value {
    value.map_or(Value::Missing(""), |value| Value::Text(value.into()))
}

fn number(value: impl Into<i128>) -> Value {
    Value::Number(value.into())
}

/// A moment of curl's: 0 when it was not reached, in JSON too.
fn time(moment: Option<Duration>) -> Value {
    Value::Time(moment.unwrap_or_default())
}

/// A moment of ours: looks like curl's, and JSON tells "never" from "at once".
fn our_time(moment: Option<Duration>) -> Value {
    moment.map_or(Value::Missing("0.000000"), Value::Time)
}

/// Empty without a connection, in JSON too.
fn address(end: Option<SocketAddr>) -> Value {
    Value::Text(end.map(|end| end.ip().to_string()).unwrap_or_default())
}

fn port(end: Option<SocketAddr>) -> Value {
    end.map_or(Value::Number(-1), |end| number(end.port()))
}

/// OpenSSL's numbers: 0 trusted, 20 no known issuer, 1 for what ended a handshake for whatever reason.
fn verify_result(transfer: &Transfer) -> u32 {
    let refused = transfer.outcome.as_ref().is_err_and(|error| error.kind == Kind::Certificate);
    if refused { 1 } else { transfer.tls.as_ref().map_or(0, Tls::verify_result) }
}

/// Bytes per second over the whole transfer, rounded down.
fn speed(bytes: u64, transfer: &Transfer) -> Value {
    let microseconds = transfer.timings.total.unwrap_or_default().as_micros().max(1);
    Value::Number(i128::try_from(u128::from(bytes) * 1_000_000 / microseconds).unwrap_or(i128::MAX))
}

/// The chain in PEM (RFC 7468). curl puts the names and dates of each in front of it; a PEM reader skips those.
fn certificates(transfer: &Transfer) -> String {
    let mut text = String::new();
    for certificate in transfer.tls.iter().flat_map(|tls| &tls.certificates) {
        text.push_str("-----BEGIN CERTIFICATE-----\n");
        for line in certificate.chunks(48) {
            text.push_str(&base64(line));
            text.push('\n');
        }
        text.push_str("-----END CERTIFICATE-----\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_alphabetical_order_as_the_search_and_curl_have_them() {
        assert!(VARIABLES.is_sorted_by(|(before, _), (after, _)| before < after));
    }
}
