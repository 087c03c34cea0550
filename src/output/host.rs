//! What a measurement ran on and with; `null` for what the system does not tell.

use std::fs;

use serde_json::{Value, json};

/// The machine: never its name.
#[must_use]
pub fn host() -> Value {
    json!({
        "cpu": value_of("/proc/cpuinfo", "model name"),
        "cores": std::thread::available_parallelism().ok(),
        "memory": memory(),
        "os": os(),
    })
}

/// How this program was built.
#[must_use]
pub fn build() -> Value {
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "commit": option_env!("GZPOST_COMMIT"),
        "profile": if cfg!(debug_assertions) { "debug" } else { "release" },
        "rustc": option_env!("GZPOST_RUSTC"),
    })
}

/// The load averages of the last 1, 5 and 15 minutes.
#[must_use]
pub fn load_average() -> Option<Vec<f64>> {
    let text = fs::read_to_string("/proc/loadavg").ok()?;
    text.split(' ').take(3).map(|number| number.parse().ok()).collect()
}

/// The value in a file of lines `name: value`, the first one.
fn value_of(path: &str, name: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    let value = |line: &str| {
        let (own, value) = line.split_once([':', '='])?;
        (own.trim() == name).then(|| value.trim().trim_matches('"').to_owned())
    };
    text.lines().find_map(value)
}

/// All of it, as `16.8 GB`.
fn memory() -> Option<String> {
    let total = value_of("/proc/meminfo", "MemTotal")?;
    let kilobytes: u64 = total.strip_suffix("kB")?.trim().parse().ok()?;
    Some(super::units::bytes(kilobytes * 1024))
}

/// The distribution, the kernel and the architecture.
fn os() -> String {
    let name = value_of("/etc/os-release", "PRETTY_NAME").unwrap_or_else(|| std::env::consts::OS.to_owned());
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").ok();
    let kernel = kernel.map(|release| format!(", kernel {}", release.trim())).unwrap_or_default();
    format!("{name}{kernel}, {}", std::env::consts::ARCH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_has_cores_and_a_build_a_version() {
        assert!(host()["cores"].as_u64().is_some_and(|cores| cores > 0), "{}", host());
        assert!(host()["os"].is_string());
        assert_eq!(build()["version"], env!("CARGO_PKG_VERSION"));
        assert_eq!(build()["profile"], "debug");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn linux_tells_its_load_and_memory() {
        assert!(load_average().is_some_and(|load| load.len() == 3 && load.iter().all(|load| *load >= 0.0)));
        assert!(host()["memory"].as_str().is_some_and(|memory| memory.ends_with('B')), "{}", host());
    }
}
