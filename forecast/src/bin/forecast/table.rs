use forecast::FetchResult;
use unicode_width::UnicodeWidthStr as _;

use crate::report::{weather, where_it_stood};
use crate::text::tame;
use crate::watch::{Phase, Watch};

/// A line per city, in the order they were named.
pub(crate) fn render(watches: &[Watch<'_>]) -> String {
    let mut rows = vec![["CITY".to_owned(), "ATTEMPTS".to_owned(), "WEATHER".to_owned()]];
    rows.extend(watches.iter().map(row));
    let width = |column: usize| rows.iter().map(|row| row[column].width()).max().unwrap_or(0);
    let (cities, attempts) = (width(0), width(1));
    let lines: Vec<String> = rows
        .iter()
        .map(|[city, count, weather]| format!("{}  {}  {weather}", pad(city, cities), pad(count, attempts)))
        .collect();
    lines.join("\n")
}

fn row(watch: &Watch<'_>) -> [String; 3] {
    let seen = watch.seen();
    let weather = match (&seen.phase, &seen.failure) {
        (Phase::Done(Ok(FetchResult::Success { forecast, .. })), _) => weather(forecast),
        (Phase::Done(_), Some((brief, _))) => format!("failed: {brief}"),
        _ => format!("stopped {}", where_it_stood(&seen)),
    };
    [tame(&watch.city), seen.attempts.to_string(), weather]
}

/// Counts columns rather than letters: 서울 takes four.
fn pad(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(text.width())))
}
