//! TLS: versions, trust, certificates of clients, and ends without notice.

use crate::program::{Program, gzpost};
use crate::sample::{OK, chat};
use crate::server::{Authority, Conn, Leaf, Server, Tls, Versions};

fn quiet(authority: &Authority) -> Program {
    gzpost().args(["-sS", "--cacert"]).arg(authority.file())
}

fn answer(mut conn: Conn) {
    conn.read_request();
    conn.write(OK);
}

#[test]
fn both_versions_are_spoken_and_told() {
    let authority = Authority::new();
    for (versions, expected) in [(Versions::Only12, "TLSv1.2"), (Versions::Only13, "TLSv1.3")] {
        let server = Server::tls(&authority, &Tls { versions, ..Tls::default() }, |mut conn| {
            let request = conn.read_request();
            conn.write(OK);
            request.decoded()
        });
        let program =
            quiet(&authority).stdin(chat(100_000)).args(["-o", "answer", "-w", "%{tls_version} %{tls_cipher}"]);
        let output = program.args([&server.url("/"), "-"]).run();
        let text = output.assert_code(0).stdout_text();
        assert!(text.starts_with(&format!("{expected} TLS_")), "{text}");
        assert!(server.finish() == chat(100_000));
    }
}

#[test]
fn the_hello_names_the_host_and_http_1_1() {
    let authority = Authority::new();
    let server = Server::tls(&authority, &Tls::default(), |mut conn| {
        conn.read_request();
        conn.write(OK);
        conn.hello.clone().expect("a hello")
    });
    let url = format!("https://localhost:{}/", server.port());
    quiet(&authority).args(["-4", &url]).run().assert_code(0);
    let hello = server.finish();
    assert_eq!(hello.server_name.as_deref(), Some("localhost"));
    assert_eq!(hello.alpn, ["http/1.1"]);
}

#[test]
fn certificates_that_are_not_trusted_are_60() {
    let authority = Authority::new();
    for leaf in [
        Leaf { names: vec!["other.example"], ..Leaf::default() },
        Leaf { days: -30..-1, ..Leaf::default() },
        Leaf { days: 1..30, ..Leaf::default() },
    ] {
        let server = Server::tls_refused(&authority, &Tls { leaf, ..Tls::default() });
        quiet(&authority).args(["-d", "secret", &server.url("/")]).run().assert_error(60);
    }
    let server = Server::tls_refused(&authority, &Tls::default());
    quiet(&Authority::new()).arg(server.url("/")).run().assert_error(60);
    let server = Server::tls_refused(&authority, &Tls::default());
    gzpost().args(["-sS", &server.url("/")]).run().assert_error(60);
}

#[test]
fn insecure_takes_any_certificate() {
    let authority = Authority::new();
    let leaf = Leaf { names: vec!["other.example"], days: -30..-1 };
    let server = Server::tls(&authority, &Tls { leaf, ..Tls::default() }, answer);
    let output = gzpost().args(["-sSk", &server.url("/")]).run();
    output.assert_code(0).assert_stdout("ok");
}

#[test]
fn the_authority_comes_from_the_environment_too() {
    let authority = Authority::new();
    for variable in ["CURL_CA_BUNDLE", "SSL_CERT_FILE"] {
        let server = Server::tls(&authority, &Tls::default(), answer);
        gzpost().env(variable, authority.file()).args(["-sS", &server.url("/")]).run().assert_code(0);
    }
}

#[test]
fn a_certificate_of_the_client_is_shown_when_wanted() {
    let authority = Authority::new();
    let wanting = || Tls { client_certificate: true, ..Tls::default() };
    let client = authority.client();
    let server = Server::tls(&authority, &wanting(), answer);
    let program = quiet(&authority).arg("--cert").arg(&client.certificate_file).arg("--key").arg(&client.key_file);
    program.arg(server.url("/")).run().assert_code(0).assert_stdout("ok");

    let server = Server::tls_refused(&authority, &wanting());
    let output = quiet(&authority).arg(server.url("/")).run();
    assert!(matches!(output.status.code(), Some(35 | 55 | 56)), "{}", output.describe());
    drop(server);
}

#[test]
fn garbage_instead_of_a_handshake_is_35() {
    let server = Server::start(|mut conn| {
        conn.read_some(1 << 16);
        conn.write("HTTP/1.1 400 Bad Request\r\n\r\nthis port speaks plain HTTP");
    });
    gzpost().args(["-sS", &server.url("/").replace("http:", "https:")]).run().assert_error(35);
}

#[test]
fn a_connection_that_ends_within_the_handshake_is_35() {
    let server = Server::start(|mut conn| drop(conn.read_some(1 << 16)));
    gzpost().args(["-sS", &server.url("/").replace("http:", "https:")]).run().assert_error(35);
}

#[test]
fn versions_that_do_not_meet_are_35() {
    let authority = Authority::new();
    for (versions, option) in [(Versions::Only12, &["--tlsv1.3"][..]), (Versions::Only13, &["--tls-max", "1.2"][..])] {
        let server = Server::tls_refused(&authority, &Tls { versions, ..Tls::default() });
        quiet(&authority).args(option).arg(server.url("/")).run().assert_error(35);
    }
}

#[test]
fn an_end_without_close_notify_counts_only_where_the_framing_needs_the_end() {
    let authority = Authority::new();
    let silently = |answer: &'static str| {
        Server::tls(&authority, &Tls::default(), move |mut conn| {
            conn.read_request();
            conn.write(answer);
            conn.close_without_notify();
        })
    };
    let server = silently(OK);
    quiet(&authority).arg(server.url("/")).run().assert_code(0).assert_stdout("ok");
    // Without a length nobody can tell this from a connection that was cut.
    let server = silently("HTTP/1.1 200 OK\r\n\r\nperhaps all");
    quiet(&authority).arg(server.url("/")).run().assert_error(56).assert_stdout("perhaps all");

    let server = Server::tls(&authority, &Tls::default(), |mut conn| {
        conn.read_request();
        conn.write("HTTP/1.1 200 OK\r\n\r\nsurely all");
    });
    quiet(&authority).arg(server.url("/")).run().assert_code(0).assert_stdout("surely all");
}

#[test]
fn resolve_and_connect_to_keep_the_name() {
    let authority = Authority::new();
    let hello = |mut conn: Conn| {
        let request = conn.read_request();
        conn.write(OK);
        (conn.hello.clone().and_then(|hello| hello.server_name), request.field("host").map(str::to_owned))
    };
    let tls = || Tls { leaf: Leaf { names: vec!["relay.example"], ..Leaf::default() }, ..Tls::default() };
    let server = Server::tls(&authority, &tls(), hello);
    let port = server.port();
    let resolve = format!("relay.example:{port}:127.0.0.1");
    let url = format!("https://relay.example:{port}/");
    quiet(&authority).args(["--resolve", &resolve, &url]).run().assert_code(0);
    let (name, host) = server.finish();
    assert_eq!((name.as_deref(), host), (Some("relay.example"), Some(format!("relay.example:{port}"))));

    let server = Server::tls(&authority, &tls(), hello);
    let connect_to = format!("relay.example:443:127.0.0.1:{}", server.port());
    quiet(&authority).args(["--connect-to", &connect_to, "https://relay.example/"]).run().assert_code(0);
    let (name, host) = server.finish();
    assert_eq!((name.as_deref(), host.as_deref()), (Some("relay.example"), Some("relay.example")));
}
