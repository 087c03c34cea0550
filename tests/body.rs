//! What becomes of a body: the check, the coding, the splices.

use crate::program::{Program, gzpost};
use crate::sample::{OK, chat};
use crate::server::{Request, Server, gunzip, gzip};

/// What arrives when these arguments, the URL and a body on stdin are given.
#[track_caller]
fn sent(options: &[&str], body: &[u8]) -> Request {
    let server = Server::answering(OK);
    gzpost().stdin(body).args(options).args([&server.url("/"), "-"]).run().assert_code(0);
    server.finish()
}

#[test]
fn json_goes_out_as_one_gzip_member_with_its_exact_length() {
    let body = chat(300_000);
    let request = sent(&[], &body);
    assert_eq!(request.field("content-encoding"), Some("gzip"));
    assert_eq!(request.field("content-type"), Some("application/json"));
    assert_eq!(request.field("transfer-encoding"), None);
    assert_eq!(request.field("content-length"), Some(request.content.len().to_string().as_str()));
    assert!(gunzip(&request.content) == body);
    assert!(request.content.len() * 2 < body.len(), "{} of {}", request.content.len(), body.len());
    // RFC 1952, section 2.3: magic, deflate, no name or other extra, no time.
    assert_eq!(request.content[..8], [0x1f, 0x8b, 8, 0, 0, 0, 0, 0]);
}

#[test]
fn a_body_of_megabytes_is_still_one_member_and_the_same_each_time() {
    let body = chat(3_000_000);
    let first = sent(&[], &body).content;
    assert!(gunzip(&first) == body);
    assert!(sent(&[], &body).content == first);
}

#[test]
fn the_threshold_is_1024_bytes() {
    assert_eq!(sent(&[], &chat(1023)).field("content-encoding"), None);
    assert_eq!(sent(&[], &chat(1024)).field("content-encoding"), Some("gzip"));
}

#[test]
fn identity_never_and_gzip_always_compresses() {
    let body = chat(5000);
    let request = sent(&["--identity"], &body);
    assert_eq!((request.field("content-encoding"), &request.content), (None, &body));
    for (options, body) in
        [(&["--gzip"][..], &br#"{"a":1}"#[..]), (&["--gzip", "--no-check"], b"no JSON"), (&["--gzip"], b"0")]
    {
        let request = sent(options, body);
        assert_eq!((request.field("content-encoding"), request.decoded()), (Some("gzip"), body.to_vec()));
    }
}

#[test]
fn a_form_is_not_compressed_unless_asked_to() {
    for (options, coding) in [(&[][..], None), (&["--gzip"][..], Some("gzip"))] {
        let server = Server::answering(OK);
        let form = format!("a={}", "b".repeat(5000));
        gzpost().args(options).args(["-d", &form, &server.url("/")]).run().assert_code(0);
        let request = server.finish();
        assert_eq!(request.field("content-encoding"), coding);
        assert_eq!(request.field("content-type"), Some("application/x-www-form-urlencoded"));
        assert_eq!(request.decoded(), form.as_bytes());
    }
}

#[test]
fn curls_data_options_are_json_when_they_hold_json() {
    let text = String::from_utf8(chat(2000)).expect("a body in UTF-8");
    for option in ["-d", "--data-binary", "--data-raw", "--json"] {
        let server = Server::answering(OK);
        gzpost().args([option, &text, &server.url("/")]).run().assert_code(0);
        let request = server.finish();
        assert_eq!(request.field("content-type"), Some("application/json"), "{option}");
        assert_eq!(request.field("content-encoding"), Some("gzip"), "{option}");
        assert_eq!(request.decoded(), text.as_bytes(), "{option}");
        let accept = if option == "--json" { "application/json" } else { "*/*" };
        assert_eq!(request.field("accept"), Some(accept), "{option}");
    }
}

#[test]
fn pieces_are_joined_as_curl_joins_them() {
    let file = "x\r\n\0y";
    for (arguments, expected) in [
        (&["-d", "a=1", "-d", "b=2"][..], &b"a=1&b=2"[..]),
        (&["-d", "@file"], b"xy"),
        (&["--data-binary", "@file"], file.as_bytes()),
        (&["--data-raw", "@file"], b"@file"),
        (&["--json", r#"{"a":"#, "--json", "1}"], br#"{"a":1}"#),
        (&["-d", ""], b""),
    ] {
        let server = Server::answering(OK);
        gzpost().file("file", file).args(arguments).arg(server.url("/")).run().assert_code(0);
        let request = server.finish();
        assert_eq!((request.method.as_str(), &request.content[..]), ("POST", expected), "{arguments:?}");
        assert_eq!(request.field("content-length"), Some(expected.len().to_string().as_str()), "{arguments:?}");
    }
}

#[test]
fn what_is_gzip_already_is_sent_as_it_is() {
    let body = chat(5000);
    let member = gzip(&body);
    for options in [&[][..], &["--gzip"], &["-H", "Content-Encoding: gzip"]] {
        let request = sent(options, &member);
        assert!(request.content == member, "{options:?}");
        assert_eq!(request.field("content-encoding"), Some("gzip"), "{options:?}");
        assert_eq!(request.field("content-type"), Some("application/json"), "{options:?}");
    }
}

#[test]
fn a_content_coding_of_the_users_is_not_touched() {
    let request = sent(&["-H", "Content-Encoding: zstd", "--no-check"], &chat(5000));
    assert_eq!(request.field("content-encoding"), Some("zstd"));
    assert_eq!(request.content, chat(5000));
}

#[test]
fn what_is_declared_as_json_and_is_not_is_refused_before_anything_is_sent() {
    let broken = "{\n  \"a\": 1,\n  \"b\": [1, 2,, 3]\n}\n";
    let declared = ["-H", "Content-Type: application/problem+json", "-d", "@body.json"];
    for arguments in [&["body.json"][..], &["--json", "@body.json"], &declared] {
        let server = Server::start(|_| ());
        let url = server.url("/");
        // The positional BODY comes behind the URL.
        let arguments = std::iter::once(url.as_str()).chain(arguments.iter().copied());
        let output = gzpost().file("body.json", broken).args(arguments).run();
        output.assert_code(26).assert_stdout("");
        output.assert_stderr_has("gzpost: (26) ").assert_stderr_has("not JSON");
        server.assert_unasked();
    }
    let output = gzpost().file("body.json", broken).args(["http://127.0.0.1:1/", "body.json"]).run();
    output.assert_stderr_has("body.json: not JSON: line 3, column 14");
}

#[test]
fn no_check_sends_it_all_the_same() {
    let request = sent(&["--no-check"], b"{broken");
    assert_eq!(request.content, b"{broken");
    assert_eq!(request.field("content-type"), Some("application/json"));
}

#[test]
fn an_empty_or_cut_off_body_is_not_json() {
    for body in ["", " \n", "{\"a\":", "{} {}"] {
        let output = gzpost().stdin(body).args(["-s", "-S", "http://127.0.0.1:1/", "-"]).run();
        output.assert_code(26).assert_stderr_has("not JSON");
    }
}

#[test]
fn a_missing_file_is_26_and_named() {
    let with = |arguments: &[&str]| -> Program { gzpost().args(["-sS", "http://127.0.0.1:1/"]).args(arguments) };
    for arguments in [&["missing.json"][..], &["-d", "@missing.json"], &["--json", "@missing.json"]] {
        with(arguments).run().assert_code(26).assert_stderr_has("missing.json");
    }
}

#[test]
fn the_model_is_spliced_and_every_other_byte_stays() {
    let body = "{ \"messages\": [{\"model\":\"inner\", \"content\":\"Grüße \\u00fc\"}],\n\t\"model\" : \"old\", \"n\": 1.00e+0 }";
    let expected = body.replace("\"old\"", "\"new-model\"");
    assert_eq!(sent(&["--model", "new-model"], body.as_bytes()).content, expected.as_bytes());
    let compact =
        "{\"messages\":[{\"model\":\"inner\",\"content\":\"Grüße \\u00fc\"}],\"model\":\"old\",\"n\":1.00e+0}";
    assert_eq!(sent(&["--compact"], body.as_bytes()).content, compact.as_bytes());
}

#[test]
fn levels_change_the_size_and_not_the_body() {
    let body = chat(200_000);
    let [fast, good] = ["1", "9"].map(|level| sent(&["--level", level], &body));
    assert!(fast.decoded() == body && good.decoded() == body);
    assert!(fast.content.len() > good.content.len());
    gzpost().args(["--level", "0", "http://127.0.0.1:1/"]).run().assert_code(2);
}

#[test]
fn an_error_line_comes_with_the_way_out() {
    let big = chat(5000);
    for (options, status, hint) in [
        (&["-sS", "-f", "--json", "@big"][..], 400, "--identity sends it plain"),
        (&["-sS", "--fail-with-body", "--json", "@big"], 415, "--identity sends it plain"),
        (&["-d", "{\"a\": x}"], 400, "hint: the data went out as a form (-d: not JSON: line 1, column 7: "),
        (&["-sS", "-f", "-d", "[1,"], 422, "hint: the data went out as a form (-d: not JSON: "),
        (&["--json", "{}"], 401, "hint: no key was sent; --bearer-env"),
    ] {
        let server = Server::answering(format!("HTTP/1.1 {status} No\r\nContent-Length: 0\r\n\r\n"));
        let output = gzpost().file("big", &big).args(options).arg(server.url("/")).run();
        output.assert_stderr_has(hint);
        server.finish();
    }
    for options in [&["-s", "-f", "--json", "@big"][..], &["-sS", "--json", "@big"], &["-d", "a=b"]] {
        let server = Server::answering("HTTP/1.1 400 No\r\nContent-Length: 0\r\n\r\n");
        let output = gzpost().file("big", &big).args(options).arg(server.url("/")).run();
        assert!(!output.stderr_text().contains("hint"), "{}", output.describe());
        server.finish();
    }
    for (field, target) in [("x-api-key: k", "/"), ("X-Goog-Token: k", "/"), ("A: b", "/?key=k")] {
        let server = Server::answering("HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n");
        let output = gzpost().args(["-H", field, "--json", "{}", &server.url(target)]).run();
        assert!(!output.stderr_text().contains("hint"), "{}", output.describe());
        server.finish();
    }
}

#[test]
fn a_rejected_gzip_body_gets_a_hint_and_no_second_request() {
    for (status, hinted) in [(400, true), (413, true), (415, true), (422, true), (500, true), (502, true), (401, false)]
    {
        let server = Server::answering(format!("HTTP/1.1 {status} No\r\nContent-Length: 2\r\n\r\nno"));
        let output = gzpost().stdin(chat(2000)).args([&server.url("/"), "-"]).run();
        output.assert_code(0).assert_stdout("no");
        assert_eq!(output.stderr_text().contains("--identity"), hinted, "{}", output.describe());
        server.finish();
    }
    let server = Server::answering("HTTP/1.1 400 No\r\nContent-Length: 2\r\n\r\nno");
    let output = gzpost().stdin(chat(2000)).args(["--identity", &server.url("/"), "-"]).run();
    output.assert_code(0).assert_stderr_lacks("--identity");
}
