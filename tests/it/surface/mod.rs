//! What holds for every operator, source and terminal. A new one is absent from the tables until it is added, and
//! `complete` fails until then.

mod complete;
mod operators;
mod sources;
mod streams;
mod terminals;
mod types;
