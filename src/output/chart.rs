//! Bars on a terminal, on one scale.

use super::Terminal;

/// A longer bar says no more.
const LONGEST: usize = 50;

/// Shorter than this a bar says nothing.
const SHORTEST: usize = 8;

/// One bar.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    /// In front of it.
    pub label: String,
    /// Its length; 0 draws none.
    pub value: f64,
    /// Behind it.
    pub note: String,
}

/// A line per bar; nothing where the terminal is too narrow for bars.
#[must_use]
pub fn bars(bars: &[Bar], terminal: Terminal) -> String {
    let longest = |text: fn(&Bar) -> &str| bars.iter().map(|bar| text(bar).chars().count()).max().unwrap_or(0);
    let (labels, notes) = (longest(|bar| &bar.label), longest(|bar| &bar.note));
    let width = terminal.width.saturating_sub(labels + notes + 4).min(LONGEST);
    if width < SHORTEST {
        return String::new();
    }
    let most = bars.iter().map(|bar| bar.value).fold(0.0, f64::max);
    let line = |Bar { label, value, note }: &Bar| {
        let share = if most > 0.0 { (value / most).clamp(0.0, 1.0) } else { 0.0 };
        format!("{label:<labels$}  {} {note}\n", bar(share, width, terminal.plain))
    };
    bars.iter().map(line).collect()
}

/// This share of the width, in eighths of a column; what is more than nothing is at least one of them.
#[must_use]
pub fn bar(share: f64, width: usize, plain: bool) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let steps = if plain { width } else { width * 8 };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and the width")]
    let length = (share.clamp(0.0, 1.0) * steps as f64).round() as usize;
    let length = if share > 0.0 { length.max(1) } else { 0 };
    if plain { "#".repeat(length) } else { "█".repeat(length / 8) + EIGHTHS[length % 8] }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some(values: &[f64]) -> Vec<Bar> {
        let bar = |value: &f64| Bar { label: format!("{value}"), value: *value, note: "x".into() };
        values.iter().map(bar).collect()
    }

    #[test]
    fn lengths_are_in_proportion() {
        let terminal = Terminal { width: 23, plain: false };
        let expected = "100  ███████████████ x\n50   ███████▌ x\n1    ▏ x\n0     x\n";
        assert_eq!(bars(&some(&[100.0, 50.0, 1.0, 0.0]), terminal), expected);
        let plain = bars(&some(&[100.0, 50.0]), Terminal { plain: true, ..terminal });
        assert_eq!(plain, "100  ############### x\n50   ######## x\n");
    }

    #[test]
    fn no_bars_without_room_or_values() {
        assert_eq!(bars(&some(&[1.0]), Terminal { width: 12, plain: false }), "");
        assert_eq!(bars(&[], Terminal::default()), "");
        assert_eq!(bars(&some(&[0.0]), Terminal::default()), "0   x\n");
    }
}
