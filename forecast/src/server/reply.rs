use std::fmt::Write as _;
use std::time::{Duration, SystemTime};

use super::script::RetryAfter;

/// A response before it is bytes.
#[derive(Debug)]
pub(super) struct Reply {
    status: u16,
    headers: Vec<(&'static str, String)>,
    body: String,
    now: SystemTime,
}

impl Reply {
    pub(super) fn ok(body: String) -> Self {
        Self { status: 200, headers: Vec::new(), body, now: SystemTime::now() }
    }

    /// A refusal with a reason, as Open-Meteo words them.
    pub(super) fn refusal(status: u16, reason: &str) -> Self {
        let body = serde_json::json!({ "error": true, "reason": reason }).to_string();
        Self { status, ..Self::ok(body) }
    }

    /// A refusal with the reason that this status usually has.
    pub(super) fn usual_refusal(status: u16) -> Self {
        let reason = match status {
            400 => "The request cannot be read.",
            404 => "Not Found",
            408 => "The request took too long to arrive.",
            413 => "A request must not have a body.",
            429 => "Minutely API request limit exceeded. Please try again in one minute.",
            431 => "The request is too long.",
            502 => "The weather model did not answer.",
            503 => "The weather model is being updated.",
            _ => "The weather service failed.",
        };
        Self::refusal(status, reason)
    }

    pub(super) fn header(mut self, name: &'static str, value: String) -> Self {
        self.headers.push((name, value));
        self
    }

    pub(super) fn retry_after(self, value: &RetryAfter) -> Self {
        let value = match value {
            RetryAfter::Text(text) => text.clone(),
            RetryAfter::DateIn(seconds) => {
                let distance = Duration::from_secs(seconds.unsigned_abs());
                let date = if *seconds < 0 { self.now.checked_sub(distance) } else { self.now.checked_add(distance) };
                httpdate::fmt_http_date(clamp_to_calendar(date, *seconds < 0))
            }
        };
        self.header("retry-after", value)
    }

    /// The head of a response with a body of known length.
    pub(super) fn head(&self, keep_alive: bool) -> String {
        self.head_with(&format!("content-length: {}", self.body.len()), keep_alive)
    }

    /// The head of a response in chunks.
    pub(super) fn chunked_head(&self) -> String {
        self.head_with("transfer-encoding: chunked", true)
    }

    pub(super) fn body(&self) -> &str {
        &self.body
    }

    fn head_with(&self, framing: &str, keep_alive: bool) -> String {
        let Self { status, now, .. } = self;
        let date = httpdate::fmt_http_date(*now);
        let connection = if keep_alive { "keep-alive" } else { "close" };
        let mut head = format!(
            "HTTP/1.1 {status} {}\r\ndate: {date}\r\ncontent-type: application/json; charset=utf-8\r\n\
             connection: {connection}\r\n{framing}\r\n",
            phrase(*status)
        );
        for (name, value) in &self.headers {
            // Writing to a string cannot fail.
            let _ = write!(head, "{name}: {value}\r\n");
        }
        head.push_str("\r\n");
        head
    }
}

/// HTTP dates run from 1970 to 9999.
fn clamp_to_calendar(date: Option<SystemTime>, past: bool) -> SystemTime {
    let end_of_9999 = SystemTime::UNIX_EPOCH + Duration::from_secs(253_402_300_799);
    let fallback = if past { SystemTime::UNIX_EPOCH } else { end_of_9999 };
    date.unwrap_or(fallback).clamp(SystemTime::UNIX_EPOCH, end_of_9999)
}

fn phrase(status: u16) -> &'static str {
    match status {
        200 => "OK",
        400 => "Bad Request",
        404 => "Not Found",
        405 => "Method Not Allowed",
        408 => "Request Timeout",
        413 => "Content Too Large",
        429 => "Too Many Requests",
        431 => "Request Header Fields Too Large",
        500 => "Internal Server Error",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        504 => "Gateway Timeout",
        _ => "Unnamed",
    }
}
