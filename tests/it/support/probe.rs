use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};

use coldflow::test_util::Gate;
use coldflow::{Flow, FlowStream, Restart};
use futures::Stream;
use futures::stream::FusedStream;

use super::trace::{Guard, Trace};

/// What a [`Probe`] does next. After the last step it ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Step {
    Emit(i32),
    Fail(&'static str),
    /// Pending once; it wakes the task itself.
    Yield,
    /// Pending until its [`Gate`] is opened.
    Wait,
    /// Panics, without a message.
    Panic,
}

/// A cold flow that does what its script says, and says in a [`Trace`] what is done to it.
#[derive(Clone, Debug)]
pub(crate) struct Probe {
    name: &'static str,
    trace: Trace,
    runs: Vec<Vec<Step>>,
    gate: Gate,
    eager: bool,
    calls: Arc<Calls>,
}

/// What was done to a running collection of a [`Probe`].
#[derive(Debug, Default)]
struct Calls {
    progress: AtomicUsize,
    owed: AtomicUsize,
    all: AtomicUsize,
}

impl Probe {
    pub(crate) fn new(trace: &Trace, script: &[Step]) -> Self {
        Probe {
            name: "source",
            trace: trace.clone(),
            runs: vec![script.to_vec()],
            gate: Gate::default(),
            eager: false,
            calls: Arc::default(),
        }
    }

    /// One with a trace of its own.
    pub(crate) fn of(script: &[Step]) -> Self {
        Probe::new(&Trace::new(), script)
    }

    /// What it does in the run after the last one that has a script. The last script is for all further runs.
    pub(crate) fn and_then_runs(mut self, script: &[Step]) -> Self {
        self.runs.push(script.to_vec());
        self
    }

    /// Gives it another name in the trace.
    pub(crate) fn named(mut self, name: &'static str) -> Self {
        self.name = name;
        self
    }

    /// It knows its end with its last item, and is terminated then; without any step it is from the beginning.
    pub(crate) fn eager(mut self) -> Self {
        self.eager = true;
        self
    }

    pub(crate) fn trace(&self) -> Trace {
        self.trace.clone()
    }

    pub(crate) fn gate(&self) -> Gate {
        self.gate.clone()
    }

    /// How often it was given progress while it was running.
    pub(crate) fn progress(&self) -> usize {
        self.calls.progress.load(Ordering::Relaxed)
    }

    /// How often any method of a collection of it was called.
    pub(crate) fn calls(&self) -> usize {
        self.calls.all.load(Ordering::Relaxed)
    }

    /// Whether an item of it was taken and since then neither the next one was asked for nor progress given.
    pub(crate) fn is_owed(&self) -> bool {
        self.calls.owed.load(Ordering::Relaxed) == 1
    }
}

#[derive(Debug)]
enum State {
    Fresh,
    Running { _guard: Guard, at: usize, yielded: bool },
    Done,
}

#[derive(Debug)]
pub(crate) struct ProbeStream {
    probe: Probe,
    run: usize,
    state: State,
}

impl ProbeStream {
    fn script(&self) -> &[Step] {
        &self.probe.runs[self.run.min(self.probe.runs.len() - 1)]
    }

    fn count(&self) {
        self.probe.calls.all.fetch_add(1, Ordering::Relaxed);
    }

    fn settle(&self) {
        self.probe.calls.owed.store(0, Ordering::Relaxed);
    }
}

impl Flow for Probe {
    type Item = i32;
    type Error = &'static str;
    type Stream = ProbeStream;

    fn into_stream(self) -> ProbeStream {
        ProbeStream { probe: self, run: 0, state: State::Fresh }
    }
}

impl Stream for ProbeStream {
    type Item = Result<i32, &'static str>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        this.count();
        this.settle();
        if this.is_terminated() {
            this.state = State::Done;
        }
        if let State::Fresh = this.state {
            let guard = this.probe.trace.guard(this.probe.name);
            this.state = State::Running { _guard: guard, at: 0, yielded: false };
        }
        let State::Running { at, yielded, .. } = &mut this.state else {
            return Poll::Ready(None);
        };
        let script = &this.probe.runs[this.run.min(this.probe.runs.len() - 1)];
        loop {
            match script.get(*at) {
                Some(Step::Emit(item)) => {
                    *at += 1;
                    this.probe.trace.note(format!("emit {item}"));
                    this.probe.calls.owed.store(1, Ordering::Relaxed);
                    let item = *item;
                    if this.probe.eager && *at == script.len() {
                        this.state = State::Done;
                        this.settle();
                    }
                    return Poll::Ready(Some(Ok(item)));
                }
                Some(Step::Fail(error)) => {
                    let error = *error;
                    this.state = State::Done;
                    return Poll::Ready(Some(Err(error)));
                }
                Some(Step::Panic) => std::panic::resume_unwind(Box::new("of the source")),
                Some(Step::Yield) if *yielded => *yielded = false,
                Some(Step::Yield) => {
                    *yielded = true;
                    cx.waker().wake_by_ref();
                    return Poll::Pending;
                }
                Some(Step::Wait) => match pin!(this.probe.gate.pass()).poll(cx) {
                    Poll::Ready(()) => {}
                    Poll::Pending => return Poll::Pending,
                },
                None => {
                    this.state = State::Done;
                    return Poll::Ready(None);
                }
            }
            *at += 1;
        }
    }
}

impl FusedStream for ProbeStream {
    fn is_terminated(&self) -> bool {
        self.count();
        match self.state {
            State::Fresh => self.probe.eager && self.script().is_empty(),
            State::Running { .. } => false,
            State::Done => true,
        }
    }
}

impl FlowStream for ProbeStream {
    fn poll_progress(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        self.count();
        if let State::Running { .. } = self.state {
            self.settle();
            self.probe.calls.progress.fetch_add(1, Ordering::Relaxed);
        }
        Poll::Ready(())
    }

    fn stop(mut self: Pin<&mut Self>) {
        self.settle();
        self.state = State::Done;
    }
}

impl Restart for ProbeStream {
    fn restart(mut self: Pin<&mut Self>) {
        self.settle();
        if !matches!(self.state, State::Fresh) {
            self.run += 1;
        }
        self.state = State::Fresh;
    }
}
