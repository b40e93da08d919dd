use alloc::sync::Arc;
use core::fmt;
use core::future::poll_fn;
use core::task::{Context, Poll, Waker};
use std::sync::{Mutex, PoisonError};

/// What a [`probe`](super::probe()), or any future, can wait for: a test opens it, once for each wait that it lets
/// pass.
///
/// Clones are the same gate. It can be opened before somebody waits.
///
/// # Examples
///
/// ```
/// use coldflow::test_util::{Gate, assert_flow, probe};
/// use core::convert::Infallible;
/// use std::time::Duration;
///
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() {
/// let gate = Gate::new();
/// let mut answers = assert_flow(probe::<_, Infallible>().wait_for(&gate).emit("now"));
/// answers.no_events_for(Duration::from_secs(60)).await;
/// assert!(gate.is_awaited());
///
/// gate.open();
/// assert_eq!(answers.next_item().await, "now");
/// answers.completes().await;
/// # }
/// ```
#[derive(Clone, Default)]
pub struct Gate {
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    openings: usize,
    waiting: Vec<Waker>,
}

impl Gate {
    /// A gate that is closed.
    pub fn new() -> Self {
        Gate::default()
    }

    /// Lets one wait pass, the present one or else the next.
    pub fn open(&self) {
        let waiting = self.with(|state| {
            state.openings += 1;
            core::mem::take(&mut state.waiting)
        });
        waiting.into_iter().for_each(Waker::wake);
    }

    /// Whether somebody waits before it.
    pub fn is_awaited(&self) -> bool {
        self.with(|state| !state.waiting.is_empty())
    }

    /// Waits before it.
    ///
    /// # Examples
    ///
    /// ```
    /// use coldflow::test_util::{Gate, assert_flow};
    /// use coldflow::{FlowExt, flow_of};
    /// use std::time::Duration;
    ///
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() {
    /// let gate = Gate::new();
    /// let mut numbers = assert_flow(flow_of([1, 2]).on_each(|_| gate.pass()));
    /// numbers.no_events_for(Duration::from_secs(1)).await;
    /// gate.open();
    /// assert_eq!(numbers.next_item().await, 1);
    /// numbers.finish(); // the next one waits
    /// # }
    /// ```
    pub async fn pass(&self) {
        poll_fn(|cx| self.poll_pass(cx)).await;
    }

    pub(super) fn poll_pass(&self, cx: &Context<'_>) -> Poll<()> {
        self.with(|state| {
            if state.openings > 0 {
                state.openings -= 1;
                return Poll::Ready(());
            }
            if !state.waiting.iter().any(|waker| waker.will_wake(cx.waker())) {
                state.waiting.push(cx.waker().clone());
            }
            Poll::Pending
        })
    }

    fn with<R>(&self, change: impl FnOnce(&mut State) -> R) -> R {
        change(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl fmt::Debug for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gate").field("is_awaited", &self.is_awaited()).finish_non_exhaustive()
    }
}
