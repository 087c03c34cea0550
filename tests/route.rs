//! Where connections go: names, addresses, families and sockets, whatever the URL says.

use std::net::{Ipv6Addr, TcpListener};

use crate::program::gzpost;
use crate::sample::{OK, quiet};
use crate::server::{Request, Server, refused_port};

/// A server that tells which host it was asked for.
fn telling() -> Server<Request> {
    Server::answering(OK)
}

#[test]
fn resolve_takes_names_ports_and_wildcards() {
    for (entries, host, reached) in [
        (&["h.example:PORT:127.0.0.1"][..], "h.example", true),
        (&["H.Example:PORT:127.0.0.1"], "h.EXAMPLE", true),
        (&["*:PORT:127.0.0.1"], "any.example", true),
        (&["+h.example:PORT:127.0.0.1"], "h.example", true),
        (&["h.example:1:127.0.0.1"], "h.example", false),
        (&["a.example:PORT:127.0.0.1"], "h.example", false),
        (&["h.example:PORT:127.0.0.9", "h.example:PORT:127.0.0.1"], "h.example", true),
        (&["*:PORT:127.0.0.9", "h.example:PORT:127.0.0.1"], "h.example", true),
        (&["h.example:PORT:127.0.0.1", "-h.example:PORT"], "h.example", false),
        (&["h.example:PORT:[::1],127.0.0.1"], "h.example", true),
        (&["h.example:PORT:127.0.0.9,127.0.0.1"], "h.example", true),
    ] {
        let server = telling();
        let port = server.port().to_string();
        let options: Vec<String> =
            entries.iter().flat_map(|entry| ["--resolve".into(), entry.replace("PORT", &port)]).collect();
        let program = gzpost().arg("-sS").args(options).args(["-w", " %{remote_ip}"]);
        let output = program.arg(format!("http://{host}:{port}/")).run();
        if reached {
            output.assert_code(0).assert_stdout("ok 127.0.0.1");
            assert_eq!(server.finish().field("host"), Some(format!("{host}:{port}").as_str()), "{entries:?}");
        } else {
            output.assert_error(6).assert_stderr_has(host);
            server.assert_unasked();
        }
    }
}

#[test]
fn connect_to_changes_the_way_and_nothing_else() {
    for (entries, reached) in [
        (&["h.example:80:127.0.0.1:PORT"][..], true),
        (&["H.example::127.0.0.1:PORT"], true),
        (&[":80:127.0.0.1:PORT"], true),
        (&["::127.0.0.1:PORT"], true),
        (&["a.example:80:127.0.0.1:1", "::127.0.0.1:PORT"], true),
        (&["h.example:80:127.0.0.1:PORT", "::127.0.0.1:1"], true),
        (&["h.example:81:127.0.0.1:PORT"], false),
        (&["a.example::127.0.0.1:PORT"], false),
        (&[":::"], false),
    ] {
        let server = telling();
        let port = server.port().to_string();
        let options: Vec<String> =
            entries.iter().flat_map(|entry| ["--connect-to".into(), entry.replace("PORT", &port)]).collect();
        let output = gzpost().args(["-sS", "-m", "9", "--resolve", "h.example:80:127.0.0.9"]).args(options);
        let output = output.arg("http://h.example/x").run();
        if reached {
            output.assert_code(0).assert_stdout("ok");
            assert_eq!(server.finish().field("host"), Some("h.example"), "{entries:?}");
        } else {
            // Nobody listens at 127.0.0.9.
            output.assert_error(7).assert_stderr_has("h.example:80");
            server.assert_unasked();
        }
    }
    let server = telling();
    let to = [
        "--connect-to",
        &format!("h.example:80:b.example:{}", server.port()),
        "--resolve",
        &format!("b.example:{}:127.0.0.1", server.port()),
        "http://h.example/",
    ];
    quiet(&to).run().assert_code(0);
    assert_eq!(server.finish().field("host"), Some("h.example"));
}

#[test]
fn malformed_entries_are_49() {
    for (option, entry) in [
        ("--resolve", "h.example"),
        ("--resolve", "h.example:80"),
        ("--resolve", "h.example:80:b.example"),
        ("--resolve", "h.example:port:127.0.0.1"),
        ("--resolve", "h.example:80:127.0.0.1,,x"),
        ("--resolve", "[::1:80:127.0.0.1"),
        ("--connect-to", "h.example"),
        ("--connect-to", "h.example:80"),
        ("--connect-to", "h.example:port:b.example:80"),
        ("--connect-to", "h.example:80:b.example:99999"),
        ("--connect-to", "h.example:80:b example:80"),
    ] {
        quiet(&[option, entry, "http://127.0.0.1:1/"]).run().assert_error(49).assert_stderr_has(option);
    }
}

#[test]
fn a_family_can_be_asked_for() {
    let server = telling();
    let url = format!("http://localhost:{}/", server.port());
    quiet(&["-4", &url, "-w", " %{remote_ip}"]).run().assert_code(0).assert_stdout("ok 127.0.0.1");
    for arguments in [["-6", "http://127.0.0.1:1/"], ["-4", "http://[::1]:1/"]] {
        quiet(&arguments).run().assert_error(6).assert_stderr_has("family");
    }
    let resolve = ["--resolve", "h.example:1:127.0.0.1,::1", "http://h.example:1/", "-v"];
    for (option, tried, other) in [("-4", "127.0.0.1:1", "[::1]:1"), ("-6", "[::1]:1", "127.0.0.1:1")] {
        let output = quiet(&resolve).arg(option).run();
        output.assert_code(7).assert_stderr_has(&format!("Trying {tried}...")).assert_stderr_lacks(other);
    }
}

#[test]
fn an_ipv6_address_stands_in_brackets() {
    let Ok(listener) = TcpListener::bind((Ipv6Addr::LOCALHOST, 0)) else {
        // Some containers have no IPv6.
        return;
    };
    let port = listener.local_addr().expect("an address").port();
    let told = std::thread::spawn(move || {
        let (socket, _) = listener.accept().expect("a connection");
        let mut conn = crate::server::Conn::plain(socket);
        let request = conn.read_request();
        conn.write(OK);
        request
    });
    let url = format!("http://[::1]:{port}/");
    quiet(&["-6", &url, "-w", " %{remote_ip}"]).run().assert_code(0).assert_stdout("ok ::1");
    assert_eq!(told.join().expect("a request").field("host"), Some(format!("[::1]:{port}").as_str()));
    quiet(&["http://[::1]:1/"]).run().assert_error(7).assert_stderr_has("could not connect to [::1]:1: ");
}

#[test]
fn a_unix_socket_is_used_for_any_host_and_a_missing_one_is_7() {
    for url in ["http://h.example/x", "http://127.0.0.1:1/x", "http://none.invalid/x"] {
        let server = Server::unix(|mut conn| {
            let request = conn.read_request();
            conn.write(OK);
            request
        });
        let program = quiet(&["-d", "a=1"]).arg("--unix-socket").arg(server.path()).arg(url);
        program.run().assert_code(0).assert_stdout("ok");
        assert_eq!(server.finish().content, b"a=1");
    }
    for path in ["no-such-socket", &"x".repeat(200), "."] {
        quiet(&["--unix-socket", path, "http://h.example/"]).run().assert_error(7).assert_stderr_has(path);
    }
}

#[test]
fn a_unix_socket_is_reached_without_a_proxy() {
    let dead = format!("http://127.0.0.1:{}", refused_port());
    for (arguments, variable) in [
        (&["-x", &dead][..], "none"),
        (&["-x", &dead, "-p"], "none"),
        (&["-x", "socks5://127.0.0.1:1"], "none"),
        (&[], "all_proxy=socks5://127.0.0.1:1"),
        (&[], "http_proxy=http://127.0.0.1:1"),
    ] {
        let server = Server::unix(|mut conn| {
            let request = conn.read_request();
            conn.write(OK);
            request
        });
        let (name, value) = variable.split_once('=').unwrap_or((variable, ""));
        let program = quiet(&["-w", "%{proxy_used}", "http://h.example/x"]).args(arguments).env(name, value);
        program.arg("--unix-socket").arg(server.path()).run().assert_code(0).assert_stdout("ok0");
        let request = server.finish();
        assert_eq!((request.target.as_str(), request.field("proxy-connection")), ("/x", None));
    }
}

#[test]
fn a_host_that_cannot_be_is_refused_and_one_that_is_not_there_is_named() {
    for (url, code) in [
        (format!("http://{}/", "a".repeat(256)), 3),
        ("http://a b/".to_owned(), 3),
        ("http://h\u{e9}.example/".to_owned(), 3),
        ("http:///".to_owned(), 3),
        (format!("http://{}.invalid/", "a".repeat(60)), 6),
        (format!("http://127.0.0.1:{}/", refused_port()), 7),
    ] {
        quiet(&[&url]).run().assert_error(code);
    }
}
