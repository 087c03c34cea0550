//! An address of loopback where a connection neither succeeds nor fails, as behind a firewall that drops.

use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};

/// A listener whose queue is full and never emptied: Linux drops the SYN of whoever comes next.
pub struct Blackhole {
    address: SocketAddr,
    _listener: TcpListener,
    _queued: TcpStream,
}

impl Blackhole {
    /// At this address, on a given port (a live server's on another address) or, with 0, on a free one.
    pub fn new(address: Ipv4Addr, port: u16) -> Blackhole {
        let listener = TcpListener::bind((address, port)).expect("an address for a blackhole");
        // A backlog of 0 holds one connection.
        rustix::net::listen(&listener, 0).expect("a queue of one");
        let address = listener.local_addr().expect("an address");
        let queued = TcpStream::connect(address).expect("the one connection that fits");
        Blackhole { address, _listener: listener, _queued: queued }
    }

    /// Where not to connect.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}
