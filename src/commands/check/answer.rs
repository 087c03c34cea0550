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

    /// Why it is not what a healthy relay answers to a post for a model that does not exist.
    pub fn problem(&self) -> Option<&'static str> {
        match self.status {
            402 => Some("the account has nothing left"),
            429 => Some("too many requests"),
            // It looked for the model, however it says so: some answer 503 then.
            _ if self.names_model && !self.html => None,
            200..=299 if self.error => Some("an error that calls itself a success"),
            200..=299 if !self.html => None,
            300..=399 => Some("it points elsewhere; -L follows"),
            401 | 403 | 407 => Some("the key is missing or refused"),
            404 | 405 | 501 => Some("nothing takes a POST at this path; is the URL right?"),
            408 | 413 | 415 => Some("a tiny plain body is refused"),
            200..=499 if self.html => Some("a page for people and no API; is the URL right?"),
            400..=499 => None,
            _ => Some("the relay or its gateway fails"),
        }
    }

    /// Why it is not what a healthy relay answers to a GET for its models. Not to have that list is no fault.
    pub fn problem_with_models(&self) -> Option<&'static str> {
        match self.status {
            401 | 403 | 407 => Some("the key is missing or refused"),
            429 => Some("too many requests"),
            501 => None,
            500.. => Some("the relay or its gateway fails"),
            _ => None,
        }
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

    /// What relays say about a model that they do not have.
    const UNKNOWN_MODEL: [(u16, &str); 8] = [
        (
            404,
            r#"{"error":{"message":"The model `gzpost-check-no-such-model` does not exist or you do not have access to it.","type":"invalid_request_error","param":null,"code":"model_not_found"}}"#,
        ),
        (
            404,
            r#"{"object":"error","message":"The model `gzpost-check-no-such-model` does not exist.","type":"NotFoundError","param":null,"code":404}"#,
        ),
        (400, r#"{"error":{"message":"gzpost-check-no-such-model is not a valid model ID","code":400},"user_id":"u"}"#),
        (
            503,
            r#"{"error":{"code":"model_not_found","message":"No available channel for model gzpost-check-no-such-model under group default (request id: 20250101)","type":"new_api_error"}}"#,
        ),
        (
            404,
            r#"{"type":"error","error":{"type":"not_found_error","message":"model: gzpost-check-no-such-model"},"request_id":"req_01"}"#,
        ),
        (404, r#"{"error":"model 'gzpost-check-no-such-model' not found"}"#),
        (
            403,
            r#"{"error":{"message":"Project `p` does not have access to model `gzpost-check-no-such-model`","code":"model_not_found"}}"#,
        ),
        (400, r#"{"error":{"message":"Invalid model name passed in model=gzpost-check-no-such-model"}}"#),
    ];

    #[test]
    fn who_looks_for_the_model_is_healthy() {
        for (status, content) in UNKNOWN_MODEL {
            let answer = read(status, content);
            assert_eq!((answer.problem(), answer.generated), (None, false), "{content}");
            assert!(answer.told().contains("gzpost-check-no-such-model"), "{}", answer.told());
        }
        for (status, content) in [(200, r#"{"echo":1}"#), (400, r#"{"detail":"no such thing"}"#), (422, "{}")] {
            assert_eq!(read(status, content).problem(), None, "{content}");
        }
    }

    #[test]
    fn who_does_not_is_unhealthy() {
        let page = "<!DOCTYPE html>\n<html><head><title>502 Bad Gateway</title></head><body>x</body></html>";
        for (status, content, told) in [
            (401, r#"{"error":{"message":"bad key","type":"auth"}}"#, "401 bad key (auth)"),
            (403, "", "403"),
            (404, r#"{"detail":"Not Found"}"#, r#"404 {"detail":"Not Found"}"#),
            (405, "<html><head><title>405 Not Allowed</title></head></html>", "405 Not Allowed"),
            (
                429,
                r#"{"error":{"message":"limit for gzpost-check-no-such-model"}}"#,
                "429 limit for gzpost-check-no-such-model",
            ),
            (200, page, "200"),
            (200, r#"{"error":"come in by the other door"}"#, "200 come in by the other door"),
            (307, "", "307"),
            (415, "no", "415 no"),
            (502, page, "502 Bad Gateway"),
            (500, "\x1b[31mInternal\nServer Error", "500 [31mInternal Server Error"),
        ] {
            let answer = read(status, content);
            assert!(answer.problem().is_some(), "{status}");
            assert_eq!(answer.told(), told);
        }
        // The path is repeated by a page that knows nothing about models.
        assert!(read(404, "<html>Cannot POST /models/gzpost-check-no-such-model</html>").problem().is_some());
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
        let [(status, first), ..] = UNKNOWN_MODEL;
        assert!(!read(status, first).same(&read(404, "The model `x` does not exist")));
    }

    #[test]
    fn lists_of_models_are_counted() {
        let content = r#"{"object":"list","data":[{"id":"a"},{"id":"b"}]}"#;
        assert_eq!(read(200, content).models, Some(2));
        assert_eq!(read(200, r#"{"models":[]}"#).models, Some(0));
        for (status, fault) in [(200, false), (404, false), (405, false), (501, false), (401, true), (500, true)] {
            assert_eq!(read(status, "").problem_with_models().is_some(), fault, "{status}");
        }
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
