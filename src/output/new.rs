//! Files that take the place of others only once they are whole.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use super::unwritable;
use crate::error::Result;

/// A file that is whole beside the one that it replaces; without `put` it goes away again.
pub(super) struct New {
    path: PathBuf,
    beside: PathBuf,
}

impl New {
    /// With the permissions of the file `like`, if there is one: what others may not read stays so.
    pub fn write(path: &Path, like: &Path, text: &[u8]) -> Result<New> {
        let mut name = OsString::from(".");
        name.push(path.file_name().unwrap_or_default());
        name.push(".new");
        let new = New { path: path.to_owned(), beside: path.with_file_name(name) };
        // Left behind by a run that was killed.
        let _ = fs::remove_file(&new.beside);
        let written = File::create_new(&new.beside).and_then(|mut file| {
            if let Ok(like) = fs::metadata(like) {
                file.set_permissions(like.permissions())?;
            }
            file.write_all(text)?;
            // Some file systems find out only here that they are full.
            file.sync_all()
        });
        written.map_err(|error| unwritable(&new.beside, &error)).map(|()| new)
    }

    /// Puts it in its place.
    pub fn put(self) -> Result<()> {
        fs::rename(&self.beside, &self.path).map_err(|error| unwritable(&self.path, &error))
    }
}

impl Drop for New {
    fn drop(&mut self) {
        // After `put` there is nothing.
        let _ = fs::remove_file(&self.beside);
    }
}
