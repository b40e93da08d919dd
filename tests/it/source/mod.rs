//! A file per source. What holds for all of them is in `surface`, and the emitter in odd places in `emitter`.

mod defer;
mod empty_and_failed;
mod flow;
mod flow_of;
mod flow_with;
mod from_stream;
mod once;
mod once_with;
