//! Proxies: which one, what it is told, and what its refusal means.

use crate::peers::tinyproxy;
use crate::program::{Program, gzpost};
use crate::sample::OK;
use crate::server::{Authority, Conn, Request, Server, Tls};

fn quiet(arguments: &[&str]) -> Program {
    gzpost().arg("-sS").args(arguments)
}

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
