use alloc::sync::Arc;
use alloc::task::Wake;
use core::fmt::{self, Debug};
use core::future::{Future, poll_fn};
use core::panic::Location;
use core::pin::{Pin, pin};
use core::sync::atomic::{AtomicBool, Ordering};
use core::task::{Context, Poll, Waker};
use core::time::Duration;

use futures_core::Stream;
use tokio::runtime::Handle;
use tokio::task::unconstrained;
use tokio::time::Instant;

use crate::flow::{Flow, with_progress};
use crate::time::Alarm;

/// How long a reader waits for an event where nothing else is said.
const PATIENCE: Duration = Duration::from_secs(60);

/// How often a flow that only lets other tasks in is polled again when it is asked what is ready.
const TURNS: usize = 1024;

/// Begins to collect a flow, to be read event by event.
///
/// An event is an item, an error or the end. Each is asked for by a method, which fails the test when another one
/// comes, and says what was expected, what came, and where it was asked. At the end, when the reader is dropped or by
/// [`finish`](FlowAssert::finish), it fails on an event that nobody asked for.
///
/// The flow runs in the task of the test, and only while a method of the reader is awaited: nothing has to be `Send`,
/// and nothing happens behind the back of the test. So at the end the reader polls the flow once more. What is ready
/// then is an event that nobody asked for: an item, an error, and also the end itself. A flow that waits instead has
/// not ended, and is dropped; that is no failure, just as it is none to stop a subscription. What is not to be checked
/// is left to [`ignore_rest`](FlowAssert::ignore_rest).
///
/// On Tokio a method waits for an event for 60 seconds, which on a paused clock take no time, or as long as
/// [`patience`](FlowAssert::patience) says. On another executor it waits for ever.
///
/// # Examples
///
/// ```
/// use coldflow::test_util::{MarbleError, assert_flow, marble};
/// use coldflow::FlowExt;
/// use std::time::Duration;
///
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() {
/// let ms = Duration::from_millis;
/// let mut typed = assert_flow(marble("ab-----cd--#").debounce(ms(20)));
/// typed.no_events_for(ms(30)).await;
/// assert_eq!(typed.next_item().await, 'b');
/// typed.no_events_for(ms(70)).await;
/// assert_eq!(typed.next_item().await, 'd');
/// typed.fails_with(MarbleError).await;
/// # }
/// ```
///
/// An event that nobody asked for:
///
/// ```should_panic
/// use coldflow::flow_of;
/// use coldflow::test_util::assert_flow;
///
/// # futures::executor::block_on(async {
/// let mut numbers = assert_flow(flow_of([1, 2]));
/// assert_eq!(numbers.next_item().await, 1);
/// // Fails: expected no event that nobody asked for, got the item 2
/// # });
/// ```
///
/// Kotlin: `test` of Turbine.
#[doc(alias = "turbine")]
#[track_caller]
pub fn assert_flow<F>(flow: F) -> FlowAssert<F>
where
    F: Flow<Item: Debug, Error: Debug>,
{
    FlowAssert { stream: Box::pin(flow.into_stream()), patience: PATIENCE, over: false, begun_at: Location::caller() }
}

/// The reader of [`assert_flow`].
///
/// Every method that waits is cancel safe, except [`skip`](FlowAssert::skip): dropped before it resolves, it has taken
/// nothing.
#[must_use = "a flow does nothing unless it is read"]
pub struct FlowAssert<F>
where
    F: Flow<Item: Debug, Error: Debug>,
{
    stream: Pin<Box<F::Stream>>,
    patience: Duration,
    /// Whether no event can come any more, or none matters.
    over: bool,
    begun_at: &'static Location<'static>,
}

impl<F> Debug for FlowAssert<F>
where
    F: Flow<Item: Debug, Error: Debug>,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FlowAssert").field("over", &self.over).finish_non_exhaustive()
    }
}

/// What was there when an event was asked for.
enum Event<T, E> {
    Item(T),
    Error(E),
    End,
    NothingIn(Duration),
    NothingMore,
}

impl<T: Debug, E: Debug> fmt::Display for Event<T, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Event::Item(item) => write!(f, "the item {item:?}"),
            Event::Error(error) => write!(f, "the error {error:?}"),
            Event::End => f.write_str("the end"),
            Event::NothingIn(patience) => write!(f, "nothing in {patience:?}"),
            Event::NothingMore => f.write_str("nothing, for the flow was over before"),
        }
    }
}

impl<F> FlowAssert<F>
where
    F: Flow<Item: Debug, Error: Debug>,
{
    /// How long a method waits for an event before it fails.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::interval;
    /// use coldflow::test_util::assert_flow;
    /// use std::time::Duration;
    ///
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() {
    /// let hour = Duration::from_secs(3600);
    /// let mut ticks = assert_flow(interval(hour)).patience(hour);
    /// ticks.skip(24).await;
    /// assert_eq!(ticks.next_item().await, 24);
    /// # }
    /// ```
    pub fn patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// Waits for the next event, which must be an item.
    ///
    /// # Panics
    ///
    /// When another event comes, or none in time.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::flow_of;
    /// use coldflow::test_util::assert_flow;
    ///
    /// # futures::executor::block_on(async {
    /// let mut numbers = assert_flow(flow_of([7]));
    /// assert_eq!(numbers.next_item().await, 7);
    /// numbers.completes().await;
    /// # });
    /// ```
    #[track_caller]
    #[doc(alias = "awaitItem")]
    pub fn next_item(&mut self) -> impl Future<Output = F::Item> {
        let asked_at = Location::caller();
        async move {
            match self.next().await {
                Event::Item(item) => item,
                event => self.fail(asked_at, "an item", event),
            }
        }
    }

    /// Takes the next `count` events, which must be items, and drops them.
    ///
    /// # Panics
    ///
    /// When another event comes before, or none in time.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::flow_of;
    /// use coldflow::test_util::assert_flow;
    ///
    /// # futures::executor::block_on(async {
    /// let mut numbers = assert_flow(flow_of(1..=4));
    /// numbers.skip(3).await;
    /// assert_eq!(numbers.next_item().await, 4);
    /// numbers.completes().await;
    /// # });
    /// ```
    #[track_caller]
    #[doc(alias = "skipItems")]
    pub fn skip(&mut self, count: usize) -> impl Future<Output = ()> {
        let asked_at = Location::caller();
        async move {
            for skipped in 0..count {
                match self.next().await {
                    Event::Item(_) => {}
                    event => {
                        let got = format!("{event} after {skipped}");
                        self.fail(asked_at, format_args!("{count} items to skip"), got);
                    }
                }
            }
        }
    }

    /// Waits for the next event, which must be the end.
    ///
    /// # Panics
    ///
    /// When another event comes, or none in time.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::empty;
    /// use coldflow::test_util::assert_flow;
    ///
    /// # futures::executor::block_on(async {
    /// assert_flow(empty::<u8>()).completes().await;
    /// # });
    /// ```
    #[track_caller]
    #[doc(alias = "awaitComplete")]
    pub fn completes(&mut self) -> impl Future<Output = ()> {
        let asked_at = Location::caller();
        async move {
            match self.next().await {
                Event::End => {}
                event => self.fail(asked_at, "the end", event),
            }
        }
    }

    /// Waits for the next event, which must be an error, and gives it.
    ///
    /// # Panics
    ///
    /// When another event comes, or none in time.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::failed;
    /// use coldflow::test_util::assert_flow;
    ///
    /// # futures::executor::block_on(async {
    /// let error = assert_flow(failed::<u8, _>("no such city: Atlantis")).fails().await;
    /// assert!(error.starts_with("no such city"));
    /// # });
    /// ```
    #[track_caller]
    #[doc(alias = "awaitError")]
    pub fn fails(&mut self) -> impl Future<Output = F::Error> {
        let asked_at = Location::caller();
        async move {
            match self.next().await {
                Event::Error(error) => error,
                event => self.fail(asked_at, "an error", event),
            }
        }
    }

    /// Waits for the next event, which must be an error equal to `expected`.
    ///
    /// # Panics
    ///
    /// When another event or another error comes, or none in time.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::failed;
    /// use coldflow::test_util::assert_flow;
    ///
    /// # futures::executor::block_on(async {
    /// assert_flow(failed::<u8, _>("cut off".to_owned())).fails_with("cut off").await;
    /// # });
    /// ```
    #[track_caller]
    pub fn fails_with<E: Debug>(&mut self, expected: E) -> impl Future<Output = ()>
    where
        F::Error: PartialEq<E>,
    {
        let asked_at = Location::caller();
        async move {
            match self.next().await {
                Event::Error(error) if error == expected => {}
                event => self.fail(asked_at, format_args!("the error {expected:?}"), event),
            }
        }
    }

    /// Lets `duration` pass on Tokio's clock, in which there must be no event.
    ///
    /// An event at its very end comes after it. With a duration of zero, nothing must be ready now; that also
    /// subscribes to a hot flow, which does not know of the reader before something is asked for.
    ///
    /// # Panics
    ///
    /// When there is an event. Outside of a Tokio runtime, if time has to pass.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::test_util::{assert_flow, marble};
    /// use coldflow::{MutableSharedFlow, SharedConfig};
    /// use std::time::Duration;
    ///
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() {
    /// let mut letters = assert_flow(marble("--a"));
    /// letters.no_events_for(Duration::from_millis(20)).await;
    /// assert_eq!(letters.next_item().await, 'a');
    ///
    /// let clicks = MutableSharedFlow::new(SharedConfig { extra_capacity: 1, ..SharedConfig::default() });
    /// let mut seen = assert_flow(clicks.as_shared());
    /// assert!(clicks.try_emit("to nobody"));
    /// seen.no_events_for(Duration::ZERO).await;
    /// assert!(clicks.try_emit("to the reader"));
    /// assert_eq!(seen.next_item().await, "to the reader");
    /// # }
    /// ```
    #[track_caller]
    #[doc(alias = "expectNoEvents")]
    pub fn no_events_for(&mut self, duration: Duration) -> impl Future<Output = ()> {
        let asked_at = Location::caller();
        async move {
            let began = Instant::now();
            let event = match self.ready() {
                None if !duration.is_zero() => self.next_before(duration).await,
                event => event,
            };
            if let Some(event) = event {
                let got = format!("{event} after {:?}", began.elapsed());
                self.fail(asked_at, format_args!("no event for {duration:?}"), got);
            }
        }
    }

    /// Awaits `future` as a consumer does that is busy with the item it took: it asks for nothing, and gives the flow
    /// [progress](crate::FlowStream::poll_progress).
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::FlowExt;
    /// use coldflow::test_util::{assert_flow, marble};
    /// use std::time::Duration;
    ///
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() {
    /// let mut latest = assert_flow(marble("abcd|").conflate());
    /// assert_eq!(latest.next_item().await, 'a');
    /// latest.busy_with(tokio::time::sleep(Duration::from_millis(25))).await;
    /// assert_eq!(latest.next_item().await, 'c');
    /// assert_eq!(latest.next_item().await, 'd');
    /// latest.completes().await;
    /// # }
    /// ```
    pub fn busy_with<Fut: Future>(&mut self, future: Fut) -> impl Future<Output = Fut::Output> {
        with_progress(self.stream.as_mut(), future)
    }

    /// Drops the flow; what is ready must have been asked for. Dropping the reader does the same, but knows only where
    /// the reading began.
    ///
    /// # Panics
    ///
    /// When an item, an error or the end is ready that nobody asked for.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::test_util::{assert_flow, marble};
    ///
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() {
    /// let mut letters = assert_flow(marble("a-b|"));
    /// assert_eq!(letters.next_item().await, 'a');
    /// letters.finish(); // `b` would come later
    /// # }
    /// ```
    #[track_caller]
    pub fn finish(mut self) {
        self.nothing_is_left(Location::caller());
    }

    /// Drops the flow, whatever is ready.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::flow_of;
    /// use coldflow::test_util::assert_flow;
    ///
    /// # futures::executor::block_on(async {
    /// let mut numbers = assert_flow(flow_of(1..));
    /// assert_eq!(numbers.next_item().await, 1);
    /// numbers.ignore_rest();
    /// # });
    /// ```
    #[doc(alias = "cancelAndIgnoreRemainingEvents")]
    pub fn ignore_rest(mut self) {
        self.over = true;
    }

    fn poll_event(&mut self, cx: &mut Context<'_>) -> Poll<Event<F::Item, F::Error>> {
        if self.over {
            return Poll::Pending;
        }
        let event = self.stream.as_mut().poll_next(cx).map(|item| match item {
            Some(Ok(item)) => Event::Item(item),
            Some(Err(error)) => Event::Error(error),
            None => Event::End,
        });
        self.over = matches!(event, Poll::Ready(Event::Error(_) | Event::End));
        event
    }

    async fn next(&mut self) -> Event<F::Item, F::Error> {
        if self.over {
            return Event::NothingMore;
        }
        let mut alarm = pin!(Alarm::new());
        poll_fn(|cx| {
            let event = self.poll_event(cx);
            if event.is_ready() {
                return event;
            }
            if !alarm.is_set() && Handle::try_current().is_ok() {
                alarm.as_mut().set(self.patience);
            }
            alarm.as_mut().poll_ring(cx).map(|()| Event::NothingIn(self.patience))
        })
        .await
    }

    async fn next_before(&mut self, end: Duration) -> Option<Event<F::Item, F::Error>> {
        let mut alarm = pin!(Alarm::new());
        alarm.as_mut().set(end);
        poll_fn(|cx| match alarm.as_mut().poll_ring(cx) {
            Poll::Ready(()) => Poll::Ready(None),
            Poll::Pending => self.poll_event(cx).map(Some),
        })
        .await
    }

    /// What is there without waiting. A flow that is pending only to let others in does not wait.
    fn ready(&mut self) -> Option<Event<F::Item, F::Error>> {
        let woken = Arc::new(Woken::default());
        let waker = Waker::from(Arc::clone(&woken));
        // What Tokio grants a task per poll may be used up by what was read before, and then its channels seem empty.
        let mut event = pin!(unconstrained(poll_fn(|cx| self.poll_event(cx))));
        for _ in 0..TURNS {
            if let Poll::Ready(event) = event.as_mut().poll(&mut Context::from_waker(&waker)) {
                return Some(event);
            }
            if !woken.0.swap(false, Ordering::Relaxed) {
                break;
            }
        }
        None
    }

    #[track_caller]
    fn nothing_is_left(&mut self, asked_at: &Location<'_>) {
        let event = self.ready();
        self.over = true;
        if let Some(event) = event {
            self.fail(asked_at, "no event that nobody asked for", event);
        }
    }

    /// The place where something was asked is part of the message, for that of the panic is where it was awaited from
    /// within.
    #[track_caller]
    fn fail(&mut self, asked_at: &Location<'_>, expected: impl fmt::Display, got: impl fmt::Display) -> ! {
        self.over = true;
        panic!("{asked_at}: expected {expected}, got {got}");
    }
}

impl<F> Drop for FlowAssert<F>
where
    F: Flow<Item: Debug, Error: Debug>,
{
    fn drop(&mut self) {
        if !self.over && !std::thread::panicking() {
            self.nothing_is_left(self.begun_at);
        }
    }
}

/// Whether a task was woken.
#[derive(Default)]
struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}
