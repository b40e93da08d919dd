//! Placeholder replaced by the forecast service.
