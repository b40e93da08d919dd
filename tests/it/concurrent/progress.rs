//! Whoever awaits something else gives what is above it progress.

use std::sync::Arc;

use coldflow::{FlowExt, Overflow, flow, flow_of, once_ok};
use tokio::sync::Mutex;
use tokio::time::Instant;

use super::clock::{Emit, Wait, ms, pause, script};

/// Items at 0, 100 and 200, each of three steps: a source that stands still falls behind.
fn ahead() -> coldflow::BoxFlow<'static, i32, &'static str> {
    let step = [Wait(30), Wait(30), Wait(40)];
    let steps = [&[Emit(1)][..], &step, &[Emit(2)], &step, &[Emit(3)]].concat();
    script(steps).buffer(4, Overflow::Suspend).boxed()
}

/// Runs each with a body of 300 ms and checks that it ends at 900 ms: 1100 ms without progress.
macro_rules! takes_900 {
    ($($name:ident |$up:ident| $work:expr;)*) => {$(
        #[tokio::test(start_paused = true)]
        async fn $name() {
            let began = Instant::now();
            let $up = ahead();
            let _ = $work.await;
            assert_eq!(began.elapsed(), ms(900));
        }
    )*};
}

async fn busy<T>(value: T) -> T {
    // In steps, too: the body is woken more than once.
    pause(100).await;
    pause(100).await;
    pause(100).await;
    value
}

mod while_its_body_waits_a_buffer_above_runs_on {
    use super::*;

    takes_900! {
        for_each |up| up.for_each(|_| busy(()));
        try_for_each |up| up.try_for_each(|_| busy(Ok(())));
        fold |up| up.fold(0, |sum, n| busy(sum + n));
        try_fold |up| up.try_fold(0, |sum, n| busy(Ok(sum + n)));
        then |up| up.then(busy).to_vec();
        and_then |up| up.and_then(|n| busy(Ok(n))).to_vec();
        on_each |up| up.on_each(|_| busy(())).to_vec();
        transform |up| up.transform(async |n, mut emitter| {
            busy(()).await;
            emitter.emit(n).await;
        }).to_vec();
        transform_behind_its_emission |up| up.transform(async |n, mut emitter| {
            emitter.emit(n).await;
            busy(()).await;
        }).to_vec();
        transform_while |up| up.transform_while(async |n, mut emitter| {
            busy(()).await;
            emitter.emit(n).await;
            true
        }).to_vec();
        flat_map_concat |up| up.flat_map_concat(|n| once_ok(move || busy(n)).fallible()).to_vec();
        flat_map_merge_of_one |up| up.flat_map_merge(1, |n| once_ok(move || busy(n)).fallible()).to_vec();
        then_concurrent_of_one |up| up.then_concurrent(1, busy).to_vec();
        then_concurrent_unordered_of_one |up| up.then_concurrent_unordered(1, busy).to_vec();
        a_chain_of_operators_below |up| up
            .map(|n| n).filter(|_| true).enumerate().inspect(|_| {}).take(9).boxed().retry(3).catch(|_, _| std::future::ready(()))
            .on_start(|_| std::future::ready(())).on_completion(|_, _| std::future::ready(())).on_cancel(|| {}).distinct_until_changed()
            .for_each(|_| busy(()));
        a_timeout_below |up| up.timeout(ms(5_000)).for_each(|_| busy(()));
        a_debounce_below |up| up.debounce(ms(0)).for_each(|_| busy(()));
        a_second_buffer_below |up| up.map(|n| n).buffer(0, Overflow::Suspend).for_each(|_| busy(()));
        a_zip_below |up| up.zip(flow_of([1, 2, 3]).fallible()).for_each(|_| busy(()));
        the_second_flow_of_a_zip |up| flow_of([1, 2, 3]).fallible().zip(up).for_each(|_| busy(()));
        a_chain_with_another |up| up.chain(flow_of([]).fallible()).for_each(|_| busy(()));
        a_delayed_start |up| up.delay_start(ms(0)).for_each(|_| busy(()));
        a_race |up| coldflow::race([up]).for_each(|_| busy(()));
        take_until |up| up.take_until(std::future::pending::<()>()).for_each(|_| busy(()));
        flow_on |up| up.flow_on(&tokio::runtime::Handle::current()).for_each(|_| busy(()));
    }
}

/// A flow that holds the lock across an await before each item.
fn locking(lock: &Arc<Mutex<()>>) -> coldflow::BoxFlow<'static, i32, &'static str> {
    let lock = Arc::clone(lock);
    flow(move |mut emitter| {
        let lock = Arc::clone(&lock);
        async move {
            for n in 1..4 {
                {
                    let _held = lock.lock().await;
                    pause(10).await;
                }
                emitter.emit(n).await;
            }
            Ok(())
        }
    })
    .buffer(1, Overflow::Suspend)
    .boxed()
}

/// The body wants a lock that the flow above holds in the middle of an await: without progress, for ever.
macro_rules! no_futurelock {
    ($($name:ident |$up:ident, $body:ident| $work:expr;)*) => {$(
        #[tokio::test(start_paused = true)]
        async fn $name() {
            let lock = Arc::new(Mutex::new(()));
            let $up = locking(&lock);
            let $body = async || {
                pause(5).await; // by then the flow above has the lock
                drop(lock.lock().await);
            };
            let done = tokio::time::timeout(ms(1_000), async { let _ = $work.await; }).await;
            assert!(done.is_ok(), "they wait for each other");
        }
    )*};
}

mod a_lock_that_body_and_upstream_share_is_no_deadlock {
    use super::*;

    no_futurelock! {
        for_each |up, body| up.for_each(|_| body());
        try_for_each |up, body| up.try_for_each(async |_| { body().await; Ok(()) });
        fold |up, body| up.fold((), |(), _| body());
        try_fold |up, body| up.try_fold((), async |(), _| { body().await; Ok(()) });
        then |up, body| up.then(|_| body()).run();
        and_then |up, body| up.and_then(async |_| { body().await; Ok(()) }).run();
        on_each |up, body| up.on_each(|_| body()).run();
        transform |up, body| up.transform(async |n, mut emitter| {
            body().await;
            emitter.emit(n).await;
        }).run();
        flat_map_concat |up, body| up.flat_map_concat(|_| once_ok(&body).fallible()).run();
        then_concurrent |up, body| up.then_concurrent(2, |_| body()).run();
        map_latest |up, body| up.map_latest(|_| body()).run();
        for_each_latest |up, body| up.for_each_latest(|_| body());
        flat_map_merge |up, body| up.flat_map_merge(2, |_| once_ok(&body).fallible()).run();
        flat_map_latest |up, body| up.flat_map_latest(|_| once_ok(&body).fallible()).run();
        merge_below |up, body| coldflow::merge([up]).for_each(|_| body());
        zip_below |up, body| up.zip(flow_of(0..9).fallible()).for_each(|_| body());
        combine_below |up, body| coldflow::combine([up]).for_each(|_| body());
        debounce_below |up, body| up.debounce(ms(0)).for_each(|_| body());
        sample_below |up, body| up.sample(ms(3)).for_each(|_| body());
        timeout_below |up, body| up.timeout(ms(900)).for_each(|_| body());
        throttle_below |up, body| up.throttle(ms(3), coldflow::Edge::Both).for_each(|_| body());
        chunks_timeout_below |up, body| up.chunks_timeout(2, ms(3)).for_each(|_| body());
        with_latest_from_below |up, body| flow_of([1, 2]).fallible().with_latest_from(up).for_each(|_| body());
    }
}

/// An inner flow, and what stands above an outer one, run on while the consumer is busy.
#[tokio::test(start_paused = true)]
async fn both_flows_of_a_flat_map_concat_run_on_beside_the_consumer() {
    let began = Instant::now();
    let flows = ahead().flat_map_concat(|_| ahead());
    let _ = flows.for_each(|_| busy(())).await;
    assert_eq!(began.elapsed(), ms(9 * 300));
}
