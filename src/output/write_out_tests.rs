//! Tests of `write_out.rs`.

use std::io::ErrorKind;
use std::time::{Duration, SystemTime};

use super::*;
use crate::error::{Error, Kind};
use crate::http::{Field, sample};

struct Written {
    out: String,
    err: String,
}

fn write_all(format: &str, transfer: &Transfer) -> Written {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let part = |effective: bool, name: &str| match (effective, name) {
        (_, "host") => Some("relay.example".to_owned()),
        (false, "fragment") => Some("f".to_owned()),
        _ => None,
    };
    let now = SystemTime::UNIX_EPOCH + Duration::from_micros(1_754_037_103_037_103);
    write(format, transfer, &part, now, &mut out, &mut err).unwrap();
    Written { out: String::from_utf8(out).unwrap(), err: String::from_utf8(err).unwrap() }
}

fn out(format: &str) -> String {
    let written = write_all(format, &sample());
    assert_eq!(written.err, "");
    written.out
}

fn failed() -> Transfer {
    Transfer {
        status: None,
        http_version: "0",
        fields: Vec::new(),
        remote: None,
        local: None,
        tls: None,
        connection_id: None,
        timings: crate::http::timing::Timings { total: Some(Duration::from_micros(254)), ..Default::default() },
        tokens: None,
        size_upload: 0,
        outcome: Err(Error::new(Kind::Connect, "could not connect to 127.0.0.1 port 1: refused")),
        ..sample()
    }
}

#[test]
fn escapes_are_curls_three_and_the_rest_is_literal() {
    assert_eq!(out(r"a\nb\rc\td%%e"), "a\nb\rc\td%e");
    assert_eq!(out(r"\x\\n\%{method}%x%"), r"\x\\n\%{method}%x%");
    assert_eq!(out("\\é%é\\"), "\\é%é\\");
    assert_eq!(out(r"%\n"), r"%\n");
}

#[test]
fn unclosed_braces_are_literal_and_what_follows_is_read() {
    assert_eq!(out(r"%{method\n%%"), "%{method\n%");
    assert_eq!(out(r"%header{x\n"), "%header{x\n");
    assert_eq!(out(r"%header{x\}"), "%header{x\\}");
    assert_eq!(out(r"%output{x\n"), "%output{x\n");
    assert_eq!(out(r"%time{%Y\n"), "%time{%Y\n");
}

#[test]
fn values_have_curls_form() {
    assert_eq!(out("%{http_code} %{response_code} %{http_connect}"), "200 200 000");
    assert_eq!(out("%{time_connect} %{time_total} %{time_redirect}"), "0.048112 14.212090 0.000000");
    assert_eq!(out("%{speed_upload} %{speed_download}"), "56156 4611");
    assert_eq!(out("%{remote_ip} %{remote_port} %{scheme} %{proxy_used}"), "127.0.0.1 443 https 0");
    assert_eq!(out("%{url.host}|%{urle.host}|%{url.fragment}|%{urle.fragment}"), "relay.example|relay.example|f|");
    assert_eq!(out("[%{errormsg}][%{referer}][%{redirect_url}]%{exitcode}"), "[][][]0");
}

#[test]
fn our_variables() {
    assert_eq!(out("%{size_body} %{content_coding} %{compression_ratio}"), "2778983 gzip 3.48");
    assert_eq!(out("%{num_tokens} %{time_first_token} %{time_compress}"), "412 11.655102 0.058000");
    assert_eq!(out("%{tokens_source} %{tokens_per_second} %{tokens_burst} %{tokens_unseen}"), "usage 161.10 0 0");
    assert_eq!(out("%{time_longest_gap} %{time_median_gap}"), "0.804000 0.006100");
    assert_eq!(out("%{tls_version} %{tls_cipher}"), "TLSv1.3 TLS_AES_256_GCM_SHA384");
    assert_eq!(out("%{num_certs} %{certs}").lines().next(), Some("1 -----BEGIN CERTIFICATE-----"));
}

#[test]
fn http_1_0_is_1() {
    let transfer = Transfer { http_version: "1.0", ..sample() };
    assert_eq!(write_all("%{http_version}", &transfer).out, "1");
}

#[test]
fn what_never_happened_is_zero_or_empty() {
    let names = "%{http_code} %{http_version} %{local_port} %{conn_id} %{time_starttransfer} %{time_first_token} \
                 %{compression_ratio} %{num_tokens} [%{remote_ip}%{tls_version}%{content_type}] %{exitcode} %{errormsg}";
    let expected = "000 0 -1 -1 0.000000 0.000000 0.00 0 [] 7 could not connect to 127.0.0.1 port 1: refused";
    assert_eq!(write_all(names, &failed()).out, expected);
}

#[test]
fn an_unknown_variable_is_named_on_stderr_and_leaves_no_trace_on_stdout() {
    let written = write_all("a%{nonsense}b%{}", &sample());
    assert_eq!(written.out, "ab");
    let lines = "gzpost: unknown --write-out variable: 'nonsense'\ngzpost: unknown --write-out variable: ''\n";
    assert_eq!(written.err, lines);
}

#[test]
fn onerror_shows_the_rest_only_after_a_failure() {
    assert_eq!(out("a%{onerror}b"), "a");
    assert_eq!(write_all("a%{onerror}b", &failed()).out, "ab");
}

#[test]
fn text_goes_to_the_destination_named_last() {
    let written = write_all("1%{stderr}2%{stdout}3%{stderr}4", &sample());
    assert_eq!((written.out.as_str(), written.err.as_str()), ("13", "24"));
}

#[test]
fn output_writes_over_appends_and_stays_when_it_cannot_open() {
    let path = std::env::temp_dir().join(format!("gzpost-write-out-{}", std::process::id()));
    let name = path.display();
    assert_eq!(out(&format!("a%output{{{name}}}b%{{stdout}}c")), "ac");
    assert_eq!(out(&format!("%output{{>>{name}}}d%output{{/nowhere/x}}e")), "");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "bde");
    assert_eq!(out(&format!("%output{{{name}}}f")), "");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "f");
    std::fs::remove_file(&path).unwrap();
}

#[test]
fn fields_are_found_in_any_case() {
    assert_eq!(out("%header{CONTENT-type} %header{nope}%header{x-a:first} %header{x-a}"), "text/event-stream  one");
}

#[test]
fn all_fields_of_a_name_over_redirects() {
    let earlier_fields = vec![Field { name: "X-A".into(), value: "zero".into() }];
    let transfer = Transfer { earlier_fields, ..sample() };
    let written = |format| write_all(format, &transfer).out;
    assert_eq!(written(r"%header{x-a:all:-{\}\n\x:}."), "zero-{}\n\\x:one-{}\n\\x:\"two\".");
    assert_eq!(written("%header{x-a:all:}"), "zeroone\"two\"");
    assert_eq!(written("%header{x-a}"), "one");
}

#[test]
fn time_is_utc() {
    assert_eq!(out("%time{%d/%b/%Y %H:%M:%S.%f}|%time{}"), "01/Aug/2025 08:31:43.037103|");
}

#[test]
fn json_holds_curls_keys_with_ours_beside_them() {
    let text = out("%{json}");
    let object: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(object["http_code"], 200);
    assert_eq!(object["content_coding"], "gzip");
    assert_eq!(object["compression_ratio"], 3.48);
    assert!(text.contains("\"http_connect\":0,"), "{text}");
    assert!(text.contains("\"time_redirect\":0.000000,"), "{text}");
    assert!(text.contains("\"ftp_entry_path\":null,"), "{text}");
    assert!(text.ends_with(concat!(",\"curl_version\":\"gzpost/", env!("CARGO_PKG_VERSION"), "\"}")), "{text}");
    let object: serde_json::Value = serde_json::from_str(&write_all("%{json}", &failed()).out).unwrap();
    for ours in ["time_first_token", "compression_ratio", "num_tokens", "tls_version", "content_type", "tokens_source"]
    {
        assert!(object[ours].is_null(), "{ours}");
    }
    assert_eq!(object["remote_ip"], "");
}

#[test]
fn a_reader_that_went_away_is_a_write_error_without_words() {
    struct Closed;
    impl Write for Closed {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let error = write("x", &sample(), &|_, _| None, SystemTime::UNIX_EPOCH, &mut Closed, &mut Vec::new()).unwrap_err();
    assert_eq!(error, Error::new(Kind::Write, ""));
}

#[test]
fn no_format_panics_and_plain_text_stays() {
    let transfer = sample();
    arbtest::arbtest(|u| {
        let text: String = u.arbitrary()?;
        let mut format = String::new();
        for _ in 0..u.int_in_range(0..=8)? {
            format.push_str(u.choose(&["%", "{", "}", "\\", "%header{", ":all:", "json", "%time{", "é", &text])?);
        }
        // Files are left alone here.
        let format = format.replace("%output{", "");
        let pieces = parse(&format);
        write(&format, &transfer, &|_, _| None, SystemTime::UNIX_EPOCH, &mut Vec::new(), &mut Vec::new()).unwrap();
        if !format.contains(['%', '\\']) {
            let whole = if format.is_empty() { vec![] } else { vec![Piece::Text(&format)] };
            assert_eq!(pieces, whole);
        }
        Ok(())
    });
}
