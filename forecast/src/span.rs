//! Lengths of time as people write them.

use std::time::Duration;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Reads "5", "5s", "1.5s" or "200ms". A number without a unit means seconds.
///
/// # Errors
/// A message for people, if `text` is no length of time or longer than a day.
pub fn parse_span(text: &str) -> Result<Duration, String> {
    let (number, seconds) = if let Some(number) = text.strip_suffix("ms") {
        (number, 0.001)
    } else {
        (text.strip_suffix('s').unwrap_or(text), 1.0)
    };
    let span = number
        .parse::<f64>()
        .ok()
        .and_then(|number| Duration::try_from_secs_f64(number * seconds).ok())
        .ok_or_else(|| format!("expected seconds such as 5, 1.5s or 200ms, got {text:?}"))?;
    if span > DAY {
        return Err(format!("expected at most a day, got {text:?}"));
    }
    Ok(span)
}
