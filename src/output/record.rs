//! Records of measurements: `record.json`, `samples.csv` and `record.md` in a folder, with the earlier runs.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::iter;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde_json::{Value, json};

use super::new::New;
use super::{host, units, unwritable, utc};
use crate::error::{Error, Kind, Result};
use crate::stats::Summary;

/// What `schema` says in `record.json`.
pub const SCHEMA: &str = "gzpost.bench/v1";

const RECORD: &str = "record.json";
const SAMPLES: &str = "samples.csv";

/// In the order in which they are put in place: the record comes last, as it names the others.
const FILES: [&str; 3] = [SAMPLES, "record.md", RECORD];

/// A question, its answer and the run that answered it.
#[derive(Debug, Clone)]
pub struct Record {
    /// What `slug` says in the letters of a URL: the folder's name, or what is shown for it.
    pub name: String,
    /// What was asked.
    pub question: String,
    /// A sentence with the figure, how it was measured, how often, where and when.
    pub answer: String,
    /// `complete`, `partial` or `failed`.
    pub status: &'static str,
    /// Whether the answer is one: a run without any never takes the place of another.
    pub answered: bool,
    /// What the one value is of.
    pub metric: String,
    /// The unit of the value.
    pub unit: &'static str,
    /// Which statistic the value is.
    pub stat: &'static str,
    /// What was measured; the value is its median. `None` when nothing was.
    pub summary: Option<Summary>,
    /// Everything else that was found.
    pub extra: Value,
    /// When it began.
    pub measured_at: SystemTime,
    /// The load averages before it.
    pub load_before: Option<Vec<f64>>,
    /// The way to the server.
    pub network: Value,
    /// How it was measured.
    pub method: String,
    /// A command line that measures it again.
    pub reproduce: String,
    /// What limits the answer.
    pub caveats: Vec<String>,
    /// The results as Markdown.
    pub tables: String,
}

/// The folders that were made for a record; those that are empty in the end go away again.
#[derive(Debug)]
pub struct Folders(Vec<PathBuf>);

impl Drop for Folders {
    fn drop(&mut self) {
        for folder in &self.0 {
            let _ = fs::remove_dir(folder);
        }
    }
}

/// Refuses a folder that `write` would fail on, before a measurement is made for nothing.
pub fn check(folder: &Path) -> Result<Folders> {
    let missing = folder.ancestors().take_while(|part| fs::symlink_metadata(part).is_err());
    let folders = Folders(missing.map(Path::to_owned).collect());
    make(folder)?;
    // Whether a file can be made there shows when one is.
    let makes = |name: &str| New::write(&folder.join(name), &folder.join(name), b"").map(drop);
    FILES.into_iter().try_for_each(makes).map(|()| folders)
}

/// Makes the folder, and makes sure that what is there can be replaced.
fn make(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).map_err(|error| unwritable(folder, &error))?;
    former(folder)?;
    let replaceable = |name: &str| {
        let path = folder.join(name);
        let found = match fs::metadata(&path) {
            Ok(found) if found.is_file() => File::options().read(true).append(true).open(&path).map(drop),
            Ok(_) => Err(io::Error::other("it is no regular file")),
            Err(_) => Ok(()),
        };
        found.map_err(|error| unwritable(&path, &error))
    };
    FILES.into_iter().try_for_each(replaceable)
}

/// Writes the three files; a record that is there already moves into `earlier`, and its samples get a name of their
/// own. An error leaves what was there as it was, and so does a record without an answer: then it is `false`.
pub fn write(folder: &Path, record: &Record, samples: &str) -> Result<bool> {
    make(folder)?;
    let mut earlier = Vec::new();
    let mut kept = None;
    if let Some(mut former) = former(folder)? {
        if !record.answered {
            return Ok(false);
        }
        let mut run = former["current"].take();
        run["answer"] = former["answer"].take();
        kept = keep_samples(folder, &mut run)?;
        earlier.push(run);
        if let Value::Array(runs) = former["earlier"].take() {
            earlier.extend(runs);
        }
    }
    let document = json!({
        "schema": SCHEMA,
        "slug": slug(&record.name),
        "question": record.question,
        "answer": record.answer,
        "status": record.status,
        "current": current(record),
        "earlier": earlier,
    });
    let texts = [samples.to_owned(), markdown(record, &document), format!("{document:#}\n")];
    let files = FILES.map(|name| folder.join(name)).into_iter().zip(texts);
    let files = files.map(|(path, text)| New::write(&path, &path, text.as_bytes()));
    let new: Vec<New> = kept.into_iter().map(Ok).chain(files).collect::<Result<_>>()?;
    new.into_iter().try_for_each(New::put).map(|()| true)
}

/// The name of a folder that is there, however it was given.
#[must_use]
pub fn name(folder: &Path) -> String {
    let whole = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    whole.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn slug(name: &str) -> String {
    let name = name.to_ascii_lowercase();
    let words = name.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-")
}

/// The record that is there.
fn former(folder: &Path) -> Result<Option<Value>> {
    let path = folder.join(RECORD);
    let unusable = |why: &str| {
        let message = format!("{}: {why}; --record needs a folder of its own", path.display());
        Err(Error::new(Kind::Read, message))
    };
    let text = match fs::read(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return unusable(&error.to_string()),
    };
    match serde_json::from_slice::<Value>(&text) {
        Ok(record) if record["schema"] == SCHEMA && record["current"].is_object() => Ok(Some(record)),
        _ => unusable("not a record of gzpost's"),
    }
}

/// The samples of an earlier run keep their content under another name.
fn keep_samples(folder: &Path, run: &mut Value) -> Result<Option<New>> {
    let when = run["measured_at"].as_str().unwrap_or("earlier").replace(|letter: char| !letter.is_ascii_digit(), "");
    let numbered = (2_u64..).map(|number| format!("samples-{when}-{number}.csv"));
    let mut names = iter::once(format!("samples-{when}.csv")).chain(numbered);
    let name = names.find(|name| !folder.join(name).exists()).unwrap_or_default();
    let path = folder.join(SAMPLES);
    match fs::read(&path) {
        Ok(samples) => {
            let kept = New::write(&folder.join(&name), &path, &samples)?;
            run["samples_csv"] = name.into();
            Ok(Some(kept))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {
            run["samples_csv"] = Value::Null;
            Ok(None)
        }
        Err(error) => Err(Error::new(Kind::Read, format!("{}: {error}", path.display()))),
    }
}

fn current(record: &Record) -> Value {
    let percentiles = record
        .summary
        .map(|summary| json!({"p50": summary.p50, "p95": summary.p95, "p99": summary.p99, "max": summary.max}));
    json!({
        "metric": record.metric,
        "value": record.summary.map(|summary| summary.median),
        "unit": record.unit,
        "stat": record.stat,
        "n": record.summary.map_or(0, |summary| summary.n),
        "percentiles": percentiles,
        "extra": record.extra,
        "samples_csv": SAMPLES,
        "measured_at": utc::format(record.measured_at, "%Y-%m-%dT%H:%M:%SZ"),
        "build": host::build(),
        "host": host::host(),
        "environment": {
            "load_before": record.load_before,
            "load_after": host::load_average(),
            "network": record.network,
        },
        "method": record.method,
        "reproduce": record.reproduce,
        "caveats": record.caveats,
    })
}

fn markdown(record: &Record, document: &Value) -> String {
    let current = &document["current"];
    let mut text = format!("# {}\n\n{}\n\n{}\n", record.question, record.answer, record.tables.trim_end());
    let _ = write!(text, "\n## How\n\n{}\n\n```sh\n{}\n```\n\n", record.method, record.reproduce);
    let load = |when: &str| current["environment"][when].as_array().map(|load| joined(load, " "));
    let (build, host) = (&current["build"], &current["host"]);
    let cores = host["cores"].as_u64().map_or_else(|| shown(&Value::Null), |cores| units::count(cores, "CPU"));
    for (name, value) in [
        ("status", Some(record.status.to_owned())),
        ("measured at", Some(shown(&current["measured_at"]))),
        ("build", Some(["version", "commit", "profile", "rustc"].map(|key| shown(&build[key])).join(", "))),
        ("host", Some([shown(&host["cpu"]), cores, shown(&host["memory"]), shown(&host["os"])].join(", "))),
        ("load before", load("load_before")),
        ("load after", load("load_after")),
        ("samples", Some(SAMPLES.to_owned())),
    ] {
        let _ = writeln!(text, "- {name}: {}", value.as_deref().unwrap_or("unknown"));
    }
    if !record.caveats.is_empty() {
        text.push_str("\n## Caveats\n\n");
        record.caveats.iter().for_each(|caveat| _ = writeln!(text, "- {caveat}"));
    }
    let earlier = document["earlier"].as_array().map(Vec::as_slice).unwrap_or_default();
    if !earlier.is_empty() {
        text.push_str("\n## Earlier\n\n");
    }
    for run in earlier {
        let [when, answer, samples] = ["measured_at", "answer", "samples_csv"].map(|key| shown(&run[key]));
        let _ = writeln!(text, "- {when}: {answer} ({samples})");
    }
    text
}

/// A value without quotes.
fn shown(value: &Value) -> String {
    match value {
        Value::Null => "unknown".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn joined(values: &[Value], between: &str) -> String {
    values.iter().map(shown).collect::<Vec<_>>().join(between)
}
