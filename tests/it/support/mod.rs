//! What the tests stand on: a trace, a source that does what a script says, and polling by hand.

mod drive;
mod probe;
mod trace;

pub(crate) use coldflow::test_util::Gate;
pub(crate) use drive::{Driver, Polling, block_on, show, yield_now};
pub(crate) use probe::{Probe, Step};
pub(crate) use trace::{Guard, Trace};
