//! The documents say what the program does.

use std::collections::BTreeSet;

use crate::peers::installed;
use crate::program::{Program, gzpost};
use crate::server::refused_port;

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
    names.map(|name| format!("-{name}"))
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

#[test]
fn the_manual_has_every_option_and_no_other() {
    let (effect, none) = help();
    let described: Words = MANUAL.lines().filter(|line| line.starts_with(".It Fl")).flat_map(flags).collect();
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
fn the_readmes_options_are_as_it_says() {
    let (effect, none) = help();
    let mut seen = Words::new();
    for row in table("## Options curl users will look for") {
        let [options, here, note] = &row[..] else { panic!("{row:?}") };
        for option in options.split(' ') {
            assert!(seen.insert(option.to_owned()), "{option} twice");
            match here.as_str() {
                "supported" => assert!(effect.contains(option), "{option}"),
                "no effect" if is_long(option) => assert!(none.contains(option), "{option}"),
                "no effect" => {
                    let text = gzpost().args(["--help", option]).run().assert_code(0).stdout_text();
                    assert!(text.contains("without effect"), "{option}");
                }
                "refused" => {
                    let said = refusal(option);
                    let expected = format!("{option} is an option of curl's that gzpost does not have");
                    assert!(said.contains(&expected) && said.trim_end().ends_with(note), "{option}: {said}");
                }
                other => panic!("{option}: {other}"),
            }
        }
    }
    assert!(none.is_subset(&seen), "{:?}", none.difference(&seen));
}

#[test]
fn exit_codes_are_those_of_the_program() {
    let codes = codes();
    assert!(codes.contains(&gzpost::error::Kind::Terminated.code()) && codes.len() > 20, "{codes:?}");
    let readme: Vec<u8> =
        table("## Exit codes").iter().map(|row| row[0].parse().unwrap_or_else(|_| panic!("{row:?}"))).collect();
    assert_eq!(readme, codes);
    let items = section(".Sh EXIT STATUS").lines().filter_map(|line| line.strip_prefix(".It "));
    assert_eq!(items.map(|code| code.parse().unwrap_or_else(|_| panic!("{code}"))).collect::<Vec<u8>>(), codes);
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
    for row in table("These are added:") {
        assert!(known.contains(&row[0]), "{row:?}");
    }
}

#[test]
fn the_readmes_first_commands_are_the_demo_and_the_tests() {
    let block = README.split("```sh\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a block of commands");
    assert_eq!(block, "cargo run --release -- demo\ncargo test\n");
}

#[test]
fn the_manual_is_well_formed() {
    let Some(mandoc) = installed("mandoc") else { return };
    let manual = concat!(env!("CARGO_MANIFEST_DIR"), "/man/gzpost.1");
    let output = Program::new(mandoc).args(["-T", "lint", "-W", "warning", manual]).run();
    output.assert_code(0).assert_stdout("");
}
