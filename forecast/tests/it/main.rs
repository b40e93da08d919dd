//! The forecast service over real sockets.

mod answers;
mod binary;
mod bounds;
mod cancellation;
mod concurrency;
mod encoding;
mod faults;
mod policy;
mod retry_after;
mod scenarios;
mod script;
mod server;
mod support;
