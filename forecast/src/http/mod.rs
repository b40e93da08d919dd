//! The weather API over HTTP.

mod body;
mod classify;
mod client;
mod encode;
mod open_meteo;
mod retry_after;

pub use client::{DEFAULT_CONNECT_TIMEOUT, DEFAULT_TIMEOUT, HttpForecastApi, HttpForecastApiBuilder};
pub use open_meteo::Reason;
pub use retry_after::parse_retry_after;
