//! A weather client whose retries are bounded for certain.
//!
//! [`ForecastService::fetch_forecast`] asks a weather API for one city. Temporary failures are tried again
//! until [`RetryPolicy::max_attempts`] is reached, `Retry-After` is respected, and dropping the future stops
//! everything at once. All of that is one chain of `coldflow`: `once → retry_when → single`.
//!
//! Around it stand [`HttpForecastApi`], which speaks Open-Meteo's JSON over HTTP, and [`WeatherServer`], a small
//! server that speaks the same and fails on request.
//!
//! ```
//! use forecast::server::{Fault, Script, WeatherServer};
//! use forecast::{FetchResult, ForecastService, HttpForecastApi, RetryPolicy};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let server = WeatherServer::start(Script::new([Fault::status(502), Fault::Reset]))?;
//! let service = ForecastService::new(HttpForecastApi::new(&server.url())?);
//!
//! let result = service.fetch_forecast("Seoul", RetryPolicy::at_most(3)?).await?;
//!
//! assert!(matches!(result, FetchResult::Success { attempts: 3, .. }));
//! assert_eq!(server.attempts(), ["forecast:Seoul:1", "forecast:Seoul:2", "forecast:Seoul:3"]);
//! # Ok(())
//! # }
//! ```

pub mod http;
pub mod server;
pub mod span;

mod domain;
mod error;
mod observer;
mod policy;
mod service;

pub use domain::{Forecast, ForecastApi};
pub use error::{ApiError, Cause};
pub use http::HttpForecastApi;
pub use observer::Observer;
pub use policy::{MAX_RETRY_DELAY, Policy, RetryPolicy, ZeroAttempts, retry_delay};
pub use server::WeatherServer;
pub use service::{FetchResult, ForecastService};
