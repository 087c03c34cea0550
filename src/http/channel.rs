//! A non-blocking stream of bytes: a TCP or Unix socket, with or without TLS on top.

use std::io::{self, IoSlice, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;

use rustix::net::sockopt;
use rustls::ClientConnection;

use super::input;

/// A connected socket.
#[derive(Debug)]
pub(super) enum Socket {
    Tcp(TcpStream),
    Unix(UnixStream),
}

impl Socket {
    pub fn peer_addr(&self) -> Option<SocketAddr> {
        match self {
            Socket::Tcp(socket) => socket.peer_addr().ok(),
            Socket::Unix(_) => None,
        }
    }

    /// The size of the kernel's send buffer, in bytes.
    pub fn send_buffer(&self) -> Option<u64> {
        sockopt::socket_send_buffer_size(self).ok().and_then(|size| u64::try_from(size).ok())
    }

    pub fn local_addr(&self) -> Option<SocketAddr> {
        match self {
            Socket::Tcp(socket) => socket.local_addr().ok(),
            Socket::Unix(_) => None,
        }
    }
}

impl AsFd for Socket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Socket::Tcp(socket) => socket.as_fd(),
            Socket::Unix(socket) => socket.as_fd(),
        }
    }
}

impl Read for Socket {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        match self {
            Socket::Tcp(socket) => socket.read(buf),
            Socket::Unix(socket) => socket.read(buf),
        }
    }
}

impl Write for Socket {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        match self {
            Socket::Tcp(socket) => socket.write(buf),
            Socket::Unix(socket) => socket.write(buf),
        }
    }

    fn write_vectored(&mut self, bufs: &[IoSlice<'_>]) -> io::Result<usize> {
        match self {
            Socket::Tcp(socket) => socket.write_vectored(bufs),
            Socket::Unix(socket) => socket.write_vectored(bufs),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The socket and what encrypts it. Every call returns `WouldBlock` instead of blocking.
#[derive(Debug)]
pub(super) struct Channel {
    pub socket: Socket,
    pub tls: Option<Box<Encryption>>,
}

/// The TLS side of a channel.
#[derive(Debug)]
pub(super) struct Encryption {
    pub connection: ClientConnection,
    ciphertext: Vec<u8>,
    start: usize,
    end: usize,
    /// Why nothing follows what is decrypted.
    fault: Option<io::Error>,
}

impl Encryption {
    pub fn new(connection: ClientConnection) -> Encryption {
        Encryption { connection, ciphertext: Vec::new(), start: 0, end: 0, fault: None }
    }

    /// Takes in ciphertext from the socket; false at its end.
    fn receive(&mut self, socket: &mut Socket) -> io::Result<bool> {
        if self.start == self.end {
            // rustls itself would read 4 KB at a time.
            if self.end == self.ciphertext.len() {
                input::grow(&mut self.ciphertext);
            }
            (self.start, self.end) = (0, 0);
            self.end = retry(|| socket.read(&mut self.ciphertext))?;
        }
        let taken = self.connection.read_tls(&mut &self.ciphertext[self.start..self.end])?;
        self.start += taken;
        if let Err(error) = self.connection.process_new_packets() {
            // The alert that tells the peer why; it does not matter whether it still arrives.
            let _ = self.send(socket);
            return Err(io::Error::new(io::ErrorKind::InvalidData, error));
        }
        Ok(taken > 0)
    }

    /// Gives all ciphertext that is ready to the socket.
    fn send(&mut self, socket: &mut Socket) -> io::Result<()> {
        while self.connection.wants_write() {
            retry(|| self.connection.write_tls(socket))?;
        }
        Ok(())
    }

    /// Completes the handshake; to be called again when the socket is ready after `WouldBlock`.
    pub fn handshake(&mut self, socket: &mut Socket) -> io::Result<()> {
        loop {
            self.send(socket)?;
            if !self.connection.is_handshaking() {
                return Ok(());
            }
            if !self.receive(socket)? {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
    }
}

impl Channel {
    /// Hands over as much of `head` and then `content` as fits; returns how many bytes of the two together.
    pub fn write(&mut self, head: &[u8], content: &[u8]) -> io::Result<usize> {
        let Channel { socket, tls } = self;
        let Some(tls) = tls else {
            return retry(|| socket.write_vectored(&[IoSlice::new(head), IoSlice::new(content)]));
        };
        tls.send(socket)?;
        if head.is_empty() && content.is_empty() {
            return Ok(0);
        }
        // rustls takes 64 KB of it: four full records.
        let taken = tls.connection.writer().write_vectored(&[IoSlice::new(head), IoSlice::new(content)])?;
        match tls.send(socket) {
            Err(error) if error.kind() != io::ErrorKind::WouldBlock => Err(error),
            _ => Ok(taken),
        }
    }

    /// Whether the kernel has all that `write` took.
    pub fn is_flushed(&self) -> bool {
        self.tls.as_ref().is_none_or(|tls| !tls.connection.wants_write())
    }

    /// Reads what has arrived; 0 at the end of the stream. `UnexpectedEof`: a TLS stream that ended without
    /// `close_notify`.
    pub fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let Channel { socket, tls } = self;
        let Some(tls) = tls else { return retry(|| socket.read(buf)) };
        loop {
            match tls.connection.reader().read(buf) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                other => return other,
            }
            if let Some(fault) = tls.fault.take() {
                return Err(fault);
            }
            match tls.receive(socket) {
                // What was decrypted in front of a broken record is read first.
                Err(fault) if fault.kind() == io::ErrorKind::InvalidData => tls.fault = Some(fault),
                received => _ = received?,
            }
        }
    }
}

/// Repeats a call that a signal interrupted.
fn retry<T>(mut call: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match call() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            other => return other,
        }
    }
}
