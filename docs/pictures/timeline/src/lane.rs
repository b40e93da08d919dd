use std::time::Duration;

/// A row of a picture.
#[derive(Clone, Debug)]
pub(crate) enum Row {
    Lane(Lane),
    Operator(String),
    Gap,
}

/// A line of a picture, and what happened on it.
#[derive(Clone, Debug)]
pub struct Lane {
    pub(crate) label: String,
    pub(crate) marks: Vec<Mark>,
}

/// A value, or a part of one that was put together from several: each has its own colour.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// What stands in it.
    pub text: String,
    /// Its colour: equal numbers are equal colours, and any number will do.
    pub hue: usize,
}

/// Something that happened.
#[derive(Clone, Debug)]
pub(crate) struct Mark {
    pub(crate) at: Duration,
    pub(crate) kind: Kind,
}

#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Start,
    /// `lost` is when it was dropped, for one that arrived nowhere.
    Item {
        parts: Vec<Part>,
        lost: Option<Duration>,
    },
    Work {
        until: Duration,
        part: Part,
    },
    Wait {
        until: Duration,
        label: String,
    },
    Error(String),
    End,
    Cancelled,
}

impl Part {
    /// A value with this text and colour.
    pub fn new(text: impl Into<String>, hue: usize) -> Self {
        Self { text: text.into(), hue }
    }
}

impl Lane {
    /// A lane on which nothing has happened.
    pub fn new(label: impl Into<String>) -> Self {
        Self { label: label.into(), marks: Vec::new() }
    }

    /// It begins to run.
    pub fn start(&mut self, at: Duration) {
        self.push(at, Kind::Start);
    }

    /// A value comes. What is given back is for [`lose`](Self::lose).
    pub fn item(&mut self, at: Duration, parts: impl IntoIterator<Item = Part>) -> usize {
        self.push(at, Kind::Item { parts: parts.into_iter().collect(), lost: None });
        self.marks.len() - 1
    }

    /// The value is dropped and arrives nowhere.
    pub fn lose(&mut self, item: usize, at: Duration) {
        if let Some(Mark { kind: Kind::Item { lost, .. }, .. }) = self.marks.get_mut(item) {
            *lost = Some(at);
        }
    }

    /// Something was busy for some time, with what the part tells.
    pub fn work(&mut self, at: Duration, until: Duration, part: Part) {
        self.push(at, Kind::Work { until, part });
    }

    /// Something waited for some time, which the label tells or explains.
    pub fn wait(&mut self, at: Duration, until: Duration, label: impl Into<String>) {
        self.push(at, Kind::Wait { until, label: label.into() });
    }

    /// It fails, for the reason that the label tells.
    pub fn error(&mut self, at: Duration, label: impl Into<String>) {
        self.push(at, Kind::Error(label.into()));
    }

    /// It ends normally.
    pub fn end(&mut self, at: Duration) {
        self.push(at, Kind::End);
    }

    /// It is dropped before its end.
    pub fn cancelled(&mut self, at: Duration) {
        self.push(at, Kind::Cancelled);
    }

    fn push(&mut self, at: Duration, kind: Kind) {
        self.marks.push(Mark { at, kind });
    }
}

impl Mark {
    /// When it is over.
    pub(crate) fn until(&self) -> Duration {
        match self.kind {
            Kind::Work { until, .. } | Kind::Wait { until, .. } => until,
            _ => self.at,
        }
    }
}
