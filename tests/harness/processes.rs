//! Running processes.

use rustix::process::Signal;

use super::failure;
use crate::program::{Program, Terminal, find_program, gzpost, screen};
use crate::server::message;

fn sh(script: &str) -> Program {
    Program::new("sh").args(["-c", script])
}

#[test]
fn tells_code_stdout_and_stderr() {
    let output = sh("echo out; echo err >&2; exit 7").run();
    output.assert_code(7).assert_stdout("out\n").assert_stderr_has("err").assert_stderr_lacks("out");
}

#[test]
fn failing_assertions_show_everything() {
    let output = sh("echo out; echo err >&2; exit 7").run();
    for said in [
        failure(|| output.assert_code(22).line.len()),
        failure(|| output.assert_stdout("other").line.len()),
        failure(|| output.assert_stderr_has("other").line.len()),
        failure(|| output.assert_stderr_lacks("err").line.len()),
    ] {
        for part in ["command: sh -c echo out", "exit code 7", "--- stdout\nout\n", "--- stderr\nerr\n"] {
            assert!(said.contains(part), "{part:?} in {said}");
        }
    }
}

#[test]
fn the_environment_is_empty_but_for_path_and_home() {
    let output = Program::new("env").env("ADDED", "1").run();
    let text = output.stdout_text();
    let mut names: Vec<&str> = text.lines().filter_map(|line| Some(line.split_once('=')?.0)).collect();
    names.sort_unstable();
    assert_eq!(names, ["ADDED", "HOME", "PATH"]);
    sh("test \"$HOME\" -ef . && cat file")
        .file("file", "in the working folder")
        .run()
        .assert_stdout("in the working folder");
}

#[test]
fn the_working_folder_goes_with_the_output() {
    let output = sh("echo >left").run();
    let path = output.home.path().to_owned();
    assert!(path.join("left").exists());
    drop(output);
    assert!(!path.exists());
}

#[test]
fn megabytes_pass_in_both_directions() {
    let bytes: Vec<u8> = (0..1_000_000u32).flat_map(u32::to_le_bytes).collect();
    let output = Program::new("cat").stdin(bytes.clone()).run();
    assert!(output.assert_code(0).stdout == bytes);
}

#[test]
fn a_process_that_does_not_read_its_stdin_does_not_matter() {
    Program::new("true").stdin(vec![0; 1 << 20]).run().assert_code(0);
}

#[test]
fn stdin_is_empty_or_stays_open() {
    Program::new("cat").run().assert_code(0).assert_stdout("");
    let mut running = sh("echo ready; read line; echo ended").idle_stdin().spawn();
    running.wait_for_stdout("ready\n");
    running.signal(Signal::TERM);
    let output = running.finish();
    output.assert_stdout("ready\n");
    assert!(output.status.code().is_none(), "{}", output.describe());
}

#[test]
fn a_closed_stdout_is_noticed_by_the_process() {
    let mut running = sh("trap '' PIPE; echo first; while echo more; do :; done 2>/dev/null; exit 9").spawn();
    running.close_stdout();
    running.finish().assert_code(9);
}

#[test]
fn waiting_for_what_never_comes_fails_with_what_came() {
    let said = failure(|| sh("echo some; echo why >&2").spawn().wait_for_stdout("some\nmore\n"));
    assert!(said.starts_with("ended before some\nmore\n on stdout"), "{said}");
    assert!(said.contains("why"), "{said}");
}

#[test]
fn one_output_is_a_terminal_when_asked() {
    let script = "for fd in 1 2; do test -t $fd && echo terminal || echo pipe; done; stty size <&2; echo said >&2";
    let output = sh(script).terminal(Terminal::Stderr).run();
    output.assert_stdout("pipe\nterminal\n24 80\n").assert_stderr_has("said\r\n");
    let output = sh("test -t 1 && test ! -t 2 && echo yes").terminal(Terminal::Stdout).run();
    output.assert_code(0).assert_stdout("yes\r\n");
}

#[test]
fn a_terminal_can_be_watched_while_the_process_runs() {
    let mut running = sh("echo question >&2; read answer").idle_stdin().terminal(Terminal::Stderr).spawn();
    running.wait_for_stderr("question");
    running.signal(Signal::KILL);
    running.finish().assert_stderr_has("question");
}

#[test]
fn programs_are_found_or_not() {
    assert!(find_program("sh").is_some());
    assert!(find_program("no-such-program-anywhere").is_none());
    assert!(std::path::Path::new(env!("CARGO_BIN_EXE_gzpost")).is_file());
    drop(gzpost());
    let panic = std::panic::catch_unwind(|| Program::new("no-such-program-anywhere").spawn().id());
    assert!(message(&panic.expect_err("no such program")).starts_with("no-such-program-anywhere: "));
}

#[test]
fn both_outputs_can_be_one_terminal_of_any_width() {
    let output = sh("test -t 1 && echo out; echo err >&2").terminal_of(Terminal::Both, 33).run();
    output.assert_stdout("").assert_stderr_has("out\r\nerr\r\n");
    let output = sh("stty size <&2").terminal_of(Terminal::Both, 33).run();
    output.assert_stderr_has("24 33\r\n");
}

#[test]
fn a_screen_shows_what_is_left() {
    assert_eq!(screen("one\r\ntwo\r\n", 80), ["one", "two"]);
    assert_eq!(screen("waiting\rw\x1b[K\rab\r\n", 80), ["ab"]);
    assert_eq!(screen("waiting\r       \rab", 80), ["ab"]);
    assert_eq!(screen("\rabcd\rx", 3), ["abc", "x"]);
    assert_eq!(screen("\rgone\x1b[K\r\x1b[K", 80), [""; 0]);
}
