//! A real server as a child in the foreground, on a free port, with its configuration in a folder of its own.

use std::fs::File;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use crate::program::{TempDir, find_program};
use crate::server::{DEADLINE, read_file, show};

/// A server that runs until this is dropped.
pub struct Peer {
    child: Child,
    port: u16,
    dir: TempDir,
}

/// The path of a program, or `None` with a note when it is not installed. With CI=true it has to be.
#[track_caller]
#[expect(clippy::print_stderr, reason = "a test that did nothing says so")]
pub fn installed(name: &str) -> Option<PathBuf> {
    let path = find_program(name);
    if path.is_none() {
        let required = std::env::var_os("CI").is_some_and(|value| value == "true");
        assert!(!required, "{name} is not installed, and CI=true requires it");
        eprintln!("skipped: {name} is not installed");
    }
    path
}

impl Peer {
    /// Starts a program. `prepare` writes its configuration for a folder and a port and returns its arguments.
    #[track_caller]
    pub fn start(program: &Path, prepare: impl Fn(&TempDir, u16) -> Vec<String>) -> Peer {
        const ATTEMPTS: u32 = 3;
        let mut said = String::new();
        for _ in 0..ATTEMPTS {
            // Between this and the program's own bind, something else may take the port: then it is tried again.
            let port = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
            let port = port.expect("a free port").port();
            let dir = TempDir::new();
            let arguments = prepare(&dir, port);
            let log = File::create(dir.path().join("output")).expect("a file for what the program says");
            let mut command = Command::new(program);
            command.args(arguments).current_dir(dir.path()).env_clear().env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");
            command.stdin(Stdio::null()).stdout(log.try_clone().expect("the file again")).stderr(log);
            let child = command.spawn().unwrap_or_else(|error| panic!("{}: {error}", program.display()));
            let mut peer = Peer { child, port, dir };
            match peer.wait_until_ready() {
                Ok(()) => return peer,
                Err(ended) => said = ended,
            }
        }
        panic!("{} did not start: {said}", program.display());
    }

    /// A URL by its address.
    pub fn url(&self, target: &str) -> String {
        format!("http://127.0.0.1:{}{target}", self.port)
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// What it has said so far.
    pub fn said(&self) -> String {
        show(&read_file(&self.dir.path().join("output")))
    }

    /// Connects until that works; an error when the program has ended.
    #[track_caller]
    fn wait_until_ready(&mut self) -> Result<(), String> {
        let started = Instant::now();
        while TcpStream::connect(("127.0.0.1", self.port)).is_err() {
            if let Some(status) = self.child.try_wait().expect("a child") {
                return Err(format!("{status}: {}", self.said()));
            }
            assert!(started.elapsed() < DEADLINE, "not ready after {DEADLINE:?}: {}", self.said());
            std::thread::yield_now();
        }
        Ok(())
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
