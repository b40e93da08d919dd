//! A call that is made again: the chain of the forecast service, over real sockets.
//!
//! ```sh
//! cargo run --example forecast_chain
//! ```
//!
//! The server cuts the first connection, refuses the second request for a while, and answers the third.

use std::error::Error;
use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use coldflow::{FlowExt, SingleError, once};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::sleep;

/// The longest wait, whatever the server asks for. Short, since this is an example.
const LONGEST_WAIT: Duration = Duration::from_millis(200);

/// Why an attempt gave no forecast.
#[derive(Debug)]
enum ApiError {
    /// The server answered with a status other than 200, and may have asked to wait.
    Status(u16, Option<Duration>),
    /// No complete answer came.
    Unreachable(io::Error),
}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ApiError::Status(status, _) => write!(f, "status {status}"),
            ApiError::Unreachable(error) => write!(f, "no answer: {error}"),
        }
    }
}

impl Error for ApiError {}

impl From<io::Error> for ApiError {
    fn from(error: io::Error) -> Self {
        ApiError::Unreachable(error)
    }
}

/// What came of a call that was answered.
#[derive(Debug, PartialEq)]
enum FetchResult {
    Success { attempts: u64, forecast: String },
    Failure { attempts: u64, status: u16 },
}

/// How long to wait before the attempt that follows `cause`; `None` if there is to be none.
fn retry_delay(cause: &ApiError) -> Option<Duration> {
    match cause {
        ApiError::Status(503, retry_after) => Some(retry_after.unwrap_or_default().min(LONGEST_WAIT)),
        ApiError::Status(502, _) | ApiError::Unreachable(_) => Some(Duration::ZERO),
        ApiError::Status(..) => None,
    }
}

/// Gets the forecast in at most `max_attempts` attempts.
async fn fetch_forecast(server: SocketAddr, city: &str, max_attempts: u64) -> Result<FetchResult, ApiError> {
    let mut attempts = 0;
    let outcome = once(|| {
        attempts += 1;
        fetch(server, format!("forecast:{city}:{attempts}"))
    })
    .retry_when(async |cause, retried| {
        if retried + 1 >= max_attempts {
            return Err(cause);
        }
        let Some(delay) = retry_delay(&cause) else { return Err(cause) };
        println!("{cause}, again in {delay:?}");
        sleep(delay).await;
        Ok(())
    })
    .single()
    .await;
    match outcome {
        Ok(forecast) => Ok(FetchResult::Success { attempts, forecast }),
        Err(SingleError::Upstream(ApiError::Status(status, _))) => Ok(FetchResult::Failure { attempts, status }),
        Err(SingleError::Upstream(error)) => Err(error),
        Err(SingleError::Empty | SingleError::MoreThanOne) => unreachable!("a body of one value"),
    }
}

/// One attempt: one connection, one request.
async fn fetch(server: SocketAddr, request_id: String) -> Result<String, ApiError> {
    let mut connection = TcpStream::connect(server).await?;
    let request = format!("GET /forecast HTTP/1.1\r\nX-Request-Id: {request_id}\r\nConnection: close\r\n\r\n");
    connection.write_all(request.as_bytes()).await?;
    let mut answer = String::new();
    connection.read_to_string(&mut answer).await?;

    let (head, body) = answer.split_once("\r\n\r\n").ok_or_else(|| io::Error::from(io::ErrorKind::UnexpectedEof))?;
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    if status == 200 {
        return Ok(body.to_owned());
    }
    let retry_after = head.lines().find_map(|line| line.strip_prefix("Retry-After: ")?.parse().ok());
    Err(ApiError::Status(status, retry_after.map(Duration::from_secs)))
}

/// A server that answers each connection by the next line of its script, and gives back the ids of the requests.
async fn serve(listener: TcpListener, script: &[&str]) -> io::Result<Vec<String>> {
    let mut requests = Vec::new();
    for answer in script {
        let (connection, _) = listener.accept().await?;
        let mut connection = BufReader::new(connection);
        let mut line = String::new();
        while connection.read_line(&mut line).await? > "\r\n".len() {
            if let Some(id) = line.strip_prefix("X-Request-Id: ") {
                requests.push(id.trim_end().to_owned());
            }
            line.clear();
        }
        connection.write_all(answer.as_bytes()).await?;
    }
    Ok(requests)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let server = listener.local_addr()?;
    let script = [
        "", // cut off
        "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 60\r\n\r\n",
        "HTTP/1.1 200 OK\r\n\r\nfog, 17.7 °C",
    ];

    let began = Instant::now();
    let (requests, result) = tokio::join!(serve(listener, &script), fetch_forecast(server, "Seoul", 3));
    let result = result?;
    println!("{result:?} after {:?}", began.elapsed());

    assert_eq!(result, FetchResult::Success { attempts: 3, forecast: "fog, 17.7 °C".to_owned() });
    assert_eq!(requests?, ["forecast:Seoul:1", "forecast:Seoul:2", "forecast:Seoul:3"]);
    assert!(began.elapsed() >= LONGEST_WAIT);

    // The server is gone now: the same error each time, and the last one comes out.
    let error = fetch_forecast(server, "Seoul", 3).await.unwrap_err();
    assert!(matches!(error, ApiError::Unreachable(_)), "{error}");
    Ok(())
}
