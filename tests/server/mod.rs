//! A scripted server on loopback that records raw bytes.
//!
//! ```ignore
//! let server = Server::start(|mut conn| {
//!     let request = conn.read_request();
//!     conn.answer("200 OK", "hello");
//!     request
//! });
//! gzpost().arg(server.url("/v1")).run().assert_code(0);
//! assert_eq!(server.finish().method, "GET");
//! ```
//! A script may return what it saw. A server that is dropped without `finish` fails the test all the same when its
//! script failed or when it was never asked.

mod blackhole;
mod certificates;
mod conn;
mod gate;
mod listener;
mod request;
mod tls;

use std::any::Any;
use std::net::{SocketAddr, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

pub use blackhole::Blackhole;
pub use certificates::{Authority, Issued, Leaf};
pub use conn::{Conn, set_deadlines};
pub use gate::{Gate, Opener, gate};
pub use listener::refused_port;
pub use request::{Request, gunzip, gzip};
pub use tls::{Tls, Versions};

use crate::program::TempDir;
use listener::Listener;

/// How long anything may wait before the test fails.
pub const DEADLINE: Duration = Duration::from_secs(10);

/// A running server; `T` is what its script returns for a connection.
pub struct Server<T = ()> {
    scheme: &'static str,
    place: Place,
    /// Dropping it ends the accepting.
    stop: Option<UnixStream>,
    accepting: Option<JoinHandle<Vec<JoinHandle<T>>>>,
}

enum Place {
    Tcp(SocketAddr),
    Unix(TempDir),
}

impl<T: Send + 'static> Server<T> {
    /// Serves one connection; a second one is refused.
    pub fn start(script: impl FnOnce(Conn) -> T + Send + 'static) -> Server<T> {
        Server::tcp("http", 1, once(move |socket| script(Conn::plain(socket))))
    }

    /// Serves any number of connections, each on its own thread; the script gets their numbers, from 0.
    pub fn many(script: impl Fn(usize, Conn) -> T + Send + Sync + 'static) -> Server<T> {
        Server::tcp("http", usize::MAX, move |number, socket| script(number, Conn::plain(socket)))
    }

    /// Serves as many connections at an address, port 0 being any that is free, and then refuses more.
    pub fn some(address: SocketAddr, limit: usize, script: impl Fn(Conn) -> T + Send + Sync + 'static) -> Server<T> {
        let (listener, address) = Listener::tcp(address);
        Server::run("http", Place::Tcp(address), listener, limit, move |_, socket| script(Conn::plain(socket)))
    }

    /// Serves one connection over TLS; the script begins after the handshake.
    pub fn tls(authority: &Authority, tls: &Tls, script: impl FnOnce(Conn) -> T + Send + 'static) -> Server<T> {
        let config = tls::configure(authority, tls);
        Server::tcp("https", 1, once(move |socket| script(shake_hands(socket, config))))
    }

    /// Serves any number of connections over TLS, each on its own thread.
    pub fn tls_many(authority: &Authority, tls: &Tls, script: impl Fn(Conn) -> T + Send + Sync + 'static) -> Server<T> {
        let config = tls::configure(authority, tls);
        Server::tcp("https", usize::MAX, move |_, socket| script(shake_hands(socket, config.clone())))
    }

    /// Serves one connection on a Unix socket.
    pub fn unix(script: impl FnOnce(Conn) -> T + Send + 'static) -> Server<T> {
        let dir = TempDir::new();
        let listener = Listener::unix(&dir.path().join("socket"));
        Server::run("http", Place::Unix(dir), listener, 1, once(move |socket| script(Conn::plain(socket))))
    }

    /// `limit` connections over TCP, before they are anything else.
    fn tcp(
        scheme: &'static str,
        limit: usize,
        serve: impl Fn(usize, TcpStream) -> T + Send + Sync + 'static,
    ) -> Server<T> {
        let (listener, address) = Listener::tcp(SocketAddr::from(([127, 0, 0, 1], 0)));
        Server::run(scheme, Place::Tcp(address), listener, limit, serve)
    }

    fn run(
        scheme: &'static str,
        place: Place,
        listener: Listener,
        limit: usize,
        serve: impl Fn(usize, TcpStream) -> T + Send + Sync + 'static,
    ) -> Server<T> {
        let (stop, stopped) = UnixStream::pair().expect("a pair of sockets");
        let serve = Arc::new(serve);
        let accepting = std::thread::spawn(move || {
            let mut scripts = Vec::new();
            while scripts.len() < limit
                && let Some(socket) = listener.accept(&stopped)
            {
                let (number, serve) = (scripts.len(), serve.clone());
                scripts.push(std::thread::spawn(move || serve(number, socket)));
            }
            scripts
        });
        Server { scheme, place, stop: Some(stop), accepting: Some(accepting) }
    }
}

impl Server<Request> {
    /// Reads one request and sends this answer, raw; the request is what `finish` returns.
    pub fn answering(answer: impl AsRef<[u8]> + Send + 'static) -> Server<Request> {
        Server::start(move |mut conn| {
            let request = conn.read_request();
            conn.write(answer);
            request
        })
    }
}

impl Server<String> {
    /// Expects that the client goes away without a request: within the handshake or, as some check names, right after
    /// it. What it said about that is what `finish` returns.
    pub fn tls_refused(authority: &Authority, tls: &Tls) -> Server<String> {
        let config = tls::configure(authority, tls);
        let serve = move |socket: TcpStream| {
            set_deadlines(&socket).expect("deadlines on a socket");
            let first = tls::Secured::accept(socket, config).and_then(|(mut secured, _)| secured.read());
            match first {
                Ok(bytes) => {
                    assert!(bytes.is_empty(), "the client sent a request: {}", show(&bytes));
                    "closed after the handshake".to_owned()
                }
                Err(error) => error.to_string(),
            }
        };
        Server::tcp("https", 1, once(serve))
    }
}

impl<T> Server<T> {
    /// A URL of this server by its address, over TCP.
    pub fn url(&self, target: &str) -> String {
        format!("{}://{}{target}", self.scheme, self.address())
    }

    /// The port, over TCP.
    pub fn port(&self) -> u16 {
        self.address().port()
    }

    /// The address, over TCP.
    pub fn address(&self) -> SocketAddr {
        match &self.place {
            Place::Tcp(address) => *address,
            Place::Unix(_) => panic!("a Unix socket has no address"),
        }
    }

    /// The path of the Unix socket.
    pub fn path(&self) -> PathBuf {
        match &self.place {
            Place::Tcp(_) => panic!("a TCP socket has no path"),
            Place::Unix(dir) => dir.path().join("socket"),
        }
    }

    /// Waits for the script of the only connection and returns what it returned.
    #[track_caller]
    pub fn finish(self) -> T {
        let mut returned = self.finish_all();
        let last = returned.pop().expect("at least one connection");
        assert!(returned.is_empty(), "{} connections more than one", returned.len());
        last
    }

    /// Stops accepting, waits for the scripts and returns what they returned, in the order of connections.
    #[track_caller]
    pub fn finish_all(mut self) -> Vec<T> {
        let returned = self.join();
        assert!(!returned.is_empty(), "the server was never asked");
        returned
    }

    /// The same once as many connections as the limit were accepted.
    #[track_caller]
    pub fn finish_when_full(mut self) -> Vec<T> {
        let scripts = self.accepting.take().expect("joined once").join().expect("the accepting thread");
        whole(scripts)
    }

    /// The same where it does not matter whether there were connections.
    #[track_caller]
    pub fn finish_any(mut self) -> Vec<T> {
        self.join()
    }

    /// Fails when any connection was made.
    #[track_caller]
    pub fn assert_unasked(mut self) {
        drop(self.stop.take());
        let scripts = self.accepting.take().expect("joined once").join().expect("the accepting thread");
        assert!(scripts.is_empty(), "{} connections were made", scripts.len());
    }

    #[track_caller]
    fn join(&mut self) -> Vec<T> {
        drop(self.stop.take());
        whole(self.accepting.take().expect("joined once").join().expect("the accepting thread"))
    }
}

/// What scripts returned; fails when one has failed.
#[track_caller]
fn whole<T>(scripts: Vec<JoinHandle<T>>) -> Vec<T> {
    let returned = scripts.into_iter().map(JoinHandle::join);
    returned.map(|result| result.unwrap_or_else(|panic| panic!("a script failed: {}", message(&panic)))).collect()
}

impl<T> Drop for Server<T> {
    fn drop(&mut self) {
        // A test that fails already says why; its scripts end by themselves.
        if self.accepting.is_some() && !std::thread::panicking() {
            assert!(!self.join().is_empty(), "the server was never asked");
        }
    }
}

/// Lets a script that can run once stand where one that can run often is wanted.
fn once<T>(script: impl FnOnce(TcpStream) -> T + Send) -> impl Fn(usize, TcpStream) -> T + Send + Sync {
    let script = Mutex::new(Some(script));
    move |_, socket| {
        let script = script.lock().expect("a lock that no panic held").take();
        script.expect("one connection")(socket)
    }
}

#[track_caller]
fn shake_hands(socket: TcpStream, config: Arc<rustls::ServerConfig>) -> Conn {
    set_deadlines(&socket).expect("deadlines on a socket");
    match tls::Secured::accept(socket, config) {
        Ok((secured, hello)) => Conn::secured(secured, hello),
        Err(error) => panic!("TLS handshake: {error}"),
    }
}

/// What a panic said.
pub fn message(panic: &Box<dyn Any + Send>) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic without a text").to_owned()
}

/// Bytes for a message: as text, cut when they are many.
pub fn show(bytes: &[u8]) -> String {
    const MANY: usize = 4000;
    let text = bytes[..bytes.len().min(MANY)].escape_ascii().to_string().replace("\\r\\n", "\n").replace("\\n", "\n");
    if bytes.len() > MANY { format!("{text}… ({} bytes)", bytes.len()) } else { text }
}

/// A file's bytes.
#[track_caller]
pub fn read_file(path: &Path) -> Vec<u8> {
    std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
