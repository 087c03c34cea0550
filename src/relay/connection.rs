//! One connection: requests in, costs paid, answers out, until either side has had enough.

use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use super::answer::{Answer, Manner};
use super::chat::{self, Chat, Completion};
use super::request::{Body, Content, Framing, Head, Unread, read_body};
use super::{Behave, Shared};
use crate::http::timing::Clock;

/// A connection on which nothing arrives, or nothing can be written, for this long is closed.
const IDLE: Duration = Duration::from_secs(30);
/// How long the rest of a refused content is read before the connection is closed, and how long it may pause.
const LINGER: (Duration, Duration) = (Duration::from_secs(10), Duration::from_millis(500));

/// Serves a connection until it ends.
pub(super) fn serve(shared: &Shared, stream: &TcpStream) {
    // A failure here or in an exchange is the peer's going away: nobody is left to be told.
    let ready = stream
        .set_nodelay(true)
        .and_then(|()| stream.set_read_timeout(Some(IDLE)))
        .and_then(|()| stream.set_write_timeout(Some(IDLE)));
    if ready.is_ok() {
        let mut input = BufReader::with_capacity(64 * 1024, stream);
        while matches!(exchange(shared, stream, &mut input), Ok(true)) {}
    }
    linger(stream);
}

/// Closes so that the last answer is read: unread bytes would make the kernel reset the connection, and the
/// answer would be lost (RFC 9112, section 9.6).
fn linger(mut stream: &TcpStream) {
    let (longest, pause) = LINGER;
    let ready = stream.shutdown(Shutdown::Write).and_then(|()| stream.set_read_timeout(Some(pause)));
    let clock = Clock::start();
    let mut scrap = [0; 16 * 1024];
    if ready.is_ok() {
        while clock.elapsed() < longest && matches!(stream.read(&mut scrap), Ok(1..)) {}
    }
    // The registry of connections still has the stream: without this the peer would wait for it.
    let _ = stream.shutdown(Shutdown::Both);
}

/// One request and its answer; says whether the connection stays.
fn exchange(shared: &Shared, mut out: &TcpStream, input: &mut BufReader<&TcpStream>) -> io::Result<bool> {
    let head = match Head::read(input)? {
        None => return Ok(false),
        Some(Err(answer)) => return answer.write(&mut out, Manner::CLOSE).map(|()| false),
        Some(Ok(head)) => head,
    };
    let number = {
        let mut state = shared.lock();
        state.requests += 1;
        state.requests
    };
    let mut content = Content::new(input, head.framing, shared.config.max_content);
    let reply = match route(shared, &head) {
        Err(answer) => {
            shared.pause(shared.cost(0));
            Reply::Whole(answer)
        }
        Ok(route) => {
            if head.expects {
                out.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
            }
            answer_content(shared, &head, route, &mut content)?
        }
    };
    let keep = head.keep_alive && content.ended();
    let manner = Manner { head_only: head.method == "HEAD", http10: head.http10, keep };
    match reply {
        Reply::Whole(answer) => answer.write(&mut out, manner).map(|()| keep),
        Reply::Chat(chat) if chat.stream => chat.write_events(shared, number, &mut out, manner),
        Reply::Chat(chat) => chat.whole(shared, number).write(&mut out, manner).map(|()| keep),
    }
}

/// What goes back.
enum Reply {
    Whole(Answer),
    Chat(Completion),
}

/// What a path stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Route {
    Models,
    Chat,
}

/// Finds what is asked for, or refuses on the head alone; the content is left unread then.
fn route(shared: &Shared, head: &Head) -> Result<Route, Answer> {
    let behave = shared.config.behave;
    match behave {
        Behave::Unauthorized => return Err(Answer::unauthorized()),
        Behave::Html => return Err(Answer::html()),
        _ => {}
    }
    let route = match (head.path.strip_prefix("/v1").unwrap_or(&head.path), head.method.as_str()) {
        ("/models", "GET" | "HEAD") if behave != Behave::NoModels => Route::Models,
        ("/models", method) if behave != Behave::NoModels => {
            return Err(Answer::wrong_method(method, "Allow: GET, HEAD\r\n"));
        }
        ("/chat/completions", "POST") => Route::Chat,
        ("/chat/completions", method) => return Err(Answer::wrong_method(method, "Allow: POST\r\n")),
        _ => return Err(Answer::error(404, &format!("there is nothing at {} {}", head.method, head.path))),
    };
    match head.coding.as_str() {
        "identity" => {}
        _ if behave == Behave::Reject415 => return Err(Answer::no_coding()),
        "gzip" | "x-gzip" => {}
        _ if matches!(behave, Behave::Reject400 | Behave::Reject500 | Behave::Ignore) => {}
        other => return Err(Answer::unknown_coding(other)),
    }
    match head.framing {
        Framing::Length(length) if length > shared.config.max_content => Err(too_large(shared)),
        _ => Ok(route),
    }
}

/// Reads the content, pays for it and answers it; an error when the connection is lost.
fn answer_content<R: BufRead>(
    shared: &Shared,
    head: &Head,
    route: Route,
    content: &mut Content<'_, R>,
) -> io::Result<Reply> {
    let body = match decode(shared, head, content) {
        Ok(body) => Ok(body),
        Err(Refused::AtOnce(answer)) => return Ok(Reply::Whole(answer)),
        Err(Refused::Paid(answer)) => {
            // The decoder may have given up early: the rest is received, and costs, all the same.
            io::copy(content, &mut io::sink())?;
            Err(answer)
        }
        Err(Refused::Connection(error)) => return Err(error),
    };
    let received = content.received;
    shared.pause_until(content.last_byte, shared.cost(received));
    let body = match body {
        Ok(body) => body,
        Err(answer) => return Ok(Reply::Whole(answer)),
    };
    if route == Route::Models {
        return Ok(Reply::Whole(chat::models()));
    }
    let gzip = (head.coding != "identity").then_some(received);
    Ok(match Chat::parse(&body.bytes, shared.config.behave == Behave::Ignore) {
        Ok(chat) => Reply::Chat(Completion::new(shared, &chat, body.bytes.len() as u64, gzip)),
        Err(answer) => Reply::Whole(answer),
    })
}

/// Why a content gets no further.
enum Refused {
    /// Nothing more is read.
    AtOnce(Answer),
    /// The answer comes when the content has been received and paid for.
    Paid(Answer),
    /// There is nobody to answer.
    Connection(io::Error),
}

fn decode<'s, R: BufRead>(shared: &'s Shared, head: &Head, content: &mut Content<'_, R>) -> Result<Body<'s>, Refused> {
    let coded = head.coding != "identity";
    match shared.config.behave {
        Behave::Reject400 if coded => return Err(Refused::Paid(Answer::not_text())),
        Behave::Reject500 if coded => return Err(Refused::Paid(Answer::error(500, "Internal Server Error"))),
        _ => {}
    }
    let limit = shared.config.max_content;
    let gzip = coded && shared.config.behave != Behave::Ignore;
    read_body(content, gzip, limit, &shared.held).map_err(|unread| match unread {
        Unread::TooLarge => Refused::AtOnce(too_large(shared)),
        Unread::Busy => Refused::AtOnce(Answer::error(503, "too many large requests at a time")),
        Unread::Failed(error) if !content.broken => {
            Refused::Paid(Answer::error(400, &format!("the content is not valid gzip: {error}")))
        }
        Unread::Failed(error) => match error.kind() {
            ErrorKind::FileTooLarge => Refused::AtOnce(too_large(shared)),
            ErrorKind::InvalidData => Refused::AtOnce(Answer::error(400, "bad request: chunks out of form")),
            _ => Refused::Connection(error),
        },
    })
}

fn too_large(shared: &Shared) -> Answer {
    Answer::error(413, &format!("the content is larger than {} bytes", shared.config.max_content))
}
