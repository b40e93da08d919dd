//! The charts, as SVG that is legible on light and on dark pages: text takes the colour around it, and what has a colour
//! of its own has a middle one. A file that stands alone brings the colour of its text along, and a ground.

use std::fmt::{self, Display, Formatter, Write};

use crate::results::{Labelled, Table};

// Each is seen on white as on black. Blue and green are ours.
const ORANGE: &str = "#d97706";
const BLUE: &str = "#3b82f6";
const GREY: &str = "#7c8490";
const GREEN: &str = "#16a34a";

const WIDTH: f64 = 760.0;

/// Horizontal bars, in groups.
pub(crate) struct Bars<'a> {
    pub(crate) title: &'a str,
    pub(crate) unit: &'a str,
    /// Those of the table's columns that are drawn.
    pub(crate) columns: &'a [&'a str],
    pub(crate) rows: Vec<Labelled<'a>>,
    pub(crate) table: &'a Table,
}

/// A line for each column of the table, over its rows.
pub(crate) struct Lines<'a> {
    pub(crate) title: &'a str,
    pub(crate) unit: &'a str,
    pub(crate) rows: Vec<Labelled<'a>>,
    pub(crate) table: &'a Table,
}

/// What is between the tags of a chart, which come last, since they tell the height.
#[derive(Default)]
struct Drawing(String);

impl Drawing {
    fn text(&mut self, x: f64, y: f64, anchor: &str, text: impl Display) {
        let text = text.to_string().replace('&', "&amp;").replace('<', "&lt;");
        let _ = writeln!(self.0, r#"<text x="{x:.1}" y="{y:.1}" text-anchor="{anchor}">{text}</text>"#);
    }

    fn bar(&mut self, x: f64, y: f64, width: f64, height: f64, colour: &str) {
        let _ = writeln!(
            self.0,
            r#"<rect x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{height:.1}" rx="2" fill="{colour}"/>"#
        );
    }

    fn rule(&mut self, x1: f64, y1: f64, x2: f64, y2: f64) {
        let _ = writeln!(
            self.0,
            r#"<path d="M{x1:.1} {y1:.1}L{x2:.1} {y2:.1}" stroke="currentColor" stroke-opacity="0.25"/>"#
        );
    }

    fn finish(&self, f: &mut Formatter<'_>, title: &str, unit: &str, told: &str, height: f64) -> fmt::Result {
        let Drawing(drawn) = self;
        write!(
            f,
            r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="-16 -8 {:.0} {:.0}" width="{:.0}" role="img" style="display:block;max-width:100%;height:auto" fill="currentColor" font-family="system-ui,sans-serif" font-size="13">
<title>{title}</title>
<desc>{unit}. {told}</desc>
<style>svg:root{{color:#1f2328;background:#fff}}@media (prefers-color-scheme:dark){{svg:root{{color:#e6edf3;background:#161b22}}}}</style>
<text x="0" y="18" font-size="16" font-weight="600">{title}</text>
<text x="0" y="38" fill-opacity="0.75">{unit}</text>
{drawn}</svg>
"#,
            WIDTH + 32.0,
            height + 20.0,
            WIDTH + 32.0,
        )
    }
}

/// All figures in words, for who does not see the chart.
fn told(columns: &[(usize, &str)], rows: &[Labelled<'_>]) -> String {
    let rows = rows.iter().map(|(label, figures)| {
        let figures = columns.iter().filter_map(|(index, name)| Some(format!("{name} {}", shown(figures[*index]?))));
        format!("{label}: {}.", figures.collect::<Vec<_>>().join(", "))
    });
    rows.collect::<Vec<_>>().join(" ")
}

fn largest(columns: &[(usize, &str)], rows: &[Labelled<'_>]) -> f64 {
    rows.iter().flat_map(|(_, figures)| columns.iter().filter_map(|(index, _)| figures[*index])).fold(0.0, f64::max)
}

/// How many characters the longest label has.
fn widest(rows: &[Labelled<'_>]) -> u32 {
    rows.iter().filter_map(|(label, _)| u32::try_from(label.len()).ok()).max().unwrap_or(0)
}

/// With the decimals that the table has.
fn shown(figure: f64) -> String {
    if figure.fract() == 0.0 { figure.to_string() } else { format!("{figure:.2}") }
}

impl Display for Bars<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        const BAR: f64 = 14.0;
        const COLOURS: [&str; 3] = [ORANGE, BLUE, GREY];
        let columns: Vec<(usize, &str)> = self
            .columns
            .iter()
            .filter_map(|name| Some((self.table.columns.iter().position(|column| column == name)?, *name)))
            .collect();
        let left = 14.0 + 7.0 * f64::from(widest(&self.rows));
        let scale = (WIDTH - left - 70.0) / largest(&columns, &self.rows);
        let mut drawing = Drawing::default();
        for ((_, name), (place, colour)) in columns.iter().zip((0_u32..).zip(COLOURS)) {
            let x = left + 120.0 * f64::from(place);
            drawing.bar(x, 48.0, 12.0, 12.0, colour);
            drawing.text(x + 18.0, 59.0, "start", name);
        }
        let mut y = 74.0;
        for (label, figures) in &self.rows {
            let bars: Vec<_> = columns
                .iter()
                .zip(COLOURS)
                .filter_map(|((index, _), colour)| Some((figures[*index]?, colour)))
                .collect();
            let top = y;
            for (figure, colour) in bars {
                drawing.bar(left, y, figure * scale, BAR - 2.0, colour);
                drawing.text(left + figure * scale + 6.0, y + BAR - 3.0, "start", shown(figure));
                y += BAR;
            }
            drawing.text(left - 10.0, f64::midpoint(top, y) + 4.0, "end", label);
            y += 10.0;
        }
        drawing.rule(left, 68.0, left, y - 4.0);
        drawing.finish(f, self.title, self.unit, &told(&columns, &self.rows), y)
    }
}

impl Display for Lines<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        const LEFT: f64 = 40.0;
        const RIGHT: f64 = WIDTH - 220.0;
        const TOP: f64 = 60.0;
        const BOTTOM: f64 = 320.0;
        const COLOURS: [&str; 4] = [BLUE, GREEN, ORANGE, GREY];
        let columns: Vec<(usize, &str)> = self.table.columns.iter().map(String::as_str).enumerate().collect();
        let step = [5.0, 10.0, 20.0, 50.0, 100.0, 500.0]
            .into_iter()
            .find(|step| largest(&columns, &self.rows) / step <= 6.0)
            .unwrap_or(1000.0);
        let top = (largest(&columns, &self.rows) / step).ceil() * step;
        let y = |figure: f64| BOTTOM - figure / top * (BOTTOM - TOP);
        let mut drawing = Drawing::default();
        let mut mark = 0.0;
        while mark <= top {
            drawing.rule(LEFT, y(mark), RIGHT, y(mark));
            drawing.text(LEFT - 8.0, y(mark) + 4.0, "end", mark);
            mark += step;
        }
        let gaps = f64::from(u32::try_from(self.rows.len()).unwrap_or(u32::MAX).max(2) - 1);
        let x = |place: u32| LEFT + 20.0 + f64::from(place) / gaps * (RIGHT - LEFT - 40.0);
        for (place, (label, _)) in (0..).zip(&self.rows) {
            drawing.text(x(place), BOTTOM + 20.0, "middle", label);
        }
        let mut ends = Vec::new();
        for ((index, name), colour) in columns.iter().zip(COLOURS) {
            let points: Vec<_> = (0..)
                .zip(&self.rows)
                .filter_map(|(place, (_, figures))| Some((x(place), y(figures[*index]?))))
                .collect();
            let path: Vec<_> = points.iter().map(|(x, y)| format!("{x:.1} {y:.1}")).collect();
            let _ = writeln!(
                drawing.0,
                r#"<path d="M{}" fill="none" stroke="{colour}" stroke-width="2.5"/>"#,
                path.join("L")
            );
            for (x, y) in &points {
                let _ = writeln!(drawing.0, r#"<circle cx="{x:.1}" cy="{y:.1}" r="4" fill="{colour}"/>"#);
            }
            ends.extend(points.last().map(|(_, y)| (*y, *name, colour)));
        }
        // The names stand where the lines end, and do not cover each other.
        ends.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut free = 0.0;
        for (y, name, colour) in ends {
            free = f64::max(y, free);
            drawing.bar(RIGHT + 8.0, free - 6.0, 12.0, 12.0, colour);
            drawing.text(RIGHT + 26.0, free + 4.0, "start", name);
            free += 18.0;
        }
        drawing.finish(f, self.title, self.unit, &told(&columns, &self.rows), BOTTOM + 34.0)
    }
}
