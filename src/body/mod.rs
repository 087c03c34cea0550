//! From the user's bytes to the content that goes out: read, check, change by splicing, code.

pub mod capture;
mod composition;
mod content;
mod document;
pub mod gzip;
pub mod json;
mod pending;
mod scan;
mod source;
pub mod splice;
mod synthetic;

pub use capture::{Capture, Survey};
pub use composition::{Composition, Portion};
pub use content::{BodyOptions, Coding, CodingChoice, Content, DEFAULT_LEVEL, GZIP_THRESHOLD, prepare};
pub use document::Document;
pub use pending::Pending;
pub use source::{Body, Declared, Part, PartKind, Source, read};
pub use synthetic::synthetic;
