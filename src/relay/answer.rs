//! Answers of the relay: status codes, error bodies as real servers write them, and how they go out.

use std::fmt::Write as _;
use std::io::{self, Write};

/// An answer with its content in one piece.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Answer {
    /// The status code; one that `reason` knows.
    pub status: u16,
    /// The Content-Type.
    pub content_type: &'static str,
    /// A further field line with its CRLF, or nothing.
    pub field: &'static str,
    /// What follows the head.
    pub content: String,
}

impl Answer {
    /// An answer in JSON.
    pub fn json(status: u16, content: String) -> Answer {
        Answer { status, content_type: "application/json", field: "", content }
    }

    /// An error as chat completion APIs write it.
    pub fn error(status: u16, message: &str) -> Answer {
        let kind = if status < 500 { "invalid_request_error" } else { "server_error" };
        Answer::error_of(status, message, kind, None)
    }

    /// An error with a code.
    pub fn coded(status: u16, message: &str, code: &str) -> Answer {
        Answer::error_of(status, message, "invalid_request_error", Some(code))
    }

    fn error_of(status: u16, message: &str, kind: &str, code: Option<&str>) -> Answer {
        let message = quoted(message);
        let code = code.map_or("null".to_owned(), quoted);
        let content = format!(r#"{{"error":{{"message":{message},"type":"{kind}","param":null,"code":{code}}}}}"#);
        Answer::json(status, content)
    }

    /// The answer of a Python framework to a body that is no text.
    pub fn not_text() -> Answer {
        Answer::json(400, r#"{"detail":"There was an error parsing the body"}"#.into())
    }

    /// RFC 9110, section 15.5.16: a 415 because of the content coding says which one would do.
    pub fn unknown_coding(coding: &str) -> Answer {
        let answer = Answer::error(415, &format!("the content coding '{coding}' is not supported"));
        Answer { field: "Accept-Encoding: gzip\r\n", ..answer }
    }

    /// A server that takes no content coding at all.
    pub fn no_coding() -> Answer {
        let answer = Answer::error(415, "Unsupported Media Type");
        Answer { field: "Accept-Encoding: identity\r\n", ..answer }
    }

    /// A missing or wrong key.
    pub fn unauthorized() -> Answer {
        let answer = Answer::coded(401, "the API key is missing or wrong", "invalid_api_key");
        Answer { field: "WWW-Authenticate: Bearer\r\n", ..answer }
    }

    /// A path that exists with another method.
    pub fn wrong_method(method: &str, allow: &'static str) -> Answer {
        Answer { field: allow, ..Answer::error(405, &format!("the method {method} is not allowed here")) }
    }

    /// The page of a gateway whose relay is down.
    pub fn html() -> Answer {
        let content = "<!DOCTYPE html>\n<html>\n<head><title>502 Bad Gateway</title></head>\n\
                       <body>\n<h1>502 Bad Gateway</h1>\n<p>The relay behind this gateway did not answer.</p>\n\
                       </body>\n</html>\n";
        Answer { status: 502, content_type: "text/html; charset=utf-8", field: "", content: content.into() }
    }

    /// Writes head and content in one piece.
    pub fn write(&self, out: &mut dyn Write, manner: Manner) -> io::Result<()> {
        let mut text = head(self.status, self.content_type, manner);
        // Writing to a String does not fail.
        let _ = write!(text, "{}Content-Length: {}\r\n\r\n", self.field, self.content.len());
        if !manner.head_only {
            text.push_str(&self.content);
        }
        out.write_all(text.as_bytes())
    }
}

/// What a request and its connection ask of the answer's form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Manner {
    /// The request was HEAD: no content follows.
    pub head_only: bool,
    /// The request was HTTP/1.0: no chunks, and a connection that stays has to be announced.
    pub http10: bool,
    /// The connection stays open.
    pub keep: bool,
}

impl Manner {
    /// For a request that could not be read.
    pub const CLOSE: Manner = Manner { head_only: false, http10: false, keep: false };
}

/// The head without its framing and its empty line.
pub(super) fn head(status: u16, content_type: &str, manner: Manner) -> String {
    let connection = match (manner.keep, manner.http10) {
        (true, false) => "",
        (true, true) => "Connection: keep-alive\r\n",
        (false, _) => "Connection: close\r\n",
    };
    let reason = reason(status);
    format!("HTTP/1.1 {status} {reason}\r\nServer: gzpost demo\r\n{connection}Content-Type: {content_type}\r\n")
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        400 => "Bad Request",
        401 => "Unauthorized",
        404 => "Not Found",
        405 => "Method Not Allowed",
        413 => "Content Too Large",
        415 => "Unsupported Media Type",
        417 => "Expectation Failed",
        431 => "Request Header Fields Too Large",
        500 => "Internal Server Error",
        501 => "Not Implemented",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        505 => "HTTP Version Not Supported",
        _ => "",
    }
}

/// A text as JSON.
pub(super) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
