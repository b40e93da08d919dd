//! How operators run their upstream beside a busy consumer without spawning a task.
//!
//! A stream does something only while somebody polls it. While the consumer awaits something else, nobody calls
//! `poll_next`, so whoever holds a flow's stream calls [`poll_progress`](crate::FlowStream::poll_progress) instead:
//!
//! ```text
//!                  consumer waits for an item            consumer works on the last item
//!
//!   for_each       poll_next                             poll its body, then poll_progress
//!      │               │                                     │
//!   map, then, ..      │ poll_next                           │ poll_progress: passed on
//!      │               ▼                                     ▼
//!   buffer         queue ─► in hand ─► upstream          upstream ─► queue, and when that is full ─► in hand
//!      │               │ poll_next, handed on directly       │ poll_next until it is pending or blocked
//!      ▼               ▼                                     ▼
//!   flow { emit }  the body runs to its next emission    the body runs to its next emission
//! ```
//!
//! The operators of this kind are `buffer`, `conflate`, `merge`, `flat_map_merge`, the `_latest` family, `zip`, `combine`
//! and the timed ones. What they have in common:
//!
//! - An `Outbox` of items on their way to the consumer: a queue with so many places, and when that is full one item
//!   *in hand* per upstream. An upstream whose item is in hand is blocked, as a suspended emission is: it is not polled
//!   for more, but it is given progress, since something concurrent may stand above it.
//! - Taking an item admits the item that has been in hand longest; its upstream can then go on.
//! - A consumer that waits takes an item directly and uses no place in the queue. A queue that drops would otherwise
//!   lose the first item of a burst.
//! - An error comes out behind the items before it. Whatever runs beside the part that failed is dropped at once.
//! - With many upstreams, a `WokenSet` tells which of them have woken, so that a wake costs the same among ten and
//!   among ten thousand.
//! - Progress takes at most `PROGRESS` items at a time, then wakes its task: an upstream that is always ready, under a
//!   queue that drops, would otherwise never let go.

mod flows;
mod outbox;
mod woken;

pub use flows::{Flows, RestartStreams, Streams};
pub use outbox::{BufferConfig, Overflow};

pub(crate) use flows::{at, out_of_range};
pub(crate) use outbox::Outbox;
pub(crate) use woken::WokenSet;

/// How many items one call of `poll_progress` takes from its upstream.
pub(crate) const PROGRESS: usize = 128;
