//! The behaviour of the crate, seen from outside. One file per operator, terminal and source, and some that go across.

mod support;

mod allocations;
mod concurrent;
mod coop;
mod deep;
mod emitter;
mod hot;
mod hot_fusion;
mod imports;
mod iterators;
mod operator;
mod properties;
mod retry;
mod sizes;
mod source;
mod spawned;
mod surface;
mod terminal;
mod test_util;
mod ui;
