use crate::ApiError;

/// The current weather of a city.
#[derive(Clone, Debug, PartialEq)]
pub struct Forecast {
    /// The city's name, as the server spells it.
    pub city: String,
    /// The weather in words, such as "light rain".
    pub summary: String,
    /// The country, where the server knows it.
    pub country: Option<String>,
    /// Degrees Celsius, two metres above the ground.
    pub temperature: Option<f64>,
    /// Kilometres per hour, ten metres above the ground.
    pub wind_speed: Option<f64>,
}

/// A weather API: one call is one attempt.
pub trait ForecastApi {
    /// Asks once for the weather of `city`. Everything sent for it carries `request_id`.
    ///
    /// # Cancel safety
    /// Dropping the future ends the attempt; nothing is sent afterwards.
    fn fetch(&self, request_id: &str, city: &str) -> impl Future<Output = Result<Forecast, ApiError>> + Send;
}

impl<A: ForecastApi + Sync> ForecastApi for &A {
    fn fetch(&self, request_id: &str, city: &str) -> impl Future<Output = Result<Forecast, ApiError>> + Send {
        (**self).fetch(request_id, city)
    }
}
