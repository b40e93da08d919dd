//! The hot flows against models of them: plain data in one thread, written from the rules.

use std::collections::{BTreeSet, VecDeque};
use std::future::Future;
use std::sync::Arc;
use std::sync::Mutex;
use std::task::Poll;

use coldflow::hot::{EmitShared, SharedFlowStream, StateFlowStream};
use coldflow::{Flow, FlowExt, MutableSharedFlow, MutableStateFlow, Overflow};
use proptest::prelude::*;

use super::random::Random;
use super::{drained, got, shared};
use crate::support::{Driver, Polling, block_on, yield_now};

// testStateFlowModel
#[test]
fn a_state_is_a_shared_flow_that_keeps_the_latest_distinct_value() {
    for seed in 0..20 {
        let state = MutableStateFlow::new(None);
        let setter = state.clone();
        let expected = log(seed, state.as_state(), move |value, _| setter.set(value));
        drop(state);
        let flow = shared(1, 0, Overflow::DropOldest);
        assert!(flow.try_emit(None));
        let emitter = flow.clone();
        let actual = log(seed, flow.as_shared().distinct_until_changed(), move |value, reset| {
            if reset {
                emitter.reset_replay_cache();
            }
            assert!(emitter.try_emit(value));
        });
        assert_eq!(actual, expected, "seed {seed}");
        assert!(actual.iter().filter(|line| line.starts_with("collect")).count() > 100);
    }
}

/// What happens in 1000 emissions, with a subscriber that is busy now and then.
fn log<F>(seed: u64, flow: F, mut emit: impl FnMut(Option<u8>, bool)) -> Vec<String>
where
    F: Flow<Item = Option<u8>, Error = std::convert::Infallible>,
{
    let log = Arc::new(Mutex::new(Vec::new()));
    let mut collected = Random::new(seed + 1000);
    let collector = {
        let log = Arc::clone(&log);
        flow.for_each(move |value| {
            log.lock().unwrap().push(format!("collect {value:?}"));
            let pauses = collected.below(3);
            async move {
                for _ in 0..pauses {
                    yield_now().await;
                }
            }
        })
    };
    let mut random = Random::new(seed);
    let emitter = {
        let log = Arc::clone(&log);
        async move {
            for _ in 0..1000 {
                let value = random.flip().then(|| u8::try_from(random.below(3)).unwrap());
                let reset = random.below(20) == 0;
                log.lock().unwrap().push(format!("emit {value:?}{}", if reset { " after a reset" } else { "" }));
                emit(value, reset);
                for _ in 0..random.below(3) {
                    yield_now().await;
                }
            }
        }
    };
    let mut collector = Box::pin(collector);
    let mut emitter = Box::pin(emitter);
    // In turns, until all is emitted and the subscriber has had time to take it.
    let mut turns_after = 0;
    block_on(std::future::poll_fn(move |cx| {
        let over = turns_after > 0 || emitter.as_mut().poll(cx).is_ready();
        turns_after += usize::from(over);
        assert!(collector.as_mut().poll(cx).is_pending());
        if turns_after > 10 {
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    }));
    Arc::into_inner(log).unwrap().into_inner().unwrap()
}

/// What a subscriber of the model is owed.
#[derive(Debug, Default)]
struct Owed {
    values: VecDeque<u32>,
}

/// A shared flow by its rules:
/// - each subscriber has a queue of its own, which begins as the replay;
/// - a value has no room when the queue of some subscriber is as long as replay and extra together;
/// - then the emission waits, or the value is ignored, or the full queues lose their first;
/// - without subscribers there is always room, and nothing but the replay is kept;
/// - without any room, the value of the first waiting emission is offered to each, and it is over when all have it.
#[derive(Debug)]
struct Model {
    replay_size: usize,
    capacity: usize,
    overflow: Overflow,
    replay: VecDeque<u32>,
    subscribers: Vec<Option<Owed>>,
    waiting: VecDeque<u32>,
    /// Who has what the first waiting emission offers, when there is no room.
    have: BTreeSet<usize>,
    count: usize,
    counts: Vec<usize>,
}

impl Model {
    fn new(replay_size: usize, extra: usize, overflow: Overflow) -> Self {
        Model {
            replay_size,
            capacity: replay_size + extra,
            overflow,
            replay: VecDeque::new(),
            subscribers: Vec::new(),
            waiting: VecDeque::new(),
            have: BTreeSet::new(),
            count: 0,
            counts: Vec::new(),
        }
    }

    fn present(&mut self) -> impl Iterator<Item = &mut Owed> {
        self.subscribers.iter_mut().flatten()
    }

    fn has_room(&mut self) -> bool {
        let capacity = self.capacity;
        self.present().all(|owed| owed.values.len() < capacity)
    }

    fn put(&mut self, value: u32) {
        self.present().for_each(|owed| owed.values.push_back(value));
        self.replay.push_back(value);
        if self.replay.len() > self.replay_size {
            self.replay.pop_front();
        }
    }

    /// Whether it is emitted, or ignored as the overflow says.
    fn try_emit(&mut self, value: u32) -> bool {
        if !self.has_room() {
            match self.overflow {
                Overflow::Suspend => return false,
                Overflow::DropLatest => return true,
                Overflow::DropOldest => {
                    let capacity = self.capacity;
                    self.present().filter(|owed| owed.values.len() == capacity).for_each(|owed| {
                        owed.values.pop_front();
                    });
                }
            }
        }
        self.put(value);
        true
    }

    /// After something has made room.
    fn settle(&mut self) {
        if self.capacity == 0 {
            while !self.waiting.is_empty() {
                let all_have_it =
                    (0..self.subscribers.len()).all(|at| self.subscribers[at].is_none() || self.have.contains(&at));
                if !all_have_it {
                    break;
                }
                self.waiting.pop_front();
                self.have.clear();
            }
        } else {
            while !self.waiting.is_empty() && self.has_room() {
                let value = self.waiting.pop_front().unwrap();
                self.put(value);
            }
        }
    }

    fn subscribe(&mut self, at: usize) {
        if self.subscribers.len() <= at {
            self.subscribers.resize_with(at + 1, || None);
        }
        self.subscribers[at] = Some(Owed { values: self.replay.clone() });
        self.count += 1;
        self.counts.push(self.count);
    }

    fn unsubscribe(&mut self, at: usize) {
        let there = self.subscribers.get_mut(at).and_then(Option::take);
        if there.is_some() {
            self.have.remove(&at);
            self.count -= 1;
            self.counts.push(self.count);
            self.settle();
        }
    }

    fn next(&mut self, at: usize) -> Option<u32> {
        let next = self.peek(at)?;
        if self.capacity == 0 {
            self.have.insert(at);
        } else {
            self.subscribers[at].as_mut().unwrap().values.pop_front();
        }
        self.settle();
        Some(next)
    }

    fn peek(&self, at: usize) -> Option<u32> {
        let owed = self.subscribers.get(at)?.as_ref()?;
        if self.capacity == 0 {
            return if self.have.contains(&at) { None } else { self.waiting.front().copied() };
        }
        owed.values.front().copied()
    }

    fn withdraw(&mut self, value: u32) {
        if let Some(at) = self.waiting.iter().position(|waiting| *waiting == value) {
            self.waiting.remove(at);
            if at == 0 {
                self.have.clear();
            }
        }
    }

    /// How many values must be kept.
    fn kept(&self) -> usize {
        let longest = self.subscribers.iter().flatten().map(|owed| owed.values.len()).max().unwrap_or(0);
        longest.max(self.replay.len()) + self.waiting.len()
    }
}

#[derive(Clone, Copy, Debug)]
enum Op {
    /// Begins a collection, which subscribes with its first poll.
    Collect,
    Subscribe,
    Poll(usize),
    Restart(usize),
    Unsubscribe(usize),
    Emit,
    TryEmit,
    PollEmission(usize),
    CancelEmission(usize),
    Reset,
}

fn ops() -> impl Strategy<Value = Vec<Op>> {
    let op = prop_oneof![
        1 => Just(Op::Collect),
        2 => Just(Op::Subscribe),
        8 => (0..6_usize).prop_map(Op::Poll),
        1 => (0..6_usize).prop_map(Op::Restart),
        2 => (0..6_usize).prop_map(Op::Unsubscribe),
        6 => Just(Op::Emit),
        3 => Just(Op::TryEmit),
        2 => (0..6_usize).prop_map(Op::PollEmission),
        2 => (0..6_usize).prop_map(Op::CancelEmission),
        1 => Just(Op::Reset),
    ];
    proptest::collection::vec(op, 0..120)
}

/// A value that is alive as long as a clone of its second part is.
type Value = (u32, Arc<()>);

struct Subscriber {
    at: usize,
    driver: Driver<SharedFlowStream<Value>>,
    waits: bool,
}

fn pick(at: usize, len: usize) -> Option<usize> {
    at.checked_rem(len)
}

fn compare(flow: &MutableSharedFlow<Value>, mut model: Model, ops: &[Op]) {
    let alive = Arc::new(());
    let mut subscribers: Vec<Subscriber> = Vec::new();
    let mut emissions: Vec<(u32, Polling<EmitShared<'_, Value>>)> = Vec::new();
    let mut counts = Driver::new(flow.subscription_count());
    assert_eq!(drained(&mut counts), [0]);
    let mut values = 0;
    for (step, op) in ops.iter().enumerate() {
        let what = || format!("step {step}, {op:?}: {:?}", ops[..step].iter().collect::<Vec<_>>());
        match *op {
            Op::Collect => {
                let driver = Driver::new(flow.as_shared());
                subscribers.push(Subscriber { at: step, driver, waits: false });
            }
            Op::Subscribe => {
                let driver = Driver::new(flow.as_shared().subscribe());
                model.subscribe(step);
                subscribers.push(Subscriber { at: step, driver, waits: false });
            }
            Op::Poll(which) => {
                let Some(which) = pick(which, subscribers.len()) else { continue };
                let Subscriber { at, driver, waits } = &mut subscribers[which];
                if model.subscribers.get(*at).is_none_or(Option::is_none) {
                    model.subscribe(*at);
                }
                let next = got(driver).map(|value| value.expect("it does not end").0);
                assert_eq!(next, model.next(*at).map_or(Poll::Pending, Poll::Ready), "{}", what());
                *waits = next.is_pending();
            }
            Op::Restart(which) => {
                let Some(which) = pick(which, subscribers.len()) else { continue };
                let Subscriber { at, driver, waits } = &mut subscribers[which];
                driver.restart();
                *waits = false;
                model.unsubscribe(*at);
            }
            Op::Unsubscribe(which) => {
                let Some(which) = pick(which, subscribers.len()) else { continue };
                let gone = subscribers.swap_remove(which);
                model.unsubscribe(gone.at);
            }
            Op::Emit => {
                values += 1;
                let mut emission = Polling::new(flow.emit((values, Arc::clone(&alive))));
                let done = model.try_emit(values);
                assert_eq!(emission.poll().is_ready(), done, "{}", what());
                if !done {
                    model.waiting.push_back(values);
                    emissions.push((values, emission));
                }
            }
            Op::TryEmit => {
                values += 1;
                let done = flow.try_emit((values, Arc::clone(&alive)));
                assert_eq!(done, model.try_emit(values), "{}", what());
            }
            Op::PollEmission(which) => {
                let Some(which) = pick(which, emissions.len()) else { continue };
                let done = !model.waiting.contains(&emissions[which].0);
                // Its wake is not lost by the poll: whether it is over is asked again below.
                let woken = emissions[which].1.woken();
                assert_eq!(woken, done, "{}", what());
                assert_eq!(emissions[which].1.poll().is_ready(), done, "{}", what());
                if done {
                    emissions.swap_remove(which);
                }
            }
            Op::CancelEmission(which) => {
                let Some(which) = pick(which, emissions.len()) else { continue };
                let (value, emission) = emissions.swap_remove(which);
                drop(emission);
                model.withdraw(value);
            }
            Op::Reset => {
                flow.reset_replay_cache();
                model.replay.clear();
            }
        }
        let replay: Vec<u32> = flow.as_shared().replay_cache().into_iter().map(|(value, _)| value).collect();
        assert!(model.replay == replay, "the replay is {replay:?}, {}", what());
        assert_eq!(Arc::strong_count(&alive) - 1, model.kept(), "values alive, {}", what());
        for Subscriber { at, driver, waits } in &mut subscribers {
            if *waits && model.peek(*at).is_some() {
                assert!(driver.woken(), "subscriber {at} was not woken, {}", what());
                *waits = false;
            }
        }
        assert_eq!(flow.subscription_count().value(), model.count, "{}", what());
        assert_eq!(drained(&mut counts), std::mem::take(&mut model.counts), "{}", what());
    }
    for (value, emission) in &mut emissions {
        let done = !model.waiting.contains(value);
        assert_eq!(emission.woken(), done);
        assert_eq!(emission.poll().is_ready(), done);
    }
    drop(subscribers);
    for (_, emission) in &mut emissions {
        assert!(emission.poll().is_ready(), "nobody is there, so nobody waits");
    }
    flow.reset_replay_cache();
    assert_eq!(Arc::strong_count(&alive), 1, "nothing is left");
}

const OVERFLOWS: [Overflow; 3] = [Overflow::Suspend, Overflow::DropOldest, Overflow::DropLatest];

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn a_shared_flow_does_what_its_rules_say(ops in ops()) {
        for replay in 0..=3 {
            for extra in 0..=3 {
                for overflow in OVERFLOWS {
                    if replay + extra > 0 || overflow == Overflow::Suspend {
                        compare(&shared(replay, extra, overflow), Model::new(replay, extra, overflow), &ops);
                    }
                }
            }
        }
    }
}

#[derive(Clone, Copy, Debug)]
enum StateOp {
    Subscribe,
    Poll(usize),
    Restart(usize),
    Unsubscribe(usize),
    Set(u8),
    CompareAndSet(u8, u8),
    Update(u8),
}

fn state_ops() -> impl Strategy<Value = Vec<StateOp>> {
    let op = prop_oneof![
        2 => Just(StateOp::Subscribe),
        6 => (0..4_usize).prop_map(StateOp::Poll),
        1 => (0..4_usize).prop_map(StateOp::Restart),
        1 => (0..4_usize).prop_map(StateOp::Unsubscribe),
        4 => (0..3_u8).prop_map(StateOp::Set),
        2 => (0..3_u8, 0..3_u8).prop_map(|(a, b)| StateOp::CompareAndSet(a, b)),
        2 => (0..3_u8).prop_map(StateOp::Update),
    ];
    proptest::collection::vec(op, 0..100)
}

proptest! {
    #[test]
    fn a_state_gives_each_subscriber_the_latest_value_that_differs_from_its_last(ops in state_ops()) {
        let state = MutableStateFlow::new(0_u8);
        let parity = state.as_state().map_state(|n| n % 2);
        let mut value = 0;
        // Each with its last value, and whether it waits.
        let mut subscribers: Vec<(Driver<StateFlowStream<u8>>, Option<u8>, bool)> = Vec::new();
        for op in ops {
            match op {
                StateOp::Subscribe => subscribers.push((Driver::new(state.as_state()), None, false)),
                StateOp::Poll(which) => {
                    let Some(which) = pick(which, subscribers.len()) else { continue };
                    let (driver, last, waits) = &mut subscribers[which];
                    let expected = if *last == Some(value) { Poll::Pending } else { Poll::Ready(Some(value)) };
                    prop_assert_eq!(got(driver), expected);
                    *last = Some(value);
                    *waits = expected.is_pending();
                }
                StateOp::Restart(which) => {
                    let Some(which) = pick(which, subscribers.len()) else { continue };
                    let (driver, last, waits) = &mut subscribers[which];
                    driver.restart();
                    (*last, *waits) = (None, false);
                }
                StateOp::Unsubscribe(which) => {
                    let Some(which) = pick(which, subscribers.len()) else { continue };
                    subscribers.swap_remove(which);
                }
                StateOp::Set(new) => {
                    state.set(new);
                    value = new;
                }
                StateOp::CompareAndSet(expected, new) => {
                    prop_assert_eq!(state.compare_and_set(&expected, new), value == expected);
                    if value == expected {
                        value = new;
                    }
                }
                StateOp::Update(by) => {
                    let before = value;
                    value = (value + by) % 3;
                    prop_assert_eq!(state.get_and_update(|n| (n + by) % 3), before);
                }
            }
            prop_assert_eq!(state.value(), value);
            prop_assert_eq!(parity.value(), value % 2);
            for (driver, last, waits) in &mut subscribers {
                if *waits && *last != Some(value) {
                    prop_assert!(driver.woken());
                    *waits = false;
                }
            }
        }
        drop(state);
        for (driver, last, _) in &mut subscribers {
            let rest: Vec<u8> = driver.rest().into_iter().map(|Ok(n)| n).collect();
            let expected: Vec<u8> = if *last == Some(value) { Vec::new() } else { vec![value] };
            prop_assert_eq!(rest, expected);
        }
    }
}
