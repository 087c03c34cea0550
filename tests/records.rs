//! What `gzpost bench` keeps: exports and records that agree with each other, and hold no secrets.

use std::collections::BTreeMap;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use gzpost::output::units;
use gzpost::relay::Behave;
use gzpost::stats;
use serde_json::Value;

use crate::bench::{answer_all, bench, json, relay, rows, text, url};
use crate::program::{Output, Program, SmallDisk, TempDir};
use crate::sample::{OK, chat};
use crate::server::{Server, read_file};

#[test]
fn record_csv_and_markdown_say_the_same() {
    let relay = relay(500.0, Behave::Decode);
    let arguments =
        ["--sizes", "0,32K,64K", "--bogus-model", "-n", "6", "--record", "record", "--export-csv", "all.csv"];
    let more = ["--export-markdown", "tables.md", "--export-svg", "figure.svg", &url(&relay)];
    let output = bench(&arguments).args(more).run();
    output.assert_code(0);
    let folder = output.home.path().join("record");
    let (record, page) = (json(&output, "record/record.json"), text(&folder, "record.md"));
    let samples = text(&folder, "samples.csv");
    assert_eq!(samples, text(output.home.path(), "all.csv"));
    assert!(page.contains(&text(output.home.path(), "tables.md")), "{page}");
    let host = page.lines().find(|line| line.starts_with("- host: ")).expect("a line");
    assert!(host.contains(&format!(", {} CPU", record["current"]["host"]["cores"])), "{host}");
    assert!(page.starts_with(&format!(
        "# {}\n\n{}\n",
        record["question"].as_str().unwrap(),
        record["answer"].as_str().unwrap()
    )));
    let rows = rows(&samples);
    assert_eq!(rows.len(), 2 * 3 * 7);
    let times = |body: &str, coding: &str| -> Vec<f64> {
        let wanted =
            rows.iter().filter(|row| row["warmup"] == "false" && row["body"] == body && row["coding"] == coding);
        wanted.map(|row| row["time_starttransfer"].parse::<f64>().expect("seconds") * 1e3).collect()
    };
    for (number, name) in ["0", "32K", "64K"].into_iter().enumerate() {
        let body = &record["current"]["extra"]["bodies"][number];
        assert_eq!(body["body"], name);
        for coding in ["plain", "gzip"] {
            let summary = stats::summary(&times(name, coding)).expect("samples");
            let found = |stat: &str| body[coding]["ms"][stat].as_f64().expect("a number");
            // The CSV has whole microseconds.
            assert!((found("median") - summary.median).abs() < 0.002 && (found("p95") - summary.p95).abs() < 0.002);
            assert_eq!(body[coding]["n"], 6);
            let cells = format!("| {name} | {coding} |");
            let line = page.lines().find(|line| line.starts_with(&cells)).expect("a row");
            assert!(line.contains(&format!(" | {} | ", units::milliseconds(found("median")))), "{line}");
        }
    }
    let ratios: Vec<f64> =
        times("64K", "plain").iter().zip(times("64K", "gzip")).map(|(plain, gzip)| plain / gzip).collect();
    let value = record["current"]["value"].as_f64().expect("a value");
    assert!((value - stats::median(&ratios).expect("pairs")).abs() < 0.01, "{value} {ratios:?}");
    assert!(record["answer"].as_str().is_some_and(|answer| answer.starts_with(&format!("{value:.2} times"))));
    assert!(text(output.home.path(), "figure.svg").contains("<polyline"));
    // The interval of six is all of them.
    let speedup = &record["current"]["extra"]["bodies"][2]["speedup"];
    let ends = [f64::min, f64::max].map(|end| ratios.iter().copied().reduce(end).expect("pairs"));
    for (name, end) in ["low", "high"].into_iter().zip(ends) {
        assert!((speedup[name].as_f64().expect("an end") - end).abs() < 0.01 * end, "{speedup} {ratios:?}");
    }
    let interval = ["low", "high"].map(|name| format!("{:.2}", speedup[name].as_f64().expect("an end"))).join(" to ");
    assert!(page.contains(&format!(" | {interval} |")) && page.contains(&format!("speed-up {interval};")), "{page}");
}

#[test]
fn a_record_says_why_gzip_failed_and_not_in_the_servers_words() {
    let words = "HTTP/1.1 400 Bad\r\nContent-Length: 37\r\n\r\n{\"error\":{\"message\":\"it is no JSON\"}}";
    let refused = |plain: &'static str, gzip: &'static str| {
        let server = Server::many(move |_, mut conn| {
            let request = conn.read_request();
            conn.write(if request.field("content-encoding").is_some() { gzip } else { plain });
        });
        let bogus = ["--bogus-model", "--sizes", "0,2K", "-n", "2", "--warmup", "0", "--record", "record"];
        let output = bench(&bogus).arg(server.url("/")).run();
        let record = json(&output, "record/record.json");
        assert!(!record.to_string().contains("no JSON") && record["status"] == "failed", "{record}");
        (output, record["answer"].as_str().expect("an answer").to_owned(), record["current"]["caveats"].to_string())
    };
    let (output, answer, caveats) = refused(OK, words);
    assert!(caveats.contains("\"body 0 as gzip: 2 of 2 failed: the server returned status 400\""), "{caveats}");
    output
        .assert_code(22)
        .assert_stderr_has("body 0 as gzip: 2 of 2 failed: the server returned status 400: it is no JSON\n");
    let expected = "does not take gzip (all 4 refused with 400; plain 4 of 4 answered; 2";
    assert!(answer.starts_with("The relay at http://") && answer.contains(expected), "{answer}");
    // Whom everything fails with has nothing against gzip, and who gives no answer has said nothing about it.
    for (plain, gzip) in [(words, words), (OK, "")] {
        let (output, answer, _) = refused(plain, gzip);
        assert!(answer.starts_with("Nothing could be compared"), "{answer}");
        output.assert_stderr_lacks("gzpost check");
    }
}

#[test]
fn a_record_has_every_field() {
    let relay = relay(1000.0, Behave::Decode);
    let output = bench(&["--sizes", "0,8K", "--bogus-model", "-n", "2", "--record", "My record", &url(&relay)]).run();
    let record = json(&output, "My record/record.json");
    assert_eq!((&record["schema"], &record["slug"]), (&"gzpost.bench/v1".into(), &"my-record".into()));
    for field in ["question", "answer", "status", "current", "earlier"] {
        assert!(!record[field].is_null(), "{field}");
    }
    let current = &record["current"];
    for field in [
        "metric",
        "value",
        "unit",
        "stat",
        "n",
        "percentiles",
        "extra",
        "samples_csv",
        "measured_at",
        "build",
        "host",
        "environment",
        "method",
        "reproduce",
        "caveats",
    ] {
        assert!(!current[field].is_null(), "{field}");
    }
    for field in ["p50", "p95", "p99", "max"] {
        assert!(current["percentiles"][field].is_number(), "{field}");
    }
    assert_eq!(current["build"]["version"], env!("CARGO_PKG_VERSION"));
    // There is no interval of so few pairs.
    let speedup = &current["extra"]["bodies"][1]["speedup"];
    assert!(speedup["median"].is_number() && speedup["low"].is_null() && speedup["high"].is_null(), "{speedup}");
    assert!(record["answer"].as_str().is_some_and(|answer| answer.contains("too few pairs for an interval")));
    output.assert_stderr_has("there is no interval of 2 pairs; take at least 6");
    assert!(current["environment"]["load_before"].is_array() && current["environment"]["network"].is_object());
}

#[test]
fn a_second_run_moves_the_first_into_earlier_and_its_line_runs() {
    let relay = relay(1000.0, Behave::Decode);
    let folder = TempDir::new();
    let path = folder.path().to_str().expect("UTF-8");
    let arguments = ["--sizes", "0,8K", "--bogus-model", "-n", "2", "-s", "--record", path, &url(&relay)];
    bench(&arguments).run().assert_code(0);
    let record = || serde_json::from_slice::<Value>(&read_file(&folder.path().join("record.json"))).expect("JSON");
    let (first, samples) = (record(), text(folder.path(), "samples.csv"));
    bench(&arguments).run().assert_code(0);
    let second = record();
    assert_eq!(second["earlier"].as_array().map(Vec::len), Some(1));
    let earlier = &second["earlier"][0];
    assert_eq!((&earlier["answer"], &earlier["value"]), (&first["answer"], &first["current"]["value"]));
    assert_eq!(text(folder.path(), earlier["samples_csv"].as_str().expect("a name")), samples);
    bench(&arguments).run().assert_code(0);
    let third = record();
    assert_eq!(third["earlier"].as_array().map(Vec::len), Some(2));
    assert_eq!(third["earlier"][1]["value"], first["current"]["value"]);

    let line = second["current"]["reproduce"].as_str().expect("a line");
    let programs = Path::new(env!("CARGO_BIN_EXE_gzpost")).parent().expect("a folder");
    let output = Program::new("/bin/sh").args(["-c", line]).env("PATH", programs).run();
    output.assert_code(0);
    let method = second["current"]["method"].as_str().expect("a method").split(". ").next().expect("a sentence");
    assert!(output.stdout_text().contains(method), "{method}\n{}", output.describe());
}

#[test]
fn a_run_without_an_answer_leaves_the_record_as_it_is() {
    const LEFT: &str = ": no pair of requests succeeded: the record was left as it was\n";
    let folder = TempDir::new();
    let run = |plain: &'static str, gzip: &'static str| {
        let server = Server::many(move |_, mut conn| {
            let request = conn.read_request();
            conn.write(if request.field("content-encoding").is_some() { gzip } else { plain });
        });
        let arguments = ["-n", "2", "--warmup", "0", "--export-csv", "a.csv", "--record"];
        bench(&arguments).arg(folder.path()).args([&server.url("/"), "-"]).stdin(chat(2000)).run()
    };
    let record = || serde_json::from_slice::<Value>(&read_file(&folder.path().join("record.json"))).expect("JSON");
    let refused = "HTTP/1.1 400 Bad\r\nContent-Length: 0\r\n\r\n";
    // The first one has no other to leave.
    run(refused, refused).assert_code(22).assert_stderr_lacks(LEFT);
    assert!(record()["status"] == "failed" && record()["earlier"] == serde_json::json!([]), "{}", record());
    run(OK, OK).assert_code(0).assert_stderr_lacks(LEFT);
    assert_eq!(record()["status"], "complete");
    let before = whole(folder.path());
    for (plain, gzip, code) in [(refused, refused, 22), (refused, OK, 22), (OK, "", 52)] {
        let output = run(plain, gzip);
        output.assert_code(code).assert_stderr_has(LEFT);
        assert_eq!(whole(folder.path()), before);
        assert_eq!(rows(&text(output.home.path(), "a.csv")).len(), 4);
    }
    // That gzip alone is refused is an answer.
    run(OK, refused).assert_code(22).assert_stderr_lacks(LEFT);
    assert_eq!(record()["earlier"].as_array().map(Vec::len), Some(2));
}

#[test]
fn a_folder_with_something_else_in_it_is_refused_before_anything_is_sent() {
    let server = Server::many(|_, conn| answer_all(conn, OK));
    for content in ["{}", "not JSON", "{\"schema\":\"other/v1\",\"current\":{}}"] {
        let output =
            bench(&["--record", ".", &server.url("/"), "-"]).stdin(chat(2000)).file("record.json", content).run();
        output.assert_error(26).assert_stderr_has("record.json");
        assert_eq!(text(output.home.path(), "record.json"), content);
    }
    bench(&["--export-json", "no/folder", &server.url("/"), "-"]).stdin(chat(2000)).run().assert_error(23);
    server.assert_unasked();
}

/// The names of all that is in a folder, hidden files too, with what is in the files.
pub fn whole(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let name = |path: &Path| path.file_name().expect("a name").to_string_lossy().into_owned();
    entries.map(|path| (name(&path), std::fs::read(&path).unwrap_or_default())).collect()
}

#[test]
fn what_could_not_be_written_is_refused_before_anything_is_sent() {
    let server = Server::many(|_, conn| answer_all(conn, OK));
    for name in ["record.json", "samples.csv", "record.md", ".record.md.new"] {
        let folder = TempDir::new();
        folder.write("record.json", "{\"schema\":\"gzpost.bench/v1\",\"current\":{}}");
        let _ = std::fs::remove_file(folder.path().join(name));
        std::fs::create_dir(folder.path().join(name)).expect("a folder");
        let before = whole(folder.path());
        let output = bench(&["--record"]).arg(folder.path()).args([&server.url("/"), "-"]).stdin(chat(2000)).run();
        output.assert_error(if name == "record.json" { 26 } else { 23 }).assert_stderr_has(name);
        assert_eq!(whole(folder.path()), before);
    }
    // A folder where nobody can make a file, root neither.
    bench(&["--record", "/proc/self", &server.url("/"), "-"]).stdin(chat(2000)).run().assert_error(23);
    server.assert_unasked();
}

#[test]
fn a_full_disk_leaves_the_former_record_whole() {
    const PAGE: u64 = 4096;
    let Some(disk) = SmallDisk::new() else { return };
    let server = Server::many(|_, conn| answer_all(conn, OK));
    let run = || bench(&["-n", "1", "--record"]).arg(disk.path()).args([&server.url("/"), "-"]).stdin(chat(2000)).run();
    run().assert_code(0);
    let filler = disk.path().join("filler");
    std::fs::write(&filler, vec![0; 64 << 10]).expect_err("a full disk");
    let full = filler.metadata().expect("a file").len();
    // One after the other of the new files still fits.
    for room in 0..3 {
        let file = std::fs::File::options().write(true).open(&filler).expect("a file");
        file.set_len(full - room * PAGE).expect("a smaller file");
        let before = whole(disk.path());
        run().assert_code(23).assert_stderr_has("could not be written: no space left");
        assert!(whole(disk.path()) == before, "{:?}", whole(disk.path()).keys());
    }
    std::fs::remove_file(&filler).expect("a file");
    run().assert_code(0);
    assert_eq!(whole(disk.path()).len(), 4);
}

#[test]
fn a_record_that_others_may_not_read_stays_so() {
    let server = Server::many(|_, conn| answer_all(conn, OK));
    let folder = TempDir::new();
    let run =
        || bench(&["-n", "1", "--record"]).arg(folder.path()).args([&server.url("/"), "-"]).stdin(chat(2000)).run();
    run().assert_code(0);
    for name in whole(folder.path()).into_keys() {
        std::fs::set_permissions(folder.path().join(name), Permissions::from_mode(0o600)).expect("a file");
    }
    run().assert_code(0);
    let files = whole(folder.path());
    assert_eq!(files.len(), 4);
    for name in files.into_keys() {
        let mode = folder.path().join(&name).metadata().expect("a file").permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
}

/// Everything that a bench can write.
const ALL: [&str; 10] = [
    "--record",
    "record",
    "--export-json",
    "a.json",
    "--export-markdown",
    "a.md",
    "--export-svg",
    "a.svg",
    "--export-csv",
    "a.csv",
];

/// Fails when a file of `ALL` holds one of the words, in any case.
#[track_caller]
fn assert_kept_without(output: &Output, words: &[&str]) {
    for name in ["a.json", "a.md", "a.svg", "a.csv", "record/record.json", "record/record.md", "record/samples.csv"] {
        let text = text(output.home.path(), name).to_lowercase();
        assert!(!words.iter().any(|word| text.contains(word)), "{words:?} in {name}: {text}");
    }
}

#[test]
fn no_secret_is_in_what_is_kept() {
    const KEY: &str = "sk-very-secret-0123456789";
    for alias in [&[][..], &["--alias", "relay-a"]] {
        let server = Server::many(|_, conn| {
            answer_all(conn, "HTTP/1.1 401 Unauthorized\r\nContent-Length: 25\r\n\r\nsk-very-secret-0123456789")
        });
        let url = server.url(&format!("/v1?key={KEY}")).replace("127.0.0.1", &format!("user:{KEY}@127.0.0.1"));
        let (field, referer) = (format!("x-api-key: {KEY}"), format!("https://u:{KEY}@other.example/?key={KEY}"));
        let fields = ["-H", &field, "-H", KEY, "-H", &format!("X-To: {referer}"), "-e", &referer];
        let more = ["-n", "1", "--request-target", &referer, "--bearer-env", "KEY", &url, "-"];
        let program = bench(&ALL).args(alias).args(fields).args(more).env("KEY", KEY).stdin(chat(2000));
        let output = program.run();
        output.assert_code(22);
        assert_kept_without(&output, &[KEY]);
        let line = json(&output, "record/record.json")["current"]["reproduce"].to_string();
        assert!(line.contains("--bearer-env KEY"), "{line}");
        let shown = if alias.is_empty() { "--referer 'https://u:<redacted>@" } else { "@relay-a:" };
        assert!(line.contains(shown), "{line}");
        drop(server);
    }
}

#[test]
fn under_an_alias_no_host_is_in_what_is_kept() {
    // The last request has no answer, and the message of that names the host.
    let server = Server::many(|number, mut conn| {
        conn.read_request();
        if number < 3 {
            conn.write(OK);
        }
    });
    let url = server.url("/for/Localhost?of=localhost").replace("127.0.0.1", "localhost");
    let target = url.replace("localhost", "LOCALHOST");
    let fields = ["-H", "Host: inner.example", "-H", "X-Of: LocalHost", "-e", "https://inner.example/"];
    let more = ["-n", "1", "--request-target", &target, "--model", "Inner.example/m", "--alias", "relay-a", &url];
    let arguments = ALL.map(|word| if word == "record" { "localhost" } else { word });
    let program = bench(&arguments).args(fields).args(more).arg("localhost.json");
    let output = program.file("localhost.json", chat(2000)).run();
    // The message is for the terminal and says all.
    output.assert_code(52).assert_stderr_has("localhost:");
    std::fs::rename(output.home.path().join("localhost"), output.home.path().join("record")).expect("a record");
    assert_kept_without(&output, &["localhost", "127.0.0.1", "inner.example"]);
    let record = json(&output, "record/record.json");
    assert_eq!((&record["slug"], &record["status"]), (&"relay-a".into(), &"failed".into()));
    assert_eq!(record["current"]["extra"]["bodies"][0]["body"], "relay-a.json");
    let samples = rows(&text(output.home.path(), "a.csv"));
    assert_eq!(samples[3]["exit_code"], "52");
    assert!(output.stdout_text().contains("; model relay-a/m"), "{}", output.describe());
}
