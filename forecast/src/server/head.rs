use std::str;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::time::timeout;

/// The longest head that is read.
const MAX_HEAD: usize = 16 * 1024;

const MAX_HEADERS: usize = 100;

/// How long a client may take for a head, and stay silent between two requests.
const PATIENCE: Duration = Duration::from_secs(30);

/// A request head.
#[derive(Debug)]
pub(super) struct Head {
    pub(super) method: String,
    pub(super) target: String,
    pub(super) request_id: Option<String>,
    pub(super) keep_alive: bool,
}

/// Why no head was read.
#[derive(Debug)]
pub(super) enum NoHead {
    /// The client went away, or said nothing.
    Gone,
    /// To be answered with this status.
    Refused(u16),
}

/// Reads the next head. What arrived behind it stays in `input`.
pub(super) async fn read(socket: &mut (impl AsyncRead + Unpin), input: &mut Vec<u8>) -> Result<Head, NoHead> {
    match timeout(PATIENCE, read_patiently(socket, input)).await {
        Ok(read) => read,
        Err(_) if input.is_empty() => Err(NoHead::Gone),
        Err(_) => Err(NoHead::Refused(408)),
    }
}

async fn read_patiently(socket: &mut (impl AsyncRead + Unpin), input: &mut Vec<u8>) -> Result<Head, NoHead> {
    loop {
        if let Some((head, length)) = parse(input).map_err(NoHead::Refused)? {
            input.drain(..length);
            return Ok(head);
        }
        if input.len() >= MAX_HEAD {
            return Err(NoHead::Refused(431));
        }
        match socket.read_buf(input).await {
            Ok(0) | Err(_) => return Err(NoHead::Gone),
            Ok(_) => {}
        }
    }
}

/// The head at the start of `input` and its length, `None` if it is not all there, or the status of a refusal.
fn parse(input: &[u8]) -> Result<Option<(Head, usize)>, u16> {
    let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let mut request = httparse::Request::new(&mut headers);
    let length = match request.parse(input) {
        Ok(httparse::Status::Complete(length)) => length,
        Ok(httparse::Status::Partial) => return Ok(None),
        Err(httparse::Error::TooManyHeaders) => return Err(431),
        Err(_) => return Err(400),
    };
    let header = |name: &str| {
        let found = request.headers.iter().find(|header| header.name.eq_ignore_ascii_case(name));
        found.map(|header| header.value)
    };
    // Nothing here is asked for with a body, and reading one off the connection is not worth a parser.
    if header("transfer-encoding").is_some() || header("content-length").is_some_and(|n| n != b"0") {
        return Err(413);
    }
    let connection = header("connection").and_then(|value| str::from_utf8(value).ok());
    let says = |word: &str| {
        connection.is_some_and(|tokens| tokens.split(',').any(|token| token.trim().eq_ignore_ascii_case(word)))
    };
    let keep_alive = !says("close") && (request.version == Some(1) || says("keep-alive"));
    let head = Head {
        method: request.method.unwrap_or_default().to_owned(),
        target: request.path.unwrap_or_default().to_owned(),
        request_id: header("x-request-id").map(|id| String::from_utf8_lossy(id).into_owned()),
        keep_alive,
    };
    Ok(Some((head, length)))
}
