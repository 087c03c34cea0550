//! Command lines of `gzpost check`.

use std::time::Duration;

use super::{Setting, error, words};
use crate::cli::{Api, Check, Command, Format};
use crate::error::Kind;

fn check(line: &str) -> Check {
    let setting = Setting { env: &[("KEY", "sesame")], ..Setting::default() };
    let words = words(&format!("check {line}"));
    match setting.parse(&words.iter().map(String::as_str).collect::<Vec<_>>()) {
        Ok(Command::Check(check)) => *check,
        other => panic!("{line}: {other:?}"),
    }
}

#[test]
fn a_url_is_enough() {
    let check = check("https://relay.example/v1");
    assert_eq!(check.request.url.path, "/v1");
    assert_eq!((check.api, check.repeat, check.max_starttransfer, check.format), (None, 3, None, Format::Text));
    assert_eq!((check.budget, check.settings.max_time), (Duration::from_secs(30), Some(Duration::from_secs(30))));
    assert!(!check.output.silent && check.warnings.is_empty());
}

#[test]
fn its_own_options() {
    let check = check("u -n 5 --budget 0.2 --max-starttransfer 2.5 --api anthropic --format json -s");
    assert_eq!((check.repeat, check.budget), (5, Duration::from_millis(200)));
    // One probe is always made, and has its time.
    assert_eq!(check.settings.max_time, Some(Duration::from_secs(1)));
    assert_eq!(check.max_starttransfer, Some(Duration::from_millis(2500)));
    assert_eq!((check.api, check.format), (Some(Api::Anthropic), Format::Json));
    assert!(check.output.silent);
}

#[test]
fn those_of_a_single_request() {
    let check = check("--url u -H 'x-api-key: k' --bearer-env KEY -A me -m 7 -k -L --resolve u:80:10.0.0.1 -v");
    assert_eq!(check.request.field("x-api-key"), Some("k"));
    assert_eq!(check.request.authorization.as_deref(), Some("Bearer sesame"));
    assert_eq!(check.request.user_agent.as_deref(), Some("me"));
    assert_eq!(check.settings.max_time, Some(Duration::from_secs(7)));
    assert!(check.settings.tls.insecure && check.settings.follow.is_some() && check.output.verbose);
    assert_eq!(check.settings.resolve.len(), 1);
}

#[test]
fn what_makes_no_sense_is_refused() {
    for (line, message) in [
        ("check", "no URL; see gzpost check --help"),
        ("check u body.json", "body.json: gzpost check takes a URL and no BODY"),
        ("check u -d x", "--data is no option of gzpost check"),
        ("check u -X PUT", "--request is no option of gzpost check"),
        ("check u -o file", "--output is no option of gzpost check"),
        ("check u -n 0", "--repeat: '0' is not a number from 1 on"),
        ("check u --format xml", "--format: 'xml' is none of text, json, markdown"),
        ("check u --api x", "--api: 'x' is none of openai, anthropic, responses, gemini, ollama"),
        ("check u -H 'content-encoding: br'", "--header: Content-Encoding is what gzpost check tries out itself"),
        ("u --budget 1", "--budget is an option of gzpost check only"),
    ] {
        let error = error(line);
        assert_eq!((error.kind, error.message.as_str()), (Kind::Usage, message), "{line}");
    }
}
