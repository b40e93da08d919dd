//! Loops that can stay ready let the executor in from time to time.

use core::task::Context;

/// Letting the executor in costs 60 to 180 ns on Tokio: as much as 100 or 200 items that only pass through. So the loop
/// that no other one repeats takes its time.
const OF_A_COLLECTION: u32 = 1024;

/// Loops of operators stand in each other, and their turns multiply.
const OF_AN_OPERATOR: u32 = 128;

/// An attempt is a whole collection of what stands above.
const OF_A_RETRY: u32 = 32;

/// The turns of one loop within one poll.
pub(crate) struct Turns(u32);

impl Turns {
    /// Of a loop in an operator: a turn is an item that it keeps to itself.
    #[inline]
    pub(crate) fn new() -> Self {
        Turns(OF_AN_OPERATOR)
    }

    /// Of a loop over the items of a collection that no other loop repeats, such as a terminal's.
    #[inline]
    pub(crate) fn of_a_collection() -> Self {
        Turns(OF_A_COLLECTION)
    }

    /// Of a retry: a turn is an attempt.
    #[inline]
    pub(crate) fn of_a_retry() -> Self {
        Turns(OF_A_RETRY)
    }

    /// How many turns there still are.
    #[inline]
    pub(crate) fn left(&self) -> usize {
        self.0 as usize
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
