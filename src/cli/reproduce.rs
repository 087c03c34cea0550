//! A command line written again for records: the way a shell reads it, without secrets and without what only shows.

use std::ffi::OsString;

use super::argv::{CommandLine, Given};
use crate::http::credentials::{REDACTED, is_secret, redact_field};
use crate::http::url::Url;

/// They change what is shown or where it goes, not what is measured.
const LEFT_OUT: [&str; 12] = [
    "alias",
    "export-csv",
    "export-json",
    "export-markdown",
    "export-svg",
    "record",
    "show-error",
    "silent",
    "stderr",
    "trace-time",
    "url",
    "verbose",
];

/// Their values name hosts.
const NAME_HOSTS: [&str; 6] = ["connect-to", "noproxy", "proxy", "proxy-header", "resolve", "unix-socket"];

/// The command line of a bench; under an alias it names no host.
pub fn reproduce(line: &CommandLine, shown_url: &str, bodies: &[OsString], hide_hosts: bool) -> String {
    let mut words = vec!["gzpost".to_owned(), "bench".to_owned()];
    for given in line.given.iter().filter(|given| given.option.has_effect()) {
        if LEFT_OUT.contains(&given.option.long) {
            continue;
        }
        words.push(format!("--{}", given.option.long));
        if let Some(value) = &given.value {
            words.push(quoted(&shown_value(given, &value.to_string_lossy(), hide_hosts)));
        }
    }
    words.push(quoted(shown_url));
    // A name that begins with a dash would be taken for an option.
    if bodies.iter().any(|body| body != "-" && body.as_encoded_bytes().starts_with(b"-")) {
        words.push("--".to_owned());
    }
    words.extend(bodies.iter().map(|body| quoted(&body.to_string_lossy())));
    words.join(" ")
}

fn shown_value(given: &Given, value: &str, hide_hosts: bool) -> String {
    match given.option.long {
        long if hide_hosts && NAME_HOSTS.contains(&long) => REDACTED.to_owned(),
        "oauth2-bearer" | "cookie" => REDACTED.to_owned(),
        "user" | "proxy-user" => match value.split_once(':') {
            Some((user, _)) => format!("{user}:{REDACTED}"),
            None => value.to_owned(),
        },
        "header" | "proxy-header" if !value.starts_with('@') => match value.split_once(':') {
            Some((name, rest)) if !rest.trim().is_empty() => {
                let secret = is_secret(name) || redact_field(name, rest) == REDACTED;
                if secret { format!("{name}: {REDACTED}") } else { value.to_owned() }
            }
            _ => value.to_owned(),
        },
        // What cannot be read as a URL may hold a password all the same.
        "proxy" | "referer" if value.contains('@') => {
            Url::parse(value).map_or_else(|_| REDACTED.to_owned(), |url| shown_url(&url, None))
        }
        _ => value.to_owned(),
    }
}

/// A URL without its secrets, and with the alias for its host.
pub fn shown_url(url: &Url, alias: Option<&str>) -> String {
    let mut shown = url.clone();
    if let Some(alias) = alias {
        (shown.host, shown.zone) = (alias.to_owned(), None);
    }
    shown.redacted()
}

/// A word as a shell reads it back.
fn quoted(word: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./:,=@%+".contains(&byte);
    if !word.is_empty() && word.bytes().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::argv;

    fn again(words: &[&str], hide_hosts: bool) -> String {
        let words: Vec<OsString> = words.iter().map(OsString::from).collect();
        let mut line = argv::read(&words, Some("bench"), &mut std::io::empty()).unwrap();
        let bodies = line.arguments.split_off(1);
        let url = Url::parse(line.arguments[0].to_str().unwrap()).unwrap();
        let shown = shown_url(&url, hide_hosts.then_some("relay-a"));
        reproduce(&line, &shown, &bodies, hide_hosts)
    }

    #[test]
    fn what_was_measured_stays_and_where_it_went_does_not() {
        let words = ["http://h/v1", "-n5", "--sizes", "0,2M", "--bogus-model", "--record", "dir", "-s", "-Hx-a: b c"];
        let expected = "gzpost bench --pairs 5 --sizes 0,2M --bogus-model --header 'x-a: b c' http://h/v1";
        assert_eq!(again(&words, false), expected);
    }

    #[test]
    fn words_come_through_a_shell() {
        for word in ["it's", "a b", "$HOME", "", "*", "a\nb", "-", "~/x", "plain.json"] {
            let command = format!("printf %s {}", quoted(word));
            let output = std::process::Command::new("sh").args(["-c", &command]).output().unwrap();
            assert_eq!(String::from_utf8(output.stdout).unwrap(), word);
        }
    }

    #[test]
    fn no_secret_comes_through() {
        let words = [
            "https://me:hush@h/v1?key=hush&api-version=1&X-Signature=hush",
            "body.json",
            "-HAuthorization: Bearer hush",
            "-Hx-api-key:hush",
            "-H",
            "X-My-Token: hush",
            "-H@file",
            "-ume:hush",
            "--oauth2-bearer",
            "hush",
            "-bsession=hush",
            "-xhttp://me:hush@proxy:3128",
            "-Ume:hush",
            "--bearer-env",
            "KEY",
        ];
        let line = again(&words, false);
        assert!(!line.contains("hush"), "{line}");
        for part in
            ["me:<redacted>@h/v1?key=<redacted>&api-version=1&X-Signature=<redacted>'", "@file", "KEY body.json"]
        {
            assert!(line.contains(part) || part.ends_with("body.json"), "{part} in {line}");
        }
        assert!(line.contains("--bearer-env KEY") && line.ends_with(" body.json"), "{line}");
    }

    #[test]
    fn an_alias_hides_every_host() {
        let words = ["http://secret.example:8080/v1", "-xsecret.example:1", "--resolve", "secret.example:80:10.0.0.1"];
        let line = again(&words, true);
        assert!(!line.contains("secret.example") && !line.contains("10.0.0.1"), "{line}");
        assert!(line.ends_with(" http://relay-a:8080/v1"), "{line}");
    }
}
