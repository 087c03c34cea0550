//! The way to the server: `--resolve`, `--connect-to`, proxies.

use std::net::IpAddr;

use super::Outside;
use super::args::Args;
use super::credentials::with_password;
use super::fields::field_lines;
use crate::error::{Error, Kind, Result};
use crate::http::url::Url;
use crate::http::{ConnectTo, Proxies, Proxy, Resolve};

/// `[+]HOST:PORT:ADDR[,ADDR]`, `-HOST:PORT`; HOST is `*`, a name, an address, an address in brackets.
pub fn resolve(given: &str) -> Result<Resolve> {
    let bad = |why: &str| syntax("--resolve", given, "[+]HOST:PORT:ADDR[,ADDR] or -HOST:PORT", why);
    let (removes, entry) = match given.strip_prefix('-') {
        Some(entry) => (true, entry),
        None => (false, given.strip_prefix('+').unwrap_or(given)),
    };
    let (host, rest) = host_and_rest(entry).ok_or_else(|| bad("no closing bracket"))?;
    let rest = rest.strip_prefix(':').ok_or_else(|| bad("no port"))?;
    let (port, addresses) = rest.split_once(':').map_or((rest, None), |(port, rest)| (port, Some(rest)));
    let port = port_number(port).ok_or_else(|| bad("the port is no number"))?;
    let addresses = match (removes, addresses) {
        (true, _) => Vec::new(),
        (false, addresses) => addresses
            .unwrap_or_default()
            .split(',')
            .filter(|address| !address.is_empty())
            .map(|address| ip_address(address).ok_or_else(|| bad(&format!("{address} is no IP address"))))
            .collect::<Result<_>>()?,
    };
    if !removes && addresses.is_empty() {
        return Err(bad("no address"));
    }
    Ok(Resolve { host: Some(host.to_lowercase()).filter(|host| host != "*"), port, addresses })
}

/// `HOST1:PORT1:HOST2:PORT2`; what is empty matches anything, or keeps what is there.
pub fn connect_to(given: &str) -> Result<ConnectTo> {
    let bad = |why: &str| syntax("--connect-to", given, "HOST1:PORT1:HOST2:PORT2", why);
    // A proxy is told the second host in a head.
    if given.contains(|letter: char| letter.is_whitespace() || letter.is_control()) {
        return Err(bad("it holds a blank or a control character"));
    }
    let (from_host, rest) = host_and_rest(given).ok_or_else(|| bad("no closing bracket"))?;
    let rest = rest.strip_prefix(':').ok_or_else(|| bad("no first port"))?;
    let (from_port, rest) = rest.split_once(':').ok_or_else(|| bad("no second host"))?;
    let (to_host, rest) = host_and_rest(rest).ok_or_else(|| bad("no closing bracket"))?;
    let to_port = match rest {
        "" => "",
        rest => rest.strip_prefix(':').ok_or_else(|| bad("no second port"))?,
    };
    let host = |host: &str| Some(host.to_lowercase()).filter(|host| !host.is_empty());
    let port = |port: &str| match port {
        "" => Ok(None),
        port => port_number(port).map(Some).ok_or_else(|| bad("a port is no number")),
    };
    Ok(ConnectTo {
        from_host: host(from_host),
        from_port: port(from_port)?,
        to_host: host(to_host),
        to_port: port(to_port)?,
    })
}

fn syntax(key: &str, given: &str, form: &str, why: &str) -> Error {
    Error::new(Kind::ResolveSyntax, format!("{key}: '{given}' is not {form}: {why}"))
}

/// Up to the first colon outside of brackets; `None` when a bracket does not close.
fn host_and_rest(text: &str) -> Option<(&str, &str)> {
    match text.strip_prefix('[') {
        Some(text) => text.split_once(']'),
        None => Some(text.split_at(text.find(':').unwrap_or(text.len()))),
    }
}

fn port_number(text: &str) -> Option<u16> {
    text.parse().ok().filter(|_| text.bytes().all(|byte| byte.is_ascii_digit()))
}

fn ip_address(text: &str) -> Option<IpAddr> {
    text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text).parse().ok()
}

/// `-x` for both schemes, else the environment's. What is named but cannot be used is an error for whoever would go
/// through it: never the direct way in silence, and no error for a host that `no_proxy` exempts.
pub fn proxies(args: &mut Args, outside: &mut Outside, warnings: &mut Vec<String>) -> Result<Proxies> {
    let user = args.text("--proxy-user")?.map(|user| with_password("--proxy-user", user, outside)).transpose()?;
    let given = args.text("--proxy")?;
    let all = || variable(outside, "all_proxy").or_else(|| variable(outside, "ALL_PROXY"));
    let (http, https) = match given {
        Some(url) => (Some(("--proxy", url.clone())), Some(("--proxy", url))),
        // HTTP_PROXY is what a CGI server makes of a `Proxy:` field: curl ignores it, and so do we.
        None => (
            variable(outside, "http_proxy").or_else(all),
            variable(outside, "https_proxy").or_else(|| variable(outside, "HTTPS_PROXY")).or_else(all),
        ),
    };
    let parse = |(key, url): (&str, String)| (!url.is_empty()).then(|| proxy(key, &url, user.as_deref()));
    let no_proxy = || variable(outside, "no_proxy").or_else(|| variable(outside, "NO_PROXY"));
    Ok(Proxies {
        http: http.and_then(parse),
        https: https.and_then(parse),
        no_proxy: args.text("--noproxy")?.or_else(|| no_proxy().map(|(_, list)| list)).unwrap_or_default(),
        tunnel: args.on("--proxytunnel"),
        fields: field_lines("--proxy-header", args, outside.stdin, warnings)?,
    })
}

fn variable<'a>(outside: &Outside, name: &'a str) -> Option<(&'a str, String)> {
    outside.variable(name).map(|value| (name, value.to_string_lossy().into_owned()))
}

/// `[http://][USER[:PASSWORD]@]HOST[:PORT]`. The URL's user goes before `-U`, as in curl. No message shows the URL,
/// which may hold a password.
fn proxy(key: &str, url: &str, user: Option<&str>) -> Result<Proxy> {
    let (scheme, http_url) = match url.split_once("://") {
        Some((scheme, rest)) => (scheme, format!("http://{rest}")),
        None => ("http", url.to_owned()),
    };
    let error = |kind, why: &str| Err(Error::new(kind, format!("{key}: {why}")));
    match scheme.to_ascii_lowercase().as_str() {
        "http" => {}
        "https" => return error(Kind::NotBuiltIn, "https:// proxies are not supported; use an http:// proxy"),
        "socks" | "socks4" | "socks4a" | "socks5" | "socks5h" => {
            return error(Kind::Socks, "SOCKS proxies are not supported; use an http:// proxy");
        }
        _ => return error(Kind::Connect, &format!("{scheme}:// is not a proxy's scheme; use an http:// proxy")),
    }
    let Ok(url) = Url::parse(&http_url) else {
        return error(Kind::ProxyName, "not a proxy; use http://HOST:PORT");
    };
    let credentials = match (&url.user, &url.password) {
        (None, None) => user.map(str::to_owned),
        (user, password) => Some([user, password].map(|part| part.clone().unwrap_or_default()).join(":")),
    };
    Ok(Proxy { host: url.host_with_zone(), port: url.port.unwrap_or(1080), credentials })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn resolve_forms() {
        for (given, host, port, addresses) in [
            ("a.example:80:127.0.0.1", Some("a.example"), 80, vec!["127.0.0.1"]),
            ("+A.Example:80:127.0.0.1", Some("a.example"), 80, vec!["127.0.0.1"]),
            ("*:443:::1", None, 443, vec!["::1"]),
            ("[::1]:8080:[::2],10.0.0.1,,", Some("::1"), 8080, vec!["::2", "10.0.0.1"]),
            ("-a.example:80", Some("a.example"), 80, vec![]),
            ("-*:80:ignored", None, 80, vec![]),
        ] {
            let expected =
                Resolve { host: host.map(str::to_owned), port, addresses: addresses.into_iter().map(ip).collect() };
            assert_eq!(resolve(given), Ok(expected), "{given}");
        }
    }

    #[test]
    fn resolve_errors_are_49() {
        for given in [
            "",
            "a",
            "a:80",
            "a:80:",
            "a:x:1.1.1.1",
            "80:a:1.1.1.1",
            "a:70000:1.1.1.1",
            "a:80:b",
            "[::1:80:1.1.1.1",
            "a:80:1.1.1.1,b",
            "-a",
            "a:+80:1.1.1.1",
        ] {
            assert_eq!(resolve(given).map_err(|error| error.kind), Err(Kind::ResolveSyntax), "{given}");
        }
    }

    #[test]
    fn connect_to_forms() {
        let text = |host: Option<&str>| host.map(str::to_owned);
        for (given, from_host, from_port, to_host, to_port) in [
            ("a:1:b:2", Some("a"), Some(1), Some("b"), Some(2)),
            ("::b:2", None, None, Some("b"), Some(2)),
            ("A::[::1]:", Some("a"), None, Some("::1"), None),
            ("[::1]:1::", Some("::1"), Some(1), None, None),
            ("a:1:b", Some("a"), Some(1), Some("b"), None),
            (":::", None, None, None, None),
        ] {
            let expected = ConnectTo { from_host: text(from_host), from_port, to_host: text(to_host), to_port };
            assert_eq!(connect_to(given), Ok(expected), "{given}");
        }
        for given in
            ["", "a", "a:1", "a:x:b:2", "::a:b", "[::1:1:b:2", "a:1:[b:2", "a:1:[b]2", "a:1:b:2:3", "a:1:b\n:2"]
        {
            assert_eq!(connect_to(given).map_err(|error| error.kind), Err(Kind::ResolveSyntax), "{given}");
        }
    }

    #[test]
    fn any_text_is_an_entry_or_an_error() {
        arbtest::arbtest(|u| {
            let text: String = (0..u.int_in_range(0..=20)?)
                .map(|_| u.choose(b"a1:[],.+-*").map(|byte| char::from(*byte)))
                .collect::<Result<_, _>>()?;
            let _ = (resolve(&text), connect_to(&text), proxy("--proxy", &text, None));
            Ok(())
        });
    }

    #[test]
    fn proxy_forms() {
        for (url, user, host, port, credentials) in [
            ("p.example", None, "p.example", 1080, None),
            ("http://p.example:3128/", None, "p.example", 3128, None),
            ("HTTP://p.example:3128", Some("u:p"), "p.example", 3128, Some("u:p")),
            ("http://f%61ke:@p.example", Some("u:p"), "p.example", 1080, Some("fake:")),
            ("u@p.example:1", None, "p.example", 1, Some("u:")),
            ("[::1]:3128", None, "::1", 3128, None),
        ] {
            let expected = Proxy { host: host.into(), port, credentials: credentials.map(str::to_owned) };
            assert_eq!(proxy("--proxy", url, user), Ok(expected), "{url}");
        }
    }

    #[test]
    fn what_is_no_http_proxy_is_an_error_without_the_password() {
        for (url, kind) in [
            ("socks5h://u:secret@h:1", Kind::Socks),
            ("SOCKS4://h", Kind::Socks),
            ("https://u:secret@h", Kind::NotBuiltIn),
            ("ftp://u:secret@h", Kind::Connect),
            ("http://u:secret@/x", Kind::ProxyName),
            ("/server", Kind::ProxyName),
            ("h:port", Kind::ProxyName),
        ] {
            let error = proxy("--proxy", url, None).unwrap_err();
            assert_eq!(error.kind, kind, "{url}");
            assert!(!error.message.contains("secret"), "{}", error.message);
        }
    }
}
