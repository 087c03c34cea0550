//! What a bench says: tables for people on stdout, and the same in Markdown.

use super::End;
use super::report::Report;
use super::tables::{self, Table};
use crate::output::table;

/// Everything for stdout.
pub(super) fn report(report: &Report) -> String {
    let mut text = format!("{}\n{}\n", report.url, report.method);
    text.extend(partial(report).map(|line| line + "\n"));
    for Table { columns, rows } in all(report) {
        text.push('\n');
        text.push_str(&table::aligned(&columns, &rows));
    }
    text
}

/// The tables in Markdown.
pub(super) fn markdown(report: &Report) -> String {
    let mut text = format!("`{}`: {}\n", report.url.replace('`', ""), report.method);
    text.extend(partial(report).map(|line| format!("\n{line}\n")));
    for Table { columns, rows } in all(report) {
        text.push('\n');
        text.push_str(&table::markdown(&columns, &rows));
    }
    text
}

fn all(report: &Report) -> impl Iterator<Item = Table> {
    let tables = [tables::network(report), tables::bodies(report), tables::costs(report)];
    tables.into_iter().filter(|table| !table.rows.is_empty())
}

/// That not all of the plan was measured.
fn partial(report: &Report) -> Option<String> {
    let why = match &report.end {
        End::Complete => return None,
        End::TimeIsUp => "the time was up (--max-time-total)",
        End::Interrupted(error) => &error.message,
    };
    Some(format!("partial: {why}, {}", report.progress()))
}
