//! Retries by a policy. Those by a decision of one's own are in `operator`.

mod backoff;
mod budget;
mod config;
mod hard_cases;
mod peers;
mod policy_properties;
mod retry_once;
mod retry_with;
mod traced;
