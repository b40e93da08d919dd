//! Cold, retryable, composable streams.
