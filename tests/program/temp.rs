//! A folder that lasts as long as its value.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// An empty folder of its own below the system's, removed with everything in it.
#[derive(Debug)]
pub struct TempDir(PathBuf);

static COUNT: AtomicU32 = AtomicU32::new(0);

impl TempDir {
    /// A new folder.
    pub fn new() -> TempDir {
        loop {
            let number = COUNT.fetch_add(1, Ordering::Relaxed);
            let path = std::env::temp_dir().join(format!("gzpost-test-{}-{number}", std::process::id()));
            match std::fs::create_dir(&path) {
                Ok(()) => return TempDir(path),
                // Left behind by a process that had the same id and was killed.
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => panic!("{}: {error}", path.display()),
            }
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Writes a file into it.
    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        path
    }
}

impl Drop for TempDir {
    fn drop(&mut self) {
        // Litter in the system's temporary folder is no reason to fail.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
