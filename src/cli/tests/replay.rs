//! `replay`: its own options beside those of a single request.

use std::time::Duration;

use super::{Setting, words};
use crate::body::{PartKind, Source};
use crate::cli::{Command, Fail, Replay};
use crate::error::Result;

fn parse(line: &str) -> Result<Replay> {
    let words = words(line);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    Setting { env: &[("KEY", "k")], ..Setting::default() }.parse(&words).map(|command| match command {
        Command::Replay(replay) => *replay,
        other => panic!("{line} is no replay but {other:?}"),
    })
}

fn replay(line: &str) -> Replay {
    parse(line).unwrap_or_else(|error| panic!("{line}: {error}"))
}

#[test]
fn captures_are_everything_behind_the_url() {
    let sources = |line| replay(line).send.parts.into_iter().map(|part| part.source).collect::<Vec<_>>();
    let file = |name: &str| Source::File(name.into());
    assert_eq!(sources("replay http://h a - b/"), [file("a"), Source::Stdin, file("b/")]);
    assert_eq!(sources("replay --url http://h a"), [file("a")]);
    assert_eq!(sources("replay -s http://h a --delay 1 b"), [file("a"), file("b")]);
    let replay = replay("replay http://h a");
    assert!(replay.send.parts.iter().all(|part| part.kind == PartKind::Body));
    assert_eq!((replay.send.request.method.as_str(), replay.send.request.url.given.as_str()), ("POST", "http://h"));
    assert_eq!(replay.send.request.content_type.as_deref(), Some("application/json"));
}

#[test]
fn its_own_options_have_defaults_of_their_own() {
    let plain = replay("replay http://h a");
    assert_eq!((plain.passes, plain.delay, plain.keepalive), (1, Duration::ZERO, false));
    assert_eq!((plain.save, plain.export_json, plain.export_csv), (None, None, None));
    assert!(!plain.fail_early && !plain.dry_run);
    let given = replay(
        "replay http://h a -n 3 --delay 0.5 --keepalive --save d --fail-early --dry-run --export-json j --export-csv c",
    );
    assert_eq!((given.passes, given.delay, given.keepalive), (3, Duration::from_millis(500), true));
    let paths = [given.save, given.export_json, given.export_csv].map(Option::unwrap_or_default);
    assert_eq!(paths, ["d", "j", "c"].map(std::path::PathBuf::from));
    assert!(given.fail_early && given.dry_run);
}

#[test]
fn the_options_of_a_single_request_hold() {
    let send = replay(
        "replay http://h a -sSvk -m 9 --retry 2 -H 'A: b' --bearer-env KEY -X PUT -x p:1 --identity --model m \
         --set n=1 --compact -L -f",
    )
    .send;
    assert_eq!((send.settings.max_time, send.retry.count), (Some(Duration::from_secs(9)), 2));
    assert_eq!((send.request.method.as_str(), send.request.authorization.as_deref()), ("PUT", Some("Bearer k")));
    assert!(send.settings.tls.insecure && send.settings.follow.is_some() && send.settings.proxies.http.is_some());
    assert_eq!((send.body.model.as_deref(), send.body.set.len(), send.body.compact), (Some("m"), 1, true));
    assert!(send.output.silent && send.output.show_error && send.output.verbose);
    assert_eq!(send.output.fail, Fail::WithBody);
}

#[test]
fn a_command_word_counts_only_as_the_first_argument() {
    let setting = Setting::default();
    assert!(matches!(setting.parse(&["http://h", "replay"]), Ok(Command::Send(_))));
    assert!(matches!(setting.parse(&["-s", "replay"]), Ok(Command::Send(_))));
    assert!(matches!(setting.parse(&["--", "replay"]), Ok(Command::Send(_))));
}

#[test]
fn mistakes_say_what_to_do() {
    for (line, part) in [
        ("replay", "no URL; see gzpost replay --help"),
        ("replay http://h", "no CAPTURE: name files or directories"),
        ("replay dir http://h", "http://h: the URL comes first, then CAPTURE; 'dir' stands in its place"),
        ("replay --url http://h --url http://i a", "http://i: a second URL"),
        ("replay http://h - -", "stdin can be read once; give - once"),
        ("replay http://h a -n 0", "--passes: '0' is not a number from 1 on"),
        ("replay http://h a --delay x", "--delay: 'x'"),
        ("replay http://h a --no-check", "--no-check: a capture is JSON"),
        ("replay http://h a -o f", "--output is no option of gzpost replay"),
        ("replay http://h a -w x", "--write-out is no option of gzpost replay"),
        ("replay http://h a -d x", "--data is no option of gzpost replay"),
        ("replay http://h a --text", "--text is no option of gzpost replay"),
        ("http://h --passes 2", "--passes is an option of gzpost replay only"),
        ("replay src", "src is a directory; the URL comes first, then CAPTURE"),
        ("replay Cargo.toml", "Cargo.toml is a file; the URL comes first, then CAPTURE"),
    ] {
        let error = parse(line).expect_err(line);
        assert_eq!(error.kind, crate::error::Kind::Usage, "{line}");
        assert!(error.message.contains(part), "{line}: {error}");
    }
}

#[test]
fn its_help_is_its_own() {
    for line in [&["replay", "--help"][..], &["--help", "replay"], &["replay", "-h"]] {
        let Ok(Command::Help(text)) = Setting::default().parse(line) else { panic!("{line:?}") };
        assert!(text.starts_with("Usage: gzpost replay [OPTIONS] URL CAPTURE..."), "{text}");
        assert!(["-n, --passes N", "--dry-run", "--save DIR"].iter().all(|part| text.contains(part)), "{text}");
        assert!(text.lines().all(|line| line.len() <= 80), "{text}");
    }
}
