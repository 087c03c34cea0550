//! Keys reach the server and nobody else.

use crate::program::{Program, Terminal, gzpost};
use crate::sample::OK;
use crate::server::{Server, gate};

const KEY: &str = "sk-very-secret-0123456789";

#[test]
fn a_key_of_the_environment_is_sent_and_is_not_in_the_process_list() {
    let (reached, reaching) = gate();
    let (opener, gate) = gate();
    let server = Server::start(move |mut conn| {
        let request = conn.read_request();
        reached.open();
        gate.wait();
        conn.write(OK);
        request
    });
    let program = gzpost().env("RELAY_KEY", KEY).args(["-v", "--bearer-env", "RELAY_KEY", &server.url("/")]);
    let running = program.spawn();
    reaching.wait();
    let line = std::fs::read(format!("/proc/{}/cmdline", running.id())).expect("a command line");
    opener.open();
    running.finish().assert_code(0).assert_stderr_lacks(KEY);
    let line = String::from_utf8_lossy(&line);
    assert!(line.contains("RELAY_KEY") && !line.contains(KEY), "{line}");
    assert_eq!(server.finish().field("authorization"), Some(format!("Bearer {KEY}").as_str()));
}

#[test]
fn a_variable_that_is_not_set_is_a_usage_error_that_names_it() {
    let output = gzpost().args(["--bearer-env", "NO_SUCH_KEY", "http://127.0.0.1:1/"]).run();
    output.assert_code(2).assert_stderr_has("NO_SUCH_KEY");
}

#[test]
fn verbose_redacts_every_field_that_holds_a_secret() {
    for name in
        ["Authorization", "Proxy-Authorization", "X-Api-Key", "api-key", "x-goog-api-key", "Cookie", "authorization"]
    {
        let server =
            Server::answering(format!("HTTP/1.1 200 OK\r\nSet-Cookie: id={KEY}\r\nContent-Length: 2\r\n\r\nok"));
        let field = format!("{name}: {KEY}");
        let output = gzpost().args(["-v", "-H", &field, &server.url("/")]).run();
        output.assert_code(0).assert_stderr_has(name).assert_stderr_has("<redacted>").assert_stderr_lacks(KEY);
        assert_eq!(server.finish().field(name), Some(KEY), "{name}");
    }
}

#[test]
fn verbose_redacts_logins_wherever_they_come_from() {
    // "user:sk-very-secret-0123456789" in base64, as Basic sends it.
    let encoded = "dXNlcjpzay12ZXJ5LXNlY3JldC0wMTIzNDU2Nzg5";
    let login = format!("user:{KEY}");
    let with_login = |url: String| url.replace("http://", &format!("http://{login}@"));
    for in_url in [false, true] {
        let server = Server::answering(OK);
        let url = if in_url { with_login(server.url("/")) } else { server.url("/") };
        let program = gzpost().arg("-v");
        let program = if in_url { program } else { program.args(["-u", &login]) };
        let output = program.arg(url).run();
        output.assert_code(0).assert_stderr_lacks(KEY).assert_stderr_lacks(encoded);
        assert_eq!(server.finish().field("authorization"), Some(format!("Basic {encoded}").as_str()));
    }
    let url = with_login(format!("http://127.0.0.1:{}/", crate::server::refused_port()));
    gzpost().args(["-v", &url]).run().assert_code(7).assert_stderr_lacks(KEY);
}

#[test]
fn keys_come_from_files_too() {
    let line = format!("Authorization: Bearer {KEY}\n");
    let config = format!("header = \"Authorization: Bearer {KEY}\"\n");
    for arguments in [["-H", "@fields"], ["-K", "config"]] {
        let server = Server::answering(OK);
        let program = gzpost().file("fields", &line).file("config", &config).args(arguments);
        program.args(["-v", &server.url("/")]).run().assert_code(0).assert_stderr_lacks(KEY);
        assert_eq!(server.finish().field("authorization"), Some(format!("Bearer {KEY}").as_str()));
    }
}

/// `user:sk-very-secret-0123456789` as Basic sends it.
const BASIC: &str = "Basic dXNlcjpzay12ZXJ5LXNlY3JldC0wMTIzNDU2Nzg5";

#[test]
fn a_login_comes_from_a_netrc_file() {
    let netrc = format!("machine other.example login x password y\nmachine 127.0.0.1 login user password {KEY}\n");
    for (options, name) in [
        (&["-n"][..], ".netrc"),
        (&["--netrc"], ".netrc"),
        (&["--netrc-optional"], ".netrc"),
        (&["--netrc-file", "logins"], "logins"),
    ] {
        let server = Server::answering(OK);
        let output = gzpost().file(name, &netrc).args(["-v", "-sS"]).args(options).arg(server.url("/")).run();
        output.assert_code(0).assert_stderr_lacks(KEY).assert_stderr_lacks(&BASIC[6..]);
        assert_eq!(server.finish().field("authorization"), Some(BASIC), "{options:?}");
    }
    // Unasked it is not read.
    let server = Server::answering(OK);
    gzpost().file(".netrc", &netrc).arg(server.url("/")).run().assert_code(0);
    assert_eq!(server.finish().field("authorization"), None);
    for (options, code) in [(["-n"], 26), (["--netrc-optional"], 0)] {
        let server = Server::answering(OK);
        let output = gzpost().arg("-sS").args(options).arg(server.url("/")).run();
        output.assert_code(code);
        if code == 0 { drop(server) } else { server.assert_unasked() }
    }
}

/// `setsid` makes the pseudo-terminal on stderr the controlling one, where the program asks.
#[test]
fn a_password_is_asked_for_on_the_terminal_and_not_shown() {
    let with_terminal = |arguments: &[&str]| {
        let script = "exec setsid --ctty --wait \"$0\" \"$@\" <&2";
        let program = Program::new("sh").args(["-c", script, env!("CARGO_BIN_EXE_gzpost")]).args(arguments);
        program.terminal(Terminal::Stderr).spawn()
    };
    for proxied in [false, true] {
        let server = Server::answering(OK);
        let url = server.url("/");
        let arguments =
            if proxied { vec!["-U", "user", "-x", &url, "http://h.example/"] } else { vec!["-vu", "user", &url] };
        let mut running = with_terminal(&arguments);
        running.wait_for_stderr("Password for user: ");
        running.type_in(&format!("{KEY}\n"));
        let output = running.finish();
        output.assert_code(0).assert_stdout("ok").assert_stderr_lacks(KEY).assert_stderr_lacks(&BASIC[6..]);
        let name = if proxied { "proxy-authorization" } else { "authorization" };
        assert_eq!(server.finish().field(name), Some(BASIC));
    }
    let mut running = with_terminal(&["-u", "user", "http://127.0.0.1:1/"]);
    running.wait_for_stderr("Password for user: ");
    running.type_in("\u{3}");
    running.finish().assert_code(130).assert_stderr_has("(130) interrupted");
}

#[test]
fn no_failure_shows_a_secret() {
    let port = crate::server::refused_port();
    let with_login = format!("http://user:{KEY}@127.0.0.1:{port}/");
    let (field, login) = (format!("Authorization: Bearer {KEY}"), format!("user:{KEY}"));
    let url = format!("http://127.0.0.1:{port}/");
    for arguments in [
        &[with_login.as_str()][..],
        &["-x", &with_login, "http://h.example/"],
        &["-x", &with_login, "https://h.example/"],
        &["-U", &login, "-x", &url, "https://h.example/"],
        &["-H", &field, "-u", &login, "-b", &format!("a={KEY}"), &url],
        &["--oauth2-bearer", KEY, &url],
        // Mistakes in other places.
        &[&with_login, &with_login],
        &[&with_login, "body", &with_login],
        &[&with_login, "--no-such-option"],
        &[&with_login, "no-such-body"],
        &[&with_login.replace("127.0.0.1", "none.invalid")],
        &[&with_login.replace("127.0.0.1", "h@127.0.0.1")],
        &[&with_login.replace(&port.to_string(), "port")],
        &[&with_login.replace("http", "ftp")],
        &[&with_login, "-H", KEY],
        &["-H", &format!("{KEY}: a b\r\n"), &url],
        &["-x", &with_login.replace("http", "socks5"), &url],
        &["--cert", &format!("missing:{KEY}"), "https://127.0.0.1:1/"],
    ] {
        let output = gzpost().arg("-v").args(arguments).run();
        assert_ne!(output.status.code(), Some(0), "{}", output.describe());
        output.assert_stderr_lacks(KEY).assert_stderr_lacks(&BASIC[6..]).assert_stdout("");
    }
}

#[test]
fn a_key_of_a_file_or_of_stdin_is_in_no_process_list() {
    let config = format!("oauth2-bearer = \"{KEY}\"\n");
    for (arguments, stdin) in [(["-K", "config"], false), (["-K", "-"], true), (["-H", "@fields"], false)] {
        let (opener, gate) = gate();
        let server = Server::start(move |mut conn| {
            let request = conn.read_request();
            gate.wait();
            conn.write(OK);
            request
        });
        let program = gzpost().file("fields", format!("# key\n\nAuthorization: Bearer {KEY}\r\n"));
        let program = if stdin { program.stdin(config.clone()) } else { program.file("config", &config) };
        let mut running = program.args(["-v"]).args(arguments).arg(server.url("/")).spawn();
        running.wait_for_stderr("> GET / HTTP/1.1");
        let line = std::fs::read(format!("/proc/{}/cmdline", running.id())).expect("a command line");
        opener.open();
        running.finish().assert_code(0).assert_stderr_lacks(KEY);
        assert!(!String::from_utf8_lossy(&line).contains(KEY));
        assert_eq!(server.finish().field("authorization"), Some(format!("Bearer {KEY}").as_str()), "{arguments:?}");
    }
}

#[test]
fn secrets_of_a_redirect_are_not_sent_on() {
    // Another origin: a name, a scheme or a port of its own.
    let elsewhere = Server::answering(OK);
    let location = format!("http://localhost:{}/", elsewhere.port());
    let server = Server::start(move |mut conn| {
        conn.read_request();
        conn.write(format!("HTTP/1.1 302 Found\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n"));
    });
    let program = gzpost().env("KEY", KEY).args(["-4", "-v", "-L", "--bearer-env", "KEY", &server.url("/")]);
    program.run().assert_code(0).assert_stderr_lacks(KEY);
    assert!(!String::from_utf8_lossy(&elsewhere.finish().head).contains(KEY));
}
