//! `-L` and what belongs to it.

use crate::program::{Output, Program, gzpost};
use crate::sample::{OK, chat, quiet};
use crate::server::{Request, Server};

fn redirect(status: u16, location: &str) -> String {
    format!("HTTP/1.1 {status} Away\r\nLocation: {location}\r\nContent-Length: 5\r\n\r\naway\n")
}

/// Redirects to `location` once; what was asked for, and what came of it.
#[track_caller]
fn followed(status: u16, location: &'static str, program: Program, target: &str) -> (Vec<Request>, Output) {
    let server = Server::many(move |number, mut conn| {
        let request = conn.read_request();
        if number == 0 {
            conn.write(redirect(status, location));
        } else {
            conn.write(OK);
        }
        request
    });
    let output = program.args(["-sS", "-w", " %{num_redirects} %{http_code}", &server.url(target)]).run();
    (server.finish_all(), output)
}

#[test]
fn methods_and_content_follow_curls_rules() {
    // Status, options, the second method, whether the content goes with it.
    for (status, options, method, content) in [
        (301, &[][..], "GET", false),
        (302, &[], "GET", false),
        (303, &[], "GET", false),
        (307, &[], "POST", true),
        (308, &[], "POST", true),
        (301, &["--post301"], "POST", true),
        (302, &["--post302"], "POST", true),
        (303, &["--post303"], "POST", true),
        (303, &["--post301"], "GET", false),
        (301, &["-X", "PUT"], "PUT", false),
        (307, &["-X", "PUT"], "PUT", true),
        (303, &["-X", "PUT"], "PUT", false),
        (307, &["-X", "PATCH"], "PATCH", true),
    ] {
        let body = chat(4000);
        let program = gzpost().stdin(body.clone()).arg("-L").args(options).args(["--data-binary", "@-"]);
        let (requests, output) = followed(status, "/next", program, "/");
        output.assert_code(0).assert_stdout("ok 1 200");
        assert_eq!((requests.len(), requests[1].target.as_str()), (2, "/next"), "{status} {options:?}");
        assert_eq!(requests[1].method, method, "{status} {options:?}");
        assert_eq!(requests[0].decoded(), body);
        if content {
            // Coded as before, and named so.
            assert!(requests[1].content == requests[0].content, "{status} {options:?}");
            assert_eq!(requests[1].field("content-encoding"), Some("gzip"));
            assert_eq!(requests[1].field("content-type"), Some("application/json"));
        } else {
            for name in ["content-encoding", "content-type", "content-length"] {
                assert_eq!(requests[1].field(name), None, "{status} {options:?} {name}");
            }
        }
    }
    let program = gzpost().args(["-L", "-I", "-o", "heads"]);
    let (requests, _) = followed(303, "/next", program, "/");
    assert_eq!(requests[1].method, "HEAD");
}

#[test]
fn nothing_is_said_of_content_that_was_dropped() {
    for (status, said) in [(303, "identity 0 0.000000"), (307, "gzip 4000 ")] {
        let server = Server::many(move |number, mut conn| {
            conn.read_request();
            conn.write(if number == 0 {
                redirect(status, "/next")
            } else {
                "HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n".to_owned()
            });
        });
        let program = gzpost().stdin(chat(4000)).args(["-L", "-w", "%{content_coding} %{size_body} %{time_compress}"]);
        let output = program.args(["--data-binary", "@-", &server.url("/")]).run();
        output.assert_code(0);
        assert!(output.stdout_text().starts_with(said), "{}", output.describe());
        let hint = output.stderr_text().contains("hint: the body went out as gzip");
        assert_eq!(hint, status == 307, "{}", output.describe());
    }
}

#[test]
fn locations_are_resolved_against_the_url() {
    for (location, target) in [
        ("/x", "/x"),
        ("x", "/a/x"),
        ("../x", "/x"),
        ("./x/../y?z", "/a/y?z"),
        ("?q=2", "/a/b?q=2"),
        ("#f", "/a/b?q=1"),
        ("/a b\u{e9}", "/a%20b%C3%A9"),
        ("/%7Ex", "/%7Ex"),
        ("//127.0.0.1:PORT/x", "/x"),
    ] {
        let server = Server::many(move |number, mut conn| {
            let request = conn.read_request();
            let port = request.field("host").and_then(|host| host.split(':').nth(1)).expect("a port").to_owned();
            if number == 0 {
                conn.write(redirect(302, &location.replace("PORT", &port)));
            } else {
                conn.write(OK);
            }
            request.target
        });
        quiet(&["-L", &server.url("/a/b?q=1")]).run().assert_code(0);
        assert_eq!(server.finish_all()[1], target, "{location}");
    }
}

#[test]
fn a_limit_of_redirects_is_kept_and_told() {
    for (options, requests) in [(&["--max-redirs", "0"][..], 1), (&["--max-redirs", "3"], 4), (&[], 51)] {
        let server = Server::many(|_, mut conn| {
            conn.read_request();
            conn.write(redirect(302, "/"));
        });
        let output = quiet(options).args(["-L", &server.url("/")]).run();
        output.assert_error(47).assert_stdout("").assert_stderr_has(&format!("more than {} redirects", requests - 1));
        assert_eq!(server.finish_all().len(), requests, "{options:?}");
    }
    let server = Server::many(|number, mut conn| {
        conn.read_request();
        if number < 60 { conn.write(redirect(302, "/")) } else { conn.write(OK) }
    });
    quiet(&["-L", "--max-redirs", "-1", &server.url("/")]).run().assert_code(0).assert_stdout("ok");
}

#[test]
fn what_is_no_redirect_is_an_answer() {
    for answer in [
        "HTTP/1.1 302 Found\r\nContent-Length: 2\r\n\r\nok",
        "HTTP/1.1 302 Found\r\nLocation:\r\nContent-Length: 2\r\n\r\nok",
        "HTTP/1.1 201 Created\r\nLocation: /x\r\nContent-Length: 2\r\n\r\nok",
        "HTTP/1.1 404 No\r\nLocation: /x\r\nContent-Length: 2\r\n\r\nok",
    ] {
        let server = Server::answering(answer);
        quiet(&["-L", &server.url("/")]).run().assert_code(0).assert_stdout("ok");
    }
}

#[test]
fn a_redirect_leads_to_http_and_https_only_and_to_a_url() {
    for (location, options, code) in [
        ("ftp://h.example/", &[][..], 1),
        ("file:///etc/passwd", &[], 1),
        ("javascript:alert(1)", &[], 1),
        ("http://h.example/", &["--proto-redir", "=https"], 1),
        ("http://[::1/", &[], 3),
        ("http://a b/", &[], 3),
        ("http://h.example:99999/", &[], 3),
        ("http://user:sesame@a@b/", &[], 3),
        ("/a\r\nLocation: /b", &[], 8),
    ] {
        let server = Server::answering(redirect(302, location));
        let output = quiet(options).args(["-L", &server.url("/")]).run();
        output.assert_error(code).assert_stdout("").assert_stderr_lacks("sesame");
    }
}

/// The fields that reach another origin behind a redirect that keeps method and content.
#[track_caller]
fn elsewhere(options: &[&str]) -> Request {
    let other = Server::answering(OK);
    let location = other.url("/");
    let server = Server::start(move |mut conn| {
        let request = conn.read_request();
        conn.write(redirect(307, &location));
        request
    });
    let secrets = [
        "-u",
        "user:secret",
        "-b",
        "id=secret",
        "-H",
        "X-Api-Key: secret",
        "-H",
        "api-key: secret",
        "-H",
        "x-goog-api-key: secret",
        "-H",
        "X-Other: kept",
    ];
    let program = quiet(&["-L"]).args(options).args(secrets).args(["-d", "a=1"]);
    program.arg(server.url("/")).run().assert_code(0).assert_stdout("ok");
    let here = server.finish();
    assert!(here.field("authorization").is_some() && here.field("x-api-key").is_some(), "{:?}", here.fields);
    other.finish()
}

#[test]
fn secrets_stay_with_their_origin() {
    let names = ["authorization", "cookie", "x-api-key", "api-key", "x-goog-api-key"];
    let request = elsewhere(&[]);
    assert_eq!(names.map(|name| request.field(name)), [None; 5]);
    assert_eq!((request.field("x-other"), &request.content[..]), (Some("kept"), &b"a=1"[..]));
    // Another port is another origin; what -H calls Authorization is a secret as much.
    let request = elsewhere(&["-H", "Authorization: Bearer secret", "-H", "Cookie: secret"]);
    assert!(!String::from_utf8_lossy(&request.head).contains("secret"));
    let request = elsewhere(&["--location-trusted"]);
    assert!(names.iter().all(|name| request.field(name).is_some()), "{:?}", request.fields);
}

#[test]
fn moments_add_up_and_the_way_is_told() {
    let program = gzpost().args(["-L", "-e", ";auto", "-w", "%{time_redirect}|%{time_total}|%{url_effective}"]);
    let server = Server::many(|number, mut conn| {
        let request = conn.read_request();
        if number == 0 {
            conn.write(redirect(302, "/x"));
        } else {
            conn.write(OK);
        }
        request
    });
    let output = program.args(["-s", "-o", "content", &server.url("/first?q#f")]).run();
    let text = output.assert_code(0).stdout_text();
    let parts: Vec<&str> = text.split('|').collect();
    let seconds = |text: &str| text.parse::<f64>().expect("seconds");
    assert!(0.0 < seconds(parts[0]) && seconds(parts[0]) < seconds(parts[1]), "{text}");
    assert_eq!(parts[2], server.url("/x"));
    let (first, requests) = (server.url("/first?q"), server.finish_all());
    assert_eq!((requests[0].field("referer"), requests[1].field("referer")), (None, Some(first.as_str())));
}

/// The server closes behind each answer without saying so: a connection that was kept would be closed just then.
#[test]
fn a_server_that_closes_behind_its_redirect_does_not_matter() {
    for _ in 0..20 {
        let (requests, output) = followed(307, "/next", gzpost().args(["-L", "-d", "a=1"]), "/");
        output.assert_code(0).assert_stdout("ok 1 200");
        assert_eq!(requests.len(), 2);
    }
}

#[test]
fn the_content_of_a_redirect_may_be_endless_or_cut_off() {
    for content in ["Content-Length: 1000000\r\n\r\nonly this", "\r\nno end in sight", "Content-Encoding: x\r\n\r\n?"] {
        let server = Server::many(move |number, mut conn| {
            conn.read_request();
            if number > 0 {
                return conn.write(OK);
            }
            conn.write(format!("HTTP/1.1 302 Found\r\nLocation: /\r\n{content}"));
            conn.read_to_end();
        });
        quiet(&["-L", "--compressed", &server.url("/")]).run().assert_code(0).assert_stdout("ok");
    }
}
