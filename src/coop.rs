//! Loops that can stay ready let the executor in from time to time.

use core::task::Context;

/// How many turns a loop takes within one poll.
const TURNS: u32 = 32;

/// The turns of one loop within one poll.
pub(crate) struct Turns(u32);

impl Turns {
    #[inline]
    pub(crate) fn new() -> Self {
        Turns(TURNS)
    }

    /// Counts a turn. When they are used up it wakes the task and says so: the caller then returns `Pending`,
    /// and gives progress first to a stream whose item it has taken.
    #[inline]
    pub(crate) fn used_up(&mut self, cx: &Context<'_>) -> bool {
        self.0 -= 1;
        let over = self.0 == 0;
        if over {
            come_back(cx);
        }
        over
    }
}

#[cold]
fn come_back(cx: &Context<'_>) {
    cx.waker().wake_by_ref();
}
