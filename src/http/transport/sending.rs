//! Sends a request and watches for what the server says meanwhile.

use std::io;
use std::os::fd::AsFd;
use std::sync::Arc;
use std::time::Duration;

use rustix::event::PollFlags;

use super::Transport;
use crate::body::Content;
use crate::error::Result;
use crate::http::exchange::{ContentSent, Exchange, Outgoing};
use crate::http::fault::{self, Phase};
use crate::http::head::{self, Framing, Head};

/// How long the content is held back for `100 Continue` when the user asked for it (curl's `--expect100-timeout`).
const CONTINUE_WAIT: Duration = Duration::from_secs(1);

/// How much of an answer is kept back while the request is sent, in bytes; what comes with more is read beside the
/// sending, as a server that answers piece by piece reads no further until its answer is read.
const EARLY_ANSWER: usize = 1024 * 1024;

/// The rest of a request.
#[derive(Debug)]
pub(super) struct Unsent {
    content: Arc<Content>,
    /// Where in the content it begins.
    from: usize,
    tail: &'static [u8],
}

/// What was seen while sending.
enum Early {
    /// Nothing that matters: go on.
    Nothing,
    /// A final answer that refuses the request, or the end of the stream.
    Answered,
    /// So much of an answer that it is read first; this many bytes of the content are left.
    Answering(usize),
}

impl Transport {
    /// Sends the request of the exchange.
    pub(super) fn send(&mut self, exchange: &mut Exchange) -> Result<()> {
        let Some(Outgoing { request, content, .. }) = exchange.outgoing.take() else { return Ok(()) };
        exchange.connection = Some(self.connection.clone());
        self.phase = Phase::Send;
        (self.rest, self.unsent) = (None, None);
        (self.searched, self.heads) = (0, 0);
        self.asked_for_head = request.head || request.method == "HEAD";
        let content = match content {
            Some(pending) => Some(pending.wait(|done| exchange.watch.wait_for(done, PollFlags::IN).map(|_| ()))?),
            None => None,
        };
        let framed = request.head(self.via.as_ref(), &self.link.settings, content.as_deref());
        if let Some(content) = &content {
            exchange.size_body = content.size_body;
            exchange.content_sent = Some(ContentSent { coding: content.coding, compress: content.compress });
        }
        let bytes = content.as_ref().map_or(&[][..], |content| &content.bytes);
        exchange.watch.progress.to_upload = bytes.len() as u64;
        exchange.timings.pretransfer = Some(exchange.clock.elapsed());
        let mut early = Early::Nothing;
        if framed.expects_continue {
            early = self.write_out(exchange, &framed.head, &[])?;
            if matches!(early, Early::Nothing) {
                early = self.await_continue(exchange)?;
            }
        }
        if matches!(early, Early::Nothing) {
            let head = if framed.expects_continue { &[][..] } else { &framed.head };
            early = self.write_out(exchange, &[head, &framed.lead].concat(), bytes)?;
        }
        if matches!(early, Early::Nothing) && !framed.tail.is_empty() {
            early = self.write_out(exchange, framed.tail, &[])?;
        }
        exchange.size_request += framed.head.len() as u64;
        if exchange.watch.observer.verbose() {
            exchange.watch.observer.sent(&framed.head);
        }
        match early {
            Early::Nothing => {
                exchange.timings.posttransfer = Some(exchange.clock.elapsed());
                exchange.send_buffer = self.channel.socket.send_buffer();
            }
            Early::Answered => {
                self.spent = true;
                exchange.watch.note(|| "the server answered before the request was sent; sending stopped".to_owned());
            }
            Early::Answering(left) => {
                let from = bytes.len() - left;
                self.unsent = content.map(|content| Unsent { content, from, tail: framed.tail });
            }
        }
        self.phase = Phase::Wait;
        Ok(())
    }

    /// Writes both, reading whatever arrives meanwhile.
    fn write_out(&mut self, exchange: &mut Exchange, mut head: &[u8], mut content: &[u8]) -> Result<Early> {
        loop {
            match self.channel.write(head, content) {
                Ok(bytes) => {
                    let of_head = bytes.min(head.len());
                    let of_content = bytes - of_head;
                    (head, content) = (&head[of_head..], &content[of_content..]);
                    exchange.watch.progress.uploaded += of_content as u64;
                    if head.is_empty() && content.is_empty() && self.channel.is_flushed() {
                        return Ok(Early::Nothing);
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return self.broken_while_sending(exchange, &error),
            }
            if self.input.len() >= EARLY_ANSWER && head.is_empty() {
                return Ok(Early::Answering(content.len()));
            }
            let ready = exchange.watch.wait_for(&self.channel.socket, PollFlags::IN | PollFlags::OUT)?;
            if ready.intersects(PollFlags::IN | PollFlags::HUP | PollFlags::ERR) {
                match self.receive(exchange) {
                    Ok(Some(0)) => return Ok(Early::Answered),
                    Ok(_) if self.refused() => return Ok(Early::Answered),
                    Ok(_) => {}
                    Err(error) => return self.broken_while_sending(exchange, &error),
                }
            }
        }
    }

    /// Sends more of what is left, as much as goes without waiting.
    pub(super) fn send_more(&mut self, exchange: &mut Exchange) {
        let Some(Unsent { content, from, tail }) = &mut self.unsent else { return };
        let rest = &content.bytes[*from..];
        let sent = if rest.is_empty() { self.channel.write(tail, &[]) } else { self.channel.write(&[], rest) };
        match sent {
            Ok(bytes) if rest.is_empty() => *tail = &tail[bytes..],
            Ok(bytes) => {
                *from += bytes;
                exchange.watch.progress.uploaded += bytes as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
            // What the peer has to say is still read.
            Err(_) => (self.spent, self.unsent) = (true, None),
        }
        let done = |unsent: &Unsent| unsent.from == unsent.content.bytes.len() && unsent.tail.is_empty();
        if self.unsent.as_ref().is_some_and(done) && self.channel.is_flushed() {
            self.unsent = None;
            exchange.timings.posttransfer = Some(exchange.clock.elapsed());
        }
    }

    /// The peer is gone: what it said before that counts, if it said anything.
    fn broken_while_sending(&mut self, exchange: &mut Exchange, error: &io::Error) -> Result<Early> {
        while let Ok(Some(1..)) = self.receive(exchange) {}
        if self.input.is_empty() { Err(fault::io_error(Phase::Send, error, &self.whom)) } else { Ok(Early::Answered) }
    }

    /// Whether a final answer of 300 or above, or one that is over, is among what has arrived.
    fn refused(&self) -> bool {
        let bytes = &self.input.bytes()[head::answer_start(self.input.bytes(), 0)..];
        let Some(end) = head::find_end(bytes, 0) else { return false };
        Head::parse(&bytes[..end]).map_or(true, |head| head.status >= 300 || self.is_over(&head, bytes.len() - end))
    }

    /// Whether an answer is complete with this much content and closes the connection: nobody reads on, as in curl.
    fn is_over(&self, head: &Head, content: usize) -> bool {
        let complete = |framing: &Framing| match framing {
            Framing::NoContent => true,
            Framing::Length(length) => content as u64 >= *length,
            Framing::Chunked | Framing::UntilClose => false,
        };
        let framing = head.framing(self.asked_for_head, self.link.settings.ignore_content_length);
        framing.is_ok_and(|framing| complete(&framing) && !head.keep_alive(framing))
    }

    /// Waits for `100 Continue`; any final answer stops the content.
    fn await_continue(&mut self, exchange: &mut Exchange) -> Result<Early> {
        let until = exchange.watch.clock.elapsed() + CONTINUE_WAIT;
        loop {
            if let Some(end) = head::find_end(self.input.bytes(), 0) {
                let interim = Head::parse(&self.input.bytes()[..end]).is_ok_and(|head| head.is_interim());
                return Ok(if interim { Early::Nothing } else { Early::Answered });
            }
            let left = until.saturating_sub(exchange.watch.clock.elapsed());
            if left.is_zero() {
                return Ok(Early::Nothing);
            }
            exchange.watch.wait(&[(self.channel.socket.as_fd(), PollFlags::IN)], Some(left))?;
            match self.receive(exchange) {
                Ok(Some(0)) => return Ok(Early::Answered),
                Ok(_) => {}
                Err(error) => return self.broken_while_sending(exchange, &error),
            }
        }
    }
}
