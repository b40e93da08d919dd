use std::str;
use std::time::{Duration, SystemTime};

use reqwest::header::{DATE, HeaderMap, RETRY_AFTER};

/// Reads the value of a `Retry-After` header in both forms of RFC 9110, seconds and date, seen at `now`.
///
/// A date in the past is 0, a number too large for a `Duration` is the largest one, and anything that is
/// neither form is `None`, as if the header were absent.
pub fn parse_retry_after(value: &[u8], now: SystemTime) -> Option<Duration> {
    let value = str::from_utf8(value).ok()?.trim_matches([' ', '\t']);
    if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) {
        // Only digits: the one way to fail is to be too large.
        return Some(value.parse().map_or(Duration::MAX, Duration::from_secs));
    }
    let date = httpdate::parse_http_date(value).ok()?;
    Some(date.duration_since(now).unwrap_or(Duration::ZERO))
}

/// The first usable `Retry-After` of a response. A date counts from the response's own `Date`, so that the
/// clocks of the two machines need not agree.
pub(super) fn from_headers(headers: &HeaderMap) -> Option<Duration> {
    let now = headers
        .get(DATE)
        .and_then(|date| httpdate::parse_http_date(date.to_str().ok()?).ok())
        .unwrap_or_else(SystemTime::now);
    headers.get_all(RETRY_AFTER).iter().find_map(|value| parse_retry_after(value.as_bytes(), now))
}
