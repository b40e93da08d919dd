//! For tests of what is built from flows: sources that follow a script, and readers that say what came and when.
//!
//! | | |
//! |---|---|
//! | [`probe`] | a cold flow that follows a script, run by run, and counts what is done to it |
//! | [`marble`] | a flow of the letters of a diagram: `marble("-a-b-\|")` |
//! | [`to_marble`] | the diagram of a flow, to compare with one that is written down |
//! | [`assert_flow`] | reads a flow event by event, and fails on an event that nobody asked for |
//!
//! What has to do with time is exact only while Tokio's clock is paused: `#[tokio::test(start_paused = true)]`. Then
//! time passes when all tasks wait, in no real time, and a test of an hour takes a millisecond. The feature
//! `test-util`, which belongs under `[dev-dependencies]`, brings Tokio's feature of that name, which has the pause.
//!
//! # Examples
//!
//! ```
//! use coldflow::FlowExt;
//! use coldflow::test_util::{assert_flow, marble, probe, to_marble};
//! use std::time::Duration;
//!
//! # #[tokio::main(flavor = "current_thread", start_paused = true)]
//! # async fn main() {
//! // A frame is 10 ms. `b` came too soon after `a`, and the end lets `c` out at once.
//! let typed = marble("ab---c|").debounce(Duration::from_millis(20));
//! assert_eq!(to_marble(typed).await, "---b--(c|)");
//!
//! let source = probe().fail("unreachable").next_run().emit(7);
//! let mut answers = assert_flow(source.clone().retry(1));
//! assert_eq!(answers.next_item().await, 7);
//! answers.completes().await;
//! assert_eq!((source.starts(), source.running()), (2, 0));
//! # }
//! ```

mod assert_flow;
mod diagram;
mod gate;
mod marble;
mod probe;
mod to_marble;

pub use assert_flow::{FlowAssert, assert_flow};
pub use diagram::{ParseMarbleError, Timeline};
pub use gate::Gate;
pub use marble::{Marble, MarbleError, MarbleStream, marble};
pub use probe::{Probe, ProbeStream, probe};
pub use to_marble::{ToMarble, to_marble};
