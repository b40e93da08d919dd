//! What runs while the consumer is busy: the concurrent and the timed operators.
//!
//! `rules` has the rules that all of them follow, one test for each, `progress` who gives progress, `cost` what a wake
//! costs, `whole` what holds for each of them whenever they are dropped, stopped or restarted, and `errors` and `panics`
//! what happens then. The other files have the behaviour of one operator, with the name of Kotlin's test beside it.

pub(crate) mod clock;

mod buffer;
mod channel_flow;
mod chunks_timeout;
mod combine;
mod cost;
mod debounce;
mod errors;
mod flat_map_merge;
mod flow_on;
mod for_each_latest;
mod fusion;
mod interval;
mod latest;
mod merge;
mod panics;
mod progress;
mod race;
mod rules;
mod sample;
mod take_until;
mod then_concurrent;
mod throttle;
mod timeout;
mod whole;
mod with_latest_from;
mod zip;
