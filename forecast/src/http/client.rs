use std::time::Duration;

use reqwest::header::{HeaderMap, LOCATION};
use reqwest::{Client, Response, StatusCode, Url};
use tokio::time::{Instant, timeout};

use super::open_meteo::{self, Place, Reason, Report, Search};
use super::{body, classify, encode, retry_after};
use crate::error::Cause;
use crate::{ApiError, Forecast, ForecastApi};

/// How long connecting may take unless set otherwise: 5 s.
pub const DEFAULT_CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// How long a whole attempt may take unless set otherwise: 10 s.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(10);

/// A failed answer counts when its head is there; the reason in its body is worth this much waiting.
const REASON_PATIENCE: Duration = Duration::from_secs(1);

/// Open-Meteo serves its search from a host of its own.
const OPEN_METEO: (&str, &str) = ("api.open-meteo.com", "geocoding-api.open-meteo.com");

/// A weather API that speaks Open-Meteo's JSON over HTTP.
///
/// One attempt is two requests, the search for the city and the forecast for its place. Both carry the request id
/// in `x-request-id`. Nothing is ever sent again behind the caller's back: no redirects, no hidden retries.
#[derive(Clone, Debug)]
pub struct HttpForecastApi {
    client: Client,
    search_url: String,
    forecast_url: String,
    timeout: Duration,
}

/// Settings of an [`HttpForecastApi`].
#[derive(Clone, Debug)]
#[must_use = "does nothing until it is built"]
pub struct HttpForecastApiBuilder {
    url: String,
    connect_timeout: Duration,
    timeout: Duration,
}

impl HttpForecastApi {
    /// The API at `url`, such as `https://api.open-meteo.com`, with the default timeouts.
    ///
    /// # Errors
    /// [`ApiError::Unexpected`] if `url` is none that can be used.
    pub fn new(url: &str) -> Result<Self, ApiError> {
        Self::builder(url).build()
    }

    /// The API at `url`, with settings to choose.
    pub fn builder(url: &str) -> HttpForecastApiBuilder {
        HttpForecastApiBuilder {
            url: url.to_owned(),
            connect_timeout: DEFAULT_CONNECT_TIMEOUT,
            timeout: DEFAULT_TIMEOUT,
        }
    }
}

impl HttpForecastApiBuilder {
    /// How long connecting may take.
    pub fn connect_timeout(self, connect_timeout: Duration) -> Self {
        Self { connect_timeout, ..self }
    }

    /// How long a whole attempt may take, both of its requests together.
    pub fn timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }

    /// The finished API.
    ///
    /// # Errors
    /// [`ApiError::Unexpected`] if the URL is none that can be used.
    pub fn build(self) -> Result<HttpForecastApi, ApiError> {
        let base = parse_base(&self.url)?;
        let mut search_base = base.clone();
        if base.host_str() == Some(OPEN_METEO.0) {
            search_base
                .set_host(Some(OPEN_METEO.1))
                .map_err(|error| ApiError::unexpected("the search has no usable host", error))?;
        }
        Ok(HttpForecastApi {
            client: client(&base, self.connect_timeout)?,
            search_url: endpoint(&search_base, "search"),
            forecast_url: endpoint(&base, "forecast"),
            timeout: self.timeout,
        })
    }
}

fn client(base: &Url, connect_timeout: Duration) -> Result<Client, ApiError> {
    // An application that installed another provider before keeps it.
    #[cfg(feature = "tls")]
    let _ = rustls::crypto::ring::default_provider().install_default();

    let mut builder = Client::builder()
        .user_agent(concat!("coldflow-forecast/", env!("CARGO_PKG_VERSION")))
        .retry(reqwest::retry::never())
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(connect_timeout);
    if is_loopback(base) {
        builder = builder.no_proxy();
    }
    builder.build().map_err(|error| ApiError::unexpected("the HTTP client could not be set up", error))
}

fn parse_base(url: &str) -> Result<Url, ApiError> {
    let wrong = |why: &str, source: Option<Cause>| ApiError::Unexpected {
        what: format!("{url:?} is not the URL of an API: {why}; write it like https://api.open-meteo.com"),
        source,
    };
    let base = Url::parse(url).map_err(|error| wrong("it cannot be read", Some(error.into())))?;
    match base.scheme() {
        "http" => {}
        "https" if cfg!(feature = "tls") => {}
        "https" => return Err(wrong("this program was built without TLS", None)),
        _ => return Err(wrong("it does not begin with http:// or https://", None)),
    }
    if base.query().is_some() || base.fragment().is_some() {
        return Err(wrong("it has a part after ? or #", None));
    }
    Ok(base)
}

fn endpoint(base: &Url, name: &str) -> String {
    format!("{}/v1/{name}", base.as_str().trim_end_matches('/'))
}

/// A proxy cannot reach this machine's own loopback.
fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.parse().is_ok_and(|address: std::net::IpAddr| address.is_loopback())
}

impl ForecastApi for HttpForecastApi {
    async fn fetch(&self, request_id: &str, city: &str) -> Result<Forecast, ApiError> {
        let attempt = Attempt {
            client: &self.client,
            request_id: encode::header(request_id),
            deadline: Instant::now().checked_add(self.timeout),
        };
        let place = attempt.search(&self.search_url, city).await?;
        attempt.forecast(&self.forecast_url, place).await
    }
}

/// Two requests under one id and one deadline.
struct Attempt<'a> {
    client: &'a Client,
    request_id: String,
    /// `None`: so far away that no clock reaches it.
    deadline: Option<Instant>,
}

impl Attempt<'_> {
    async fn search(&self, url: &str, city: &str) -> Result<Place, ApiError> {
        let url = format!("{url}?name={}&count=1", encode::query(city));
        let body = body::read(self.get(&url).await?).await?;
        let search: Search = open_meteo::parse(&body)?;
        search.into_first().ok_or_else(|| ApiError::UnknownCity { city: city.to_owned() })
    }

    async fn forecast(&self, url: &str, place: Place) -> Result<Forecast, ApiError> {
        let url = format!(
            "{url}?latitude={}&longitude={}&current=temperature_2m,weather_code,wind_speed_10m",
            place.latitude, place.longitude
        );
        let body = body::read(self.get(&url).await?).await?;
        let report: Report = open_meteo::parse(&body)?;
        Ok(report.into_forecast(place))
    }

    /// A response with a 2xx, its body unread.
    async fn get(&self, url: &str) -> Result<Response, ApiError> {
        tracing::debug!(request_id = self.request_id, url, "sending a request");
        let mut request = self.client.get(url).header("x-request-id", &self.request_id);
        if let Some(deadline) = self.deadline {
            request = request.timeout(deadline.saturating_duration_since(Instant::now()));
        }
        let response = request.send().await.map_err(|error| {
            tracing::debug!(request_id = self.request_id, ?error, "no response");
            classify::send_error(error)
        })?;
        let status = response.status();
        tracing::debug!(request_id = self.request_id, %status, headers = ?response.headers(), "response");
        if status.is_success() {
            return Ok(response);
        }
        if status.is_client_error() || status.is_server_error() {
            return Err(refused(response).await);
        }
        Err(neither(status, response.headers()))
    }
}

async fn refused(response: Response) -> ApiError {
    let status = response.status().as_u16();
    let retry_after = retry_after::from_headers(response.headers());
    let source = match timeout(REASON_PATIENCE, body::read(response)).await {
        Ok(Ok(body)) => Reason::in_body(&body.bytes).map(Cause::from),
        Ok(Err(_)) | Err(_) => None,
    };
    ApiError::Status { status, retry_after, source }
}

fn neither(status: StatusCode, headers: &HeaderMap) -> ApiError {
    let target = headers.get(LOCATION).and_then(|target| target.to_str().ok());
    let advice = match target {
        Some(target) => format!("it points to {target:?}, so use the URL of the API there"),
        None => "check the URL of the API".to_owned(),
    };
    ApiError::Unexpected {
        what: format!("the server answered with status {}; {advice}", status.as_u16()),
        source: None,
    }
}
