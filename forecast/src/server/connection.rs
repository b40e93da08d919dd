use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

use super::head::{self, Head, NoHead};
use super::reply::Reply;
use super::script::Fault;
use super::{Shared, routes};

/// How long a refused client may go on sending what nobody reads.
const LINGER: Duration = Duration::from_millis(500);

/// Answers the requests of one connection until either side ends it.
pub(super) async fn serve(mut socket: TcpStream, shared: Arc<Shared>) {
    let mut input = Vec::new();
    loop {
        let head = match head::read(&mut socket, &mut input).await {
            Ok(head) => head,
            Err(NoHead::Gone) => return,
            Err(NoHead::Refused(status)) => return refuse(socket, status).await,
        };
        let attempt = shared.attempts().record(&head);
        let fault = routes::endpoint(&head).and_then(|endpoint| shared.script.fault(attempt, endpoint));
        match answer(&mut socket, &head, fault).await {
            Ok(Next::KeepOpen) => {}
            Ok(Next::Close) => {
                // The client may be gone already; there is nothing left to tell it.
                let _ = socket.shutdown().await;
                return;
            }
            Err(_) => return,
        }
    }
}

/// What becomes of the connection after an answer.
enum Next {
    KeepOpen,
    Close,
}

async fn answer(socket: &mut TcpStream, head: &Head, fault: Option<&Fault>) -> io::Result<Next> {
    match fault {
        None => send(socket, &routes::answer(head), head.keep_alive).await,
        Some(Fault::Status { status, retry_after }) => {
            let reply = Reply::usual_refusal(*status);
            let reply = match retry_after {
                Some(value) => reply.retry_after(value),
                None => reply,
            };
            send(socket, &reply, head.keep_alive).await
        }
        Some(Fault::Delay(delay)) => {
            sleep(*delay).await;
            send(socket, &routes::answer(head), head.keep_alive).await
        }
        Some(Fault::Reset) => {
            // Without lingering, closing sends a reset instead of an orderly end.
            socket.set_zero_linger()?;
            Err(io::ErrorKind::ConnectionReset.into())
        }
        Some(Fault::Cut) => {
            let reply = routes::answer(head);
            let half = &reply.body().as_bytes()[..reply.body().len() / 2];
            socket.write_all(&[reply.head(head.keep_alive).as_bytes(), half].concat()).await?;
            Ok(Next::Close)
        }
        Some(Fault::Garbage) => {
            send(socket, &Reply::ok("<html>not a forecast</html>".to_owned()), head.keep_alive).await
        }
        Some(Fault::Stall) => {
            let reply = routes::answer(head);
            let first_chunk = "a\r\n{\"current\"\r\n";
            socket.write_all([reply.chunked_head().as_str(), first_chunk].concat().as_bytes()).await?;
            // Until the client has had enough.
            drain(socket).await;
            Ok(Next::Close)
        }
    }
}

async fn send(socket: &mut TcpStream, reply: &Reply, keep_alive: bool) -> io::Result<Next> {
    socket.write_all([reply.head(keep_alive).as_str(), reply.body()].concat().as_bytes()).await?;
    Ok(if keep_alive { Next::KeepOpen } else { Next::Close })
}

/// Answers something that is no request. Closing with unread input would reset the connection, and the client
/// would never see the answer; so the rest is read first, for a while.
async fn refuse(mut socket: TcpStream, status: u16) {
    let sent = send(&mut socket, &Reply::usual_refusal(status), false).await;
    if sent.is_ok() && socket.shutdown().await.is_ok() {
        // Who is not done by then is cut off.
        let _ = timeout(LINGER, drain(&mut socket)).await;
    }
}

async fn drain(socket: &mut TcpStream) {
    let mut unread = [0; 1024];
    while socket.read(&mut unread).await.is_ok_and(|length| length > 0) {}
}
