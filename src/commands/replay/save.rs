//! `--save DIR`: a new file for each answer, named so that names sort in the order of the requests.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{Error, Kind, Result, describe};

/// Names of fewer digits would be sorted out of order as soon as there are many.
const DIGITS: usize = 4;

/// Where answers are kept.
#[derive(Debug)]
pub(super) struct Save {
    directory: PathBuf,
    next: u64,
    digits: usize,
}

impl Save {
    /// Makes the directory where it is missing. Numbers go on behind those of answers that are there already.
    pub fn new(directory: &Path, requests: u64) -> Result<Save> {
        let failed = |error| Error::new(Kind::Write, format!("{}: {}", directory.display(), describe(&error)));
        fs::create_dir_all(directory).map_err(failed)?;
        let mut last = 0;
        for entry in fs::read_dir(directory).map_err(failed)? {
            last = last.max(number_of(&entry.map_err(failed)?.file_name().to_string_lossy()).unwrap_or(0));
        }
        let digits = last.saturating_add(requests).to_string().len().max(DIGITS);
        Ok(Save { directory: directory.to_owned(), next: last.saturating_add(1), digits })
    }

    /// Where the next answer goes, to the document of this name.
    pub fn path(&mut self, name: &str) -> PathBuf {
        let (number, digits) = (self.next, self.digits);
        self.next += 1;
        let base = name.rsplit('/').next().unwrap_or(name);
        let base: String = base.chars().map(|letter| if is_plain(letter) { letter } else { '-' }).collect();
        self.directory.join(format!("{number:0digits$}-{base}.answer"))
    }
}

/// The number that a name begins with.
fn number_of(name: &str) -> Option<u64> {
    let (digits, _) = name.split_once('-')?;
    digits.parse().ok().filter(|_| digits.bytes().all(|byte| byte.is_ascii_digit()))
}

/// What needs no quotes in a shell.
fn is_plain(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '.' | '_' | '-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_sort_in_order_and_go_on_where_others_ended() {
        let mut save = Save { directory: "d".into(), next: 99, digits: 4 };
        let paths = ["a/body.json", "log#2", "stdin"].map(|name| save.path(name));
        assert_eq!(paths, ["d/0099-body.json.answer", "d/0100-log-2.answer", "d/0101-stdin.answer"].map(PathBuf::from));
        assert!(paths.is_sorted());
        assert_eq!(["0012-a.answer", "12", "a-1", "+1-a", "-x"].map(number_of), [Some(12), None, None, None, None]);
    }

    #[test]
    fn a_file_in_place_of_the_directory_is_said() {
        let error = Save::new(Path::new("Cargo.toml"), 1).unwrap_err();
        assert_eq!(error.kind, Kind::Write);
        assert!(error.message.starts_with("Cargo.toml: "), "{error}");
    }
}
