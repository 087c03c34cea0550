//! The one table of options: the parser, the help, the man page's test and completions read it.

mod bench;
mod check;
mod demo;
mod replay;

use Kind::{List, Optional, Switch, Value};
use Topic::{Auth, Bench, Body, Check, Connection, Demo, General, Http, Output, Proxy, Replay, Time, Tls};

/// An option.
#[derive(Debug, PartialEq, Eq)]
pub struct Opt {
    /// Without dashes. A name that begins with `no-` is a switch that turns off what is on by default.
    pub long: &'static str,
    /// Without its dash.
    pub short: Option<char>,
    /// How its value is called in the help.
    pub arg: Option<&'static str>,
    /// Whether it takes a value and what a second one means.
    pub kind: Kind,
    /// Where `--help` shows it.
    pub topic: Topic,
    /// One line for the help; empty: accepted for curl's sake, without effect here.
    pub help: &'static str,
}

/// Whether an option takes a value, and what it means to give it twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// No value; `--no-NAME` takes it back, the last one counts.
    Switch,
    /// A value; the last one counts.
    Value,
    /// A value; all of them count, in order.
    List,
    /// A value that may be left out.
    Optional,
}

/// The parts of `--help all`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Topic {
    /// What is sent, and how it is coded.
    Body,
    /// The request line and the fields.
    Http,
    /// Who asks.
    Auth,
    /// Where the answer goes.
    Output,
    /// Limits and retries.
    Time,
    /// Names, addresses and sockets.
    Connection,
    /// The way through a proxy.
    Proxy,
    /// Certificates and versions.
    Tls,
    /// Everything else.
    General,
    /// Only for `gzpost demo`.
    Demo,
    /// Only for `gzpost bench`.
    Bench,
    /// Only for `gzpost replay`.
    Replay,
    /// Only for `gzpost check`.
    Check,
}

impl Topic {
    /// All of them, in the order of the help.
    pub const ALL: [Topic; 13] =
        [Body, Http, Auth, Output, Time, Connection, Proxy, Tls, General, Replay, Bench, Check, Demo];

    /// As in `--help TOPIC`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Body => "body",
            Http => "http",
            Auth => "auth",
            Output => "output",
            Time => "time",
            Connection => "connection",
            Proxy => "proxy",
            Tls => "tls",
            General => "general",
            Demo => "demo",
            Bench => "bench",
            Replay => "replay",
            Check => "check",
        }
    }
}

const fn switch(long: &'static str, short: Option<char>, topic: Topic, help: &'static str) -> Opt {
    Opt { long, short, arg: None, kind: Switch, topic, help }
}

const fn value(long: &'static str, short: Option<char>, arg: &'static str, topic: Topic, help: &'static str) -> Opt {
    Opt { long, short, arg: Some(arg), kind: Value, topic, help }
}

const fn list(long: &'static str, short: Option<char>, arg: &'static str, topic: Topic, help: &'static str) -> Opt {
    Opt { long, short, arg: Some(arg), kind: List, topic, help }
}

const fn optional(long: &'static str, short: Option<char>, arg: &'static str, topic: Topic, help: &'static str) -> Opt {
    Opt { long, short, arg: Some(arg), kind: Optional, topic, help }
}

/// Every option but those that one command alone has, in the order of the help.
#[rustfmt::skip]
pub static OPTIONS: &[Opt] = &[
    list("data", Some('d'), "DATA", Body, "Send DATA; @FILE and @- without CR, LF, NUL"),
    list("data-binary", None, "DATA", Body, "Send DATA; @FILE and @- byte for byte"),
    list("data-raw", None, "DATA", Body, "Send DATA; @ has no meaning"),
    list("data-urlencode", None, "DATA", Body, "Send TEXT, NAME=TEXT, @FILE, NAME@FILE encoded"),
    list("json", None, "DATA", Body, "Send JSON, @FILE or @-, with its Accept"),
    list("upload-file", Some('T'), "FILE", Body, "Send FILE (-: stdin) with PUT"),
    switch("get", Some('G'), Body, "Put the data into the query of a GET"),
    switch("gzip", None, Body, "Compress any body, whatever its type and size"),
    switch("identity", None, Body, "Never compress"),
    value("level", None, "N", Body, "Level of compression, 1 to 9 (7)"),
    switch("no-check", None, Body, "Send declared JSON unchecked"),
    value("model", None, "NAME", Body, "Replace the top-level \"model\"; all other bytes stay"),
    list("set", None, "KEY=JSON", Body, "Set a top-level member; all other bytes stay"),
    switch("compact", None, Body, "Drop white space between the tokens of a JSON body"),

    list("header", Some('H'), "LINE", Http, "'Name: value', 'Name:' removes, 'Name;' empty, @FILE"),
    value("request", Some('X'), "METHOD", Http, "Method, also on redirects"),
    switch("head", Some('I'), Http, "Ask for the head only"),
    list("url", None, "URL", Http, "The URL, in place of the argument"),
    value("user-agent", Some('A'), "TEXT", Http, "User-Agent; '' sends none"),
    value("referer", Some('e'), "URL", Http, "Referer; with ';auto' the URL before a redirect"),
    list("cookie", Some('b'), "NAME=VALUE", Http, "Cookie (no files)"),
    value("range", Some('r'), "RANGE", Http, "Ask for a part: 0-499, 500-, -500"),
    switch("compressed", None, Http, "Accept a coded answer and decode it"),
    switch("location", Some('L'), Http, "Follow redirects"),
    switch("location-trusted", None, Http, "-L, with the credentials for any host"),
    switch("follow", None, Http, "-L, but -X holds for the first request only"),
    value("max-redirs", None, "N", Http, "Redirects at most (50); -1: any number"),
    switch("post301", None, Http, "Keep POST on a 301"),
    switch("post302", None, Http, "Keep POST on a 302"),
    switch("post303", None, Http, "Keep POST on a 303"),
    value("request-target", None, "TARGET", Http, "Target in place of the URL's path and query"),
    switch("path-as-is", None, Http, "Leave .. and . in the URL's path"),
    switch("ignore-content-length", None, Http, "Read the answer until the connection ends"),
    switch("http1.0", Some('0'), Http, "Speak HTTP/1.0"),
    switch("http1.1", None, Http, ""),
    value("proto", None, "LIST", Http, "Schemes to allow, such as =https"),
    value("proto-redir", None, "LIST", Http, "Schemes to allow on redirects"),
    value("proto-default", None, "SCHEME", Http, "Scheme of a URL without one (http)"),
    switch("globoff", Some('g'), Http, "Take { } [ ] in the URL as they are"),

    value("user", Some('u'), "USER[:PASSWORD]", Auth, "Basic authentication; asks for a password"),
    value("bearer-env", None, "VAR", Auth, "Bearer token from the environment variable VAR"),
    value("oauth2-bearer", None, "TOKEN", Auth, "Bearer token"),
    switch("netrc", Some('n'), Auth, "User and password from ~/.netrc"),
    switch("netrc-optional", None, Auth, "The same, where the URL names no password"),
    value("netrc-file", None, "FILE", Auth, "The same, from FILE"),
    switch("basic", None, Auth, ""),

    list("output", Some('o'), "FILE", Output, "Write the answer to FILE (-: stdout)"),
    switch("remote-name", Some('O'), Output, "Write the answer to a file named as in the URL"),
    switch("out-null", None, Output, "Drop the answer's content"),
    value("output-dir", None, "DIR", Output, "Where -o and -O write"),
    switch("create-dirs", None, Output, "Make missing directories"),
    switch("no-clobber", None, Output, "Write to FILE.1, FILE.2, ... when FILE exists"),
    switch("remove-on-error", None, Output, "Remove the file when the transfer fails"),
    value("dump-header", Some('D'), "FILE", Output, "Write the answer's fields (-: stdout, %: stderr)"),
    switch("show-headers", Some('i'), Output, "Write the answer's fields in front of its content"),
    switch("fail", Some('f'), Output, "Exit 22 without content at status 400 and above"),
    switch("fail-with-body", None, Output, "Exit 22 with the content at status 400 and above"),
    value("max-filesize", None, "BYTES", Output, "Refuse larger answers; suffixes K, M, G"),
    switch("text", None, Output, "Write only the generated text of an LLM's answer"),
    switch("reasoning", None, Output, "With --text, the reasoning too"),
    value("write-out", Some('w'), "FORMAT", Output, "Write FORMAT with its %{variables} at the end"),
    switch("silent", Some('s'), Output, "No timing, no messages"),
    switch("show-error", Some('S'), Output, "Error messages in spite of -s"),
    switch("verbose", Some('v'), Output, "Show what is sent and received, secrets redacted"),
    switch("trace-time", None, Output, "With -v, the time of every line"),
    value("stderr", None, "FILE", Output, "Where stderr goes (-: stdout)"),
    switch("no-buffer", Some('N'), Output, ""),
    switch("no-http0.9", None, Output, ""),
    switch("no-progress-meter", None, Output, ""),
    switch("progress-bar", Some('#'), Output, ""),
    switch("styled-output", None, Output, ""),
    switch("fail-early", None, Output, ""),

    value("max-time", Some('m'), "SECONDS", Time, "Limit of an attempt"),
    value("connect-timeout", None, "SECONDS", Time, "Limit of name, connection and TLS (300)"),
    value("speed-limit", Some('Y'), "BYTES", Time, "Give up when slower than BYTES/s for -y seconds"),
    value("speed-time", Some('y'), "SECONDS", Time, "How long slower than -Y (30)"),
    value("retry", None, "N", Time, "Try again N times after a transient error"),
    value("retry-delay", None, "SECONDS", Time, "Wait between tries, in place of 1, 2, 4, ..."),
    value("retry-max-time", None, "SECONDS", Time, "Start no try later than this"),
    switch("retry-connrefused", None, Time, "A refused connection is transient"),
    switch("retry-all-errors", None, Time, "Every error is transient"),
    value("expect100-timeout", None, "SECONDS", Time, ""),
    value("happy-eyeballs-timeout-ms", None, "MS", Time, ""),

    list("resolve", None, "HOST:PORT:ADDR[,ADDR]", Connection, "Addresses of a host"),
    list("connect-to", None, "HOST1:PORT1:HOST2:PORT2", Connection, "Connect to HOST2 for HOST1"),
    switch("ipv4", Some('4'), Connection, "IPv4 addresses only"),
    switch("ipv6", Some('6'), Connection, "IPv6 addresses only"),
    value("unix-socket", None, "PATH", Connection, "Connect to a Unix domain socket"),
    switch("tcp-nodelay", None, Connection, ""),
    switch("tcp-fastopen", None, Connection, ""),
    switch("no-keepalive", None, Connection, ""),
    value("keepalive-time", None, "SECONDS", Connection, ""),
    value("keepalive-cnt", None, "N", Connection, ""),

    value("proxy", Some('x'), "URL", Proxy, "HTTP proxy (port 1080); '' uses none"),
    value("proxy-user", Some('U'), "USER:PASSWORD", Proxy, "Basic authentication for the proxy"),
    value("noproxy", None, "LIST", Proxy, "Hosts to reach directly, in place of no_proxy"),
    list("proxy-header", None, "LINE", Proxy, "As -H, for the proxy only"),
    switch("proxytunnel", Some('p'), Proxy, "CONNECT for http:// too"),
    switch("proxy-basic", None, Proxy, ""),
    switch("suppress-connect-headers", None, Proxy, ""),

    switch("insecure", Some('k'), Tls, "Trust any certificate"),
    value("cacert", None, "FILE", Tls, "Trust the CA certificates of FILE alone"),
    value("capath", None, "DIR", Tls, "Trust the CA certificates in DIR"),
    value("cert", Some('E'), "FILE", Tls, "Client certificate, PEM"),
    value("cert-type", None, "PEM", Tls, "PEM is the only type"),
    value("key", None, "FILE", Tls, "Key of the client certificate, PEM"),
    value("key-type", None, "PEM", Tls, "PEM is the only type"),
    switch("tlsv1.3", None, Tls, "TLS 1.3 or higher"),
    switch("tlsv1.2", None, Tls, "TLS 1.2 or higher, the default"),
    switch("tlsv1.1", None, Tls, "As --tlsv1.2"),
    switch("tlsv1.0", None, Tls, "As --tlsv1.2"),
    switch("tlsv1", Some('1'), Tls, "As --tlsv1.2"),
    value("tls-max", None, "VERSION", Tls, "TLS version to allow at most: 1.2, 1.3"),
    switch("ca-native", None, Tls, ""),
    switch("no-sessionid", None, Tls, ""),
    switch("ssl-no-revoke", None, Tls, ""),
    switch("ssl-revoke-best-effort", None, Tls, ""),
    switch("ssl-allow-beast", None, Tls, ""),

    list("config", Some('K'), "FILE", General, "Read options from FILE (-: stdin)"),
    optional("help", Some('h'), "TOPIC", General, "This help; TOPIC: all, a topic, an option, a command"),
    switch("version", Some('V'), General, "Version and features"),
    value("completions", None, "SHELL", General, "Completion script for bash, zsh or fish"),
    switch("disable", Some('q'), General, ""),
];

/// The commands; a command word counts only as the first argument.
pub const COMMANDS: [&str; 4] = ["replay", "bench", "check", "demo"];

/// Second names for the same option: curl's, and what turns off what is on without `--gzip` too.
const ALIASES: [(&str, &str); 3] = [("data-ascii", "data"), ("include", "show-headers"), ("no-gzip", "identity")];

/// What only a single request has: where its data comes from, and what becomes of its answer.
#[rustfmt::skip]
const SINGLE: &[&str] = &[
    "create-dirs", "data", "data-binary", "data-raw", "data-urlencode", "dump-header", "get", "head", "json",
    "no-clobber", "out-null", "output", "output-dir", "reasoning", "remote-name", "remove-on-error", "show-headers",
    "text", "upload-file", "write-out",
];

/// What `bench` and `check` decide themselves.
#[rustfmt::skip]
const NOT_MEASURED: &[&str] = &[
    "fail", "fail-with-body", "gzip", "identity", "retry", "retry-all-errors", "retry-connrefused", "retry-delay",
    "retry-max-time",
];

/// What each probe of `check` has of its own.
const PROBED: &[&str] = &["compact", "level", "model", "no-check", "range", "request", "request-target", "set"];

/// Of these the last one given counts.
pub const EXCLUSIVE: [&[&str]; 4] = [
    &["ipv4", "ipv6"],
    &["http1.0", "http1.1"],
    &["location", "follow"],
    &["tlsv1", "tlsv1.0", "tlsv1.1", "tlsv1.2", "tlsv1.3"],
];

impl Opt {
    /// Whether an option of a single request is one of `replay`, `bench` or `check` too.
    #[must_use]
    pub fn holds_in(&self, word: &str) -> bool {
        let left_out: &[&[&str]] = match word {
            "replay" => &[SINGLE],
            "bench" => &[SINGLE, NOT_MEASURED],
            _ => &[SINGLE, NOT_MEASURED, PROBED],
        };
        !left_out.iter().any(|options| options.contains(&self.long))
    }

    /// Whether the program does something about it.
    #[must_use]
    pub fn has_effect(&self) -> bool {
        !self.help.is_empty()
    }
}

/// The options that only this command has; on its command line they go before all others.
#[must_use]
pub fn of_command(word: Option<&str>) -> &'static [Opt] {
    match word {
        Some("replay") => replay::REPLAY,
        Some("bench") => bench::BENCH,
        Some("check") => check::CHECK,
        Some("demo") => demo::DEMO,
        _ => &[],
    }
}

/// The options of all commands.
pub fn all() -> impl Iterator<Item = &'static Opt> {
    OPTIONS.iter().chain(COMMANDS.iter().flat_map(|word| of_command(Some(word))))
}

/// The commands that have an option of this long name for themselves alone.
pub fn owners(long: &str) -> impl Iterator<Item = &'static str> {
    COMMANDS.into_iter().filter(move |word| of_command(Some(word)).iter().any(|option| option.long == long))
}

/// The option of this long name, and whether the name turns it on. `--no-` turns a switch off, and so does the
/// name without `no-` of a switch that has it.
#[must_use]
pub fn by_name(name: &str, own: &'static [Opt]) -> Option<(&'static Opt, bool)> {
    named(name, own).or_else(|| named(name, OPTIONS))
}

fn named(name: &str, table: &'static [Opt]) -> Option<(&'static Opt, bool)> {
    let exact = |name: &str| {
        let own = ALIASES.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, own)| own);
        table.iter().find(|option| option.long == own)
    };
    let switch = |name: &str| exact(name).filter(|option| option.kind == Switch);
    let off = || name.strip_prefix("no-").and_then(switch).or_else(|| switch(&format!("no-{name}")));
    exact(name).map(|option| (option, true)).or_else(|| off().map(|option| (option, false)))
}

/// The option of this letter.
#[must_use]
pub fn by_letter(letter: char, own: &'static [Opt]) -> Option<&'static Opt> {
    own.iter().chain(OPTIONS).find(|option| option.short == Some(letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_letters_are_unique() {
        for (index, option) in OPTIONS.iter().enumerate() {
            for other in &OPTIONS[..index] {
                assert_ne!(option.long, other.long);
                assert!(option.short.is_none() || option.short != other.short, "-{:?}", option.short);
            }
        }
    }

    #[test]
    fn a_commands_own_options_go_before_all_others() {
        let own = of_command(Some("replay"));
        assert_eq!(by_letter('n', own).map(|option| option.long), Some("passes"));
        assert_eq!(by_letter('n', &[]).map(|option| option.long), Some("netrc"));
        assert_eq!(by_name("keepalive", own).map(|(o, on)| (o.long, on)), Some(("keepalive", true)));
        assert_eq!(by_name("no-keepalive", own).map(|(o, on)| (o.long, on)), Some(("keepalive", false)));
        assert_eq!(by_name("keepalive", &[]).map(|(o, on)| (o.long, on)), Some(("no-keepalive", false)));
        assert_eq!(by_name("insecure", own).map(|(o, on)| (o.long, on)), Some(("insecure", true)));
        assert!(by_name("fail-early", own).is_some_and(|(option, _)| option.has_effect()));
    }

    #[test]
    fn values_have_a_placeholder_and_switches_none() {
        for option in all() {
            assert_eq!(option.arg.is_some(), option.kind != Switch, "--{}", option.long);
        }
    }

    #[test]
    fn a_switch_is_turned_off_by_no() {
        assert_eq!(by_name("silent", &[]).map(|(o, on)| (o.long, on)), Some(("silent", true)));
        assert_eq!(by_name("no-silent", &[]).map(|(o, on)| (o.long, on)), Some(("silent", false)));
        assert_eq!(by_name("no-clobber", &[]).map(|(o, on)| (o.long, on)), Some(("no-clobber", true)));
        assert_eq!(by_name("clobber", &[]).map(|(o, on)| (o.long, on)), Some(("no-clobber", false)));
        assert_eq!(by_name("no-include", &[]).map(|(o, on)| (o.long, on)), Some(("show-headers", false)));
        assert_eq!(by_name("include", &[]).map(|(o, on)| (o.long, on)), Some(("show-headers", true)));
        assert_eq!(by_name("no-max-time", &[]), None);
        assert_eq!(by_name("sil", &[]), None);
    }
}
