//! What happened in a run, and a picture of it with a time axis: a marble diagram in SVG.
//!
//! A [`Timeline`] has rows from top to bottom: a [`Lane`] for each flow, attempt or task, with the operators between
//! them. [`Timeline::to_svg`] draws it. The picture takes its text colour from the page around it, and as a file of its own
//! from the reader's light or dark scheme. It says in words what it shows, for those who do not see it.
//!
//! ```
//! use coldflow_timeline::{Lane, Part, Timeline};
//! use std::time::Duration;
//!
//! let ms = Duration::from_millis;
//! let mut typed = Lane::new("typed");
//! typed.start(ms(0));
//! let lost = typed.item(ms(0), [Part::new("c", 0)]);
//! typed.lose(lost, ms(50));
//! typed.item(ms(50), [Part::new("co", 1)]);
//! typed.end(ms(400));
//!
//! let mut picture = Timeline::new("debounce");
//! picture.lane(typed);
//! picture.operator("debounce(200 ms)");
//! let svg = picture.to_svg();
//! assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
//! assert!(svg.contains("typed: starts at 0 ms, c at 0 ms (dropped at 50 ms), co at 50 ms, ends at 400 ms."));
//! ```

mod describe;
mod draw;
mod lane;
mod scale;

pub use describe::span;
pub use lane::{Lane, Part};

use lane::Row;

/// A picture of a run: its rows, from top to bottom.
#[derive(Clone, Debug)]
pub struct Timeline {
    title: String,
    rows: Vec<Row>,
    breaks: bool,
}

impl Timeline {
    /// A picture without rows.
    pub fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), rows: Vec::new(), breaks: false }
    }

    /// Adds a lane at the bottom.
    pub fn lane(&mut self, lane: Lane) {
        self.rows.push(Row::Lane(lane));
    }

    /// Adds an operator at the bottom: what stands between the lanes above and the lanes below.
    pub fn operator(&mut self, text: impl Into<String>) {
        self.rows.push(Row::Operator(text.into()));
    }

    /// Sets what follows apart from what is above: another run.
    pub fn gap(&mut self) {
        self.rows.push(Row::Gap);
    }

    /// Shortens long times in which nothing happens and nothing is busy, and marks them on the axis.
    pub fn break_long_gaps(&mut self) {
        self.breaks = true;
    }

    /// The picture, with a line feed at its end and no empty line inside, so that Markdown takes it as one piece of HTML.
    pub fn to_svg(&self) -> String {
        draw::draw(self)
    }
}
