//! A body with an emitter, as it runs.

use core::future::Future;
use core::pin::Pin;
use core::task::{Context, Poll, Waker};

use pin_project_lite::pin_project;

use super::Emitter;
use super::slot::{Parcel, Receiver};

/// What a poll of a running body came to.
pub(crate) enum Step<T, O> {
    /// It emitted a value.
    Item(T),
    /// It ended with this output, and has been dropped.
    Done(O),
}

pin_project! {
    #[project = StateProj]
    #[project_replace = StateTaken]
    enum State<Fut, O> {
        Idle,
        Running { #[pin] future: Fut },
        Over { output: O },
    }
}

pin_project! {
    /// A body with an emitter, as it runs. It can be run any number of times, one after the other, with one allocation.
    pub(crate) struct EmitRun<T, Fut: Future> {
        #[pin]
        state: State<Fut, Fut::Output>,
        receiver: Option<Receiver<T>>,
        // Of the emission that yielded the last item, when it is polled by an executor within the body.
        resume: Option<Waker>,
    }
}

impl<T, Fut: Future> EmitRun<T, Fut> {
    pub(crate) fn new() -> Self {
        EmitRun { state: State::Idle, receiver: None, resume: None }
    }

    /// One whose run has begun.
    #[cfg(feature = "std")]
    pub(crate) fn started(body: impl FnOnce(Emitter<T>) -> Fut) -> Self {
        let mut receiver = Receiver::new();
        let future = body(Emitter { sender: receiver.sender() });
        EmitRun { state: State::Running { future }, receiver: Some(receiver), resume: None }
    }

    /// Begins a run; one that is still going on is dropped first.
    pub(crate) fn start(mut self: Pin<&mut Self>, body: impl FnOnce(Emitter<T>) -> Fut) {
        self.as_mut().cancel();
        let mut this = self.project();
        let sender = this.receiver.get_or_insert_with(Receiver::new).sender();
        this.state.set(State::Running { future: body(Emitter { sender }) });
    }

    /// Drops what is running.
    pub(crate) fn cancel(self: Pin<&mut Self>) {
        let mut this = self.project();
        this.state.set(State::Idle);
        *this.resume = None;
    }

    /// Whether a run has begun and its end has not been told yet.
    pub(crate) fn is_running(&self) -> bool {
        !matches!(self.state, State::Idle)
    }

    /// Drives the run that [`start`](Self::start) began.
    #[inline]
    pub(crate) fn poll_step(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Step<T, Fut::Output>> {
        self.try_poll_step(cx).expect("a body is polled only after its start and before its end")
    }

    /// Drives the run, if one has begun and its end has not been told yet.
    #[inline]
    pub(crate) fn try_poll_step(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Option<Poll<Step<T, Fut::Output>>> {
        let mut this = self.project();
        let StateProj::Running { future } = this.state.as_mut().project() else {
            return Some(Poll::Ready(Step::Done(take_output(this.state)?)));
        };
        let receiver = this.receiver.as_mut().expect("a run makes the receiver when it starts");
        if this.resume.is_some() {
            wake(this.resume);
        }
        let entered = receiver.enter(cx.waker());
        let polled = future.poll(cx);
        drop(entered);
        let Some(Parcel { value, waker }) = receiver.take() else {
            let Poll::Ready(output) = polled else { return Some(Poll::Pending) };
            this.state.set(State::Idle);
            return Some(Poll::Ready(Step::Done(output)));
        };
        if waker.is_some() {
            *this.resume = waker;
        }
        if let Poll::Ready(output) = polled {
            // It gave up its last emission and ended: the value still comes first.
            this.state.set(State::Over { output });
        }
        Some(Poll::Ready(Step::Item(value)))
    }
}

/// The output that is still to be told.
#[cold]
fn take_output<Fut, O>(state: Pin<&mut State<Fut, O>>) -> Option<O> {
    if let StateTaken::Over { output } = state.project_replace(State::Idle) { Some(output) } else { None }
}

#[cold]
fn wake(resume: &mut Option<Waker>) {
    if let Some(waker) = resume.take() {
        waker.wake();
    }
}
