//! URLs as curl reads them (stub to be written).

/// A target URL, split and normalised.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Url {
    /// As given.
    pub given: String,
}
