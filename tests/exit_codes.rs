//! curl's exit codes for curl's reasons, each with its line on stderr.

use std::net::Ipv4Addr;
use std::net::TcpListener;

use crate::program::gzpost;
use crate::sample::{OK, quiet};
use crate::server::Blackhole;
use crate::server::{Server, refused_port};

#[test]
fn mistakes_of_the_command_line() {
    let url = "http://127.0.0.1:1/";
    for (code, arguments) in [
        (1, &["ftp://127.0.0.1/"][..]),
        (2, &["--no-such-option", url]),
        (2, &[]),
        (2, &["-I", "-d", "a", url]),
        (2, &["-f", "--fail-with-body", url]),
        (3, &["http://127.0.0.1:99999/"]),
        (3, &["http://"]),
        (49, &["--resolve", "nonsense", url]),
        (97, &["-x", "socks5://127.0.0.1:1", url]),
    ] {
        let output = quiet(arguments).run();
        output.assert_code(code).assert_stderr_has(&format!("gzpost: ({code}) ")).assert_stdout("");
    }
}

#[test]
fn files_of_tls_that_are_missing() {
    // The kernel accepts connections for it; whether the files are read before or after that is left open.
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let url = format!("https://{}/", listener.local_addr().expect("an address"));
    for (option, code) in [("--cert", 58), ("--cacert", 77)] {
        quiet(&[option, "missing.pem", &url]).run().assert_error(code).assert_stderr_has("missing.pem");
    }
}

#[test]
fn a_name_that_does_not_resolve_is_6() {
    quiet(&["http://nonexistent.invalid/"]).run().assert_error(6).assert_stderr_has("nonexistent.invalid");
    quiet(&["-x", "http://nonexistent.invalid:1", "http://127.0.0.1:1/"]).run().assert_error(5);
}

#[test]
fn a_refused_connection_is_7_and_names_host_and_port() {
    let port = refused_port();
    let output = quiet(&[&format!("http://127.0.0.1:{port}/")]).run();
    output.assert_error(7).assert_stderr_has("127.0.0.1").assert_stderr_has(&port.to_string());
}

#[test]
fn contradicting_lengths_are_8() {
    let server = Server::answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok!");
    quiet(&[&server.url("/")]).run().assert_error(8);
}

#[test]
fn a_file_that_cannot_be_written_is_23() {
    let server = Server::answering(OK);
    quiet(&["-o", ".", &server.url("/")]).run().assert_error(23);
}

#[test]
fn a_silent_server_is_28_after_the_time_limit() {
    let server = Server::start(|mut conn| conn.read_to_end());
    quiet(&["-m", "0.3", &server.url("/")]).run().assert_error(28).assert_stdout("");
    drop(server);

    let server = Server::start(|mut conn| {
        conn.read_request();
        conn.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nsome");
        conn.read_to_end();
    });
    quiet(&["-m", "0.3", &server.url("/")]).run().assert_error(28).assert_stdout("some");
}

#[test]
fn a_dead_address_is_28_after_the_connect_timeout() {
    let hole = Blackhole::new(Ipv4Addr::new(127, 0, 0, 2), 0);
    quiet(&["--connect-timeout", "0.3", &format!("http://{}/", hole.address())]).run().assert_error(28);
}

#[test]
fn a_slow_server_is_28_under_a_speed_limit() {
    let server = Server::start(|mut conn| {
        conn.read_request();
        conn.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nsome");
        conn.read_to_end();
    });
    quiet(&["-Y", "1000", "-y", "1", &server.url("/")]).run().assert_error(28).assert_stdout("some");
}

#[test]
fn too_many_redirects_are_47() {
    let server = Server::many(|_, mut conn| {
        conn.read_request();
        conn.write("HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    });
    quiet(&["-L", "--max-redirs", "2", &server.url("/")]).run().assert_error(47);
    assert_eq!(server.finish_all().len(), 3);
}

#[test]
fn a_connection_that_ends_without_an_answer_is_52() {
    let server = Server::start(|mut conn| drop(conn.read_request()));
    quiet(&[&server.url("/")]).run().assert_error(52);
}

#[test]
fn a_reset_instead_of_an_answer_is_56() {
    let server = Server::start(|mut conn| {
        conn.read_request();
        conn.reset();
    });
    quiet(&[&server.url("/")]).run().assert_error(56);
}

#[test]
fn a_broken_coding_of_the_answer_is_61() {
    let server =
        Server::answering("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 11\r\n\r\nno gzip at ");
    quiet(&["--compressed", &server.url("/")]).run().assert_error(61);
}

#[test]
fn an_answer_that_is_too_large_is_63() {
    let server = Server::answering("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n");
    quiet(&["--max-filesize", "999", &server.url("/")]).run().assert_error(63);
}

#[test]
fn silence_hides_messages_and_show_error_brings_them_back() {
    let url = format!("http://127.0.0.1:{}/", refused_port());
    let output = gzpost().args(["-s", &url]).run();
    output.assert_code(7);
    assert_eq!(output.stderr_text(), "");
    gzpost().args(["-s", "-S", &url]).run().assert_error(7);
}
