use std::fmt;

use percent_encoding::percent_decode_str;
use serde_json::{Map, Value, json};

use super::cities;
use super::head::Head;
use super::reply::Reply;
use super::script::Endpoint;
use super::weather::Weather;

/// What can be asked for in `current`, with its unit.
const VARIABLES: [(&str, &str); 3] =
    [("temperature_2m", "°C"), ("weather_code", "wmo code"), ("wind_speed_10m", "km/h")];

/// Which of the two endpoints a request is for.
pub(super) fn endpoint(head: &Head) -> Option<Endpoint> {
    match path_and_query(head).0 {
        "/v1/search" => Some(Endpoint::Search),
        "/v1/forecast" => Some(Endpoint::Forecast),
        _ => None,
    }
}

/// The answer when nothing goes wrong.
pub(super) fn answer(head: &Head) -> Reply {
    if head.method != "GET" {
        return Reply::refusal(405, "Only GET is spoken here.").header("allow", "GET".to_owned());
    }
    let query = path_and_query(head).1;
    match endpoint(head) {
        Some(Endpoint::Search) => search(query),
        Some(Endpoint::Forecast) => forecast(query),
        None => Ok(Reply::usual_refusal(404)),
    }
    .unwrap_or_else(|reason| Reply::refusal(400, &reason))
}

fn search(query: &str) -> Result<Reply, String> {
    let name = parameter(query, "name").ok_or("Parameter 'name' is missing.")?;
    let body = match cities::find(&name) {
        Some(city) => json!({
            "results": [{
                "name": city.name,
                "latitude": city.latitude,
                "longitude": city.longitude,
                "country": city.country,
            }],
            "generationtime_ms": 0.5,
        }),
        // Like the original: no result is no list.
        None => json!({ "generationtime_ms": 0.5 }),
    };
    Ok(Reply::ok(body.to_string()))
}

fn forecast(query: &str) -> Result<Reply, String> {
    let latitude = coordinate(query, "latitude", 90.0)?;
    let longitude = coordinate(query, "longitude", 180.0)?;
    let weather = Weather::at(latitude, longitude);
    let mut units = Map::new();
    let mut current = Map::new();
    for name in parameter(query, "current").unwrap_or_default().split(',').filter(|name| !name.is_empty()) {
        let value = match name {
            "temperature_2m" => json!(weather.temperature),
            "weather_code" => json!(weather.code),
            "wind_speed_10m" => json!(weather.wind_speed),
            _ => return Err(format!("Cannot initialize WeatherVariable from invalid String value {name}.")),
        };
        current.insert(name.to_owned(), value);
        let unit = VARIABLES.iter().find(|(known, _)| *known == name).map(|(_, unit)| *unit);
        units.insert(name.to_owned(), json!(unit));
    }
    let mut body = json!({
        "latitude": latitude,
        "longitude": longitude,
        "generationtime_ms": 0.1,
        "utc_offset_seconds": 0,
        "timezone": "GMT",
        "timezone_abbreviation": "GMT",
    });
    if !current.is_empty() {
        body["current_units"] = Value::Object(units);
        body["current"] = Value::Object(current);
    }
    Ok(Reply::ok(body.to_string()))
}

fn coordinate(query: &str, name: &str, limit: f64) -> Result<f64, String> {
    let text = parameter(query, name).ok_or_else(|| format!("Parameter '{name}' is missing."))?;
    let out_of_range = |given: &dyn fmt::Display| {
        format!("Parameter '{name}' must be in range of -{limit} to {limit}. Given: {given}.")
    };
    let value: f64 = text.parse().map_err(|_| out_of_range(&text))?;
    if value.abs() <= limit { Ok(value) } else { Err(out_of_range(&value)) }
}

fn path_and_query(head: &Head) -> (&str, &str) {
    head.target.split_once('?').unwrap_or((&head.target, ""))
}

/// The first parameter called `name`, decoded.
fn parameter(query: &str, name: &str) -> Option<String> {
    let (_, value) = query.split('&').filter_map(|pair| pair.split_once('=')).find(|(key, _)| *key == name)?;
    Some(percent_decode_str(&value.replace('+', " ")).decode_utf8_lossy().into_owned())
}
