use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use forecast::{RetryPolicy, WeatherServer};
use futures::future::poll_fn;

use crate::support::{server, service, until};

/// Drops a call as soon as the server has received `requests`, and looks for any that come later.
async fn dropped_after(script: &str, requests: usize) -> Vec<String> {
    let server = server(script);
    let service = service(&server);
    tokio::select! {
        result = service.fetch_forecast("Seoul", RetryPolicy::at_most(5).unwrap()) => panic!("ended: {result:?}"),
        () = until(|| server.received().len() == requests) => {}
    }
    settle(&server).await;
    assert_eq!(self::requests(&server), requests, "{script}");
    server.attempts()
}

/// Lets whatever might still be under way happen: a minute of virtual time, and all that the server has not read yet.
async fn settle(server: &WeatherServer) {
    for _ in 0..10 {
        tokio::time::sleep(Duration::from_secs(6)).await;
        catch_up(server);
    }
}

/// Waits until the server has read what was sent to it before: it reads in turn, so when this request of our own is
/// answered, those before it have had their turn.
fn catch_up(server: &WeatherServer) {
    let mut socket = TcpStream::connect(server.address()).unwrap();
    socket.write_all(b"GET / HTTP/1.1\r\nconnection: close\r\n\r\n").unwrap();
    socket.read_to_end(&mut Vec::new()).unwrap();
}

/// How many requests there were beside our own.
fn requests(server: &WeatherServer) -> usize {
    server.received().iter().filter(|received| received.request_id.is_some()).count()
}

#[tokio::test(start_paused = true)]
async fn during_each_request() {
    assert_eq!(dropped_after("delay:60@search", 1).await, ["forecast:Seoul:1"]);
    assert_eq!(dropped_after("delay:60@forecast", 2).await, ["forecast:Seoul:1"]);
    assert_eq!(dropped_after("502, delay:60", 2).await, ["forecast:Seoul:1", "forecast:Seoul:2"]);
    assert_eq!(dropped_after("502, stall@forecast", 3).await, ["forecast:Seoul:1", "forecast:Seoul:2"]);
}

#[tokio::test(start_paused = true)]
async fn before_the_first_poll() {
    let server = server("ok");
    drop(service(&server).fetch_forecast("Seoul", RetryPolicy::NO_RETRY));
    settle(&server).await;
    assert_eq!(requests(&server), 0);
}

/// Polls a call `polls` times at most. Returns whether it ended.
async fn poll_at_most(server: &WeatherServer, polls: usize) -> bool {
    let service = service(server);
    let mut call = pin!(service.fetch_forecast("Seoul", RetryPolicy::at_most(4).unwrap()));
    let mut left = polls;
    poll_fn(|cx| {
        if left == 0 {
            return Poll::Ready(false);
        }
        left -= 1;
        // The task is woken for the next poll by the call, or by the last one at once.
        if left == 0 {
            cx.waker().wake_by_ref();
        }
        call.as_mut().poll(cx).map(|_| true)
    })
    .await
}

#[tokio::test(start_paused = true)]
async fn at_every_poll() {
    let mut servers = Vec::new();
    loop {
        let server = server("503:7, reset, 502");
        let ended = poll_at_most(&server, servers.len()).await;
        servers.push(server);
        if ended {
            break;
        }
        assert!(servers.len() < 1000, "a call does not need so many polls");
    }
    let (finished, dropped) = servers.split_last().unwrap();
    assert_eq!(finished.attempts().len(), 4);
    for (polls, server) in dropped.iter().enumerate() {
        // A request that was on its way when the call was dropped may still arrive; after that it is quiet.
        catch_up(server);
        let arrived = requests(server);
        settle(server).await;
        assert_eq!(requests(server), arrived, "dropped after {polls} polls");
        assert!(arrived <= polls, "dropped after {polls} polls");
    }
}
