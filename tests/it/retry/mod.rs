//! Retries by a policy. Those by a decision of one's own are in `operator`.

mod backoff;
mod budget;
mod config;
mod retry_with;
mod traced;
