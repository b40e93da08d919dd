//! How large the chain is beside a loop written by hand.

use std::future::{Ready, ready};
use std::pin::Pin;
use std::time::Duration;

use coldflow::{FlowExt, once};

/// A fetch whose future has some weight, as a request in flight does.
async fn fetch(attempt: u32) -> Result<u32, String> {
    let buffer = [0_u8; 256];
    tokio::task::yield_now().await;
    if attempt < u32::from(buffer[0]) { Err(format!("{attempt}")) } else { Ok(attempt) }
}

fn delay(_: &str) -> Duration {
    Duration::ZERO
}

/// The loop that the chain replaces, with a wait.
async fn by_hand(max_attempts: u64) -> Result<u32, String> {
    let (mut attempts, mut retried) = (0, 0);
    loop {
        attempts += 1;
        match fetch(attempts).await {
            Ok(value) => return Ok(value),
            Err(cause) => {
                if retried + 1 >= max_attempts {
                    return Err(cause);
                }
                tokio::time::sleep(delay(&cause)).await;
                retried += 1;
            }
        }
    }
}

async fn chained(max_attempts: u64) -> Result<u32, String> {
    let mut attempts = 0;
    once(|| {
        attempts += 1;
        fetch(attempts)
    })
    .retry_when(async |cause, retried| {
        if retried + 1 >= max_attempts {
            return Err(cause);
        }
        tokio::time::sleep(delay(&cause)).await;
        Ok(())
    })
    .single()
    .await
    .map_err(|error| error.into_upstream().unwrap())
}

async fn by_hand_without_a_wait(max_attempts: u64) -> Result<u32, String> {
    let (mut attempts, mut retried) = (0, 0);
    loop {
        attempts += 1;
        match fetch(attempts).await {
            Ok(value) => return Ok(value),
            Err(cause) => {
                if retried + 1 >= max_attempts {
                    return Err(cause);
                }
                retried += 1;
            }
        }
    }
}

async fn chained_without_a_wait(max_attempts: u64) -> Result<u32, String> {
    let mut attempts = 0;
    once(|| {
        attempts += 1;
        fetch(attempts)
    })
    .retry_when(|cause, retried| ready(if retried + 1 >= max_attempts { Err(cause) } else { Ok(()) }))
    .single()
    .await
    .map_err(|error| error.into_upstream().unwrap())
}

#[test]
fn the_chain_is_at_most_64_bytes_larger_than_the_loop() {
    let (loop_size, chain_size) = (size_of_val(&by_hand_without_a_wait(3)), size_of_val(&chained_without_a_wait(3)));
    assert!(chain_size <= loop_size + 64, "{chain_size} bytes, the loop {loop_size}");
}

/// The compiler lays the fetch and the wait of the loop over each other, since only one of them is there at a time. So
/// does the chain.
#[test]
fn with_a_wait_the_chain_is_at_most_64_bytes_larger_than_the_loop() {
    let (loop_size, chain_size) = (size_of_val(&by_hand(3)), size_of_val(&chained(3)));
    assert!(chain_size <= loop_size + 64, "{chain_size} bytes, the loop {loop_size}");
}

/// A client behind `dyn`, whose fetches are boxed. The predicate is a block: of an `async` closure the compiler keeps the
/// cause twice, as its argument and as its variable.
type Client = dyn Fn(u32) -> Pin<Box<dyn Future<Output = Result<u32, String>>>>;

async fn boxed_by_hand(client: &Client, max_attempts: u64) -> Result<u32, String> {
    let (mut attempts, mut retried) = (0, 0);
    loop {
        attempts += 1;
        match client(attempts).await {
            Ok(value) => return Ok(value),
            Err(cause) => {
                if retried + 1 >= max_attempts {
                    return Err(cause);
                }
                tokio::time::sleep(delay(&cause)).await;
                retried += 1;
            }
        }
    }
}

async fn boxed_chained(client: &Client, max_attempts: u64) -> Result<u32, String> {
    let mut attempts = 0;
    once(|| {
        attempts += 1;
        client(attempts)
    })
    .retry_when(|cause: String, retried| async move {
        if retried + 1 >= max_attempts {
            return Err(cause);
        }
        tokio::time::sleep(delay(&cause)).await;
        Ok(())
    })
    .single()
    .await
    .map_err(|error| error.into_upstream().unwrap())
}

#[test]
fn with_a_boxed_fetch_and_a_wait_the_chain_is_at_most_64_bytes_larger_than_the_loop() {
    let client: &Client = &|attempt| Box::pin(fetch(attempt));
    let (loop_size, chain_size) = (size_of_val(&boxed_by_hand(client, 3)), size_of_val(&boxed_chained(client, 3)));
    assert!(chain_size <= loop_size + 64, "{chain_size} bytes, the loop {loop_size}");
}

#[test]
fn plain_operators_add_no_more_than_their_state() {
    fn size<F: coldflow::Flow>(flow: F) -> usize {
        size_of_val(&flow.into_stream())
    }
    let source = || once(|| -> Ready<Result<u64, u64>> { ready(Ok(1)) });
    assert_eq!(size(source().map(|n| n + 1)), size(source()));
    assert_eq!(size(source().filter(|n| *n > 1)), size(source()));
    assert_eq!(size(source().map_err(|n| n + 1)), size(source()));
    assert!(size(source().boxed()) <= 3 * size_of::<usize>());
}
