//! Content that is made on a thread of its own while the connection is.

use std::cell::OnceCell;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use super::{Body, BodyOptions, Content, GZIP_THRESHOLD, prepare};
use crate::error::{Error, Kind, Result};

/// Content that is there or will be.
#[derive(Debug)]
pub struct Pending {
    worker: Receiver<Result<Content>>,
    ready: OnceCell<Result<Arc<Content>>>,
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
        let (sender, worker) = mpsc::sync_channel(1);
        let large = body.bytes.len() >= GZIP_THRESHOLD;
        let work = move || {
            let content = prepare(body, &options, content_type.as_deref(), content_encoding.as_deref());
            // Nobody listens any more when the transfer was given up.
            let _ = sender.send(content);
        };
        if large {
            // Where no thread is to be had the sender is dropped, and `wait` says so.
            let _ = thread::Builder::new().spawn(work);
        } else {
            work();
        }
        Pending { worker, ready: OnceCell::new() }
    }

    /// Content that is there already.
    #[must_use]
    pub fn ready(content: Arc<Content>) -> Pending {
        Pending { worker: mpsc::sync_channel(1).1, ready: OnceCell::from(Ok(content)) }
    }

    /// The content, once it is checked and coded; after `limit` from now, `Kind::Timeout`.
    ///
    /// May be called again, after a timeout too.
    pub fn wait(&self, limit: Option<Duration>) -> Result<Arc<Content>> {
        if let Some(ready) = self.ready.get() {
            return ready.clone();
        }
        let received = match limit {
            Some(limit) => self.worker.recv_timeout(limit),
            None => self.worker.recv().map_err(RecvTimeoutError::from),
        };
        let ready = match received {
            Ok(result) => result.map(Arc::new),
            Err(RecvTimeoutError::Timeout) => {
                return Err(Error::new(Kind::Timeout, "timed out while the body was being compressed"));
            }
            Err(RecvTimeoutError::Disconnected) => {
                Err(Error::new(Kind::Read, "the thread that compresses the body could not run"))
            }
        };
        self.ready.get_or_init(|| ready).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::{Coding, Declared};

    fn start(bytes: Vec<u8>) -> Pending {
        let body = Body { bytes, name: "body.json".to_owned(), declared: Declared::Json };
        Pending::start(body, BodyOptions::default(), None, None)
    }

    #[test]
    fn the_same_content_comes_at_every_wait() {
        for (len, coding) in [(2, Coding::Identity), (300_000, Coding::Gzip)] {
            let pending = start(format!("[{}]", " ".repeat(len)).into_bytes());
            let first = pending.wait(None).expect("JSON");
            assert_eq!(first.coding, coding);
            let again = pending.wait(Some(Duration::ZERO)).expect("it is there");
            assert!(Arc::ptr_eq(&first, &again));
        }
    }

    #[test]
    fn an_error_comes_at_every_wait() {
        for len in [2, 300_000] {
            let pending = start(format!("[{}", " ".repeat(len)).into_bytes());
            let error = pending.wait(None).expect_err("no JSON");
            assert_eq!(error.kind, Kind::Read);
            assert_eq!(pending.wait(Some(Duration::ZERO)), Err(error));
        }
    }

    #[test]
    fn a_timeout_is_not_the_last_word() {
        let (sender, worker) = mpsc::sync_channel(1);
        let pending = Pending { worker, ready: OnceCell::new() };
        assert_eq!(pending.wait(Some(Duration::ZERO)).expect_err("nothing yet").kind, Kind::Timeout);
        let content = start(b"{}".to_vec()).wait(None).expect("JSON");
        sender.send(Ok(Content::clone(&content))).expect("it is listening");
        assert_eq!(pending.wait(Some(Duration::ZERO)), Ok(content));
    }

    #[test]
    fn a_worker_that_is_gone_is_an_error_and_not_a_hang() {
        let pending = Pending { worker: mpsc::sync_channel(1).1, ready: OnceCell::new() };
        assert_eq!(pending.wait(None).expect_err("nobody sends").kind, Kind::Read);
    }

    #[test]
    fn content_that_is_there_needs_no_thread() {
        let content = start(b"{}".to_vec()).wait(None).expect("JSON");
        assert!(Arc::ptr_eq(&Pending::ready(content.clone()).wait(None).expect("there"), &content));
    }
}
