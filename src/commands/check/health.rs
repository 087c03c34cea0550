//! Whether an answer is what a healthy relay gives, or that of a gate before it that has not looked at the request.

use super::answer::Answer;

const KEY_REFUSED: &str = "the key is missing or refused";

const KEY_REFUSED_ALIKE: &str = "the key may be missing or wrong: everything is answered so";

const KEY_REFUSED_TWICE: &str = "the key may be missing or wrong: the list of models is refused too";

/// Of these speaks who refuses a key with a status that does not say so, as Gemini and xAI do.
const CREDENTIALS: [&str; 6] = ["api key", "api_key", "api-key", "credential", "authenticat", "authoriz"];

/// Why an answer is not healthy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Problem {
    /// Behind the answer.
    pub short: &'static str,
    /// On its own.
    pub whole: String,
}

impl Answer {
    /// Why it is not what a healthy relay answers to a post for a model that does not exist. `list` is what it answers
    /// to a GET for its models: a refusal of both, by somebody who does not speak of the model, comes from in front of it.
    pub fn problem(&self, list: Option<&Answer>) -> Option<Problem> {
        let short = match self.status {
            402 => "the account has nothing left",
            429 => "too many requests",
            // It looked for the model, however it says so: some answer 503 then.
            _ if self.names_model && !self.html || self.misses_a_model(list) => return None,
            200..=299 if self.error => "an error that calls itself a success",
            200..=299 if !self.html => return None,
            300..=399 => "it points elsewhere; -L follows",
            401 | 403 | 407 => KEY_REFUSED,
            404 | 405 | 501 => "nothing takes a POST at this path; is the URL right?",
            408 | 413 | 415 => "a tiny plain body is refused",
            200..=499 if self.html => "a page for people and no API; is the URL right?",
            400..=499 => self.unread(list)?,
            _ => "the relay or its gateway fails",
        };
        let whole = match short {
            KEY_REFUSED_ALIKE => {
                format!("the key may be missing or wrong: everything is answered with {}", self.told())
            }
            _ => format!("{short} ({})", self.status),
        };
        Some(Problem { short, whole })
    }

    /// Whether it says in words of its own that there is no such model, and says so to this post alone.
    fn misses_a_model(&self, list: Option<&Answer>) -> bool {
        let alike = list.is_some_and(|list| self.same(list));
        self.about_models
            && !self.html
            && match self.status {
                401 | 405 | 407 | 408 | 413 | 415 => false,
                // Others mean a key or a gateway by these. Who gets the list has a key, and the gateway works.
                403 | 503 => list.is_some_and(Answer::is_list),
                400..=499 => !alike,
                _ => false,
            }
    }

    /// What makes it the answer of somebody who has not looked at the request.
    fn unread(&self, list: Option<&Answer>) -> Option<&'static str> {
        let text = self.text.to_ascii_lowercase();
        if CREDENTIALS.iter().any(|word| text.contains(word)) {
            return Some(KEY_REFUSED);
        }
        let list = list?;
        match list.status {
            _ if self.same(list) => Some(KEY_REFUSED_ALIKE),
            // Not to have a list is no fault.
            404 | 405 => None,
            400..=499 => Some(KEY_REFUSED_TWICE),
            _ => None,
        }
    }

    fn is_list(&self) -> bool {
        self.status < 300 && self.models.is_some()
    }

    /// Why it is not what a healthy relay answers to a GET for its models. Not to have that list is no fault.
    pub fn problem_with_models(&self) -> Option<&'static str> {
        match self.status {
            401 | 403 | 407 => Some(KEY_REFUSED),
            429 => Some("too many requests"),
            501 => None,
            500.. => Some("the relay or its gateway fails"),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            assert_eq!((answer.problem(None), answer.generated), (None, false), "{content}");
            assert!(answer.told().contains("gzpost-check-no-such-model"), "{}", answer.told());
        }
        for (status, content) in [(200, r#"{"echo":1}"#), (400, r#"{"detail":"no such thing"}"#), (422, "{}")] {
            assert_eq!(read(status, content).problem(None), None, "{content}");
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
            assert!(answer.problem(None).is_some(), "{status}");
            assert_eq!(answer.told(), told);
        }
        // The path is repeated by a page that knows nothing about models.
        assert!(read(404, "<html>Cannot POST /models/gzpost-check-no-such-model</html>").problem(None).is_some());
    }

    /// What relays answer to a GET for their models.
    const LIST: (u16, &str) = (200, r#"{"data":[{"id":"a"}]}"#);
    const NO_LIST: (u16, &str) = (404, r#"{"detail":"Not Found"}"#);
    const NO_DB: (u16, &str) = (400, r#"{"error":{"message":"No connected db.","type":"no_db_connection"}}"#);
    const BAD_KEY: (u16, &str) = (400, r#"{"error":"Incorrect API key provided."}"#);
    const NO_MODEL: (u16, &str) = (400, r#"{"error":{"message":"no such model"}}"#);
    const ODD: (u16, &str) = (400, r#"{"error":{"message":"bad parameters"}}"#);

    #[test]
    fn a_post_that_is_refused_like_the_list_of_models_was_not_looked_at() {
        let (alike, twice) = ("everything is answered with 400", "the list of models is refused too (400)");
        let refused = "the key is missing or refused (400)";
        for (list, post, told) in [
            (NO_DB, NO_DB, alike),
            ((400, ""), (400, ""), alike),
            ((403, "no"), NO_DB, twice),
            (ODD, NO_DB, twice),
            // Some have a list for everybody, some have none.
            (BAD_KEY, BAD_KEY, refused),
            (LIST, BAD_KEY, refused),
            (NO_LIST, BAD_KEY, refused),
            // The list comes to who has a key, whatever is said about the model.
            (LIST, ODD, ""),
            (LIST, NO_MODEL, ""),
            (LIST, (404, NO_MODEL.1), ""),
            (LIST, (503, NO_MODEL.1), ""),
            (LIST, (403, NO_MODEL.1), ""),
            ((200, r#"{"data":[]}"#), ODD, ""),
            // Not to have a list is no fault.
            (NO_LIST, ODD, ""),
            ((405, ""), ODD, ""),
            ((501, ""), (422, "{}"), ""),
            // About the model speaks who has looked for it.
            (NO_LIST, (404, NO_MODEL.1), ""),
            (ODD, NO_MODEL, ""),
            (ODD, (404, r#"{"error":{"type":"model_not_found"}}"#), ""),
            // Unless it is said to everybody, or in the way of a gateway that fails.
            (NO_MODEL, NO_MODEL, alike),
            ((404, NO_MODEL.1), (404, NO_MODEL.1), "is the URL right? (404)"),
            (NO_LIST, (503, NO_MODEL.1), "fails (503)"),
            (NO_LIST, (403, NO_MODEL.1), "refused (403)"),
            (LIST, (401, NO_MODEL.1), "refused (401)"),
            (LIST, (500, NO_MODEL.1), "fails (500)"),
            (LIST, (503, "overloaded"), "fails (503)"),
            (LIST, (404, "Cannot POST /v1/models"), "is the URL right? (404)"),
        ] {
            let [list, post] = [list, post].map(|(status, content)| read(status, content));
            let whole = post.problem(Some(&list)).map(|problem| problem.whole);
            let fits = whole.as_ref().map_or(told.is_empty(), |whole| !told.is_empty() && whole.contains(told));
            assert!(fits, "{list:?} {post:?} {whole:?}");
        }
        // Without an answer about the list its row says so.
        assert_eq!(read(ODD.0, ODD.1).problem(None), None);
    }

    #[test]
    fn not_to_have_a_list_of_models_is_no_fault() {
        for (status, fault) in [(200, false), (404, false), (405, false), (501, false), (401, true), (500, true)] {
            assert_eq!(read(status, "").problem_with_models().is_some(), fault, "{status}");
        }
    }
}
