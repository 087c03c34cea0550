//! One connection in the hands of a script. Whatever fails, fails the script with a message.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use super::request::Request;
use super::tls::{Hello, Secured};
use super::{DEADLINE, show};

/// A connection that was accepted. When it is dropped it is closed, over TLS with a `close_notify`. When
/// bytes of the client were not read by then, the kernel makes a reset of the closing.
pub struct Conn {
    stream: Stream,
    /// Bytes that were read and not asked for yet.
    unread: Vec<u8>,
    /// What the client offered, over TLS.
    pub hello: Option<Hello>,
    silent: bool,
}

enum Stream {
    /// TCP, or a Unix socket, which answers to the same calls.
    Plain(TcpStream),
    Secured(Box<Secured>),
}

impl Conn {
    /// Over TCP, for a test that accepts by itself too.
    pub fn plain(socket: TcpStream) -> Conn {
        set_deadlines(&socket).expect("deadlines on a socket");
        Conn { stream: Stream::Plain(socket), unread: Vec::new(), hello: None, silent: false }
    }

    pub(super) fn secured(secured: Secured, hello: Hello) -> Conn {
        let stream = Stream::Secured(Box::new(secured));
        Conn { stream, unread: Vec::new(), hello: Some(hello), silent: false }
    }

    /// What one read brings, at most `limit` bytes; over TLS of one record. Empty when the client has closed.
    #[track_caller]
    pub fn read_some(&mut self, limit: usize) -> Vec<u8> {
        if self.unread.is_empty() {
            self.fill();
        }
        let count = limit.min(self.unread.len());
        self.unread.drain(..count).collect()
    }

    /// Exactly this many bytes.
    #[track_caller]
    pub fn read_exact(&mut self, count: usize) -> Vec<u8> {
        while self.unread.len() < count {
            let more = self.fill();
            assert!(more, "the client closed after {} of {count} bytes", self.unread.len());
        }
        self.unread.drain(..count).collect()
    }

    /// The next head with its blank line, raw.
    #[track_caller]
    pub fn read_head(&mut self) -> Vec<u8> {
        self.read_through(b"\r\n\r\n")
    }

    /// The content that belongs to a head, without its transfer coding.
    #[track_caller]
    pub fn read_content(&mut self, request: &Request) -> Vec<u8> {
        if request.field("transfer-encoding").is_some_and(|coding| coding == "chunked") {
            return self.read_chunks();
        }
        let length = request.field("content-length").map_or(0, |length| length.parse().expect("a Content-Length"));
        self.read_exact(length)
    }

    /// Head and content.
    #[track_caller]
    pub fn read_request(&mut self) -> Request {
        let mut request = Request::parse(self.read_head());
        request.content = self.read_content(&request);
        request
    }

    /// Everything until the client has closed; a reset counts as closing.
    #[track_caller]
    pub fn read_to_end(&mut self) -> Vec<u8> {
        loop {
            match self.receive() {
                Ok(bytes) if bytes.is_empty() => break,
                Ok(bytes) => self.unread.extend(bytes),
                Err(error) if gone(&error) => break,
                Err(error) => panic!("{}", read_failure(&error)),
            }
        }
        std::mem::take(&mut self.unread)
    }

    /// Sends bytes, all of them.
    #[track_caller]
    pub fn write(&mut self, bytes: impl AsRef<[u8]>) {
        self.send(bytes.as_ref()).unwrap_or_else(|error| panic!("the client did not take an answer: {error}"));
    }

    /// Sends bytes, as many as the client takes before it closes.
    #[track_caller]
    pub fn write_if_wanted(&mut self, bytes: impl AsRef<[u8]>) {
        match self.send(bytes.as_ref()) {
            Err(error) if !gone(&error) => panic!("the client neither read nor closed: {error}"),
            _ => {}
        }
    }

    /// Sends bytes past TLS, as a fault on the way would.
    #[track_caller]
    pub fn write_past_tls(&mut self, bytes: impl AsRef<[u8]>) {
        self.socket().write_all(bytes.as_ref()).unwrap_or_else(|error| panic!("the client did not take it: {error}"));
        self.silent = true;
    }

    /// Sends bytes that the client may refuse to take by closing.
    #[track_caller]
    pub fn offer(&mut self, bytes: impl AsRef<[u8]>) {
        match self.send(bytes.as_ref()) {
            Ok(()) => {}
            Err(error) if gone(&error) => {}
            Err(error) => panic!("the client neither read nor closed: {error}"),
        }
    }

    /// Sends the same bytes again and again until the client has closed.
    #[track_caller]
    pub fn write_until_closed(&mut self, bytes: impl AsRef<[u8]>) {
        loop {
            match self.send(bytes.as_ref()) {
                Ok(()) => {}
                Err(error) if gone(&error) => return,
                Err(error) => panic!("the client neither read nor closed: {error}"),
            }
        }
    }

    /// Sends one chunk of a chunked answer; an empty one is the last.
    #[track_caller]
    pub fn write_chunk(&mut self, bytes: impl AsRef<[u8]>) {
        let bytes = bytes.as_ref();
        let mut chunk = format!("{:x}\r\n", bytes.len()).into_bytes();
        chunk.extend(bytes);
        chunk.extend(b"\r\n");
        self.write(chunk);
    }

    /// Sends a whole answer with its length: `answer("404 Not Found", "no such model")`.
    #[track_caller]
    pub fn answer(&mut self, status: &str, content: impl AsRef<[u8]>) {
        let content = content.as_ref();
        let mut answer = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\n\r\n", content.len()).into_bytes();
        answer.extend(content);
        self.write(answer);
    }

    /// Closes without a `close_notify`, which only TLS would send.
    pub fn close_without_notify(mut self) {
        self.silent = true;
    }

    /// Closes with a reset, and nothing else.
    pub fn reset(mut self) {
        self.silent = true;
        rustix::net::sockopt::set_socket_linger(self.socket(), Some(Duration::ZERO)).expect("linger of 0");
    }

    /// Ends the answer and goes on reading.
    pub fn close_writing(&mut self) {
        self.say_goodbye();
        self.silent = true;
        // A client that has closed already does not want it.
        let _ = self.socket().shutdown(Shutdown::Write);
    }

    fn say_goodbye(&mut self) {
        if let Stream::Secured(secured) = &mut self.stream {
            // As above.
            let _ = secured.notify_close();
        }
    }

    #[track_caller]
    fn read_through(&mut self, end: &[u8]) -> Vec<u8> {
        let mut seen = 0;
        loop {
            if let Some(at) = self.unread[seen..].windows(end.len()).position(|window| window == end) {
                return self.unread.drain(..seen + at + end.len()).collect();
            }
            seen = self.unread.len().saturating_sub(end.len() - 1);
            let more = self.fill();
            assert!(more, "the client closed within a line: {}", show(&self.unread));
        }
    }

    /// RFC 9112, section 7.1; a trailer section is dropped.
    #[track_caller]
    fn read_chunks(&mut self) -> Vec<u8> {
        let mut content = Vec::new();
        loop {
            let line = self.read_through(b"\r\n");
            let size = std::str::from_utf8(&line).ok().and_then(|line| line.trim_end().split(';').next());
            let size = size.and_then(|size| usize::from_str_radix(size, 16).ok());
            let size = size.unwrap_or_else(|| panic!("chunk size {}", show(&line)));
            if size == 0 {
                while self.read_through(b"\r\n") != b"\r\n" {}
                return content;
            }
            content.extend(self.read_exact(size));
            assert_eq!(self.read_exact(2), b"\r\n", "the end of a chunk");
        }
    }

    #[track_caller]
    fn fill(&mut self) -> bool {
        let bytes = self.receive().unwrap_or_else(|error| panic!("{}", read_failure(&error)));
        self.unread.extend(&bytes);
        !bytes.is_empty()
    }

    fn receive(&mut self) -> io::Result<Vec<u8>> {
        match &mut self.stream {
            Stream::Secured(secured) => secured.read(),
            Stream::Plain(socket) => {
                let mut bytes = vec![0; 1 << 16];
                let count = read_once(socket, &mut bytes)?;
                bytes.truncate(count);
                Ok(bytes)
            }
        }
    }

    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        match &mut self.stream {
            Stream::Secured(secured) => secured.write(bytes),
            Stream::Plain(socket) => socket.write_all(bytes),
        }
    }

    fn socket(&self) -> &TcpStream {
        match &self.stream {
            Stream::Secured(secured) => &secured.socket,
            Stream::Plain(socket) => socket,
        }
    }
}

impl Drop for Conn {
    fn drop(&mut self) {
        if !self.silent {
            self.say_goodbye();
        }
    }
}

/// A read of a socket with a deadline can be interrupted without any signal: when the machine was suspended (signal(7)).
pub(super) fn read_once(socket: &mut TcpStream, bytes: &mut [u8]) -> io::Result<usize> {
    loop {
        match socket.read(bytes) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            read => return read,
        }
    }
}

/// No read and no write of this socket waits longer than `DEADLINE`.
pub fn set_deadlines(socket: &TcpStream) -> io::Result<()> {
    socket.set_read_timeout(Some(DEADLINE))?;
    socket.set_write_timeout(Some(DEADLINE))
}

fn gone(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::BrokenPipe | ErrorKind::ConnectionReset | ErrorKind::ConnectionAborted)
}

fn read_failure(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::WouldBlock | ErrorKind::TimedOut => format!("the client sent nothing for {DEADLINE:?}"),
        _ => format!("nothing more from the client: {error}"),
    }
}
