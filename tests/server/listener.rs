//! Accepting connections until told to stop, without waiting in turns.

use std::io::ErrorKind;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, poll};

use super::DEADLINE;

/// A listening socket of either family.
pub enum Listener {
    Tcp(TcpListener),
    Unix(UnixListener),
}

impl Listener {
    /// At this address; port 0 is any that is free.
    pub fn tcp(address: SocketAddr) -> (Listener, SocketAddr) {
        let started = Instant::now();
        let listener = loop {
            match TcpListener::bind(address) {
                // A process that another test is starting holds a copy of the former listener until it is started.
                Err(error) if error.kind() == ErrorKind::AddrInUse && started.elapsed() < DEADLINE => {
                    std::thread::yield_now();
                }
                bound => break bound.expect("a free port"),
            }
        };
        let address = listener.local_addr().expect("an address");
        listener.set_nonblocking(true).expect("a non-blocking listener");
        (Listener::Tcp(listener), address)
    }

    /// At a path that does not exist yet.
    pub fn unix(path: &Path) -> Listener {
        let listener = UnixListener::bind(path).expect("a Unix socket");
        listener.set_nonblocking(true).expect("a non-blocking listener");
        Listener::Unix(listener)
    }

    /// The next connection; `None` when the other end of `stopped` is gone and nobody waits any more.
    pub fn accept(&self, stopped: &UnixStream) -> Option<TcpStream> {
        loop {
            match self.accept_waiting() {
                Ok(socket) => {
                    socket.set_nonblocking(false).expect("a blocking socket");
                    return Some(socket);
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                Err(error) => panic!("accept: {error}"),
            }
            let mut waited = [PollFd::new(self, PollFlags::IN), PollFd::new(stopped, PollFlags::IN)];
            match poll(&mut waited, None) {
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(error) => panic!("poll: {error}"),
            }
            let [connection, stop] = waited.map(|waited| !waited.revents().is_empty());
            if stop && !connection {
                return None;
            }
        }
    }

    /// A Unix socket passes as a TCP one: reading, writing, deadlines and shutdown are the same calls.
    fn accept_waiting(&self) -> std::io::Result<TcpStream> {
        match self {
            Listener::Tcp(listener) => {
                let (socket, _) = listener.accept()?;
                // What Nagle's algorithm holds back would be lost when a script closes without reading everything.
                socket.set_nodelay(true)?;
                Ok(socket)
            }
            Listener::Unix(listener) => listener.accept().map(|(socket, _)| TcpStream::from(OwnedFd::from(socket))),
        }
    }
}

impl AsFd for Listener {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Listener::Tcp(listener) => listener.as_fd(),
            Listener::Unix(listener) => listener.as_fd(),
        }
    }
}

/// A port of 127.0.0.1 where nobody listens; another process may take it, which is as unlikely as it is harmless.
pub fn refused_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.local_addr().expect("an address").port()
}
