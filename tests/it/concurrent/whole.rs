//! What holds for each of the concurrent and the timed operators, whenever they are dropped, restarted or stopped.

use std::sync::Arc;
use std::task::Poll;

use coldflow::{
    BoxFlow, ColdFlow, Edge, Flow, FlowExt, FlowStream, Overflow, Sender, callback_flow, channel_flow, combine,
    combine_latest, interval, merge, race,
};
use tokio::time::{advance, timeout};

use super::clock::{Do, Emit, Fail, Wait, Yield, ms, pause, traced};
use crate::support::{Driver, Trace, show};

/// An item, or an error, that counts among the living.
#[derive(Clone)]
struct Live(String, #[expect(dead_code)] Arc<()>);

type Erased = BoxFlow<'static, Live, Live>;

/// What a case is built with: sources that note in a trace, and whose items count.
#[derive(Clone)]
struct World {
    trace: Trace,
    alive: Arc<()>,
    end: Option<Do>,
}

impl World {
    fn new(end: Option<Do>) -> Self {
        World { trace: Trace::new(), alive: Arc::default(), end }
    }

    fn live(&self, text: impl std::fmt::Debug) -> Live {
        Live(format!("{text:?}"), Arc::clone(&self.alive))
    }

    /// How many items are alive.
    fn items(&self, itself: usize) -> usize {
        Arc::strong_count(&self.alive) - itself
    }

    fn source(&self, name: &'static str, steps: &[Do]) -> Erased {
        let steps: Vec<Do> = steps.iter().copied().chain(self.end).collect();
        let (world, failed) = (self.clone(), self.clone());
        traced(&self.trace, name, steps).map(move |n| world.live(n)).map_err(move |e| failed.live(e)).boxed()
    }

    /// Five items, in a burst and then spaced.
    fn up(&self, name: &'static str) -> Erased {
        self.source(name, &[Emit(1), Emit(2), Yield, Emit(3), Wait(3), Emit(4), Wait(5), Emit(5), Wait(2)])
    }

    fn inner(&self, n: &Live) -> Erased {
        let world = self.clone();
        let name = n.0.clone();
        let steps = [Emit(1), Wait(2), Emit(2), Yield, Emit(3)];
        let inner = traced(&self.trace, "inner", steps);
        inner.map(move |m| world.live(format!("{name}.{m}"))).map_err(|_| unreachable!()).boxed()
    }

    /// The future of an async lambda.
    async fn work(self, item: Live) -> Live {
        let _guard = self.trace.guard("lambda");
        pause(2).await;
        item
    }

    fn erase<F>(&self, flow: F) -> Erased
    where
        F: ColdFlow<Error = Live, Stream: Send + 'static>,
        F::Item: Shown,
    {
        let world = self.clone();
        flow.map(move |item| world.live(item.shown())).boxed()
    }
}

trait Shown {
    fn shown(&self) -> String;
}

impl Shown for Live {
    fn shown(&self) -> String {
        self.0.clone()
    }
}

impl Shown for (Live, Live) {
    fn shown(&self) -> String {
        format!("{}+{}", self.0.0, self.1.0)
    }
}

impl Shown for Vec<Live> {
    fn shown(&self) -> String {
        self.iter().map(|live| live.0.clone()).collect::<Vec<_>>().join(",")
    }
}

type Build = fn(&World) -> Erased;

/// The concurrent operators, by the names of their methods or functions.
fn concurrent() -> Vec<(&'static str, Build)> {
    vec![
        ("buffer", |w| w.up("source").buffer(2, Overflow::Suspend).boxed()),
        ("buffer", |w| w.up("source").buffer(0, Overflow::Suspend).boxed()),
        ("buffer", |w| w.up("source").buffer(2, Overflow::DropOldest).boxed()),
        ("buffer", |w| w.up("source").buffer(2, Overflow::DropLatest).boxed()),
        ("buffer", |w| w.up("source").buffer(1, Overflow::Suspend).map(|n| n).buffer(1, Overflow::Suspend).boxed()),
        ("buffer", |w| w.up("source").buffer(1, Overflow::Suspend).buffer(1, Overflow::Suspend).boxed()),
        ("conflate", |w| w.up("source").conflate().boxed()),
        ("merge", |w| merge([w.up("a"), w.up("b"), w.up("c")]).boxed()),
        ("merge", |w| merge((w.up("a"), w.up("b"))).buffer(0, Overflow::Suspend).boxed()),
        ("flat_map_merge", |w| {
            let world = w.clone();
            w.up("outer").flat_map_merge(2, move |n| world.inner(&n)).boxed()
        }),
        ("flat_map_merge", |w| {
            let world = w.clone();
            w.up("outer").flat_map_merge(9, move |n| world.inner(&n)).buffer(1, Overflow::Suspend).boxed()
        }),
        ("flat_map_merge", |w| {
            let world = w.clone();
            w.up("outer").flat_map_merge(1, move |n| world.inner(&n)).boxed()
        }),
        ("flatten_merge", |w| {
            let world = w.clone();
            w.up("outer").map(move |n| world.inner(&n)).flatten_merge(3).boxed()
        }),
        ("flat_map_latest", |w| {
            let world = w.clone();
            w.up("outer").flat_map_latest(move |n| world.inner(&n)).boxed()
        }),
        ("flat_map_latest", |w| {
            let world = w.clone();
            w.up("outer").flat_map_latest(move |n| world.inner(&n)).buffer(0, Overflow::Suspend).boxed()
        }),
        ("map_latest", |w| {
            let world = w.clone();
            w.up("outer").map_latest(move |n| world.clone().work(n)).boxed()
        }),
        ("transform_latest", |w| {
            let world = w.clone();
            w.up("outer")
                .transform_latest(move |n: Live, mut emitter| {
                    let world = world.clone();
                    async move {
                        let _guard = world.trace.guard("lambda");
                        emitter.emit(n.clone()).await;
                        pause(2).await;
                        emitter.emit(world.live(format!("{} again", n.0))).await;
                    }
                })
                .boxed()
        }),
        ("zip", |w| w.erase(w.up("a").zip(w.source("b", &[Wait(1), Emit(1), Wait(9), Emit(2), Emit(3), Emit(4)])))),
        ("zip", |w| w.erase(w.source("a", &[Wait(1), Emit(1), Wait(9), Emit(2), Emit(3), Emit(4)]).zip(w.up("b")))),
        ("combine", |w| w.erase(combine([w.up("a"), w.up("b"), w.up("c")]))),
        ("combine", |w| w.erase(combine((w.up("a"), w.source("b", &[Wait(4), Emit(1)]))))),
        ("combine_latest", |w| w.erase(combine_latest((w.up("a"), w.up("b"))))),
        ("with_latest_from", |w| w.erase(w.up("a").with_latest_from(w.source("b", &[Emit(1), Wait(4), Emit(2)])))),
        ("race", |w| race([w.source("a", &[Wait(1), Emit(9)]), w.up("b"), w.up("c")]).boxed()),
        ("then_concurrent", |w| {
            let world = w.clone();
            w.up("source").then_concurrent(2, move |n| world.clone().work(n)).boxed()
        }),
        ("then_concurrent_unordered", |w| {
            let world = w.clone();
            w.up("source").then_concurrent_unordered(3, move |n| world.clone().work(n)).boxed()
        }),
    ]
}

/// The timed operators and the channels.
fn timed() -> Vec<(&'static str, Build)> {
    vec![
        ("debounce", |w| w.up("source").debounce(ms(2)).boxed()),
        ("debounce_by", |w| w.up("source").debounce_by(|n| ms(n.0.len() as u64)).boxed()),
        ("sample", |w| w.up("source").sample(ms(2)).boxed()),
        ("timeout", |w| {
            let world = w.clone();
            w.up("source").timeout(ms(4)).map_err(move |e| world.live(e.to_string_shown())).boxed()
        }),
        ("throttle", |w| w.up("source").throttle(ms(4), Edge::Leading).boxed()),
        ("throttle", |w| w.up("source").throttle(ms(4), Edge::Trailing).boxed()),
        ("throttle", |w| w.up("source").throttle(ms(4), Edge::Both).boxed()),
        ("chunks_timeout", |w| w.erase(w.up("source").chunks_timeout(2, ms(2)))),
        ("delay_start", |w| w.up("source").delay_start(ms(4)).boxed()),
        ("interval", |w| {
            let world = w.clone();
            interval(ms(3)).take(4).map(move |n| world.live(n)).map_err(|never| match never {}).boxed()
        }),
        ("channel_flow", |w| {
            let world = w.clone();
            channel_flow(move |sender: Sender<Live>| {
                let world = world.clone();
                async move {
                    let _guard = world.trace.guard("body");
                    let other = sender.clone();
                    tokio::join!(
                        async {
                            for n in 1..6 {
                                let _ = sender.send(world.live(n)).await;
                            }
                        },
                        async {
                            for n in 6..9 {
                                pause(2).await;
                                let _ = other.send(world.live(n)).await;
                            }
                        }
                    );
                    if let Some(Fail(error)) = world.end { Err(world.live(error)) } else { Ok(()) }
                }
            })
            .buffer(1, Overflow::Suspend)
            .boxed()
        }),
        ("callback_flow", |w| {
            let world = w.clone();
            callback_flow(move |sender: Sender<Live>| {
                for n in 1..4 {
                    let _ = sender.try_send(world.live(n));
                }
                world.trace.guard("registration")
            })
            .fallible()
            .boxed()
        }),
    ]
}

fn cases() -> Vec<(&'static str, Build)> {
    [concurrent(), timed()].concat()
}

trait ToStringShown {
    fn to_string_shown(&self) -> String;
}

impl ToStringShown for coldflow::TimeoutError<Live> {
    fn to_string_shown(&self) -> String {
        match self {
            coldflow::TimeoutError::Elapsed => "elapsed".to_owned(),
            coldflow::TimeoutError::Upstream(live) => live.0.clone(),
        }
    }
}

fn ends() -> [Option<Do>; 2] {
    [None, Some(Fail("over"))]
}

/// Collects with a consumer that is busy for so long with each item.
async fn consume(flow: Erased, busy: u64) -> Vec<String> {
    let mut lines = Vec::new();
    let end = flow
        .for_each(|item| {
            lines.push(item.0.clone());
            async move {
                pause(busy).await;
                drop(item);
            }
        })
        .await;
    lines.extend(end.err().map(|error| format!("!{}", error.0)));
    lines
}

#[tokio::test(start_paused = true)]
async fn dropped_at_any_time_nothing_lives_on_or_happens_afterwards() {
    for (name, build) in cases() {
        for end in ends() {
            for busy in [0, 1, 4] {
                for time in 0..45 {
                    let world = World::new(end);
                    let flow = build(&world);
                    let finished = timeout(ms(time), consume(flow, busy)).await.is_ok();
                    assert!(world.trace.live().is_empty(), "{name}, dropped at {time}: {:?}", world.trace.live());
                    assert_eq!(world.items(1), 0, "{name}, dropped at {time}: items live on");
                    world.trace.take();
                    if time % 9 == 0 {
                        pause(100).await;
                        assert!(world.trace.take().is_empty(), "{name}, dropped at {time}: something happened later");
                    }
                    if finished {
                        break;
                    }
                }
            }
        }
    }
}

/// A stream that is polled by hand, with time that passes when nothing else happens.
struct Stepped<S> {
    stream: Driver<S>,
    began: tokio::time::Instant,
    lines: Vec<String>,
    ended: bool,
    busy: u32,
}

impl<S: FlowStream<Item = Result<Live, Live>>> Stepped<S> {
    fn new<F: Flow<Stream = S>>(flow: F) -> Self {
        let began = tokio::time::Instant::now();
        Stepped { stream: Driver::new(flow), began, lines: Vec::new(), ended: false, busy: 0 }
    }

    /// One poll: for an item while the consumer waits, and for progress in the two milliseconds after each item.
    async fn step(&mut self) {
        if self.busy > 0 {
            let _ = self.stream.progress();
        } else {
            match self.stream.poll() {
                Poll::Ready(Some(item)) => {
                    let line = item.map(|live| live.0).map_err(|live| live.0);
                    self.lines.push(format!("{} {}", self.began.elapsed().as_millis(), show(line)));
                    self.busy = 2;
                    return;
                }
                Poll::Ready(None) => {
                    self.ended = true;
                    return;
                }
                Poll::Pending => {}
            }
        }
        if !self.stream.woken() {
            advance(ms(1)).await;
            self.busy = self.busy.saturating_sub(1);
        }
    }

    async fn rest(mut self) -> Vec<String> {
        for _ in 0..1_000 {
            if self.ended {
                return self.lines;
            }
            self.step().await;
        }
        panic!("it never ends: {:?}", self.lines);
    }
}

#[tokio::test(start_paused = true)]
async fn restarted_at_any_poll_it_is_as_good_as_new() {
    for (name, build) in cases() {
        for end in ends() {
            let expected = Stepped::new(build(&World::new(end))).rest().await;
            for steps in 0..200 {
                let world = World::new(end);
                let flow = build(&world);
                let held = Arc::strong_count(&world.alive);
                let mut running = Stepped::new(flow);
                for _ in 0..steps {
                    running.step().await;
                }
                let ended = running.ended;
                running.stream.restart();
                assert!(world.trace.live().is_empty(), "{name}, restarted after {steps}: {:?}", world.trace.live());
                assert_eq!(world.items(held), 0, "{name}, restarted after {steps} polls: items live on");
                world.trace.take();
                let _ = running.stream.progress();
                assert!(world.trace.take().is_empty(), "{name}: progress on a restarted stream");
                running.stream.woken();
                let again =
                    Stepped { began: tokio::time::Instant::now(), lines: vec![], ended: false, busy: 0, ..running };
                assert_eq!(again.rest().await, expected, "{name}, end {end:?}, restarted after {steps} polls");
                if ended {
                    break;
                }
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn stopped_at_any_poll_it_is_over_and_can_start_again() {
    for (name, build) in cases() {
        for end in ends() {
            for steps in 0..200 {
                let world = World::new(end);
                let flow = build(&world);
                let held = Arc::strong_count(&world.alive);
                let mut running = Stepped::new(flow);
                for _ in 0..steps {
                    running.step().await;
                }
                let ended = running.ended;
                running.stream.stop();
                assert!(running.stream.is_terminated(), "{name}, stopped after {steps} polls");
                assert!(world.trace.live().is_empty(), "{name}, stopped after {steps}: {:?}", world.trace.live());
                assert_eq!(world.items(held), 0, "{name}, stopped after {steps} polls: items live on");
                world.trace.take();
                assert_eq!(running.stream.progress(), Poll::Ready(()), "{name}: progress after the end");
                assert!(matches!(running.stream.poll(), Poll::Ready(None)), "{name}, stopped after {steps} polls");
                assert!(world.trace.take().is_empty(), "{name}, stopped after {steps} polls: something happened");
                running.stream.restart();
                let first = loop {
                    running.ended = false;
                    running.step().await;
                    if running.ended || !running.lines.is_empty() {
                        break running.lines.len();
                    }
                };
                assert!(first > 0 || steps > 0, "{name}: it starts again");
                if ended {
                    break;
                }
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn at_its_end_nothing_lives_on_though_the_stream_does() {
    for (name, build) in cases() {
        for end in ends() {
            let world = World::new(end);
            let flow = build(&world);
            let held = Arc::strong_count(&world.alive);
            let mut running = Stepped::new(flow);
            while !running.ended {
                running.step().await;
            }
            assert!(running.stream.is_terminated(), "{name}");
            assert!(world.trace.live().is_empty(), "{name}, ended: {:?}", world.trace.live());
            assert_eq!(world.items(held), 0, "{name}, ended: items live on");
            for _ in 0..3 {
                assert!(matches!(running.stream.poll(), Poll::Ready(None)), "{name}: fused");
                assert_eq!(running.stream.progress(), Poll::Ready(()), "{name}");
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn nothing_happens_before_the_first_poll() {
    for (name, build) in cases() {
        let world = World::new(None);
        let mut stream = Driver::new(build(&world));
        assert_eq!(stream.progress(), Poll::Ready(()), "{name}");
        stream.restart();
        assert_eq!(stream.progress(), Poll::Ready(()), "{name}");
        pause(20).await;
        assert!(!stream.woken() && world.trace.take().is_empty(), "{name}");
    }
}

/// What ran within is dropped before what it runs in.
#[tokio::test(start_paused = true)]
async fn inner_flows_and_lambdas_are_dropped_before_the_flow_around_them() {
    for (name, build) in cases() {
        for time in 0..20 {
            let world = World::new(None);
            let stopped = timeout(ms(time), consume(build(&world), 1)).await.is_err();
            let events = world.trace.take();
            let last_outer = events.iter().rposition(|event| event == "drop outer" || event == "drop source");
            let last_inner = events.iter().rposition(|event| event == "drop inner" || event == "drop lambda");
            if let (Some(outer), Some(inner), true) = (last_outer, last_inner, stopped) {
                // The outer flow may have ended earlier, by itself.
                let ended = events[..outer].iter().any(|event| event.ends_with("after 5")) && outer < inner;
                assert!(inner < outer || ended, "{name}, dropped at {time}: {events:?}");
            }
        }
    }
}

/// Retried after each failure, it runs as often as it should, and to the same end.
#[tokio::test(start_paused = true)]
async fn retried_it_runs_from_the_start() {
    for (name, build) in cases() {
        let world = World::new(Some(Fail("over")));
        let once = consume(build(&world), 1).await;
        if once.last().is_none_or(|last| !last.starts_with('!')) {
            assert!(
                ["interval", "callback_flow", "zip", "race", "with_latest_from"].contains(&name),
                "{name}: {once:?}"
            );
            continue;
        }
        let world = World::new(Some(Fail("over")));
        let thrice = consume(build(&world).retry(2).boxed(), 1).await;
        let mut expected = [&once[..once.len() - 1]; 3].concat();
        expected.push(once.last().unwrap().clone());
        assert_eq!(thrice, expected, "{name}");
        assert_eq!(world.items(1), 0, "{name}");
    }
}
