use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use forecast::server::Script;
use forecast::{ApiError, Forecast, ForecastApi, ForecastService, HttpForecastApi, WeatherServer};
use tokio::task;

/// Time stands still while a request is in flight.
///
/// A paused Tokio clock jumps to the next timer as soon as every task is idle, and a task that waits for a real
/// socket is idle: a timeout of 5 s would fire half a millisecond after the request was sent. Tokio does not
/// jump while a blocking task runs, though. So this wrapper keeps one running from the start of each fetch to its
/// end, or to its drop. What is left to jump over is the wait between the attempts, and that is what the tests measure.
#[derive(Debug)]
pub(crate) struct StandingStill<A>(pub(crate) A);

impl<A: ForecastApi + Sync> ForecastApi for StandingStill<A> {
    async fn fetch(&self, request_id: &str, city: &str) -> Result<Forecast, ApiError> {
        let _still = hold_the_clock();
        self.0.fetch(request_id, city).await
    }
}

/// Keeps the paused clock from jumping until the result is dropped.
fn hold_the_clock() -> mpsc::Sender<()> {
    let (release, held) = mpsc::channel();
    task::spawn_blocking(move || {
        // Nothing is ever sent: this ends when the sender is dropped.
        let _: Result<(), _> = held.recv();
    });
    release
}

pub(crate) fn server(script: &str) -> WeatherServer {
    WeatherServer::start(script.parse::<Script>().unwrap()).unwrap()
}

pub(crate) fn api(server: &WeatherServer) -> HttpForecastApi {
    HttpForecastApi::new(&server.url()).unwrap()
}

/// A service for a test on the paused clock.
pub(crate) fn service(server: &WeatherServer) -> ForecastService<StandingStill<HttpForecastApi>> {
    ForecastService::new(StandingStill(api(server)))
}

/// Lets the other tasks run until `condition` holds. It never waits, so a paused clock does not jump meanwhile.
pub(crate) async fn until(mut condition: impl FnMut() -> bool) {
    while !condition() {
        task::yield_now().await;
    }
}

/// Waits until the server has read what was sent to it before: it reads in turn, so when this request of our own is
/// answered, those before it have had their turn.
pub(crate) fn catch_up(server: &WeatherServer) {
    let mut socket = TcpStream::connect(server.address()).unwrap();
    socket.write_all(b"GET / HTTP/1.1\r\nconnection: close\r\n\r\n").unwrap();
    socket.read_to_end(&mut Vec::new()).unwrap();
}

/// How many requests there were beside our own.
pub(crate) fn requests(server: &WeatherServer) -> usize {
    server.received().iter().filter(|received| received.request_id.is_some()).count()
}

/// A server that answers every request with the same bytes, however wrong, and ends the connection. Returns its URL.
pub(crate) fn answering(bytes: impl Into<Vec<u8>>) -> String {
    answering_after(Duration::ZERO, bytes)
}

/// The same, but it takes its time.
pub(crate) fn answering_after(delay: Duration, bytes: impl Into<Vec<u8>>) -> String {
    let bytes = bytes.into();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        for socket in listener.incoming() {
            let mut socket = socket.unwrap();
            read_head(&mut socket);
            thread::sleep(delay);
            // A client that has seen enough may be gone before the end.
            let _ = socket.write_all(&bytes);
        }
    });
    url
}

/// A 200 with this body. It says that the connection ends, or the next request might still be sent on it.
pub(crate) fn ok(body: &str) -> String {
    format!("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}", body.len())
}

pub(crate) fn read_head(socket: &mut TcpStream) {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") && socket.read(&mut byte).is_ok_and(|length| length == 1) {
        head.push(byte[0]);
    }
}
