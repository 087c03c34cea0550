//! From the text of a URL to its parts: what curl accepts, normalises and refuses.

use std::net::{Ipv4Addr, Ipv6Addr};

use super::{Scheme, Url};
use crate::error::{Error, Kind, Result};

/// curl refuses longer scheme names.
const SCHEME_MAX: usize = 40;

/// Longer names do not exist (RFC 1035, section 2.3.4).
const HOST_MAX: usize = 255;

/// curl refuses longer zones.
const ZONE_MAX: usize = 15;

fn malformed(reason: impl std::fmt::Display) -> Error {
    Error::new(Kind::Url, format!("malformed URL: {reason}"))
}

/// A URL of the command line.
pub(super) fn given(text: &str, default: Option<Scheme>, path_as_is: bool) -> Result<Url> {
    refuse_control(text)?;
    // curl refuses blanks; in path and query there is only one thing that they can mean.
    let authority = text.find("://").map_or(0, |at| at + 3);
    let path = text[authority..].find(['/', '?', '#']).map_or(text.len(), |at| authority + at);
    if let Some(at) = text[..path].find(' ') {
        return Err(malformed(format_args!("blank at column {}", text[..at].chars().count() + 1)));
    }
    let encoded = text.replace(' ', "%20");
    let (given, text) = (text, encoded.as_str());
    // `localhost:8080` is host and port: without a slash behind the colon there is no scheme.
    let (name, rest) = match scheme(text).filter(|(_, rest)| rest.starts_with('/')) {
        Some((name, rest)) => (Some(name), after_slashes(rest)?),
        None => (default.map(Scheme::name), text),
    };
    let scheme = name.map_or(Ok(Scheme::Http), known)?;
    let url = split(scheme, name.is_some(), rest)?;
    let path = if path_as_is { url.path } else { without_dots(&url.path) };
    Ok(Url { given: given.to_owned(), path, ..url })
}

/// The absolute text of a redirect's target, which is encoded where a server did not do it.
pub(super) fn redirect(text: &str, path_as_is: bool) -> Result<Url> {
    refuse_control(text)?;
    let (name, rest) = scheme(text).ok_or_else(|| malformed("no scheme"))?;
    let scheme = known(name)?;
    let rest = after_slashes(rest)?;
    let (authority, rest) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    let (userinfo, host) = authority.split_at(authority.find('@').unwrap_or(0));
    let url = split(scheme, true, &format!("{}{host}{rest}", encode(userinfo, "%20")))?;
    let path = encode(&url.path, "%20");
    Ok(Url {
        path: if path_as_is { path } else { without_dots(&path) },
        query: url.query.map(|query| encode(&query, "+")),
        fragment: url.fragment.map(|fragment| encode(&fragment, "%20")),
        ..url
    })
}

/// The scheme's name and what follows its colon (RFC 3986, section 3.1).
pub(super) fn scheme(text: &str) -> Option<(&str, &str)> {
    let (name, rest) = text.split_once(':')?;
    let fits = name.len() <= SCHEME_MAX
        && name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
    fits.then_some((name, rest))
}

/// Percent-encodes what cannot stand in a request line; everything else stays, as in curl.
pub(crate) fn encode(text: impl AsRef<[u8]>, blank: &str) -> String {
    let mut encoded = String::with_capacity(text.as_ref().len());
    for &byte in text.as_ref() {
        match byte {
            b' ' => encoded += blank,
            b'!'..=b'~' => encoded.push(char::from(byte)),
            _ => encoded.extend(['%', hex_digit(byte >> 4), hex_digit(byte & 0xf)]),
        }
    }
    encoded
}

fn hex_digit(nibble: u8) -> char {
    char::from(b"0123456789ABCDEF"[usize::from(nibble)])
}

fn refuse_control(text: &str) -> Result<()> {
    match text.bytes().find(u8::is_ascii_control) {
        Some(byte) => Err(malformed(format_args!("control character 0x{byte:02x}"))),
        None => Ok(()),
    }
}

fn known(name: &str) -> Result<Scheme> {
    Scheme::from_name(name).ok_or_else(|| {
        let message = format!("protocol {} is not supported: gzpost speaks http and https", name.to_ascii_lowercase());
        Error::new(Kind::UnsupportedProtocol, message)
    })
}

fn after_slashes(rest: &str) -> Result<&str> {
    let authority = rest.trim_start_matches('/');
    match rest.len() - authority.len() {
        1..=3 => Ok(authority),
        count => Err(malformed(format_args!("{count} slashes behind the scheme where two belong"))),
    }
}

/// Everything behind the scheme; `given` is left empty and the path keeps its dot segments.
fn split(scheme: Scheme, has_scheme: bool, rest: &str) -> Result<Url> {
    let (authority, rest) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    let (rest, fragment) = rest.split_once('#').map_or((rest, None), |(rest, fragment)| (rest, Some(fragment)));
    let (path, query) = rest.split_once('?').map_or((rest, None), |(path, query)| (path, Some(query)));

    let (userinfo, host_port) =
        authority.split_once('@').map_or((None, authority), |(info, host_port)| (Some(info), host_port));
    let (host_text, port_text) = split_port(host_port)?;
    if host_text.is_empty() {
        return Err(malformed("no host"));
    }
    let port = port_text.map_or(Ok(None), |text| port(text, has_scheme))?;
    let (host, zone) = host(host_text)?;
    let (user, password) = userinfo.map_or(Ok((None, None)), credentials)?;
    Ok(Url {
        given: String::new(),
        scheme,
        userinfo: userinfo.map(str::to_owned),
        user,
        password,
        host,
        zone,
        port,
        path: if path.is_empty() { "/" } else { path }.to_owned(),
        query: query.map(str::to_owned),
        fragment: fragment.map(str::to_owned),
    })
}

fn credentials(userinfo: &str) -> Result<(Option<String>, Option<String>)> {
    let plain = |text: &str| {
        String::from_utf8(percent_decoded(text)).map_err(|_| malformed("user or password is not UTF-8 once decoded"))
    };
    match userinfo.split_once(':') {
        Some((user, password)) => Ok((Some(plain(user)?), Some(plain(password)?))),
        None => Ok((Some(plain(userinfo)?), None)),
    }
}

fn split_port(host_port: &str) -> Result<(&str, Option<&str>)> {
    if !host_port.starts_with('[') {
        return Ok(host_port.split_once(':').map_or((host_port, None), |(host, port)| (host, Some(port))));
    }
    let end = host_port.find(']').ok_or_else(|| malformed("no ] behind the IPv6 address"))?;
    match host_port.split_at(end + 1) {
        (host, "") => Ok((host, None)),
        (host, rest) => {
            let port = rest.strip_prefix(':').ok_or_else(|| malformed("no colon between ] and the port"))?;
            Ok((host, Some(port)))
        }
    }
}

/// Names the text only when it is a number: anything else may be part of a password with an `@` or `/` in it.
fn port(text: &str, has_scheme: bool) -> Result<Option<u16>> {
    if text.is_empty() && has_scheme {
        return Ok(None);
    }
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        let hint = "in a user name or password, write @ / ? # : as %40 %2F %3F %23 %3A";
        return Err(malformed(format_args!("no port number behind the host's colon ({hint})")));
    }
    text.parse().map(Some).map_err(|_| malformed(format_args!("port {text} is above 65535")))
}

/// The host and its zone: decoded, addresses in their usual form, names in their own case.
fn host(text: &str) -> Result<(String, Option<String>)> {
    let decoded = String::from_utf8(percent_decoded(text))
        .ok()
        .filter(|host| host.is_ascii())
        .ok_or_else(|| malformed(format_args!("host {text} is not ASCII; write its xn-- form")))?;
    if let Some(address) = decoded.strip_prefix('[') {
        return ipv6(address.strip_suffix(']').unwrap_or(address));
    }
    if let Some(address) = ipv4(&decoded) {
        return Ok((address.to_string(), None));
    }
    let bad = |byte: u8| byte.is_ascii_control() || br#" /:#?!@{}[]\$'"^`*<>=;,+&()%|"#.contains(&byte);
    match decoded.bytes().find(|byte| bad(*byte)) {
        // A second `@` puts the end of a password here: its text is not shown.
        Some(b'@') => Err(malformed("more than one @ before the path; inside user and password write %40")),
        Some(b'\\') => Err(malformed("backslash in the host; slashes separate the parts")),
        Some(byte) => Err(malformed(format_args!("character {:?} in the host", char::from(byte)))),
        None if decoded.len() > HOST_MAX => Err(malformed(format_args!("the host is longer than {HOST_MAX} bytes"))),
        None if decoded == "." || decoded.ends_with("..") => Err(malformed("host ends in an empty label")),
        None => Ok((decoded, None)),
    }
}

fn ipv6(text: &str) -> Result<(String, Option<String>)> {
    let (address, zone) = text.split_once('%').map_or((text, None), |(address, zone)| (address, Some(zone)));
    let address: Ipv6Addr =
        address.parse().map_err(|_| malformed(format_args!("[{}] is no IPv6 address", address.escape_default())))?;
    // Percent-decoding has made `%25eth0` `%eth0`; who encoded twice still means eth0.
    let zone = zone.map(|zone| zone.strip_prefix("25").filter(|rest| !rest.is_empty()).unwrap_or(zone));
    let fits = |zone: &str| {
        (1..=ZONE_MAX).contains(&zone.len())
            && zone.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte))
    };
    if zone.is_some_and(|zone| !fits(zone)) {
        return Err(malformed("the zone of the IPv6 address is no interface"));
    }
    Ok((address.to_string(), zone.map(str::to_owned)))
}

/// The numeric forms of old: one to four numbers, decimal, octal or hexadecimal, the last one filling the rest.
fn ipv4(text: &str) -> Option<Ipv4Addr> {
    let text = text.strip_suffix('.').unwrap_or(text);
    let numbers = text.split('.').map(number).collect::<Option<Vec<u32>>>()?;
    let (&last, leading) = numbers.split_last()?;
    let room = 32 - 8 * u32::try_from(leading.len()).ok().filter(|count| *count < 4)?;
    if u64::from(last) >= 1 << room || leading.iter().any(|number| *number > 255) {
        return None;
    }
    let leading = leading.iter().enumerate().map(|(index, number)| number << (24 - 8 * index));
    Some(Ipv4Addr::from(leading.sum::<u32>() + last))
}

fn number(text: &str) -> Option<u32> {
    let (digits, radix) = match text.as_bytes() {
        [b'0', b'x' | b'X', ..] => (&text[2..], 16),
        [b'0', ..] => (text, 8),
        _ => (text, 10),
    };
    // `from_str_radix` would take a plus sign.
    digits.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| u32::from_str_radix(digits, radix).ok())?
}

/// RFC 3986, section 5.2.4; `%2e` counts as a dot.
fn without_dots(path: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    let mut segments = path.split('/').skip(1).peekable();
    while let Some(segment) = segments.next() {
        let dots = match segment.to_ascii_lowercase().replace("%2e", ".").as_str() {
            "." => 1,
            ".." => 2,
            _ => 0,
        };
        if dots == 0 {
            kept.push(segment);
            continue;
        }
        if dots == 2 {
            kept.pop();
        }
        if segments.peek().is_none() {
            kept.push("");
        }
    }
    format!("/{}", kept.join("/"))
}

/// A `%` without two hexadecimal digits behind it is left alone.
fn percent_decoded(text: &str) -> Vec<u8> {
    let hex = |byte: &u8| char::from(*byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let mut decoded = Vec::with_capacity(text.len());
    let mut bytes = text.as_bytes();
    while let [first, rest @ ..] = bytes {
        let pair = match rest {
            [high, low, ..] if *first == b'%' => hex(high).zip(hex(low)),
            _ => None,
        };
        decoded.push(pair.map_or(*first, |(high, low)| high * 16 + low));
        bytes = if pair.is_some() { &rest[2..] } else { rest };
    }
    decoded
}
