//! The loopback relay of `demo`: it costs what the measured relay does, and takes gzip or refuses it.
//!
//! The cost is one waiting time: no answer begins before the last byte of the content has arrived and
//! `floor + per_kb × KB received` have passed since then. The measured relay spends its time per KB while it
//! receives, which a client sees in the same place: between its last byte and the answer's first.

mod answer;
mod behave;
mod chat;
mod connection;
mod request;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::net::{Ipv4Addr, Ipv6Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle, Scope};
use std::time::Duration;

pub use behave::Behave;

use crate::error::{Error, Kind, Result};
use crate::http::timing::Clock;
use answer::{Answer, Manner};

/// More connections than this at a time are answered with 503.
const MAX_CONNECTIONS: usize = 256;

/// How a relay costs and behaves.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// Where it listens; port 0 is any free port.
    pub address: SocketAddr,
    /// What every request costs.
    pub floor: Duration,
    /// What 1,000 bytes of content cost, counted as received: of gzip, the compressed bytes.
    pub per_kb: Duration,
    /// The time between two tokens of a streamed answer.
    pub gap: Duration,
    /// Divides `floor`, `per_kb` and `gap`; above 0.
    pub speed: f64,
    /// Larger contents are answered with 413, in bytes; it holds before and after decoding.
    pub max_content: u64,
    /// What it does with gzip, and other ways of being no help.
    pub behave: Behave,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            address: (Ipv4Addr::LOCALHOST, 0).into(),
            floor: Duration::from_millis(540),
            per_kb: Duration::from_millis(24),
            gap: Duration::from_millis(25),
            speed: 20.0,
            max_content: 64_000_000,
            behave: Behave::Decode,
        }
    }
}

/// A relay that serves until it is dropped.
#[derive(Debug)]
pub struct Relay {
    address: SocketAddr,
    shared: Arc<Shared>,
    accepting: Option<JoinHandle<()>>,
}

impl Relay {
    /// Listens and serves, on threads of its own.
    pub fn start(config: &Config) -> Result<Relay> {
        let unusable = |error: std::io::Error| {
            let taken = error.kind() == std::io::ErrorKind::AddrInUse;
            let way_out = if taken { "; --serve PORT takes another, 0 a free one" } else { "" };
            Error::new(Kind::BadArgument, format!("cannot listen on {}: {error}{way_out}", config.address))
        };
        let listener = TcpListener::bind(config.address).map_err(unusable)?;
        let address = listener.local_addr().map_err(unusable)?;
        let shared = Arc::new(Shared::new(config));
        let serving = Arc::clone(&shared);
        let accepting = thread::Builder::new()
            .name("relay".into())
            .spawn(move || accept(&listener, &serving))
            .map_err(|error| Error::new(Kind::BadArgument, format!("cannot start a thread: {error}")))?;
        Ok(Relay { address, shared, accepting: Some(accepting) })
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

/// Ends every connection and waits for the threads, which takes no longer than a write in progress.
impl Drop for Relay {
    fn drop(&mut self) {
        self.shared.end();
        // The thread sits in accept(2); a connection is the portable way to wake it.
        let ip = match self.address {
            SocketAddr::V4(v4) if v4.ip().is_unspecified() => Ipv4Addr::LOCALHOST.into(),
            SocketAddr::V6(v6) if v6.ip().is_unspecified() => Ipv6Addr::LOCALHOST.into(),
            address => address.ip(),
        };
        let woken = TcpStream::connect_timeout(&(ip, self.address.port()).into(), Duration::from_secs(1)).is_ok();
        if let Some(accepting) = self.accepting.take().filter(|_| woken) {
            // A panic in there has been reported on stderr already.
            let _ = accepting.join();
        }
    }
}

/// What the threads of a relay have in common.
#[derive(Debug)]
struct Shared {
    config: Config,
    state: Mutex<State>,
    /// Told when `State::ending` is set.
    ending: Condvar,
    /// Bytes of decoded contents that all connections hold together.
    held: AtomicU64,
}

#[derive(Debug, Default)]
struct State {
    ending: bool,
    requests: u64,
    connections: u64,
    /// The open connections by number, to end them from outside.
    open: HashMap<u64, Arc<TcpStream>>,
}

impl Shared {
    fn new(config: &Config) -> Shared {
        let mut config = config.clone();
        if config.behave == Behave::Slow {
            config.floor = config.floor.saturating_mul(10);
        }
        Shared { config, state: Mutex::default(), ending: Condvar::new(), held: AtomicU64::new(0) }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits; false when the relay ended meanwhile.
    fn pause(&self, duration: Duration) -> bool {
        let waited = self.ending.wait_timeout_while(self.lock(), duration, |state| !state.ending);
        !waited.unwrap_or_else(PoisonError::into_inner).0.ending
    }

    /// Waits until this time has passed on the clock; false when the relay ended meanwhile.
    fn pause_until(&self, clock: Clock, time: Duration) -> bool {
        self.pause(time.saturating_sub(clock.elapsed()))
    }

    fn end(&self) {
        let mut state = self.lock();
        state.ending = true;
        for stream in state.open.values() {
            // It may be closed already.
            let _ = stream.shutdown(Shutdown::Both);
        }
        self.ending.notify_all();
    }

    /// What a content of this many bytes costs.
    fn cost(&self, received: u64) -> Duration {
        self.scaled(self.config.floor.as_secs_f64() + self.config.per_kb.as_secs_f64() * received as f64 / 1000.0)
    }

    /// The time between two tokens.
    fn gap(&self) -> Duration {
        self.scaled(self.config.gap.as_secs_f64())
    }

    fn scaled(&self, seconds: f64) -> Duration {
        Duration::try_from_secs_f64(seconds / self.config.speed).unwrap_or(Duration::MAX)
    }
}

/// Accepts until the relay ends; then waits for the connections, which end with it.
fn accept(listener: &TcpListener, shared: &Shared) {
    thread::scope(|scope| {
        while !shared.lock().ending {
            match listener.accept() {
                Ok((stream, _)) => admit(scope, shared, Arc::new(stream)),
                // Out of descriptors, most likely: accept fails at once until one is free.
                Err(_) => _ = shared.pause(Duration::from_millis(10)),
            }
        }
    });
}

/// Serves a connection on a thread, or says that there are too many.
fn admit<'scope>(scope: &'scope Scope<'scope, '_>, shared: &'scope Shared, stream: Arc<TcpStream>) {
    let number = {
        let mut state = shared.lock();
        if state.ending {
            return;
        }
        if state.open.len() >= MAX_CONNECTIONS {
            drop(state);
            // Who was turned away may be gone already.
            let _ = Answer::error(503, "too many connections").write(&mut &*stream, Manner::CLOSE);
            return;
        }
        state.connections += 1;
        let number = state.connections;
        state.open.insert(number, Arc::clone(&stream));
        number
    };
    let serve = move || {
        connection::serve(shared, &stream);
        shared.lock().open.remove(&number);
    };
    if thread::Builder::new().name(format!("relay {number}")).spawn_scoped(scope, serve).is_err() {
        shared.lock().open.remove(&number);
    }
}
