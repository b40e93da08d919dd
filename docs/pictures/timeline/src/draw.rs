//! The picture.
//!
//! Lines and texts have the colour of the page's text, and values a colour in the middle between light and dark, filled
//! faintly: all of it can be read on white and on black. Nothing in it has a name, so many pictures fit in one page. The
//! one style rule is about a root that is an `svg`, so it acts only in a file of its own.

use std::fmt::Write as _;
use std::time::Duration;

use crate::Timeline;
use crate::describe::describe;
use crate::lane::{Kind, Lane, Mark, Part, Row};
use crate::scale::Scale;

const WIDTH: f64 = 500.0;
const MARGIN: f64 = 22.0;

/// What the label of a lane may take, and what a letter of it does.
const LABELS: (f64, f64) = (48.0, 150.0);
const LETTER: f64 = 7.2;

const TOP: f64 = 4.0;
const LANE: f64 = 38.0;
/// What a lane with words below its line takes in addition.
const WORDS: f64 = 10.0;
const OPERATOR: f64 = 40.0;
const GAP: f64 = 16.0;
const AXIS: f64 = 34.0;

/// Half the height of a value.
const RADIUS: f64 = 12.5;

/// Legible on white and on black: blue, orange, green, purple, teal, pink, gold.
const HUES: [&str; 7] = ["#3b82f6", "#e8700c", "#1f9d61", "#9358e0", "#0e9aa7", "#dd4a98", "#b98a00"];
const RED: &str = "#e5484d";
const AMBER: &str = "#c98500";

/// For a file of its own: in the reader's scheme, and on a ground of its own, since the page around it may be in the other one.
const STYLE: &str = "<style>svg:root{color:#1f2328;background:#fff}\
    @media (prefers-color-scheme:dark){svg:root{color:#e6edf3;background:#161b22}}</style>";

pub(crate) fn draw(timeline: &Timeline) -> String {
    let mut pen = Pen::new(timeline);
    for row in &timeline.rows {
        match row {
            Row::Lane(lane) => pen.lane(lane),
            Row::Operator(text) => pen.operator(text),
            Row::Gap => pen.y += GAP,
        }
    }
    pen.finish(timeline)
}

struct Pen {
    left: f64,
    right: f64,
    scale: Scale,
    /// Down to where the rows are drawn.
    y: f64,
    shapes: String,
    texts: String,
}

impl Pen {
    fn new(timeline: &Timeline) -> Self {
        let longest = lanes(timeline).map(|lane| columns(&lane.label)).max().unwrap_or(0);
        let left = (count(longest) * LETTER + 14.0).clamp(LABELS.0, LABELS.1);
        // The first value of a lane needs room beside its label, and the last one before the edge.
        let (left, right) = (left + RADIUS, WIDTH - MARGIN - overhang(timeline));
        let times: Vec<Duration> = marks(timeline).flat_map(|mark| [mark.at, mark.until()]).collect();
        let busy: Vec<(Duration, Duration)> = marks(timeline)
            .filter(|mark| matches!(mark.kind, Kind::Work { .. }))
            .map(|mark| (mark.at, mark.until()))
            .collect();
        let scale = Scale::new(&times, left, right, timeline.breaks.then_some(&busy));
        Self { left, right, scale, y: TOP, shapes: String::new(), texts: String::new() }
    }

    fn operator(&mut self, text: &str) {
        let (y, width) = (self.y + 6.0, WIDTH - 2.0);
        self.shape(&format!(
            "<rect x=\"1\" y=\"{}\" width=\"{}\" height=\"28\" rx=\"6\" fill=\"currentColor\" fill-opacity=\".06\" \
             stroke-opacity=\".35\"/>",
            f(y),
            f(width)
        ));
        self.text(WIDTH / 2.0, y + 18.5, text, " font-family=\"ui-monospace,monospace\"");
        self.y += OPERATOR;
    }

    fn lane(&mut self, lane: &Lane) {
        let y = self.y + LANE / 2.0;
        self.text(2.0, y + 4.5, &fitting(&lane.label, LABELS.1 - 14.0), " text-anchor=\"start\"");
        let items = self.items(lane);
        self.line(lane, &items, y);
        let mut words = Words::default();
        for mark in &lane.marks {
            let x = self.scale.place(mark.at);
            match &mark.kind {
                Kind::Item { .. } | Kind::Start => {}
                Kind::Work { until, part } => self.work(beside(&items, x, self.scale.place(*until)), y, part),
                Kind::Wait { until, label } => self.wait(beside(&items, x, self.scale.place(*until)), y, label),
                Kind::Error(_) | Kind::End | Kind::Cancelled => {
                    // Behind a value that came at the same time.
                    let x = items
                        .iter()
                        .fold(x, |x, (left, right)| if x > *left && x < right + 3.0 { right + 5.0 } else { x });
                    self.last(x, y, &mark.kind, &mut words);
                }
            }
        }
        let values = lane.marks.iter().filter_map(|mark| match &mark.kind {
            Kind::Item { parts, lost } => Some((parts, lost.is_some())),
            _ => None,
        });
        for ((parts, lost), (left, _)) in values.zip(&items) {
            self.item(*left, y, parts, lost);
        }
        self.y += lane_height(lane);
    }

    /// From where to where the values of a lane reach, in their order. One that comes too soon for the one before stands
    /// beside it, and the outcome of work behind that.
    fn items(&self, lane: &Lane) -> Vec<(f64, f64)> {
        let mut items: Vec<(f64, f64)> = Vec::new();
        for mark in &lane.marks {
            if let Kind::Item { parts, .. } = &mark.kind {
                let x = self.scale.place(mark.at);
                let left = if ends_work(lane, mark) { x + 1.0 } else { x - width(parts) / 2.0 };
                let left = items.last().map_or(left, |(_, right)| left.max(right + 1.0));
                items.push((left, left + width(parts)));
            }
        }
        items
    }

    /// The times for which the lane runs, but for what is drawn on it.
    fn line(&mut self, lane: &Lane, items: &[(f64, f64)], y: f64) {
        let mut runs = Vec::new();
        let mut began = None;
        let mut taken = items.to_vec();
        for mark in &lane.marks {
            let x = self.scale.place(mark.at);
            match &mark.kind {
                Kind::Start => began = Some(x),
                Kind::Item { .. } => {}
                Kind::Work { until, .. } | Kind::Wait { until, .. } => taken.push((x, self.scale.place(*until))),
                Kind::Error(_) | Kind::End | Kind::Cancelled => runs.extend(began.take().map(|from| (from, x))),
            }
        }
        let runs_on = began.map(|from| (from, WIDTH - 4.0));
        runs.extend(runs_on);
        taken.sort_by(|a, b| a.0.total_cmp(&b.0));

        let mut path = String::new();
        for (mut from, to) in runs {
            if !taken.iter().any(|(left, right)| (*left..=*right).contains(&from)) {
                self.shape(&format!(
                    "<circle cx=\"{}\" cy=\"{}\" r=\"2.5\" fill=\"currentColor\" stroke=\"none\"/>",
                    f(from),
                    f(y)
                ));
            }
            for (left, right) in taken.iter().copied().filter(|(left, _)| *left < to) {
                if left > from {
                    let _ = write!(path, "M{} {}H{}", f(from), f(y), f(left));
                }
                from = from.max(right);
            }
            if to > from {
                let _ = write!(path, "M{} {}H{}", f(from), f(y), f(to));
            }
        }
        if runs_on.is_some() {
            // Beyond the picture.
            let _ = write!(path, "m-6 -4l6 4l-6 4");
        }
        if !path.is_empty() {
            self.shape(&format!("<path d=\"{path}\" stroke-width=\"1.5\"/>"));
        }
    }

    fn work(&mut self, (from, to): (f64, f64), y: f64, part: &Part) {
        let hue = hue(part);
        self.shape(&format!(
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"18\" rx=\"4\" fill=\"{hue}\" fill-opacity=\".22\" \
             stroke=\"{hue}\"/>",
            f(from),
            f(y - 9.0),
            f((to - from).max(2.0))
        ));
        if !part.text.is_empty() && text_width(&part.text) + 6.0 < to - from {
            self.text(f64::midpoint(from, to), y + 4.5, &part.text, "");
        }
    }

    fn wait(&mut self, (from, to): (f64, f64), y: f64, label: &str) {
        if to <= from {
            return;
        }
        self.shape(&format!(
            "<path d=\"M{} {}H{}\" stroke=\"{AMBER}\" stroke-width=\"2\" stroke-dasharray=\"5 4\"/>",
            f(from),
            f(y),
            f(to)
        ));
        // There is room beside a short wait.
        if !label.is_empty() && text_width(label) < 1.4 * (to - from) {
            self.text(f64::midpoint(from, to), y - 7.0, label, "");
        }
    }

    /// A value: a cell for each part, round at both ends.
    fn item(&mut self, from: f64, y: f64, parts: &[Part], lost: bool) {
        let mut left = from;
        let (dash, faint) = if lost { (" stroke-dasharray=\"3 2\"", " opacity=\".7\"") } else { ("", "") };
        for (index, part) in parts.iter().enumerate() {
            let (hue, width) = (hue(part), cell(parts, part));
            self.shape(&format!(
                "<path d=\"{}\" fill=\"{hue}\" fill-opacity=\".22\" stroke=\"{hue}\" stroke-width=\"1.5\"{dash}{faint}/>",
                outline(left, y, width, index == 0, index + 1 == parts.len())
            ));
            self.text(left + width / 2.0, y + 4.5, &part.text, faint);
            left += width;
        }
        if lost {
            self.shape(&format!(
                "<path d=\"M{} {}L{} {}\" stroke-opacity=\".7\"/>",
                f(from),
                f(y + RADIUS),
                f(left),
                f(y - RADIUS)
            ));
        }
    }

    /// How the lane, or a run on it, ends.
    fn last(&mut self, x: f64, y: f64, kind: &Kind, words: &mut Words) {
        match kind {
            Kind::End => self.shape(&format!("<path d=\"M{} {}v22\" stroke-width=\"2.5\"/>", f(x), f(y - 11.0))),
            Kind::Cancelled => {
                self.shape(&format!("<path d=\"M{} {}l8 8m0 -8l-8 8\" stroke-width=\"1.5\"/>", f(x - 4.0), f(y - 4.0)));
            }
            Kind::Error(label) => {
                self.shape(&format!(
                    "<path d=\"M{} {}l14 14m0 -14l-14 14\" stroke=\"{RED}\" stroke-width=\"2.5\"/>",
                    f(x - 7.0),
                    f(y - 7.0)
                ));
                let half = text_width(label) / 2.0;
                let middle = x.clamp(half + 2.0, (WIDTH - half - 2.0).max(half + 2.0));
                if words.place(middle - half, middle + half) {
                    self.text(middle, y + 24.0, label, &format!(" fill=\"{RED}\""));
                }
            }
            _ => {}
        }
    }

    fn finish(self, timeline: &Timeline) -> String {
        let height = self.y + AXIS;
        let (unit, ticks) = self.scale.ticks();
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" role=\"img\" \
             style=\"display:block;max-width:100%;height:auto\" fill=\"none\" stroke=\"currentColor\" font-size=\"13\" \
             font-family=\"system-ui,sans-serif\" text-anchor=\"middle\">\n<title>{2}</title>\n<desc>{3}</desc>\n{STYLE}\n",
            f(WIDTH),
            f(height),
            escaped(&timeline.title),
            escaped(&describe(timeline)),
        );
        let mut grid = String::new();
        for (x, _) in &ticks {
            let _ = write!(grid, "M{} 0V{}", f(*x), f(self.y + 4.0));
        }
        let _ = writeln!(svg, "<path d=\"{grid}\" stroke-opacity=\".13\"/>");
        let _ = writeln!(
            svg,
            "<path d=\"M{} {y}H{}\" stroke-opacity=\".5\"/>",
            f(self.left),
            f(self.right),
            y = f(self.y + 4.0)
        );
        svg.push_str(&self.shapes);
        let mut breaks = String::new();
        for x in self.scale.breaks() {
            let _ = write!(breaks, "M{} {}l4 -8m4 0l-4 8", f(x - 4.0), f(self.y + 8.0));
        }
        if !breaks.is_empty() {
            let _ = writeln!(svg, "<path d=\"{breaks}\"/>");
        }
        svg.push_str("<g fill=\"currentColor\" stroke=\"none\">\n");
        svg.push_str(&self.texts);
        svg.push_str("<g font-size=\"12\" opacity=\".75\">\n");
        for (x, number) in &ticks {
            let _ = writeln!(svg, "<text x=\"{}\" y=\"{}\">{number}</text>", f(*x), f(self.y + 18.0));
        }
        let _ = writeln!(svg, "<text x=\"2\" y=\"{}\" text-anchor=\"start\">{unit}</text>", f(self.y + 18.0));
        svg.push_str("</g>\n</g>\n</svg>\n");
        svg
    }

    fn shape(&mut self, shape: &str) {
        self.shapes.push_str(shape);
        self.shapes.push('\n');
    }

    fn text(&mut self, x: f64, y: f64, text: &str, style: &str) {
        let _ = writeln!(self.texts, "<text x=\"{}\" y=\"{}\"{style}>{}</text>", f(x), f(y), escaped(text));
    }
}

/// The part of a stretch that no value covers: it begins behind the one that stands at its begin, and ends before the one
/// that stands at its end.
fn beside(items: &[(f64, f64)], from: f64, to: f64) -> (f64, f64) {
    let covers = |x: f64| items.iter().find(move |(left, right)| (*left..*right).contains(&x));
    let begin = covers(from).map_or(from, |(_, right)| right + 1.0);
    let end = covers(to).map_or(to, |(left, _)| left - 1.0);
    if end > begin { (begin, end) } else { (from, to) }
}

/// The words below the line of a lane: one that would touch another is left out.
#[derive(Debug, Default)]
struct Words {
    end: f64,
}

impl Words {
    fn place(&mut self, from: f64, to: f64) -> bool {
        let free = from >= self.end;
        if free {
            self.end = to + 4.0;
        }
        free
    }
}

fn lanes(timeline: &Timeline) -> impl Iterator<Item = &Lane> {
    timeline.rows.iter().filter_map(|row| match row {
        Row::Lane(lane) => Some(lane),
        Row::Operator(_) | Row::Gap => None,
    })
}

fn marks(timeline: &Timeline) -> impl Iterator<Item = &Mark> {
    lanes(timeline).flat_map(|lane| &lane.marks)
}

/// How far the last values of the lanes reach beyond their times.
fn overhang(timeline: &Timeline) -> f64 {
    let last = lanes(timeline).filter_map(|lane| {
        let value = |mark: &&Mark| matches!(mark.kind, Kind::Item { .. });
        lane.marks.iter().rfind(value).map(|mark| (lane, mark))
    });
    let reach = last.map(|(lane, mark)| match &mark.kind {
        Kind::Item { parts, .. } if ends_work(lane, mark) => width(parts),
        Kind::Item { parts, .. } => width(parts) / 2.0,
        _ => 0.0,
    });
    reach.fold(0.0, f64::max)
}

/// Whether the value is what came of work on the same lane, and not what more work begins with.
fn ends_work(lane: &Lane, value: &Mark) -> bool {
    let mut work = lane.marks.iter().filter(|mark| matches!(mark.kind, Kind::Work { .. }));
    work.clone().any(|mark| mark.until() == value.at) && !work.any(|mark| mark.at == value.at)
}

fn lane_height(lane: &Lane) -> f64 {
    let words = lane.marks.iter().any(|mark| matches!(&mark.kind, Kind::Error(label) if !label.is_empty()));
    if words { LANE + WORDS } else { LANE }
}

fn hue(part: &Part) -> &'static str {
    HUES[part.hue % HUES.len()]
}

/// The width of a value.
fn width(parts: &[Part]) -> f64 {
    parts.iter().map(|part| cell(parts, part)).sum()
}

/// The width of a part: alone it is at least a circle.
fn cell(parts: &[Part], part: &Part) -> f64 {
    let least = if parts.len() == 1 { 2.0 * RADIUS } else { 1.5 * RADIUS };
    (text_width(&part.text) + 8.0).max(least)
}

/// About what the text takes.
fn text_width(text: &str) -> f64 {
    count(columns(text)) * LETTER
}

/// About how many letters wide the text is: those of East Asia are twice as wide.
fn columns(text: &str) -> usize {
    text.chars()
        .map(|c| if ('\u{1100}'..='\u{ffef}').contains(&c) && !('\u{2000}'..='\u{2e7f}').contains(&c) { 2 } else { 1 })
        .sum()
}

/// The text, or as much of it as fits.
fn fitting(text: &str, room: f64) -> String {
    if text_width(text) <= room {
        return text.to_owned();
    }
    let mut fitting = String::new();
    for c in text.chars() {
        fitting.push(c);
        if text_width(&fitting) + LETTER > room {
            fitting.pop();
            break;
        }
    }
    fitting.push('…');
    fitting
}

/// A cell from `left` on, round where the value begins and ends.
fn outline(left: f64, y: f64, width: f64, first: bool, last: bool) -> String {
    let (top, side) = (f(y - RADIUS), 2.0 * RADIUS);
    let begin = if first { left + RADIUS } else { left };
    let end = if last { left + width - RADIUS } else { left + width };
    let arc = |sweep: f64| format!("a{r} {r} 0 0 1 0 {}", f(sweep), r = f(RADIUS));
    let ahead = if last { arc(side) } else { format!("v{}", f(side)) };
    let back = if first { arc(-side) } else { "z".to_owned() };
    format!("M{begin} {top}H{end}{ahead}H{begin}{back}", begin = f(begin), end = f(end))
}

/// At most one digit behind the point, which is enough for the eye.
fn f(number: f64) -> String {
    let text = format!("{number:.1}");
    text.strip_suffix(".0").map(str::to_owned).unwrap_or(text)
}

#[expect(clippy::cast_precision_loss, reason = "the lengths of words")]
fn count(number: usize) -> f64 {
    number as f64
}

/// Fit for XML and for HTML, in one line.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            c if c.is_control() => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    fn part(text: &str) -> Part {
        Part::new(text, 0)
    }

    fn drawn(lane: Lane) -> String {
        let mut timeline = Timeline::new("a < b && \"c\"");
        timeline.lane(lane);
        timeline.operator("map(|n| n > 1)");
        timeline.to_svg()
    }

    #[test]
    fn markdown_takes_it_as_one_piece_of_html() {
        let svg = drawn(Lane::new("source"));
        let first = svg.lines().next().unwrap();
        assert!(first.starts_with("<svg ") && first.ends_with('>'), "{first}");
        assert!(svg.lines().all(|line| !line.trim().is_empty()), "{svg}");
        assert!(svg.ends_with("</svg>\n"));
    }

    #[test]
    fn many_fit_in_one_page() {
        let svg = drawn(Lane::new("source"));
        for named in ["id=", "class=", "url(", "href"] {
            assert!(!svg.contains(named), "{named}");
        }
    }

    #[test]
    fn texts_are_escaped() {
        let mut lane = Lane::new("<city>\n");
        lane.item(ms(0), [part("&")]);
        let svg = drawn(lane);
        assert!(svg.contains("<title>a &lt; b &amp;&amp; &quot;c&quot;</title>"), "{svg}");
        assert!(svg.contains(">&lt;city&gt; </text>") && svg.contains(">&amp;</text>"), "{svg}");
        assert!(svg.contains(">map(|n| n &gt; 1)</text>"), "{svg}");
    }

    #[test]
    fn values_of_one_moment_stand_side_by_side() {
        let mut lane = Lane::new("out");
        let timeline = Timeline::new("");
        for text in ["1", "2", "3"] {
            lane.item(ms(5), [part(text)]);
        }
        let items = Pen::new(&timeline).items(&lane);
        assert!(items.windows(2).all(|pair| pair[0].1 < pair[1].0), "{items:?}");
    }

    #[test]
    fn the_outcome_of_work_stands_behind_it_and_what_it_is_about_over_its_begin() {
        let mut lane = Lane::new("out");
        lane.work(ms(0), ms(50), part(""));
        lane.item(ms(50), [part("1")]);
        lane.work(ms(50), ms(100), part(""));
        lane.item(ms(100), [part("2")]);
        let mut timeline = Timeline::new("");
        timeline.lane(lane.clone());
        let pen = Pen::new(&timeline);
        let [first, second] = pen.items(&lane)[..] else { panic!("two values") };
        let middle = |(left, right)| f64::midpoint(left, right);
        assert!((middle(first) - pen.scale.place(ms(50))).abs() < 0.1);
        assert!(second.0 > pen.scale.place(ms(100)));
    }

    #[test]
    fn a_line_runs_to_the_end_or_beyond_the_picture() {
        let mut lane = Lane::new("source");
        lane.start(ms(0));
        lane.item(ms(50), [part("1")]);
        let runs_on = drawn(lane.clone());
        assert!(runs_on.contains("H496m-6 -4l6 4l-6 4"), "{runs_on}");
        lane.end(ms(100));
        let ends = drawn(lane);
        assert!(!ends.contains("H496") && ends.contains("v22"), "{ends}");
    }

    #[test]
    fn a_stretch_leaves_the_values_at_its_ends_alone() {
        let items = [(0.0, 25.0), (100.0, 124.0)];
        assert_eq!(beside(&items, 12.0, 112.0), (26.0, 99.0));
        assert_eq!(beside(&items, 40.0, 60.0), (40.0, 60.0));
        assert_eq!(beside(&items, 12.0, 13.0), (12.0, 13.0));
    }

    #[test]
    fn long_labels_are_cut() {
        assert_eq!(fitting("Seoul", 100.0), "Seoul");
        assert_eq!(fitting("서울특별시 중구", 60.0), "서울특…");
        assert_eq!(f(1.0), "1");
        assert_eq!(f(1.25), "1.2");
    }
}
