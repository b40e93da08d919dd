use reqwest::Response;
use reqwest::header::TRANSFER_ENCODING;

use super::classify;
use crate::ApiError;

/// Far more than any forecast needs; a server that sends without end must not fill the memory.
const LIMIT: usize = 1 << 20;

/// A whole body, and whether anything but the end of the connection told where it ends.
pub(super) struct Body {
    pub(super) bytes: Vec<u8>,
    pub(super) delimited: bool,
}

/// Reads the body as bytes: parsing comes after, so that a cut body and a wrong one stay apart.
pub(super) async fn read(mut response: Response) -> Result<Body, ApiError> {
    let delimited = response.content_length().is_some() || response.headers().contains_key(TRANSFER_ENCODING);
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(classify::body_error)? {
        if bytes.len() + chunk.len() > LIMIT {
            return Err(ApiError::Unexpected {
                what: format!("the answer is longer than {LIMIT} bytes; check the URL of the API"),
                source: None,
            });
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(Body { bytes, delimited })
}
