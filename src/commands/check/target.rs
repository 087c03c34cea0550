//! Where the probes go and what they post: by API, and never to a model that exists.

use std::fmt::Write as _;

use crate::cli::Api;
use crate::http::url::Url;
use crate::random::Random;

/// The model that is asked for; an answer that repeats the name comes from someone who read it.
pub(super) const MODEL: &str = "gzpost-check-no-such-model";

/// Segments of a path behind which a model is named: Azure's, OpenAI's old ones, Bedrock's, Gemini's.
const NAMED_BEHIND: [&str; 4] = ["deployments", "engines", "model", "models"];

/// The URLs of a relay that are probed.
pub(super) struct Target {
    /// What is spoken there.
    pub api: Api,
    /// Takes the posts.
    pub endpoint: Url,
    /// Lists the models.
    pub models: Url,
    /// The path names the model too: then an answer may repeat the name without the body having been read.
    pub model_in_path: bool,
}

impl Target {
    /// The URLs for a base or for an endpoint.
    pub fn new(url: &Url, api: Option<Api>) -> Target {
        let api = api.unwrap_or_else(|| guess(&url.path));
        let (endpoint, models) = match api {
            Api::OpenAi => ("/chat/completions".to_owned(), "/models"),
            Api::Anthropic => ("/messages".to_owned(), "/models"),
            Api::Responses => ("/responses".to_owned(), "/models"),
            Api::Gemini => (format!("/models/{MODEL}:generateContent"), "/models"),
            Api::Ollama => ("/api/chat".to_owned(), "/api/tags"),
        };
        let base = without_models(base(&url.path, api));
        let query = url.query.as_deref().and_then(query_without_model);
        let at = |path: String| Url { path, query: query.clone(), fragment: None, ..url.clone() };
        Target {
            api,
            model_in_path: base.contains(MODEL) || endpoint.contains(MODEL),
            endpoint: at(format!("{base}{endpoint}")),
            models: at(format!("{base}{models}")),
        }
    }

    /// A valid request of `size` bytes, the shortest one when that is less. It asks for one token, should a relay
    /// take any name for a model after all.
    pub fn body(&self, size: usize) -> Vec<u8> {
        let with = |text: &str| match self.api {
            Api::OpenAi | Api::Anthropic => {
                format!(r#"{{"model":"{MODEL}","max_tokens":1,"messages":[{{"role":"user","content":"{text}"}}]}}"#)
            }
            // 16 is the least that is allowed.
            Api::Responses => format!(r#"{{"model":"{MODEL}","max_output_tokens":16,"input":"{text}"}}"#),
            Api::Gemini => {
                let content = format!(r#"[{{"role":"user","parts":[{{"text":"{text}"}}]}}]"#);
                format!(r#"{{"contents":{content},"generationConfig":{{"maxOutputTokens":1}}}}"#)
            }
            Api::Ollama => {
                let messages = format!(r#"[{{"role":"user","content":"{text}"}}]"#);
                format!(r#"{{"model":"{MODEL}","stream":false,"options":{{"num_predict":1}},"messages":{messages}}}"#)
            }
        };
        let length = size.saturating_sub(with("").len()).max(1);
        with(&text(length)).into_bytes()
    }
}

/// What the end of the path says; most relays follow OpenAI.
fn guess(path: &str) -> Api {
    let path = path.trim_end_matches('/');
    let ends = |ends: &[&str]| ends.iter().any(|end| path.ends_with(end));
    if path.contains(":generateContent") || path.contains(":streamGenerateContent") || ends(&["/v1beta"]) {
        Api::Gemini
    } else if ends(&["/api/chat", "/api/generate", "/api/tags"]) {
        Api::Ollama
    } else if ends(&["/messages"]) {
        Api::Anthropic
    } else if ends(&["/responses"]) {
        Api::Responses
    } else {
        Api::OpenAi
    }
}

/// The path without what belongs to an endpoint.
fn base(path: &str, api: Api) -> &str {
    let path = path.trim_end_matches('/');
    let ends: &[&str] = match api {
        Api::Gemini => return path.find("/models/").map_or(path, |end| &path[..end]).trim_end_matches("/models"),
        Api::Ollama => &["/api/chat", "/api/generate", "/api/tags", "/api"],
        Api::OpenAi | Api::Anthropic | Api::Responses => {
            &["/chat/completions", "/completions", "/messages", "/responses", "/models"]
        }
    };
    ends.iter().find_map(|end| path.strip_suffix(end)).unwrap_or(path)
}

/// The path with every segment that names a model replaced: a real one would run, and be billed.
fn without_models(path: &str) -> String {
    let mut before = "";
    let segments = path.split('/').map(|segment| {
        let names = !segment.is_empty() && NAMED_BEHIND.iter().any(|name| before.eq_ignore_ascii_case(name));
        before = segment;
        if names { MODEL } else { segment }
    });
    segments.collect::<Vec<_>>().join("/")
}

fn query_without_model(query: &str) -> Option<String> {
    let kept: Vec<&str> = query.split('&').filter(|pair| !pair.starts_with("model=")).collect();
    Some(kept.join("&")).filter(|query| !query.is_empty())
}

/// Words that nothing can have cached and that compress about twofold: a decoder that distrusts bodies which grow a
/// hundred times has no reason to refuse them.
fn text(length: usize) -> String {
    let mut text = String::with_capacity(length + 20);
    let mut random = Random::new(1);
    while text.len() < length {
        // Writing to a String does not fail.
        let _ = write!(text, "{:x} ", random.bits() >> 40);
    }
    text.truncate(length);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Endpoint and list for a URL, without what stands before the path.
    fn paths(url: &str, api: Option<Api>) -> (Api, String, String) {
        let target = Target::new(&Url::parse(url).expect("a URL"), api);
        (target.api, target.endpoint.target(), target.models.target())
    }

    #[test]
    fn a_base_and_an_endpoint_come_to_the_same() {
        for (base, endpoint, api, post, get) in [
            ("/v1", "/v1/chat/completions", Api::OpenAi, "/v1/chat/completions", "/v1/models"),
            ("/v1/", "/v1/models", Api::OpenAi, "/v1/chat/completions", "/v1/models"),
            ("/", "/chat/completions/", Api::OpenAi, "/chat/completions", "/models"),
            ("/v1/completions", "/v1/chat/completions", Api::OpenAi, "/v1/chat/completions", "/v1/models"),
            ("/a/v1/messages", "/a/v1/messages/", Api::Anthropic, "/a/v1/messages", "/a/v1/models"),
            ("/v1/responses", "/v1/responses", Api::Responses, "/v1/responses", "/v1/models"),
            ("/api/chat", "/api/tags", Api::Ollama, "/api/chat", "/api/tags"),
            (
                "/v1beta",
                "/v1beta/models/gemini-9:streamGenerateContent",
                Api::Gemini,
                "/v1beta/models/gzpost-check-no-such-model:generateContent",
                "/v1beta/models",
            ),
        ] {
            for path in [base, endpoint] {
                let expected = (api, post.to_owned(), get.to_owned());
                assert_eq!(paths(&format!("http://relay.example{path}"), None), expected, "{path}");
            }
        }
    }

    #[test]
    fn the_api_can_be_named() {
        let endpoint = |path: &str, api| paths(&format!("http://relay.example{path}"), Some(api)).1;
        assert_eq!(endpoint("/v1", Api::Anthropic), "/v1/messages");
        assert_eq!(endpoint("/v1/chat/completions", Api::Responses), "/v1/responses");
        assert_eq!(endpoint("", Api::Ollama), "/api/chat");
        assert_eq!(endpoint("/api", Api::Ollama), "/api/chat");
        assert_eq!(
            endpoint("/v1beta/models", Api::Gemini),
            "/v1beta/models/gzpost-check-no-such-model:generateContent"
        );
    }

    #[test]
    fn the_query_goes_along() {
        let (_, endpoint, models) = paths("http://relay.example/v1/chat/completions?api-version=1&model=gpt-9#f", None);
        assert_eq!(endpoint, "/v1/chat/completions?api-version=1");
        assert_eq!(models, "/v1/models?api-version=1");
    }

    #[test]
    fn no_model_that_exists_is_ever_named() {
        for url in [
            "/openai/deployments/gpt-9/chat/completions?api-version=1",
            "/openai/Deployments/gpt-9",
            "/v1/engines/gpt-9/completions",
            "/model/gpt-9/invoke",
            "/v1beta/models/gpt-9:generateContent",
            "/v1beta/models/gpt-9%3AgenerateContent",
            "/v1/projects/p/locations/l/publishers/google/models/gpt-9:streamGenerateContent?alt=sse&model=gpt-9",
        ] {
            let url = Url::parse(&format!("http://relay.example{url}")).expect("a URL");
            for api in [None].into_iter().chain(Api::CHOICES.map(|(_, api)| Some(api))) {
                let target = Target::new(&url, api);
                assert!(target.model_in_path, "{url:?} {api:?}");
                assert!(!target.endpoint.target().contains("gpt-9"), "{:?}", target.endpoint);
                assert!(!target.models.target().contains("gpt-9"), "{:?}", target.models);
            }
        }
    }

    #[test]
    fn bodies_are_json_of_the_size_asked_for() {
        for (name, api) in Api::CHOICES {
            let target = Target::new(&Url::parse("http://relay.example/v1").expect("a URL"), Some(api));
            for size in [0, 1000, 64_000] {
                let body = target.body(size);
                assert!(crate::body::json::is_json(&body), "{name}");
                assert!(body.len() == size || size == 0 && body.len() < 150, "{name}: {}", body.len());
                let text = String::from_utf8(body).expect("ASCII");
                assert_eq!(text.contains(MODEL), api != Api::Gemini, "{name}");
            }
        }
    }
}
