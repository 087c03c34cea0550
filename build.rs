//! Tells the program which commit and which compiler it was built from, for the records of `gzpost bench`.
//!
//! Outside a checkout of its own, as in a package, there is no commit, and records say so.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

#[allow(clippy::print_stdout, clippy::disallowed_methods, reason = "this is how a build script and cargo speak")]
fn main() {
    for input in ["build.rs", "Cargo.toml", "src"] {
        println!("cargo:rerun-if-changed={input}");
    }
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    if let Some(version) = output(&rustc, &["--version"]) {
        println!("cargo:rustc-env=GZPOST_RUSTC={version}");
    }
    // A package may be unpacked inside another project's checkout.
    let own = output("git", &["rev-parse", "--show-toplevel"]);
    if own.is_none_or(|root| Path::new(&root) != Path::new(env!("CARGO_MANIFEST_DIR"))) {
        return;
    }
    if let Some(log) = output("git", &["rev-parse", "--git-path", "logs/HEAD"]) {
        println!("cargo:rerun-if-changed={log}");
    }
    if let Some(commit) = output("git", &["describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"]) {
        println!("cargo:rustc-env=GZPOST_COMMIT={commit}");
    }
}

/// The one line that a program prints.
fn output(program: impl AsRef<OsStr>, arguments: &[&str]) -> Option<String> {
    // Nobody else's git has to wait for this one.
    let output = Command::new(program).args(arguments).env("GIT_OPTIONAL_LOCKS", "0").output().ok()?;
    if !output.status.success() {
        return None;
    }
    let text = String::from_utf8(output.stdout).ok()?;
    Some(text.trim().to_owned()).filter(|line| !line.is_empty() && !line.contains('\n'))
}
