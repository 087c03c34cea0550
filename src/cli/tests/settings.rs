//! Connections, limits, proxies, TLS and where the answer goes.

use std::path::Path;
use std::time::Duration;

use super::{Scratch, Setting, send, send_in};
use crate::cli::{Command, Demo, Fail, Target};
use crate::error::Kind;
use crate::http::{FieldLine, IpVersion, Proxies, Proxy, Retry, SpeedLimit, TlsVersions};
use crate::relay::Behave;

#[test]
fn limits() {
    let settings = send("u -m 2.5 --connect-timeout 0.25 --max-filesize 1.5K").settings;
    assert_eq!(settings.max_time, Some(Duration::from_millis(2500)));
    assert_eq!(settings.connect_timeout, Some(Duration::from_millis(250)));
    assert_eq!(settings.max_filesize, Some(1536));
    let settings = send("u -m 0 --connect-timeout 0 --max-filesize 0").settings;
    assert_eq!((settings.max_time, settings.connect_timeout, settings.max_filesize), (None, None, None));
    assert_eq!(send("u -m 5 -m 6").settings.max_time, Some(Duration::from_secs(6)));
}

#[test]
fn a_speed_limit_brings_its_other_half() {
    let limit = |speed, seconds| Some(SpeedLimit { bytes_per_second: speed, time: Duration::from_secs(seconds) });
    for (line, expected) in [
        ("u", None),
        ("u -Y 100", limit(100, 30)),
        ("u -y 5", limit(1, 5)),
        ("u -y 5 -Y 100", limit(100, 5)),
        ("u -Y 0", None),
        ("u -Y 100 -y 0", None),
    ] {
        assert_eq!(send(line).settings.speed_limit, expected, "{line}");
    }
}

#[test]
fn retries() {
    assert_eq!(send("u").retry, Retry::default());
    let expected = Retry {
        count: 3,
        delay: Some(Duration::from_millis(500)),
        max_time: Some(Duration::from_secs(60)),
        connrefused: true,
        all_errors: true,
    };
    let line = "u --retry 3 --retry-delay 0.5 --retry-max-time 60 --retry-connrefused --retry-all-errors";
    assert_eq!(send(line).retry, expected);
    assert_eq!(send("u --retry 3 --retry-delay 0 --retry-max-time 0").retry, Retry { count: 3, ..Retry::default() });
}

#[test]
fn redirects() {
    for (line, follow, trusted) in [
        ("u", None, false),
        ("u --max-redirs 3", None, false),
        ("u -L", Some(Some(50)), false),
        ("u -L --max-redirs 0", Some(Some(0)), false),
        ("u -L --max-redirs -1", Some(None), false),
        ("u --location-trusted", Some(Some(50)), true),
        ("u -L --no-location", None, false),
        ("u --follow", Some(Some(50)), false),
    ] {
        let settings = send(line).settings;
        assert_eq!((settings.follow, settings.location_trusted), (follow, trusted), "{line}");
    }
    assert_eq!(send("u --post301 --post303").settings.keep_post, [true, false, true]);
    assert!(!send("u --proto =http,https").settings.https_only);
    assert!(send("https://h --proto =https").settings.https_only);
    assert!(send("u --proto-redir =https").settings.https_only);
}

#[test]
fn connections() {
    let settings = send("u -4 -6 --resolve h:80:::1 --resolve -h:80 --connect-to ::b: --unix-socket /s").settings;
    assert_eq!(settings.ip_version, IpVersion::V6);
    assert_eq!(settings.resolve.len(), 2);
    assert_eq!(settings.connect_to[0].to_host.as_deref(), Some("b"));
    assert_eq!(settings.unix_socket.as_deref(), Some(Path::new("/s")));
    assert_eq!(send("u -6 -4").settings.ip_version, IpVersion::V4);
    let settings = send("u --compressed --ignore-content-length --path-as-is").settings;
    assert!(settings.compressed && settings.ignore_content_length && settings.path_as_is);
}

fn hosts(proxies: &Proxies) -> [Option<String>; 2] {
    [&proxies.http, &proxies.https].map(|proxy| proxy.as_ref().map(|proxy| proxy.as_ref().unwrap().host.clone()))
}

#[test]
fn proxies_of_the_environment_and_of_the_command_line() {
    let all = [
        ("all_proxy", "all"),
        ("ALL_PROXY", "ALL"),
        ("http_proxy", "http"),
        ("HTTP_PROXY", "HTTP"),
        ("https_proxy", "https"),
        ("HTTPS_PROXY", "HTTPS"),
        ("no_proxy", "a,b"),
        ("NO_PROXY", "c"),
    ];
    for (names, line, expected, no_proxy) in [
        ("", "u", [None, None], ""),
        ("http_proxy https_proxy no_proxy NO_PROXY", "u", [Some("http"), Some("https")], "a,b"),
        ("HTTP_PROXY HTTPS_PROXY NO_PROXY", "u", [None, Some("HTTPS")], "c"),
        ("all_proxy ALL_PROXY http_proxy", "u", [Some("http"), Some("all")], ""),
        ("ALL_PROXY", "u", [Some("ALL"), Some("ALL")], ""),
        ("http_proxy https_proxy no_proxy", "u -x p", [Some("p"), Some("p")], "a,b"),
        ("http_proxy https_proxy no_proxy", "u -x ''", [None, None], "a,b"),
        ("http_proxy no_proxy", "u --noproxy ''", [Some("http"), None], ""),
        ("http_proxy no_proxy", "u --noproxy '*'", [Some("http"), None], "*"),
    ] {
        let env: Vec<_> = all.iter().copied().filter(|(name, _)| names.split(' ').any(|own| own == *name)).collect();
        let proxies = send_in(&Setting { env: &env, ..Setting::default() }, line).settings.proxies;
        assert_eq!(hosts(&proxies), expected.map(|host| host.map(str::to_owned)), "{names} {line}");
        assert_eq!(proxies.no_proxy, no_proxy, "{names} {line}");
    }
}

#[test]
fn an_empty_variable_is_none() {
    let setting = Setting { env: &[("http_proxy", ""), ("all_proxy", "p")], ..Setting::default() };
    assert_eq!(hosts(&send_in(&setting, "u").settings.proxies), [Some("p".to_owned()), Some("p".to_owned())]);
}

#[test]
fn what_is_no_http_proxy_is_kept_as_an_error() {
    let setting =
        Setting { env: &[("all_proxy", "socks5://127.0.0.1:1080"), ("http_proxy", "p")], ..Setting::default() };
    let proxies = send_in(&setting, "u").settings.proxies;
    assert!(proxies.http.unwrap().is_ok());
    assert_eq!(proxies.https.unwrap().unwrap_err().kind, Kind::Socks);
}

#[test]
fn the_way_to_a_proxy() {
    let proxies = send("u -x http://p:3128 -U a:b -p --proxy-header 'X: 1'").settings.proxies;
    let expected = Proxy { host: "p".into(), port: 3128, credentials: Some("a:b".into()) };
    assert_eq!(proxies.https.unwrap().unwrap(), expected);
    assert!(proxies.tunnel);
    assert_eq!(proxies.fields, [FieldLine::Set("X".into(), "1".into())]);
}

#[test]
fn certificates_and_versions() {
    let tls =
        send("u -k --cacert ca --capath dir -E cert --key key --cert-type pem --key-type PEM --tlsv1.3").settings.tls;
    assert!(tls.insecure && tls.versions == TlsVersions::Only13);
    let path = |path: &Option<std::path::PathBuf>| path.as_ref().and_then(|path| path.to_str()).map(str::to_owned);
    let paths = [&tls.ca_file, &tls.ca_path, &tls.certificate, &tls.key].map(path);
    assert_eq!(paths, ["ca", "dir", "cert", "key"].map(|name| Some(name.to_owned())));
    for (line, versions) in [
        ("u -1 --tlsv1.2 --tls-max 1.2", TlsVersions::Only12),
        ("u --tlsv1.0 --tls-max 1.3", TlsVersions::Both),
        ("u --tlsv1.3 --tlsv1.2 --tls-max default", TlsVersions::Both),
    ] {
        assert_eq!(send(line).settings.tls.versions, versions, "{line}");
    }
}

#[test]
fn certificates_of_the_environment() {
    let all = [("CURL_CA_BUNDLE", "bundle"), ("SSL_CERT_FILE", "file"), ("SSL_CERT_DIR", "dir")];
    for (env, line, ca_file, ca_path) in [
        (&all[..], "u", Some("bundle"), None),
        (&all[1..], "u", Some("file"), Some("dir")),
        (&all[2..], "u", None, Some("dir")),
        (&all[..], "u --cacert own", Some("own"), None),
        (&all[..], "u --capath own", None, Some("own")),
        (&all[..], "u -k", None, None),
    ] {
        let tls = send_in(&Setting { env, ..Setting::default() }, line).settings.tls;
        assert_eq!((tls.ca_file, tls.ca_path), (ca_file.map(Into::into), ca_path.map(Into::into)), "{line}");
    }
}

#[test]
fn where_the_answer_goes() {
    for (line, file) in [
        ("http://h/a", None),
        ("http://h/a -o f", Some("f")),
        ("http://h/a -of", Some("f")),
        ("http://h/a -o -", None),
        ("http://h/a -o f -o g", Some("f")),
        ("http://h/a -o f -O", Some("f")),
        ("http://h/a/b.json?q -O", Some("b.json")),
        ("http://h/a/b/ -O", Some("b")),
        ("http://h -O", Some("curl_response")),
        ("http://h/a -O --output-dir d", Some("d/a")),
        ("http://h/a -o f --output-dir d", Some("d/f")),
        ("http://h/a -o - --output-dir d", None),
        ("http://h/a -o /f --output-dir d", Some("d//f")),
        ("http://h/a --out-null", Some("/dev/null")),
    ] {
        assert_eq!(send(line).output.file.as_deref(), file.map(Path::new), "{line}");
    }
    assert!(send("h -o a -o b").warnings[0].contains("only one answer"));
    assert!(send("h -O").warnings[0].contains("curl_response"));
}

#[test]
fn what_is_said_about_it() {
    let output =
        send("u -sSvi -D - --stderr - -w '%{http_code}' -f --create-dirs --no-clobber --remove-on-error").output;
    assert!(output.silent && output.show_error && output.verbose && output.include);
    assert!(output.create_dirs && output.no_clobber && output.remove_on_error);
    assert_eq!((output.dump_header, output.stderr), (Some(Target::Stdout), Some(Target::Stdout)));
    assert_eq!((output.write_out.as_deref(), output.fail), (Some("%{http_code}"), Fail::WithoutBody));
    let output = send("u -D % --stderr f -w '' --fail-with-body --text --reasoning --trace-time -I").output;
    assert!(output.text && output.reasoning && output.trace_time && output.include && !output.silent);
    assert_eq!((output.dump_header, output.stderr), (Some(Target::Stderr), Some(Target::File("f".into()))));
    assert_eq!((output.write_out.as_deref(), output.fail), (Some(""), Fail::WithBody));
    assert!(!send("u -s --no-silent").output.silent);
    assert_eq!(send("u -f --no-fail --fail-with-body").output.fail, Fail::WithBody);
}

#[test]
fn the_format_may_be_in_a_file_or_on_stdin() {
    let file = Scratch::new("format", "a=%{url}\\n\r\nb\n");
    assert_eq!(send(&format!("u -w @{}", file.path())).output.write_out.as_deref(), Some("a=%{url}\\nb"));
    let piped = Setting { stdin: "x\n", ..Setting::default() };
    assert_eq!(send_in(&piped, "u -w @-").output.write_out.as_deref(), Some("x"));
}

#[test]
fn what_has_no_effect_is_accepted() {
    let line = "u -N -q -g -# --http1.1 --no-buffer --buffer --no-progress-meter --progress-meter --no-keepalive \
        --keepalive --keepalive-time 60 --tcp-nodelay --basic --expect100-timeout 1 --no-sessionid --ssl-no-revoke";
    assert_eq!(send(line).warnings, [] as [&str; 0]);
}

#[test]
fn demo_has_its_own_options() {
    let demo = |words: &[&str]| match Setting::default().parse(words) {
        Ok(Command::Demo(demo)) => demo,
        other => panic!("{words:?}: {other:?}"),
    };
    let defaults = Demo { serve: None, speed: 20.0, behave: Behave::Decode };
    let port = |address: &str| address.parse().ok();
    assert_eq!(demo(&["demo"]), defaults);
    assert_eq!(demo(&["demo", "--speed", "2.5"]), Demo { speed: 2.5, ..defaults });
    for (words, address) in [
        (&["demo", "--serve"][..], "127.0.0.1:8037"),
        (&["demo", "--serve", "9000"][..], "127.0.0.1:9000"),
        (&["demo", "--serve=:0", "--behave", "ignore"][..], "127.0.0.1:0"),
        (&["demo", "--serve", "--behave", "ignore"][..], "127.0.0.1:8037"),
    ] {
        assert_eq!(demo(words).serve, port(address), "{words:?}");
    }
    assert_eq!(demo(&["demo", "--serve", "--behave", "ignore"]).behave, Behave::Ignore);
}
