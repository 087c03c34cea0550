//! Proxies: which one, what it is told, and what its refusal means.

use crate::peers::tinyproxy;
use crate::program::Program;
use crate::sample::{OK, quiet};
use crate::server::{Authority, Conn, Request, Server, Tls};

/// A proxy that takes CONNECT and then is the origin itself, without TLS.
fn tunnel(mut conn: Conn) -> (Request, Request) {
    let connect = conn.read_request();
    conn.write("HTTP/1.1 200 Connection established\r\n\r\n");
    let request = conn.read_request();
    conn.write(OK);
    (connect, request)
}

#[test]
fn http_goes_through_a_proxy_in_absolute_form() {
    for in_environment in [false, true] {
        let proxy = Server::answering(OK);
        let program =
            if in_environment { quiet(&[]).env("http_proxy", proxy.url("")) } else { quiet(&["-x", &proxy.url("")]) };
        program.arg("http://relay.example/v1?a").run().assert_code(0).assert_stdout("ok");
        let request = proxy.finish();
        assert_eq!(request.target, "http://relay.example/v1?a");
        assert_eq!(request.field("host"), Some("relay.example"));
    }
}

#[test]
fn the_proxy_of_the_environment_has_curls_names() {
    let server = Server::answering(OK);
    let dead = "http://127.0.0.1:1";
    let program = quiet(&[&server.url("/")]).env("HTTP_PROXY", dead).env("https_proxy", dead);
    program.run().assert_code(0).assert_stdout("ok");
    for no_proxy in ["127.0.0.1", "*", "other.example, 127.0.0.1", "127.0.0.0/8"] {
        let server = Server::answering(OK);
        let program = quiet(&[&server.url("/")]).env("http_proxy", dead).env("no_proxy", no_proxy);
        program.run().assert_code(0).assert_stdout("ok");
    }
    let server = Server::answering(OK);
    quiet(&["-x", "", &server.url("/")]).env("all_proxy", dead).run().assert_code(0).assert_stdout("ok");
}

#[test]
fn a_tunnel_shows_the_proxy_only_what_is_for_it() {
    let proxy = Server::start(tunnel);
    let program = quiet(&["-p", "-x", &proxy.url("").replace("http://", "http://user:pass@")]);
    let program = program.args(["-H", "Authorization: Bearer key", "--proxy-header", "X-Proxy: 1", "-d", "{}"]);
    program.arg("http://relay.example/v1").run().assert_code(0).assert_stdout("ok");
    let (connect, request) = proxy.finish();
    assert_eq!((connect.method.as_str(), connect.target.as_str()), ("CONNECT", "relay.example:80"));
    assert_eq!(connect.field("proxy-authorization"), Some("Basic dXNlcjpwYXNz"));
    assert_eq!((connect.field("authorization"), connect.field("x-proxy")), (None, Some("1")));
    assert_eq!((request.method.as_str(), request.target.as_str()), ("POST", "/v1"));
    assert_eq!((request.field("proxy-authorization"), request.field("x-proxy")), (None, None));
    assert_eq!(request.field("authorization"), Some("Bearer key"));
}

#[test]
fn fields_for_the_proxy_replace_those_of_connect() {
    const OWN: [(&str, Option<&str>); 4] = [
        ("host", Some("relay.example:80")),
        ("proxy-authorization", Some("Basic dTpw")),
        ("user-agent", Some("agent")),
        ("proxy-connection", Some("Keep-Alive")),
    ];
    for (line, name, value) in [
        ("Host: other", "host", Some("other")),
        ("host;", "host", Some("")),
        ("Host:", "host", None),
        ("Proxy-Authorization: Bearer key", "proxy-authorization", Some("Bearer key")),
        ("Proxy-authorization:", "proxy-authorization", None),
        ("User-Agent: other", "user-agent", Some("other")),
        ("Proxy-Connection:", "proxy-connection", None),
    ] {
        let proxy = Server::start(tunnel);
        let program = quiet(&["-p", "-A", "agent", "-U", "u:p", "-x", &proxy.url(""), "--proxy-header", line]);
        program.arg("http://relay.example/").run().assert_code(0);
        let (connect, _) = proxy.finish();
        for (own, usual) in OWN {
            let expected = if own == name { value } else { usual };
            assert_eq!(connect.field(own), expected, "{line}");
        }
    }
}

#[test]
fn a_refused_tunnel_is_56_with_the_proxys_status() {
    let proxy = Server::answering("HTTP/1.1 403 Filtered\r\nContent-Length: 8\r\n\r\nfiltered");
    let output = quiet(&["-x", &proxy.url(""), "-w", "%{http_connect}", "https://relay.example/"]).run();
    output.assert_error(56).assert_stderr_has("403").assert_stdout("403");
    assert_eq!(proxy.finish().target, "relay.example:443");
}

#[test]
fn tls_runs_inside_the_tunnel() {
    let authority = Authority::new();
    let origin = Server::tls(&authority, &Tls::default(), |mut conn| {
        let request = conn.read_request();
        conn.write(OK);
        request
    });
    let Some(proxy) = tinyproxy::start(None) else { return origin.assert_unasked() };
    let program = quiet(&["-x", &proxy.url(""), "-d", "{}"]).arg("--cacert").arg(authority.file());
    program.arg(origin.url("/in")).run().assert_code(0).assert_stdout("ok");
    assert_eq!(origin.finish().target, "/in");
}

#[test]
fn what_a_proxy_says_to_connect_decides() {
    let established = "HTTP/1.1 200 Connection established\r\n";
    let flood = format!("{established}{}\r\n", "X: y\r\n".repeat(60_000));
    for (said, told, code, part) in [
        ("HTTP/1.0 200 OK\r\n\r\n", "200", 0, ""),
        ("HTTP/1.1 299 Fine\n\n", "299", 0, ""),
        ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n", "200", 0, ""),
        ("HTTP/1.1 407 Who?\r\nContent-Length: 0\r\n\r\n", "407", 56, "-U USER:PASSWORD"),
        ("HTTP/1.1 403 \x1b[31mNo\r\nContent-Length: 3\r\n\r\nno!", "403", 56, "refused the tunnel"),
        ("HTTP/1.1 302 Away\r\nLocation: http://127.0.0.1:1/\r\n\r\n", "302", 56, "refused the tunnel"),
        ("HTTP/1.1 100 Continue\r\n\r\n", "100", 56, "refused the tunnel"),
        ("HTTP/1.1 200 OK\r\nX: \0\r\n\r\n", "000", 8, "NUL"),
        ("SSH-2.0-OpenSSH\r\n\r\n", "000", 56, "did not answer CONNECT with HTTP"),
        (&flood, "000", 56, "did not answer CONNECT with HTTP"),
        ("HTTP/1.1 200 OK\r\n", "000", 56, "closed"),
        ("", "000", 56, "closed"),
    ] {
        let said = said.to_owned();
        let proxy = Server::start(move |mut conn| {
            conn.read_head();
            conn.write_if_wanted(said);
            if code == 0 {
                conn.read_request();
                conn.write(OK);
            }
        });
        // -v shows what the proxy said, and nothing that commands the terminal.
        let program = quiet(&["-v", "-p", "-x", &proxy.url(""), "-w", "%{http_connect}", "http://h.example/"]);
        let output = program.run();
        output.assert_code(code).assert_stdout(if code == 0 { "ok" } else { "" }.to_owned() + told);
        output.assert_stderr_has(part).assert_stderr_lacks("\x1b");
    }
}

#[test]
fn what_is_no_http_proxy_is_refused_and_never_passed_by() {
    for (proxy, code) in [
        ("socks4://127.0.0.1:1", 97),
        ("socks5h://user:sesame@127.0.0.1:1", 97),
        ("https://user:sesame@127.0.0.1:1", 4),
        ("ftp://127.0.0.1:1", 7),
        ("http://user:sesame@/", 5),
    ] {
        for from_environment in [false, true] {
            let server = Server::start(|_| ());
            let program = quiet(&[&server.url("/")]);
            let program = if from_environment { program.env("http_proxy", proxy) } else { program.args(["-x", proxy]) };
            program.run().assert_error(code).assert_stderr_lacks("sesame");
            server.assert_unasked();
        }
        // Whoever does not go through it may go.
        let server = Server::answering(OK);
        quiet(&["-x", proxy, "--noproxy", "127.0.0.1", &server.url("/")]).run().assert_code(0);
    }
}

#[test]
fn the_environment_names_a_proxy_for_each_scheme() {
    for (variables, scheme, used) in [
        (&["http_proxy"][..], "http", true),
        (&["HTTP_PROXY"], "http", false),
        (&["http_proxy"], "https", false),
        (&["https_proxy"], "https", true),
        (&["HTTPS_PROXY"], "https", true),
        (&["all_proxy"], "http", true),
        (&["ALL_PROXY"], "https", true),
        (&["http_proxy", "NO_PROXY=h.example"], "http", false),
        (&["http_proxy", "no_proxy=.example"], "http", false),
        (&["http_proxy", "no_proxy=a.h.example,ample"], "http", true),
        (&["http_proxy", "no_proxy="], "http", true),
    ] {
        let proxy = Server::many(|_, mut conn| drop(conn.read_some(1)));
        let mut program = quiet(&["--resolve", "h.example:1:127.0.0.1", &format!("{scheme}://h.example:1/")]);
        for variable in variables {
            let (name, value) = variable.split_once('=').unwrap_or((variable, ""));
            program = program.env(name, if variable.contains('=') { value.to_owned() } else { proxy.url("") });
        }
        let code = program.run().status.code();
        // Port 1 refuses the direct way; the proxy breaks off.
        assert_eq!(code != Some(7), used, "{variables:?}: {code:?}");
        if used {
            assert_eq!(proxy.finish_all().len(), 1);
        } else {
            proxy.assert_unasked();
        }
    }
}

#[test]
fn tinyproxy_from_the_environment_with_a_login_and_around_it() {
    let authority = Authority::new();
    let Some(proxy) = tinyproxy::start(Some("user secret")) else { return };
    let origin = Server::many(|_, mut conn| {
        let request = conn.read_request();
        conn.write(OK);
        request.field("via").is_some()
    });
    let ask = |program: Program| program.args(["-w", "%{http_code}%{proxy_used}", &origin.url("/")]).run();
    let with_login = proxy.url("").replace("http://", "http://user:secret@");
    ask(quiet(&[]).env("http_proxy", &with_login)).assert_code(0).assert_stdout("ok2001");
    ask(quiet(&["-U", "user:secret"]).env("all_proxy", proxy.url(""))).assert_code(0).assert_stdout("ok2001");
    ask(quiet(&["-p"]).env("http_proxy", &with_login)).assert_code(0).assert_stdout("ok2001");
    ask(quiet(&["--noproxy", "*"]).env("http_proxy", &with_login)).assert_code(0).assert_stdout("ok2000");
    let refused = ask(quiet(&["-o", "page"]).env("http_proxy", proxy.url("")));
    refused.assert_code(0).assert_stdout("4071");
    assert_eq!(origin.finish_all(), [true, true, false, false]);

    let origin = Server::tls(&authority, &Tls::default(), |mut conn| {
        conn.read_request();
        conn.write(OK);
    });
    let program = || quiet(&[]).arg("--cacert").arg(authority.file());
    let url = origin.url("/");
    let output = program().args(["-x", &proxy.url(""), &url, "-w", "%{http_connect}"]).run();
    output.assert_error(56).assert_stdout("407").assert_stderr_lacks("secret");
    let output = program().args(["-v", "-x", &with_login, &url, "-w", "%{http_connect}"]).run();
    output.assert_code(0).assert_stdout("ok200").assert_stderr_lacks("secret").assert_stderr_lacks("dXNlcjpzZWNyZXQ=");
}
