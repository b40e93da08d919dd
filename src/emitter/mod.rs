//! How a body hands its values to the stream that polls it.

mod run;
mod slot;

use core::fmt;
use core::future::Future;
use core::pin::Pin;
use core::task::{Context, Poll};

use pin_project_lite::pin_project;

pub(crate) use run::{EmitRun, Step};

/// Emits the values of a body, one at a time.
///
/// [`flow`](crate::flow) and every operator whose lambda may emit hand one to the body. It works wherever the body
/// polls it, also inside `select!`, `join!` and `FuturesUnordered`. It cannot be cloned and emits through
/// `&mut self`, so two emissions at once do not compile; several producers in one body use
/// [`channel_flow`](crate::channel_flow).
pub struct Emitter<T> {
    sender: slot::Sender<T>,
}

impl<T> Emitter<T> {
    /// Emits `value`. The future resolves when the consumer asks for the next item, so what follows in the body
    /// runs only then.
    ///
    /// # Panics
    ///
    /// When it is polled anywhere else than in the body that the emitter was made for, for example in a task that
    /// the body has spawned: nobody would wake the consumer. Use [`channel_flow`](crate::channel_flow) there.
    ///
    /// # Cancel safety
    ///
    /// From its first poll on the value is the consumer's: dropping the future later does not take it back. Before its
    /// first poll, nothing is emitted. An emission that follows one that was dropped waits until that value has been
    /// taken: only then is its own handed over.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::{FlowExt, flow};
    ///
    /// # futures::executor::block_on(async {
    /// let greeting = flow(async |mut emitter| {
    ///     emitter.emit("hello").await;
    ///     emitter.emit("world").await;
    /// });
    /// assert_eq!(greeting.to_vec().await, Ok(vec!["hello", "world"]));
    /// # });
    /// ```
    pub fn emit(&mut self, value: T) -> Emit<'_, T> {
        Emit { sender: &mut self.sender, value: Some(value) }
    }
}

impl<T> fmt::Debug for Emitter<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Emitter").finish_non_exhaustive()
    }
}

pin_project! {
    /// The future of [`Emitter::emit`].
    #[must_use = "nothing is emitted unless the future is awaited"]
    pub struct Emit<'a, T> {
        sender: &'a mut slot::Sender<T>,
        value: Option<T>,
    }
}

impl<T> fmt::Debug for Emit<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Emit").field("handed_over", &self.value.is_none()).finish_non_exhaustive()
    }
}

impl<T> Future for Emit<'_, T> {
    type Output = ();

    #[inline]
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let this = self.project();
        if let Some(value) = this.value.take() {
            if this.sender.is_polled_with(cx.waker()) {
                if let Some(vacancy) = this.sender.vacancy() {
                    vacancy.put(value, None);
                    return Poll::Pending;
                }
            }
            *this.value = Some(value);
        } else if this.sender.vacancy().is_some() {
            return Poll::Ready(());
        }
        poll_apart(this.sender, this.value, cx)
    }
}

/// Polls an emission that must wait for an earlier one, or that an executor within the body polls.
///
/// The stream polls the body itself again once it has taken the value. That alone would not reach such an emission: the
/// waker that comes with the value does. And where the waker has changed since, or the value in the way is of an
/// emission that was given up, coming back at once does.
#[cold]
fn poll_apart<T>(sender: &mut slot::Sender<T>, value: &mut Option<T>, cx: &Context<'_>) -> Poll<()> {
    assert!(
        sender.is_polled(),
        "an `Emitter` was polled outside of the body that it was made for; to emit from other tasks, use `channel_flow`"
    );
    let directly = sender.is_polled_with(cx.waker());
    let Some(vacancy) = sender.vacancy() else {
        if !directly {
            cx.waker().wake_by_ref();
        }
        return Poll::Pending;
    };
    let Some(value) = value.take() else {
        return Poll::Ready(());
    };
    vacancy.put(value, (!directly).then(|| cx.waker().clone()));
    Poll::Pending
}
