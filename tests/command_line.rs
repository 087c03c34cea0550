//! The command line in all its forms, through the program.

use crate::program::{Program, gzpost};
use crate::sample::{OK, quiet};
use crate::server::{Request, Server, refused_port};

/// What arrives when `{URL}` in the arguments is a server's.
#[track_caller]
fn sent(program: Program, arguments: &[&str]) -> Request {
    let server = Server::answering(OK);
    let url = server.url("/p");
    let arguments = arguments.iter().map(|argument| argument.replace("{URL}", &url));
    program.args(arguments).run().assert_code(0);
    server.finish()
}

#[test]
fn options_come_combined_attached_and_behind_the_url() {
    for (arguments, line, content) in [
        (&["-sSXPUT", "{URL}"][..], "PUT /p HTTP/1.1\r\n", ""),
        (&["-sSX", "PUT", "{URL}"], "PUT /p HTTP/1.1\r\n", ""),
        (&["-sSda=1", "{URL}"], "POST /p HTTP/1.1\r\n", "a=1"),
        (&["-sSLd", "a=1", "{URL}"], "POST /p HTTP/1.1\r\n", "a=1"),
        (&["-sSGdb=2", "{URL}?a=1"], "GET /p?a=1&b=2 HTTP/1.1\r\n", ""),
        (&["{URL}", "-sS", "-d", "a=1"], "POST /p HTTP/1.1\r\n", "a=1"),
        (&["-sS", "--data=a=1", "{URL}"], "POST /p HTTP/1.1\r\n", "a=1"),
        (&["-sS", "--data", "-sS", "{URL}"], "POST /p HTTP/1.1\r\n", "-sS"),
        (&["-sS", "--request=PUT", "--url={URL}"], "PUT /p HTTP/1.1\r\n", ""),
        (&["-sS", "--no-check", "--url", "{URL}", "body"], "POST /p HTTP/1.1\r\n", "in a file"),
        (&["-sS", "--no-check", "{URL}", "--", "-body"], "POST /p HTTP/1.1\r\n", "a dash in front"),
        (&["-sS", "--", "{URL}"], "GET /p HTTP/1.1\r\n", ""),
        (&["-sS", "{URL} q?a b"], "GET /p%20q?a%20b HTTP/1.1\r\n", ""),
        (&["-sS0", "{URL}"], "GET /p HTTP/1.0\r\n", ""),
        (&["-sS", "-X", "PUT", "-X", "PATCH", "{URL}"], "PATCH /p HTTP/1.1\r\n", ""),
    ] {
        let program = gzpost().file("body", "in a file").file("-body", "a dash in front");
        let request = sent(program, arguments);
        let head = String::from_utf8_lossy(&request.head).into_owned();
        assert!(head.starts_with(line), "{arguments:?}: {head}");
        assert_eq!(String::from_utf8_lossy(&request.content), content, "{arguments:?}");
    }
}

#[test]
fn a_value_may_be_attached_to_the_last_of_combined_letters() {
    let server = Server::answering(OK);
    let output = gzpost().args(["-sSoanswer", "-HX-A: b", "-AMe/1", "-bc=d", &server.url("/")]).run();
    output.assert_code(0).assert_stdout("");
    assert_eq!(crate::server::read_file(&output.home.path().join("answer")), b"ok");
    let request = server.finish();
    let fields = ["x-a", "user-agent", "cookie"].map(|name| request.field(name));
    assert_eq!(fields, [Some("b"), Some("Me/1"), Some("c=d")]);
}

#[test]
fn no_takes_a_switch_back() {
    let url = format!("http://127.0.0.1:{}/", refused_port());
    let output = gzpost().args(["-s", "--no-silent", &url]).run();
    output.assert_code(7).assert_stderr_has("time_total").assert_stderr_has("gzpost: (7) ");
    let server = Server::answering("HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 4\r\n\r\nhere");
    quiet(&["-L", "--no-location", &server.url("/")]).run().assert_code(0).assert_stdout("here");
    let server = Server::answering("HTTP/1.1 404 No\r\nContent-Length: 2\r\n\r\nno");
    quiet(&["-f", "--no-fail", &server.url("/")]).run().assert_code(0).assert_stdout("no");
}

#[test]
fn a_config_file_holds_whatever_the_command_line_may() {
    let config = |url: &str| {
        format!(
            "# comment\n\n  url = \"{url}\"  \nheader = \"X-Quoted: a\\tb \\\"c\\\" \\\\\" # behind\nheader: X-Word:d\n\
             --header \"X-Dashes: e\"\n-H \"X-Letter: f\"\r\nsilent\n-S\nrequest=PUT\ndata = 'one word'\n"
        )
    };
    for from_stdin in [false, true] {
        let server = Server::answering(OK);
        let text = config(&server.url("/k"));
        let program = if from_stdin { gzpost().stdin(text) } else { gzpost().file("config", text) };
        let output = program.args(["-K", if from_stdin { "-" } else { "config" }]).run();
        output.assert_code(0).assert_stdout("ok");
        let request = server.finish();
        assert_eq!((request.method.as_str(), request.target.as_str()), ("PUT", "/k"));
        assert_eq!(request.content, b"'one");
        let fields = ["x-quoted", "x-word", "x-dashes", "x-letter"].map(|name| request.field(name));
        assert_eq!(fields, [Some("a\tb \"c\" \\"), Some("d"), Some("e"), Some("f")]);
    }
}

#[test]
fn config_files_nest_and_the_last_option_counts() {
    let program = || {
        gzpost()
            .file("outer", "request = \"PUT\"\nconfig = \"inner\"\nheader = \"X-Outer: 1\"\n")
            .file("inner", "request = \"PATCH\"\nheader = \"X-Inner: 1\"\nsilent\n")
    };
    let request = sent(program(), &["-K", "outer", "{URL}"]);
    assert_eq!(request.method, "PATCH");
    assert_eq!((request.field("x-outer"), request.field("x-inner")), (Some("1"), Some("1")));
    assert_eq!(sent(program(), &["-K", "outer", "-X", "DELETE", "{URL}"]).method, "DELETE");
    assert_eq!(sent(program(), &["-X", "DELETE", "-K", "outer", "{URL}"]).method, "PATCH");
}

#[test]
fn faults_of_config_files_name_file_and_line() {
    for (text, code, part) in [
        ("silent\nno-such-option\n", 2, "config:2: unknown option --no-such-option"),
        ("\n\nmax-time = soon\n", 2, "soon"),
        ("silent = \"yes\"\n", 2, "config:1: --silent takes no value"),
        ("http2\n", 2, "config:1: --http2 is an option of curl's"),
        ("data\n", 2, "config:1: --data needs a value"),
        ("config = \"missing\"\n", 26, "missing: cannot read the config file"),
        ("config = \"config\"\n", 2, "config files nest deeper"),
        ("header = \"A: b\nX: c\"\n", 2, "unknown option --X"),
        ("header = \"A: b\\r\\nX: c\"\n", 2, "control character"),
    ] {
        let output = gzpost().file("config", text).args(["-K", "config", "http://127.0.0.1:1/"]).run();
        output.assert_error(code).assert_stderr_has(part);
    }
    gzpost().args(["-K", "missing", "http://127.0.0.1:1/"]).run().assert_error(26).assert_stderr_has("missing");
    gzpost().args(["-K", ".", "http://127.0.0.1:1/"]).run().assert_error(26);
}

#[test]
fn what_is_no_option_is_2_with_the_nearest_one() {
    for (argument, part) in [
        ("--no-such-option", "unknown option --no-such-option; see gzpost --help all"),
        ("--max-tme", "did you mean --max-time?"),
        ("--databinary=x", "did you mean --data-binary?"),
        ("-§", "unknown option -§"),
        ("--http2", "--http2 is an option of curl's that gzpost does not have: it speaks HTTP/1.1"),
        ("-F", "-F is an option of curl's that gzpost does not have: it has no multipart forms"),
        ("-sSZ", "-Z is an option of curl's that gzpost does not have: it sends one request a command"),
        ("--cookie-jar=c", "the nearest is --cookie"),
        ("--limit-rate", "it has no rate limit"),
        ("--no-max-time", "--max-time takes a value"),
        ("--silent=1", "--silent takes no value"),
        ("-m", "-m needs a value: -m SECONDS"),
        ("--max-time", "--max-time needs a value: --max-time SECONDS"),
    ] {
        gzpost().args(["http://127.0.0.1:1/", argument]).run().assert_error(2).assert_stderr_has(part);
    }
}

#[test]
fn arguments_that_do_not_go_together_are_2() {
    let url = "http://127.0.0.1:1/";
    for arguments in [
        &[url, url][..],
        &[url, "body", "more"],
        &[url, "body", "-d", "a"],
        &["-T", "a", "-d", "b", url],
        &["--gzip", "--identity", "-d", "a", url],
        &["--bearer-env", "HOME", "--oauth2-bearer", "a", url],
        &["--tlsv1.3", "--tls-max", "1.2", url],
        &["--model", "m", url],
        &["-G", url, "body"],
        &["{\"a\":1}"],
        &["http://{a,b}.example/"],
        &["http://h.example/[1-3]"],
    ] {
        let code = quiet(arguments).run().status.code();
        // `{"a":1}` is no URL, and a URL above all.
        assert!(matches!(code, Some(2 | 3)), "{arguments:?}: {code:?}");
    }
}

/// Nothing that is refused here may reach a server: whoever is asked fails the test.
#[test]
fn line_breaks_are_refused_before_anything_is_connected_to() {
    for arguments in [
        &["-H", "A: b\r\nX: y"][..],
        &["-H", "A: b\nX: y"],
        &["-H", "A\r\n: b"],
        &["-X", "GET / HTTP/1.1\r\nX: y\r\n\r\nGET"],
        &["-A", "a\nX: y"],
        &["-e", "a\r\nX: y"],
        &["-b", "a=b\r\nX: y"],
        &["-r", "0-1\r\nX: y"],
        &["--oauth2-bearer", "a\nX: y"],
        &["--request-target", "/ HTTP/1.1\r\nX: y"],
        &["--proxy-header", "A: b\nX: y"],
        &["--bearer-env", "KEY"],
        &["--model", "a\r\nb", "-d", "{\"model\":\"m\"}"],
        &["-H", "@fields"],
        &["-G", "-d", "a\r\nX: y"],
    ] {
        let server = Server::start(|_| ());
        let program = gzpost().env("KEY", "secret\r\nX: y").file("fields", "A: b\rX: y\n").arg("-sS");
        let output = program.args(arguments).arg(server.url("/")).run();
        assert!(matches!(output.status.code(), Some(2 | 3)), "{}", output.describe());
        output.assert_stderr_has("gzpost: (").assert_stderr_lacks("secret");
        server.assert_unasked();
    }
    for target in ["/a\r\nX: y", "/a\u{1b}", "/?a\nb", "/#a\nb"] {
        let server = Server::start(|_| ());
        quiet(&[&server.url(target)]).run().assert_error(3);
        server.assert_unasked();
    }
    let server = Server::start(|_| ());
    let proxied = ["-x", &server.url(""), "--connect-to", "h.example:443:evil\r\nX:80", "https://h.example/"];
    quiet(&proxied).run().assert_error(49);
    server.assert_unasked();
}

#[test]
fn messages_are_one_line_whatever_they_quote() {
    for (code, arguments) in [
        (26, &["http://127.0.0.1:1/", "no\nsuch\u{1b}[31m"][..]),
        (26, &["-H", "@no\nsuch", "http://127.0.0.1:1/"]),
        (2, &["--no\u{1b}[31m"]),
        (2, &["-m", "\u{9b}1\n", "http://127.0.0.1:1/"]),
        (49, &["--resolve", "a\nb", "http://127.0.0.1:1/"]),
        (3, &["http://a\u{7}/"]),
    ] {
        let output = quiet(arguments).run();
        let control = |text: &str| text.trim_end_matches('\n').chars().any(char::is_control);
        assert!(!control(&output.assert_error(code).stderr_text()), "{}", output.describe());
    }
}

#[test]
fn bytes_that_are_not_utf_8_are_paths_or_refused() {
    use std::os::unix::ffi::OsStrExt;
    let bytes = std::ffi::OsStr::from_bytes(b"\xff\xfe");
    let server = Server::answering(OK);
    let output = quiet(&["-o"]).arg(bytes).arg(server.url("/")).run();
    assert_eq!(crate::server::read_file(&output.assert_code(0).home.path().join(bytes)), b"ok");
    let server = Server::answering(OK);
    quiet(&["-d"]).arg(bytes).arg(server.url("/")).run().assert_code(0);
    assert_eq!(server.finish().content, b"\xff\xfe");
    for option in ["-X", "-H", "-m", "--model", "--resolve", "-x", "--url"] {
        quiet(&[option]).arg(bytes).arg("http://127.0.0.1:1/").run().assert_error(2).assert_stderr_has("not UTF-8");
    }
}

#[test]
fn a_newcomers_slips_are_answered_with_the_way_out() {
    for (arguments, said) in [
        (&["body.json"][..], "body.json is a file; the URL comes first, then BODY"),
        (&["body.json", "http://h"], "'body.json' stands in its place"),
    ] {
        let output = gzpost().file("body.json", "{}").args(arguments).run();
        output.assert_error(2).assert_stderr_has(said);
    }
    for arguments in [&["help"][..], &["help", "replay"]] {
        assert!(gzpost().args(arguments).run().assert_code(0).stdout_text().starts_with("Usage: gzpost"));
    }
    let server = Server::answering("HTTP/1.1 405 No\r\nContent-Length: 0\r\n\r\n");
    let output = gzpost().arg(server.url("/")).run();
    output.assert_code(0).assert_stderr_has("gzpost: hint: without BODY this was a GET");
}
