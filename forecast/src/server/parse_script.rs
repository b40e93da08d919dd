use std::error::Error;
use std::fmt;
use std::str::FromStr;

use super::script::{Endpoint, Fault, RetryAfter, Script, Step};
use crate::span::parse_span;

/// A step that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptError {
    step: String,
}

impl fmt::Display for ScriptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is no step of a script; the steps are {}", self.step, Script::GRAMMAR)
    }
}

impl Error for ScriptError {}

impl FromStr for Script {
    type Err = ScriptError;

    fn from_str(text: &str) -> Result<Self, ScriptError> {
        let text = text.trim();
        let (steps, repeats) = match text.strip_suffix('*') {
            Some(steps) => (steps, true),
            None => (text, false),
        };
        let steps = steps
            .split(',')
            .map(|step| parse_step(step.trim()).ok_or_else(|| ScriptError { step: step.trim().to_owned() }));
        Ok(Self { steps: steps.collect::<Result<_, _>>()?, repeats })
    }
}

fn parse_step(step: &str) -> Option<Step> {
    let (fault, endpoint) = match step.split_once('@') {
        Some((fault, "search")) => (fault, Endpoint::Search),
        Some((fault, "forecast")) => (fault, Endpoint::Forecast),
        Some(_) => return None,
        None => (step, Endpoint::Search),
    };
    let fault = match fault {
        "ok" => return Some(Step::OK),
        "reset" => Fault::Reset,
        "cut" => Fault::Cut,
        "garbage" => Fault::Garbage,
        "stall" => Fault::Stall,
        _ => match fault.split_once(':') {
            Some(("delay", delay)) => Fault::Delay(parse_span(delay).ok()?),
            Some((status, value)) => {
                Fault::Status { status: parse_status(status)?, retry_after: Some(parse_value(value)?) }
            }
            None => Fault::status(parse_status(fault)?),
        },
    };
    Some(fault.on(endpoint))
}

fn parse_status(text: &str) -> Option<u16> {
    text.parse().ok().filter(|status| (400..600).contains(status))
}

fn parse_value(text: &str) -> Option<RetryAfter> {
    if let Some(seconds) = text.strip_prefix("date") {
        return seconds.parse().ok().map(RetryAfter::DateIn);
    }
    let fits_a_header = !text.contains(|c: char| c.is_control());
    fits_a_header.then(|| RetryAfter::Text(text.to_owned()))
}
