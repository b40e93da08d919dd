//! What an answer says, and how an error says it.

use std::error::Error as _;

use forecast::{ApiError, ForecastApi as _, HttpForecastApi};

use crate::support::{answering, api, ok, server};

#[tokio::test]
async fn the_forecast_of_a_city() {
    let server = server("ok");
    let forecast = api(&server).fetch("id:1", "서울").await.unwrap();
    assert_eq!(forecast.city, "Seoul");
    assert_eq!(forecast.country.as_deref(), Some("South Korea"));
    assert!(forecast.temperature.is_some_and(|degrees| (-60.0..60.0).contains(&degrees)));
    assert!(forecast.wind_speed.is_some_and(|speed| (0.0..200.0).contains(&speed)));

    let requests = server.received();
    let targets: Vec<&str> = requests.iter().map(|received| received.target.as_str()).collect();
    assert_eq!(
        targets,
        [
            "/v1/search?name=%EC%84%9C%EC%9A%B8&count=1",
            "/v1/forecast?latitude=37.566&longitude=126.9784&current=temperature_2m,weather_code,wind_speed_10m",
        ]
    );
    assert!(requests.iter().all(|received| received.method == "GET"));
    assert!(requests.iter().all(|received| received.request_id.as_deref() == Some("id:1")));
}

#[tokio::test]
async fn values_may_be_null_and_codes_unknown() {
    // Both requests get the same answer, so it is both a search and a forecast.
    let both = |code: &str| {
        let place = r#"{"name":"X","latitude":1,"longitude":2}"#;
        let current = format!(r#"{{"temperature_2m":null,"weather_code":{code}}}"#);
        ok(&format!(r#"{{"results":[{place}],"current":{current}}}"#))
    };
    for (code, words) in [("0", "clear sky"), ("65", "heavy rain"), ("42", "weather of code 42")] {
        let url = answering(both(code));
        let forecast = HttpForecastApi::new(&url).unwrap().fetch("id:1", "X").await.unwrap();
        assert_eq!(forecast.summary, words);
        assert_eq!((forecast.temperature, forecast.wind_speed, forecast.country), (None, None, None));
    }
    let url = answering(both("null"));
    let error = HttpForecastApi::new(&url).unwrap().fetch("id:1", "X").await.unwrap_err();
    assert!(matches!(error, ApiError::Unexpected { .. }), "{error:?}");
}

#[tokio::test]
async fn the_servers_reason_reaches_the_caller() {
    let body = r#"{"reason":"Minutely API request limit exceeded.\u001b[31m\nPlease wait.","error":true}"#;
    let url = answering(format!("HTTP/1.1 429 X\r\ncontent-length: {}\r\n\r\n{body}", body.len()));
    let error = HttpForecastApi::new(&url).unwrap().fetch("id:1", "Seoul").await.unwrap_err();
    assert!(matches!(error, ApiError::Status { status: 429, retry_after: None, .. }), "{error:?}");
    let reason = error.source().unwrap().to_string();
    assert_eq!(reason, "Minutely API request limit exceeded. [31m Please wait.", "no control characters");
    assert_eq!(error.to_string(), "the server answered with status 429; try again later");
}

#[tokio::test]
async fn a_redirect_tells_where_to() {
    let url = answering("HTTP/1.1 308 X\r\nlocation: https://example.org/\r\ncontent-length: 0\r\n\r\n");
    let error = HttpForecastApi::new(&url).unwrap().fetch("id:1", "Seoul").await.unwrap_err();
    assert!(error.to_string().contains("https://example.org/"), "{error}");
}

#[test]
fn a_url_that_cannot_be_used() {
    let mut table = vec![
        ("", "cannot be read"),
        ("nonsense", "cannot be read"),
        ("http://", "cannot be read"),
        ("http://[::1", "cannot be read"),
        ("localhost:8080", "does not begin with http"),
        ("ftp://example.org", "does not begin with http"),
        ("file:///etc/passwd", "does not begin with http"),
        ("http://example.org?x=1", "a part after ?"),
        ("http://example.org#x", "a part after ?"),
    ];
    if !cfg!(feature = "tls") {
        table.push(("https://example.org", "without TLS"));
    }
    for (url, why) in table {
        let error = HttpForecastApi::new(url).unwrap_err();
        assert!(matches!(error, ApiError::Unexpected { .. }), "{url}: {error:?}");
        assert!(error.to_string().contains(why), "{url}: {error}");
        assert!(error.to_string().contains("write it like"), "{url}: {error}");
    }
}

#[tokio::test]
async fn a_url_may_have_a_path() {
    let server = server("ok");
    for url in [format!("{}/", server.url()), format!("{}/weather/", server.url())] {
        let _ = HttpForecastApi::new(&url).unwrap().fetch("id", "Seoul").await;
    }
    let requests = server.received();
    let paths: Vec<&str> = requests.iter().filter_map(|received| received.target.split('?').next()).collect();
    assert_eq!(paths, ["/v1/search", "/v1/forecast", "/weather/v1/search"]);
}

#[test]
fn the_search_of_open_meteo_has_a_host_of_its_own() {
    let api = format!("{:?}", HttpForecastApi::new("http://api.open-meteo.com").unwrap());
    assert!(api.contains("\"http://geocoding-api.open-meteo.com/v1/search\""), "{api}");
    assert!(api.contains("\"http://api.open-meteo.com/v1/forecast\""), "{api}");
}
