//! The behaviour of the crate, seen from outside. One file per operator, terminal and source, and some that go across.

mod support;

mod allocations;
mod coop;
mod deep;
mod emitter;
mod imports;
mod properties;
mod sizes;
mod spawned;
mod surface;
mod ui;
