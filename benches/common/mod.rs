//! What the benches share: ways to do a thing, measured in turn, and a server on loopback.

#![allow(dead_code, reason = "each bench uses its part")]
#![allow(clippy::print_stdout, reason = "a bench has nobody else to tell")]

pub mod server;

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use gzpost::http::timing::Clock;
use gzpost::stats;

/// The program under measurement, in a copy as installing makes one: the kernel maps a file that a linker has just
/// written in smaller pieces, and it starts 0.1 to 0.2 ms later.
pub fn gzpost() -> &'static str {
    static COPY: LazyLock<String> = LazyLock::new(|| {
        let copy = Path::new(env!("CARGO_TARGET_TMPDIR")).join("gzpost");
        // A new file in any case: the pieces of the former one would stay.
        let _ = std::fs::remove_file(&copy);
        std::fs::copy(env!("CARGO_BIN_EXE_gzpost"), &copy).expect("a folder for temporary files");
        copy.to_str().expect("a path of UTF-8").to_owned()
    });
    &COPY
}

/// One way to do what is measured.
pub struct Way {
    /// As it stands in the table.
    pub name: &'static str,
    /// Does it once.
    pub run: Box<dyn Fn()>,
}

/// Whether a program is there; says so when it is not.
pub fn installed(program: &str) -> bool {
    let found = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    let found = found.is_ok_and(|status| status.success());
    if !found {
        println!("{program} is not installed: its rows are left out");
    }
    found
}

/// Starts a process and waits for its end; nothing of what it says is kept.
pub fn spawning<Word: AsRef<str>>(words: &[Word]) -> Box<dyn Fn()> {
    let words: Vec<String> = words.iter().map(|word| word.as_ref().to_owned()).collect();
    Box::new(move || {
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let status = command.status().expect("a program to start");
        assert!(status.success(), "{words:?}: {status}");
    })
}

/// Milliseconds per way and run; the order turns around from round to round.
pub fn measure(ways: &[Way], warmup: usize, runs: usize) -> Vec<Vec<f64>> {
    let mut times = vec![Vec::with_capacity(runs); ways.len()];
    for round in 0..warmup + runs {
        let mut order: Vec<usize> = (0..ways.len()).collect();
        if round % 2 == 1 {
            order.reverse();
        }
        for way in order {
            let clock = Clock::start();
            (ways[way].run)();
            let took = clock.elapsed().as_secs_f64() * 1e3;
            if round >= warmup {
                times[way].push(took);
            }
        }
    }
    times
}

/// How many times as long as `other` these took, run by run.
pub fn ratio(times: &[f64], other: &[f64]) -> Option<f64> {
    let pairs: Vec<(f64, f64)> = times.iter().copied().zip(other.iter().copied()).collect();
    stats::paired_ratio(&pairs).map(|ratio| ratio.median)
}
