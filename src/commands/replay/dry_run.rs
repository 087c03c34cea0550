//! `--dry-run`: what would be sent, and what it is made of.

use crate::body::{Body, BodyOptions, Capture, CodingChoice, Composition, Declared, Document, Portion, gzip, prepare};
use crate::cli::{Replay, Send};
use crate::commands::Context;
use crate::error::Result;
use crate::output::export::{self, Row};
use crate::output::table::{self, Column};
use crate::output::{Value, units, write_stdout};

/// A body that would be sent.
struct Look {
    name: String,
    composition: Composition,
    gzip: u64,
}

/// Looks at all captures, then shows them.
pub(super) fn show(replay: &Replay, captures: &[Capture], context: &mut Context<'_>) -> Result<()> {
    let mut looks: Vec<Look> = Vec::new();
    for capture in captures {
        let before = looks.len();
        capture.check(|document| {
            looks.push(look(document, &capture.name, &replay.send)?);
            context.check_signals()
        })?;
        let documents = looks.len() - before;
        for (look, number) in looks[before..].iter_mut().zip(1..) {
            look.name = capture.label(number, documents);
        }
    }
    let rows = || looks.iter().map(Look::row).collect::<Vec<_>>();
    let head = vec![("command", Value::Text("replay --dry-run".to_owned()))];
    let [json, csv] = super::exports(replay, captures)?;
    let json = json.write(|| export::json(&head, "captures", rows()));
    csv.write(|| export::csv(rows())).and(json)?;
    let text = if context.stdout_terminal.is_some() { aligned(&looks) } else { tabbed(&looks) };
    write_stdout(context.stdout, text.as_bytes())
}

/// The body as it would be, with `--model`, `--set` and `--compact` done.
fn look(document: &Document, name: &str, send: &Send) -> Result<Look> {
    let body = Body { bytes: document.bytes.clone(), name: name.to_owned(), declared: Declared::Json };
    let plain = BodyOptions { coding: CodingChoice::Identity, check: false, ..send.body.clone() };
    let content = prepare(body, &plain, None, send.request.field("Content-Encoding"))?;
    let gzip = gzip::encode(&content.bytes, send.body.level).len() as u64;
    Ok(Look { name: String::new(), composition: Composition::of(&content.bytes), gzip })
}

fn tabbed(looks: &[Look]) -> String {
    let line = |look: &Look| table::tabbed(&[look.cells(u64::to_string, ""), vec![look.sentence()]].concat());
    looks.iter().map(line).collect()
}

fn aligned(looks: &[Look]) -> String {
    let columns = [
        Column::left("name", 0),
        Column::left("model", 0),
        Column::left("api", 0),
        Column::right("bytes", 0),
        Column::right("gzip", 0),
        Column::right("ratio", 0),
        Column::right("messages", 0),
    ];
    let rows: Vec<_> = looks.iter().map(|look| look.cells(|bytes| units::bytes(*bytes), "x")).collect();
    let table = table::aligned(&columns, &rows);
    let mut lines = table.lines();
    let header = lines.next().unwrap_or_default();
    let described = lines.zip(looks).map(|(line, look)| format!("{line}\n  {}\n", look.sentence()));
    format!("{header}\n{}", described.collect::<String>())
}

impl Look {
    fn ratio(&self) -> f64 {
        self.composition.total as f64 / self.gzip as f64
    }

    fn cells(&self, size: impl Fn(&u64) -> String, unit: &str) -> Vec<String> {
        let Composition { model, api, messages, total, .. } = &self.composition;
        vec![
            self.name.clone(),
            model.clone().unwrap_or_else(|| "-".to_owned()),
            (*api).to_owned(),
            size(total),
            size(&self.gzip),
            format!("{:.2}{unit}", self.ratio()),
            messages.to_string(),
        ]
    }

    /// `2.78 MB: 1.81 MB assistant content, 0.83 MB tool results, 4 tool definitions, no images`
    fn sentence(&self) -> String {
        let composition = &self.composition;
        let counted = [Portion::ToolDefinitions, Portion::Images];
        let mut sizes: Vec<(u64, &str)> = Portion::ALL
            .into_iter()
            .filter(|portion| !counted.contains(portion))
            .map(|portion| (composition.size(portion), portion.name()))
            .filter(|(size, _)| *size > 0)
            .collect();
        sizes.sort_by_key(|(size, _)| std::cmp::Reverse(*size));
        let sizes = sizes.into_iter().map(|(size, name)| format!("{} {name}", units::bytes(size)));
        let counts = [(composition.tools, Portion::ToolDefinitions), (composition.images, Portion::Images)];
        let counts = counts.map(|(count, portion)| match (count, portion.name()) {
            (0, name) => format!("no {name}"),
            (1, name) => format!("{} in 1 {}", units::bytes(composition.size(portion)), name.trim_end_matches('s')),
            (_, name) => format!("{} in {count} {name}", units::bytes(composition.size(portion))),
        });
        let rest = format!("{} around them", units::bytes(composition.rest()));
        let parts: Vec<String> = sizes.chain(counts).chain([rest]).collect();
        format!("{}: {}", units::bytes(composition.total), parts.join(", "))
    }

    fn row(&self) -> Row {
        let composition = &self.composition;
        let number = |number: u64| Value::Number(number.into());
        let mut row = vec![
            ("name", Value::Text(self.name.clone())),
            ("model", composition.model.clone().map_or(Value::Missing(""), Value::Text)),
            ("api", Value::Text(composition.api.to_owned())),
            ("bytes", number(composition.total)),
            ("gzip_bytes", number(self.gzip)),
            ("ratio", Value::Ratio(self.ratio())),
            ("messages", number(composition.messages as u64)),
            ("tool_definitions", number(composition.tools as u64)),
            ("images", number(composition.images as u64)),
        ];
        row.extend(Portion::ALL.map(|portion| (portion.key(), number(composition.size(portion)))));
        row.push(("other_bytes", number(composition.rest())));
        row
    }
}
