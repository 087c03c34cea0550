//! The one path for HTTP: a request goes in, an answer is streamed out, a `Transfer` remains.

mod channel;
mod client;
mod connector;
mod credentials;
mod decoding;
mod exchange;
mod fault;
mod head;
mod input;
mod no_proxy;
mod proxy;
mod redirect;
mod request;
mod resolver;
mod settings;
pub mod timing;
mod tls;
mod transfer;
mod transport;
pub mod url;
mod watch;

pub use client::{Client, Sink};
pub use request::{FieldLine, Request, USER_AGENT};
pub use settings::{ConnectTo, IpVersion, Proxies, Proxy, Resolve, Retry, Settings, SpeedLimit, TlsSettings};
#[cfg(test)]
pub(crate) use transfer::sample;
pub use transfer::{Field, Tls, Tokens, Transfer};
pub use watch::{Observer, Progress, Unobserved};
