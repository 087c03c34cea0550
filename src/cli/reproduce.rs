//! A command line written again for records: the way a shell reads it, without secrets and without what only shows.

use std::ffi::OsString;

use super::alias::Alias;
use super::argv::CommandLine;
use crate::http::credentials::{REDACTED, is_secret, redact_query};
use crate::http::url::{Url, redacted};

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
const NAME_HOSTS: [&str; 7] = ["connect-to", "noproxy", "proxy", "referer", "request-target", "resolve", "unix-socket"];

/// Parts of the names of fields that name hosts: Host, Origin, Referer, Forwarded, X-Forwarded-For, Via and their kin.
const HOST_WORDS: [&str; 11] =
    ["addr", "destination", "forward", "from", "host", "ip", "location", "origin", "refer", "server", "via"];

/// The command line of a bench, without secrets; under an alias it names no host.
pub fn reproduce(line: &CommandLine, shown_url: &str, bodies: &[OsString], alias: Option<&Alias>) -> String {
    let mut words = vec!["gzpost".to_owned(), "bench".to_owned()];
    for given in line.given.iter().filter(|given| given.option.has_effect()) {
        if LEFT_OUT.contains(&given.option.long) {
            continue;
        }
        words.push(format!("--{}", given.option.long));
        if let Some(value) = &given.value {
            words.push(quoted(&shown_value(given.option.long, &value.to_string_lossy(), alias)));
        }
    }
    words.push(quoted(shown_url));
    // A name that begins with a dash would be taken for an option.
    if bodies.iter().any(|body| body != "-" && body.as_encoded_bytes().starts_with(b"-")) {
        words.push("--".to_owned());
    }
    words.extend(bodies.iter().map(|body| quoted(&shown_value("", &body.to_string_lossy(), alias))));
    words.join(" ")
}

fn shown_value(option: &str, value: &str, alias: Option<&Alias>) -> String {
    match option {
        "header" | "proxy-header" if !value.starts_with('@') => shown_field(value, alias),
        _ if alias.is_some_and(|alias| NAME_HOSTS.contains(&option) || alias.hides(value)) => REDACTED.to_owned(),
        "oauth2-bearer" | "cookie" => REDACTED.to_owned(),
        "set" => match value.split_once('=') {
            // A text, for max_tokens is no secret.
            Some((key, text)) if is_secret(key) && text.contains('"') => format!("{key}={REDACTED}"),
            Some((key, text)) if text.starts_with(['{', '[']) && is_secret(text) => format!("{key}={REDACTED}"),
            _ => value.to_owned(),
        },
        "user" | "proxy-user" => match value.split_once(':') {
            Some((user, password)) if !password.is_empty() => format!("{user}:{REDACTED}"),
            // A user without a password may be a key.
            Some(_) => REDACTED.to_owned(),
            None => value.to_owned(),
        },
        "proxy" | "referer" | "request-target" => redacted(value),
        _ => value.to_owned(),
    }
}

/// A line of `-H` without secrets; under an alias, without hosts.
fn shown_field(line: &str, alias: Option<&Alias>) -> String {
    let Some((name, value)) = line.split_once(':') else {
        // Without a colon it is either an empty field or dropped, as it may be a secret that was meant for elsewhere.
        return if line.ends_with(';') { line.to_owned() } else { REDACTED.to_owned() };
    };
    let names_host = |alias: &Alias| {
        let name = name.to_ascii_lowercase();
        HOST_WORDS.iter().any(|word| name.contains(word)) || value.contains("//") || alias.hides(value)
    };
    // Any field may hold a URL with a password.
    let secret = is_secret(name) || value.contains("//") && value.contains('@') || alias.is_some_and(names_host);
    match value.trim() {
        "" => line.to_owned(),
        _ if secret => format!("{name}: {REDACTED}"),
        _ => format!("{name}:{}", redact_query(value)),
    }
}

/// A URL without its secrets, and with the alias for its host.
pub fn shown_url(url: &Url, alias: Option<&Alias>) -> String {
    let shown = url.for_showing();
    let Some(alias) = alias else { return shown.effective() };
    let hide = |part: Option<String>| part.map(|part| alias.hide(&part));
    Url {
        host: alias.name.clone(),
        zone: None,
        userinfo: hide(shown.userinfo),
        path: alias.hide(&shown.path),
        query: hide(shown.query),
        fragment: hide(shown.fragment),
        ..shown
    }
    .effective()
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
    use crate::http::{Request, Settings};

    fn again(words: &[&str], aliased: bool) -> String {
        let words: Vec<OsString> = words.iter().map(OsString::from).collect();
        let mut line = argv::read(&words, Some("bench"), &mut std::io::empty()).unwrap();
        let bodies = line.arguments.split_off(1);
        let url = Url::parse(line.arguments[0].to_str().unwrap()).unwrap();
        let request = Request::new("POST", url.clone());
        let alias = aliased.then(|| Alias::new("relay-a".to_owned(), &request, &Settings::default()));
        reproduce(&line, &shown_url(&url, alias.as_ref()), &bodies, alias.as_ref())
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
        // What is given, and what of it is shown.
        let options = [
            ("-HAuthorization: Bearer hush", "--header 'Authorization: <redacted>'"),
            ("-Hx-api-key:hush", "--header 'x-api-key: <redacted>'"),
            ("-HX-My-Token: hush", "--header 'X-My-Token: <redacted>'"),
            ("-HX-To: http://me:hush@h/", "--header 'X-To: <redacted>'"),
            ("-HX-To: http://h/?a=b&key=hush", "--header 'X-To: http://h/?a=b&key=<redacted>'"),
            ("-HBearer hush", "--header '<redacted>'"),
            ("-HX-Empty;", "--header 'X-Empty;'"),
            ("-HAccept:", "--header Accept:"),
            ("-H@file", "--header @file"),
            ("--proxy-header=X-Key: hush", "--proxy-header 'X-Key: <redacted>'"),
            ("-ume:hush", "--user 'me:<redacted>'"),
            ("--oauth2-bearer=hush", "--oauth2-bearer '<redacted>'"),
            ("-bsession=hush", "--cookie '<redacted>'"),
            ("-xhttp://me:hush@proxy:3128", "--proxy 'http://me:<redacted>@proxy:3128/'"),
            ("-Ume:hush", "--proxy-user 'me:<redacted>'"),
            ("-ehttp://h/?key=hush#token=hush", "--referer 'http://h/?key=<redacted>'"),
            ("--request-target=http://me:hush@h/?a=b", "--request-target 'http://me:<redacted>@h/?a=b'"),
            ("--set=user_key=\"hush\"", "--set 'user_key=<redacted>'"),
            ("--set=metadata={\"api_key\":\"hush\"}", "--set 'metadata=<redacted>'"),
            ("--set=max_tokens=7", "--set max_tokens=7"),
            ("--bearer-env=KEY", "--bearer-env KEY"),
        ];
        let url = "https://me:hush@h/v1?key=hush&api-version=1&X-Signature=hush";
        let words: Vec<&str> = [url, "body.json"].into_iter().chain(options.map(|(given, _)| given)).collect();
        let url = "'https://me:<redacted>@h/v1?key=<redacted>&api-version=1&X-Signature=<redacted>'";
        let shown = options.map(|(_, shown)| shown).join(" ");
        assert_eq!(again(&words, false), format!("gzpost bench {shown} {url} body.json"));
    }

    #[test]
    fn targets_of_every_form_lose_their_secrets_and_nothing_else() {
        for (given, shown) in [
            ("/v1/x?a=b", "/v1/x?a=b"),
            ("/v1/x?sig=hush&a=b", "/v1/x?sig=<redacted>&a=b"),
            ("http://h/../x", "http://h/../x"),
            ("h:443", "h:443"),
            ("*", "*"),
            (";auto", ";auto"),
            ("http://h/;auto", "http://h/;auto"),
            ("me:hush@h/x", "http://me:<redacted>@h/x"),
            ("https://me:hush@h/?key=hush;auto", "https://me:<redacted>@h/?key=<redacted>"),
            ("//me:hush@h/", "<redacted>"),
            ("http://me:hu/sh@h/", "<redacted>"),
            ("http://h/http://me:hush@h/", "<redacted>"),
            ("http://me@h/http://me:hush@h/", "<redacted>"),
            ("ftp://me:hush@h/", "<redacted>"),
        ] {
            assert_eq!(redacted(given), shown);
        }
    }

    #[test]
    fn an_alias_hides_every_host() {
        let options = [
            ("-xother.example:1", "--proxy '<redacted>'"),
            ("--resolve=Secret.example:80:10.0.0.1", "--resolve '<redacted>'"),
            ("--connect-to=::other.example:80", "--connect-to '<redacted>'"),
            ("--noproxy=other.example", "--noproxy '<redacted>'"),
            ("--unix-socket=/run/other.example", "--unix-socket '<redacted>'"),
            ("-ehttps://other.example/", "--referer '<redacted>'"),
            ("--request-target=http://other.example/", "--request-target '<redacted>'"),
            ("-Hhost: other.example", "--header 'host: <redacted>'"),
            ("-HORIGIN: null", "--header 'ORIGIN: <redacted>'"),
            ("-HReferer:other", "--header 'Referer: <redacted>'"),
            ("-HForwarded: for=192.0.2.1", "--header 'Forwarded: <redacted>'"),
            ("-HX-Forwarded-Host: other.example", "--header 'X-Forwarded-Host: <redacted>'"),
            ("-HVia: 1.1 other.example", "--header 'Via: <redacted>'"),
            ("-HX-To: https://other.example", "--header 'X-To: <redacted>'"),
            ("-HX-A: at SECRET.example", "--header 'X-A: <redacted>'"),
            ("-HX-B: b", "--header 'X-B: b'"),
            ("--proxy-header=Host: other.example", "--proxy-header 'Host: <redacted>'"),
            ("-ume@secret.example:hush", "--user '<redacted>'"),
            ("--cacert=/etc/Secret.Example.pem", "--cacert '<redacted>'"),
            ("--pairs=5", "--pairs 5"),
        ];
        let words =
            ["http://secret.example:8080/to/Secret.example?u=//secret.EXAMPLE", "secret.example.json", "b.json"];
        let words: Vec<&str> = words.into_iter().chain(options.map(|(given, _)| given)).collect();
        let shown = options.map(|(_, shown)| shown).join(" ");
        let url = "'http://relay-a:8080/to/relay-a?u=//relay-a'";
        assert_eq!(again(&words, true), format!("gzpost bench {shown} {url} '<redacted>' b.json"));
    }
}
