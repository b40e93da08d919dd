//! An event stream that reconnects: from where it stopped, with waits that grow, and anew after it was healthy.
//!
//! ```sh
//! cargo run --example reconnecting_events
//! ```
//!
//! Client and server talk over real sockets. The server is down at first, and then cuts each connection after a while.

use std::cell::Cell;
use std::error::Error;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use coldflow::retry::{Backoff, ResetAfter};
use coldflow::{Emitter, FlowExt, Retry, flow};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// An event with its number.
#[derive(Debug, PartialEq)]
struct Event {
    number: u64,
    text: String,
}

impl Event {
    fn parse(line: &str) -> io::Result<Self> {
        let event = line
            .split_once(' ')
            .and_then(|(number, text)| Some(Event { number: number.parse().ok()?, text: text.to_owned() }));
        event.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, format!("no event: {line:?}")))
    }
}

/// Connects, says from which event on, and emits what comes. When the server hangs up, it fails.
async fn listen(server: SocketAddr, from: &Cell<u64>, mut emitter: Emitter<Event>) -> io::Result<()> {
    let mut connection = BufReader::new(TcpStream::connect(server).await?);
    connection.write_all(format!("from {}\n", from.get()).as_bytes()).await?;
    let mut lines = connection.lines();
    while let Some(line) = lines.next_line().await? {
        let event = Event::parse(&line)?;
        let number = event.number;
        emitter.emit(event).await;
        // The emission has returned: whoever listens is done with the event.
        from.set(number + 1);
    }
    Err(io::ErrorKind::UnexpectedEof.into())
}

/// Serves each connection with so many events, from where the client asks, then cuts it off. Without any, it does not even
/// read. It tells what it was asked.
async fn serve(listener: TcpListener, connections: &[u64]) -> io::Result<Vec<String>> {
    let mut asked = Vec::new();
    for &events in connections {
        let (connection, _) = listener.accept().await?;
        if events == 0 {
            continue;
        }
        let mut connection = BufReader::new(connection);
        let mut request = String::new();
        connection.read_line(&mut request).await?;
        let from: u64 = request.trim_start_matches("from ").trim_end().parse().map_err(io::Error::other)?;
        asked.push(request.trim_end().to_owned());
        for number in from..from + events {
            connection.write_all(format!("{number} something happened\n").as_bytes()).await?;
        }
    }
    Ok(asked)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let server = listener.local_addr()?;

    // At most four attempts in a row that give less than three events. Whoever has got three begins to count anew.
    let policy =
        Retry::attempts(4).backoff(Backoff::exponential(Duration::from_millis(10))).reset_after(ResetAfter::items(3));

    let from = Cell::new(1);
    let mut waits = Vec::new();
    let events = flow(|emitter| listen(server, &from, emitter))
        .retry_with(policy)
        // What is no event will be none the next time either.
        .when(|cause| cause.kind() != io::ErrorKind::InvalidData)
        .on_retry(|retry| {
            println!("attempt {}: {}, again in {:?}", retry.attempt, retry.cause, retry.wait);
            waits.push(retry.wait.as_millis());
        })
        .take(9);

    // Down twice; then one event; then three, which is healthy; down again; and at last enough.
    let (asked, events) = tokio::join!(serve(listener, &[0, 0, 1, 3, 0, 5]), events.to_vec());
    let events = events?;

    // Each event once, in order, over six connections.
    assert_eq!(events.iter().map(|event| event.number).collect::<Vec<_>>(), (1..=9).collect::<Vec<_>>());
    assert!(events.iter().all(|event| event.text == "something happened"));
    assert_eq!(asked?, ["from 1", "from 2", "from 5"]);
    // The three events of the fourth connection made its failure the first of a new streak.
    assert_eq!(waits, [10, 20, 40, 10, 20]);
    println!("{} events, each of them once", events.len());
    Ok(())
}
