//! The one path for HTTP: a request goes in, an answer is streamed out, a `Transfer` remains.

pub mod certificate;
mod channel;
mod chunked;
mod client;
mod connector;
pub mod credentials;
mod decoding;
mod exchange;
mod fault;
pub mod head;
mod input;
pub mod no_proxy;
mod proxy;
mod redirect;
mod request;
mod resolver;
pub mod retry;
mod settings;
pub mod timing;
mod tls;
mod transfer;
mod transport;
pub mod url;
mod verifier;
mod watch;

#[cfg(test)]
pub(crate) use transfer::sample;

pub use client::{Client, Sink};
pub use request::{FieldLine, Request};
pub use settings::{
    ConnectTo, IpVersion, Proxies, Proxy, Resolve, Retry, Settings, SpeedLimit, TlsSettings, TlsVersions,
};
pub use transfer::{Field, Tls, Tokens, Transfer};
pub use watch::{Observer, Progress, Unobserved};
