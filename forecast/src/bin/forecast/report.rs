use std::time::Duration;

use forecast::{FetchResult, Forecast};
use serde_json::{Value, json};

use crate::run::Ended;
use crate::table;
use crate::text::{self, counted, tame, wait};
use crate::watch::{Phase, Seen, Watch};

/// Where and how to say what happens.
#[derive(Debug)]
pub(crate) struct Report {
    json: bool,
    /// One city gets a line per attempt, many get a bar and a table.
    one: bool,
    url: String,
    colour: bool,
}

impl Report {
    pub(crate) fn new(json: bool, one: bool, url: String) -> Self {
        Self { json, one, url, colour: !json && text::stdout_is_colourful() }
    }

    /// A line for an attempt that failed.
    pub(crate) fn failed(&self, request_id: &str, brief: &str, retry: Option<Duration>) {
        let next = match retry {
            Some(delay) => format!("next attempt {}", wait(delay)),
            None => "no further attempt".to_owned(),
        };
        self.attempt(request_id, &self.paint(YELLOW, brief), &format!(" → {next}"));
    }

    /// A line for the attempt that succeeded.
    pub(crate) fn succeeded(&self, city: &str, attempts: u32, forecast: &Forecast) {
        let request_id = format!("forecast:{city}:{attempts}");
        self.attempt(&request_id, &self.paint(GREEN, &weather(forecast)), "");
    }

    fn attempt(&self, request_id: &str, came_back: &str, next: &str) {
        if !self.one {
            return;
        }
        let line = format!("{}  {came_back}{next}", tame(request_id));
        // JSON is for programs, and its lines must not be among it.
        if self.json { text::err(&line) } else { text::out(&line) }
    }

    /// The results, and how far it got if it was stopped.
    pub(crate) fn finish(&self, watches: &[Watch<'_>], ended: Ended) {
        if self.json {
            for watch in watches {
                text::out(&as_json(watch).to_string());
            }
        } else if !self.one {
            text::out(&table::render(watches));
        }
        if let (true, [watch]) = (self.one, watches) {
            self.finish_one(watch, ended);
        } else {
            finish_many(watches, ended);
        }
    }

    fn finish_one(&self, watch: &Watch<'_>, ended: Ended) {
        let seen = watch.seen();
        let city = tame(&watch.city);
        let attempts = counted(seen.attempts, "attempt");
        if let Phase::Done(Ok(FetchResult::Success { forecast, .. })) = &seen.phase {
            if !self.json {
                let country = forecast.country.as_ref().map(|country| format!(", {}", tame(country)));
                let place = format!("{}{}", tame(&forecast.city), country.unwrap_or_default());
                text::out(&format!("{}: {} ({attempts})", self.paint(BOLD, &place), weather(forecast)));
            }
        } else if ended == Ended::ByCtrlC {
            text::err(&format!(
                "forecast: stopped by Ctrl-C {} for {city}; nothing more is sent",
                where_it_stood(&seen)
            ));
        } else if let Some((_, explanation)) = &seen.failure {
            text::err(&format!("forecast: no forecast for {city} from {} after {attempts}: {explanation}", self.url));
        }
    }

    fn paint(&self, style: &str, text: &str) -> String {
        if self.colour { format!("\x1b[{style}m{text}\x1b[0m") } else { text.to_owned() }
    }
}

const BOLD: &str = "1";
const GREEN: &str = "32";
const YELLOW: &str = "33";

fn finish_many(watches: &[Watch<'_>], ended: Ended) {
    let succeeded = watches.iter().filter(|watch| watch.succeeded()).count();
    let done = watches.iter().filter(|watch| matches!(watch.seen().phase, Phase::Done(_))).count();
    let all = watches.len();
    if ended == Ended::ByCtrlC {
        text::err(&format!("forecast: stopped by Ctrl-C with {done} of {all} cities done; nothing more is sent"));
    } else if succeeded < all {
        text::err(&format!("forecast: no forecast for {} of {all} cities; the table says why", all - succeeded));
    }
}

/// "light rain, 14.2 °C, wind 9 km/h".
pub(crate) fn weather(forecast: &Forecast) -> String {
    let temperature = forecast.temperature.map(|degrees| format!(", {degrees} °C"));
    let wind = forecast.wind_speed.map(|speed| format!(", wind {speed} km/h"));
    format!("{}{}{}", forecast.summary, temperature.unwrap_or_default(), wind.unwrap_or_default())
}

/// "during attempt 2", and so on.
pub(crate) fn where_it_stood(seen: &Seen) -> String {
    match &seen.phase {
        Phase::Queued => "before the first attempt".to_owned(),
        Phase::Attempting => format!("during attempt {}", seen.attempts),
        Phase::Waiting(delay) if !delay.is_zero() => {
            format!("in the wait of {} s after attempt {}", delay.as_secs_f64(), seen.attempts)
        }
        Phase::Waiting(_) | Phase::Done(_) => format!("after attempt {}", seen.attempts),
    }
}

fn as_json(watch: &Watch<'_>) -> Value {
    let seen = watch.seen();
    let explanation = seen.failure.as_ref().map(|(_, explanation)| explanation);
    let mut object = json!({ "city": watch.city, "attempts": seen.attempts });
    let (result, key, value) = match &seen.phase {
        Phase::Done(Ok(FetchResult::Success { forecast, .. })) => {
            let forecast = json!({
                "city": forecast.city,
                "country": forecast.country,
                "summary": forecast.summary,
                "temperature": forecast.temperature,
                "wind_speed": forecast.wind_speed,
            });
            ("success", "forecast", forecast)
        }
        Phase::Done(Ok(FetchResult::Failure { status, .. })) => {
            object["message"] = json!(explanation);
            ("failure", "status", json!(status))
        }
        Phase::Done(Err(_)) => ("error", "message", json!(explanation)),
        _ => ("stopped", "message", json!(where_it_stood(&seen))),
    };
    object["result"] = json!(result);
    object[key] = value;
    object
}
