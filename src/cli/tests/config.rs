//! Config files.

use super::{Scratch, Setting, error, error_in, send, send_in};
use crate::error::Kind;

#[test]
fn options_of_a_file_are_as_if_on_the_command_line() {
    let file = Scratch::new(
        "config",
        "# all forms\nurl = \"http://h/p\"\n-sS\n--request PUT\nheader: \"A: b \\\"c\\\"\"\n-d=x\ndata-raw y z\n\
         user-agent \"a\\tb\"\noutput=f # comment\n",
    );
    let sent = send(&format!("-K {}", file.path()));
    assert_eq!(sent.request.url.given, "http://h/p");
    assert!(sent.output.silent && sent.output.show_error);
    assert_eq!(sent.request.method, "PUT");
    assert_eq!(sent.request.fields, [crate::http::FieldLine::Set("A".into(), "b \"c\"".into())]);
    assert_eq!(sent.request.user_agent.as_deref(), Some("a\tb"));
    assert_eq!(sent.output.file.as_deref(), Some("f".as_ref()));
    let texts: Vec<_> = sent.parts.iter().map(|part| part.source.clone()).collect();
    assert_eq!(texts, ["=x", "y"].map(|text| crate::body::Source::Text(text.into())));
}

#[test]
fn order_is_that_of_the_command_line() {
    let file = Scratch::new("order", "-w \"output\\n\"\nmax-time = 1");
    assert_eq!(send(&format!("u -K {} -w ''", file.path())).output.write_out.as_deref(), Some(""));
    assert_eq!(send(&format!("u -w '' -K {}", file.path())).output.write_out.as_deref(), Some("output\n"));
}

#[test]
fn stdin_is_a_config_file_too() {
    let setting = Setting { stdin: "header = \"Authorization: Bearer t\"", ..Setting::default() };
    assert_eq!(send_in(&setting, "u -K -").request.fields.len(), 1);
}

#[test]
fn warnings_come_before_silence_only() {
    let file = Scratch::new("warn", "data = arg with space\n");
    let warned = send(&format!("u --config {} --silent", file.path()));
    assert_eq!(
        warned.warnings,
        [format!("{}:1: data: only the first word is the value, use double quotes", file.path())]
    );
    assert_eq!(send(&format!("u --silent --config {}", file.path())).warnings, [] as [&str; 0]);
}

#[test]
fn errors_name_file_and_line() {
    for (text, message) in [
        ("\nsillent\n", ":2: unknown option --sillent; did you mean --silent?"),
        ("silent = yes\n", ":1: --silent takes no value"),
        ("data\n", ":1: --data needs a value: --data DATA"),
        ("form = a=b\n", ":1: --form is an option of curl's that gzpost does not have: it has no multipart forms"),
    ] {
        let setting = Setting { stdin: text, ..Setting::default() };
        let error = error_in(&setting, "u -K -");
        assert_eq!((error.kind, error.message), (Kind::Usage, format!("<stdin>{message}")), "{text}");
    }
}

#[test]
fn a_missing_file_is_26_and_an_endless_one_2() {
    let missing = error("u -K /nonexistent/config");
    assert_eq!(missing.kind, Kind::Read);
    assert!(missing.message.starts_with("/nonexistent/config: cannot read the config file: "), "{missing}");
    let file = Scratch::new("endless", "");
    std::fs::write(&file.0, format!("--config {}\n", file.path())).unwrap();
    let endless = error(&format!("u -K {}", file.path()));
    assert_eq!(endless.kind, Kind::Usage);
    assert!(endless.message.contains("config files nest deeper than 5"), "{endless}");
}
