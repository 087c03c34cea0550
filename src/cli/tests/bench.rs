//! `gzpost bench`: what its options come to, and which do not fit together.

use std::time::Duration;

use super::{Setting, error, words};
use crate::body::{CodingChoice, Part, PartKind, Source};
use crate::cli::{Bench, BenchBody, Command, Metric};
use crate::error::Kind;

fn bench(line: &str) -> Bench {
    let words = words(&format!("bench {line}"));
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match Setting::default().parse(&words) {
        Ok(Command::Bench(bench)) => *bench,
        other => panic!("{line}: {other:?}"),
    }
}

#[test]
fn defaults() {
    let bench = bench("https://h/v1 a.json -");
    let given = |source| BenchBody::Given(Part { kind: PartKind::Body, source });
    assert_eq!(bench.bodies, [given(Source::File("a.json".into())), given(Source::Stdin)]);
    assert_eq!((bench.pairs, bench.warmup, bench.metric), (10, 1, Metric::Starttransfer));
    assert_eq!(
        (bench.request.method.as_str(), bench.request.content_type.as_deref()),
        ("POST", Some("application/json"))
    );
    assert!(bench.settings.fresh && bench.bogus_model.is_none() && bench.max_time_total.is_none());
    assert_eq!(bench.body.coding, CodingChoice::Auto);
    assert_eq!(bench.shown_url, "https://h/v1");
}

#[test]
fn every_option() {
    let bench = bench(
        "http://h --sizes 0,32K,1.5M -n 3 --warmup 0 --keepalive --ratio 2 --bogus-model --metric time_total \
         --max-time-total 60 --export-json j --export-csv c --export-markdown m --export-svg s --record r --alias a \
         -k -H 'x: y' -m 5",
    );
    let synthetic = |(label, size): (&str, usize)| BenchBody::Synthetic { label: label.into(), size };
    assert_eq!(bench.bodies, [("0", 0), ("32K", 32_768), ("1.5M", 1_572_864)].map(synthetic));
    assert_eq!((bench.pairs, bench.warmup, bench.metric), (3, 0, Metric::Total));
    assert_eq!(bench.bogus_model, bench.body.model.as_deref());
    assert_eq!(bench.max_time_total, Some(Duration::from_secs(60)));
    assert_eq!(bench.exports.record, Some("r".into()));
    assert_eq!((bench.shown_url.as_str(), bench.alias.as_ref().map(|alias| &*alias.name)), ("http://a/", Some("a")));
    assert!(!bench.settings.fresh && bench.settings.tls.insecure);
    assert_eq!(bench.settings.max_time, Some(Duration::from_secs(5)));
    assert!((bench.ratio - 2.0).abs() < f64::EPSILON);
}

#[test]
fn what_does_not_fit_together() {
    for (line, message) in [
        ("bench u", "bench needs a BODY, or --sizes 0,32K,128K,512K,2M --bogus-model"),
        ("bench u --sizes 1K", "--sizes needs --bogus-model, or --model NAME to ask a real model"),
        ("bench u b --sizes 1K --bogus-model", "BODY and --sizes exclude each other"),
        ("bench u b --model m --bogus-model", "--bogus-model and --model exclude each other"),
        ("bench u - -", "stdin can be read once; give - once"),
        ("bench u b -n 0", "--pairs: at least 1 pair has to count"),
        ("bench u b -n x", "--pairs: 'x' is not a number from 0 on"),
        ("bench u --sizes 1K,1024 --bogus-model", "--sizes: '1024' is there twice"),
        ("bench u --sizes 1K, --bogus-model", "--sizes: '' is not a number of bytes"),
        ("bench u --sizes 1G --bogus-model", "--sizes: '1G' is more than 256M"),
        ("bench u b --ratio 0", "--ratio: '0' is not a ratio from 1 on"),
        ("bench u b --metric x", "--metric: 'x' is none of starttransfer, first_token, total"),
        ("bench u b --alias 'a b'", "--alias: 'a b' is not made of letters, digits, '.', '-' and '_'"),
        ("bench u b -X GET", "bench sends bodies, and GET has none"),
        ("bench u b -H 'Content-Encoding: br'", "--header: bench says itself which Content-Encoding a body has"),
        ("bench u b --identity", "--identity is no option of gzpost bench"),
        ("bench u b -d x", "--data is no option of gzpost bench"),
        ("bench u b -o x", "--output is no option of gzpost bench"),
        ("bench u b --speed 2", "--speed is an option of gzpost demo only"),
        ("bench u http://v", "http://v: the URL comes first, then BODY; 'u' stands in its place"),
        ("u b --record x", "--record is an option of gzpost bench only"),
        ("bench", "no URL; see gzpost bench --help"),
        ("bench u {}", "BODY is a file, or - for stdin"),
        ("bench u --size 1K", "unknown option --size; did you mean --sizes?"),
        ("bench u b -n 100001", "--pairs: '100001' is more than 100000"),
        ("bench u b --warmup 99999999999", "--warmup: '99999999999' is more than 100000"),
        ("bench u b --bogus-model --metric first_token", "--metric first_token needs a model that answers"),
    ] {
        let error = error(line);
        assert_eq!(error.kind, Kind::Usage, "{line}");
        assert!(error.message.starts_with(message), "{line}: {error}");
    }
}
