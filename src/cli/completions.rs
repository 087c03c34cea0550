//! `--completions SHELL`: scripts by which a shell completes the command line, made from the table of options.

use std::fmt::Write;

use super::args::usage;
use super::command::{Api, Format, Metric};
use super::options::{self, COMMANDS, Kind, OPTIONS, Opt, Topic};
use super::values::choice;
use crate::error::Result;
use crate::relay::Behave;

/// Every shell by the name that `--completions` takes.
const SHELLS: [(&str, Script); 3] = [("bash", bash), ("zsh", zsh), ("fish", fish)];

type Script = fn() -> String;

/// Those of `COMMANDS` that send what a single request sends; `demo` takes its own options only.
const REQUESTS: [&str; 3] = ["replay", "bench", "check"];

/// The script for a shell.
pub fn completions(shell: &str) -> Result<String> {
    choice(shell, &SHELLS).map(|script| script()).map_err(|error| usage(format!("--completions: {error}")))
}

/// What can stand in the place of a value.
enum Values {
    /// A path.
    Files,
    /// Free text, or `@` and a path.
    AtFile,
    /// One of these words.
    Words(Vec<&'static str>),
    /// The name of a variable of the environment.
    Variables,
    /// What nobody can guess.
    Free,
}

fn values(option: &Opt) -> Values {
    let words = match option.long {
        "behave" => Behave::CHOICES.map(|(name, _)| name).to_vec(),
        "api" => Api::CHOICES.map(|(name, _)| name).to_vec(),
        "format" => Format::CHOICES.map(|(name, _)| name).to_vec(),
        "metric" => Metric::ALL.map(Metric::name).to_vec(),
        "completions" => SHELLS.map(|(name, _)| name).to_vec(),
        "help" => [&["all", "variables"], &Topic::ALL.map(Topic::name)[..]].concat(),
        "tls-max" => vec!["1.2", "1.3"],
        _ if option.arg == Some("PEM") => vec!["PEM"],
        _ => Vec::new(),
    };
    match option.arg {
        Some("FILE" | "DIR" | "PATH") => Values::Files,
        Some("DATA" | "LINE" | "FORMAT") => Values::AtFile,
        Some("VAR") => Values::Variables,
        _ if words.is_empty() => Values::Free,
        _ => Values::Words(words),
    }
}

/// An option as it is offered: its letter may mean another one there.
type Offer = (&'static Opt, Option<char>);

fn offers(wanted: impl Fn(&Opt) -> bool) -> Vec<Offer> {
    let offered = OPTIONS.iter().filter(|option| option.has_effect() && wanted(option));
    offered.map(|option| (option, option.short.filter(|letter| !is_taken(*letter)))).collect()
}

/// Whether a command uses this letter for an option of its own.
fn is_taken(letter: char) -> bool {
    REQUESTS.iter().any(|word| options::of_command(Some(word)).iter().any(|option| option.short == Some(letter)))
}

/// The options that this command has and not every other one.
fn own(word: &str) -> Vec<Offer> {
    let too = |option: &Opt| REQUESTS.contains(&word) && option.holds_in(word) && !is_shared(option);
    let own = options::of_command(Some(word)).iter().map(|option| (option, option.short));
    offers(too).into_iter().chain(own).collect()
}

fn is_shared(option: &Opt) -> bool {
    option.topic == Topic::General || REQUESTS.iter().all(|word| option.holds_in(word))
}

/// What every command takes.
fn general() -> Vec<Offer> {
    offers(|option| option.topic == Topic::General)
}

/// What every command but `demo` takes.
fn of_requests() -> Vec<Offer> {
    offers(|option| option.topic != Topic::General && is_shared(option))
}

/// What a single request takes, and not every command.
fn of_a_single_request() -> Vec<Offer> {
    offers(|option| !is_shared(option))
}

/// The letters that mean something in a single request, and another thing in other commands.
fn letters_of_a_single_request() -> impl Iterator<Item = Offer> {
    let taken = |option: &&Opt| option.has_effect() && option.short.is_some_and(is_taken);
    OPTIONS.iter().filter(taken).map(|option| (option, option.short))
}

fn bash() -> String {
    let long =
        |offers: Vec<Offer>| -> Vec<String> { offers.iter().map(|(option, _)| format!("--{}", option.long)).collect() };
    let general = long(general()).join(" ");
    let mut cases = format!("    demo) options=\"{general} {}\" ;;\n", long(own("demo")).join(" "));
    for word in REQUESTS {
        let _ = writeln!(cases, "    {word}) options+=\" {}\" ;;", long(own(word)).join(" "));
    }
    let _ = writeln!(cases, "    *) options+=\" {}\" ;;", long(of_a_single_request()).join(" "));
    format!(
        "\
# Completion of gzpost for bash, made by `gzpost --completions bash`.
_gzpost() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}}
    # bash takes the @ of @FILE for a word, and wants it back; likewise the = of --name=value, but not back.
    if [[ $word == *@ || $before == *@ ]]; then
        local IFS=$'\\n'
        compopt -o nospace 2>/dev/null
        COMPREPLY=($(compgen -P @ -f -- \"${{word#*@}}\"))
        return
    fi
    if [[ $word == = ]]; then
        word=
    elif [[ $before == = ]]; then
        before=${{COMP_WORDS[COMP_CWORD - 2]}}
    fi
    # The last of several letters is the one that takes a value.
    [[ $before == -[!-]* ]] && before=-${{before: -1}}
    local options=\"{general} {}\"
    case ${{COMP_WORDS[1]}} in
{cases}    esac
    # Where nothing is offered, bash completes names of files.
    COMPREPLY=()
    case ${{COMP_WORDS[1]}}:$before in
{}    *)
        if [[ $word == -* ]]; then
            COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))
        elif ((COMP_CWORD == 1)); then
            COMPREPLY=($(compgen -W \"{}\" -- \"$word\"))
        fi
        ;;
    esac
}}
complete -o default -F _gzpost gzpost
",
        long(of_requests()).join(" "),
        bash_values(),
        words(),
    )
}

/// What can stand first in place of a URL.
fn words() -> String {
    format!("{} help", COMMANDS.join(" "))
}

/// What follows an option, where that is no file.
fn bash_values() -> String {
    let mut cases = String::new();
    let mut free: Vec<String> = Vec::new();
    let mut add = |command: &str, offers: Vec<Offer>| {
        for (option, letter) in offers.into_iter().filter(|(option, _)| option.kind != Kind::Switch) {
            let letter = letter.map(|letter| format!("{command}:-{letter} | ")).unwrap_or_default();
            let pattern = format!("{letter}{command}:--{}", option.long);
            match values(option) {
                Values::Files | Values::AtFile => {}
                Values::Variables => {
                    let _ = writeln!(cases, "    {pattern}) COMPREPLY=($(compgen -e -- \"$word\")) ;;");
                }
                Values::Free => free.push(pattern),
                Values::Words(words) => {
                    let words = words.join(" ");
                    let _ = writeln!(cases, "    {pattern}) COMPREPLY=($(compgen -W \"{words}\" -- \"$word\")) ;;");
                }
            }
        }
    };
    for word in COMMANDS {
        add(word, own(word));
    }
    add("*", general());
    add("*", of_requests());
    add("*", of_a_single_request());
    let _ = writeln!(cases, "    {}) compopt +o default 2>/dev/null ;;", free.join(" | "));
    cases
}

fn zsh() -> String {
    let specs = |offers: Vec<Offer>| offers.into_iter().map(zsh_spec).collect::<Vec<_>>().concat();
    let mut letters = String::new();
    for (option, letter) in letters_of_a_single_request() {
        let _ = writeln!(letters, "        '-{}[{}]'", letter.unwrap_or_default(), zsh_text(option.help));
    }
    let mut cases = String::new();
    for (word, last) in REQUESTS.into_iter().zip([" '*:CAPTURE:_files'", " '*:BODY:_files'", ""]) {
        let specs = specs(own(word));
        let _ = write!(
            cases,
            "    {word})\n        own=(\n{specs}        )\n        \
             _arguments -s -S $general $request $own ':command:' ':URL: '{last}\n        ;;\n"
        );
    }
    format!(
        "\
#compdef gzpost
# Completion of gzpost for zsh, made by `gzpost --completions zsh`.
_gzpost_at_file() {{
    compset -P @ && _files
}}
_gzpost() {{
    local -a general=(
{}    ) request=(
{}    ) own
    case $words[2] in
{cases}    demo)
        own=(
{}        )
        _arguments -s -S $general $own ':command:'
        ;;
    *)
        own=(
{letters}{}        )
        _arguments -s -S $general $request $own ':URL or command:({})' ':BODY:_files'
        ;;
    esac
}}
if [[ $funcstack[1] == _gzpost ]]; then
    _gzpost \"$@\"
else
    compdef _gzpost gzpost
fi
",
        specs(general()),
        specs(of_requests()),
        specs(own("demo")),
        specs(of_a_single_request()),
        words(),
    )
}

/// As `_arguments` reads it.
fn zsh_spec((option, letter): Offer) -> String {
    let (long, help) = (option.long, zsh_text(option.help));
    let value = match (option.arg, values(option)) {
        (None, _) => String::new(),
        (Some(arg), values) => {
            let colons = if option.kind == Kind::Optional { "::" } else { ":" };
            let action = match values {
                Values::Files => "_files".to_owned(),
                Values::AtFile => "_gzpost_at_file".to_owned(),
                Values::Words(words) => format!("({})", words.join(" ")),
                Values::Variables => "{_parameters -g \"*export*\"}".to_owned(),
                Values::Free => " ".to_owned(),
            };
            format!("{colons}{}:{action}", zsh_text(arg))
        }
    };
    let (attached, equals) = if option.kind == Kind::Switch { ("", "") } else { ("+", "=") };
    let repeats = if option.kind == Kind::List { "*" } else { "" };
    match letter {
        Some(letter) => {
            let excludes = if repeats.is_empty() { format!("(-{letter} --{long})") } else { repeats.to_owned() };
            format!("        '{excludes}'{{-{letter}{attached},--{long}{equals}}}'[{help}]{value}'\n")
        }
        None => format!("        '{repeats}--{long}{equals}[{help}]{value}'\n"),
    }
}

/// In single quotes, between brackets or colons.
fn zsh_text(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('[', "\\[").replace(']', "\\]").replace(':', "\\:");
    text.replace('\'', "'\\''")
}

fn fish() -> String {
    let mut lines = String::new();
    let mut add = |condition: &str, offers: Vec<Offer>| {
        for (option, letter) in offers {
            let condition = if condition.is_empty() { String::new() } else { format!(" -n '{condition}'") };
            let letter = letter.map(|letter| format!(" -s {letter}")).unwrap_or_default();
            let value = match values(option) {
                _ if option.kind == Kind::Switch => String::new(),
                Values::Files => " -r".to_owned(),
                Values::AtFile => " -x -a '(__gzpost_at_file)'".to_owned(),
                Values::Words(words) => format!(" -x -a '{}'", words.join(" ")),
                Values::Variables => " -x -a '(set -nx)'".to_owned(),
                // -x would keep an option from being offered behind it.
                Values::Free if option.kind == Kind::Optional => String::new(),
                Values::Free => " -x".to_owned(),
            };
            let (long, help) = (option.long, fish_text(option.help));
            let _ = writeln!(lines, "complete -c gzpost{condition}{letter} -l {long}{value} -d '{help}'");
        }
    };
    add("", general());
    add("not __gzpost_is demo", of_requests());
    add(&format!("not __gzpost_is {}", COMMANDS.join(" ")), of_a_single_request());
    for word in COMMANDS {
        add(&format!("__gzpost_is {word}"), own(word));
    }
    let words = COMMANDS.join(" ");
    for (option, letter) in letters_of_a_single_request() {
        let (letter, help) = (letter.unwrap_or_default(), fish_text(option.help));
        let _ = writeln!(lines, "complete -c gzpost -n 'not __gzpost_is {words}' -s {letter} -d '{help}'");
    }
    format!(
        "\
# Completion of gzpost for fish, made by `gzpost --completions fish`.
function __gzpost_is -d 'Whether the first argument is one of these commands'
    set -l words (commandline -opc)
    contains -- \"$words[2]\" $argv
end
function __gzpost_at_file -d 'Files, behind an @'
    set -l word (commandline -ct)
    string match -q '@*' -- $word
    and __fish_complete_path (string sub -s 2 -- $word) | string replace -r '^' '@'
end
complete -c gzpost -n 'test (count (commandline -opc)) -eq 1' -a '{}'
{lines}",
        self::words()
    )
}

/// In single quotes.
fn fish_text(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\'', "\\'")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_option_with_an_effect_is_offered_by_every_shell() {
        for (shell, script) in SHELLS {
            let script = script();
            let words: Vec<&str> = script.split(|c: char| !c.is_ascii_alphanumeric() && !"-.".contains(c)).collect();
            for option in options::all().filter(|option| option.has_effect()) {
                let long = if shell == "fish" { option.long.to_owned() } else { format!("--{}", option.long) };
                assert!(words.contains(&&*long), "{shell} lacks --{}", option.long);
            }
        }
    }

    #[test]
    fn a_letter_means_what_it_means_in_its_command() {
        assert!(letters_of_a_single_request().any(|(option, letter)| option.long == "netrc" && letter == Some('n')));
        assert!(of_requests().iter().any(|(option, letter)| option.long == "netrc" && letter.is_none()));
        assert!(of_a_single_request().iter().any(|(option, letter)| option.long == "output" && *letter == Some('o')));
        assert!(own("bench").iter().any(|(option, letter)| option.long == "pairs" && *letter == Some('n')));
    }

    #[test]
    fn texts_are_quoted() {
        assert_eq!(zsh_text("it's [a]: b"), "it'\\''s \\[a\\]\\: b");
        assert_eq!(fish_text("it's"), "it\\'s");
    }

    #[test]
    fn an_unknown_shell_is_told_the_known_ones() {
        assert!(completions("bash").is_ok());
        assert_eq!(completions("tcsh").unwrap_err().message, "--completions: 'tcsh' is none of bash, zsh, fish");
    }
}
