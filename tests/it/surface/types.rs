//! Of every recipe, run and future: `Clone` and `Debug` of the recipe, `Debug` of what runs, and `Send`, `Sync` and
//! `Unpin` exactly when the parts are.

use std::fmt::Debug;
use std::future::{Ready, ready};
use std::marker::{PhantomData, PhantomPinned};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};
use std::time::Duration;

use coldflow::source::{ChannelFlow, Defer, FlowFn, Numbered, Once, OnceOk, Registration};
use coldflow::test_util::{Gate, assert_flow, marble, probe, to_marble};
use coldflow::{
    Edge, Emitter, Flow, FlowExt, FlowStream, MutableSharedFlow, MutableStateFlow, Overflow, Restart, Retry, Sender,
    SharedConfig, SharingStarted, StreamFlowExt, callback_flow, channel_flow, combine, combine_latest, defer, empty,
    failed, flow, flow_of, flow_with, from_stream, from_try_stream, merge, once, once_ok, once_with, race,
};
use futures::stream::{self, FusedStream, Stream};
use tokio::task::JoinSet;

/// A source whose auto traits are those of its mark.
#[derive(Clone, Debug)]
struct Marked<M>(M);

impl<M> Flow for Marked<M> {
    type Item = i32;
    type Error = String;
    type Stream = Marked<M>;

    fn into_stream(self) -> Self {
        self
    }
}

impl<M> Stream for Marked<M> {
    type Item = Result<i32, String>;

    fn poll_next(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        Poll::Ready(None)
    }
}

impl<M> FusedStream for Marked<M> {
    fn is_terminated(&self) -> bool {
        true
    }
}

impl<M> FlowStream for Marked<M> {
    fn poll_progress(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        Poll::Ready(())
    }

    fn stop(self: Pin<&mut Self>) {}
}

impl<M> Restart for Marked<M> {
    fn restart(self: Pin<&mut Self>) {}
}

/// Tells what auto traits a value has. A method of `Has` itself is found only where its bound holds; otherwise the one
/// of the trait is.
struct Has<T>(PhantomData<T>);

impl<T> Has<T> {
    fn of(_: &T) -> Self {
        Has(PhantomData)
    }
}

#[allow(clippy::unused_self)] // It is by the receiver that the method is found.
impl<T: Send> Has<T> {
    fn send(&self) -> bool {
        true
    }
}

#[allow(clippy::unused_self)] // As above.
impl<T: Sync> Has<T> {
    fn sync(&self) -> bool {
        true
    }
}

#[allow(clippy::unused_self)] // As above.
impl<T: Unpin> Has<T> {
    fn unpin(&self) -> bool {
        true
    }
}

trait HasNot {
    fn send(&self) -> bool {
        false
    }
    fn sync(&self) -> bool {
        false
    }
    fn unpin(&self) -> bool {
        false
    }
}

impl<T> HasNot for Has<T> {}

macro_rules! auto_traits {
    ($value:expr) => {{
        let has = Has::of($value);
        (has.send(), has.sync(), has.unpin())
    }};
}

macro_rules! send_sync {
    ($value:expr) => {{
        let has = Has::of($value);
        (has.send(), has.sync())
    }};
}

/// The value is also made to prove that it has `Debug`, and that it says which it is.
fn named(value: &impl Debug, name: &str) {
    let text = format!("{value:?}");
    assert!(text.starts_with(char::is_uppercase) && !text.contains("closure"), "{name}: {text}");
    assert!(!format!("{value:#?}").is_empty());
}

fn marked<M>(mark: M) -> Marked<M> {
    Marked(mark)
}

/// Checks the recipe and the run of each operator over sources of all four kinds.
macro_rules! operators {
    ($($method:ident |$up:ident| $build:expr;)*) => {
        const OPERATORS: &[&str] = &[$(stringify!($method)),*];

        #[test]
        fn operators_have_the_traits_of_their_parts() {
            $(
                let name = stringify!($method);
                let $up = marked(());
                let recipe = ($build).clone();
                named(&recipe, name);
                assert_eq!(auto_traits!(&recipe), (true, true, true), "{name}, the recipe");
                let run = recipe.into_stream();
                named(&run, name);
                assert_eq!(auto_traits!(&run), (true, true, true), "{name}");
                let $up = marked(PhantomData::<Rc<()>>);
                let recipe = $build;
                assert_eq!(auto_traits!(&recipe), (false, false, true), "{name}, the recipe");
                assert_eq!(auto_traits!(&recipe.into_stream()), (false, false, true), "{name}");
                let $up = marked(PhantomData::<std::cell::Cell<()>>);
                let recipe = $build;
                assert_eq!(auto_traits!(&recipe), (true, false, true), "{name}, the recipe");
                assert_eq!(auto_traits!(&recipe.into_stream()), (true, false, true), "{name}");
                let $up = marked(PhantomPinned);
                assert_eq!(auto_traits!(&($build).into_stream()), (true, true, false), "{name}");
            )*
        }
    };
}

fn done<T>(_: T, _: Emitter<i32>) -> Ready<()> {
    ready(())
}

operators! {
    map |up| up.map(|n| n + 1);
    try_map |up| up.try_map(Ok);
    then |up| up.then(ready);
    and_then |up| up.and_then(|n| ready(Ok(n)));
    filter |up| up.filter(|_| true);
    filter_map |up| up.filter_map(Some);
    inspect |up| up.inspect(|_| {});
    on_each |up| up.on_each(|_| ready(()));
    enumerate |up| up.enumerate();
    running_fold |up| up.running_fold(0, |sum, n| sum + n);
    running_reduce |up| up.running_reduce(|sum, n| sum + n);
    distinct_until_changed |up| up.distinct_until_changed();
    distinct_until_changed_by |up| up.distinct_until_changed_by(|a, b| a == b);
    distinct_until_changed_by_key |up| up.distinct_until_changed_by_key(|n| n / 2);
    take |up| up.take(1);
    take_while |up| up.take_while(|_| true);
    skip |up| up.skip(1);
    skip_while |up| up.skip_while(|_| true);
    transform |up| up.transform(done);
    transform_while |up| up.transform_while(|_, _: Emitter<u8>| ready(true));
    chunks |up| up.chunks(2);
    pairwise |up| up.pairwise();
    flat_map_concat |up| up.flat_map_concat(|_| flow_of([1]).fallible());
    flatten_concat |up| up.map(|_| flow_of([1]).fallible()).flatten_concat();
    chain |up| up.chain(failed("over".to_owned()));
    start_with |up| up.start_with([1]);
    repeat |up| up.repeat(2);
    materialize |up| up.materialize();
    dematerialize |up| up.materialize().dematerialize();
    map_to_result |up| up.map_to_result();
    on_start |up| up.on_start(|_| ready(()));
    on_completion |up| up.on_completion(|_, _| ready(()));
    on_empty |up| up.on_empty(|_| ready(()));
    on_cancel |up| up.on_cancel(|| {});
    catch |up| up.catch(done);
    map_err |up| up.map_err(|error| error.len());
    err_into |up| up.err_into::<Box<str>>();
    fallible |up| up.map_to_result().fallible::<u8>();
    retry |up| up.retry(1);
    retry_if |up| up.retry_if(|_, _| true);
    retry_when |up| up.retry_when(|_, _| ready(Ok(())));
}

/// The same for operators some of whose parts are in boxes or are timers, so that `Unpin` does not follow the source's.
macro_rules! concurrent_operators {
    ($($method:ident |$up:ident| $build:expr;)*) => {
        const CONCURRENT: &[&str] = &[$(stringify!($method)),*];

        #[test]
        fn concurrent_operators_have_the_traits_of_their_parts() {
            $(
                let name = stringify!($method);
                let $up = marked(());
                let recipe = ($build).clone();
                named(&recipe, name);
                assert_eq!(auto_traits!(&recipe), (true, true, true), "{name}, the recipe");
                let run = recipe.into_stream();
                named(&run, name);
                assert_eq!(send_sync!(&run), (true, true), "{name}");
                let $up = marked(PhantomData::<Rc<()>>);
                let recipe = $build;
                assert_eq!(auto_traits!(&recipe), (false, false, true), "{name}, the recipe");
                assert_eq!(send_sync!(&recipe.into_stream()), (false, false), "{name}");
                let $up = marked(PhantomData::<std::cell::Cell<()>>);
                assert_eq!(send_sync!(&($build).into_stream()), (true, false), "{name}");
            )*
        }
    };
}

concurrent_operators! {
    buffer |up| up.buffer(1, Overflow::Suspend);
    conflate |up| up.conflate();
    flat_map_merge |up| up.flat_map_merge(2, |_| flow_of([1]).fallible());
    flatten_merge |up| up.map(|_| flow_of([1]).fallible()).flatten_merge(2);
    flat_map_latest |up| up.flat_map_latest(|_| flow_of([1]).fallible());
    map_latest |up| up.map_latest(ready);
    transform_latest |up| up.transform_latest(done);
    zip |up| up.zip(flow_of([1]).fallible());
    merge |up| merge([up.clone(), up]);
    combine |up| combine((up, flow_of([1]).fallible()));
    combine_latest |up| combine_latest((up, flow_of([1]).fallible()));
    race |up| race([up.clone(), up]);
    with_latest_from |up| up.with_latest_from(flow_of([1]).fallible());
    take_until |up| up.take_until(ready(()));
    then_concurrent |up| up.then_concurrent(2, ready);
    then_concurrent_unordered |up| up.then_concurrent_unordered(2, ready);
    throttle |up| up.throttle(Duration::from_secs(1), Edge::Both);
    chunks_timeout |up| up.chunks_timeout(2, Duration::from_secs(1));
    delay_start |up| up.delay_start(Duration::ZERO);
    debounce |up| up.debounce(Duration::ZERO);
    debounce_by |up| up.debounce_by(|_| Duration::ZERO);
    retry_with |up| up.retry_with(Retry::none());
    sample |up| up.sample(Duration::from_secs(1));
    timeout |up| up.timeout(Duration::from_secs(1));
}

/// Checks the future of each terminal over sources of all four kinds.
macro_rules! terminals {
    ($($method:ident |$up:ident| $build:expr;)*) => {
        const TERMINALS: &[&str] = &[$(stringify!($method)),*];

        #[test]
        fn terminals_have_the_traits_of_their_parts() {
            $(
                let name = stringify!($method);
                let $up = marked(());
                let future = $build;
                named(&future, name);
                assert_eq!(auto_traits!(&future), (true, true, true), "{name}");
                let $up = marked(PhantomData::<Rc<()>>);
                assert_eq!(auto_traits!(&$build), (false, false, true), "{name}");
                let $up = marked(PhantomData::<std::cell::Cell<()>>);
                assert_eq!(auto_traits!(&$build), (true, false, true), "{name}");
                let $up = marked(PhantomPinned);
                assert_eq!(auto_traits!(&$build), (true, true, false), "{name}");
            )*
        }
    };
}

terminals! {
    single |up| up.single();
    single_or_none |up| up.single_or_none();
    first |up| up.first();
    first_where |up| up.first_where(|_| true);
    last |up| up.last();
    for_each |up| up.for_each(|_| ready(()));
    try_for_each |up| up.try_for_each(|_| ready(Ok(())));
    for_each_latest |up| up.for_each_latest(|_| ready(()));
    run |up| up.run();
    collect |up| up.collect::<Vec<_>>();
    to_vec |up| up.to_vec();
    fold |up| up.fold(0, |sum, n| ready(sum + n));
    try_fold |up| up.try_fold(0, |sum, n| ready(Ok(sum + n)));
    reduce |up| up.reduce(|sum, n| sum + n);
    count |up| up.count();
    count_where |up| up.count_where(|_| true);
    any |up| up.any(|_| true);
    all |up| up.all(|_| true);
    none |up| up.none(|_| true);
}

/// What is above needs to be `Send`, and whatever runs is.
const IN_A_TASK: [&str; 6] = ["flow_on", "launch_in", "produce_in", "share_in", "state_in", "state_in_first"];

#[tokio::test]
async fn a_flow_on_another_thread() {
    let recipe = marked(()).flow_on(&tokio::runtime::Handle::current());
    named(&recipe, "flow_on");
    assert_eq!(auto_traits!(&recipe.clone()), (true, true, true));
    let run = recipe.into_stream();
    named(&run, "flow_on");
    assert_eq!(send_sync!(&run), (true, true));
}

#[tokio::test]
async fn what_a_task_feeds() {
    let up = || marked(()).map_to_result();
    let shared = up().share_in(SharingStarted::Lazily, 0);
    named(&shared, "share_in");
    assert_eq!(auto_traits!(&shared.clone()), (true, true, true));
    assert_eq!(auto_traits!(&shared.into_stream()), (true, true, true));
    let state = up().state_in(SharingStarted::Lazily, Ok(1));
    named(&state, "state_in");
    assert_eq!(auto_traits!(&state.clone()), (true, true, true));
    assert_eq!(auto_traits!(&state.into_stream()), (true, true, true));
    let first = up().state_in_first();
    named(&first, "state_in_first");
    assert_eq!(auto_traits!(&first), (true, true, true));
    let produced = up().produce_in(&mut JoinSet::new());
    named(&produced, "produce_in");
    assert_eq!(auto_traits!(&produced), (true, true, true));
    let launched = up().launch_in(&mut JoinSet::new());
    assert_eq!(auto_traits!(&launched), (true, true, true));
}

#[test]
fn hot_flows_go_between_threads_when_their_values_can_be_shared() {
    macro_rules! check {
        ($value:expr, $shareable:literal) => {{
            let emits = MutableSharedFlow::new(SharedConfig::default());
            let sets = MutableStateFlow::with_equality($value, |_, _| false);
            let _ = emits.try_emit($value);
            named(&emits, "MutableSharedFlow");
            named(&sets, "MutableStateFlow");
            let expected = ($shareable, $shareable, true);
            assert_eq!(auto_traits!(&emits.clone()), expected);
            assert_eq!(auto_traits!(&sets.clone()), expected);
            assert_eq!(auto_traits!(&emits.emit($value)), expected);
            let shared = emits.as_shared();
            named(&shared.subscribe(), "Subscription");
            assert_eq!(auto_traits!(&shared.clone().on_subscription(|_| ready(()))), expected);
            assert_eq!(auto_traits!(&shared), expected);
            assert_eq!(auto_traits!(&shared.into_stream()), expected);
            let state = sets.as_state();
            let mapped = state.map_state(|_| 1);
            named(&mapped, "MapState");
            assert_eq!(auto_traits!(&mapped.clone()), expected);
            assert_eq!(auto_traits!(&mapped.into_stream()), expected);
            assert_eq!(auto_traits!(&state), expected);
            assert_eq!(auto_traits!(&state.into_stream()), expected);
            named(&emits.subscription_count(), "SubscriptionCount");
            assert_eq!(auto_traits!(&emits.subscription_count()), (true, true, true));
        }};
    }
    check!(1, true);
    check!(Rc::new(1), false);
    check!(std::cell::Cell::new(1).clone(), false);
}

/// Boxes are `Send` or not by their type, never `Sync`, and always `Unpin`.
const BOXES: [&str; 2] = ["boxed", "boxed_local"];

#[test]
fn boxes() {
    let flow = marked(()).boxed();
    named(&flow, "boxed");
    assert_eq!(auto_traits!(&flow), (true, false, true));
    let run = flow.into_stream();
    named(&run, "boxed");
    assert_eq!(auto_traits!(&run), (true, false, true));
    let flow = marked(PhantomPinned).boxed_local();
    named(&flow, "boxed_local");
    assert_eq!(auto_traits!(&flow), (false, false, true));
    let run = flow.into_stream();
    named(&run, "boxed_local");
    assert_eq!(auto_traits!(&run), (false, false, true));
}

/// Checks the recipe and the run of each source, made with something that is `Send` and something that is not.
macro_rules! sources {
    ($($method:ident |$part:ident| $build:expr;)*) => {
        pub(super) const SOURCES: &[&str] = &[$(stringify!($method)),*];

        #[test]
        fn sources_have_the_traits_of_their_parts() {
            $(
                let name = stringify!($method);
                let $part = ();
                let recipe = ($build).clone();
                named(&recipe, name);
                assert_eq!(auto_traits!(&recipe), (true, true, true), "{name}, the recipe");
                let run = recipe.into_stream();
                named(&run, name);
                assert_eq!(auto_traits!(&run), (true, true, true), "{name}");
                let $part = PhantomData::<Rc<()>>;
                let recipe = $build;
                assert_eq!(auto_traits!(&recipe), (false, false, true), "{name}, the recipe");
                assert_eq!(auto_traits!(&recipe.into_stream()), (false, false, true), "{name}");
            )*
        }
    };
}

// What a closure captures is not known within the function that it stands in, hence these.
fn a_flow<P: Clone>(part: P) -> FlowFn<u8, impl FnMut(Emitter<u8>) -> Ready<()> + Clone> {
    flow(move |_| {
        let _ = &part;
        ready(())
    })
}

fn a_once<P: Clone>(part: P) -> Once<impl FnMut() -> Ready<Result<P, ()>> + Clone> {
    once(move || ready(Ok(part.clone())))
}

fn a_flow_with<P: Clone>(part: P) -> FlowFn<u8, Numbered<impl FnMut(u64, Emitter<u8>) -> Ready<()> + Clone>> {
    flow_with(move |_, _| {
        let _ = &part;
        ready(())
    })
}

fn a_once_with<P: Clone>(part: P) -> Once<Numbered<impl FnMut(u64) -> Ready<Result<P, ()>> + Clone>> {
    once_with(move |_| ready(Ok(part.clone())))
}

fn a_once_ok<P: Clone>(part: P) -> OnceOk<impl FnMut() -> Ready<P> + Clone> {
    once_ok(move || ready(part.clone()))
}

fn a_defer<P: Clone>(part: P) -> Defer<impl FnMut() -> stream::Iter<std::option::IntoIter<Result<P, ()>>> + Clone> {
    defer(move || stream::iter(Some(Ok(part.clone()))))
}

fn a_channel_flow<P: Clone>(part: P) -> ChannelFlow<u8, impl FnMut(Sender<u8>) -> Ready<()> + Clone> {
    channel_flow(move |_| {
        let _ = &part;
        ready(())
    })
}

fn a_callback_flow<P: Clone>(part: P) -> ChannelFlow<u8, Registration<impl FnMut(Sender<u8>) -> P + Clone>> {
    callback_flow(move |_| part.clone())
}

sources! {
    callback_flow |part| a_callback_flow(part);
    channel_flow |part| a_channel_flow(part);
    flow |part| a_flow(part);
    flow_with |part| a_flow_with(part);
    once |part| a_once(part);
    once |part| a_once(part).retry_when(|(), _| ready(Ok(())));
    once_ok |part| a_once_ok(part);
    once_with |part| a_once_with(part);
    defer |part| a_defer(part);
    flow_of |part| flow_of([part]);
    failed |part| failed::<u8, _>(part);
    from_stream |part| from_stream(stream::iter([part]));
    from_try_stream |part| from_try_stream(stream::iter([Ok::<_, ()>(part)]));
    empty |part| {
        // It has no parts: a source beside it keeps the row of the table honest.
        let _ = empty::<Rc<()>>().clone();
        stream::iter([part]).into_flow()
    };
}

/// Those that have a timer, so that `Unpin` does not follow their parts.
pub(super) const TIMED_SOURCES: [&str; 2] = ["marble", "probe"];

#[test]
fn timed_sources_and_readers_have_the_traits_of_their_parts() {
    let recipe = marble("ab|").clone();
    named(&recipe, "marble");
    assert_eq!(auto_traits!(&recipe), (true, true, true));
    let run = recipe.into_stream();
    named(&run, "marble");
    assert_eq!(send_sync!(&run), (true, true));
    let recipe = probe::<_, ()>().emit(1).clone();
    named(&recipe, "probe");
    assert_eq!(auto_traits!(&recipe), (true, true, true));
    let run = recipe.into_stream();
    named(&run, "probe");
    assert_eq!(send_sync!(&run), (true, true));
    let recipe = probe::<_, ()>().emit(Rc::new(1));
    assert_eq!(auto_traits!(&recipe), (false, false, true));
    assert_eq!(send_sync!(&recipe.into_stream()), (false, false));
    named(&to_marble(marked(())), "to_marble");
    assert_eq!(send_sync!(&to_marble(marked(()))), (true, true));
    assert_eq!(send_sync!(&to_marble(marked(PhantomData::<Rc<()>>))), (false, false));
    let reader = assert_flow(marked(()));
    named(&reader, "assert_flow");
    assert_eq!(auto_traits!(&reader), (true, true, true));
    reader.ignore_rest();
    let reader = assert_flow(marked(PhantomData::<Rc<()>>));
    assert_eq!(auto_traits!(&reader), (false, false, true));
    reader.ignore_rest();
    named(&Gate::new(), "Gate");
    assert_eq!(auto_traits!(&Gate::new()), (true, true, true));
}

#[test]
fn an_empty_flow_is_send_whatever_it_would_emit() {
    let recipe = empty::<Rc<()>>();
    named(&recipe, "empty");
    assert_eq!(auto_traits!(&recipe), (true, true, true));
    let run = recipe.into_stream();
    named(&run, "empty");
    assert_eq!(auto_traits!(&run), (true, true, true));
}

#[test]
fn a_body_that_holds_what_is_not_send_makes_its_run_local() {
    fn local() -> impl Stream {
        flow(|mut emitter| async move {
            let rc = Rc::new(1);
            emitter.emit(*rc).await;
            drop(rc);
        })
        .into_stream()
    }
    fn values() -> impl Stream {
        flow(|mut emitter: Emitter<Rc<()>>| async move { emitter.emit(Rc::new(())).await }).into_stream()
    }
    fn neither() -> impl Stream {
        flow(|mut emitter| async move { emitter.emit(1).await }).into_stream()
    }
    assert!(!Has::of(&local()).send());
    assert!(!Has::of(&values()).send(), "its values cross over with it");
    assert!(Has::of(&neither()).send());
}

#[test]
fn an_emitter_and_its_emission_have_the_traits_of_the_value() {
    static_assertions::assert_impl_all!(Emitter<u8>: Send, Sync, Unpin, Debug);
    static_assertions::assert_not_impl_any!(Emitter<u8>: Clone);
    static_assertions::assert_not_impl_any!(Emitter<Rc<()>>: Send, Sync);
    static_assertions::assert_impl_all!(coldflow::Emit<'static, u8>: Send, Sync, Unpin, Debug);
    static_assertions::assert_not_impl_any!(coldflow::Emit<'static, Rc<()>>: Send, Sync);
}

/// What has a row here.
pub(super) const METHODS: &[&[&str]] = &[OPERATORS, CONCURRENT, TERMINALS, &BOXES, &IN_A_TASK];
