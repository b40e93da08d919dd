use core::error::Error;
use core::fmt;
use core::time::Duration;

/// How long a frame is where nothing else is said.
pub(super) const FRAME: Duration = Duration::from_millis(10);

/// Something that a flow does at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    Item(String),
    Failure,
    End,
}

impl Mark {
    /// Whether nothing can follow it.
    pub(super) fn is_last(&self) -> bool {
        !matches!(self, Mark::Item(_))
    }

    /// How a diagram shows it; what an item has to be for that is one character that means nothing else there.
    fn sign(&self) -> Option<char> {
        match self {
            Mark::Item(text) => {
                let mut signs = text.chars();
                signs.next().filter(|sign| signs.next().is_none() && is_item(*sign))
            }
            Mark::Failure => Some('#'),
            Mark::End => Some('|'),
        }
    }
}

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Mark::Item(text) => text,
            Mark::Failure => "#",
            Mark::End => "|",
        })
    }
}

fn is_item(sign: char) -> bool {
    !sign.is_whitespace() && !matches!(sign, '-' | '|' | '#' | '(' | ')' | '^' | '!')
}

/// The marks of a diagram, each with its frame.
pub(super) fn parse(diagram: &str) -> Result<Vec<(u32, Mark)>, ParseMarbleError> {
    let mut marks: Vec<(u32, Mark)> = Vec::new();
    let mut frame = 0;
    // How many marks there were before the group that is open.
    let mut group = None;
    let mut ended = false;
    let signs = diagram.chars().map(Some).chain([None]);
    for (at, got) in signs.enumerate() {
        let expected = |expected| ParseMarbleError { diagram: diagram.to_owned(), at, expected, got };
        match got {
            Some(sign) if sign.is_whitespace() => continue,
            Some(')') if group.is_some_and(|before| before < marks.len()) => group = None,
            None if group.is_none() => break,
            _ if ended && group.is_some() => return Err(expected("`)`")),
            _ if ended => return Err(expected("nothing behind the end")),
            Some('|') => marks.push((frame, Mark::End)),
            Some('#') => marks.push((frame, Mark::Failure)),
            Some(sign) if is_item(sign) => marks.push((frame, Mark::Item(sign.to_string()))),
            Some('-') if group.is_none() => {}
            Some('(') if group.is_none() => {
                group = Some(marks.len());
                continue;
            }
            _ if group.is_none() => return Err(expected("an item, `-`, `(`, `#` or `|`")),
            _ => return Err(expected("an item, `#`, `|` or, behind one, `)`")),
        }
        ended = marks.last().is_some_and(|(_, mark)| mark.is_last());
        if group.is_none() {
            frame += 1;
        }
    }
    Ok(marks)
}

/// Why a text is not a diagram, and where.
///
/// # Examples
///
/// ```
/// use coldflow::test_util::Marble;
///
/// let error = "-a-(b-c)".parse::<Marble>().unwrap_err();
/// let message = "expected an item, `#`, `|` or, behind one, `)` at character 6 of \"-a-(b-c)\", got `-`";
/// assert_eq!(error.to_string(), message);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseMarbleError {
    diagram: String,
    at: usize,
    expected: &'static str,
    got: Option<char>,
}

impl fmt::Display for ParseMarbleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ParseMarbleError { diagram, at, expected, got } = self;
        write!(f, "expected {expected} at character {} of {diagram:?}, got ", at + 1)?;
        match got {
            Some(sign) => write!(f, "`{sign}`"),
            None => f.write_str("its end"),
        }
    }
}

impl Error for ParseMarbleError {}

/// What a flow did and when, as [`to_marble`](super::to_marble()) has seen it.
///
/// It is compared with a diagram by what that says, mark by mark: spaces do not count, nor do frames in which nothing
/// happens behind the last mark. `Display` and `Debug` show the diagram that it is equal to. There is none when
/// something happened between two frames, or when an item is not just one character; then both show a list of times.
///
/// # Panics
///
/// The comparison does, with what is wrong, when the text on the right is not a diagram.
///
/// # Examples
///
/// ```
/// use coldflow::test_util::{marble, to_marble};
/// use coldflow::FlowExt;
/// use std::time::Duration;
///
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() {
/// let late = to_marble(marble("a-b|").delay_start(Duration::from_millis(20))).await;
/// assert_eq!(late, "-- a-b|");
/// assert_eq!(late.to_string(), "--a-b|");
///
/// let between = to_marble(marble("a-b|").delay_start(Duration::from_millis(15))).await;
/// assert_eq!(between.to_string(), "15 ms a, 35 ms b, 45 ms |");
/// # }
/// ```
#[derive(Clone)]
pub struct Timeline {
    frame: Duration,
    marks: Vec<(Duration, Mark)>,
}

impl Timeline {
    pub(super) fn new(frame: Duration, marks: Vec<(Duration, Mark)>) -> Self {
        Timeline { frame, marks }
    }

    /// The diagram, if there is one.
    fn diagram(&self) -> Option<String> {
        let mut diagram = String::new();
        let mut frame = 0;
        for marks in self.marks.chunk_by(|(one, _), (other, _)| one == other) {
            let (at, _) = marks[0];
            if at.as_nanos() % self.frame.as_nanos() != 0 {
                return None;
            }
            while self.frame.saturating_mul(frame) < at {
                diagram.push('-');
                frame += 1;
            }
            let signs: String = marks.iter().map(|(_, mark)| mark.sign()).collect::<Option<_>>()?;
            if marks.len() == 1 {
                diagram.push_str(&signs);
            } else {
                diagram.extend(["(", &signs, ")"]);
            }
            frame += 1;
        }
        Some(diagram)
    }
}

impl PartialEq for Timeline {
    fn eq(&self, other: &Timeline) -> bool {
        self.marks == other.marks
    }
}

impl Eq for Timeline {}

impl PartialEq<str> for Timeline {
    #[track_caller]
    fn eq(&self, diagram: &str) -> bool {
        // Not in a closure, so that the panic tells the place of the comparison.
        let expected = match parse(diagram) {
            Ok(marks) => marks,
            Err(error) => panic!("the text to compare with is no diagram: {error}"),
        };
        let expected = expected.into_iter().map(|(frame, mark)| (self.frame.saturating_mul(frame), mark));
        self.marks.iter().cloned().eq(expected)
    }
}

impl PartialEq<&str> for Timeline {
    #[track_caller]
    fn eq(&self, diagram: &&str) -> bool {
        *self == **diagram
    }
}

impl fmt::Display for Timeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(diagram) = self.diagram() {
            return f.write_str(&diagram);
        }
        for (nth, (at, mark)) in self.marks.iter().enumerate() {
            if nth > 0 {
                f.write_str(", ")?;
            }
            write!(f, "{}", at.as_millis())?;
            if at.subsec_micros() % 1_000 > 0 {
                write!(f, ".{:03}", at.subsec_micros() % 1_000)?;
            }
            write!(f, " ms {mark}")?;
        }
        Ok(())
    }
}

/// As text in quotation marks, so that a failed `assert_eq!` shows two texts.
impl fmt::Debug for Timeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.to_string(), f)
    }
}
