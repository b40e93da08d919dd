//! A file per operator.

mod catch;
mod on_cancel;
mod on_completion;
mod on_empty;
mod on_start;
mod retry;
mod retry_if;
mod retry_when;
