//! The ways in which relays and gateways fail their users, by name.

/// What the relay does with gzip, and other ways of being no help.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Behave {
    /// Decodes gzip, as new-api does.
    #[default]
    Decode,
    /// Answers a content coding with 400, as vLLM and other Python servers do.
    Reject400,
    /// Answers a content coding with 415, before the content is read.
    Reject415,
    /// Answers a content coding with 500.
    Reject500,
    /// Reads gzip as if it were JSON, as Ollama does: 400.
    Ignore,
    /// Decodes, with ten times the floor.
    Slow,
    /// Answers everything with 401.
    Unauthorized,
    /// Decodes, and has no list of models.
    NoModels,
    /// Answers everything with a gateway's 502 page.
    Html,
}

impl Behave {
    /// Every behaviour by the name that `--behave` takes.
    pub const CHOICES: [(&str, Behave); 9] = [
        ("decode", Behave::Decode),
        ("reject-400", Behave::Reject400),
        ("reject-415", Behave::Reject415),
        ("reject-500", Behave::Reject500),
        ("ignore", Behave::Ignore),
        ("slow", Behave::Slow),
        ("unauthorized", Behave::Unauthorized),
        ("no-models", Behave::NoModels),
        ("html", Behave::Html),
    ];
}
