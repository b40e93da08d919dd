use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use coldflow_timeline::{Lane, Part, Timeline, span};

use crate::args::Exit;
use crate::text::{self, counted, tame};
use crate::watch::{Seen, Step, Watch};

/// The colours of an attempt and of the weather.
const ATTEMPT: usize = 0;
const WEATHER: usize = 2;

/// The file for a picture of the run.
#[derive(Debug)]
pub(crate) struct Picture {
    path: PathBuf,
    file: File,
}

impl Picture {
    /// Creates the file, before anything is asked for: nobody wants to learn of a wrong name afterwards.
    pub(crate) fn create(path: &Path) -> Result<Self, Exit> {
        match File::create(path) {
            Ok(file) => Ok(Self { path: path.to_owned(), file }),
            Err(error) => Err(Exit::usage(cannot_be_written(path, &error))),
        }
    }

    /// Draws what has happened until now: a lane for each city, with its attempts, waits and result. Time begins with the
    /// first attempt.
    pub(crate) fn draw(mut self, watches: &[Watch<'_>]) -> Result<(), Exit> {
        let svg = drawn(watches, Instant::now());
        self.file.write_all(svg.as_bytes()).map_err(|error| Exit::failure(cannot_be_written(&self.path, &error)))
    }
}

fn cannot_be_written(path: &Path, error: &io::Error) -> String {
    format!("{} cannot be written: {}; name another file", path.display(), text::without_number(error))
}

fn drawn(watches: &[Watch<'_>], now: Instant) -> String {
    let first = watches.iter().filter_map(|watch| watch.seen().steps.first().map(|(at, _)| *at)).min();
    let began = first.unwrap_or(now);
    let attempts = counted(watches.iter().map(|watch| watch.seen().attempts).sum(), "attempt");
    let mut timeline = Timeline::new(match watches {
        [watch] => format!("{attempts} for {}", tame(&watch.city)),
        _ => format!("{attempts} for {} cities", watches.len()),
    });
    for watch in watches {
        timeline.lane(lane(&tame(&watch.city), &watch.seen(), |at| at.duration_since(began), now));
    }
    timeline.break_long_gaps();
    timeline.to_svg()
}

/// What a call is busy with.
enum Doing {
    Nothing,
    Attempt(Duration),
    Wait(Duration, String),
}

fn lane(city: &str, seen: &Seen, since: impl Fn(Instant) -> Duration, now: Instant) -> Lane {
    let mut lane = Lane::new(city);
    let mut attempts = 0;
    let mut doing = Doing::Nothing;
    for (at, step) in &seen.steps {
        let at = since(*at);
        close(&mut lane, &doing, attempts, at);
        doing = match step {
            Step::Started => {
                attempts += 1;
                Doing::Attempt(at)
            }
            Step::Failed { why, retry } => {
                lane.error(at, why);
                match retry {
                    Some(delay) if !delay.is_zero() => Doing::Wait(at, span(*delay)),
                    _ => Doing::Nothing,
                }
            }
            Step::Succeeded(forecast) => {
                let temperature = forecast.temperature.map(|degrees| format!("{degrees} °C"));
                lane.item(at, [Part::new(temperature.unwrap_or_else(|| "ok".to_owned()), WEATHER)]);
                Doing::Nothing
            }
        };
    }
    if !matches!(doing, Doing::Nothing) {
        // Ctrl-C came first.
        let now = since(now);
        close(&mut lane, &doing, attempts, now);
        lane.cancelled(now);
    }
    lane
}

/// Draws what ends at `now`.
fn close(lane: &mut Lane, doing: &Doing, attempts: u32, now: Duration) {
    match doing {
        Doing::Nothing => {}
        Doing::Attempt(from) => lane.work(*from, now, Part::new(attempts.to_string(), ATTEMPT)),
        Doing::Wait(from, label) => lane.wait(*from, now, label),
    }
}
