use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use forecast::{RetryPolicy, WeatherServer};
use futures::future::poll_fn;

use crate::support::{catch_up, requests, server, service, until};

/// Drops a call as soon as the server has received so many requests, and looks for any that come later.
async fn dropped_after(script: &str, expected: usize) -> Vec<String> {
    let server = server(script);
    let service = service(&server);
    tokio::select! {
        result = service.fetch_forecast("Seoul", RetryPolicy::at_most(5).unwrap()) => panic!("ended: {result:?}"),
        () = until(|| server.received().len() == expected) => {}
    }
    settle(&server).await;
    assert_eq!(requests(&server), expected, "{script}");
    server.attempts()
}

/// Lets whatever might still be under way happen: a minute of virtual time, and all that the server has not read yet.
async fn settle(server: &WeatherServer) {
    for _ in 0..10 {
        tokio::time::sleep(Duration::from_secs(6)).await;
        catch_up(server);
    }
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
