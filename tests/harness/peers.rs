//! The real servers, asked by curl.

use super::failure;
use crate::peers::{apache, installed, nginx, tinyproxy};
use crate::program::curl;
use crate::server::{Authority, Server, gzip};

#[test]
fn apache_decodes_requests_where_told_to() {
    let Some(apache) = apache::start() else { return };
    let body: Vec<u8> = (0..30_000u32).flat_map(|number| number.to_string().into_bytes()).collect();
    let member = gzip(&body);
    for (target, expected) in [("/decoded", &body), ("/raw", &member)] {
        let program = curl().file("body", &member).args(["-H", "Content-Encoding: gzip", "--data-binary", "@body"]);
        let output = program.arg(apache.url(target)).run();
        assert!(output.assert_code(0).stdout == *expected, "{}\n{}", output.describe(), apache.said());
    }
    let output = curl().args(["--data-binary", "plain"]).arg(apache.url("/decoded")).run();
    output.assert_stdout("plain");
}

#[test]
fn nginx_speaks_one_version_and_forwards() {
    let authority = Authority::new();
    for version in ["TLSv1.2", "TLSv1.3"] {
        let upstream = Server::answering("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nforwarded");
        let Some(nginx) = nginx::start(&authority, version, upstream.port()) else {
            return upstream.assert_unasked();
        };
        let url = |target: &str| format!("https://127.0.0.1:{}{target}", nginx.port());
        let trusting = || curl().arg("--cacert").arg(authority.file());
        let output = trusting().arg(url("/tls")).run();
        let text = output.assert_code(0).stdout_text();
        assert!(text.starts_with(version) && text.ends_with(" NONE\n"), "{text}");

        let client = authority.client();
        let program = trusting().arg("--cert").arg(client.certificate_file).arg("--key").arg(client.key_file);
        let text = program.arg(url("/tls")).run().stdout_text();
        assert!(text.ends_with(" SUCCESS\n"), "{text}");

        trusting().args(["-d", "body"]).arg(url("/v1")).run().assert_code(0).assert_stdout("forwarded");
        assert_eq!(upstream.finish().content, b"body");

        let large =
            trusting().stdin(vec![b'x'; 2 << 20]).args(["-w", "%{http_code}", "-o", "-", "--data-binary", "@-"]);
        let text = large.arg(url("/v1")).run().stdout_text();
        assert!(text.ends_with("413"), "{text}");
    }
}

#[test]
fn tinyproxy_forwards_tunnels_and_wants_a_login() {
    let authority = Authority::new();
    let Some(proxy) = tinyproxy::start(None) else { return };
    let origin = Server::answering("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nplain");
    let output = curl().args(["-x", &proxy.url("")]).arg(origin.url("/via")).run();
    output.assert_code(0).assert_stdout("plain");
    let request = origin.finish();
    assert!(request.field("via").is_some_and(|via| via.contains("tinyproxy")), "{:?}", request.fields);

    let origin = Server::tls(&authority, &crate::server::Tls::default(), |mut conn| {
        conn.read_request();
        conn.answer("200 OK", "tunnel");
    });
    let program = curl().arg("--cacert").arg(authority.file()).args(["-x", &proxy.url("")]);
    program.arg(origin.url("/")).run().assert_code(0).assert_stdout("tunnel");

    let Some(proxy) = tinyproxy::start(Some("user secret")) else { return };
    let origin = Server::answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nin");
    let ask = |login: &[&str]| {
        let program = curl().args(["-w", "%{http_code}", "-x", &proxy.url("")]).args(login);
        program.args(["-o", "page"]).arg(origin.url("/")).run().stdout_text()
    };
    assert_eq!(ask(&[]), "407");
    assert_eq!(ask(&["-U", "user:secret"]), "200");
}

#[test]
fn what_is_not_installed_is_skipped_but_not_in_ci() {
    let name = "no-such-server-anywhere";
    if std::env::var_os("CI").is_some_and(|value| value == "true") {
        assert!(failure(|| installed(name)).contains("is not installed"));
    } else {
        assert!(installed(name).is_none());
    }
}
