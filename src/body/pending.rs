//! Content that is made on a thread of its own while the connection is.

use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use super::{Body, BodyOptions, Content, GZIP_THRESHOLD, prepare};
use crate::error::{Error, Kind, Result, describe};

/// Content that is there or will be.
#[derive(Debug)]
pub struct Pending(Mutex<State>);

#[derive(Debug)]
enum State {
    Ready(Result<Arc<Content>>),
    /// The other end of the stream is dropped when the thread has finished.
    Running(JoinHandle<Result<Content>>, UnixStream),
}

impl Pending {
    /// Begins to `prepare` a body: on its own thread when it is large enough for gzip, else at once.
    #[must_use]
    pub fn start(
        body: Body,
        options: BodyOptions,
        content_type: Option<String>,
        content_encoding: Option<String>,
    ) -> Pending {
        let large = body.bytes.len() >= GZIP_THRESHOLD;
        let work = move || prepare(body, &options, content_type.as_deref(), content_encoding.as_deref());
        let state = if large {
            spawn(work).unwrap_or_else(|error| {
                State::Ready(Err(Error::new(
                    Kind::Read,
                    format!("no thread to compress the body on: {}", describe(&error)),
                )))
            })
        } else {
            State::Ready(work().map(Arc::new))
        };
        Pending(Mutex::new(state))
    }

    /// Content that is there already.
    #[must_use]
    pub fn ready(content: Arc<Content>) -> Pending {
        Pending(Mutex::new(State::Ready(Ok(content))))
    }

    /// Why there will be no content, when that is known already.
    #[must_use]
    pub fn failed(&self) -> Option<Error> {
        match &*self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            State::Ready(Err(error)) => Some(error.clone()),
            _ => None,
        }
    }

    /// The content, when it is there already.
    #[must_use]
    pub fn made(&self) -> Option<Arc<Content>> {
        match &*self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            State::Ready(Ok(content)) => Some(Arc::clone(content)),
            _ => None,
        }
    }

    /// The content, once it is checked and coded. `until_done` blocks until its argument is at its end, and may give
    /// up with an error; then the content can still be asked for again.
    pub fn wait(&self, until_done: impl FnOnce(&UnixStream) -> Result<()>) -> Result<Arc<Content>> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let State::Running(_, done) = &*state {
            until_done(done)?;
        }
        let lost = || Err(Error::new(Kind::Read, "the thread that compresses the body failed"));
        let ready = match std::mem::replace(&mut *state, State::Ready(lost())) {
            State::Ready(ready) => ready,
            State::Running(thread, _) => thread.join().map_or_else(|_| lost(), |content| content.map(Arc::new)),
        };
        *state = State::Ready(ready.clone());
        ready
    }
}

fn spawn(work: impl FnOnce() -> Result<Content> + Send + 'static) -> std::io::Result<State> {
    let (done, finished) = UnixStream::pair()?;
    let thread = thread::Builder::new().spawn(move || {
        let content = work();
        drop(finished);
        content
    })?;
    Ok(State::Running(thread, done))
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;
    use crate::body::{Coding, Declared};

    fn start(bytes: Vec<u8>) -> Pending {
        let body = Body { bytes, name: "body.json".to_owned(), declared: Declared::Json };
        Pending::start(body, BodyOptions::default(), None, None)
    }

    fn to_the_end(mut done: &UnixStream) -> Result<()> {
        let read = done.read(&mut [0]).map_err(|error| Error::new(Kind::Read, error.to_string()))?;
        assert_eq!(read, 0);
        Ok(())
    }

    #[test]
    fn the_same_content_comes_at_every_wait() {
        for (len, coding) in [(2, Coding::Identity), (300_000, Coding::Gzip)] {
            let pending = start(format!("[{}]", " ".repeat(len)).into_bytes());
            let first = pending.wait(to_the_end).expect("JSON");
            assert_eq!(first.coding, coding);
            let again = pending.wait(|_| unreachable!("it is there")).expect("it is there");
            assert!(Arc::ptr_eq(&first, &again));
        }
    }

    #[test]
    fn an_error_comes_at_every_wait() {
        for len in [2, 300_000] {
            let pending = start(format!("[{}", " ".repeat(len)).into_bytes());
            let error = pending.wait(to_the_end).expect_err("no JSON");
            assert_eq!(error.kind, Kind::Read);
            assert_eq!(pending.wait(to_the_end), Err(error));
        }
    }

    #[test]
    fn giving_up_is_not_the_last_word() {
        let pending = start(format!("[{}]", " ".repeat(300_000)).into_bytes());
        let timeout = || Err(Error::new(Kind::Timeout, "too late"));
        assert_eq!(pending.wait(|_| timeout()), Err(Error::new(Kind::Timeout, "too late")));
        assert!(pending.wait(to_the_end).is_ok());
    }
}
