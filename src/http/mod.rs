//! The one path for HTTP: a request goes in, an answer is streamed out, a `Transfer` remains.

mod request;
mod settings;
pub mod timing;
mod transfer;
pub mod url;

pub use request::{FieldLine, Request};
pub use settings::{ConnectTo, IpVersion, Proxies, Proxy, Resolve, Retry, Settings, SpeedLimit, TlsSettings};
#[cfg(test)]
pub(crate) use transfer::sample;
pub use transfer::{Field, Tls, Tokens, Transfer};
