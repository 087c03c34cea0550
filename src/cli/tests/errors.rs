//! Command lines that make no sense: exit code and message.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

use super::{Setting, error, error_in};
use crate::cli::options::{self, Kind as OptionKind, Topic};
use crate::error::Kind;

/// Exit 2, with a message that names the way out.
fn usage_errors(cases: &[(&str, &str)]) {
    for (line, message) in cases {
        let error = error(line);
        assert_eq!((error.kind, error.message.as_str()), (Kind::Usage, *message), "{line}");
    }
}

#[test]
fn arguments_and_options_that_exclude_each_other() {
    usage_errors(&[
        ("", "no URL; see gzpost --help"),
        ("-s -d x", "no URL; see gzpost --help"),
        ("http://a http://b", "http://b: a second URL; a command has one"),
        (
            "cheque http://b/v1",
            "http://b/v1: the URL comes first, then BODY; 'cheque' stands in its place and is no command (replay, bench, check, demo)",
        ),
        ("body.json http://b", "http://b: the URL comes first, then BODY; 'body.json' stands in its place"),
        ("Cargo.toml x http://b", "http://b: the URL comes first, then BODY; 'Cargo.toml' stands in its place"),
        ("--url http://a --url http://b", "http://b: a second URL; a command has one"),
        ("--url @list", "--url @FILE is not supported; a command sends one request"),
        ("u a b", "b: one argument too many after URL and BODY"),
        ("u {}", "BODY is a file, or - for stdin; use --json for JSON on the command line"),
        ("u b -d x", "BODY (b) and --data exclude each other"),
        ("u b -T x", "BODY (b) and --upload-file exclude each other"),
        ("u -T b --json {}", "--upload-file and --json exclude each other"),
        ("u -I -d x", "--head sends no body; with --get too, the data goes into the query"),
        ("u b -I", "--head sends no body; with --get too, the data goes into the query"),
        ("u b -G", "--get puts data into the query, not BODY"),
        ("u -f --fail-with-body", "--fail and --fail-with-body exclude each other"),
        ("u b --gzip --identity", "--gzip and --identity exclude each other"),
    ]);
}

#[test]
fn options_that_are_not_given_rightly() {
    usage_errors(&[
        ("u -X", "-X needs a value: -X METHOD"),
        ("u -sX", "-X needs a value: -X METHOD"),
        ("u --request", "--request needs a value: --request METHOD"),
        ("u --silent=1", "--silent takes no value"),
        ("u --no-request x", "--no-request: --request takes a value, there is no no-request"),
        ("u -X 'a b'", "--request: 'a b' is not a method"),
        ("u -X ''", "--request: '' is not a method"),
        ("u -X=x", "--request: '=x' is not a method"),
        ("u --slient", "unknown option --slient; did you mean --silent?"),
        ("u -s§", "unknown option -§; see gzpost --help all"),
        ("u -sF a=b", "-F is an option of curl's that gzpost does not have: it has no multipart forms"),
        ("u --http2", "--http2 is an option of curl's that gzpost does not have: it speaks HTTP/1.1"),
        (
            "u --digest",
            "--digest is an option of curl's that gzpost does not have; the nearest is --user, which is Basic",
        ),
    ]);
}

#[test]
fn numbers_and_changes_of_the_body() {
    usage_errors(&[
        ("u -m abc", "--max-time: 'abc' is not a number of seconds"),
        ("u -m 184467440737095510", "--max-time: '184467440737095510' is not a number of seconds"),
        ("u --retry-delay 9223372036854776", "--retry-delay: '9223372036854776' is not a number of seconds"),
        ("u --retry -1", "--retry: '-1' is not a number from 0 on"),
        ("u --max-redirs -2", "--max-redirs: '-2' is not a number from 0 on"),
        ("u --max-filesize 1x", "--max-filesize: '1x' is not a number of bytes; suffixes are K, M, G, T, P"),
        ("u b --level 0", "--level: '0' is not a level from 1 to 9"),
        ("u b --level 10", "--level: '10' is not a level from 1 to 9"),
        ("u --model m", "--model changes a body, and there is none"),
        ("u --compact", "--compact changes a body, and there is none"),
        ("u b --set a", "--set: 'a' is not KEY=JSON"),
        ("u b --set =1", "--set: '=1' is not KEY=JSON"),
        (
            "u b --set a=b",
            "--set: the value of a is not JSON: line 1, column 1: expected value; a text is written as 'a=\"TEXT\"'",
        ),
    ]);
}

#[test]
fn values_that_cannot_be_used() {
    usage_errors(&[
        ("u -b cookies.txt", "--cookie takes NAME=VALUE; files of cookies are not supported"),
        ("u -o ''", "--output: the file name is empty"),
        ("u -D ''", "--dump-header: the file name is empty"),
        ("u -r ''", "--range: the range is empty"),
        ("u --cert-type DER", "--cert-type: PEM is the only type; openssl can convert to it"),
        ("u --tls-max 1.1", "--tls-max: TLS 1.1 is not supported, 1.2 and 1.3 are"),
        ("u --tls-max 1.4", "--tls-max: '1.4' is not 1.2, 1.3 or default"),
        ("u --tlsv1.3 --tls-max 1.2", "--tlsv1.3 and --tls-max 1.2 leave no version"),
        ("u --proto =http", "--proto: '=http' leaves out https; list it too"),
        ("u --bearer-env NONE", "--bearer-env: the environment has no variable NONE, or it is empty"),
        ("u --oauth2-bearer t --bearer-env KEY", "--bearer-env and --oauth2-bearer: give one of them"),
    ]);
}

#[test]
fn options_of_another_command_and_help() {
    usage_errors(&[
        ("u --speed 2", "--speed is an option of gzpost demo only"),
        ("demo --silent", "--silent is no option of gzpost demo"),
        ("demo x", "gzpost demo takes no argument such as x"),
        ("demo 8040", "gzpost demo takes no argument such as 8040; --serve 8040 serves there"),
        ("-k check http://b", "a command is the first argument: gzpost check [OPTIONS] URL"),
        ("-m http://b", "no URL; --max-time took the URL as its value"),
        ("bench --record http://b", "no URL; --record took the URL as its value"),
        ("u --timeout 3", "unknown option --timeout; did you mean --max-time SECONDS?"),
        ("u --json Cargo.toml", "--json: Cargo.toml is a file; --json @Cargo.toml sends what is in it"),
        (
            "u --bearer-env sk-secret",
            "--bearer-env takes the name of a variable of the environment, and none has that name; it is not shown, as it may be the token",
        ),
        ("check u --json x", "--json is no option of gzpost check; --format json is for programs"),
        ("replay u c -o x", "--output is no option of gzpost replay; --save DIR keeps the answers"),
        ("demo --speed 0", "--speed: '0' is not a number above 0"),
        (
            "demo --behave x",
            "--behave: 'x' is none of decode, reject-400, reject-415, reject-500, ignore, slow, \
             unauthorized, no-models, html",
        ),
        ("demo --serve x", "--serve: 'x' is not ADDRESS:PORT, :PORT or PORT"),
        (
            "--help nonsense",
            "--help: 'nonsense' is no topic and no option; topics: all, variables, body, http, auth, output, time, \
            connection, proxy, tls, general, replay, bench, check, demo",
        ),
    ]);
}

#[test]
fn other_exit_codes_are_curls() {
    for (line, kind) in [
        ("http://", Kind::Url),
        ("http://h:alpha/x", Kind::Url),
        ("ftp://h", Kind::UnsupportedProtocol),
        ("http://h --proto =https", Kind::UnsupportedProtocol),
        ("u --proto-default ftp", Kind::UnsupportedProtocol),
        ("u --resolve 80:h:1.1.1.1", Kind::ResolveSyntax),
        ("u --connect-to ::h:h", Kind::ResolveSyntax),
        ("u -H @/nonexistent", Kind::Read),
        ("u -w @/nonexistent", Kind::Read),
        ("u -n --netrc-file /nonexistent", Kind::Read),
        ("u -n", Kind::Read),
    ] {
        assert_eq!(error(line).kind, kind, "{line}");
    }
}

#[test]
fn nothing_can_break_the_head_of_the_request() {
    for words in [
        ["u", "-H", "A: b\r\nC: d"],
        ["u", "-A", "a\nb"],
        ["u", "-e", "a\rb"],
        ["u", "-b", "a=b\nc"],
        ["u", "-X", "GET / HTTP/1.1\r\n"],
        ["u", "--oauth2-bearer", "t\n"],
        ["u", "--request-target", "/ HTTP/1.1\r\nA: b"],
        ["u", "-r", "0-\r\n"],
        ["u", "--proxy-header", "A: b\nC: d"],
    ] {
        let error = Setting::default().parse(&words).unwrap_err();
        assert_eq!(error.kind, Kind::Usage, "{words:?}");
        assert!(!error.message.contains(['\r', '\n']), "{words:?}");
    }
    let error = Setting::default().parse(&["http://h/\r\nA: b"]).unwrap_err();
    assert_eq!(error.kind, Kind::Url);
    assert!(!error.message.contains(['\r', '\n']), "{error}");
    let key = Setting { env: &[("KEY", "secret\n")], ..Setting::default() };
    let error = error_in(&key, "u --bearer-env KEY");
    assert_eq!(error.message, "--bearer-env KEY: the value holds a control character (\\n)");
}

#[test]
fn secrets_are_not_in_messages() {
    for line in ["u --cert c:secret", "u -U secret --proxy-header 'secret'", "u -H 'a b: secret'", "u -b secret"] {
        if let Err(error) = Setting::default().parse(&super::words(line).iter().map(String::as_str).collect::<Vec<_>>())
        {
            assert!(!error.message.contains("secret") || line.contains("-U"), "{line}: {error}");
        }
    }
}

#[test]
fn without_a_terminal_no_password_is_asked_for() {
    let error = error("u -u ann");
    assert_eq!(error.kind, Kind::Usage);
    assert_eq!(
        error.message,
        "--user: no password for ann, and no terminal to ask (no terminal); give --user USER:PASSWORD"
    );
}

#[test]
fn what_has_to_be_text_has_to_be_utf_8() {
    let bad = || OsString::from_vec(vec![0xff]);
    for key in ["-H", "-A", "-X", "-m", "-x", "--model", "--url", "-b", "-e", "-w", "--resolve", "--bearer-env"] {
        let words = [OsString::from("u"), OsString::from("-d{}"), OsString::from(key), bad()];
        let error = Setting::default().parse_os(&words).unwrap_err();
        assert!(error.message.ends_with("the value is not UTF-8"), "{key}: {error}");
    }
    assert_eq!(Setting::default().parse_os(&[bad()]).unwrap_err().message, "URL: the value is not UTF-8");
}

#[test]
fn every_option_of_the_table_is_read_by_a_command() {
    for option in options::all() {
        let command = match option.topic {
            Topic::Demo => &["demo"][..],
            Topic::Bench => &["bench", "u", "b"],
            Topic::Replay => &["replay", "u", "c"],
            Topic::Check => &["check", "u"],
            _ => &["u"],
        };
        let flag = format!("--{}", option.long);
        let words: Vec<&str> = match option.kind {
            OptionKind::Switch => [command, &[&flag]].concat(),
            _ => [command, &[&flag, "1"]].concat(),
        };
        if let Err(error) = Setting::default().parse(&words) {
            assert!(!error.message.contains("is no option of"), "{error}");
        }
    }
}

#[test]
fn the_table_knows_which_options_hold_in_which_command() {
    for command in [&["replay", "u", "c"][..], &["bench", "u", "b"], &["check", "u"]] {
        for option in options::OPTIONS.iter().filter(|option| option.has_effect()) {
            if options::owners(option.long).any(|word| word == command[0]) {
                continue;
            }
            let flag = format!("--{}", option.long);
            let value = option.arg.map(|_| "1");
            let words: Vec<&str> = command.iter().copied().chain([&*flag]).chain(value).collect();
            let message = Setting::default().parse(&words).err().map(|error| error.message).unwrap_or_default();
            let refused = message.starts_with(&format!("{flag} is no option of gzpost {}", command[0]));
            assert_eq!(refused, !option.holds_in(command[0]), "{words:?}: {message}");
        }
    }
}

#[test]
fn no_command_line_panics() {
    arbtest::arbtest(|u| {
        let replay = ["replay", "u", "c"].map(OsString::from).to_vec();
        let mut words = u.choose(&[vec![OsString::from("u")], replay, vec!["bench".into(), "u".into()]])?.clone();
        let options: Vec<_> = options::all().collect();
        for _ in 0..u.int_in_range(0..=6)? {
            let option = u.choose(&options)?;
            // stdin is empty here, and files do not exist.
            let value: String = u.arbitrary()?;
            match u.int_in_range(0..=3)? {
                0 => words.push(format!("--{}={value}", option.long).into()),
                1 => words.extend(option.short.map(|letter| format!("-{letter}{value}").into())),
                2 => words.extend([format!("--{}", option.long).into(), OsString::from(value)]),
                _ => words.push(OsString::from_vec(u.arbitrary()?)),
            }
        }
        let _ = Setting::default().parse_os(&words);
        Ok(())
    });
}
