//! From the user's bytes to the content that goes out: read, check, change by splicing, code.

<<<<<<< HEAD
mod content;
pub mod gzip;
pub mod json;
mod pending;
mod scan;
mod source;
pub mod splice;
=======
mod synthetic;

pub use synthetic::synthetic;

/// The content coding of a request (RFC 9110, section 8.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Coding {
    /// Sent as it is.
    #[default]
    Identity,
    /// One gzip member (RFC 1952).
    Gzip,
}
>>>>>>> relay

pub use content::{BodyOptions, Coding, CodingChoice, Content, DEFAULT_LEVEL, GZIP_THRESHOLD, prepare};
pub use pending::Pending;
pub use source::{Body, Declared, Part, PartKind, Source, read};
