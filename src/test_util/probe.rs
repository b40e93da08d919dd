use alloc::sync::Arc;
use core::fmt;
use core::pin::Pin;
use core::sync::atomic::{AtomicUsize, Ordering};
use core::task::{Context, Poll, ready};
use core::time::Duration;

use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

use super::Gate;
use crate::flow::{Flow, FlowStream, PollItem, Restart};
use crate::time::Alarm;

/// A cold flow that follows a script, and counts what is done to it.
///
/// The script is written as a chain. A run does one step after the other, and ends behind the last one.
/// [`next_run`](Probe::next_run) begins the script of the run after: a collection does the first script first, and each
/// time that it is restarted, the next one; the last script is for all further runs. Another collection begins with the
/// first again.
///
/// Clones count together, so keep one to ask. `starts()` is `ends() + failures() + drops() + running()` at any time.
///
/// Only [`wait`](Probe::wait) needs a runtime, Tokio's. The type of the error is that of what it
/// [fails](Probe::fail) with; one that never does says `probe::<_, Infallible>()`.
///
/// # Examples
///
/// ```
/// use coldflow::FlowExt;
/// use coldflow::test_util::probe;
///
/// # futures::executor::block_on(async {
/// let source = probe().emit(1).fail("cut off").next_run().emit(2).emit(3);
/// assert_eq!(source.clone().retry(1).to_vec().await, Ok(vec![1, 2, 3]));
/// assert_eq!((source.starts(), source.failures(), source.ends()), (2, 1, 1));
///
/// // Another collection begins with the first run; `first` drops it.
/// assert_eq!(source.clone().first().await, Ok(Some(1)));
/// assert_eq!((source.starts(), source.drops(), source.running()), (3, 1, 0));
/// # });
/// ```
pub fn probe<T, E>() -> Probe<T, E> {
    Probe { runs: vec![Vec::new()], counts: Arc::default() }
}

/// The flow of [`probe`].
#[derive(Clone)]
#[must_use = "flows do nothing unless collected"]
pub struct Probe<T, E> {
    runs: Vec<Vec<Step<T, E>>>,
    counts: Arc<Counts>,
}

#[derive(Clone, Debug)]
enum Step<T, E> {
    Emit(T),
    Fail(E),
    Wait(Duration),
    WaitFor(Gate),
    Yield,
    Hang,
}

#[derive(Debug, Default)]
struct Counts {
    starts: AtomicUsize,
    ends: AtomicUsize,
    failures: AtomicUsize,
    running: AtomicUsize,
    restarts: AtomicUsize,
    polls: AtomicUsize,
    progress: AtomicUsize,
}

fn add(counter: &AtomicUsize) {
    counter.fetch_add(1, Ordering::Relaxed);
}

fn get(counter: &AtomicUsize) -> usize {
    counter.load(Ordering::Relaxed)
}

/// Counts as running until it is dropped.
struct Running(Arc<Counts>);

impl Running {
    fn new(counts: &Arc<Counts>) -> Self {
        add(&counts.starts);
        add(&counts.running);
        Running(Arc::clone(counts))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, Ordering::Relaxed);
    }
}

pin_project! {
    /// The stream of [`probe`].
    #[must_use = "streams do nothing unless polled"]
    pub struct ProbeStream<T, E> {
        #[pin]
        alarm: Alarm,
        probe: Probe<T, E>,
        run: usize,
        phase: Phase,
    }
}

enum Phase {
    Fresh,
    Running { at: usize, yielded: bool, _running: Running },
    Done,
}

impl<T: fmt::Debug, E: fmt::Debug> fmt::Debug for Probe<T, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Probe").field("runs", &self.runs).field("counts", &self.counts).finish()
    }
}

impl<T: fmt::Debug, E: fmt::Debug> fmt::Debug for ProbeStream<T, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProbeStream").field("probe", &self.probe).field("run", &self.run).finish_non_exhaustive()
    }
}

/// The script.
impl<T, E> Probe<T, E> {
    fn step(mut self, step: Step<T, E>) -> Self {
        if let Some(run) = self.runs.last_mut() {
            run.push(step);
        }
        self
    }

    /// It emits `item`.
    pub fn emit(self, item: T) -> Self {
        self.step(Step::Emit(item))
    }

    /// It fails with `error`. Further steps of this run are never reached.
    pub fn fail(self, error: E) -> Self {
        self.step(Step::Fail(error))
    }

    /// It waits for `duration` on Tokio's clock.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::test_util::{probe, to_marble};
    /// use coldflow::FlowExt;
    /// use std::time::Duration;
    ///
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() {
    /// let source = probe().emit('a').wait(Duration::from_millis(20)).emit('b').fail("over");
    /// assert_eq!(to_marble(source.retry(1)).await, "a-(ba)-(b#)");
    /// # }
    /// ```
    pub fn wait(self, duration: Duration) -> Self {
        self.step(Step::Wait(duration))
    }

    /// It waits until `gate` is opened once more; the example of [`Gate`] shows it.
    pub fn wait_for(self, gate: &Gate) -> Self {
        self.step(Step::WaitFor(gate.clone()))
    }

    /// It is pending once, and wakes the task at once.
    pub fn yield_now(self) -> Self {
        self.step(Step::Yield)
    }

    /// It is pending for ever.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::FlowExt;
    /// use coldflow::test_util::probe;
    /// use core::convert::Infallible;
    ///
    /// # futures::executor::block_on(async {
    /// let source = probe::<_, Infallible>().emit(1).hang();
    /// assert_eq!(source.clone().take(1).to_vec().await, Ok(vec![1]));
    /// assert_eq!((source.ends(), source.drops()), (0, 1));
    /// # });
    /// ```
    pub fn hang(self) -> Self {
        self.step(Step::Hang)
    }

    /// Further steps are those of the run after this one.
    pub fn next_run(mut self) -> Self {
        self.runs.push(Vec::new());
        self
    }
}

/// The counts, of all collections of this probe and its clones together.
impl<T, E> Probe<T, E> {
    /// How many runs have begun: at the first poll of a collection, and at the first after each restart.
    pub fn starts(&self) -> usize {
        get(&self.counts.starts)
    }

    /// How many runs have come to the end of their script.
    pub fn ends(&self) -> usize {
        get(&self.counts.ends)
    }

    /// How many runs have failed.
    pub fn failures(&self) -> usize {
        get(&self.counts.failures)
    }

    /// How many runs were over before their end, because the collection was dropped, stopped or restarted.
    pub fn drops(&self) -> usize {
        self.starts() - self.ends() - self.failures() - self.running()
    }

    /// How many runs are under way now.
    pub fn running(&self) -> usize {
        get(&self.counts.running)
    }

    /// How many of the [`starts`](Probe::starts) came after a restart. The others are collections.
    pub fn restarts(&self) -> usize {
        get(&self.counts.restarts)
    }

    /// How often it was asked for its next item.
    pub fn polls(&self) -> usize {
        get(&self.counts.polls)
    }

    /// How often it was given [progress](crate::FlowStream::poll_progress) while it was running.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::FlowExt;
    /// use coldflow::test_util::probe;
    /// use core::convert::Infallible;
    /// use std::time::Duration;
    ///
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() {
    /// let source = probe::<_, Infallible>().emit(1);
    /// let Ok(()) = source.clone().for_each(|_| tokio::time::sleep(Duration::from_millis(1))).await;
    /// assert!(source.progress_polls() > 0); // while the consumer was busy
    /// assert_eq!(source.polls(), 2); // the item, the end
    /// # }
    /// ```
    pub fn progress_polls(&self) -> usize {
        get(&self.counts.progress)
    }
}

impl<T: Clone, E: Clone> Flow for Probe<T, E> {
    type Item = T;
    type Error = E;
    type Stream = ProbeStream<T, E>;

    fn into_stream(self) -> Self::Stream {
        ProbeStream { alarm: Alarm::new(), probe: self, run: 0, phase: Phase::Fresh }
    }
}

impl<T: Clone, E: Clone> Stream for ProbeStream<T, E> {
    type Item = Result<T, E>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> PollItem<T, E> {
        let mut this = self.project();
        let Probe { runs, counts } = this.probe;
        add(&counts.polls);
        if let Phase::Fresh = this.phase {
            if *this.run > 0 {
                add(&counts.restarts);
            }
            *this.phase = Phase::Running { at: 0, yielded: false, _running: Running::new(counts) };
        }
        let Phase::Running { at, yielded, .. } = this.phase else {
            return Poll::Ready(None);
        };
        let script = &runs[(*this.run).min(runs.len() - 1)];
        loop {
            match script.get(*at) {
                Some(Step::Emit(item)) => {
                    *at += 1;
                    return Poll::Ready(Some(Ok(item.clone())));
                }
                Some(Step::Fail(error)) => {
                    *this.phase = Phase::Done;
                    add(&counts.failures);
                    return Poll::Ready(Some(Err(error.clone())));
                }
                Some(Step::Wait(duration)) => {
                    if !this.alarm.is_set() {
                        this.alarm.as_mut().set(*duration);
                    }
                    ready!(this.alarm.as_mut().poll_ring(cx));
                }
                Some(Step::WaitFor(gate)) => ready!(gate.poll_pass(cx)),
                Some(Step::Yield) if *yielded => *yielded = false,
                Some(Step::Yield) => {
                    *yielded = true;
                    cx.waker().wake_by_ref();
                    return Poll::Pending;
                }
                Some(Step::Hang) => return Poll::Pending,
                None => {
                    *this.phase = Phase::Done;
                    add(&counts.ends);
                    return Poll::Ready(None);
                }
            }
            *at += 1;
        }
    }
}

impl<T: Clone, E: Clone> FusedStream for ProbeStream<T, E> {
    fn is_terminated(&self) -> bool {
        matches!(self.phase, Phase::Done)
    }
}

impl<T: Clone, E: Clone> FlowStream for ProbeStream<T, E> {
    fn poll_progress(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        if let Phase::Running { .. } = self.phase {
            add(&self.probe.counts.progress);
        }
        Poll::Ready(())
    }

    fn stop(self: Pin<&mut Self>) {
        let this = self.project();
        this.alarm.clear();
        *this.phase = Phase::Done;
    }
}

impl<T: Clone, E: Clone> Restart for ProbeStream<T, E> {
    fn restart(self: Pin<&mut Self>) {
        let this = self.project();
        this.alarm.clear();
        if !matches!(this.phase, Phase::Fresh) {
            *this.run += 1;
        }
        *this.phase = Phase::Fresh;
    }
}
