//! A server on loopback: it takes any content and answers by the path.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use rcgen::{CertificateParams, KeyPair};
use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection, StreamOwned};

/// Connections that are served at a time.
const THREADS: usize = 4;

/// Writes the answer to a request for a path; the connection ends when it says so.
pub type Respond = fn(&str, &mut dyn Write) -> io::Result<bool>;

/// A connection, with or without TLS.
trait Stream: Read + Write {}

impl<T: Read + Write> Stream for T {}

/// At once, and the connection is kept.
pub fn answer_at_once(_: &str, out: &mut dyn Write) -> io::Result<bool> {
    out.write_all(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}")?;
    Ok(true)
}

/// Serves over http; returns the URL without a path.
pub fn http(respond: Respond) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listen(&listener, move |stream| serve(Box::new(stream), respond));
    format!("http://{address}")
}

/// Serves over https, with a pause before the handshake; returns the URL without a path, and the file with the
/// certificate to trust.
pub fn https(respond: Respond, pause: Duration) -> (String, PathBuf) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let key = KeyPair::generate().expect("a key");
    let params = CertificateParams::new(vec!["127.0.0.1".to_owned()]).expect("a name");
    let certificate = params.self_signed(&key).expect("a certificate");
    let file = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join(format!("bench-{}.pem", listener.local_addr().expect("an address").port()));
    std::fs::write(&file, certificate.pem()).expect("a folder for temporary files");
    let key = PrivateKeyDer::Pkcs8(key.serialize_der().into());
    let config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("versions of TLS")
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], key);
    let config = Arc::new(config.expect("a certificate with its key"));
    let address = listen(&listener, move |stream| {
        thread::sleep(pause);
        let session = ServerConnection::new(Arc::clone(&config)).expect("a session");
        serve(Box::new(StreamOwned::new(session, stream)), respond);
    });
    (format!("https://{address}"), file)
}

fn listen(listener: &TcpListener, serve: impl Fn(TcpStream) + Clone + Send + 'static) -> String {
    let address = listener.local_addr().expect("an address").to_string();
    // They are there before the connections: starting one would be in the figures. A kept connection takes one.
    for _ in 0..THREADS {
        let (listener, serve) = (listener.try_clone().expect("a descriptor"), serve.clone());
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let _ = stream.set_nodelay(true);
                serve(stream);
            }
        });
    }
    address
}

fn serve(stream: Box<dyn Stream>, respond: Respond) {
    let mut input = BufReader::with_capacity(64 * 1024, stream);
    while let Ok(Some(path)) = read_request(&mut input) {
        let out = input.get_mut();
        if !respond(&path, out).is_ok_and(|kept| kept && out.flush().is_ok()) {
            return;
        }
    }
}

/// Reads a head and its content; the path, or `None` at the end of the connection.
fn read_request(input: &mut BufReader<Box<dyn Stream>>) -> io::Result<Option<String>> {
    let (mut path, mut length, mut waits) = (None, 0, false);
    loop {
        let mut line = String::new();
        if input.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        match line.trim_end().split_once(": ") {
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => length = value.parse().unwrap_or(0),
            Some((name, _)) => waits |= name.eq_ignore_ascii_case("expect"),
            None if line.trim_end().is_empty() => break,
            None => path = line.split(' ').nth(1).map(str::to_owned),
        }
    }
    if waits {
        input.get_mut().write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
        input.get_mut().flush()?;
    }
    io::copy(&mut input.by_ref().take(length), &mut io::sink())?;
    Ok(path)
}
