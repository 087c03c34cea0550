//! Folders that last as long as their values.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use super::Program;

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

/// A disk of 64 KB.
pub struct SmallDisk(TempDir);

impl SmallDisk {
    /// An empty one; `None` where mounting is not allowed.
    #[expect(clippy::print_stderr, reason = "a test that did nothing says so")]
    pub fn new() -> Option<SmallDisk> {
        let folder = TempDir::new();
        let mount = Program::new("mount").args(["-t", "tmpfs", "-o", "size=64k", "gzpost-test"]).arg(folder.path());
        if mount.run().status.success() {
            return Some(SmallDisk(folder));
        }
        eprintln!("skipped: no tmpfs can be mounted here");
        None
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        Program::new("umount").arg(self.0.path()).run();
    }
}
