//! `--help` and `--version`, made from the table of options.

use std::fmt::Write;

use super::args::usage;
use super::options::{self, OPTIONS, Opt, Topic};
use crate::error::Result;
use crate::relay::Behave;

const USAGE: &str = "\
Usage: gzpost [OPTIONS] URL [BODY]  send one request: POST with a body, else GET
       gzpost demo [OPTIONS]        a relay on loopback, plain against gzip

BODY is a file, or - for stdin. JSON of 1 KiB or more goes out as gzip. The
answer goes to stdout as it arrives, the timing of every phase to stderr.

";

/// What a first-time reader needs; everything else is in `--help all`.
const MAIN_OPTIONS: [&str; 12] = [
    "header",
    "bearer-env",
    "json",
    "data-binary",
    "identity",
    "model",
    "text",
    "output",
    "silent",
    "fail-with-body",
    "max-time",
    "write-out",
];

/// The column of names; help of at most 52 letters stays within 80 columns.
const NAME_WIDTH: usize = 26;

const DEMO: &str = "\
Usage: gzpost demo [OPTIONS]

Starts a relay on loopback that costs what a slow gateway costs, posts a body
plain and as gzip, and compares the two.

";

/// The text of `--help [TOPIC]`.
pub fn help(topic: Option<&str>) -> Result<String> {
    let Some(topic) = topic else {
        return Ok(overview());
    };
    if topic == "all" {
        let sections = Topic::ALL.iter().map(|topic| section(*topic));
        return Ok(format!("{USAGE}{}\n{}", sections.collect::<Vec<_>>().join("\n"), without_effect()));
    }
    if topic == "demo" {
        let behaviours = Behave::CHOICES.map(|(name, _)| name).join(", ");
        return Ok(format!("{DEMO}{}\nHOW: {behaviours}\n", rows(of_topic(Topic::Demo))));
    }
    if let Some(topic) = Topic::ALL.iter().find(|own| own.name() == topic) {
        return Ok(section(*topic));
    }
    option_named(topic).map(|option| rows([option].into_iter())).ok_or_else(|| {
        usage(format!("--help: '{topic}' is no topic and no option; topics: all, {}", topic_names().join(", ")))
    })
}

fn overview() -> String {
    let main = OPTIONS.iter().filter(|option| MAIN_OPTIONS.contains(&option.long) || option.long == "help");
    format!("{USAGE}{}\nTopics: all {}\n", rows(main), topic_names().join(" "))
}

fn topic_names() -> Vec<&'static str> {
    Topic::ALL.iter().map(|topic| topic.name()).collect()
}

fn option_named(name: &str) -> Option<&'static Opt> {
    let letter = name.strip_prefix('-').and_then(|rest| rest.parse().ok()).and_then(options::by_letter);
    letter.or_else(|| options::by_name(name.strip_prefix("--")?).map(|(option, _)| option))
}

fn section(topic: Topic) -> String {
    format!("{}:\n{}", topic.name(), rows(of_topic(topic)))
}

fn of_topic(topic: Topic) -> impl Iterator<Item = &'static Opt> {
    OPTIONS.iter().filter(move |option| option.topic == topic && option.has_effect())
}

fn without_effect() -> String {
    let names: Vec<&str> = OPTIONS.iter().filter(|option| !option.has_effect()).map(|option| option.long).collect();
    let mut text = String::from("accepted for curl's sake, without effect:\n");
    let mut width = 80;
    for name in names {
        if width + name.len() + 3 > 80 {
            text.push_str("\n ");
            width = 1;
        }
        let _ = write!(text, " --{name}");
        width += name.len() + 3;
    }
    text.replacen("\n\n", "\n", 1) + "\n"
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
        for option in OPTIONS {
            assert!(text.contains(&format!("--{}", option.long)), "--{}", option.long);
        }
    }

    #[test]
    fn rows_fit_the_terminal() {
        for line in help(Some("all")).unwrap().lines() {
            assert!(line.len() <= 80, "{line}");
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
        let error = help(Some("nonsense")).unwrap_err();
        assert!(error.message.contains("topics: all, body"), "{error}");
    }
}
