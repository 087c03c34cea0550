//! Options that gzpost does not have: curl's and what to do instead, typing errors and what was meant.

use super::options::{self, Kind, Opt};

/// Why, or what is nearest; then the names, with their letters behind a slash.
#[rustfmt::skip]
const REFUSED: &[(&str, &str)] = &[
    (": it speaks HTTP/1.1", "http2 http2-prior-knowledge http3 http3-only proxy-http2 proxy-http3 http0.9 alpn alt-svc"),
    (": it speaks HTTP only",
     "append/a compressed-ssh create-file-mode crlf disable-eprt disable-epsv eprt epsv ftp-account \
      ftp-alternative-to-user ftp-create-dirs ftp-method ftp-pasv ftp-port/P ftp-pret ftp-skip-pasv-ip ftp-ssl \
      ftp-ssl-ccc ftp-ssl-ccc-mode ftp-ssl-control ftp-ssl-reqd hostpubmd5 hostpubsha256 ipfs-gateway knownhosts krb \
      krb4 list-only/l login-options mail-auth mail-from mail-rcpt mail-rcpt-allowfails metalink pubkey quote/Q \
      sasl-authzid sasl-ir ssl ssl-reqd telnet-option/t tftp-blksize tftp-no-options upload-flags use-ascii/B"),
    (": it sends one request a command", "next/: parallel/Z parallel-immediate parallel-max parallel-max-host rate"),
    (": it has no SOCKS",
     "preproxy socks4 socks4a socks5 socks5-basic socks5-gssapi socks5-gssapi-nec socks5-gssapi-service \
      socks5-hostname"),
    (": it speaks plain HTTP to its proxy",
     "proxy-ca-native proxy-cacert proxy-capath proxy-cert proxy-cert-type proxy-ciphers proxy-crlfile proxy-insecure \
      proxy-key proxy-key-type proxy-pass proxy-pinnedpubkey proxy-ssl-allow-beast proxy-ssl-auto-client-cert \
      proxy-tls13-ciphers proxy-tlsauthtype proxy-tlspassword proxy-tlsuser proxy-tlsv1"),
    (": it has no multipart forms", "form/F form-escape form-string"),
    (": it keeps no cookies, HSTS or ETags", "hsts etag-compare etag-save junk-session-cookies/j"),
    (": it speaks TLS 1.2 and 1.3 with the cipher suites of rustls",
     "ciphers curves sigalgs sslv2/2 sslv3/3 tls13-ciphers tls-earlydata ech engine false-start npn \
      ssl-auto-client-cert ssl-sessions tlsauthtype tlspassword tlsuser egd-file random-file"),
    (": it checks certificates against CA certificates only", "cert-status crlfile pinnedpubkey dump-ca-embed"),
    (": keys with a passphrase are not supported", "pass"),
    (": names are resolved by the system",
     "dns-interface dns-ipv4-addr dns-ipv6-addr dns-servers doh-cert-status doh-insecure doh-url"),
    (": it leaves the choice of the interface to the system",
     "interface local-port ip-tos vlan-priority mptcp haproxy-clientip haproxy-protocol"),
    (": it has no rate limit", "limit-rate"),
    (": a transfer cannot be resumed; the nearest is --range", "continue-at/C"),
    (": the nearest is -H 'If-Modified-Since: DATE'", "time-cond/z"),
    (": the nearest is -G with --data-urlencode", "url-query"),
    (": see gzpost(1)", "manual/M"),
    ("; the nearest is --cookie", "cookie-jar/c"),
    ("; the nearest is --unix-socket", "abstract-unix-socket"),
    ("; the nearest is --user, which is Basic",
     "anyauth digest negotiate ntlm ntlm-wb aws-sigv4 delegation service-name httpsig-algo httpsig-headers \
      httpsig-key httpsig-keyid"),
    ("; the nearest is --user", "disallow-username-in-url"),
    ("; the nearest is --proxy-user, which is Basic",
     "proxy-anyauth proxy-digest proxy-negotiate proxy-ntlm proxy-service-name"),
    ("; the nearest is --proxy", "proxy1.0"),
    ("; the nearest is --remote-name", "remote-header-name/J remote-name-all"),
    ("; the nearest is --output", "remote-time/R xattr"),
    ("; the nearest is --no-clobber", "skip-existing"),
    ("; the nearest is --verbose", "trace trace-ascii trace-config trace-ids"),
    ("; the nearest is --compressed", "tr-encoding"),
    ("", "raw libcurl variable"),
];

/// Words of other programs, and of whoever guesses.
const MEANT: [(&str, &str); 10] = [
    ("bearer", "--bearer-env VARIABLE or --oauth2-bearer TOKEN"),
    ("bench", "the command, gzpost bench"),
    ("body", "BODY, an argument behind the URL"),
    ("demo", "the command, gzpost demo"),
    ("file", "BODY, an argument behind the URL"),
    ("no-compress", "--identity"),
    ("plain", "--identity"),
    ("replay", "the command, gzpost replay"),
    ("timeout", "--max-time SECONDS"),
    ("token", "--bearer-env VARIABLE or --oauth2-bearer TOKEN"),
];

/// The message about an option, dashes included, that this command does not have.
#[must_use]
pub fn unknown(given: &str, command: Option<&str>) -> String {
    let long = given.strip_prefix("--").map(|name| name.split('=').next().unwrap_or(name));
    if let Some(why) = long.map_or_else(|| refused_letter(given), refused_name) {
        let shown = long.map_or_else(|| given.to_owned(), |name| format!("--{name}"));
        return format!("{shown} is an option of curl's that gzpost does not have{why}");
    }
    let help = command.map_or_else(|| "gzpost --help all".to_owned(), |word| format!("gzpost {word} --help"));
    let own = options::of_command(command);
    let Some(name) = long else {
        return format!("unknown option {given}; see {help}");
    };
    if name.starts_with("expand-") {
        return format!("--{name} is an option of curl's that gzpost does not have: it has no variables");
    }
    if let Some((option, _)) = name.strip_prefix("no-").and_then(|rest| options::by_name(rest, own)) {
        return format!("--{name}: --{} takes a value, there is no {name}", option.long);
    }
    let owners: Vec<String> = options::owners(name).map(|word| format!("gzpost {word}")).collect();
    if !owners.is_empty() {
        return format!("--{name} is an option of {} only", owners.join(" and "));
    }
    if let Some((_, meant)) = MEANT.iter().find(|(word, _)| *word == name) {
        return format!("unknown option --{name}; did you mean {meant}?");
    }
    match nearest_option(name, own) {
        Some(nearest) => format!("unknown option --{name}; did you mean --{nearest}?"),
        None => format!("unknown option --{name}; see {help}"),
    }
}

fn refused_letter(given: &str) -> Option<&'static str> {
    let letter = given.strip_prefix('-')?;
    refused(|_, own| own.is_some_and(|own| own == letter))
}

fn refused_name(name: &str) -> Option<&'static str> {
    let positive = name.strip_prefix("no-").unwrap_or(name);
    refused(|own, _| own == name || own == positive)
}

fn refused(matches: impl Fn(&str, Option<&str>) -> bool) -> Option<&'static str> {
    let is_one = |word: &str| word.split_once('/').map_or_else(|| matches(word, None), |(n, l)| matches(n, Some(l)));
    REFUSED.iter().find(|(_, names)| names.split(' ').any(is_one)).map(|(why, _)| *why)
}

/// The option that a typing error, without its dashes, is most likely to have meant.
#[must_use]
pub fn nearest_option(name: &str, own: &'static [Opt]) -> Option<String> {
    let all = || own.iter().chain(options::OPTIONS);
    // An abbreviation, which older curls accepted.
    if let Some(option) = all().find(|option| name.len() >= 3 && option.long.starts_with(name)) {
        return Some(option.long.to_owned());
    }
    let negated = |option: &&Opt| option.kind == Kind::Switch && !option.long.starts_with("no-");
    let negated = all().filter(negated).map(|option| format!("no-{}", option.long));
    let names = all().map(|option| option.long.to_owned()).chain(negated);
    let (distance, best) = names.map(|own| (edit_distance(name, &own), own)).min_by_key(|(distance, _)| *distance)?;
    // Half of a short name changed is another name.
    (distance <= 3 && distance * 3 <= name.len()).then_some(best)
}

/// How many letters must be added, dropped or replaced (Levenshtein).
fn edit_distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, have) in from.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, want) in to.iter().enumerate() {
            let replaced = diagonal + usize::from(have != *want);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_of_curls_is_named_as_such() {
        for (given, message) in [
            ("--http2", "--http2 is an option of curl's that gzpost does not have: it speaks HTTP/1.1"),
            ("--form=a=b", "--form is an option of curl's that gzpost does not have: it has no multipart forms"),
            ("-F", "-F is an option of curl's that gzpost does not have: it has no multipart forms"),
            ("-:", "-: is an option of curl's that gzpost does not have: it sends one request a command"),
            ("-c", "-c is an option of curl's that gzpost does not have; the nearest is --cookie"),
            (
                "--no-npn",
                "--no-npn is an option of curl's that gzpost does not have: it speaks TLS 1.2 and 1.3 with the cipher suites of rustls",
            ),
            ("--raw", "--raw is an option of curl's that gzpost does not have"),
            ("--expand-data", "--expand-data is an option of curl's that gzpost does not have: it has no variables"),
        ] {
            assert_eq!(unknown(given, None), message);
        }
    }

    #[test]
    fn a_typing_error_gets_a_suggestion() {
        for (given, message) in [
            ("--max-tme", "unknown option --max-tme; did you mean --max-time?"),
            ("--no-silnt", "unknown option --no-silnt; did you mean --no-silent?"),
            ("--data-bin", "unknown option --data-bin; did you mean --data-binary?"),
            ("--databinary=x", "unknown option --databinary; did you mean --data-binary?"),
            ("--zzz", "unknown option --zzz; see gzpost --help all"),
            ("-§", "unknown option -§; see gzpost --help all"),
            ("--dry-run", "--dry-run is an option of gzpost replay only"),
            ("--export-json", "--export-json is an option of gzpost replay and gzpost bench only"),
        ] {
            assert_eq!(unknown(given, None), message);
        }
    }

    #[test]
    fn a_commands_own_options_are_suggested_too() {
        for (given, message) in [
            ("--size", "unknown option --size; did you mean --sizes?"),
            ("--bogus-mdel", "unknown option --bogus-mdel; did you mean --bogus-model?"),
            ("--no-sizes", "--no-sizes: --sizes takes a value, there is no no-sizes"),
            ("--dry-run", "--dry-run is an option of gzpost replay only"),
            ("--zzz", "unknown option --zzz; see gzpost bench --help"),
            ("-§", "unknown option -§; see gzpost bench --help"),
        ] {
            assert_eq!(unknown(given, Some("bench")), message);
        }
    }

    #[test]
    fn no_option_is_both_ours_and_refused() {
        for option in options::OPTIONS {
            // What turns off something that is not there at all is accepted.
            if !option.long.starts_with("no-") {
                assert_eq!(refused_name(option.long), None, "--{}", option.long);
            }
            let letter = option.short.map(|letter| format!("-{letter}"));
            assert_eq!(letter.and_then(|letter| refused_letter(&letter)), None, "--{}", option.long);
        }
    }

    #[test]
    fn distances() {
        for (from, to, distance) in [("", "", 0), ("", "ab", 2), ("ab", "", 2), ("kitten", "sitting", 3), ("a", "a", 0)]
        {
            assert_eq!(edit_distance(from, to), distance);
        }
    }
}
