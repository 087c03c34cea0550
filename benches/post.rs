//! How long does it take to post a body? `cargo bench --bench post`
//!
//! Whole processes, from start to end, beside curl that sends the body plain and beside `gzip -6 | curl`, which sends
//! what gzpost sends. The server takes everything and answers at once, so no link and no relay is in the figures.

#![allow(clippy::print_stdout, reason = "a bench has nobody else to tell")]

mod common;

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use common::{Way, gzpost, installed, measure, ratio, server, spawning};
use gzpost::body::gzip::encode;
use gzpost::body::{DEFAULT_LEVEL, synthetic};
use gzpost::output::table::{self, Column};
use gzpost::output::units;
use gzpost::stats;

/// Sizes of bodies in bytes, and how often each is sent.
const BODIES: [(usize, usize); 4] = [(20_000, 60), (377_000, 30), (2_780_000, 15), (10_000_000, 7)];

/// What a distant server's handshake takes.
const HANDSHAKE: Duration = Duration::from_millis(150);

/// How often either file is sent behind it.
const HANDSHAKES: usize = 15;

fn main() {
    let plain = server::http(server::answer_at_once);
    let (secured, certificate) = server::https(server::answer_at_once, Duration::ZERO);
    let certificate = certificate.to_str().expect("a path of UTF-8");
    let curl = installed("curl");
    let gzip = curl && installed("gzip");
    let mut rows = Vec::new();
    for (size, runs) in BODIES {
        let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("post-body.json");
        std::fs::write(&file, synthetic("demo-model", size, 3.6, 1)).expect("a folder for temporary files");
        let file = file.to_str().expect("a path of UTF-8");
        for url in [&plain, &secured] {
            let ways = ways(url, certificate, file, curl, gzip);
            let times = measure(&ways, 2, runs);
            for (way, took) in ways.iter().zip(&times) {
                rows.push([
                    units::bytes(size as u64),
                    url.split(':').next().unwrap_or_default().to_owned(),
                    way.name.to_owned(),
                    units::milliseconds(stats::median(took).unwrap_or_default()),
                    ratio(&times[0], took).map(|ratio| format!("{ratio:.2}x")).unwrap_or_default(),
                ]);
            }
        }
    }
    let [body, scheme, way] = ["body", "over", "command"].map(|title| Column::left(title, 0));
    let columns = [body, scheme, way, Column::right("median", 0), Column::right("gzpost takes of it", 0)];
    println!("{}", table::aligned(&columns, &rows));
    println!("{}", behind_a_handshake());
}

/// Whether coding the body holds the request up while TLS is negotiated: it is coded meanwhile.
fn behind_a_handshake() -> String {
    let (url, certificate) = server::https(server::answer_at_once, HANDSHAKE);
    let body = synthetic("demo-model", 2_780_000, 3.6, 1);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let files = ["post-body.json", "post-body.json.gz"].map(|name| folder.join(name));
    for (file, bytes) in files.iter().zip([&body, &encode(&body, DEFAULT_LEVEL)]) {
        std::fs::write(file, bytes).expect("a folder for temporary files");
    }
    let mut moments = [Vec::new(), Vec::new()];
    for round in 0..=HANDSHAKES {
        for (file, moments) in files.iter().zip(&mut moments) {
            let mut command = Command::new(gzpost());
            command.args(["-s", "-o", "/dev/null", "-w", "%{time_posttransfer}", "--cacert"]);
            let output = command.arg(&certificate).arg(&url).arg(file).output().expect("a program to start");
            let moment: f64 = String::from_utf8_lossy(&output.stdout).parse().expect("a moment");
            // The first one warms up.
            moments.extend((round > 0).then_some(moment * 1e3));
        }
    }
    let [coded, beforehand] = moments.map(|moments| stats::median(&moments).unwrap_or_default());
    format!(
        "posttransfer of 2.78 MB behind a pause of {} ms before TLS: {coded:.2} ms when it is coded meanwhile, {beforehand:.2} ms when \
         it was coded beforehand\n",
        HANDSHAKE.as_millis()
    )
}

/// gzpost first, as it is, then the ways of curl.
fn ways(url: &str, certificate: &str, file: &str, curl: bool, gzip: bool) -> Vec<Way> {
    let json = "Content-Type: application/json";
    let data = format!("@{file}");
    let pipe = format!(
        "gzip -6 <'{file}' | curl -q -sS --cacert '{certificate}' -H '{json}' -H 'Content-Encoding: gzip' \
         --data-binary @- {url}"
    );
    let program = ["--cacert", certificate, url, file];
    let plain = ["curl", "-q", "-sS", "--cacert", certificate, "-H", json, "--data-binary", &data, url];
    let mut ways = vec![
        Way { name: "gzpost", run: spawning(&[&[gzpost()][..], &program].concat()) },
        Way { name: "gzpost --identity", run: spawning(&[&[gzpost(), "--identity"][..], &program].concat()) },
    ];
    if curl {
        ways.push(Way { name: "curl --data-binary", run: spawning(&plain) });
    }
    if gzip {
        ways.push(Way { name: "gzip -6 | curl", run: spawning(&["sh", "-c", &pipe]) });
    }
    ways
}
