//! What a wake costs, and that nobody starves.

use std::cell::Cell;
use std::collections::VecDeque;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use coldflow::{
    Flow, FlowExt, FlowStream, LocalBoxFlow, Restart, combine, combine_latest, empty, flow_of, from_stream, merge,
};
use futures::Stream;
use futures::stream::FusedStream;

use super::clock::{Emit, Hang, Yield, ms, script};
use crate::support::{Driver, Polling, yield_now};

/// A flow that waits until an item is put into it, and counts how often it is polled.
#[derive(Clone, Default)]
struct Inlet(Rc<Inner>);

#[derive(Default)]
struct Inner {
    items: std::cell::RefCell<VecDeque<usize>>,
    waker: Cell<Option<Waker>>,
    polls: Rc<Cell<usize>>,
}

impl Inlet {
    fn new(polls: &Rc<Cell<usize>>) -> Self {
        Inlet(Rc::new(Inner { polls: Rc::clone(polls), ..Inner::default() }))
    }

    fn put(&self, item: usize) {
        self.0.items.borrow_mut().push_back(item);
        self.0.waker.take().into_iter().for_each(Waker::wake);
    }
}

impl Flow for Inlet {
    type Item = usize;
    type Error = ();
    type Stream = Inlet;

    fn into_stream(self) -> Self {
        self
    }
}

impl Stream for Inlet {
    type Item = Result<usize, ()>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.polls.set(self.0.polls.get() + 1);
        if let Some(item) = self.0.items.borrow_mut().pop_front() {
            return Poll::Ready(Some(Ok(item)));
        }
        self.0.waker.set(Some(cx.waker().clone()));
        Poll::Pending
    }
}

impl FusedStream for Inlet {
    fn is_terminated(&self) -> bool {
        false
    }
}

impl FlowStream for Inlet {
    fn poll_progress(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        self.0.polls.set(self.0.polls.get() + 1);
        Poll::Ready(())
    }

    fn stop(self: Pin<&mut Self>) {}
}

impl Restart for Inlet {
    fn restart(self: Pin<&mut Self>) {}
}

const MANY: usize = 10_000;

/// One flow of ten thousand wakes, then a hundred, with the consumer waiting and with the consumer busy.
fn check_wakes<F: Flow<Error = ()>>(name: &str, build: impl FnOnce(Vec<Inlet>) -> F) {
    let polls = Rc::default();
    let inlets: Vec<_> = (0..MANY).map(|_| Inlet::new(&polls)).collect();
    let mut stream = Driver::new(build(inlets.clone()));
    while stream.poll().is_pending() && stream.woken() {}
    // `combine` has its first item when all have emitted.
    for inlet in &inlets {
        inlet.put(0);
    }
    loop {
        if stream.poll().is_pending() && !stream.woken() {
            break;
        }
    }
    for at in [0, 1, 4_999, MANY - 1] {
        let before = polls.get();
        inlets[at].put(1);
        assert!(stream.woken(), "{name}");
        assert!(stream.poll().is_ready(), "{name}");
        assert!(stream.poll().is_pending(), "{name}");
        assert!(polls.get() - before <= 3, "{name}: {} polls for one item", polls.get() - before);
    }
    // A busy consumer.
    inlets[5].put(1);
    assert!(stream.poll().is_ready(), "{name}");
    let _ = stream.progress();
    stream.woken();
    for at in [17, 18, 19] {
        let before = polls.get();
        inlets[at].put(1);
        assert!(stream.woken(), "{name}: busy");
        let _ = stream.progress();
        assert!(polls.get() - before <= 3, "{name}: {} polls for one item while busy", polls.get() - before);
    }
    for _ in 0..3 {
        let before = polls.get();
        assert!(stream.poll().is_ready(), "{name}: what came meanwhile is there");
        assert!(polls.get() - before <= 3, "{name}");
        if name.starts_with("combine") {
            break; // One batch, or one item for each; it has been seen that one comes.
        }
    }
    // Polled without need, nobody is asked.
    while stream.poll().is_ready() {}
    let before = polls.get();
    for _ in 0..10 {
        assert!(stream.poll().is_pending(), "{name}");
    }
    assert!(polls.get() - before <= 10, "{name}: polled {} flows in vain", polls.get() - before);
    // Another task polls: a wake reaches that one.
    stream.change_waker();
    assert!(stream.poll().is_pending(), "{name}");
    inlets[7].put(2);
    assert!(stream.woken(), "{name}: another task");
    assert!(stream.poll().is_ready(), "{name}: another task");
}

#[test]
fn one_flow_that_wakes_among_ten_thousand_is_polled_alone() {
    check_wakes("merge", merge::<Vec<Inlet>>);
    check_wakes("flat_map_merge", |inlets| {
        from_stream(futures::stream::iter(inlets)).fallible().flat_map_merge(usize::MAX, |inlet| inlet)
    });
    check_wakes("combine", combine::<Vec<Inlet>>);
    check_wakes("combine_latest", combine_latest::<Vec<Inlet>>);
}

#[test]
fn one_future_that_wakes_among_ten_thousand_is_polled_alone() {
    for ordered in [false, true] {
        let polls: Rc<Cell<usize>> = Rc::default();
        let inlets: Vec<_> = (0..MANY).map(|_| Inlet::new(&polls)).collect();
        let source = from_stream(futures::stream::iter(inlets.clone())).fallible::<()>();
        let one = |mut inlet: Inlet| async move {
            std::future::poll_fn(|cx| Pin::new(&mut inlet).poll_next(cx)).await.unwrap().unwrap()
        };
        let mut stream = Driver::new(if ordered {
            source.then_concurrent(usize::MAX, one)
        } else {
            source.then_concurrent_unordered(usize::MAX, one)
        });
        while stream.poll().is_pending() && stream.woken() {}
        for at in [0, 1, 2] {
            let before = polls.get();
            inlets[at].put(at);
            assert!(stream.woken());
            assert_eq!(stream.poll(), Poll::Ready(Some(Ok(at))));
            assert!(polls.get() - before <= 2, "{} polls for one output", polls.get() - before);
        }
    }
}

#[test]
fn of_many_a_flow_that_wakes_twice_before_it_is_polled_is_polled_once() {
    let polls = Rc::default();
    let inlets: Vec<_> = (0..20).map(|_| Inlet::new(&polls)).collect();
    let mut stream = Driver::new(merge(inlets.clone()));
    assert!(stream.poll().is_pending());
    let before = polls.get();
    inlets[1].put(1);
    inlets[1].put(2);
    assert_eq!(stream.poll(), Poll::Ready(Some(Ok(1))));
    assert_eq!(polls.get() - before, 1);
    assert_eq!(stream.poll(), Poll::Ready(Some(Ok(2))));
}

#[test]
fn many_flows_are_polled_in_the_order_in_which_they_woke() {
    let polls = Rc::default();
    let inlets: Vec<_> = (0..20).map(|_| Inlet::new(&polls)).collect();
    let mut stream = Driver::new(merge(inlets.clone()));
    assert!(stream.poll().is_pending());
    for at in [2, 0, 3, 1] {
        inlets[at].put(at);
    }
    let order: Vec<_> = (0..4).map(|_| stream.next().unwrap().unwrap()).collect();
    assert_eq!(order, [2, 0, 3, 1]);
}

/// An endless flow that is always ready.
fn endless() -> LocalBoxFlow<'static, i32, &'static str> {
    flow_of((0..1_000_000).cycle()).map(|_| 0).fallible().boxed_local()
}

/// An item of 1 that comes after a while, counted in polls.
fn shy() -> LocalBoxFlow<'static, i32, &'static str> {
    script([vec![Yield; 20], vec![Emit(1)], vec![Hang]].concat()).boxed_local()
}

#[test]
fn a_flow_that_is_always_ready_does_not_starve_its_siblings() {
    macro_rules! fair {
        ($($name:literal $flow:expr;)*) => {$(
            let mut stream = Driver::new($flow);
            let found = (0..10_000).find(|_| stream.poll() == Poll::Ready(Some(Ok(1))));
            assert!(found.is_some_and(|polls| polls < 3_000), "{}: {found:?}", $name);
        )*};
    }
    fair! {
        "merge, before it" merge([shy(), endless()]);
        "merge, behind it" merge((endless(), shy()));
        "flat_map_merge" flow_of([0, 1]).fallible().flat_map_merge(2, |n| if n == 0 { endless() } else { shy() });
        "flat_map_merge, under an endless outer flow" {
            let mut n = 0;
            endless().flat_map_merge(4, move |_| {
                n += 1;
                if n == 1 { shy() } else { flow_of([0]).fallible().boxed_local() }
            })
        };
        "flat_map_merge, under an endless outer flow of empty flows" {
            let mut n = 0;
            endless().flat_map_merge(4, move |_| {
                n += 1;
                if n == 1 { shy() } else { empty().fallible().boxed_local() }
            })
        };
        "flat_map_latest" {
            let mut n = 0;
            script([vec![Emit(0)], vec![Yield; 20], vec![Emit(0), Hang]].concat()).flat_map_latest(move |_| {
                n += 1;
                if n == 1 { endless() } else { flow_of([1]).fallible().boxed_local() }
            })
        };
        "combine_latest" combine_latest([shy(), endless()]).map(|both| both[0]);
        "with_latest_from" endless().map(|_| 1).with_latest_from(shy()).map(|both| both.1);
        "then_concurrent_unordered" {
            let mut n = 0;
            endless().then_concurrent_unordered(4, move |_| {
                n += 1;
                let first = n == 1;
                async move {
                    for _ in 0..20 * i32::from(first) {
                        yield_now().await;
                    }
                    i32::from(first)
                }
            })
        };
    }
}

#[test]
fn a_latest_value_that_waits_is_seen_by_a_for_each_that_is_always_ready() {
    let seen = Cell::new(false);
    let mut n = 0;
    let outer = script([vec![Emit(0)], vec![Yield; 20], vec![Emit(0), Hang]].concat());
    let switched = outer.flat_map_latest(move |_| {
        n += 1;
        if n == 1 { endless() } else { flow_of([1]).fallible().boxed_local() }
    });
    let mut future = Polling::new(switched.for_each(|item| {
        seen.set(seen.get() || item == 1);
        std::future::ready(())
    }));
    let polls = (0..1_000).find(|_| future.poll().is_ready() || seen.get());
    assert!(polls.is_some_and(|polls| polls < 100), "{polls:?}");
}

type Work = Pin<Box<dyn Future<Output = ()>>>;

fn work<F: Flow<Error = &'static str> + 'static>(flow: F) -> Work
where
    F::Item: 'static,
{
    Box::pin(async move {
        let _ = flow.count().await;
    })
}

/// Work that never ends, over flows that are always ready.
fn always_ready() -> Vec<(&'static str, Work)> {
    let no_items = || empty::<u8>().fallible().boxed_local();
    vec![
        ("buffer", work(endless().buffer(4, coldflow::Overflow::Suspend))),
        ("conflate", work(endless().conflate())),
        ("merge", work(merge([endless(), endless()]))),
        ("merge, nothing comes out", work(merge([endless(), endless()]).filter(|_| false))),
        ("flat_map_merge", work(endless().flat_map_merge(4, |_| endless()))),
        ("flat_map_merge of empty flows", work(endless().flat_map_merge(4, move |_| no_items()))),
        ("flat_map_merge of empty flows, one at a time", work(endless().flat_map_merge(1, move |_| no_items()))),
        ("flat_map_latest", work(endless().flat_map_latest(|_| script([Hang])))),
        ("flat_map_latest of empty flows", work(endless().flat_map_latest(move |_| no_items()))),
        ("map_latest", work(endless().map_latest(std::future::ready))),
        ("transform_latest", work(endless().transform_latest(|_, _: coldflow::Emitter<u8>| std::future::ready(())))),
        ("zip", work(endless().zip(endless()))),
        ("combine", work(combine((endless(), endless())))),
        ("combine with a silent one", work(combine((endless(), script([Hang]))))),
        ("combine_latest with a silent one", work(combine_latest((endless(), script([Hang]))))),
        ("with_latest_from", work(endless().with_latest_from(endless()))),
        ("with_latest_from a silent one", work(endless().with_latest_from(script([Hang])))),
        ("then_concurrent", work(endless().then_concurrent(4, std::future::ready))),
        ("then_concurrent_unordered", work(endless().then_concurrent_unordered(4, std::future::ready))),
        ("race", work(coldflow::race([endless(), endless()]))),
        ("take_until", work(endless().take_until(std::future::pending::<()>()))),
        ("debounce", work(endless().debounce(Duration::from_secs(9)))),
        ("debounce of zero", work(endless().debounce(Duration::ZERO))),
        ("sample", work(endless().sample(Duration::from_secs(9)))),
        ("timeout", work(endless().timeout(Duration::from_secs(9)).map_err(|_| ""))),
        ("throttle", work(endless().throttle(Duration::from_secs(9), coldflow::Edge::Both))),
        ("chunks_timeout", work(endless().chunks_timeout(usize::MAX, Duration::from_secs(9)))),
        (
            "channel_flow",
            work(coldflow::channel_flow(|sender: coldflow::Sender<u8>| async move {
                while sender.send(1).await.is_ok() {}
                Err("over")
            })),
        ),
        (
            "channel_flow, conflated",
            work(
                coldflow::channel_flow(|sender: coldflow::Sender<u8>| async move {
                    while sender.send(1).await.is_ok() {}
                    Err("over")
                })
                .conflate(),
            ),
        ),
        (
            "for_each_latest",
            Box::pin(async {
                let _ = endless().for_each_latest(|_| std::future::pending::<()>()).await;
            }),
        ),
    ]
}

#[test]
fn a_timeout_around_work_that_is_always_ready_fires() {
    let count = always_ready().len();
    let (report, reports) = std::sync::mpsc::channel();
    // In a thread of its own, so that a poll that never returns is a failure and not a test that hangs.
    std::thread::spawn(move || {
        for (name, work) in always_ready() {
            report.send(name).unwrap();
            // The clock is the real one, and stands for the executor: does it get in?
            let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
            let ended = runtime.block_on(async { tokio::time::timeout(ms(2), work).await.is_ok() });
            assert!(!ended, "{name}: it ended");
        }
    });
    let mut running = "none";
    for _ in 0..count {
        running = reports.recv_timeout(Duration::from_secs(5)).unwrap_or_else(|_| panic!("{running} does not let go"));
    }
    let end = reports.recv_timeout(Duration::from_secs(5));
    assert_eq!(end, Err(std::sync::mpsc::RecvTimeoutError::Disconnected), "{running} does not let go");
}
