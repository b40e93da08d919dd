//! Loops that are always ready let the executor in: one poll never goes on for long, and a timeout around it fires.

use std::cell::Cell;
use std::future::ready;
use std::rc::Rc;
use std::time::Duration;

use coldflow::{FlowExt, LocalBoxFlow, empty, flow, flow_of, once};

use crate::support::Polling;

/// An endless flow that is always ready and counts what it emits.
fn endless(emitted: &Rc<Cell<u64>>) -> LocalBoxFlow<'static, u64, &'static str> {
    let emitted = Rc::clone(emitted);
    flow_of(0_u64..)
        .inspect(move |_| {
            emitted.set(emitted.get() + 1);
            assert!(emitted.get() < 100_000, "it never lets the executor in");
        })
        .fallible()
        .boxed_local()
}

/// What one poll may take; a terminal handles 1024 items, and loops may stand in each other.
const MOST_PER_POLL: u64 = 2 * 1024;

async fn discard<T, E>(result: impl Future<Output = Result<T, E>>) {
    let _ = result.await;
}

type Endless = LocalBoxFlow<'static, u64, &'static str>;
type Work = std::pin::Pin<Box<dyn Future<Output = ()>>>;

/// Work that never ends, over an endless flow.
fn endless_work() -> Vec<(&'static str, fn(Endless) -> Work)> {
    vec![
        ("filter", |up| Box::pin(discard(up.filter(|_| false).run()))),
        ("filter, one item asked for", |up| Box::pin(discard(up.filter(|_| false).first()))),
        ("filter_map", |up| Box::pin(discard(up.filter_map(|_| None::<()>).first()))),
        ("skip", |up| Box::pin(discard(up.skip(usize::MAX).first()))),
        ("skip_while", |up| Box::pin(discard(up.skip_while(|_| true).first()))),
        ("distinct_until_changed", |up| Box::pin(discard(up.map(|_| 1).distinct_until_changed().skip(1).first()))),
        ("chunks", |up| Box::pin(discard(up.map(|_| ()).chunks(usize::MAX).first()))),
        ("flat_map_concat", |up| Box::pin(discard(up.flat_map_concat(|_| empty::<()>().fallible()).first()))),
        ("flatten_concat", |up| Box::pin(discard(up.map(|_| empty::<()>().fallible()).flatten_concat().first()))),
        ("transform", |up| Box::pin(discard(up.transform(|_, _: coldflow::Emitter<()>| ready(())).first()))),
        ("transform_while", |up| {
            Box::pin(discard(up.transform_while(|_, _: coldflow::Emitter<()>| ready(true)).first()))
        }),
        ("repeat", |up| Box::pin(discard(up.take(1).filter(|_| false).repeat(usize::MAX).first()))),
        ("retry", |up| Box::pin(discard(up.try_map(|_| Err::<(), _>("again")).retry(u64::MAX).single()))),
        ("retry_if", |up| Box::pin(discard(up.try_map(|_| Err::<(), _>("again")).retry_if(|_, _| true).single()))),
        ("retry_when", |up| {
            Box::pin(discard(up.try_map(|_| Err::<(), _>("again")).retry_when(|_, _| ready(Ok(()))).single()))
        }),
        ("retry that emits", |up| {
            Box::pin(discard(up.try_map(|n| if n == 0 { Ok(n) } else { Err("again") }).retry(u64::MAX).last()))
        }),
        ("retry of a retry", |up| {
            Box::pin(discard(up.try_map(|_| Err::<(), _>("again")).retry(3).retry(u64::MAX).single()))
        }),
        ("for_each", |up| Box::pin(discard(up.for_each(|_| ready(()))))),
        ("try_for_each", |up| Box::pin(discard(up.try_for_each(|_| ready(Ok(())))))),
        ("run", |up| Box::pin(discard(up.run()))),
        ("to_vec", |up| Box::pin(discard(up.to_vec()))),
        ("collect", |up| Box::pin(discard(up.collect::<Vec<_>>()))),
        ("fold", |up| Box::pin(discard(up.fold(0, |sum, n| ready(sum ^ n))))),
        ("try_fold", |up| Box::pin(discard(up.try_fold(0, |sum, n| ready(Ok(sum ^ n)))))),
        ("reduce", |up| Box::pin(discard(up.reduce(|a, b| a ^ b)))),
        ("last", |up| Box::pin(discard(up.last()))),
        ("count", |up| Box::pin(discard(up.count()))),
        ("count_where", |up| Box::pin(discard(up.count_where(|_| false)))),
        ("first_where", |up| Box::pin(discard(up.first_where(|_| false)))),
        ("any", |up| Box::pin(discard(up.any(|_| false)))),
        ("all", |up| Box::pin(discard(up.all(|_| true)))),
        ("none", |up| Box::pin(discard(up.none(|_| false)))),
    ]
}

#[test]
fn no_poll_goes_on_for_long() {
    for (name, work) in endless_work() {
        let emitted = Rc::new(Cell::new(0));
        let mut polling = Polling::new(work(endless(&emitted)));
        for poll in 1..=20 {
            let before = emitted.get();
            assert!(polling.poll().is_pending(), "{name} has an end");
            assert!(polling.woken(), "{name}: pending at poll {poll}, and nothing will wake it");
            assert!(emitted.get() - before <= MOST_PER_POLL, "{name}: {} items in one poll", emitted.get() - before);
        }
        assert!(emitted.get() >= 20, "{name} gets on");
    }
}

#[tokio::test]
async fn a_timeout_around_endless_work_fires() {
    for (name, work) in endless_work() {
        let emitted = Rc::new(Cell::new(0));
        // What matters is that it ends at all. The source stops it with a panic where it would not.
        let over = tokio::time::timeout(Duration::from_micros(500), work(endless(&emitted))).await;
        assert!(over.is_err(), "{name} has an end");
    }
}

#[tokio::test]
async fn a_timeout_around_an_endless_body_fires() {
    let numbers = flow(async |mut emitter| {
        loop {
            emitter.emit(1).await;
        }
    });
    assert!(tokio::time::timeout(Duration::from_millis(1), numbers.run()).await.is_err());
}

#[tokio::test]
async fn a_timeout_around_an_endless_retry_of_a_future_fires() {
    let mut attempts = 0_u64;
    let chain = once(|| {
        attempts += 1;
        ready(Err::<(), _>("down"))
    })
    .retry_when(async |_, _| Ok(()))
    .single();
    assert!(tokio::time::timeout(Duration::from_millis(1), chain).await.is_err());
    assert!(attempts > 0);
}

#[test]
fn a_retry_gives_way_at_least_every_32_attempts() {
    let mut attempts = 0_u64;
    let mut polling = Polling::new(
        once(|| {
            attempts += 1;
            ready(Err::<(), u64>(attempts))
        })
        .retry_if(|cause, _| *cause < 1000)
        .single(),
    );
    let mut polls = 1;
    while polling.poll().is_pending() {
        assert!(polling.woken());
        polls += 1;
    }
    drop(polling);
    assert!(attempts <= polls * 32, "{attempts} attempts in {polls} polls");
}
