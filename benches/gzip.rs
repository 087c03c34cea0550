//! What does the content coding cost, and how small is the content? `cargo bench --bench gzip`
//!
//! The coding alone, in this process, beside `gzip -6` and `pigz -p2` as processes. CPU time is that of all threads,
//! the kernel's share included; it comes in ticks of ten milliseconds, so it is taken over all runs of a way.

#![allow(clippy::print_stdout, reason = "a bench has nobody else to tell")]

mod common;

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};

use common::{installed, ratio};
use gzpost::body::gzip::encode;
use gzpost::body::{DEFAULT_LEVEL, synthetic};
use gzpost::http::timing::Clock;
use gzpost::output::table::{self, Column};
use gzpost::output::units;
use gzpost::stats;

/// Sizes of bodies in bytes, and how often each is coded.
const BODIES: [(usize, usize); 3] = [(377_000, 60), (2_780_000, 12), (10_000_000, 5)];

/// Takes a file and returns the size of what became of it.
type Coder = fn(&Path) -> usize;

fn main() {
    let mut ways: Vec<(&str, Coder)> =
        vec![("gzpost", |file| code(file, DEFAULT_LEVEL)), ("gzpost --level 6", |file| code(file, 6))];
    if installed("gzip") {
        ways.insert(1, ("gzip -6", |file| pipe(file, "gzip", "-6")));
    }
    if installed("pigz") {
        ways.push(("pigz -p2", |file| pipe(file, "pigz", "-p2")));
    }
    let mut rows = Vec::new();
    for (size, runs) in BODIES {
        let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("gzip-body.json");
        fs::write(&file, synthetic("demo-model", size, 3.6, 1)).expect("a folder for temporary files");
        let mut measured = vec![Measured::default(); ways.len()];
        for _ in 0..runs {
            for ((_, coder), measured) in ways.iter().zip(&mut measured) {
                measured.add(&file, *coder);
            }
        }
        let other = ways.iter().position(|(name, _)| *name == "gzip -6").unwrap_or(0);
        for ((name, _), one) in ways.iter().zip(&measured) {
            rows.push([
                units::bytes(size as u64),
                (*name).to_owned(),
                one.content.to_string(),
                format!("{:.4}", one.content as f64 / measured[other].content as f64),
                units::milliseconds(stats::median(&one.times).unwrap_or_default()),
                ratio(&one.times, &measured[other].times).map(|ratio| format!("{ratio:.2}x")).unwrap_or_default(),
                units::milliseconds(one.ticks as f64 * MILLISECONDS_PER_TICK / runs as f64),
            ]);
        }
    }
    let [body, coder] = ["body", "coder"].map(|title| Column::left(title, 0));
    let figures = ["content", "of gzip -6", "median", "of gzip -6", "CPU"].map(|title| Column::right(title, 0));
    println!("{}", table::aligned(&[&[body, coder][..], &figures].concat(), &rows));
}

/// What one way took over all its runs.
#[derive(Clone, Default)]
struct Measured {
    times: Vec<f64>,
    ticks: u64,
    content: usize,
}

impl Measured {
    fn add(&mut self, file: &Path, coder: Coder) {
        let (ticks, clock) = (cpu_ticks(), Clock::start());
        self.content = coder(file);
        self.times.push(clock.elapsed().as_secs_f64() * 1e3);
        self.ticks += cpu_ticks() - ticks;
    }
}

fn code(file: &Path, level: u32) -> usize {
    encode(&fs::read(file).expect("the body"), level).len()
}

fn pipe(file: &Path, program: &str, option: &str) -> usize {
    let body = File::open(file).expect("the body");
    let output = Command::new(program).arg(option).stdin(body).stderr(Stdio::inherit()).output();
    output.expect("a program that starts").stdout.len()
}

/// The kernel's unit of CPU time for programs (`USER_HZ`, `proc(5)`).
const MILLISECONDS_PER_TICK: f64 = 10.0;

/// CPU time of this process and of the children that it waited for: the fields 14 to 17 of `/proc/self/stat`.
fn cpu_ticks() -> u64 {
    let stat = fs::read_to_string("/proc/self/stat").expect("Linux");
    // The second field, a name in parentheses, may hold spaces.
    let fields = stat.rsplit_once(") ").map_or("", |(_, fields)| fields).split(' ');
    fields.skip(11).take(4).filter_map(|field| field.parse::<u64>().ok()).sum()
}
