//! What is left on a terminal.

/// The lines that a terminal of that many columns shows after these bytes; blanks at their ends do not show.
///
/// Knows line feeds, carriage returns and `CSI K` (erase to the end of the line), and fails at any other control.
#[track_caller]
pub fn screen(text: &str, columns: usize) -> Vec<String> {
    let mut lines = vec![Vec::new()];
    let (mut row, mut column) = (0, 0);
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        rest = &rest[letter.len_utf8()..];
        match letter {
            '\n' => {
                row += 1;
                lines.resize(lines.len().max(row + 1), Vec::new());
            }
            '\r' => column = 0,
            '\x1b' => {
                rest = rest.strip_prefix("[K").unwrap_or_else(|| panic!("an escape sequence in {text:?}"));
                lines[row].truncate(column);
            }
            _ => {
                assert!(!letter.is_control(), "{letter:?} in {text:?}");
                if column == columns {
                    (row, column) = (row + 1, 0);
                    lines.resize(lines.len().max(row + 1), Vec::new());
                }
                let line = &mut lines[row];
                line.resize(line.len().max(column + 1), ' ');
                line[column] = letter;
                column += 1;
            }
        }
    }
    let mut lines: Vec<String> =
        lines.iter().map(|line| line.iter().collect::<String>().trim_end().to_owned()).collect();
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    lines
}
