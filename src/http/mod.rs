//! The one path for HTTP: a request goes in, an answer is streamed out, a `Transfer` remains.

pub mod credentials;
pub mod head;
pub mod no_proxy;
mod request;
pub mod retry;
mod settings;
pub mod timing;
mod transfer;
pub mod url;

pub use request::{FieldLine, Request};
pub use settings::{ConnectTo, IpVersion, Proxies, Proxy, Resolve, Retry, Settings, SpeedLimit, TlsSettings};
pub use transfer::{Field, Tls, Tokens, Transfer};
