//! URLs as curl reads them: guessed scheme, percent-encoding, user info, redirect targets.

/// A target URL, split and normalised.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Url {
    /// As the user gave it.
    pub given: String,
    /// Decides about TLS and the default port.
    pub scheme: Scheme,
    /// Percent-decoded; a secret together with `password`.
    pub user: Option<String>,
    /// Percent-decoded.
    pub password: Option<String>,
    /// Name or address without brackets, in lower case.
    pub host: String,
    /// The port as written, when one was.
    pub port: Option<u16>,
    /// Starts with `/`, percent-encoded as curl does.
    pub path: String,
    /// Without the `?`.
    pub query: Option<String>,
    /// Without the `#`; never sent.
    pub fragment: Option<String>,
}

/// The schemes this program speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    /// `http`
    Http,
    /// `https`
    Https,
}
