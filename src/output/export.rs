//! Runs in files: rows of named values as JSON and as CSV, in the form that `-w` gives them.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::new::New;
use super::write_out_json::quote;
use super::write_out_value::{Facts, of};
use super::{Value, csv, unwritable};
use crate::error::{Error, Kind, Result};
use crate::http::Transfer;

/// What a sample says of its transfer, by the names of `-w`: all moments and sizes, and nothing that may be a secret.
const SAMPLE: [&str; 43] = [
    "exitcode",
    "errormsg",
    "response_code",
    "content_type",
    "http_version",
    "remote_ip",
    "remote_port",
    "num_connects",
    "num_redirects",
    "num_retries",
    "num_tokens",
    "tokens_source",
    "tokens_per_second",
    "tokens_burst",
    "tokens_unseen",
    "size_body",
    "content_coding",
    "size_upload",
    "compression_ratio",
    "size_request",
    "size_header",
    "size_download",
    "size_delivered",
    "speed_upload",
    "speed_download",
    "tls_version",
    "tls_cipher",
    "filename_effective",
    "time_namelookup",
    "time_connect",
    "time_appconnect",
    "time_pretransfer",
    "time_compress",
    "time_posttransfer",
    "time_starttransfer",
    "time_first_event",
    "time_first_token",
    "time_last_token",
    "time_longest_gap",
    "time_median_gap",
    "time_redirect",
    "time_queue",
    "time_total",
];

/// As many links in a row as Linux follows.
const LINKS: usize = 40;

/// Named values, in order.
pub type Row = Vec<(&'static str, Value)>;

/// What a sample says of its transfer.
#[must_use]
pub fn sample(transfer: &Transfer) -> Row {
    let facts = Facts { transfer, url_part: &|_, _| None };
    SAMPLE.into_iter().filter_map(|name| Some((name, of(name, &facts)?))).collect()
}

/// Drops what a sample says nothing of: of many requests, the answers' fields and the certificates are most.
pub fn slim(transfer: &mut Transfer) {
    transfer.fields.retain(|field| field.name.eq_ignore_ascii_case("Content-Type"));
    transfer.fields.shrink_to_fit();
    if let Some(tls) = &mut transfer.tls {
        tls.certificates = Vec::new();
    }
    transfer.earlier_fields = Vec::new();
    transfer.addresses = Vec::new();
    for text in [&mut transfer.url, &mut transfer.url_effective, &mut transfer.method] {
        *text = String::new();
    }
    (transfer.redirect_url, transfer.referer) = (None, None);
}

/// One object: what holds for the whole run, then the rows as a list of this name, one a line.
#[must_use]
pub fn json(head: &Row, list: &str, rows: impl IntoIterator<Item = Row>) -> String {
    let mut text = String::from("{\n");
    for (name, value) in head {
        member(name, value, &mut text);
        text.push_str(",\n");
    }
    quote(list, &mut text);
    text.push_str(":[\n");
    for (at, row) in rows.into_iter().enumerate() {
        text.push_str(if at == 0 { "{" } else { ",\n{" });
        for (at, (name, value)) in row.iter().enumerate() {
            text.push_str(if at == 0 { "" } else { "," });
            member(name, value, &mut text);
        }
        text.push('}');
    }
    text.push_str("\n]}\n");
    text
}

fn member(name: &str, value: &Value, text: &mut String) {
    quote(name, text);
    text.push(':');
    value.write_json(text);
}

/// The names, then a line for each row (RFC 4180, with LF); what there is not is an empty cell.
#[must_use]
pub fn csv(rows: impl IntoIterator<Item = Row>) -> String {
    let mut rows = rows.into_iter().peekable();
    let Some(first) = rows.peek() else { return String::new() };
    let names: Vec<&str> = first.iter().map(|(name, _)| *name).collect();
    csv::text(&names, rows.map(|row| row.iter().map(|(_, value)| plain(value)).collect::<Vec<String>>()))
}

fn plain(value: &Value) -> String {
    let mut text = String::new();
    if !matches!(value, Value::Missing(_)) {
        value.write_plain(&mut text);
    }
    text
}

/// A place for the results of a run, tried before the run so that nothing is measured in vain. Until there are results
/// it stays as it is.
#[derive(Debug)]
pub struct Export(Option<Place>);

#[derive(Debug)]
enum Place {
    /// Replaced by a whole one, links followed.
    File(PathBuf),
    /// A device, a pipe or an open file by its number has no name that another file could get.
    Stream(PathBuf, File),
}

impl Export {
    /// `None` exports nothing. What the run reads is refused: the results would take its place.
    pub fn open(path: Option<&Path>, read: &[&Path]) -> Result<Export> {
        path.map(|path| Place::open(path, read)).transpose().map(Export)
    }

    /// Writes the results in place of what there was; an error leaves that as it was.
    pub fn write(self, text: impl FnOnce() -> String) -> Result<()> {
        match self.0 {
            None => Ok(()),
            Some(Place::File(path)) => New::write(&path, &path, text().as_bytes())?.put(),
            Some(Place::Stream(path, mut file)) => {
                file.write_all(text().as_bytes()).map_err(|error| unwritable(&path, &error))
            }
        }
    }
}

impl Place {
    fn open(path: &Path, read: &[&Path]) -> Result<Place> {
        // Behind the others: stdout may be a file with a report in it.
        let open = |path: &Path| File::options().append(true).open(path).map_err(|error| unwritable(path, &error));
        let file = target(path).map_err(|error| unwritable(path, &error))?;
        match (fs::metadata(path), file) {
            (Ok(found), Some(file)) if found.is_file() => {
                let same = |other: &fs::Metadata| (other.dev(), other.ino()) == (found.dev(), found.ino());
                if read.iter().any(|other| fs::metadata(other).is_ok_and(|other| same(&other))) {
                    let text = format!("{}: is what is sent; give the results another file", path.display());
                    return Err(Error::new(Kind::Usage, text));
                }
                open(path)?;
                New::write(&file, &file, b"").map(|_| Place::File(file))
            }
            (Err(error), Some(file)) if error.kind() == ErrorKind::NotFound => {
                New::write(&file, &file, b"").map(|_| Place::File(file))
            }
            _ => open(path).map(|file| Place::Stream(path.to_owned(), file)),
        }
    }
}

/// The name of the file behind all links, whether it is there or not; `None` of one that is open already
/// (`/dev/stdout`, `/dev/fd/3`).
fn target(path: &Path) -> io::Result<Option<PathBuf>> {
    let mut path = path.to_owned();
    for _ in 0..LINKS {
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        if folder.canonicalize()?.starts_with("/proc") {
            return Ok(None);
        }
        match fs::read_link(&path) {
            Ok(link) => path = folder.join(link),
            Err(_) => return Ok(Some(path)),
        }
    }
    // The system says why.
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::sample as transfer;

    fn rows() -> Vec<Row> {
        let row = |name: &str, ratio| vec![("name", Value::Text(name.into())), ("ratio", ratio)];
        vec![row("a", Value::Ratio(3.4782)), row("b, \"c\"\nd", Value::Missing("0.00"))]
    }

    #[test]
    fn csv_is_quoted_where_it_must_be() {
        assert_eq!(csv(rows()), "name,ratio\na,3.48\n\"b, \"\"c\"\"\nd\",\n");
        assert_eq!(csv([]), "");
    }

    #[test]
    fn json_holds_head_and_rows() {
        let head = vec![("passes", Value::Number(2))];
        let expected = "{\n\"passes\":2,\n\"samples\":[\n{\"name\":\"a\",\"ratio\":3.48},\n{\"name\":\"b, \\\"c\\\"\\nd\",\"ratio\":null}\n]}\n";
        assert_eq!(json(&head, "samples", rows()), expected);
        let parsed: serde_json::Value = serde_json::from_str(&json(&Row::new(), "samples", [])).unwrap();
        assert_eq!(parsed["samples"].as_array().map(Vec::len), Some(0));
    }

    #[test]
    fn a_file_keeps_what_it_holds_until_there_are_results() {
        let path = std::env::temp_dir().join(format!("gzpost-export-{}", std::process::id()));
        std::fs::write(&path, "the results of another day").unwrap();
        let export = Export::open(Some(&path), &[]).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "the results of another day");
        export.write(|| "new".to_owned()).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "new");
        std::fs::remove_file(&path).unwrap();
        Export::open(None, &[]).unwrap().write(|| unreachable!("nothing is exported")).unwrap();
    }

    #[test]
    fn a_sample_has_every_moment_and_no_url() {
        let mut transfer = transfer();
        transfer.url = "http://u:secret@h/".into();
        let row = sample(&transfer);
        assert_eq!(row.len(), SAMPLE.len());
        slim(&mut transfer);
        assert_eq!(sample(&transfer), row);
        assert!(transfer.fields.len() == 1 && transfer.url.is_empty());
        for (name, _) in super::super::write_out_value::VARIABLES {
            let wanted = ["time_", "size_", "tokens_"].iter().any(|start| name.starts_with(start));
            assert!(!wanted || SAMPLE.contains(name), "{name}");
        }
        assert!(!json(&row, "samples", []).contains("secret"));
    }
}
