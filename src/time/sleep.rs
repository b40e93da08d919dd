//! The one place through which time enters.

use core::future::Future;
use core::pin::Pin;
use core::task::{Context, Poll};
use core::time::Duration;

use pin_project_lite::pin_project;
use tokio::time::{Instant, Sleep, sleep, sleep_until};

pin_project! {
    /// A timer that can be set again.
    pub(crate) struct Alarm {
        #[pin]
        sleep: Option<Sleep>,
        set: bool,
    }
}

impl Alarm {
    pub(crate) fn new() -> Self {
        Alarm { sleep: None, set: false }
    }

    /// Sets it to go off after `delay`, and not before.
    pub(crate) fn set(self: Pin<&mut Self>, delay: Duration) {
        let mut this = self.project();
        *this.set = true;
        // Beyond the range of the clock, Tokio's own far future.
        let deadline = Instant::now().checked_add(delay).unwrap_or_else(|| sleep(delay).deadline());
        match this.sleep.as_mut().as_pin_mut() {
            Some(sleep) => sleep.reset(deadline),
            None => this.sleep.set(Some(sleep_until(deadline))),
        }
    }

    /// Unsets it: it will not go off.
    pub(crate) fn clear(self: Pin<&mut Self>) {
        *self.project().set = false;
    }

    pub(crate) fn is_set(&self) -> bool {
        self.set
    }

    /// Ready when it goes off, once; pending while it is not set.
    pub(crate) fn poll_ring(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let this = self.project();
        match this.sleep.as_pin_mut() {
            Some(sleep) if *this.set => {
                let deadline = sleep.deadline();
                // A task that has used up what Tokio lets it do is told that nothing has happened yet. One that always
                // does so would never hear of the time.
                if sleep.poll(cx).is_pending() && !(may_be_refused() && deadline <= Instant::now()) {
                    return Poll::Pending;
                }
                *this.set = false;
                Poll::Ready(())
            }
            _ => Poll::Pending,
        }
    }
}

/// Whether Tokio may have refused to look at the timer in this poll of the task.
#[cfg(feature = "rt")]
fn may_be_refused() -> bool {
    !tokio::task::coop::has_budget_remaining()
}

/// Tokio does not say without its runtime, which somebody else may have switched on.
#[cfg(not(feature = "rt"))]
fn may_be_refused() -> bool {
    true
}
