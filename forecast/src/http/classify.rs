//! What an error of reqwest's means. Its own flags are not enough: a connection lost before the response is
//! neither `is_connect` nor `is_timeout`, and a body cut off is `is_decode`. So the chain of causes decides.

use std::error::Error;
use std::io::{self, ErrorKind};
use std::iter::successors;

use crate::ApiError;

/// No response head came.
pub(super) fn send_error(error: reqwest::Error) -> ApiError {
    if error.is_builder() {
        return ApiError::unexpected(
            "the request could not be built; check the URL of the API and the length of the city's name",
            error,
        );
    }
    if error.is_timeout() || error.is_connect() || causes(&error).any(connection_lost) {
        return ApiError::unreachable(error);
    }
    ApiError::unexpected("the server does not speak HTTP; check the URL of the API", error)
}

/// The head came, the body broke.
pub(super) fn body_error(error: reqwest::Error) -> ApiError {
    if error.is_timeout() || !causes(&error).any(malformed) {
        return ApiError::unreachable(error);
    }
    ApiError::unexpected("the body breaks the rules of HTTP; check the URL of the API", error)
}

fn connection_lost(cause: &(dyn Error + 'static)) -> bool {
    if let Some(error) = cause.downcast_ref::<hyper::Error>() {
        return error.is_incomplete_message() || error.is_canceled() || error.is_closed();
    }
    cause.downcast_ref::<io::Error>().is_some_and(|error| {
        matches!(
            error.kind(),
            ErrorKind::ConnectionReset
                | ErrorKind::ConnectionAborted
                | ErrorKind::BrokenPipe
                | ErrorKind::NotConnected
                | ErrorKind::UnexpectedEof
                | ErrorKind::TimedOut
                | ErrorKind::HostUnreachable
                | ErrorKind::NetworkUnreachable
                | ErrorKind::NetworkDown
        )
    })
}

/// Wrong chunk sizes and the like, as opposed to bytes that did not come.
fn malformed(cause: &(dyn Error + 'static)) -> bool {
    cause
        .downcast_ref::<io::Error>()
        .is_some_and(|error| matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::InvalidData))
}

fn causes<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    successors(Some(error), |&cause| cause.source())
}
