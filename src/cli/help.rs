//! `--help` and `--version`, made from the table of options.

use std::fmt::Write;

use super::args::usage;
use super::options::{self, OPTIONS, Opt, Topic};
use crate::error::Result;
use crate::output::write_out::variables;
use crate::relay::Behave;

const USAGE: &str = "\
Usage: gzpost [OPTIONS] URL [BODY]              send one request
       gzpost replay [OPTIONS] URL CAPTURE...   send captured bodies in turn
       gzpost bench [OPTIONS] URL [BODY...]     plain against gzip, many times
       gzpost check [OPTIONS] URL               a relay's health and its costs
       gzpost demo [OPTIONS]                    the story on a loopback relay

BODY is a file, or - for stdin. JSON of 1 KiB or more goes out as gzip. The
answer goes to stdout as it arrives, the timing of every phase to stderr.

";

/// What a first-time reader needs; everything else is in `--help all`.
const MAIN_OPTIONS: [&str; 10] =
    ["header", "bearer-env", "json", "identity", "model", "text", "output", "silent", "max-time", "write-out"];

/// The column of names; help of at most 52 letters stays within 80 columns.
const NAME_WIDTH: usize = 26;

const DEMO: &str = "\
Usage: gzpost demo [OPTIONS]

Starts a relay on loopback that costs what a slow gateway costs, posts a body
plain and as gzip, and compares the two.

";

const BENCH: &str = "\
Usage: gzpost bench [OPTIONS] URL [BODY...]

Sends every BODY plain and as gzip, in the order A B B A, and compares the two:
medians, ranges, the speed-up with its 95 % interval, and what a KB costs. The
options of a single request that say how to ask and how to connect hold too.
gzpost bench --sizes 0,32K,128K,512K,2M --bogus-model URL measures a relay alone.

";

const REPLAY: &str = "\
Usage: gzpost replay [OPTIONS] URL CAPTURE...

Sends captured bodies one after the other and shows what a relay makes of each.
A CAPTURE is a file with one or more JSON documents, gzipped or not, a directory
(its *.json, *.json.gz, *.jsonl and *.log), or - for stdin. Every capture is
checked before the first request. Options of a single request hold here too.

";

const CHECK: &str = "\
Usage: gzpost check [OPTIONS] URL

Is a relay up, where does its time go, does it take gzip, what does a KB cost?
URL is a base such as https://host/v1, or a full endpoint. Posts name a model
that does not exist, so that nothing runs and nothing is billed.

Exit code: 0 healthy, 22 answered but unhealthy, curl's when not reached.

";

const CHECK_REST: &str = "\
With those of a single request about who asks and the way there, such as -H,
--bearer-env, -u, -x, --resolve, -k, --cacert, -L, -m (for one probe), -K, -v,
and -s, which leaves the last line only.
";

/// The text of `--help [TOPIC]`.
pub fn help(topic: Option<&str>) -> Result<String> {
    let Some(topic) = topic else {
        return Ok(overview());
    };
    if topic == "all" {
        let sections = Topic::ALL.iter().map(|topic| section(*topic, of_topic(*topic)));
        return Ok(format!("{USAGE}{}\n{}", sections.collect::<Vec<_>>().join("\n"), without_effect()));
    }
    if topic == "replay" {
        return Ok(format!("{REPLAY}{}", rows(of_topic(Topic::Replay))));
    }
    if topic == "check" {
        return Ok(format!("{CHECK}{}\n{CHECK_REST}", rows(of_topic(Topic::Check))));
    }
    if topic == "demo" {
        let behaviours = Behave::CHOICES.map(|(name, _)| name).join(", ");
        return Ok(format!("{DEMO}{}\nHOW: {behaviours}\n", rows(of_topic(Topic::Demo))));
    }
    if topic == "bench" {
        return Ok(format!("{BENCH}{}", rows(of_topic(Topic::Bench))));
    }
    if topic == "variables" {
        let names: Vec<String> = variables().map(|name| format!("%{{{name}}}")).collect();
        return Ok(format!("variables of -w (gzpost(1) says what each means):\n{}", in_lines(&names)));
    }
    if let Some(topic) = Topic::ALL.iter().find(|own| own.name() == topic) {
        return Ok(section(*topic, of_topic(*topic)));
    }
    let named = options_named(topic);
    if named.is_empty() {
        let topics = topic_names().join(", ");
        return Err(usage(format!("--help: '{topic}' is no topic and no option; topics: all, variables, {topics}")));
    }
    let topics = Topic::ALL.into_iter().filter(|topic| named.iter().any(|option| option.topic == *topic));
    let of = |topic: Topic| section(topic, named.iter().copied().filter(move |option| option.topic == topic));
    Ok(topics.map(of).collect::<Vec<_>>().join("\n"))
}

fn overview() -> String {
    let main = OPTIONS.iter().filter(|option| MAIN_OPTIONS.contains(&option.long) || option.long == "help");
    let names = topic_names();
    let (topics, commands) = names.split_at(names.len() - 4);
    format!("{USAGE}{}\nTopics: all variables {}\n        {}\n", rows(main), topics.join(" "), commands.join(" "))
}

fn topic_names() -> Vec<&'static str> {
    Topic::ALL.iter().map(|topic| topic.name()).collect()
}

/// The options of this name or letter, with or without dashes: a letter may mean another one in each command.
fn options_named(name: &str) -> Vec<&'static Opt> {
    let name = name.trim_start_matches('-');
    let is_named = |option: &&Opt| option.long == name || option.short.is_some_and(|letter| name.parse() == Ok(letter));
    let named: Vec<_> = options::all().filter(is_named).collect();
    if named.is_empty() { options::by_name(name, &[]).map(|(option, _)| option).into_iter().collect() } else { named }
}

fn section(topic: Topic, options: impl Iterator<Item = &'static Opt>) -> String {
    format!("{}:\n{}", topic.name(), rows(options))
}

fn of_topic(topic: Topic) -> impl Iterator<Item = &'static Opt> {
    options::all().filter(move |option| option.topic == topic && option.has_effect())
}

fn without_effect() -> String {
    let names = OPTIONS.iter().filter(|option| !option.has_effect());
    let names: Vec<String> = names.map(|option| format!("--{}", option.long)).collect();
    format!("accepted for curl's sake, without effect:\n{}", in_lines(&names))
}

/// Words in indented lines that fit a terminal.
fn in_lines(words: &[String]) -> String {
    let mut lines = vec![String::from(" ")];
    for word in words {
        if lines.last().is_some_and(|line| line.len() + word.len() + 1 > 80) {
            lines.push(String::from(" "));
        }
        lines.last_mut().into_iter().for_each(|line| line.extend([" ", word]));
    }
    lines.join("\n") + "\n"
}

/// A row per option, or two where the name is long.
fn rows(options: impl Iterator<Item = &'static Opt>) -> String {
    options.fold(String::new(), |mut text, option| {
        let letter = option.short.map_or_else(|| "    ".to_owned(), |letter| format!("-{letter}, "));
        let arg = option.arg.map(|arg| match option.kind {
            options::Kind::Optional => format!(" [{arg}]"),
            _ => format!(" {arg}"),
        });
        let name = format!("{letter}--{}{}", option.long, arg.unwrap_or_default());
        let help = if option.has_effect() { option.help } else { "Accepted for curl's sake, without effect" };
        let name = if name.len() > NAME_WIDTH { format!("{name}\n {:NAME_WIDTH$}", "") } else { name };
        let _ = writeln!(text, " {name:NAME_WIDTH$} {help}");
        text
    })
}

/// The text of `--version`, in the manner of `curl --version`.
#[must_use]
pub fn version() -> String {
    format!(
        "gzpost {} ({}-{}) ureq rustls zlib-rs\nProtocols: http https\nFeatures: IPv6 Largefile SSL UnixSockets gzip libz\n",
        env!("CARGO_PKG_VERSION"),
        std::env::consts::ARCH,
        std::env::consts::OS,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_overview_fits_a_small_terminal() {
        let text = help(None).unwrap();
        assert!(text.lines().count() <= 23, "{text}");
        assert!(text.lines().all(|line| line.len() <= 80), "{text}");
        assert!(MAIN_OPTIONS.iter().all(|name| text.contains(&format!("--{name} "))), "{text}");
    }

    #[test]
    fn all_options_are_in_the_whole_help() {
        let text = help(Some("all")).unwrap();
        assert!(help(Some("variables")).unwrap().contains(" %{time_first_token}"));
        for option in options::all() {
            assert!(text.contains(&format!("--{}", option.long)), "--{}", option.long);
        }
    }

    #[test]
    fn rows_fit_the_terminal() {
        for topic in ["all", "variables"] {
            for line in help(Some(topic)).unwrap().lines() {
                assert!(line.len() <= 80, "{line}");
            }
        }
    }

    #[test]
    fn topics_and_options() {
        for topic in Topic::ALL {
            assert!(help(Some(topic.name())).is_ok_and(|text| text.len() > 40), "{}", topic.name());
        }
        assert!(help(Some("-d")).is_ok_and(|text| text.contains("--data DATA")));
        assert!(help(Some("--no-silent")).is_ok_and(|text| text.contains("--silent")));
        assert!(help(Some("-N")).is_ok_and(|text| text.contains("without effect")));
        assert_eq!(help(Some("model")).ok(), help(Some("--model")).ok());
        assert!(help(Some("sizes")).is_ok_and(|text| text.starts_with("bench:\n") && text.contains("--sizes LIST")));
        let letter = help(Some("-n")).unwrap();
        for text in ["auth:\n", "--netrc", "replay:\n", "--passes", "bench:\n", "--pairs", "check:\n", "--repeat"] {
            assert!(letter.contains(text), "{letter}");
        }
        let error = help(Some("nonsense")).unwrap_err();
        assert!(error.message.contains("topics: all, variables, body"), "{error}");
    }
}
