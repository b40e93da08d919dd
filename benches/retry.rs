//! What a retry costs: `once → retry_when → single` beside a hand-written loop and the retry crates.
//!
//! Each way fetches through a client behind `dyn`, retries what may be retried at once, at most four times in all, and
//! waits no time, so that what is left is the cost of the way itself.

use std::future::{Future, Ready, ready};
use std::hint::black_box;
use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use std::time::Duration;

use backon::{BackoffBuilder, ConstantBuilder, Retryable};
use coldflow::{FlowExt, Retry, once, retry};
use coldflow_benches::{Bench, CountingAllocator, Row, allocations, drive, on_tokio};
use futures::StreamExt;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

const MAX_ATTEMPTS: u64 = 4;

#[derive(Debug)]
struct Fault {
    status: u16,
}

type Answer = Result<u64, Fault>;
type BoxFuture<'a> = Pin<Box<dyn Future<Output = Answer> + Send + 'a>>;

/// The client: it fails so many times, then it answers.
trait Client: Sync {
    /// The answer to an attempt, counted from 1.
    fn answer(&self, attempt: u64) -> Answer;

    /// The same as a future, which is never pending.
    fn fetch(&self, attempt: u64) -> BoxFuture<'_> {
        Box::pin(async move { self.answer(attempt) })
    }

    /// The same as a future that is pending once, as one is that waits for a socket.
    fn fetch_pending(&self, attempt: u64) -> BoxFuture<'_> {
        Box::pin(async move {
            PendingOnce { polled: false }.await;
            self.answer(attempt)
        })
    }
}

struct Server {
    failures: u64,
}

impl Client for Server {
    fn answer(&self, attempt: u64) -> Answer {
        if attempt <= self.failures { Err(Fault { status: 503 }) } else { Ok(attempt) }
    }
}

struct PendingOnce {
    polled: bool,
}

impl Future for PendingOnce {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if self.polled {
            return Poll::Ready(());
        }
        self.polled = true;
        cx.waker().wake_by_ref();
        Poll::Pending
    }
}

/// Whether, and after which time, a failure is worth another attempt.
fn retry_delay(fault: &Fault) -> Option<Duration> {
    (fault.status == 503).then_some(Duration::ZERO)
}

/// Stands for the sleep of a runtime where only the cost of the way itself is asked for.
fn no_sleep(_: Duration) -> Ready<()> {
    ready(())
}

async fn with_coldflow<Fut, Sleep>(mut fetch: impl FnMut(u64) -> Fut, sleep: impl Fn(Duration) -> Sleep) -> Answer
where
    Fut: Future<Output = Answer>,
    Sleep: Future<Output = ()>,
{
    let mut attempts = 0;
    let answer = once(|| {
        attempts += 1;
        fetch(attempts)
    })
    .retry_when(async |cause, retried| {
        if retried + 1 >= MAX_ATTEMPTS {
            return Err(cause);
        }
        let Some(delay) = retry_delay(&cause) else { return Err(cause) };
        sleep(delay).await;
        Ok(())
    })
    .single()
    .await;
    answer.map_err(|error| match error {
        coldflow::SingleError::Upstream(fault) => fault,
        _ => unreachable!("a fetch gives one answer"),
    })
}

/// The policy waits by Tokio's timer, and no time without it.
async fn with_policy<Fut>(mut fetch: impl FnMut(u64) -> Fut) -> Answer
where
    Fut: Future<Output = Answer>,
{
    let mut attempts = 0;
    let fetch = || {
        attempts += 1;
        fetch(attempts)
    };
    retry(Retry::immediate(4), fetch).when(|fault| retry_delay(fault).is_some()).await
}

async fn with_loop<Fut, Sleep>(mut fetch: impl FnMut(u64) -> Fut, sleep: impl Fn(Duration) -> Sleep) -> Answer
where
    Fut: Future<Output = Answer>,
    Sleep: Future<Output = ()>,
{
    let mut attempts = 0;
    loop {
        attempts += 1;
        match fetch(attempts).await {
            Ok(answer) => return Ok(answer),
            Err(fault) => {
                if attempts >= MAX_ATTEMPTS {
                    return Err(fault);
                }
                let Some(delay) = retry_delay(&fault) else { return Err(fault) };
                sleep(delay).await;
            }
        }
    }
}

async fn with_backon<Fut, Sleep>(
    mut fetch: impl FnMut(u64) -> Fut,
    sleep: impl Fn(Duration) -> Sleep + 'static,
) -> Answer
where
    Fut: Future<Output = Answer>,
    Sleep: Future<Output = ()>,
{
    let mut attempts = 0;
    let fetch = || {
        attempts += 1;
        fetch(attempts)
    };
    // Its `max_times` counts the retries.
    let delays = ConstantBuilder::default().with_delay(Duration::ZERO).with_max_times(3).build();
    fetch.retry(delays).sleep(sleep).when(|fault: &Fault| retry_delay(fault).is_some()).await
}

async fn with_tokio_retry<Fut>(mut fetch: impl FnMut(u64) -> Fut) -> Answer
where
    Fut: Future<Output = Answer>,
{
    let mut attempts = 0;
    let fetch = || {
        attempts += 1;
        fetch(attempts)
    };
    let delays = std::iter::repeat_n(Duration::ZERO, 3);
    tokio_retry::RetryIf::start(delays, fetch, |fault: &Fault| retry_delay(fault).is_some()).await
}

async fn with_async_stream<Fut, Sleep>(mut fetch: impl FnMut(u64) -> Fut, sleep: impl Fn(Duration) -> Sleep) -> Answer
where
    Fut: Future<Output = Answer>,
    Sleep: Future<Output = ()>,
{
    let mut attempts = 0;
    let answers = pin!(async_stream::stream! {
        loop {
            attempts += 1;
            match fetch(attempts).await {
                Ok(answer) => {
                    yield Ok(answer);
                    return;
                }
                Err(fault) => {
                    let delay = retry_delay(&fault).filter(|_| attempts < MAX_ATTEMPTS);
                    let Some(delay) = delay else {
                        yield Err(fault);
                        return;
                    };
                    sleep(delay).await;
                }
            }
        }
    });
    let mut answers = answers;
    answers.next().await.expect("it ends with an answer or a fault")
}

/// The client is behind `dyn`, and the compiler does not know what is.
fn client(failures: u64) -> &'static dyn Client {
    black_box(Box::leak(Box::new(Server { failures })))
}

fn result(answer: Answer) -> u64 {
    answer.unwrap_or_else(|fault| fault.status.into())
}

/// A row of the table: the ways with one kind of fetch.
macro_rules! row {
    ($name:expr, $drive:ident, $fetch:expr, $sleep:expr) => {
        Row::new($name, 1)
            .case("loop", move || result($drive(with_loop($fetch, $sleep))))
            .case("coldflow", move || result($drive(with_coldflow($fetch, $sleep))))
            .case("its policy", move || result($drive(with_policy($fetch))))
            .case("backon", move || result($drive(with_backon($fetch, $sleep))))
            .case("async_stream", move || result($drive(with_async_stream($fetch, $sleep))))
    };
}

fn main() {
    let bench = Bench::default();
    let mut rows = Vec::new();
    for failures in [0, 3] {
        let client = client(failures);
        rows.push(row!(format!("ready, {failures} failures"), drive, |n| async move { client.answer(n) }, no_sleep));
        rows.push(row!(format!("boxed and ready, {failures} failures"), drive, |n| client.fetch(n), no_sleep));
        rows.push(row!(
            format!("boxed and pending once, {failures} failures"),
            drive,
            |n| client.fetch_pending(n),
            no_sleep
        ));
    }
    bench.table("One retried call, polled in a bare loop", rows);

    // tokio-retry sleeps by Tokio's timer and nothing else, which takes a turn of the runtime even for no time.
    let mut rows = Vec::new();
    for failures in [0, 3] {
        let client = client(failures);
        rows.push(
            row!(format!("tokio, {failures} failures"), on_tokio, |n| client.fetch_pending(n), tokio::time::sleep)
                .case("tokio-retry", move || result(on_tokio(with_tokio_retry(|n| client.fetch_pending(n))))),
        );
    }
    bench.table("One retried call of a fetch that is boxed and pending once, on Tokio with its clock paused", rows);

    bench.note("Allocations beyond those of the client's own futures", &allocation_table());
}

fn allocation_table() -> Vec<String> {
    let mut lines = vec!["| failures | loop | coldflow | its policy | backon | async_stream |".to_owned()];
    lines.push("|---|---:|---:|---:|---:|---:|".to_owned());
    for failures in [0, 3] {
        let client = client(failures);
        let fetch = |n| client.fetch_pending(n);
        let own = |work: &dyn Fn() -> Answer| allocations(|| drop(work())) - (failures + 1);
        lines.push(format!(
            "| {failures} | {} | {} | {} | {} | {} |",
            own(&|| drive(with_loop(fetch, no_sleep))),
            own(&|| drive(with_coldflow(fetch, no_sleep))),
            own(&|| drive(with_policy(fetch))),
            own(&|| drive(with_backon(fetch, no_sleep))),
            own(&|| drive(with_async_stream(fetch, no_sleep))),
        ));
    }
    lines
}
