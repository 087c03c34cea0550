//! The request line, the fields and who asks.

use super::{Scratch, Setting, send, send_in};
use crate::http::FieldLine;

fn set(name: &str, value: &str) -> FieldLine {
    FieldLine::Set(name.into(), value.into())
}

#[test]
fn the_method_follows_from_the_other_options() {
    for (line, method, forced, head) in [
        ("u", "GET", false, false),
        ("u body.json", "POST", false, false),
        ("u -", "POST", false, false),
        ("u -d x", "POST", false, false),
        ("u -d ''", "POST", false, false),
        ("u --json {}", "POST", false, false),
        ("u --data-urlencode a=b", "POST", false, false),
        ("u -T file", "PUT", false, false),
        ("u -T ''", "GET", false, false),
        ("u -G", "GET", false, false),
        ("u -G -d x", "GET", false, false),
        ("u -I", "HEAD", false, true),
        ("u -I -G -d x", "HEAD", false, true),
        ("u -I --no-head", "GET", false, false),
        ("u -X PUT", "PUT", true, false),
        ("u -XPOST", "POST", true, false),
        ("u --request=PATCH -d x", "PATCH", true, false),
        ("u -X GET -d x", "GET", true, false),
        ("u -I -X GET", "GET", true, true),
        ("u -X A -X B", "B", true, false),
        ("u -X PUT --follow", "PUT", false, false),
    ] {
        let request = send(line).request;
        assert_eq!((request.method.as_str(), request.method_forced, request.head), (method, forced, head), "{line}");
    }
}

#[test]
fn the_url_may_stand_anywhere() {
    for line in [
        "http://h/p -s -d x",
        "-s http://h/p -d x",
        "-s -d x http://h/p",
        "-s -d x --url http://h/p",
        "--url=http://h/p -s -d x",
        "-sd x -- http://h/p",
        "-sdx http://h/p",
    ] {
        let send = send(line);
        assert_eq!((send.request.url.given.as_str(), send.output.silent), ("http://h/p", true), "{line}");
        assert_eq!(send.parts.len(), 1, "{line}");
    }
    assert_eq!(send("-s -- -h").request.url.given, "-h");
    assert_eq!(send("http://h/{id}").request.url.given, "http://h/id");
    assert_eq!(send("-g http://h/{id}").request.url.given, "http://h/{id}");
    assert_eq!(send("--proto-default https h/p").request.url.scheme, crate::http::url::Scheme::Https);
    assert_eq!(send("--proto-default https h/p").request.url.given, "h/p");
    assert_eq!(send("--proto-default https http://h").request.url.scheme, crate::http::url::Scheme::Http);
}

#[test]
fn values_may_look_like_options() {
    let send = send("u -H -x:1 -d -1 -A --silent -o -s");
    assert_eq!(send.request.fields, [set("-x", "1")]);
    assert_eq!(send.request.user_agent.as_deref(), Some("--silent"));
    assert_eq!(send.parts[0].source, crate::body::Source::Text(b"-1".to_vec()));
    assert!(!send.output.silent);
    assert_eq!(send.output.file.as_deref(), Some("-s".as_ref()));
    assert!(send.warnings[0].contains("looks like an option"));
}

#[test]
fn fields_keep_their_order_and_number() {
    let fields = send("u -H 'A: 1' -H B: --header 'a: 2' -H 'C;' -H nothing").request.fields;
    assert_eq!(fields, [set("A", "1"), FieldLine::Remove("B".into()), set("a", "2"), set("C", "")]);
}

#[test]
fn a_line_that_says_nothing_is_dropped_with_a_warning() {
    let dropped = send("u -H secret-token");
    assert_eq!(dropped.request.fields, []);
    assert_eq!(dropped.warnings, ["--header: dropped a line of 12 bytes without a colon"]);
    assert_eq!(send("u -s -H secret-token").warnings, [] as [&str; 0]);
}

#[test]
fn fields_come_from_files_and_stdin() {
    let file = Scratch::new("fields", "A: 1\r\n# B: 2\n\n  # C: 3\nD: 4");
    let fields = send(&format!("u -H @{} -H 'E: 5'", file.path())).request.fields;
    assert_eq!(fields, [set("A", "1"), set("D", "4"), set("E", "5")]);
    let piped = Setting { stdin: "Authorization: Bearer t\n", ..Setting::default() };
    assert_eq!(send_in(&piped, "u -H @-").request.fields, [set("Authorization", "Bearer t")]);
    let empty = Scratch::new("no-fields", "");
    assert_eq!(send(&format!("u -H @{}", empty.path())).request.fields, []);
}

#[test]
fn the_content_type_is_declared_only_where_the_command_line_does() {
    let json = Some("application/json".to_owned());
    for (line, content_type, accept) in [
        ("u", None, "*/*"),
        ("u body.json", json.clone(), "*/*"),
        ("u --json {}", json.clone(), "application/json"),
        ("u -d x --json {}", json.clone(), "application/json"),
        ("u -d {}", None, "*/*"),
        ("u --data-binary @f", None, "*/*"),
        ("u -T f", None, "*/*"),
        ("u body.json -H 'content-TYPE: text/plain'", None, "*/*"),
        ("u body.json -H Content-Type:", None, "*/*"),
        ("u -G --json {}", None, "application/json"),
    ] {
        let request = send(line).request;
        assert_eq!((request.content_type, request.accept.as_str()), (content_type, accept), "{line}");
    }
}

#[test]
fn the_smaller_fields() {
    let request = send("u -A agent -e http://r -b a=1 -b ' b=2' -b c=3 -r 0-9 --request-target '*' -0").request;
    assert_eq!(request.user_agent.as_deref(), Some("agent"));
    assert_eq!((request.referer.as_deref(), request.auto_referer), (Some("http://r"), false));
    assert_eq!(request.cookie.as_deref(), Some("a=1; b=2; c=3"));
    assert_eq!(request.fields, [set("Range", "bytes=0-9")]);
    assert_eq!(request.target.as_deref(), Some("*"));
    assert!(request.http10);
    let request = send("u -A '' -e 'http://r;auto' -0 --http1.1 -r 1-2 -H 'range: bytes=3-4'").request;
    assert_eq!(request.user_agent.as_deref(), Some(""));
    assert_eq!((request.referer.as_deref(), request.auto_referer), (Some("http://r"), true));
    assert_eq!(request.fields, [set("range", "bytes=3-4")]);
    assert!(!request.http10);
    assert_eq!((send("u -e ';auto'").request.referer, send("u -e ';auto'").request.auto_referer), (None, true));
}

#[test]
fn quotes_of_a_word_processor_are_warned_about() {
    let send = send("u -H \u{201c}host:");
    assert_eq!(send.warnings, ["--header: the value begins with \u{201c}, a typographic character; was ASCII meant?"]);
}

#[test]
fn a_range_without_a_dash_gets_one() {
    let send = send("u -r 500");
    assert_eq!(send.request.fields, [set("Range", "bytes=500-")]);
    assert_eq!(send.warnings, ["--range: 500 has no dash, took it as 500-"]);
}

#[test]
fn credentials() {
    let tokens = Setting { env: &[("KEY", "from-env")], ..Setting::default() };
    for (line, value) in [
        ("u", None),
        ("u -u a:b", Some("Basic YTpi")),
        ("u -u :", Some("Basic Og==")),
        ("u -u fake:-user", Some("Basic ZmFrZTotdXNlcg==")),
        ("http://c:d@h -u a:b", Some("Basic YTpi")),
        ("http://a:b@h", Some("Basic YTpi")),
        ("http://a@h", Some("Basic YTo=")),
        ("http://:b@h", Some("Basic OmI=")),
        ("u --oauth2-bearer t -u a:b", Some("Bearer t")),
        ("u --bearer-env KEY", Some("Bearer from-env")),
        ("u --basic -u a:b -u a:c", Some("Basic YTpj")),
    ] {
        assert_eq!(send_in(&tokens, line).request.authorization.as_deref(), value, "{line}");
    }
}

#[test]
fn a_missing_password_is_asked_for() {
    let asked = Setting { password: Some("b"), ..Setting::default() };
    assert_eq!(send_in(&asked, "u -u a").request.authorization.as_deref(), Some("Basic YTpi"));
    let proxies = send_in(&asked, "u -x p -U a").settings.proxies;
    assert_eq!(proxies.http.unwrap().unwrap().credentials.as_deref(), Some("a:b"));
    assert!(send("u -u a --oauth2-bearer t").request.authorization.is_some());
}

#[test]
fn netrc_files() {
    let file = Scratch::new("netrc", "machine h login a password b\nmachine h login c password d\n");
    let setting = Setting { env: &[("NETRC", file.path())], ..Setting::default() };
    for (line, value) in [
        ("h -n", Some("Basic YTpi")),
        ("c@h -n", Some("Basic Yzpk")),
        ("c:x@h -n", Some("Basic Yzpk")),
        ("c:x@h --netrc-optional", Some("Basic Yzp4")),
        ("c@h --netrc-optional", Some("Basic Yzpk")),
        ("e:f@h -n", Some("Basic ZTpm")),
        ("h -n -u e:f", Some("Basic ZTpm")),
        ("other -n", None),
        ("h", None),
    ] {
        assert_eq!(send_in(&setting, line).request.authorization.as_deref(), value, "{line}");
    }
    let line = format!("h --netrc-file {}", file.path());
    assert_eq!(send(&line).request.authorization.as_deref(), Some("Basic YTpi"));
    assert_eq!(send("h --netrc-optional --netrc-file /nonexistent").request.authorization, None);
    assert_eq!(send("h --netrc-optional").request.authorization, None);
}
