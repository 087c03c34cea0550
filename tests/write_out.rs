//! `-w`: every variable, every escape and every destination.

use crate::program::gzpost;
use crate::sample::{OK, chat, quiet, serve, trusting};
use crate::server::{Authority, Server, read_file, refused_port};

/// What `-w` prints behind an answer whose content goes elsewhere.
#[track_caller]
fn printed(answer: &'static str, format: &str) -> String {
    let server = Server::answering(answer);
    let output = quiet(&["-o", "content", "-w", format, &server.url("/dir/name?q=1")]).run();
    output.stdout_text().replace(&server.port().to_string(), "PORT")
}

#[test]
fn escapes_and_what_is_no_variable() {
    for (format, text) in [
        ("", ""),
        ("plain", "plain"),
        ("a\\nb\\tc\\rd", "a\nb\tc\rd"),
        ("\\q \\\\ \\", "\\q \\\\ \\"),
        ("%% %", "% %"),
        ("%{http_code", "%{http_code"),
        ("%x %{", "%x %{"),
        ("%{http_code}%{http_code}", "200200"),
        ("%header{content-length}|%header{none}|", "2||"),
        ("%header{", "%header{"),
    ] {
        assert_eq!(printed(OK, format), text, "{format:?}");
    }
    let server = Server::answering(OK);
    let output = quiet(&["-o", "content", "-w", "a%{none}b%{\u{1b}[31m}c", &server.url("/")]).run();
    output.assert_code(0).assert_stdout("abc");
    output.assert_stderr_has("unknown --write-out variable: 'none'").assert_stderr_lacks("\u{1b}");
}

#[test]
fn the_format_comes_from_a_file_or_from_stdin() {
    for (argument, stdin) in [("@format", false), ("@-", true)] {
        let server = Server::answering(OK);
        let format = "%{http_code}\r\n %{size_download}\n";
        let program = gzpost().args(["-s", "-o", "content", "-w", argument, &server.url("/")]);
        let program = if stdin { program.stdin(format) } else { program.file("format", format) };
        program.run().assert_code(0).assert_stdout("200 2");
    }
    quiet(&["-w", "@missing", "http://127.0.0.1:1/"]).run().assert_error(26).assert_stderr_has("missing");
}

/// Names and values behind a redirect from FIRST to SECOND, both over TLS.
const VALUES: &str = "\
http_code 201, response_code 201, http_connect 000, http_version 1.1, method POST, scheme https
num_connects 2, num_redirects 1, num_retries 0, num_headers 4, num_certs 1, num_tokens 0, conn_id 1
size_download 3, size_delivered 3, size_body 5000, content_coding gzip, content_type text/plain
exitcode 0, errormsg , redirect_url , referer , proxy_used 0, proxy_ssl_verify_result 0
ssl_verify_result 0, tls_earlydata 0, tls_version TLSv1.3
remote_ip 127.0.0.1, local_ip 127.0.0.1, remote_port PORT, filename_effective content
url FIRST, url.scheme https, url.user user, url.password pass, url.host 127.0.0.1, url.path /dir/name
url.query q=1, url.fragment f, url_effective SECOND, urle.path /next, urle.port PORT
urlnum 0, xfer_id 0, time_queue 0.000000, time_first_token 0.000000";

#[test]
fn values_of_a_request_over_tls_behind_a_redirect() {
    let authority = Authority::new();
    let second = serve(Some(&authority), |mut conn| {
        conn.read_request();
        conn.write(
            "HTTP/1.1 201 Made\r\nContent-Type: text/plain\r\nX-A: \"1\"\r\nx-a: 2\r\nContent-Length: 3\r\n\r\nyes",
        );
    });
    let location = second.url("/next?a=b#c");
    let first = serve(Some(&authority), move |mut conn| {
        conn.read_request();
        conn.write(format!("HTTP/1.1 307 Away\r\nX-A: 0\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n"));
    });
    let url = first.url("/dir/name?q=1#f").replace("https://", "https://user:pass@");
    let values = VALUES.replace("FIRST", &url).replace("SECOND", &second.url("/next?a=b#c"));
    let values = values.replace("PORT", &second.port().to_string()).replace('\n', ", ");
    let names = values.split(", ").map(|value| value.split(' ').next().expect("a name"));
    let format: String = names.flat_map(|name| [name, " %{", name, "}, "]).collect();
    let format = format + "\\n%header{x-a}|%header{X-A:all:; }\\n%{header_json}";
    let program = trusting(Some(&authority)).stdin(chat(5000)).args(["-L", "-o", "content", "-w", &format, &url, "-"]);
    let output = program.run();
    let text = output.assert_code(0).stdout_text();
    let mut lines = text.split('\n');
    assert_eq!(lines.next().and_then(|line| line.strip_suffix(", ")), Some(values.as_str()));
    assert_eq!(lines.next(), Some("\"1\"|0; \"1\"; 2"));
    let fields: serde_json::Value = serde_json::from_str(&lines.collect::<String>()).expect("JSON");
    assert_eq!(fields["x-a"], serde_json::json!(["\"1\"", "2"]));
    assert_eq!(output.stderr_text(), "");
}

#[test]
fn every_variable_is_known_and_numbers_are_numbers() {
    let numbers = [
        "size_header",
        "size_request",
        "size_upload",
        "speed_download",
        "speed_upload",
        "local_port",
        "conn_id",
        "time_namelookup",
        "time_connect",
        "time_appconnect",
        "time_pretransfer",
        "time_posttransfer",
        "time_starttransfer",
        "time_redirect",
        "time_total",
        "time_compress",
        "time_first_event",
        "time_last_token",
        "compression_ratio",
    ];
    let format: String = numbers.iter().flat_map(|name| ["%{", name, "}\\n"]).collect();
    let server = Server::answering(OK);
    let output =
        quiet(&["-o", "content", "-d", "a", "-w", &(format + "%{certs}%{tls_cipher}"), &server.url("/")]).run();
    let text = output.assert_code(0).stdout_text();
    assert_eq!((text.lines().count(), output.stderr_text().as_str()), (numbers.len(), ""));
    for (name, value) in numbers.iter().zip(text.lines()) {
        assert!(value.parse::<f64>().is_ok(), "{name}: {value:?}");
    }
}

#[test]
fn a_failure_has_its_code_its_message_and_onerror() {
    let url = format!("http://127.0.0.1:{}/", refused_port());
    let format = "%{exitcode}|%{errormsg}|%{http_code}|%{num_connects}|%{size_download}%{onerror}|failed";
    let output = quiet(&["-w", format, &url]).run();
    let text = output.assert_code(7).stdout_text();
    assert!(text.starts_with("7|could not connect to 127.0.0.1:") && text.ends_with("|000|0|0|failed"), "{text}");
    assert_eq!(printed(OK, "%{exitcode}%{onerror} failed"), "0");
    let cut = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nsome";
    assert_eq!(printed(cut, "%{exitcode} %{http_code} %{size_download}"), "18 200 4");
    assert_eq!(printed("HTTP/1.1 302 F\r\nLocation: ../x\r\n\r\n", "%{redirect_url}"), "http://127.0.0.1:PORT/x");
}

#[test]
fn text_goes_to_stdout_stderr_and_files() {
    let server = Server::answering(OK);
    let format = "a%{stderr}b%{stdout}c%output{new}d%output{>>old}e%{stdout}f%output{no/such/folder}g";
    let output = gzpost().file("old", "old ").args(["-o", "content", "-w", format, &server.url("/")]).run();
    output.assert_code(0).assert_stdout("acfg");
    assert_eq!(output.stderr_text(), "b");
    let read = |name: &str| read_file(&output.home.path().join(name));
    assert_eq!((read("new"), read("old")), (b"d".to_vec(), b"old e".to_vec()));
}

#[test]
fn it_runs_once_after_the_last_attempt_and_json_is_json() {
    let server = Server::many(|_, mut conn| {
        conn.read_request();
        conn.write("HTTP/1.1 503 Busy\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
    });
    let program = quiet(&["-f", "--retry", "2", "--retry-delay", "0.01", "-w", "%{json}", &server.url("/")]);
    let output = program.run();
    let json: serde_json::Value = serde_json::from_slice(&output.assert_code(22).stdout).expect("one document");
    assert_eq!((&json["num_retries"], &json["exitcode"], &json["response_code"]), (&2.into(), &22.into(), &503.into()));
    assert!(json["errormsg"].is_string() && json["time_first_token"].is_null() && json["curl_version"].is_string());
    assert_eq!(server.finish_all().len(), 3);
}
