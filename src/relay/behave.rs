//! The ways in which relays and gateways fail their users, by name.

use std::str::FromStr;

use crate::error::{Error, Kind};

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

impl FromStr for Behave {
    type Err = Error;

    fn from_str(name: &str) -> Result<Behave, Error> {
        Behave::CHOICES.iter().find(|(choice, _)| *choice == name).map(|(_, behave)| *behave).ok_or_else(|| {
            let names: Vec<&str> = Behave::CHOICES.iter().map(|(choice, _)| *choice).collect();
            Error::new(Kind::Usage, format!("'{name}' is none of {}", names.join(", ")))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_choice_is_read_back() {
        for (name, behave) in Behave::CHOICES {
            assert_eq!(name.parse(), Ok(behave));
        }
    }

    #[test]
    fn an_unknown_choice_is_answered_with_all_of_them() {
        let error = "reject".parse::<Behave>().unwrap_err();
        assert_eq!(error.kind, Kind::Usage);
        for (name, _) in Behave::CHOICES {
            assert!(error.message.contains(name), "{}", error.message);
        }
    }
}
