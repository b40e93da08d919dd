use core::mem;
use core::pin::Pin;
use core::task::{Context, Poll, ready};

use crate::flow::{FlowStream, PollItem};

/// How items come in from above: while the consumer is busy, upstream runs on to its next emission and waits there.
pub(super) struct Intake<T, E> {
    /// What upstream has emitted meanwhile.
    in_hand: Option<T>,
    phase: Phase<E>,
}

enum Phase<E> {
    Fresh,
    Running,
    /// Upstream has failed; the error comes behind the item in hand.
    Failed(E),
    Ended,
}

impl<T, E> Intake<T, E> {
    pub(super) fn new() -> Self {
        Intake { in_hand: None, phase: Phase::Fresh }
    }

    /// One of a collection that has ended, or been stopped.
    pub(super) fn ended() -> Self {
        Intake { in_hand: None, phase: Phase::Ended }
    }

    pub(super) fn is_ended(&self) -> bool {
        matches!(self.phase, Phase::Ended) && self.in_hand.is_none()
    }

    /// The next item, for a consumer that waits.
    pub(super) fn poll_next<S>(&mut self, stream: Pin<&mut S>, cx: &mut Context<'_>) -> PollItem<T, E>
    where
        S: FlowStream<Item = Result<T, E>>,
    {
        if let Some(item) = self.in_hand.take() {
            return Poll::Ready(Some(Ok(item)));
        }
        match mem::replace(&mut self.phase, Phase::Running) {
            Phase::Fresh | Phase::Running => {}
            end => {
                self.phase = Phase::Ended;
                return Poll::Ready(if let Phase::Failed(error) = end { Some(Err(error)) } else { None });
            }
        }
        let item = ready!(stream.poll_next(cx));
        if !matches!(item, Some(Ok(_))) {
            self.phase = Phase::Ended;
        }
        Poll::Ready(item)
    }

    /// Lets upstream run on while the consumer is busy.
    pub(super) fn poll_progress<S>(&mut self, mut stream: Pin<&mut S>, cx: &mut Context<'_>) -> Poll<()>
    where
        S: FlowStream<Item = Result<T, E>>,
    {
        if !matches!(self.phase, Phase::Running) {
            return Poll::Ready(());
        }
        if self.in_hand.is_none() {
            match ready!(stream.as_mut().poll_next(cx)) {
                Some(Ok(item)) => self.in_hand = Some(item),
                Some(Err(error)) => self.phase = Phase::Failed(error),
                None => self.phase = Phase::Ended,
            }
        }
        stream.poll_progress(cx)
    }
}
