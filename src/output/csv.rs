//! Comma-separated values (RFC 4180), with line feeds alone at the ends of lines.

/// Rows as lines; a cell is quoted where it has to be.
#[must_use]
pub fn text<Row: AsRef<[String]>>(header: &[&str], rows: impl IntoIterator<Item = Row>) -> String {
    let header: Vec<String> = header.iter().map(|&title| title.to_owned()).collect();
    let mut text = line(&header);
    for row in rows {
        text.push_str(&line(row.as_ref()));
    }
    text
}

fn line(cells: &[String]) -> String {
    let mut line = cells.iter().map(|cell| quoted(cell)).collect::<Vec<_>>().join(",");
    line.push('\n');
    line
}

fn quoted(cell: &str) -> String {
    if cell.contains([',', '"', '\n', '\r']) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_with_separators_are_quoted() {
        let rows = [["a".to_owned(), "1,5".to_owned()], ["say \"x\"".to_owned(), "two\nlines".to_owned()]];
        assert_eq!(text(&["name", "n"], &rows), "name,n\na,\"1,5\"\n\"say \"\"x\"\"\",\"two\nlines\"\n");
    }
}
