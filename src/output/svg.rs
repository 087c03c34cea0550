//! A figure of plain against gzip: curves over body sizes, or bars where there are too few sizes for a curve.
//!
//! Readable on light and dark pages: it brings its own white ground.

use std::fmt::Write as _;

use super::units;

/// What is shown; times are in milliseconds.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// In bold above it.
    pub title: String,
    /// What is on the axis of time.
    pub axis: String,
    /// One line below it: how it was measured.
    pub note: String,
    /// The bodies, the smallest first.
    pub groups: Vec<Group>,
}

/// A body.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// Its name.
    pub label: String,
    /// Its size in bytes.
    pub size: f64,
    /// Plain and as gzip; `None` where nothing was measured.
    pub ranges: [Option<Range>; 2],
}

/// What was measured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Range {
    /// The mark.
    pub median: f64,
    /// Where the whisker begins.
    pub min: f64,
    /// Where it ends.
    pub max: f64,
}

const WIDTH: f64 = 760.0;
const LEFT: f64 = 84.0;
const RIGHT: f64 = 40.0;
const TOP: f64 = 76.0;
const BOTTOM: f64 = 78.0;

/// The inner height of curves.
const CURVES: f64 = 280.0;

/// The height of a body's two bars.
const GROUP: f64 = 64.0;

const SERIES: [(&str, &str); 2] = [("plain", "#c2410c"), ("gzip", "#0f766e")];
const INK: &str = "#1f2937";
const PALE: &str = "#e5e7eb";

/// The figure as an SVG document.
#[must_use]
pub fn figure(figure: &Figure) -> String {
    let mut sizes: Vec<f64> = figure.groups.iter().map(|group| group.size).collect();
    sizes.dedup();
    let curves = sizes.len() >= 3;
    let inner = if curves { CURVES } else { GROUP * figure.groups.len() as f64 };
    let mut svg = Svg::new(figure, inner);
    if curves {
        svg.curves(figure);
    } else {
        svg.bars(figure);
    }
    svg.text + "</svg>\n"
}

/// A document in the making.
struct Svg {
    text: String,
    /// The y of the lower edge of the inner part.
    base: f64,
}

impl Svg {
    fn new(figure: &Figure, inner: f64) -> Svg {
        let height = TOP + inner + BOTTOM;
        let mut text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" \
             height=\"{height}\" font-family=\"system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif\" \
             font-size=\"13\" fill=\"{INK}\">\n<title>{}</title>\n",
            escaped(&figure.title)
        );
        let (inner_width, inner_height) = (WIDTH - 1.0, height - 1.0);
        let _ = writeln!(
            text,
            "<rect x=\"0.5\" y=\"0.5\" width=\"{inner_width}\" height=\"{inner_height}\" rx=\"8\" fill=\"#ffffff\" \
             stroke=\"{PALE}\"/>"
        );
        let mut svg = Svg { text, base: TOP + inner };
        svg.label(20.0, 30.0, "start", &figure.title, " font-size=\"16\" font-weight=\"600\"");
        for (at, (name, color)) in SERIES.iter().enumerate() {
            let x = 20.0 + 90.0 * at as f64;
            let _ = writeln!(svg.text, "<circle cx=\"{}\" cy=\"51\" r=\"5\" fill=\"{color}\"/>", x + 5.0);
            svg.label(x + 16.0, 55.5, "start", name, "");
        }
        let marks = format!("{}; mark: median, whisker: smallest to largest", figure.axis);
        svg.label(WIDTH - 20.0, 55.5, "end", &marks, " font-size=\"12\" fill=\"#6b7280\"");
        svg.label(20.0, height - 14.0, "start", &figure.note, " font-size=\"12\" fill=\"#6b7280\"");
        svg
    }

    fn label(&mut self, x: f64, y: f64, anchor: &str, text: &str, more: &str) {
        let text = escaped(text);
        let _ = writeln!(self.text, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\"{more}>{text}</text>");
    }

    fn line(&mut self, from: (f64, f64), to: (f64, f64), stroke: &str) {
        let ((x1, y1), (x2, y2)) = (from, to);
        let _ = writeln!(
            self.text,
            "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"{stroke}\"/>"
        );
    }

    /// Time upwards over body sizes.
    fn curves(&mut self, figure: &Figure) {
        let (across, up) = (Axis::new(largest_size(figure)), Axis::new(largest_time(figure)));
        let base = self.base;
        let x_of = |size: f64| LEFT + across.share(size) * (WIDTH - LEFT - RIGHT);
        let y_of = |time: f64| base - up.share(time) * CURVES;
        for tick in up.ticks() {
            self.line((LEFT, y_of(tick)), (WIDTH - RIGHT, y_of(tick)), PALE);
            self.label(LEFT - 8.0, y_of(tick) + 4.5, "end", &time_tick(tick, up.end), "");
        }
        for tick in across.ticks() {
            self.line((x_of(tick), base), (x_of(tick), base + 5.0), INK);
            self.label(x_of(tick), base + 20.0, "middle", &size_tick(tick, across.end), "");
        }
        self.line((LEFT, base), (WIDTH - RIGHT, base), INK);
        self.label(f64::midpoint(LEFT, WIDTH - RIGHT), base + 40.0, "middle", "body", "");
        for (at, (_, color)) in SERIES.iter().enumerate() {
            let points: Vec<(f64, Range)> =
                figure.groups.iter().filter_map(|group| Some((group.size, group.ranges[at]?))).collect();
            let line: Vec<String> =
                points.iter().map(|(size, time)| format!("{:.1},{:.1}", x_of(*size), y_of(time.median))).collect();
            let line = line.join(" ");
            let _ = writeln!(
                self.text,
                "<polyline points=\"{line}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"2\"/>"
            );
            for (size, time) in &points {
                let x = x_of(*size);
                self.line((x, y_of(time.min)), (x, y_of(time.max)), color);
                for end in [time.min, time.max] {
                    self.line((x - 4.0, y_of(end)), (x + 4.0, y_of(end)), color);
                }
                let y = y_of(time.median);
                let _ = writeln!(self.text, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"{color}\"/>");
            }
            if let Some((size, time)) = points.last() {
                let text = units::milliseconds(time.median);
                self.label(x_of(*size) - 10.0, y_of(time.median) - 10.0, "end", &text, " font-weight=\"600\"");
            }
        }
    }

    /// Two bars per body.
    fn bars(&mut self, figure: &Figure) {
        let across = Axis::new(largest_time(figure));
        let left = LEFT + 60.0;
        let right = RIGHT + 40.0;
        let base = self.base;
        let x_of = |time: f64| left + across.share(time) * (WIDTH - left - right);
        for tick in across.ticks() {
            self.line((x_of(tick), TOP), (x_of(tick), base), PALE);
            self.label(x_of(tick), base + 18.0, "middle", &time_tick(tick, across.end), "");
        }
        for (number, group) in figure.groups.iter().enumerate() {
            let top = TOP + GROUP * number as f64;
            self.label(left - 10.0, top + 28.0, "end", &shortened(&group.label), " font-weight=\"600\"");
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a size in bytes")]
            let size = units::bytes(group.size as u64);
            self.label(left - 10.0, top + 45.0, "end", &size, " font-size=\"12\" fill=\"#6b7280\"");
            for (at, (_, color)) in SERIES.iter().enumerate() {
                let Some(time) = group.ranges[at] else { continue };
                let (y, end) = (top + 10.0 + 24.0 * at as f64, x_of(time.median));
                let width = end - left;
                let _ = writeln!(
                    self.text,
                    "<rect x=\"{left:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"18\" fill=\"{color}\" \
                     fill-opacity=\"0.85\"/>"
                );
                let middle = y + 9.0;
                self.line((x_of(time.min), middle), (x_of(time.max), middle), INK);
                for whisker in [time.min, time.max] {
                    self.line((x_of(whisker), middle - 5.0), (x_of(whisker), middle + 5.0), INK);
                }
                let text = units::milliseconds(time.median);
                self.label(x_of(time.max) + 8.0, y + 13.5, "start", &text, " font-weight=\"600\"");
            }
        }
        self.line((left, TOP), (left, base), INK);
    }
}

/// An axis from 0 with round ticks.
struct Axis {
    step: f64,
    end: f64,
}

impl Axis {
    /// Reaches at least as far as `most`.
    fn new(most: f64) -> Axis {
        let most = if most > 0.0 { most } else { 1.0 };
        let power = 10_f64.powf((most / 5.0).log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|round| round * power).find(|step| step * 5.0 >= most);
        let step = step.unwrap_or(10.0 * power);
        Axis { step, end: (most / step).ceil() * step }
    }

    fn share(&self, value: f64) -> f64 {
        (value / self.end).clamp(0.0, 1.0)
    }

    fn ticks(&self) -> impl Iterator<Item = f64> + use<> {
        let (step, end) = (self.step, self.end);
        (0..=10).map(f64::from).map(move |number| number * step).take_while(move |tick| *tick <= end * 1.001)
    }
}

fn largest_size(figure: &Figure) -> f64 {
    figure.groups.iter().map(|group| group.size).fold(0.0, f64::max)
}

fn largest_time(figure: &Figure) -> f64 {
    figure.groups.iter().flat_map(|group| group.ranges).flatten().map(|time| time.max).fold(0.0, f64::max)
}

/// Ticks of one axis have one unit, that of its end.
fn time_tick(ms: f64, end: f64) -> String {
    if end >= 1_000.0 { format!("{} s", rounded(ms / 1e3)) } else { format!("{} ms", rounded(ms)) }
}

fn size_tick(bytes: f64, end: f64) -> String {
    match end {
        1e6.. => format!("{} MB", rounded(bytes / 1e6)),
        1e3.. => format!("{} KB", rounded(bytes / 1e3)),
        _ => format!("{} B", rounded(bytes)),
    }
}

/// Without the dust of binary fractions.
fn rounded(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}

/// As much of a name as fits in front of the bars.
fn shortened(name: &str) -> String {
    const FITS: usize = 16;
    if name.chars().count() <= FITS { name.to_owned() } else { name.chars().take(FITS - 1).collect::<String>() + "…" }
}

fn escaped(text: &str) -> String {
    let text = text.replace(char::is_control, "?");
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(label: &str, size: f64, plain: f64) -> Group {
        let range = |median: f64| Some(Range { median, min: median * 0.9, max: median * 1.1 });
        Group { label: label.into(), size, ranges: [range(plain), range(plain / 3.0)] }
    }

    fn some(groups: Vec<Group>) -> String {
        let figure_of = |groups| Figure { title: "a < b & c".into(), axis: "time".into(), note: "n".into(), groups };
        figure(&figure_of(groups))
    }

    #[test]
    fn three_sizes_are_curves_and_fewer_are_bars() {
        let groups: Vec<Group> = [100.0, 200.0, 300.0].map(|size| group("x", size, size)).into();
        assert_eq!(some(groups.clone()).matches("<polyline").count(), 2);
        let bars = some(groups[..2].to_vec());
        assert_eq!((bars.matches("<polyline").count(), bars.matches("fill-opacity").count()), (0, 4));
        assert!(some(Vec::new()).ends_with("</svg>\n"));
    }

    #[test]
    fn what_failed_is_not_drawn() {
        let mut groups: Vec<Group> = [100.0, 200.0, 300.0].map(|size| group("x", size, size)).into();
        groups[2].ranges = [None, None];
        assert_eq!(some(groups).matches("<circle").count(), 2 + 4);
    }

    #[test]
    fn names_cannot_break_the_document() {
        let svg = some(vec![group("<script>\"&\n", 1.0, 1.0)]);
        assert!(svg.contains("&lt;script&gt;\"&amp;?") && svg.contains("a &lt; b &amp; c"), "{svg}");
    }

    #[test]
    fn axes_end_at_round_numbers_beyond_what_they_show() {
        arbtest::arbtest(|u| {
            let most = f64::from(u.int_in_range(1..=u32::MAX)?) / 1000.0;
            let axis = Axis::new(most);
            assert!(axis.end >= most * 0.999_999 && axis.end < most * 2.0 + axis.step, "{most} {}", axis.end);
            let ticks: Vec<f64> = axis.ticks().collect();
            assert!((3..=7).contains(&ticks.len()), "{most}: {ticks:?}");
            Ok(())
        });
        assert_eq!(Axis::new(2_549.0).ticks().map(|tick| time_tick(tick, 3_000.0)).last().as_deref(), Some("3 s"));
    }
}
