//! Keys reach the server and nobody else.

use crate::program::gzpost;
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
