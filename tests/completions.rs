//! The scripts of `--completions` in the shells that they are for.

use crate::peers::installed;
use crate::program::{Program, gzpost};

/// What is typed, a word that has to be offered, and one that must not be.
const TYPED: [(&str, &str, &str); 12] = [
    ("gzpost ", "replay", "decode"),
    ("gzpost --s", "--silent", "--serve"),
    ("gzpost demo --", "--behave", "--output"),
    ("gzpost demo --behave reject-", "reject-415", "decode"),
    ("gzpost bench --", "--warmup", "--serve"),
    ("gzpost --bearer-env HOM", "HOME", "body.json"),
    ("gzpost --o", "--output", "--warmup"),
    ("gzpost bench --", "--model", "--output"),
    ("gzpost check --re", "--resolve", "--retry"),
    ("gzpost check --api ", "anthropic", "body.json"),
    ("gzpost -sSo bod", "body.json", "replay"),
    ("gzpost -d @bod", "@body.json", "replay"),
];

/// A shell with the script and a file to find.
fn shell(name: &str, script_name: &str) -> Option<Program> {
    let path = installed(name)?;
    let script = gzpost().args(["--completions", name]).run().assert_code(0).stdout_text();
    Some(Program::new(path).file(script_name, script).file("body.json", "{}").file("body-two.json", "{}"))
}

/// Whether words in this text are as they should be.
fn assert_offered(said: &str, typed: &str, wanted: &str, unwanted: &str) {
    let words: Vec<&str> = said.split_whitespace().collect();
    assert!(words.contains(&wanted), "{typed}: {wanted} is missing in {said}");
    assert!(!words.contains(&unwanted), "{typed}: {unwanted} in {said}");
}

#[test]
fn bash_completes() {
    for (typed, wanted, unwanted) in TYPED {
        let Some(bash) = shell("bash", "script") else { return };
        // As bash itself cuts a line into words, @ apart. Where nothing is offered, it completes files.
        let words = typed.replace('@', "@ ");
        let run = format!(
            "source ./script 2>/dev/null; COMP_WORDS=({words}); [[ '{typed}' == *' ' ]] && COMP_WORDS+=('')
            COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _gzpost 2>/dev/null
            ((${{#COMPREPLY[@]}})) || compgen -f -- \"${{COMP_WORDS[COMP_CWORD]}}\"; printf '%s\\n' \"${{COMPREPLY[@]}}\""
        );
        let output = bash.args(["--norc", "-c", &run]).run();
        output.assert_code(0);
        assert_offered(&output.stdout_text(), typed, wanted, unwanted);
    }
}

#[test]
fn fish_completes() {
    for (typed, wanted, unwanted) in TYPED {
        let Some(fish) = shell("fish", "script") else { return };
        let output = fish.args(["-c", &format!("source ./script; complete -C '{typed}'")]).run();
        output.assert_code(0);
        assert_offered(&output.stdout_text(), typed, wanted, unwanted);
    }
}

#[test]
fn zsh_completes() {
    for (typed, wanted, unwanted) in TYPED {
        // zsh lists what stands behind the @.
        let wanted = wanted.trim_start_matches('@');
        let Some(zsh) = shell("zsh", "_gzpost") else { return };
        // A shell on a terminal of its own, which is asked for a mark before and after. What is typed is echoed: marks
        // are typed in two parts, so that only the shell writes them whole. Input that waits would keep it from listing.
        let run = format!(
            "zmodload zsh/zpty
            zpty shell zsh -f -i
            zpty -w shell \"PROMPT= fpath=($PWD \\$fpath) LISTMAX=999; setopt no_list_ambiguous no_list_beep\"
            zpty -w shell \"autoload -Uz compinit; compinit -u -D; print rea''dy\"
            zpty -r shell said '*ready*'
            zpty -w -n shell $'{typed}\\t'
            zpty -r shell said '*{wanted}*'
            print -r -- $said
            zpty -w shell $'\\x15print do\\'\\'ne'
            zpty -r shell said '*done*'
            print -r -- $said"
        );
        let output = zsh.env("TERM", "dumb").args(["-f", "-c", &run]).run();
        assert_offered(&output.assert_code(0).stdout_text(), typed, wanted, unwanted);
    }
}
