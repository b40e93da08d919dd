//! What a call costs while it waits for its next attempt: many chains `once → retry_when → single` that are all in their
//! predicate's sleep at once, on one runtime, beside the hand-written loop and backon.
//!
//! Every call fails once, sleeps for an hour, and then has its answer. The clock is Tokio's and paused, so that no time
//! passes while they start, and the hour passes at once when all sleep; what is measured is what they take of the processor. All calls sleep for the
//! same time, so that the runtime wakes them in one go. The ways hold the same calls in the same way and differ in the
//! call alone.
//!
//! Where one task holds them all, it runs without Tokio's budget. That lets 128 sleeps end in a turn and has the others polled
//! in vain, and `FuturesUnordered` polls all of them in each turn: 64 µs a call among 100,000.

use std::fs;
use std::future::{Future, poll_fn, ready};
use std::hint::black_box;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::task::Poll;
use std::time::Duration;

use backon::{BackoffBuilder, ConstantBuilder, Retryable};
use coldflow::{FlowExt, flow_of, once};
use coldflow_benches::{Bench, CountingAllocator, ThreadTime, Turn, grouped, live_bytes, on_tokio};
use futures::StreamExt;
use futures::stream::FuturesUnordered;
use tokio::task::coop::unconstrained;
use tokio::time::{Sleep, sleep};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

const MAX_ATTEMPTS: u64 = 4;
const DELAY: Duration = Duration::from_secs(3600);

#[derive(Debug)]
struct Fault {
    status: u16,
}

type Answer = Result<u64, Fault>;

/// The server: every first attempt fails.
trait Client: Sync {
    fn answer(&self, call: u64, attempt: u64) -> Answer;

    /// As a client behind `dyn` has to give it.
    fn fetch(&self, call: u64, attempt: u64) -> Pin<Box<dyn Future<Output = Answer> + Send + '_>> {
        Box::pin(async move { self.answer(call, attempt) })
    }
}

struct Server;

impl Client for Server {
    fn answer(&self, call: u64, attempt: u64) -> Answer {
        if attempt == 1 { Err(Fault { status: 503 }) } else { Ok(call) }
    }
}

/// A fetch whose future is not boxed and has some weight, as a request has.
async fn fetch_inline(client: &dyn Client, call: u64, attempt: u64) -> Answer {
    let buffer = black_box([0_u8; 256]);
    ready(()).await;
    black_box(&buffer);
    client.answer(call, attempt)
}

/// Whether, and after which time, a failure is worth another attempt.
fn retry_delay(fault: &Fault) -> Option<Duration> {
    (fault.status == 503).then_some(DELAY)
}

/// How many calls have begun to sleep.
static SLEEPING: AtomicU64 = AtomicU64::new(0);

fn pause(delay: Duration) -> Sleep {
    SLEEPING.fetch_add(1, Relaxed);
    sleep(delay)
}

async fn with_loop<Fut: Future<Output = Answer>>(mut fetch: impl FnMut(u64) -> Fut) -> Answer {
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
                pause(delay).await;
            }
        }
    }
}

async fn with_coldflow<Fut: Future<Output = Answer>>(mut fetch: impl FnMut(u64) -> Fut) -> Answer {
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
        pause(delay).await;
        Ok(())
    })
    .single()
    .await;
    answer.map_err(|error| error.into_upstream().expect("a fetch gives one answer"))
}

async fn with_backon<Fut: Future<Output = Answer>>(mut fetch: impl FnMut(u64) -> Fut) -> Answer {
    let mut attempts = 0;
    let fetch = || {
        attempts += 1;
        fetch(attempts)
    };
    // Its `max_times` counts the retries.
    let delays = ConstantBuilder::default().with_delay(DELAY).with_max_times(3).build();
    fetch.retry(delays).sleep(pause).when(|fault: &Fault| retry_delay(fault).is_some()).await
}

/// What holds the calls.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Holder {
    FuturesUnordered,
    Tasks,
    ThenConcurrent,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Fetch {
    Boxed,
    Inline,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    Loop,
    Coldflow,
    Backon,
}

const WAYS: [Way; 3] = [Way::Loop, Way::Coldflow, Way::Backon];

#[derive(Clone, Copy, Debug)]
struct Work {
    holder: Holder,
    fetch: Fetch,
    way: Way,
    calls: u64,
}

impl Work {
    fn row(&self) -> String {
        let Work { holder, fetch, calls, .. } = self;
        let holder = match holder {
            Holder::FuturesUnordered => "FuturesUnordered",
            Holder::Tasks => "a task each",
            Holder::ThenConcurrent => "then_concurrent_unordered",
        };
        let fetch = if *fetch == Fetch::Boxed { "boxed" } else { "inline" };
        format!("{holder}, {fetch} fetch, {} calls", grouped(*calls))
    }

    fn turn(self) -> Turn<Work> {
        Turn { name: format!("{}/{:?}", self.row(), self.way), work: self }
    }

    /// Bytes on the heap and bytes resident while all sleep, nanoseconds to start all and to finish all; per call.
    fn measure(&self) -> [f64; 4] {
        let client: &'static dyn Client = black_box(&Server);
        match self.fetch {
            Fetch::Boxed => self.measure_way(move |call| move |attempt| client.fetch(call, attempt)),
            Fetch::Inline => self.measure_way(move |call| move |attempt| fetch_inline(client, call, attempt)),
        }
    }

    fn measure_way<Fetch, Fut>(&self, fetch: impl Fn(u64) -> Fetch + Copy) -> [f64; 4]
    where
        Fetch: FnMut(u64) -> Fut + Send + 'static,
        Fut: Future<Output = Answer> + Send + 'static,
    {
        match self.way {
            Way::Loop => self.measure_calls(|call| with_loop(fetch(call))),
            Way::Coldflow => self.measure_calls(|call| with_coldflow(fetch(call))),
            Way::Backon => self.measure_calls(|call| with_backon(fetch(call))),
        }
    }

    fn measure_calls<Fut>(&self, call: impl Fn(u64) -> Fut) -> [f64; 4]
    where
        Fut: Future<Output = Answer> + Send + 'static,
    {
        // The first few are there to bring the code in.
        for calls in [100, self.calls] {
            let figures = on_tokio(async {
                match self.holder {
                    Holder::FuturesUnordered => {
                        unconstrained(measured(calls, in_futures_unordered(calls, &call))).await
                    }
                    Holder::Tasks => measured(calls, in_tasks(calls, &call)).await,
                    Holder::ThenConcurrent => unconstrained(measured(calls, in_then_concurrent(calls, &call))).await,
                }
            });
            if calls == self.calls {
                return figures;
            }
        }
        unreachable!("the second round is the one that counts")
    }
}

async fn in_futures_unordered<Fut: Future<Output = Answer>>(calls: u64, call: impl Fn(u64) -> Fut) -> u64 {
    let calls: FuturesUnordered<Fut> = (0..calls).map(call).collect();
    calls.fold(0, |sum, answer| ready(sum + answer.expect("the second attempt succeeds"))).await
}

async fn in_tasks<Fut>(calls: u64, call: impl Fn(u64) -> Fut) -> u64
where
    Fut: Future<Output = Answer> + Send + 'static,
{
    let tasks: Vec<_> = (0..calls).map(|n| tokio::spawn(call(n))).collect();
    let mut sum = 0;
    for task in tasks {
        sum += task.await.expect("it does not panic").expect("the second attempt succeeds");
    }
    sum
}

async fn in_then_concurrent<Fut: Future<Output = Answer>>(calls: u64, call: impl Fn(u64) -> Fut) -> u64 {
    let answers = flow_of(0..calls).then_concurrent_unordered(usize::MAX, call);
    let sum = answers.fold(0, |sum, answer| ready(sum + answer.expect("the second attempt succeeds"))).await;
    let Ok(sum) = sum;
    sum
}

/// Starts the calls, looks around when all sleep, and lets them finish.
#[allow(clippy::cast_precision_loss)] // They are millions.
async fn measured(calls: u64, held: impl Future<Output = u64>) -> [f64; 4] {
    let mut held = pin!(held);
    SLEEPING.store(0, Relaxed);
    let (heap, resident) = (live_bytes(), resident_bytes());

    let begun = ThreadTime::now();
    poll_fn(|cx| {
        assert!(held.as_mut().poll(cx).is_pending(), "they sleep");
        if SLEEPING.load(Relaxed) == calls {
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
    let starting = begun.elapsed();
    let (heap, resident) = (live_bytes() - heap, resident_bytes().saturating_sub(resident));

    let begun = ThreadTime::now();
    let sum = held.await;
    let finishing = begun.elapsed();
    assert_eq!(sum, calls * (calls - 1) / 2, "each has its answer");

    let per_call = |figure: f64| figure / calls as f64;
    [heap as f64, resident as f64, starting.as_secs_f64() * 1e9, finishing.as_secs_f64() * 1e9].map(per_call)
}

/// How much of the process is in memory, counted page by page; nothing where the system does not tell.
fn resident_bytes() -> usize {
    let kilobytes = fs::read_to_string("/proc/self/smaps_rollup").ok().and_then(|rollup| {
        rollup.lines().find_map(|line| line.strip_prefix("Rss:")?.split_whitespace().next()?.parse().ok())
    });
    kilobytes.unwrap_or(0) * 1024
}

/// The rows of one figure: the loop's, and beside it how much more, or how many times as much, the others take.
fn table(unit: &str, figure: usize, rows: &[(String, Vec<[f64; 4]>)]) -> Vec<String> {
    let mut lines = vec![format!("| {unit} | loop | coldflow | backon |"), "|---|---:|---:|---:|".to_owned()];
    for (name, ways) in rows {
        let of_loop = ways[0][figure];
        let cells = ways[1..].iter().map(|way| match unit {
            "ns per call" => format!("{:.0} (×{:.2})", way[figure], way[figure] / of_loop),
            _ => format!("{:.0} ({:+.0})", way[figure], way[figure] - of_loop),
        });
        lines.push(format!("| {name} | {of_loop:.0} | {} |", cells.collect::<Vec<_>>().join(" | ")));
    }
    lines
}

/// The bytes of the futures themselves.
fn sizes() -> Vec<String> {
    let client: &'static dyn Client = &Server;
    let boxed = |attempt| client.fetch(0, attempt);
    let inline = |attempt| fetch_inline(client, 0, attempt);
    let line = |name, by_loop: usize, coldflow: usize, backon: usize| {
        let over = |size: usize| format!("{size} ({:+})", size.cast_signed() - by_loop.cast_signed());
        format!("| {name} | {by_loop} | {} | {} |", over(coldflow), over(backon))
    };
    vec![
        "| bytes | loop | coldflow | backon |".to_owned(),
        "|---|---:|---:|---:|".to_owned(),
        line(
            "boxed fetch",
            size_of_val(&with_loop(boxed)),
            size_of_val(&with_coldflow(boxed)),
            size_of_val(&with_backon(boxed)),
        ),
        line(
            "inline fetch",
            size_of_val(&with_loop(inline)),
            size_of_val(&with_coldflow(inline)),
            size_of_val(&with_backon(inline)),
        ),
    ]
}

fn main() {
    let bench = Bench::of_rounds(5);
    bench.note("The future of a call", &sizes());

    // One way to hold them shows all sizes, the others the first and the last.
    let held = [
        (Holder::FuturesUnordered, Fetch::Boxed, vec![1_000, 10_000, 100_000, 1_000_000]),
        (Holder::Tasks, Fetch::Boxed, vec![1_000, 1_000_000]),
        (Holder::ThenConcurrent, Fetch::Boxed, vec![1_000, 1_000_000]),
        (Holder::FuturesUnordered, Fetch::Inline, vec![1_000, 1_000_000]),
    ];
    let mut turns = Vec::new();
    for (holder, fetch, sizes) in held {
        for calls in bench.sizes(&sizes) {
            turns.extend(WAYS.map(|way| Work { holder, fetch, way, calls }.turn()));
        }
    }
    let Some(figures) = bench.in_processes("Calls in flight", &turns, Work::measure) else { return };
    let rows: Vec<_> = turns
        .chunks(WAYS.len())
        .zip(figures.chunks(WAYS.len()))
        .map(|(turns, figures)| (turns[0].work.row(), figures.to_vec()))
        .collect();
    bench.note("Calls in flight: heap while all sleep", &table("bytes per call", 0, &rows));
    bench.note("Calls in flight: resident memory while all sleep", &table("bytes per call", 1, &rows));
    bench.note("Calls in flight: to start all", &table("ns per call", 2, &rows));
    bench.note("Calls in flight: to finish all", &table("ns per call", 3, &rows));
}
