use std::error::Error;
use std::fmt;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::body::Body;
use crate::{ApiError, Forecast};

/// The answer of `/v1/search`. No result is no list, rather than an empty one.
#[derive(Deserialize)]
pub(super) struct Search {
    #[serde(default)]
    results: Option<Vec<Place>>,
}

#[derive(Deserialize)]
pub(super) struct Place {
    name: String,
    country: Option<String>,
    pub(super) latitude: f64,
    pub(super) longitude: f64,
}

/// The answer of `/v1/forecast`.
#[derive(Deserialize)]
pub(super) struct Report {
    current: Current,
}

#[derive(Deserialize)]
struct Current {
    weather_code: i64,
    temperature_2m: Option<f64>,
    wind_speed_10m: Option<f64>,
}

/// What the server says about its refusal: `{"error":true,"reason":".."}`.
#[derive(Debug, Deserialize)]
struct Refusal {
    error: bool,
    reason: String,
}

/// The reason a server gave for its refusal, as one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason(String);

impl Reason {
    /// The reason in `body`, if it is an error body.
    pub(super) fn in_body(body: &[u8]) -> Option<Self> {
        let refusal: Refusal = serde_json::from_slice(body).ok()?;
        // It is shown on terminals, and a server is not to be trusted with escape sequences.
        let line = refusal.reason.chars().map(|c| if c.is_control() { ' ' } else { c });
        refusal.error.then(|| Self(line.take(500).collect()))
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for Reason {}

/// Reads the body of a success.
pub(super) fn parse<T: DeserializeOwned>(body: &Body) -> Result<T, ApiError> {
    if let Some(reason) = Reason::in_body(&body.bytes) {
        return Err(ApiError::unexpected("the server answered 200 with an error inside", reason));
    }
    serde_json::from_slice(&body.bytes).map_err(|error| {
        // Only the end of the connection marked the end of this body, and it came too early.
        if error.is_eof() && !body.delimited {
            return ApiError::unreachable(error);
        }
        ApiError::unexpected("the answer is not a forecast; check the URL of the API", error)
    })
}

impl Search {
    pub(super) fn into_first(self) -> Option<Place> {
        self.results?.into_iter().next()
    }
}

impl Report {
    pub(super) fn into_forecast(self, place: Place) -> Forecast {
        Forecast {
            city: place.name,
            summary: in_words(self.current.weather_code),
            country: place.country,
            temperature: self.current.temperature_2m,
            wind_speed: self.current.wind_speed_10m,
        }
    }
}

/// WMO code table 4677, as far as Open-Meteo uses it.
fn in_words(code: i64) -> String {
    let words = match code {
        0 => "clear sky",
        1 => "mainly clear",
        2 => "partly cloudy",
        3 => "overcast",
        45 => "fog",
        48 => "freezing fog",
        51 => "light drizzle",
        53 => "drizzle",
        55 => "dense drizzle",
        56 => "light freezing drizzle",
        57 => "dense freezing drizzle",
        61 => "light rain",
        63 => "rain",
        65 => "heavy rain",
        66 => "light freezing rain",
        67 => "heavy freezing rain",
        71 => "light snow",
        73 => "snow",
        75 => "heavy snow",
        77 => "snow grains",
        80 => "light rain showers",
        81 => "rain showers",
        82 => "violent rain showers",
        85 => "light snow showers",
        86 => "heavy snow showers",
        95 => "thunderstorm",
        96 => "thunderstorm with light hail",
        99 => "thunderstorm with heavy hail",
        other => return format!("weather of code {other}"),
    };
    words.to_owned()
}
