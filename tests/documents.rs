//! The documents say what the program does.

use std::collections::BTreeSet;

use gzpost::relay::Behave;

use crate::bench::relay;
use crate::peers::installed;
use crate::program::{Program, gzpost};
use crate::server::{read_file, refused_port};

const README: &str = include_str!("../README.md");
const MANUAL: &str = include_str!("../man/gzpost.1");
const ERRORS: &str = include_str!("../src/error.rs");

type Words = BTreeSet<String>;

/// `--help all` as the options with an effect and those without, each with its dashes.
fn help() -> (Words, Words) {
    let text = gzpost().args(["--help", "all"]).run().assert_code(0).stdout_text();
    let (effect, none) = text.split_once("accepted for curl's sake").expect("both parts");
    // The name column ends where the help begins, two blanks later or on the next line.
    let names = |line: &str| -> Vec<String> {
        let column = line.trim_start().split("  ").next().unwrap_or_default();
        column.split([' ', ',']).filter(|word| word.starts_with('-')).map(str::to_owned).collect()
    };
    let effect = effect.lines().filter(|line| line.trim_start().starts_with('-')).flat_map(names).collect();
    (effect, none.split_whitespace().filter(|word| word.starts_with("--")).map(str::to_owned).collect())
}

/// The options that a line of the manual marks up: `.It Fl d , Fl -data Ar DATA`.
fn flags(line: &str) -> impl Iterator<Item = String> {
    let names = line.split("Fl ").skip(1).map(|rest| rest.split_whitespace().next().unwrap_or_default());
    names.map(|name| format!("-{}", name.trim_start_matches("\\&")))
}

/// A part of the manual, from one heading to the next.
fn section(heading: &str) -> &'static str {
    let text = MANUAL.split_once(heading).unwrap_or_else(|| panic!("{heading}")).1;
    text.split("\n.Sh ").next().and_then(|text| text.split("\n.Ss ").next()).unwrap_or_default()
}

fn is_long(name: &str) -> bool {
    name.starts_with("--")
}

/// The rows of the table below a heading of the README, their cells without backticks.
fn table(heading: &str) -> Vec<Vec<String>> {
    let text = README.split_once(heading).unwrap_or_else(|| panic!("{heading}")).1;
    let text = text.split("\n## ").next().unwrap_or_default();
    let rows = text.lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix('|')).skip(2);
    rows.map(|row| row.split(" | ").map(|cell| cell.trim().replace('`', "")).collect()).collect()
}

/// The numbers of `error.rs`, and 0.
fn codes() -> Vec<u8> {
    let variants = ERRORS.lines().filter_map(|line| line.strip_suffix(',')?.split_once(" = ")?.1.parse().ok());
    [0].into_iter().chain(variants).collect()
}

/// The refused options of the manual, and the reason as it stands below them.
fn refusals() -> Vec<(Vec<String>, &'static str)> {
    let items = section(".Ss Refused").split(".It ").skip(1);
    items
        .map(|item| item.split_once('\n').expect("a reason"))
        .map(|(names, why)| (flags(names).collect(), why))
        .collect()
}

#[test]
fn the_manual_has_every_option_and_no_other() {
    let (effect, none) = help();
    let without_refused = MANUAL.replace(section(".Ss Refused"), "");
    let described: Words = without_refused.lines().filter(|line| line.starts_with(".It Fl")).flat_map(flags).collect();
    assert_eq!(described, effect);
    let accepted: Words =
        section(".Ss Accepted without effect").lines().flat_map(flags).filter(|name| is_long(name)).collect();
    assert_eq!(accepted, none);
}

#[test]
fn options_that_the_manual_speaks_of_exist() {
    let names: Words = MANUAL.lines().flat_map(flags).filter(|name| is_long(name)).collect();
    for name in names.iter().filter(|name| !["--", "--no-"].contains(&name.as_str())) {
        // Here, if only under a second name, or in curl.
        let here = gzpost().args(["--help", name]).run().status.success();
        assert!(here || refusal(name).contains("is an option of curl's"), "{name}");
    }
}

/// What the program says about an option that it does not take.
fn refusal(option: &str) -> String {
    let output = gzpost().args([option, "x", "http://127.0.0.1:1/"]).run();
    output.assert_error(2).stderr_text()
}

#[test]
fn the_manual_gives_the_reasons_of_refusals() {
    for (options, why) in refusals() {
        let why = why.lines().next().and_then(|line| line.strip_suffix('.')).expect("a sentence");
        // A sentence begins with a capital letter, an end of one does not.
        let why = if why == "These have nothing near" { "does not have" } else { &why[1..] };
        for option in options {
            let said = refusal(&option);
            let expected = format!("{option} is an option of curl's that gzpost does not have");
            assert!(said.contains(&expected) && said.trim_end().ends_with(why), "{option}: {said}");
        }
    }
}

#[test]
fn the_readmes_options_are_as_it_says() {
    let (effect, _) = help();
    let refused: Words = refusals().into_iter().flat_map(|(options, _)| options).collect();
    let rows = table("## Coming from curl");
    for row in &rows[..3] {
        let [here, options] = &row[..] else { panic!("{row:?}") };
        for option in options.split(' ') {
            match here.as_str() {
                "as in curl" => assert!(effect.contains(option), "{option}"),
                "no effect" => {
                    let text = gzpost().args(["--help", option]).run().assert_code(0).stdout_text();
                    assert!(text.contains("without effect"), "{option}");
                }
                "refused" => assert!(refused.contains(option), "{option}"),
                other => panic!("{option}: {other}"),
            }
        }
    }
}

#[test]
fn exit_codes_are_those_of_the_program() {
    let codes = codes();
    assert!(codes.contains(&gzpost::error::Kind::Terminated.code()) && codes.len() > 20, "{codes:?}");
    let items = section(".Sh EXIT STATUS").lines().filter_map(|line| line.strip_prefix(".It "));
    assert_eq!(items.map(|code| code.parse().unwrap_or_else(|_| panic!("{code}"))).collect::<Vec<u8>>(), codes);
    for row in table("These are met most often:") {
        let own = row[0].split(", ").map(|code| code.parse().unwrap_or_else(|_| panic!("{row:?}")));
        assert!(own.clone().count() > 0 && own.into_iter().all(|code| codes.contains(&code)), "{row:?}");
    }
}

#[test]
fn variables_are_those_of_the_program() {
    let url = format!("http://127.0.0.1:{}/", refused_port());
    let output = gzpost().args(["-s", "-w", "%{json}", &url]).run();
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let mut known: Words = json.as_object().expect("an object").keys().cloned().collect();
    // What %{json} adds for programs that look for it, and what writes instead of having a value.
    assert!(known.remove("curl_version"));
    known.extend(["json", "header_json", "onerror", "stderr", "stdout"].map(str::to_owned));
    let items = section(".Sh VARIABLES").lines().filter_map(|line| line.strip_prefix(".It Va "));
    let manual: Words = items.flat_map(|names| names.split(" , ")).map(str::to_owned).collect();
    assert_eq!(manual, known);
    for name in &manual {
        let output = gzpost().args(["-s", "-o", "f", "-w", &format!("%{{{name}}}"), &url]).run();
        output.assert_stderr_lacks("unknown");
    }
    for name in README.split("%{").skip(1) {
        assert!(name.split('}').next().is_some_and(|name| known.contains(name)), "{name:.40}");
    }
}

#[test]
fn the_readmes_first_commands_are_the_demo_and_the_tests() {
    let block = README.split("```sh\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a block of commands");
    assert_eq!(block, "cargo run --release -- demo\ncargo test\n");
}

#[test]
fn the_readmes_commands_run() {
    let (Some(bash), Some(_)) = (installed("bash"), installed("jq")) else { return };
    let relay = relay(500.0, Behave::Decode);
    let root = env!("CARGO_MANIFEST_DIR");
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_gzpost")).parent().expect("a folder").display();
    let begin = format!(
        "set -exo pipefail
        PATH='{program}':$PATH
        mkdir -p tests/fixtures
        cp -r '{root}/tests/fixtures/captures' tests/fixtures
        cp -r '{root}/man' .
"
    );
    // The first block is for cargo.
    let blocks = README.split("```sh\n").skip(2).filter_map(|block| block.split("```").next()).map(str::to_owned);
    // A line of a crontab begins with five fields of time.
    let crontab = README.lines().filter_map(|line| line.strip_prefix("*/10 * * * * "));
    let crontab = crontab.map(|line| format!("env -i HOME=\"$HOME\" PATH=\"$PATH\" sh -c '{line}'\n"));
    let script: String = [begin].into_iter().chain(blocks).chain(crontab).collect();
    let script = script.replace("127.0.0.1:8037", &relay.address().to_string());
    let output = Program::new(bash).file("README.md", README).args(["-c", &script]).run();
    output.assert_code(0);
    let log = String::from_utf8(read_file(&output.home.path().join("relay.log"))).expect("UTF-8");
    assert!(log.contains(" healthy: gzip yes"), "{log}");
    assert!(output.home.path().join("bench.svg").is_file() && output.home.path().join(".zfunc/_gzpost").is_file());
}

#[test]
fn the_readmes_line_for_cron_dates_every_verdict_and_prints_the_bad_ones() {
    let line = README.lines().find_map(|line| line.strip_prefix("*/10 * * * * ")).expect("a line");
    assert!(!line.contains('%'), "cron would end the line there");
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_gzpost"));
    let folder = program.parent().expect("a folder").as_os_str();
    for (behave, verdict) in [(Behave::Decode, " healthy: gzip yes, "), (Behave::Unauthorized, " unhealthy: models, ")]
    {
        let relay = relay(500.0, behave);
        let line = line.replace("127.0.0.1:8037", &relay.address().to_string());
        let path = [folder, std::env::var_os("PATH").unwrap_or_default().as_os_str()].join(std::ffi::OsStr::new(":"));
        let output = Program::new("/bin/sh").env("PATH", path).file(".relay.conf", "").args(["-c", &line]).run();
        let log = String::from_utf8(read_file(&output.home.path().join("relay.log"))).expect("UTF-8");
        let (date, rest) = log.split_at(19);
        let form = date.replace(|letter: char| letter.is_ascii_digit(), "0");
        assert!(form == "0000-00-00T00:00:00" && rest.contains(verdict) && log.lines().count() == 1, "{log}");
        output.assert_stdout(if behave == Behave::Decode { "" } else { &log });
    }
}

#[test]
fn the_manual_is_well_formed() {
    let Some(mandoc) = installed("mandoc") else { return };
    let manual = concat!(env!("CARGO_MANIFEST_DIR"), "/man/gzpost.1");
    let output = Program::new(mandoc).args(["-T", "lint", "-W", "warning", manual]).run();
    output.assert_code(0).assert_stdout("");
}
