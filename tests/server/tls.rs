//! The server's end of TLS, read record by record so that a test sees what went into one record.

use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;

use rustls::server::{Acceptor, WebPkiClientVerifier};
use rustls::version::{TLS12, TLS13};
use rustls::{RootCertStore, ServerConfig, ServerConnection};

use super::certificates::{Authority, Leaf};
use super::conn::read_once;

/// How a TLS server behaves.
#[derive(Default)]
pub struct Tls {
    /// Which versions it speaks.
    pub versions: Versions,
    /// What its certificate says.
    pub leaf: Leaf,
    /// Whether it wants a certificate of the same authority from the client.
    pub client_certificate: bool,
}

/// Versions of TLS.
#[derive(Default)]
pub enum Versions {
    /// 1.2 and 1.3.
    #[default]
    Both,
    /// 1.2 alone.
    Only12,
    /// 1.3 alone.
    Only13,
}

/// What a client offered in its first message.
#[derive(Debug, Clone, Default)]
pub struct Hello {
    /// The name of SNI; an address is never sent as a name.
    pub server_name: Option<String>,
    /// The protocols of ALPN, in order.
    pub alpn: Vec<String>,
}

/// The configuration of a server that behaves so.
pub fn configure(authority: &Authority, tls: &Tls) -> Arc<ServerConfig> {
    let versions = match tls.versions {
        Versions::Both => &[&TLS13, &TLS12][..],
        Versions::Only12 => &[&TLS12],
        Versions::Only13 => &[&TLS13],
    };
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ServerConfig::builder_with_provider(provider.clone()).with_protocol_versions(versions);
    let builder = builder.expect("versions of TLS");
    let builder = if tls.client_certificate {
        let mut roots = RootCertStore::empty();
        roots.add(authority.certificate()).expect("the authority as a root");
        let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider).build();
        builder.with_client_cert_verifier(verifier.expect("a verifier of clients"))
    } else {
        builder.with_no_client_auth()
    };
    let issued = authority.leaf(&tls.leaf);
    let config = builder.with_single_cert(vec![issued.certificate], issued.key);
    let mut config = config.expect("a certificate with its key");
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Arc::new(config)
}

/// A connection over TLS.
pub struct Secured {
    session: ServerConnection,
    pub(super) socket: TcpStream,
}

impl Secured {
    /// Shakes hands.
    pub fn accept(mut socket: TcpStream, config: Arc<ServerConfig>) -> io::Result<(Secured, Hello)> {
        let mut acceptor = Acceptor::default();
        let accepted = loop {
            let record = read_record(&mut socket)?.ok_or(ErrorKind::UnexpectedEof)?;
            acceptor.read_tls(&mut &record[..])?;
            match acceptor.accept() {
                Ok(Some(accepted)) => break accepted,
                Ok(None) => {}
                Err((error, mut alert)) => {
                    alert.write_all(&mut socket)?;
                    return Err(io::Error::new(ErrorKind::InvalidData, error));
                }
            }
        };
        let hello = accepted.client_hello();
        let alpn = hello.alpn().into_iter().flatten().map(|name| String::from_utf8_lossy(name).into_owned()).collect();
        let hello = Hello { server_name: hello.server_name().map(str::to_owned), alpn };
        let session = accepted.into_connection(config).map_err(|(error, mut alert)| {
            let _ = alert.write_all(&mut socket);
            io::Error::new(ErrorKind::InvalidData, error)
        })?;
        let mut secured = Secured { session, socket };
        secured.flush_records()?;
        while secured.session.is_handshaking() {
            if !secured.take_record()? {
                return Err(ErrorKind::UnexpectedEof.into());
            }
        }
        Ok((secured, hello))
    }

    /// The content of the next record that has any; empty when the client has closed, with or without saying so.
    pub fn read(&mut self) -> io::Result<Vec<u8>> {
        loop {
            let mut content = vec![0; 1 << 16];
            match self.session.reader().read(&mut content) {
                Ok(count) => {
                    content.truncate(count);
                    return Ok(content);
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                Err(error) => return Err(error),
            }
            if !self.take_record()? {
                return Ok(Vec::new());
            }
        }
    }

    /// Sends bytes in as many records as they need.
    pub fn write(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            let count = self.session.writer().write(bytes)?;
            bytes = &bytes[count..];
            self.flush_records()?;
        }
        Ok(())
    }

    /// Says that nothing follows.
    pub fn notify_close(&mut self) -> io::Result<()> {
        self.session.send_close_notify();
        self.flush_records()
    }

    fn flush_records(&mut self) -> io::Result<()> {
        while self.session.wants_write() {
            self.session.write_tls(&mut self.socket)?;
        }
        Ok(())
    }

    /// Reads and processes one record; false at the end of the connection.
    fn take_record(&mut self) -> io::Result<bool> {
        let Some(record) = read_record(&mut self.socket)? else { return Ok(false) };
        let mut rest = &record[..];
        while !rest.is_empty() {
            self.session.read_tls(&mut rest)?;
            let processed = self.session.process_new_packets();
            self.flush_records()?;
            processed.map_err(|error| io::Error::new(ErrorKind::InvalidData, error))?;
        }
        Ok(true)
    }
}

/// One record with its header of five bytes (RFC 8446, section 5.1); `None` at the end of the connection.
fn read_record(socket: &mut TcpStream) -> io::Result<Option<Vec<u8>>> {
    let mut record = vec![0; 5];
    if read_once(socket, &mut record[..1])? == 0 {
        return Ok(None);
    }
    socket.read_exact(&mut record[1..])?;
    let length = usize::from(u16::from_be_bytes([record[3], record[4]]));
    record.resize(5 + length, 0);
    socket.read_exact(&mut record[5..])?;
    Ok(Some(record))
}
