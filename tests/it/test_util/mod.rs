//! The helpers for tests of flows: that they see what happens, and that each assertion fails when it ought to.

mod assert_flow;
mod gate;
mod marble;
mod probe;
mod to_marble;
