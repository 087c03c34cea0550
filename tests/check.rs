//! `gzpost check` against relays of every temperament, and against servers that are none.

use std::collections::HashSet;

use gzpost::relay::{Behave, Config, Relay};
use serde_json::Value;

use crate::peers::apache;
use crate::program::{Output, Program, gzpost};
use crate::server::{Authority, Conn, Leaf, Request, Server, Tls, gunzip, refused_port};

/// What relays say about a model that they do not have.
const NO_SUCH_MODEL: &str = r#"{"error":{"message":"no model gzpost-check-no-such-model","type":"not_found"}}"#;

fn check(arguments: &[&str]) -> Program {
    gzpost().arg("check").args(arguments)
}

/// A relay that costs next to nothing.
fn relay(behave: Behave) -> Relay {
    Relay::start(&Config { speed: 500.0, behave, ..Config::default() }).expect("a relay")
}

fn base(relay: &Relay) -> String {
    format!("http://{}/v1", relay.address())
}

fn summary(output: &Output) -> String {
    output.stdout_text().lines().last().unwrap_or_default().to_owned()
}

/// The text of a row in a report.
fn row(output: &Output, name: &str) -> String {
    let text = output.stdout_text();
    let row = text.lines().find(|line| line.split_whitespace().nth(1) == Some(name));
    row.unwrap_or_else(|| panic!("no row {name}\n{}", output.describe())).to_owned()
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}\n{}", output.describe()))
}

#[test]
fn every_temperament_has_its_verdict() {
    for (behave, code, last, probe, told) in [
        (Behave::Decode, 0, "healthy: gzip yes, floor ", "gzip", "decodes 64 KB too"),
        (Behave::Reject400, 0, "healthy: gzip no (rejected with 400), ", "gzip", "rejects it: 400 "),
        (Behave::Reject415, 0, "healthy: gzip no (rejected with 415), ", "gzip", "rejects it: 415 "),
        (Behave::Reject500, 0, "healthy: gzip no (rejected with 500), ", "gzip", "rejects it: 500 "),
        (Behave::Ignore, 0, "healthy: gzip no (read as plain), ", "gzip", r"invalid character '\x1f'"),
        (Behave::Slow, 0, "healthy: gzip yes, ", "floor", "404 The model"),
        (Behave::NoModels, 0, "healthy: gzip yes, ", "models", "404, no list of models"),
        (Behave::Unauthorized, 22, "unhealthy: models, floor: the key is missing or refused (401)", "gzip", "not made"),
        (Behave::Html, 22, "unhealthy: models, floor: the relay or its gateway fails (502)", "slope", "not made"),
    ] {
        let relay = relay(behave);
        let output = check(&["-n", "1", &base(&relay)]).run();
        output.assert_code(code);
        assert!(summary(&output).starts_with(last), "{behave:?}\n{}", output.describe());
        assert!(row(&output, probe).contains(told), "{behave:?}\n{}", output.describe());
        assert_eq!(output.stderr_text(), "", "{behave:?}");
        let plain_only = last.starts_with("healthy: gzip no");
        assert_eq!(row(&output, "gzip").ends_with("; send with --identity"), plain_only, "{}", output.describe());
    }
}

#[test]
fn a_base_and_an_endpoint_are_the_same_and_the_rows_are_in_order() {
    let relay = relay(Behave::Decode);
    for url in [base(&relay), base(&relay) + "/chat/completions"] {
        let output = check(&[&url]).run();
        let text = output.assert_code(0).stdout_text();
        let names: Vec<&str> = text.lines().filter_map(|line| line.split_whitespace().nth(1)).collect();
        assert_eq!(names[..8], ["DNS", "connect", "TLS", "models", "floor", "slope", "uplink", "gzip"], "{text}");
        assert!(row(&output, "DNS").ends_with("127.0.0.1"), "{text}");
        assert!(row(&output, "connect").ends_with(&relay.address().to_string()), "{text}");
        assert!(row(&output, "models").ends_with("GET /v1/models: 200, 1 model"), "{text}");
        assert!(row(&output, "floor").contains("POST /v1/chat/completions: 404"), "{text}");
        assert!(!text.contains('\x1b'), "{text}");
    }
}

#[test]
fn what_a_kb_costs_is_found() {
    let relay = Relay::start(&Config::default()).expect("a relay");
    let output = check(&["-n", "2", "--format", "json", &base(&relay)]).run();
    let report = json(output.assert_code(0));
    // 24 ms, twenty times faster; a machine that is busy with other things adds to it.
    let per_kb = report["seconds_per_kb"].as_f64().unwrap_or_default();
    assert!((0.0008..0.012).contains(&per_kb), "{report}");
    assert_eq!((&report["verdict"], &report["gzip"]), (&Value::from("healthy"), &Value::from("decoded")));
    let [plain, gzip] = ["body_seconds_plain", "body_seconds_gzip"].map(|name| report[name].as_f64().expect("a time"));
    assert!(plain > 2.0 * gzip, "{report}");
    assert_eq!(report["probes"].as_array().map(Vec::len), Some(8));
}

#[test]
fn a_limit_makes_slow_unhealthy() {
    let slow = Relay::start(&Config { behave: Behave::Slow, ..Config::default() }).expect("a relay");
    let output = check(&["-n", "1", "--max-starttransfer", "0.2", &base(&slow)]).run();
    let last = summary(output.assert_code(22));
    assert!(last.starts_with("unhealthy: models") && last.contains(": starttransfer "), "{}", output.describe());
    assert!(row(&output, "floor").starts_with("bad"), "{}", output.describe());
    // Slow is no reason to leave the rest out.
    assert!(row(&output, "gzip").contains("decodes it"), "{}", output.describe());
    check(&["-n", "1", "--max-starttransfer", "9", &base(&slow)]).run().assert_code(0);
}

#[test]
fn no_probe_begins_that_would_end_after_the_budget() {
    let relay = Relay::start(&Config { speed: 2.0, ..Config::default() }).expect("a relay");
    let output = check(&["-n", "1", "--budget", "2.6", &base(&relay)]).run();
    output.assert_code(0);
    assert!(row(&output, "slope").contains("KB not sent: the budget of 2.6 s"), "{}", output.describe());
    // Half a second is left then, and a tiny body would take less.
    assert!(row(&output, "gzip").contains(": the budget of 2.6 s"), "{}", output.describe());

    let server = Server::many(|_, conn| looks_for_the_model(conn));
    let output = check(&["--budget", "0", &server.url("/v1")]).run();
    output.assert_code(0);
    assert_eq!(server.finish_all().len(), 1, "{}", output.describe());
    assert!(row(&output, "floor").contains("not made: the budget of 0 s"), "{}", output.describe());
}

#[test]
fn silence_leaves_the_last_line_and_formats_have_their_form() {
    let relay = relay(Behave::Decode);
    let text = check(&["-s", "-n", "1", &base(&relay)]).run().assert_code(0).stdout_text();
    assert!(text.lines().count() == 1 && text.starts_with("healthy: "), "{text}");
    let text = check(&["--format", "markdown", "-n", "1", &base(&relay)]).run().assert_code(0).stdout_text();
    assert!(text.starts_with("| | probe | time | |\n| --- | --- | ---: | --- |\n| ok | DNS |"), "{text}");
    assert_eq!(text.lines().filter(|line| line.starts_with('|')).count(), 10, "{text}");
    let output = check(&["--format", "json", "-n", "1", &(base(&relay) + "?key=secret")]).run();
    assert_eq!(json(output.assert_code(0))["url"], base(&relay), "{}", output.describe());
}

#[test]
fn who_cannot_be_reached_is_told_with_curls_code() {
    let refused = format!("http://127.0.0.1:{}/v1", refused_port());
    for (url, code, probe) in [(refused.as_str(), 7, "connect"), ("http://nonexistent.invalid/v1", 6, "DNS")] {
        let output = check(&[url]).run();
        output.assert_code(code);
        assert!(summary(&output).starts_with(&format!("unreachable: ({code}) could not ")), "{}", output.describe());
        assert!(row(&output, probe).starts_with("bad"), "{}", output.describe());
        assert_eq!(output.stderr_text(), "");
        let report = json(&check(&["--format", "json", url]).run());
        assert_eq!((&report["verdict"], &report["exit_code"]), (&Value::from("unreachable"), &Value::from(code)));
    }
    let silent = Server::many(|_, mut conn| drop(conn.read_to_end()));
    let output = check(&["-m", "0.3", "--budget", "0.1", &silent.url("/v1")]).run();
    assert!(summary(output.assert_code(28)).starts_with("unreachable: (28) "), "{}", output.describe());
    assert!(row(&output, "connect").starts_with("ok"), "{}", output.describe());
    let closing = Server::many(|_, mut conn| drop(conn.read_request()));
    check(&[&closing.url("/v1")]).run().assert_code(52);
}

/// One request that finds no model of its name.
fn looks_for_the_model(mut conn: Conn) -> Request {
    let request = conn.read_request();
    match request.method.as_str() {
        "GET" => conn.answer("200 OK", r#"{"data":[]}"#),
        _ => conn.answer("404 Not Found", NO_SUCH_MODEL),
    }
    request
}

#[test]
fn certificates_are_looked_at() {
    let authority = Authority::new();
    for (days, code, told) in [(-1..90, 0, "in 8"), (-80..5, 22, "in 4 days"), (-2..4, 0, "in 3 days")] {
        let leaf = Leaf { days: days.clone(), ..Leaf::default() };
        let server = Server::tls_many(&authority, &Tls { leaf, ..Tls::default() }, looks_for_the_model);
        let output = check(&["-n", "1", &server.url("/v1")]).arg("--cacert").arg(authority.file()).run();
        output.assert_code(code);
        let tls = row(&output, "TLS");
        assert!(tls.contains("TLSv1.3 TLS_") && tls.contains(", certificate until 2") && tls.contains(told), "{tls}");
        let ending = summary(&output) == "unhealthy: TLS: the certificate ends in 4 days";
        assert!(ending || code == 0, "{}", output.describe());
    }
    let ended = || Tls { leaf: Leaf { days: -30..-2, ..Leaf::default() }, ..Tls::default() };
    let server = Server::tls_many(&authority, &ended(), looks_for_the_model);
    let output = check(&["-k", "-n", "1", &server.url("/v1")]).run();
    assert!(row(output.assert_code(22), "TLS").contains("not trusted (-k)"), "{}", output.describe());
    let server = Server::tls_refused(&authority, &ended());
    let output = check(&[&server.url("/v1")]).arg("--cacert").arg(authority.file()).run();
    assert!(summary(output.assert_code(60)).starts_with("unreachable: (60) the certificate"), "{}", output.describe());
}

#[test]
fn every_post_names_the_model_that_nobody_has() {
    for (path, options) in [
        ("/v1", &[][..]),
        ("/v1", &["--api", "anthropic"]),
        ("/v1/responses", &[]),
        ("/api/chat", &[]),
        ("/v1beta/models/real:streamGenerateContent?key=12345678&model=real", &[]),
        ("/openai/deployments/real/chat/completions?api-version=1", &[]),
    ] {
        let server = Server::many(|_, conn| looks_for_the_model(conn));
        let output = check(&["-n", "2", "-H", "x-api-key: sesame"]).args(options).arg(server.url(path)).run();
        output.assert_code(0);
        let requests = server.finish_all();
        let count = |method: &str| requests.iter().filter(|request| request.method == method).count();
        // Twice the list; twice the tiny body, twice the same in other forms, four sizes, and either 64 KB or, where
        // the path is repeated and not the body, what shows that.
        assert_eq!((count("GET"), count("POST")), (2, 9), "{}", output.describe());
        let anthropic = options.contains(&"anthropic");
        let mut codings = HashSet::new();
        for request in &requests {
            assert!(!request.target.contains("real"), "{}", request.target);
            assert_eq!(request.field("x-api-key"), Some("sesame"));
            assert_eq!(request.field("anthropic-version").is_some(), anthropic);
            if request.method == "POST" {
                let coding = request.field("content-encoding");
                let gzip = request.content.starts_with(&[0x1f, 0x8b]);
                let body = if gzip { gunzip(&request.content) } else { request.content.clone() };
                let body = String::from_utf8(body).expect("JSON");
                let named = format!("{} {body}", request.target);
                assert!(named.contains("gzpost-check-no-such-model") && !named.contains("real"), "{path}");
                serde_json::from_str::<Value>(&body).expect("JSON");
                codings.insert(coding.map(str::to_owned));
            }
        }
        assert_eq!(codings, [None, Some("gzip"), Some("x-gzpost-probe")].map(|name| name.map(str::to_owned)).into());
    }
}

#[test]
fn a_relay_that_runs_any_model_gets_no_second_post() {
    let server = Server::many(|_, mut conn| {
        let request = conn.read_request();
        let answer = r#"{"object":"chat.completion","choices":[{"index":0,"message":{"content":"hello"}}]}"#;
        conn.answer("200 OK", answer);
        request.method
    });
    let output = check(&[&server.url("/v1")]).run();
    assert!(summary(output.assert_code(0)).contains("any name is taken for a model"), "{}", output.describe());
    assert!(row(&output, "slope").contains("might be billed"), "{}", output.describe());
    assert_eq!(server.finish_all().iter().filter(|method| *method == "POST").count(), 1);
}

#[test]
fn what_is_no_relay_is_unhealthy() {
    for (status, content, told) in [
        ("404 Not Found", "<html><title>404 Not Found</title></html>", "is the URL right? (404)"),
        ("200 OK", "<!doctype html><title>Portal</title>", "is the URL right? (200)"),
        ("429 Too Many Requests", r#"{"error":{"message":"slowly"}}"#, "too many requests (429)"),
        ("307 Temporary Redirect\r\nLocation: /elsewhere", "", "-L follows (307)"),
    ] {
        let server = Server::many(move |_, mut conn| {
            conn.read_request();
            conn.answer(status, content);
        });
        let output = check(&["-n", "1", &server.url("")]).run();
        assert!(summary(output.assert_code(22)).ends_with(told), "{}", output.describe());
    }
}

#[test]
fn a_relay_that_refuses_everything_alike_is_unhealthy() {
    const NO_DB: &str = r#"{"error":{"message":"No connected db.","type":"no_db_connection"}}"#;
    const REFUSED: &str = "unhealthy: floor: the key may be missing or wrong: everything is answered with 400 No \
                           connected db. (no_db_connection)";
    const NO_KEY: &str = "; no key was sent (--bearer-env VAR)";
    let server = Server::many(|_, mut conn| {
        conn.read_request();
        conn.answer("400 Bad Request", NO_DB);
    });
    let output = check(&["--oauth2-bearer", "sk-wrong", &server.url("/v1")]).run();
    assert_eq!(summary(output.assert_code(22)), REFUSED);
    assert!(row(&output, "models").starts_with("-  "), "{}", output.describe());
    assert!(row(&output, "gzip").contains("not made"), "{}", output.describe());
    let output = check(&[&server.url("/v1")]).run();
    assert_eq!(summary(output.assert_code(22)), format!("{REFUSED}{NO_KEY}"));
    // Once the list, once the tiny body: what fails is not asked for again. Three times the list otherwise.
    assert_eq!(server.finish_all().len(), 2 * (3 + 1));

    for (status, key, told) in [
        ("401 Unauthorized", false, true),
        ("500 Internal Server Error", false, true),
        ("500 Internal Server Error", true, false),
        ("502 Bad Gateway", false, false),
    ] {
        let server = Server::many(move |_, mut conn| {
            conn.read_request();
            conn.answer(status, "");
        });
        let key = if key { &["-H", "x-api-key: sesame"][..] } else { &[] };
        let output = check(key).args(["-n", "1", &server.url("/v1")]).run();
        assert_eq!(summary(output.assert_code(22)).ends_with(NO_KEY), told, "{}", output.describe());
    }
    // The words are its own and say nothing of a model, but who gets the list has the right key.
    let server = Server::many(|_, mut conn| match conn.read_request().method.as_str() {
        "GET" => conn.answer("200 OK", r#"{"data":[]}"#),
        _ => conn.answer("400 Bad Request", NO_DB),
    });
    check(&["-n", "1", &server.url("/v1")]).run().assert_code(0);
}

#[test]
fn one_failure_among_repeats_is_unhealthy() {
    let server = Server::many(|number, mut conn| {
        let request = conn.read_request();
        match number {
            1 => conn.reset(),
            _ => conn.answer("200 OK", r#"{"data":[]}"#),
        }
        drop(request);
    });
    let output = check(&[&server.url("/v1")]).run();
    assert!(summary(output.assert_code(22)).starts_with("unhealthy: models: (56) "), "{}", output.describe());
}

#[test]
fn apache_decodes_with_its_filter_and_ignores_gzip_without() {
    let Some(apache) = apache::start() else { return };
    let output = check(&["-n", "1", &apache.url("/decoded")]).run();
    assert!(summary(output.assert_code(0)).starts_with("healthy: gzip yes"), "{}", output.describe());
    let output = check(&["-n", "1", &apache.url("/raw")]).run();
    assert!(summary(output.assert_code(0)).starts_with("healthy: gzip no (read as plain)"), "{}", output.describe());
}
