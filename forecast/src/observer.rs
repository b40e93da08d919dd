use std::time::Duration;

use crate::ApiError;

/// Told what happens inside a call, while it happens. Every method does nothing unless it is written.
pub trait Observer {
    /// The attempt under `request_id` begins.
    fn started(&self, request_id: &str) {
        let _ = request_id;
    }

    /// The attempt under `request_id` failed. The next one comes after `retry`; `None`: it was the last.
    fn failed(&self, request_id: &str, cause: &ApiError, retry: Option<Duration>) {
        let _ = (request_id, cause, retry);
    }
}

/// Watches nothing.
impl Observer for () {}

impl<O: Observer> Observer for &O {
    fn started(&self, request_id: &str) {
        (**self).started(request_id);
    }

    fn failed(&self, request_id: &str, cause: &ApiError, retry: Option<Duration>) {
        (**self).failed(request_id, cause, retry);
    }
}
