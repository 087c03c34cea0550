//! Small tables of text: aligned for people, separated by tabs for pipes.

use std::fmt::Write as _;

/// A column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column {
    /// Its header.
    pub title: &'static str,
    /// Where its cells stand.
    pub align: Align,
    /// Its least width, for rows that are written before the others are known.
    pub width: usize,
}

/// Where a cell stands in its column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// For names.
    Left,
    /// For numbers.
    Right,
}

impl Column {
    /// A column for names.
    #[must_use]
    pub const fn left(title: &'static str, width: usize) -> Column {
        Column { title, align: Align::Left, width }
    }

    /// A column for numbers.
    #[must_use]
    pub const fn right(title: &'static str, width: usize) -> Column {
        Column { title, align: Align::Right, width }
    }
}

/// The header and the rows, as wide as they need to be; no header when no column has a title.
#[must_use]
pub fn aligned<Row: AsRef<[String]>>(columns: &[Column], rows: &[Row]) -> String {
    let mut columns = columns.to_vec();
    for (at, column) in columns.iter_mut().enumerate() {
        let cells = rows.iter().filter_map(|row| row.as_ref().get(at));
        column.width = cells.map(|cell| clean(cell).chars().count()).fold(least_width(column), usize::max);
    }
    let header = columns.iter().any(|column| !column.title.is_empty()).then(|| header(&columns));
    header.into_iter().chain(rows.iter().map(|row| line(&columns, row.as_ref()))).collect()
}

/// The titles as one line.
#[must_use]
pub fn header(columns: &[Column]) -> String {
    let titles: Vec<String> = columns.iter().map(|column| column.title.to_owned()).collect();
    line(columns, &titles)
}

/// One row as a line; a cell wider than its column pushes the others aside.
#[must_use]
pub fn line(columns: &[Column], cells: &[String]) -> String {
    let mut text = String::new();
    for (column, cell) in columns.iter().zip(cells) {
        let (cell, width) = (clean(cell), least_width(column));
        let _ = match column.align {
            Align::Left => write!(text, "{cell:<width$}  "),
            Align::Right => write!(text, "{cell:>width$}  "),
        };
    }
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}

/// One row for a pipe: cells between tabs, never a tab or a line end inside a cell.
#[must_use]
pub fn tabbed(cells: &[String]) -> String {
    let mut text = cells.iter().map(|cell| clean(cell)).collect::<Vec<_>>().join("\t");
    text.push('\n');
    text
}

/// The table in Markdown (GitHub's, with its alignments).
#[must_use]
pub fn markdown<Row: AsRef<[String]>>(columns: &[Column], rows: &[Row]) -> String {
    let line = |cells: &mut dyn Iterator<Item = String>| {
        let cells: Vec<String> = cells.map(|cell| clean(&cell).replace('|', "\\|")).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    let titles = line(&mut columns.iter().map(|column| column.title.to_owned()));
    let rules = columns.iter().map(|column| match column.align {
        Align::Left => "---",
        Align::Right => "---:",
    });
    let rules = line(&mut rules.map(str::to_owned));
    let rows = rows.iter().map(|row| line(&mut row.as_ref().iter().cloned()));
    [titles, rules].into_iter().chain(rows).collect()
}

fn least_width(column: &Column) -> usize {
    column.width.max(column.title.chars().count())
}

/// Names of files and answers of servers end up in cells: control characters would break the table or the terminal.
fn clean(cell: &str) -> String {
    cell.replace(char::is_control, "?")
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMNS: [Column; 3] = [Column::left("name", 0), Column::right("bytes", 0), Column::left("note", 0)];

    fn row(cells: [&str; 3]) -> Vec<String> {
        cells.map(str::to_owned).to_vec()
    }

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let text = aligned(&COLUMNS, &[row(["a.json", "12", "é"]), row(["long-name.json", "2778983", ""])]);
        let expected = "name              bytes  note\na.json               12  é\nlong-name.json  2778983\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn markdown_keeps_cells_apart() {
        let text = markdown(&COLUMNS[..2], &[["a|b\n".to_owned(), "12".to_owned()]]);
        assert_eq!(text, "| name | bytes |\n| --- | ---: |\n| a\\|b? | 12 |\n");
    }

    #[test]
    fn no_titles_no_header() {
        let columns = [Column::left("", 0), Column::right("", 4)];
        assert_eq!(aligned(&columns, &[["a".to_owned(), "1".to_owned()]]), "a     1\n");
        assert_eq!(aligned(&columns, &[] as &[Vec<String>]), "");
    }

    #[test]
    fn rows_written_one_by_one_keep_their_least_width() {
        let columns = [Column::left("name", 8), Column::right("ms", 5)];
        let rows = [["a", "1"], ["too-long-a-name", "12345"]].map(|row| row.map(str::to_owned));
        assert_eq!(header(&columns), "name         ms\n");
        assert_eq!(line(&columns, &rows[0]), "a             1\n");
        assert_eq!(line(&columns, &rows[1]), "too-long-a-name  12345\n");
    }

    #[test]
    fn pipes_get_tabs_and_no_cell_can_add_one() {
        assert_eq!(tabbed(&row(["a\tb\nc", "\x1b[31m", ""])), "a?b?c\t?[31m\t\n");
    }
}
