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

#[test]
fn bounds_of_versions_meet_or_are_35() {
    let authority = Authority::new();
    for (option, only12, only13) in [
        (&[][..], true, true),
        (&["--tlsv1.2"], true, true),
        (&["--tlsv1"], true, true),
        (&["--tlsv1.3"], false, true),
        (&["--tls-max", "1.3"], true, true),
        (&["--tls-max", "1.2"], true, false),
        (&["--tlsv1.2", "--tls-max", "1.2"], true, false),
        (&["--tlsv1.3", "--tlsv1.2"], true, true),
    ] {
        for (versions, meets, version) in [(Versions::Only12, only12, "TLSv1.2"), (Versions::Only13, only13, "TLSv1.3")]
        {
            let tls = Tls { versions, ..Tls::default() };
            if meets {
                let server = Server::tls(&authority, &tls, answer);
                let output = quiet(&authority).args(option).args(["-w", "%{tls_version}", &server.url("/")]).run();
                output.assert_code(0).assert_stdout("ok".to_owned() + version);
            } else {
                let server = Server::tls_refused(&authority, &tls);
                quiet(&authority).args(option).arg(server.url("/")).run().assert_error(35);
            }
        }
    }
    for option in [&["--tls-max", "1.1"][..], &["--tls-max", "2"], &["--tlsv1.3", "--tls-max", "1.2"]] {
        gzpost().arg("-sS").args(option).arg("https://127.0.0.1:1/").run().assert_error(2);
    }
}

#[test]
fn the_files_of_the_authority_come_from_options_before_the_environment() {
    let (authority, other) = (Authority::new(), Authority::new());
    let (ours, theirs) = (authority.file(), other.file());
    let folder = |file: &std::path::Path| file.parent().expect("a folder").to_owned();
    for (option, variables, trusted) in [
        (None, vec![("CURL_CA_BUNDLE", ours.clone())], true),
        (None, vec![("SSL_CERT_FILE", ours.clone())], true),
        (None, vec![("SSL_CERT_DIR", folder(&ours))], true),
        (None, vec![("CURL_CA_BUNDLE", ours.clone()), ("SSL_CERT_FILE", theirs.clone())], true),
        (None, vec![("CURL_CA_BUNDLE", theirs.clone()), ("SSL_CERT_FILE", ours.clone())], false),
        (Some(("--cacert", ours.clone())), vec![("CURL_CA_BUNDLE", theirs.clone())], true),
        (Some(("--cacert", theirs.clone())), vec![("CURL_CA_BUNDLE", ours.clone())], false),
        (Some(("--capath", folder(&ours))), vec![("SSL_CERT_FILE", theirs.clone())], true),
        (None, vec![], false),
    ] {
        let program = variables.iter().fold(gzpost().arg("-sS"), |program, (name, value)| program.env(name, value));
        let program = option.iter().fold(program, |program, (name, value)| program.arg(name).arg(value));
        if trusted {
            let server = Server::tls(&authority, &Tls::default(), answer);
            program.arg(server.url("/")).run().assert_code(0).assert_stdout("ok");
        } else {
            let server = Server::tls_refused(&authority, &Tls::default());
            program.arg(server.url("/")).run().assert_error(60).assert_stderr_has("--cacert");
        }
    }
}

/// The kernel accepts connections for the listener; nobody takes them.
#[test]
fn files_that_are_no_certificates_are_58_and_77_before_a_handshake() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let url = format!("https://{}/", listener.local_addr().expect("an address"));
    let authority = Authority::new();
    let (one, two) = (authority.client(), authority.client());
    let program = || gzpost().arg("-sS").file("garbage", "no PEM").file("empty", "").file("broken", BROKEN);
    for (options, code, part) in [
        (vec!["--cacert".into(), "missing".into()], 77, "missing"),
        (vec!["--cacert".into(), "garbage".into()], 77, "garbage"),
        (vec!["--cacert".into(), "empty".into()], 77, "empty"),
        (vec!["--cacert".into(), "broken".into()], 77, "broken"),
        (vec!["--cacert".into(), ".".into()], 77, ""),
        (vec!["--capath".into(), "missing".into()], 77, "missing"),
        (vec!["--capath".into(), ".".into()], 77, ".: no CA certificate in it"),
        (vec!["--cert".into(), "garbage".into()], 58, "garbage"),
        (vec!["--cert".into(), "broken".into()], 58, "broken"),
        (vec!["--cert".into(), one.certificate_file.clone()], 58, "no private key"),
        (vec!["--cert".into(), one.certificate_file.clone(), "--key".into(), "missing".into()], 58, "missing"),
        (vec!["--cert".into(), one.certificate_file.clone(), "--key".into(), "garbage".into()], 58, "garbage"),
        (vec!["--cert".into(), one.certificate_file, "--key".into(), two.key_file], 58, ""),
    ] {
        program().args(&options).arg(&url).run().assert_error(code).assert_stderr_has(part);
    }
    // Only https needs them.
    let server = Server::answering(OK);
    gzpost().args(["-sS", "--cacert", "missing", &server.url("/")]).run().assert_code(0);
}

const BROKEN: &str = "-----BEGIN CERTIFICATE-----\nQUJD\n-----END CERTIFICATE-----\n";

#[test]
fn one_file_may_hold_certificate_and_key() {
    let authority = Authority::new();
    let client = authority.client();
    let both = [&client.certificate_file, &client.key_file].map(|file| crate::server::read_file(file)).concat();
    let server = Server::tls(&authority, &Tls { client_certificate: true, ..Tls::default() }, answer);
    let program = quiet(&authority).file("both.pem", both).args(["-E", "both.pem", &server.url("/")]);
    program.run().assert_code(0).assert_stdout("ok");
}

/// What is no TLS within TLS: garbage, records that are cut off or too long, an alert.
#[test]
fn faults_behind_the_handshake_keep_what_came() {
    let authority = Authority::new();
    for (said, past, code) in [
        ("", &b"HTTP/1.1 200 OK\r\n\r\n"[..], 56),
        ("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nsome", b"garbage that is no record", 56),
        (
            "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nsome",
            b"\x17\x03\x03\x00\x20not what the key makes of it....",
            56,
        ),
        ("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nsome", b"\x17\x03\x03\xff\xff", 56),
        ("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nsome", b"\x17\x03\x03\x40", 56),
        ("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nsome", b"\x15\x03\x03\x00\x02\x02\x28", 56),
        ("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nsome", b"garbage behind the end", 0),
    ] {
        let server = Server::tls(&authority, &Tls::default(), move |mut conn| {
            conn.read_request();
            conn.write(said);
            conn.write_past_tls(past);
        });
        let output = quiet(&authority).arg(server.url("/")).run();
        output.assert_code(code).assert_stdout(if said.is_empty() { "" } else { "some" });
        assert_eq!(output.stderr_text().lines().count(), usize::from(code != 0), "{}", output.describe());
    }
}

#[test]
fn a_plain_request_to_a_port_that_speaks_tls_is_told() {
    let server = Server::start(|mut conn| {
        conn.read_request();
        // An alert, as servers send it: unexpected message.
        conn.write(b"\x15\x03\x01\x00\x02\x02\x0a");
    });
    let output = gzpost().args(["-sS", &server.url("/")]).run();
    output.assert_error(1).assert_stderr_has("https://");
}
