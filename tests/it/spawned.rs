//! What has to compile without `Clone`, `Cell` or atomics, and be `Send`: all of it runs inside a spawned task.

use std::future::ready;
use std::time::Duration;

use coldflow::{BoxFlow, FlowExt, SingleError, flow, once};

#[derive(Debug, PartialEq)]
struct Busy(u32);

/// Fails until its third run.
async fn third_time_lucky(run: u32) -> Result<u32, Busy> {
    tokio::task::yield_now().await;
    if run < 3 { Err(Busy(run)) } else { Ok(run) }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_counts_in_a_captured_variable() {
    let task = tokio::spawn(async {
        let mut attempts = 0;
        let outcome = once(|| {
            attempts += 1;
            third_time_lucky(attempts)
        })
        .retry(5)
        .single()
        .await;
        (outcome, attempts)
    });
    assert_eq!(task.await.unwrap(), (Ok(3), 3));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_counts_through_a_mutable_borrow() {
    let task = tokio::spawn(async {
        let mut attempts = 0;
        let counter = &mut attempts;
        let outcome = once(move || {
            *counter += 1;
            third_time_lucky(*counter)
        })
        .retry(5)
        .single()
        .await;
        (outcome, attempts)
    });
    assert_eq!(task.await.unwrap(), (Ok(3), 3));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_that_emits_counts_in_a_moved_counter() {
    let mut attempts = 0;
    let numbers = flow(move |mut emitter| {
        attempts += 1;
        async move {
            emitter.emit(attempts * 10).await;
            third_time_lucky(attempts).await.map(drop)
        }
    });
    let task = tokio::spawn(numbers.retry(5).to_vec());
    assert_eq!(task.await.unwrap(), Ok(vec![10, 20, 30]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_map_above_a_retry_counts_across_the_retries() {
    let task = tokio::spawn(async {
        let (mut runs, mut seen) = (0, 0);
        let outcome = flow(|mut emitter| {
            runs += 1;
            let run = runs;
            async move {
                emitter.emit(run).await;
                third_time_lucky(run).await.map(drop)
            }
        })
        .map(|x| {
            seen += 1;
            x
        })
        .retry(5)
        .to_vec()
        .await;
        (outcome, seen)
    });
    assert_eq!(task.await.unwrap(), (Ok(vec![1, 2, 3]), 3));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_retry_with_a_counter_of_its_own_stands_above_another_retry() {
    let task = tokio::spawn(async {
        let (mut runs, mut inner, mut outer) = (0_u32, 0, 0);
        let outcome = once(|| {
            runs += 1;
            let run = runs;
            async move { if run < 6 { Err(Busy(run)) } else { Ok(run) } }
        })
        .retry_when(|cause, retried| {
            inner += 1;
            ready(if retried < 1 { Ok(()) } else { Err(cause) })
        })
        .retry_when(|cause, retried| {
            outer += 1;
            ready(if retried < 9 { Ok(()) } else { Err(cause) })
        })
        .single()
        .await;
        (outcome, runs, inner, outer)
    });
    // Runs 1 to 6; the inner one retries 1, 3 and 5 and gives up at 2 and 4, which the outer one retries.
    assert_eq!(task.await.unwrap(), (Ok(6), 6, 5, 2));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_boxed_flow_can_be_retried() {
    fn boxed(mut attempts: u32) -> BoxFlow<'static, u32, Busy> {
        once(move || {
            attempts += 1;
            third_time_lucky(attempts)
        })
        .boxed()
    }
    assert_eq!(tokio::spawn(boxed(0).retry(2).single()).await.unwrap(), Ok(3));
    let outcome = tokio::spawn(boxed(0).retry(1).single()).await.unwrap();
    assert_eq!(outcome, Err(SingleError::Upstream(Busy(2))));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_boxed_flow_can_borrow() {
    let name = String::from("Seoul");
    let letters: BoxFlow<'_, char, std::convert::Infallible> =
        coldflow::flow_of(name.as_str().chars()).map(|c| c.to_ascii_uppercase()).boxed();
    assert_eq!(letters.collect::<String>().await, Ok("SEOUL".to_owned()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_predicate_borrows_its_cause_across_a_wait() {
    #[derive(Debug, PartialEq)]
    struct Refused {
        wait: Duration,
        body: String,
    }
    async fn asked_to_wait(cause: &Refused) -> Duration {
        tokio::task::yield_now().await;
        cause.wait
    }
    let task = tokio::spawn(async {
        let mut attempts = 0;
        once(|| {
            attempts += 1;
            let attempt = attempts;
            async move {
                let refused = Refused { wait: Duration::from_millis(1), body: format!("attempt {attempt}") };
                if attempt < 3 { Err(refused) } else { Ok(attempt) }
            }
        })
        .retry_when(async |cause, retried| {
            let wait = asked_to_wait(&cause).await;
            tokio::time::sleep(wait).await;
            if cause.body == format!("attempt {}", retried + 1) { Ok(()) } else { Err(cause) }
        })
        .single()
        .await
    });
    assert_eq!(task.await.unwrap(), Ok(3));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_service_that_is_borrowed_is_called_per_attempt() {
    struct Service {
        calls: std::sync::Mutex<Vec<String>>,
    }
    impl Service {
        async fn fetch(&self, id: String) -> Result<usize, Busy> {
            tokio::task::yield_now().await;
            let mut calls = self.calls.lock().unwrap();
            calls.push(id);
            if calls.len() < 2 { Err(Busy(0)) } else { Ok(calls.len()) }
        }
        async fn call(&self, city: &str) -> (Result<usize, SingleError<Busy>>, u32) {
            let mut attempts = 0;
            let outcome = once(|| {
                attempts += 1;
                self.fetch(format!("{city}:{attempts}"))
            })
            .retry_when(async |cause, retried| if retried < 3 { Ok(()) } else { Err(cause) })
            .single()
            .await;
            (outcome, attempts)
        }
    }
    let service = std::sync::Arc::new(Service { calls: std::sync::Mutex::default() });
    let shared = std::sync::Arc::clone(&service);
    let outcome = tokio::spawn(async move { shared.call("Seoul").await }).await.unwrap();
    assert_eq!(outcome, (Ok(2), 2));
    assert_eq!(*service.calls.lock().unwrap(), ["Seoul:1", "Seoul:2"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn lambdas_that_emit_are_send_and_may_change_what_they_capture() {
    let mut bodies = 0;
    let task = tokio::spawn(
        coldflow::flow_of(1..=3)
            .fallible::<Busy>()
            .transform(move |n, mut emitter| {
                bodies += 1;
                async move {
                    for copy in 0..n {
                        tokio::task::yield_now().await;
                        emitter.emit((bodies, copy)).await;
                    }
                    if n == 3 { Err(Busy(bodies)) } else { Ok(()) }
                }
            })
            .catch(async |cause: Busy, mut emitter| emitter.emit((cause.0, 99)).await)
            .to_vec(),
    );
    let expected = vec![(1, 0), (2, 0), (2, 1), (3, 0), (3, 1), (3, 2), (3, 99)];
    assert_eq!(task.await.unwrap(), Ok(expected));
}
