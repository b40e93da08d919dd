//! A small weather server on a loopback socket that speaks Open-Meteo's JSON and fails on request.
//!
//! It stands on a raw listener, because the faults that matter happen below HTTP frameworks: a connection reset,
//! a body cut off, a body that stalls. The requests it counts are the heads it read, so a test that asks it
//! learns what was really sent.

mod attempts;
mod cities;
mod connection;
mod head;
mod parse_script;
mod reply;
mod routes;
mod script;
mod weather;

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use tokio::runtime::{self, Runtime};
use tokio::sync::oneshot;

use self::attempts::Attempts;

pub use self::attempts::Received;
pub use self::parse_script::ScriptError;
pub use self::script::{Endpoint, Fault, RetryAfter, Script, Step};

/// A running weather server. Dropping it ends it, with all its connections.
#[derive(Debug)]
pub struct WeatherServer {
    address: SocketAddr,
    shared: Arc<Shared>,
    running: Option<(oneshot::Sender<()>, JoinHandle<()>)>,
}

/// What every connection sees.
#[derive(Debug)]
struct Shared {
    script: Script,
    attempts: Mutex<Attempts>,
}

impl Shared {
    /// Every change of the book is a single push, so one that a panic left behind is still a good one.
    fn attempts(&self) -> MutexGuard<'_, Attempts> {
        self.attempts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl WeatherServer {
    /// Starts a server on a free loopback port.
    ///
    /// # Errors
    /// If there is no free port or no thread to be had.
    pub fn start(script: Script) -> io::Result<Self> {
        Self::start_on((Ipv4Addr::LOCALHOST, 0).into(), script)
    }

    /// Starts a server on `address`.
    ///
    /// It runs on a thread and a runtime of its own: its delays are real ones also where the caller's Tokio clock
    /// is paused.
    ///
    /// # Errors
    /// If the address cannot be bound, for example because it is in use.
    pub fn start_on(address: SocketAddr, script: Script) -> io::Result<Self> {
        let listener = TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
        let shared = Arc::new(Shared { script, attempts: Mutex::default() });
        let (stop, stopped) = oneshot::channel();
        let thread = thread::Builder::new().name("weather-server".to_owned()).spawn({
            let shared = Arc::clone(&shared);
            move || run(&runtime, listener, &shared, stopped)
        })?;
        Ok(Self { address, shared, running: Some((stop, thread)) })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The URL to give to a client.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Every request whose head was read, in order.
    pub fn received(&self) -> Vec<Received> {
        self.shared.attempts().received().to_vec()
    }

    /// The request ids received, each once, in the order of their first arrival.
    pub fn attempts(&self) -> Vec<String> {
        let mut ids = Vec::new();
        for received in self.shared.attempts().received() {
            if let Some(id) = &received.request_id {
                if !ids.contains(id) {
                    ids.push(id.clone());
                }
            }
        }
        ids
    }
}

impl Drop for WeatherServer {
    fn drop(&mut self) {
        if let Some((stop, thread)) = self.running.take() {
            drop(stop);
            // A server that panicked has nothing left to stop, and a drop is no place to panic again.
            let _ = thread.join();
        }
    }
}

/// Accepts until `stopped`. Dropping the runtime ends the connections that are left.
fn run(runtime: &Runtime, listener: TcpListener, shared: &Arc<Shared>, stopped: oneshot::Receiver<()>) {
    runtime.block_on(async {
        tokio::select! {
            _ = stopped => {}
            () = accept(listener, shared) => {}
        }
    });
}

async fn accept(listener: TcpListener, shared: &Arc<Shared>) {
    let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
    loop {
        match listener.accept().await {
            Ok((socket, _)) => {
                tokio::spawn(connection::serve(socket, Arc::clone(shared)));
            }
            // Out of file descriptors, most likely: they come back when connections end.
            Err(_) => tokio::time::sleep(Duration::from_millis(10)).await,
        }
    }
}
