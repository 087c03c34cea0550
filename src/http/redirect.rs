//! The request that follows a redirect (RFC 9110, section 15.4): pure.

use super::credentials::{OF_REQUEST, basic};
use super::request::{FieldLine, Request};
use super::settings::Settings;
use super::url::{Scheme, Url};
use crate::error::{Error, Kind, Result};

/// Fields that describe content: they go when the content goes.
const OF_CONTENT: [&str; 6] =
    ["Content-Type", "Content-Length", "Content-Encoding", "Content-Language", "Transfer-Encoding", "Expect"];

/// The URL that a redirect leads to.
pub(super) fn target(location: &str, from: &Url, settings: &Settings) -> Result<Url> {
    let to = from.join(location, settings.path_as_is)?;
    if settings.https_only && to.scheme == Scheme::Http {
        let text = format!("redirect to {}: http is excluded by --proto or --proto-redir", to.redacted());
        return Err(Error::new(Kind::UnsupportedProtocol, text));
    }
    Ok(to)
}

/// The next request, and whether it still has the content, if there was any.
pub(super) fn next(request: &Request, posts: bool, status: u16, to: Url, settings: &Settings) -> (Request, bool) {
    let mut next = Request { url: to, target: None, ..request.clone() };
    if request.auto_referer {
        next.referer = Some(request.url.absolute());
    }
    let keep_post = match status {
        301 => settings.keep_post[0],
        302 => settings.keep_post[1],
        303 => settings.keep_post[2],
        _ => true,
    };
    let becomes_get = match status {
        303 => !keep_post && request.method != "HEAD",
        301 | 302 => !keep_post && posts,
        _ => false,
    };
    let with_content = !becomes_get;
    if becomes_get {
        // -X changes the word and nothing else, here too.
        if !request.method_forced {
            "GET".clone_into(&mut next.method);
        }
        next.content_type = None;
        next.fields.retain(|line| !names_any(line, &OF_CONTENT));
    }
    if next.url.origin() != request.url.origin() && !settings.location_trusted {
        next.authorization = None;
        next.cookie = None;
        next.fields.retain(|line| !names_any(line, &OF_REQUEST) && !names_any(line, &["Host"]));
    }
    let of_url = |part: &Option<String>| part.clone().unwrap_or_default();
    let (user, password) = (of_url(&next.url.user), of_url(&next.url.password));
    if !user.is_empty() || !password.is_empty() {
        next.authorization = Some(basic(&user, &password));
    }
    (next, with_content)
}

fn names_any(line: &FieldLine, names: &[&str]) -> bool {
    names.iter().any(|name| line.is(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(method: &str) -> Request {
        let set = |name: &str, value: &str| FieldLine::Set(name.to_owned(), value.to_owned());
        Request {
            fields: vec![set("Content-Encoding", "gzip"), set("X-Api-Key", "secret"), set("X-Other", "1")],
            authorization: Some("Bearer secret".to_owned()),
            cookie: Some("a=b".to_owned()),
            content_type: Some("application/json".to_owned()),
            ..Request::new(method, Url::parse("http://a.example/x").unwrap())
        }
    }

    fn names(request: &Request) -> Vec<&str> {
        request.fields.iter().map(FieldLine::name).collect()
    }

    fn follow(method: &str, status: u16, to: &str, settings: &Settings) -> (Request, bool) {
        next(&request(method), method == "POST", status, Url::parse(to).unwrap(), settings)
    }

    #[test]
    fn post_becomes_get_without_the_fields_of_content() {
        for status in [301, 302, 303] {
            let (next, content) = follow("POST", status, "http://a.example/y", &Settings::default());
            assert_eq!((next.method.as_str(), content, next.content_type.as_deref()), ("GET", false, None), "{status}");
            assert_eq!(names(&next), ["X-Api-Key", "X-Other"], "{status}");
        }
    }

    #[test]
    fn method_and_content_stay_on_307_308_and_on_request() {
        for status in [307, 308] {
            let (next, content) = follow("POST", status, "http://a.example/y", &Settings::default());
            assert_eq!((next.method.as_str(), content), ("POST", true), "{status}");
        }
        let keep = Settings { keep_post: [true; 3], ..Settings::default() };
        for status in [301, 302, 303] {
            assert!(follow("POST", status, "http://a.example/y", &keep).1, "{status}");
        }
        assert_eq!(follow("PUT", 302, "http://a.example/y", &Settings::default()).0.method, "PUT");
        assert_eq!(follow("PUT", 303, "http://a.example/y", &Settings::default()).0.method, "GET");
        assert_eq!(follow("HEAD", 303, "http://a.example/y", &Settings::default()).0.method, "HEAD");
    }

    #[test]
    fn a_word_of_the_users_stays_when_the_content_goes() {
        let forced = Request { method_forced: true, ..request("IGLOO") };
        let to = || Url::parse("http://a.example/y").unwrap();
        let (following, content) = next(&forced, true, 302, to(), &Settings::default());
        assert_eq!((following.method.as_str(), content), ("IGLOO", false));
        assert!(next(&forced, false, 302, to(), &Settings::default()).1);
    }

    #[test]
    fn credentials_of_the_new_url_count() {
        let (next, _) = follow("POST", 307, "http://u:p@b.example/", &Settings::default());
        assert_eq!(next.authorization.as_deref(), Some("Basic dTpw"));
    }

    #[test]
    fn credentials_stay_with_their_origin() {
        for to in ["http://b.example/", "https://a.example/", "http://a.example:8080/"] {
            let (next, _) = follow("POST", 307, to, &Settings::default());
            assert_eq!((next.authorization, next.cookie), (None, None), "{to}");
            assert_eq!(
                names(&follow("POST", 307, to, &Settings::default()).0),
                ["Content-Encoding", "X-Other"],
                "{to}"
            );
        }
        assert!(follow("POST", 307, "http://a.example:80/y", &Settings::default()).0.authorization.is_some());
        let trusted = Settings { location_trusted: true, ..Settings::default() };
        assert!(follow("POST", 307, "http://b.example/", &trusted).0.authorization.is_some());
    }
}
