//! Small things about lines of text.

use std::error::Error;
use std::io::{self, Write as _};
use std::process;
use std::time::Duration;

use forecast::ApiError;

/// The longest piece of foreign text that a line shows.
const LONGEST: usize = 80;

/// Prints a line. A reader that closed the pipe has seen enough, so its absence is no error; a full disk is one.
pub(crate) fn out(line: &str) {
    if let Err(error) = writeln!(io::stdout().lock(), "{line}") {
        if error.kind() != io::ErrorKind::BrokenPipe {
            err(&format!("forecast: standard output cannot be written: {}", without_number(&error)));
            process::exit(1);
        }
    }
}

/// Prints a line to standard error.
pub(crate) fn err(line: &str) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}

pub(crate) fn trace_to_stderr() {
    tracing_subscriber::fmt()
        .with_max_level(tracing::Level::DEBUG)
        .with_writer(io::stderr)
        .with_ansi(colourful(&io::stderr()))
        .init();
}

/// Whether colours make sense on `stream`.
pub(crate) fn colourful(stream: &impl io::IsTerminal) -> bool {
    let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    stream.is_terminal() && !refused && !dumb
}

/// Whether standard output takes colours.
pub(crate) fn stdout_is_colourful() -> bool {
    colourful(&io::stdout())
}

/// Text from outside, fit for a line: no control characters, not too long.
pub(crate) fn tame(text: &str) -> String {
    let mut tame: String = text.chars().take(LONGEST).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().nth(LONGEST).is_some() {
        tame.push('…');
    }
    tame
}

/// "1 attempt", "3 attempts".
pub(crate) fn counted(count: u32, thing: &str) -> String {
    if count == 1 { format!("1 {thing}") } else { format!("{count} {thing}s") }
}

/// "at once", "in 1 s", "in 2.5 s".
pub(crate) fn wait(delay: Duration) -> String {
    if delay.is_zero() { "at once".to_owned() } else { format!("in {}", coldflow_timeline::span(delay)) }
}

/// What came back, in a few words.
pub(crate) fn brief(error: &ApiError) -> String {
    let cause = root_cause(error);
    match error {
        ApiError::Status { status, retry_after, .. } => {
            let asks = retry_after.map(|wait| format!(", asks to wait {} s", wait.as_secs())).unwrap_or_default();
            let reason = cause.map(|reason| format!(": {reason}")).unwrap_or_default();
            format!("status {status}{asks}{reason}")
        }
        ApiError::Unreachable { .. } => {
            format!("no response: {}", cause.unwrap_or_else(|| "unknown why".to_owned()))
        }
        ApiError::UnknownCity { .. } => "no such city".to_owned(),
        ApiError::Unexpected { .. } => explain(error),
    }
}

/// What came back, in a word or two.
pub(crate) fn word(error: &ApiError) -> String {
    match error {
        ApiError::Status { status, .. } => status.to_string(),
        ApiError::Unreachable { .. } => "no response".to_owned(),
        ApiError::UnknownCity { .. } => "no such city".to_owned(),
        ApiError::Unexpected { .. } => "no forecast".to_owned(),
    }
}

/// What went wrong and what to do, in a line.
pub(crate) fn explain(error: &ApiError) -> String {
    match (error, root_cause(error)) {
        (ApiError::UnknownCity { city }, _) => {
            let error = ApiError::UnknownCity { city: tame(city) };
            error.to_string()
        }
        (_, Some(cause)) => format!("{error} ({cause})"),
        (_, None) => error.to_string(),
    }
}

/// The innermost cause, in a line.
fn root_cause(error: &ApiError) -> Option<String> {
    error.source()?;
    let text = without_number(error.root_cause()?);
    Some(text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect())
}

/// The text of an error of the system, without the number that only programmers look up.
pub(crate) fn without_number(error: &(impl Error + ?Sized)) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or_default().to_owned()
}
