//! What a relay answered to a probe: enough to compare answers, to judge one, and to tell people.

use std::time::Duration;

use super::target::MODEL;
use crate::http::Request;
use crate::http::credentials::{OF_REQUEST, REDACTED};
use crate::stream::{Scanner, one_line};

/// Of a text of the relay's, as much as fits beside the rest of a line.
const SHOWN: usize = 100;

/// Shorter values are words that a text may hold anyway.
const SECRET: usize = 8;

/// An answer that is complete.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Answer {
    /// The status code.
    pub status: u16,
    /// The error that it reports with its type, else the title of its page or its first words.
    pub text: String,
    /// It reports an error, whatever its status is.
    pub error: bool,
    /// It is a page for people.
    pub html: bool,
    /// It repeats the name of the model.
    pub names_model: bool,
    /// It speaks of models, whatever it calls this one.
    pub about_models: bool,
    /// A model ran, although there is none of that name.
    pub generated: bool,
    /// How many models its list has.
    pub models: Option<usize>,
}

impl Answer {
    /// Reads the content of an answer; `secrets` are blotted out of its text.
    pub fn read(status: u16, content_type: Option<&str>, content: &[u8], secrets: &[String]) -> Answer {
        let mut scanner = Scanner::new(content_type, false);
        scanner.feed(content, Duration::ZERO);
        scanner.finish(Duration::ZERO);
        let whole = String::from_utf8_lossy(content);
        let start = whole.trim_start().get(..9).unwrap_or_default().to_ascii_lowercase();
        let html = content_type.is_some_and(|kind| kind.trim_start().starts_with("text/html"))
            || start == "<!doctype"
            || start.starts_with("<html");
        let text = match scanner.error() {
            Some(error) => error.to_owned(),
            None => one_line(title(&whole).filter(|_| html).unwrap_or(&whole)),
        };
        Answer {
            status,
            text: secrets.iter().fold(text, |text, secret| text.replace(secret, REDACTED)),
            error: scanner.error().is_some(),
            html,
            names_model: whole.contains(MODEL),
            // A path that ends in /models is repeated by who knows nothing about them.
            about_models: whole.to_ascii_lowercase().replace("/model", "").contains("model"),
            generated: status < 300 && scanner.recognised() && scanner.error().is_none(),
            models: models(content),
        }
    }

    /// Status and text, for a line.
    pub fn told(&self) -> String {
        let text = match self.text.char_indices().nth(SHOWN) {
            Some((end, _)) => format!("{}…", self.text[..end].trim_end_matches('…')),
            None => self.text.clone(),
        };
        // What a success says is not about the request.
        let status = self.status.to_string();
        match text.strip_prefix(&status) {
            _ if text.is_empty() || self.status < 300 && !self.error => status,
            Some(_) => text,
            None => format!("{status} {text}"),
        }
    }

    /// Whether both say the same, whatever times and ids they carry.
    pub fn same(&self, other: &Answer) -> bool {
        let kind = |answer: &Answer| (answer.status, answer.html, answer.names_model);
        kind(self) == kind(other) && (self.names_model || words(&self.text) == words(&other.text))
    }
}

/// The credentials of a request: a relay may repeat them in an error.
pub(super) fn secrets(request: &Request) -> Vec<String> {
    let values = OF_REQUEST.iter().filter_map(|name| request.field(name));
    let values = values.chain(request.authorization.as_deref()).chain(request.cookie.as_deref());
    let query = request.url.query.iter().flat_map(|query| query.split('&')).filter_map(|pair| pair.split_once('='));
    let words = values.filter_map(|value| value.split(' ').next_back()).chain(query.map(|(_, value)| value));
    words.filter(|word| word.len() >= SECRET).map(str::to_owned).collect()
}

/// The words without those that differ from answer to answer: ids, times, counts.
fn words(text: &str) -> Vec<&str> {
    let words = text.split(|letter: char| !letter.is_alphanumeric());
    words.filter(|word| !word.is_empty() && !word.contains(|letter: char| letter.is_ascii_digit())).collect()
}

fn title(page: &str) -> Option<&str> {
    let page = page.get(page.to_ascii_lowercase().find("<title>")? + "<title>".len()..)?;
    page.split('<').next()
}

/// The length of the list under `data` (OpenAI, Anthropic) or `models` (Gemini, Ollama).
fn models(content: &[u8]) -> Option<usize> {
    let list: serde_json::Value = serde_json::from_slice(content).ok()?;
    [&list["data"], &list["models"]].into_iter().find_map(|list| list.as_array()).map(Vec::len)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::url::Url;

    fn read(status: u16, content: &str) -> Answer {
        Answer::read(status, None, content.as_bytes(), &[])
    }

    #[test]
    fn a_model_that_ran_is_noticed() {
        for content in [
            r#"{"object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"a"}}]}"#,
            "data: {\"object\":\"chat.completion.chunk\",\"choices\":[]}\n\ndata: [DONE]\n\n",
            r#"{"type":"message","role":"assistant","content":[{"type":"text","text":"a"}]}"#,
            r#"{"model":"m","done":true,"message":{"role":"assistant","content":"a"}}"#,
        ] {
            assert!(read(200, content).generated, "{content}");
        }
        let body = r#"{"model":"gzpost-check-no-such-model","messages":[{"role":"user","content":"a"}]}"#;
        assert!(!read(200, body).generated);
    }

    #[test]
    fn ids_and_times_do_not_make_answers_differ() {
        let plain = read(400, r#"{"error":{"message":"bad thing (request id: 2025abc1)"}}"#);
        assert!(plain.same(&read(400, r#"{"error":{"message":"bad thing (request id: 7f)"}}"#)));
        assert!(!plain.same(&read(400, r#"{"error":{"message":"bad JSON (request id: 7f)"}}"#)));
        assert!(!plain.same(&read(422, r#"{"error":{"message":"bad thing (request id: 7f)"}}"#)));
        let unknown = r#"{"error":{"message":"The model gzpost-check-no-such-model does not exist"}}"#;
        assert!(!read(404, unknown).same(&read(404, "The model `x` does not exist")));
    }

    #[test]
    fn lists_of_models_are_counted() {
        let content = r#"{"object":"list","data":[{"id":"a"},{"id":"b"}]}"#;
        assert_eq!(read(200, content).models, Some(2));
        assert_eq!(read(200, r#"{"models":[]}"#).models, Some(0));
    }

    #[test]
    fn credentials_are_not_repeated() {
        let mut request = Request::new("GET", Url::parse("http://relay.example/v1?key=AIza1234567").expect("a URL"));
        request.authorization = Some("Bearer sk-very-secret".to_owned());
        let content = r#"{"error":{"message":"wrong key sk-very-secret, AIza1234567"}}"#;
        let answer = Answer::read(401, None, content.as_bytes(), &secrets(&request));
        assert_eq!(answer.told(), "401 wrong key <redacted>, <redacted>");
    }

    #[test]
    fn any_content_is_read() {
        arbtest::arbtest(|u| {
            let content: Vec<u8> = u.arbitrary()?;
            let answer = Answer::read(u.arbitrary()?, Some("text/html"), &content, &[]);
            assert!(answer.told().chars().count() <= SHOWN + 7, "{}", answer.told());
            assert!(answer.same(&answer.clone()));
            assert!(!answer.told().contains(char::is_control));
            Ok(())
        });
    }
}
