//! The scripted server over TLS.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;

use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

use crate::program::{Program, curl};
use crate::server::{Authority, Leaf, Server, Tls, Versions, set_deadlines};

fn trusting(authority: &Authority) -> Program {
    curl().arg("--cacert").arg(authority.file())
}

/// A client whose writes become one record each.
fn connect(authority: &Authority, port: u16) -> StreamOwned<ClientConnection, TcpStream> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut roots = RootCertStore::empty();
    roots.add(authority.certificate()).expect("a root");
    let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let config = config.expect("versions of TLS").with_root_certificates(roots).with_no_client_auth();
    let name = ServerName::try_from("localhost").expect("a name");
    let socket = TcpStream::connect(("127.0.0.1", port)).expect("a connection to the server");
    set_deadlines(&socket).expect("deadlines on a socket");
    StreamOwned::new(ClientConnection::new(Arc::new(config), name).expect("a client"), socket)
}

#[test]
fn speaks_each_version_and_records_what_the_client_offered() {
    let authority = Authority::new();
    for (versions, expected) in [(Versions::Only12, "TLSv1.2"), (Versions::Only13, "TLSv1.3")] {
        let server = Server::tls(&authority, &Tls { versions, ..Tls::default() }, |mut conn| {
            conn.read_request();
            conn.answer("200 OK", "secret");
            conn.hello.clone().expect("a hello")
        });
        let url = format!("https://localhost:{}/", server.port());
        let output = trusting(&authority).args(["-v", "--ipv4"]).arg(url).run();
        output.assert_code(0).assert_stdout("secret").assert_stderr_has(&format!("SSL connection using {expected}"));
        let hello = server.finish();
        assert_eq!(hello.server_name.as_deref(), Some("localhost"));
        assert_eq!(hello.alpn, ["h2", "http/1.1"]);
    }
}

#[test]
fn one_read_is_one_record() {
    let authority = Authority::new();
    let server = Server::tls(&authority, &Tls::default(), |mut conn| [0; 3].map(|_| conn.read_some(1 << 16)));
    let mut client = connect(&authority, server.port());
    client.write_all(b"first").expect("a record");
    client.write_all(b"second").expect("a record");
    client.conn.send_close_notify();
    client.flush().expect("a closing record");
    assert_eq!(server.finish(), [b"first".to_vec(), b"second".to_vec(), Vec::new()]);
}

#[test]
fn bad_certificates_are_refused() {
    let authority = Authority::new();
    for leaf in [
        Leaf { names: vec!["other.example"], ..Leaf::default() },
        Leaf { days: -30..-1, ..Leaf::default() },
        Leaf { days: 1..30, ..Leaf::default() },
    ] {
        let server = Server::tls_refused(&authority, &Tls { leaf, ..Tls::default() });
        trusting(&authority).arg(server.url("/")).run().assert_code(60);
        server.finish();
    }
    let server = Server::tls_refused(&authority, &Tls::default());
    curl().arg(server.url("/")).run().assert_code(60);
    let reason = server.finish();
    assert!(reason.to_lowercase().contains("unknown"), "{reason}");
}

#[test]
fn a_certificate_that_ends_soon_is_good_until_then() {
    let authority = Authority::new();
    let leaf = Leaf { days: -60..3, ..Leaf::default() };
    let server = Server::tls(&authority, &Tls { leaf, ..Tls::default() }, |mut conn| {
        conn.read_request();
        conn.answer("204 No Content", "");
    });
    trusting(&authority).arg(server.url("/")).run().assert_code(0);
}

#[test]
fn wants_a_certificate_of_the_client() {
    let authority = Authority::new();
    let wanting = || Tls { client_certificate: true, ..Tls::default() };
    let server = Server::tls(&authority, &wanting(), |mut conn| {
        conn.read_request();
        conn.answer("200 OK", "known");
    });
    let client = authority.client();
    let program = trusting(&authority).arg("--cert").arg(&client.certificate_file).arg("--key").arg(&client.key_file);
    program.arg(server.url("/")).run().assert_code(0).assert_stdout("known");
    let server = Server::tls_refused(&authority, &wanting());
    let code = trusting(&authority).arg(server.url("/")).run().status.code();
    assert!(matches!(code, Some(35 | 55 | 56)), "{code:?}");
    server.finish();
}

#[test]
fn closes_with_and_without_saying_so() {
    let authority = Authority::new();
    for silently in [false, true] {
        let server = Server::tls(&authority, &Tls::default(), move |mut conn| {
            conn.write("up to the end");
            if silently { conn.close_without_notify() } else { drop(conn) }
        });
        let mut bytes = Vec::new();
        let end = connect(&authority, server.port()).read_to_end(&mut bytes).map_err(|error| error.kind());
        assert_eq!(bytes, b"up to the end");
        assert_eq!(end.err(), silently.then_some(ErrorKind::UnexpectedEof));
    }
}

#[test]
fn what_was_said_before_the_reset_of_an_unread_upload_can_be_read() {
    let authority = Authority::new();
    for _ in 0..20 {
        let server = Server::tls(&authority, &Tls::default(), |mut conn| {
            conn.read_exact(1);
            conn.write("too large");
        });
        let mut client = connect(&authority, server.port());
        while client.write_all(&[0; 1 << 14]).is_ok() {}
        // `StreamOwned::read` would first send what is left, and fail.
        let (session, mut socket) = (&mut client.conn, &mut client.sock);
        let mut said = vec![0; 100];
        let count = loop {
            match session.reader().read(&mut said) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                read => break read.expect("what was said"),
            }
            session.read_tls(&mut socket).expect("a record");
            session.process_new_packets().expect("a whole record");
        };
        assert_eq!(said[..count], *b"too large");
    }
}

#[test]
fn garbage_is_no_handshake() {
    let server = Server::start(|mut conn| {
        conn.read_some(1 << 16);
        conn.write("this is not TLS\r\n");
    });
    curl().arg(server.url("/").replace("http:", "https:")).run().assert_code(35);
}

#[test]
fn a_hundred_megabits_go_through_quickly_enough() {
    let authority = Authority::new();
    let body = vec![b'7'; 12 << 20];
    let expected = body.len();
    let server = Server::tls(&authority, &Tls::default(), move |mut conn| {
        let request = conn.read_request();
        conn.answer("200 OK", &request.content);
        request.content.len()
    });
    let program = trusting(&authority).file("body", &body).args(["-H", "Expect:", "--data-binary", "@body"]);
    let output = program.arg(server.url("/")).run();
    assert!(output.assert_code(0).stdout == body);
    assert_eq!(server.finish(), expected);
}
