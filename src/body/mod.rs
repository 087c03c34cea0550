//! From the user's bytes to the content that goes out: read, check, change by splicing, code.

mod content;
pub mod gzip;
pub mod json;
mod pending;
mod scan;
mod source;
pub mod splice;
mod synthetic;

pub use content::{BodyOptions, Coding, CodingChoice, Content, DEFAULT_LEVEL, GZIP_THRESHOLD, prepare};
pub use pending::Pending;
pub use source::{Body, Declared, Part, PartKind, Source, read};
pub use synthetic::synthetic;
