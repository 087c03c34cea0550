//! How connections are made and watched: parsed once by `cli`, plain data here.

use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use crate::error::Result;

/// Everything about the way to the server that does not depend on the request.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// `--connect-timeout`: for DNS, TCP and TLS together; `None` is curl's default of 300 s.
    pub connect_timeout: Option<Duration>,
    /// `-m`: for one whole attempt.
    pub max_time: Option<Duration>,
    /// `-Y`, `-y`.
    pub speed_limit: Option<SpeedLimit>,
    /// `--resolve`, in order; the last entry that matches counts.
    pub resolve: Vec<Resolve>,
    /// `--connect-to`, in order; the first entry that matches counts.
    pub connect_to: Vec<ConnectTo>,
    /// `-4`, `-6`.
    pub ip_version: IpVersion,
    /// `--unix-socket`.
    pub unix_socket: Option<PathBuf>,
    /// `-x`, `--noproxy` and the environment.
    pub proxies: Proxies,
    /// Certificates, keys and versions.
    pub tls: TlsSettings,
    /// `-L`: how many redirects are followed; `None` follows none, `Some(None)` any number.
    pub follow: Option<Option<u32>>,
    /// `--proto`, `--proto-redir`: a redirect to http is refused (exit 1).
    pub https_only: bool,
    /// `--location-trusted`: credentials go to other origins too.
    pub location_trusted: bool,
    /// `--post301`, `--post302`, `--post303`: keep the method on that status.
    pub keep_post: [bool; 3],
    /// `--max-filesize`: larger answers are refused, in bytes.
    pub max_filesize: Option<u64>,
    /// `--compressed`: ask for a content coding of the answer and undo it.
    pub compressed: bool,
    /// `--ignore-content-length`: read until the connection ends.
    pub ignore_content_length: bool,
    /// `--path-as-is`: `.` and `..` stay in the path.
    pub path_as_is: bool,
    /// Every request has a connection of its own, with a whole TLS handshake.
    pub fresh: bool,
    /// A send buffer of this size, in bytes, in place of one that grows with the connection.
    pub send_buffer: Option<usize>,
}

/// Slower than `bytes_per_second` for `time`: the transfer is given up (exit 28).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpeedLimit {
    /// `-Y`, default 1.
    pub bytes_per_second: u64,
    /// `-y`, default 30 s.
    pub time: Duration,
}

/// One `--resolve [+]host:port:addr[,addr]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolve {
    /// In lower case; `None` for `*`.
    pub host: Option<String>,
    /// The port it holds for.
    pub port: u16,
    /// Where to connect; empty for the form `-host:port`, which takes an earlier entry back.
    pub addresses: Vec<IpAddr>,
}

/// One `--connect-to HOST1:PORT1:HOST2:PORT2`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConnectTo {
    /// In lower case; `None` matches any host.
    pub from_host: Option<String>,
    /// `None` matches any port.
    pub from_port: Option<u16>,
    /// `None` keeps the host.
    pub to_host: Option<String>,
    /// `None` keeps the port.
    pub to_port: Option<u16>,
}

/// Which addresses a name may resolve to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum IpVersion {
    /// Both families.
    #[default]
    Any,
    /// `-4`
    V4,
    /// `-6`
    V6,
}

/// Which proxy a URL goes through. `Err` is for the URLs that would go through it: one was named, and it is not an
/// HTTP proxy. They must not be reached directly; what `no_proxy` exempts may be.
#[derive(Debug, Clone, Default)]
pub struct Proxies {
    /// For `http://` URLs.
    pub http: Option<Result<Proxy>>,
    /// For `https://` URLs.
    pub https: Option<Result<Proxy>>,
    /// `--noproxy`, or `no_proxy`/`NO_PROXY`; the text as given, matched by `http/no_proxy.rs`.
    pub no_proxy: String,
    /// `-p`: use CONNECT for `http://` URLs too.
    pub tunnel: bool,
    /// `--proxy-header`: fields for the proxy only.
    pub fields: Vec<super::FieldLine>,
}

/// An HTTP proxy.
#[derive(Clone, PartialEq, Eq)]
pub struct Proxy {
    /// Name or address, without brackets.
    pub host: String,
    /// 1080 when the user named none, as in curl.
    pub port: u16,
    /// `user:password`, percent-decoded; the URL's win over `-U`, as in curl.
    pub credentials: Option<String>,
}

impl std::fmt::Debug for Proxy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Proxy({}:{})", self.host, self.port)
    }
}

/// What TLS trusts, shows and speaks.
#[derive(Debug, Clone, Default)]
pub struct TlsSettings {
    /// `-k`: no verification.
    pub insecure: bool,
    /// `--cacert`, else `CURL_CA_BUNDLE`, else `SSL_CERT_FILE`: this file and nothing else.
    pub ca_file: Option<PathBuf>,
    /// `--capath`, else `SSL_CERT_DIR`: every file in it.
    pub ca_path: Option<PathBuf>,
    /// `--cert`: PEM, may hold the key too.
    pub certificate: Option<PathBuf>,
    /// `--key`: PEM.
    pub key: Option<PathBuf>,
    /// `--tlsv1.3`, `--tls-max`
    pub versions: TlsVersions,
}

/// Which versions of TLS are offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TlsVersions {
    /// 1.2 and 1.3.
    #[default]
    Both,
    /// Nothing above 1.2.
    Only12,
    /// Nothing below 1.3.
    Only13,
}

/// `--retry` and its kin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Retry {
    /// `--retry`: how many times; 0 is never.
    pub count: u32,
    /// `--retry-delay`: replaces the doubling backoff.
    pub delay: Option<Duration>,
    /// `--retry-max-time`: no retry begins later than this after the start.
    pub max_time: Option<Duration>,
    /// `--retry-connrefused`: refused connections count as transient.
    pub connrefused: bool,
    /// `--retry-all-errors`: every error counts as transient.
    pub all_errors: bool,
}
