//! Tests of `Url`: what curl 8 does with the same text.

use arbtest::arbitrary::{Result as Drawn, Unstructured};
use arbtest::arbtest;

use super::*;
use crate::error::Kind;

fn url(text: &str) -> Url {
    Url::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn refusal(text: &str) -> (u8, String) {
    let error = Url::parse(text).expect_err(text);
    (error.kind.code(), error.message)
}

fn check_effective(pairs: &[(&str, &str)]) {
    for (text, effective) in pairs {
        assert_eq!(url(text).effective(), *effective, "{text}");
    }
}

#[test]
fn hosts_are_normalised_as_in_curl() {
    check_effective(&[
        // Blanks, which curl refuses.
        ("h/a b?c d", "http://h/a%20b?c%20d"),
        // Scheme and slashes.
        ("example.com", "http://example.com/"),
        ("HtTpS://example.com/X", "https://example.com/X"),
        ("http:/example.com/x", "http://example.com/x"),
        ("http:///example.com/x", "http://example.com/x"),
        ("about:80", "http://about:80/"),
        ("ftp.example.com/x", "http://ftp.example.com/x"),
        // Host.
        ("http://HO0_-st..~./", "http://HO0_-st..~./"),
        ("http://localHOST", "http://localHOST/"),
        ("http://%6cocalhost/", "http://localhost/"),
        ("http://example.com./", "http://example.com./"),
        ("http://-atest/", "http://-atest/"),
        // Old forms of IPv4, and names that only look like them.
        ("127.1", "http://127.0.0.1/"),
        ("0x7f.1", "http://127.0.0.1/"),
        ("0X7F.1", "http://127.0.0.1/"),
        ("2130706433", "http://127.0.0.1/"),
        ("0177.1", "http://127.0.0.1/"),
        ("%30%31%37%37%2e%31", "http://127.0.0.1/"),
        ("127.0.0.1.:80", "http://127.0.0.1:80/"),
        ("192.0x0000A80001", "http://192.168.0.1/"),
        ("0xff.0xff.0377.255", "http://255.255.255.255/"),
        ("0111.02.030.", "http://73.2.0.24/"),
        ("0", "http://0.0.0.0/"),
        ("1.0xffffff", "http://1.255.255.255/"),
        ("1.0x1000000", "http://1.0x1000000/"),
        ("4294967296", "http://4294967296/"),
        ("08", "http://08/"),
        ("0x", "http://0x/"),
        ("0xg", "http://0xg/"),
        ("1.2.3.256", "http://1.2.3.256/"),
        ("1.2.3.4.5", "http://1.2.3.4.5/"),
        ("127.-0.0.1", "http://127.-0.0.1/"),
        ("10.com", "http://10.com/"),
        // IPv6.
        ("[0:0:0:0:0:0:0:1]", "http://[::1]/"),
        ("https://[FE80:0:A:0:409B:0:0:0]:80/moo", "https://[fe80:0:a:0:409b::]:80/moo"),
        ("https://[::FFFF:7f00:0001]:1234", "https://[::ffff:127.0.0.1]:1234/"),
        ("https://[fe80%3A%3A20c%3A409b]/", "https://[fe80::20c:409b]/"),
        ("http://[fe80::1%25eth0]/", "http://[fe80::1%25eth0]/"),
        ("http://[fe80::1%eth0]:1234", "http://[fe80::1%25eth0]:1234/"),
        ("http://[::1%252]", "http://[::1%252]/"),
    ]);
}

#[test]
fn other_parts_stay_as_in_curl() {
    check_effective(&[
        ("http://h:80/", "http://h:80/"),
        ("http://h:/", "http://h/"),
        ("http://h:00080/", "http://h:80/"),
        ("http://h:0", "http://h:0/"),
        ("http://h:65535", "http://h:65535/"),
        // User info stays as written.
        ("http://u%20s:p%3Aw@h/", "http://u%20s:p%3Aw@h/"),
        ("http://@h", "http://@h/"),
        ("http://:pw@h", "http://:pw@h/"),
        ("http://u;x=1:p;y@h", "http://u;x=1:p;y@h/"),
        // Path, query, fragment.
        ("http://h?q", "http://h/?q"),
        ("http://h/?", "http://h/?"),
        ("http://h#f", "http://h/#f"),
        ("http://h/a?b?c#d#e", "http://h/a?b?c#d#e"),
        ("http://h/a/../b/./c", "http://h/b/c"),
        ("http://h/a/.%2E/b", "http://h/b"),
        ("http://h/a/%2e%2e", "http://h/"),
        ("http://h/../../a", "http://h/a"),
        ("http://h/a/.", "http://h/a/"),
        ("http://h/...", "http://h/..."),
        ("http://h//a//../b", "http://h//a/b"),
        ("http://h/a?/../b", "http://h/a?/../b"),
        ("http://h/%2f..%2f%zz%", "http://h/%2f..%2f%zz%"),
        ("http://h/a|b\"c<>{}^`\\", "http://h/a|b\"c<>{}^`\\"),
    ]);
}

#[test]
fn refuses_with_a_reason() {
    for (text, code, reason) in [
        ("ftp://h/", 1, "protocol ftp is not supported: gzpost speaks http and https"),
        ("FOO+x.1://h", 1, "protocol foo+x.1 is not supported: gzpost speaks http and https"),
        ("", 3, "no host"),
        ("http://", 3, "no host"),
        ("http://?q=1", 3, "no host"),
        ("http://u:p@/x", 3, "no host"),
        ("https://::1/", 3, "no host"),
        ("http:////h/", 3, "4 slashes"),
        ("http:h", 3, "no port number"),
        ("h:", 3, "no port number"),
        ("h:x/", 3, "no port number"),
        ("http://h:-1", 3, "no port number"),
        ("http://h:65536/", 3, "port 65536 is above 65535"),
        ("http://h:99999999999999999999/", 3, "port 99999999999999999999 is above 65535"),
        ("https://fe80:8080::1/", 3, "no port number"),
        ("http://h b/", 3, "blank at column 9"),
        (" http://h/", 3, "blank at column 1"),
        ("http://h/a\tb", 3, "control character 0x09"),
        ("http://h/a\r\nX: y", 3, "control character 0x0d"),
        ("http://h/\x7f", 3, "control character 0x7f"),
        ("http://h%0a/", 3, "in the host"),
        ("http://h%40x/", 3, "more than one @"),
        ("http://a:b@c:d@h/", 3, "no port number"),
        ("http://a@b@h/", 3, "more than one @"),
        ("http://exam|ple/", 3, "character '|' in the host"),
        ("http://test%test", 3, "character '%' in the host"),
        ("http:\\\\h", 3, "no port number"),
        ("http://h\\x", 3, "backslash in the host"),
        ("http://h../", 3, "empty label"),
        ("http://./", 3, "empty label"),
        ("http://127.1../", 3, "empty label"),
        ("http://m\u{fc}nchen.example/", 3, "host m\u{fc}nchen.example is not ASCII; write its xn-- form"),
        ("http://_%c0_/", 3, "not ASCII"),
        ("http://[::1", 3, "no ] behind"),
        ("http://[::1]80/", 3, "no colon between ]"),
        ("http://[ab.be]/x", 3, "[ab.be] is no IPv6 address"),
        ("http://[v1.fe80::abcd]/", 3, "is no IPv6 address"),
        ("http://[fe80::1%]/", 3, "zone"),
        ("http://[fe80::1%2500000000000000000]/", 3, "zone"),
        ("http://u%ff@h/", 3, "not UTF-8"),
    ] {
        let (found, message) = refusal(text);
        assert_eq!(found, code, "{text:?}: {message}");
        assert!(message.contains(reason), "{text:?}: {message}");
    }
}

#[test]
fn messages_hold_no_password() {
    for text in ["http://u:sec@ret@h/", "http://u:sec/ret@h/", "http://u:sec?ret@h/", "http://u:sec ret@h:1/"] {
        let (_, message) = refusal(text);
        assert!(!message.contains("sec") && !message.contains("ret"), "{text}: {message}");
    }
    let secret = url("http://user:se%40cret@h:1/x?y#z");
    assert_eq!(secret.redacted(), "http://user:<redacted>@h:1/x?y#z");
    assert_eq!(format!("{secret:?}"), "Url(http://user:<redacted>@h:1/x?y#z)");
    assert_eq!(url("http://user@h").redacted(), "http://<redacted>@h/");
}

#[test]
fn default_scheme_holds_only_without_one() {
    let https = |text| Url::parse_with(text, Some(Scheme::Https), false).expect(text).effective();
    assert_eq!(https("h/x"), "https://h/x");
    assert_eq!(https("h:"), "https://h/");
    assert_eq!(https("http://h"), "http://h/");
}

#[test]
fn path_as_is_keeps_dot_segments() {
    let as_is = |text| Url::parse_with(text, None, true).expect(text).target();
    assert_eq!(as_is("http://h/a/../b"), "/a/../b");
    assert_eq!(as_is("http://h"), "/");
    assert_eq!(as_is("http://h/.."), "/..");
}

#[test]
fn user_info_is_decoded() {
    let login = |text| {
        let url = url(text);
        (url.user, url.password)
    };
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(login("http://u%20s:p%3Aw%@h"), (some("u s"), some("p:w%")));
    assert_eq!(login("http://u:a:b@h"), (some("u"), some("a:b")));
    assert_eq!(login("http://u@h"), (some("u"), None));
    assert_eq!(login("http://:@h"), (some(""), some("")));
    assert_eq!(login("http://@h"), (some(""), None));
    assert_eq!(login("http://h"), (None, None));
}

#[test]
fn wire_forms() {
    for (text, host, target) in [
        ("http://localHOST:80/", "localHOST", "/"),
        ("https://h:443/x?", "h", "/x?"),
        ("https://h:80/x#f", "h:80", "/x"),
        ("http://[fe80::1%25eth0]:81/", "[fe80::1]:81", "/"),
        ("http://u:p@h?a=b", "h", "/?a=b"),
        ("http://h/\u{e4}?\u{f6}%e4", "h", "/%C3%A4?%C3%B6%e4"),
    ] {
        let url = url(text);
        assert_eq!(url.host_header(), host, "{text}");
        assert_eq!(url.target(), target, "{text}");
        assert_eq!(url.absolute(), format!("{}://{host}{target}", url.scheme.name()), "{text}");
    }
}

#[test]
fn origins_compare_by_scheme_host_and_port() {
    let origin = |text| url(text).origin();
    assert_eq!(origin("http://H/x"), origin("http://u:p@h:80/y?z"));
    assert_ne!(origin("http://h/"), origin("https://h/"));
    assert_ne!(origin("http://h/"), origin("http://h:81/"));
    assert_ne!(origin("http://h/"), origin("http://h.x/"));
    assert_ne!(origin("http://[fe80::1%25a]/"), origin("http://[fe80::1%25b]/"));
}

#[test]
fn query_is_added_behind_the_one_there() {
    let added = |text, data| url(text).with_query_added(data).map(|url| (url.effective(), url.given));
    let ok = |effective: &str, given: &str| Ok((effective.to_owned(), given.to_owned()));
    assert_eq!(added("h/x?y#z", "a=%2f"), ok("http://h/x?y&a=%2f#z", "h/x?y&a=%2f#z"));
    assert_eq!(added("http://h/x?y&", "a"), ok("http://h/x?y&a", "http://h/x?y&a"));
    assert_eq!(added("http://h/x?", "a"), ok("http://h/x?a", "http://h/x?a"));
    assert_eq!(added("http://h/x", ""), ok("http://h/x", "http://h/x"));
    assert_eq!(added("h:81", "a"), ok("http://h:81/?a", "h:81/?a"));
    assert_eq!(added("http://h/", "a b"), ok("http://h/?a%20b", "http://h/?a b"));
    assert_eq!(added("http://h/", "a\nb").map_err(|error| error.kind), Err(Kind::Url));
}

#[test]
fn remote_name_is_the_last_segment_with_a_name() {
    let name = |text| url(text).remote_name().map(str::to_owned);
    assert_eq!(name("http://h/a/b.json?c/d#e/f"), Some("b.json".to_owned()));
    assert_eq!(name("http://h/dir//"), Some("dir".to_owned()));
    assert_eq!(name("http://h/a\\b"), Some("b".to_owned()));
    assert_eq!(name("http://h"), None);
}

#[test]
fn parts_have_curls_names() {
    let full = url("https://u%20s:p%40@[fe80::1%25eth0]/p?q#f");
    let parts = ["scheme", "user", "password", "options", "host", "port", "path", "query", "fragment", "zoneid"];
    let found: Vec<_> = parts.iter().map(|part| full.part(part).unwrap_or("-".to_owned())).collect();
    assert_eq!(found, ["https", "u%20s", "p%40", "-", "[fe80::1]", "443", "/p", "q", "f", "eth0"]);
    let bare = url("h:81?#");
    let found: Vec<_> = parts.iter().map(|part| bare.part(part).unwrap_or("-".to_owned())).collect();
    assert_eq!(found, ["http", "-", "-", "-", "h", "81", "/", "-", "-", "-"]);
}

#[test]
fn redirects_resolve_as_in_curl() {
    for (base, location, target) in [
        ("http://u:p@h:81/path?query#frag", "", "http://u:p@h:81/path?query"),
        ("http://h/want/1", "//other.example/reply/1", "http://other.example/reply/1"),
        ("https://h/want/1", "//other.example/reply/1", "https://other.example/reply/1"),
        ("http://h/", "///other/../x/../../", "http://other/"),
        ("http://h/want?uri=http://x/2?y/3", "data/2.txt?c=http://z/?a/2", "http://h/data/2.txt?c=http://z/?a/2"),
        ("http://h/", ".%2e/path/././../%2E/./../moo", "http://h/moo"),
        ("http://h?bar/moo", "?weird", "http://h/?weird"),
        ("http://h/foo?bar#yes/path", "#new/slash", "http://h/foo?bar#new/slash"),
        ("http://h/foo/bar", ":23", "http://h/foo/:23"),
        ("http://h/foo/bar", "\\x", "http://h/foo/\\x"),
        ("http://h/foo/bar", "?#", "http://h/foo/bar?#"),
        ("http://h/path?#", "sub", "http://h/sub"),
        ("http://h/p", "http://o/a/../tes t case=/%T2? yes no", "http://o/tes%20t%20case=/%T2?+yes+no"),
        ("http://h/p", " /a b#c d ", "http://h/a%20b#c%20d"),
        ("http://h/p", "/\u{e4}?\u{f6}", "http://h/%C3%A4?%C3%B6"),
        ("http://h/p", "http://o:80?-123", "http://o:80/?-123"),
        ("http://h/p", "HTTPS://o", "https://o/"),
        ("http://h/p", "http://a b:c@o/", "http://a%20b:c@o/"),
        ("http://u:foo@h/path?query#frag", "../../new", "http://u:foo@h/new"),
    ] {
        let joined = url(base).join(location, false).unwrap_or_else(|error| panic!("{base} {location}: {error}"));
        assert_eq!(joined.effective(), target, "{base} {location}");
        assert_eq!(joined.given, base);
    }
}

#[test]
fn redirects_to_elsewhere_are_refused() {
    let base = url("http://h/p");
    for (location, kind) in [
        ("ftp://h/", Kind::UnsupportedProtocol),
        ("file:///etc/passwd", Kind::UnsupportedProtocol),
        ("mailto:a@b", Kind::UnsupportedProtocol),
        ("http:x", Kind::Url),
        ("http://", Kind::Url),
        ("http://a b/", Kind::Url),
        ("/a\u{1}b", Kind::Url),
        ("http://m\u{fc}nchen.example/", Kind::Url),
    ] {
        assert_eq!(base.join(location, false).map_err(|error| error.kind), Err(kind), "{location}");
    }
}

/// A text of pieces that mean something to the parser, and now and then any character.
fn drawn_text(u: &mut Unstructured<'_>) -> Drawn<String> {
    const PIECES: &[&str] = &[
        "http", "HTTPS", "ftp", ":", "/", "//", "?", "#", "@", "[", "]", "::1", "fe80::1", "%25", "%", "%2e", "%41",
        "%ff", ".", "..", "h", "A", "0x7f", "127", "1", "80", "65536", "999999", "user", "&", "=", "\\", " ", "\u{e4}",
        "\r\n", "\0", "-", "+",
    ];
    let mut text = String::new();
    for _ in 0..u.int_in_range(0..=14)? {
        if u.ratio(1, 12)? {
            text.push(u.arbitrary()?);
        } else {
            text += u.choose(PIECES)?;
        }
    }
    Ok(text)
}

#[test]
fn parsing_the_effective_url_changes_nothing() {
    let mut parsed = 0_u32;
    arbtest(|u| {
        let text = drawn_text(u)?;
        let Ok(first) = Url::parse(&text) else { return Ok(()) };
        parsed += 1;
        let again = Url::parse(&first.effective()).unwrap_or_else(|error| panic!("{text:?}: {error}"));
        assert_eq!(Url { given: text.clone(), ..again }, first, "{text:?}");
        assert!(first.target().bytes().all(|byte| byte.is_ascii_graphic()), "{text:?}");
        assert!(first.host_header().bytes().all(|byte| byte.is_ascii_graphic()), "{text:?}");
        Ok(())
    });
    assert!(parsed > 0);
}

#[test]
fn redirects_never_panic_and_give_urls() {
    let base = url("http://user:pw@h:81/a/b?q#f");
    arbtest(|u| {
        let location = drawn_text(u)?;
        let Ok(joined) = base.join(&location, false) else { return Ok(()) };
        let again = Url::parse(&joined.effective()).unwrap_or_else(|error| panic!("{location:?}: {error}"));
        assert_eq!(Url { given: base.given.clone(), ..again }, joined, "{location:?}");
        Ok(())
    });
}
