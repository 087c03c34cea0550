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
use crate::http::head::{self, Head};

/// How long the content is held back for `100 Continue` when the user asked for it (curl's `--expect100-timeout`).
const CONTINUE_WAIT: Duration = Duration::from_secs(1);

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
    /// The head of another final answer, which is read beside the sending: a server that answers piece by piece reads
    /// no further until its answer is read. This many bytes of the content are left.
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
        let (mut early, mut tail) = (Early::Nothing, framed.tail);
        if framed.expects_continue {
            early = match self.write_out(exchange, &framed.head, &[])? {
                Early::Nothing => self.await_continue(exchange)?,
                _ => Early::Answered,
            };
        }
        if matches!(early, Early::Nothing) {
            let head = if framed.expects_continue { &[][..] } else { &framed.head };
            early = self.write_out(exchange, &[head, &framed.lead].concat(), bytes)?;
        }
        if matches!(early, Early::Nothing) && !tail.is_empty() {
            early = self.write_out(exchange, tail, &[])?;
            tail = &[];
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
            Early::Answered => self.stop_sending(exchange),
            Early::Answering(left) => {
                let from = bytes.len() - left;
                self.unsent = content.map(|content| Unsent { content, from, tail });
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
            if matches!(self.early(head, content), Early::Nothing) {
                let ready = exchange.watch.wait_for(&self.channel.socket, PollFlags::IN | PollFlags::OUT)?;
                if ready.intersects(PollFlags::IN | PollFlags::HUP | PollFlags::ERR) {
                    match self.receive(exchange) {
                        Ok(Some(0)) => return Ok(Early::Answered),
                        Ok(_) => {}
                        Err(error) => return self.broken_while_sending(exchange, &error),
                    }
                }
            }
            match self.early(head, content) {
                Early::Nothing => {}
                early => return Ok(early),
            }
        }
    }

    /// The answer is complete. What is left of the request goes out all the same, as in curl, unless the server closes
    /// the connection: nobody reads on then.
    pub(super) fn finish_sending(&mut self, exchange: &mut Exchange) -> Result<()> {
        while self.unsent.is_some() {
            if self.closing {
                self.stop_sending(exchange);
                break;
            }
            let ready = exchange.watch.wait_for(&self.channel.socket, PollFlags::IN | PollFlags::OUT)?;
            if ready.intersects(PollFlags::IN | PollFlags::HUP | PollFlags::ERR) {
                match self.receive(exchange) {
                    Ok(None) => {}
                    // Nothing belongs behind an answer.
                    Ok(Some(1..)) => {
                        self.spent = true;
                        self.input.skip(self.input.len());
                    }
                    Ok(Some(0)) | Err(_) => self.closing = true,
                }
            }
            self.send_more(exchange);
        }
        Ok(())
    }

    /// The rest of the request is not wanted.
    fn stop_sending(&mut self, exchange: &mut Exchange) {
        (self.spent, self.unsent) = (true, None);
        exchange.watch.note(|| "the server answered before the request was sent; sending stopped".to_owned());
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
            exchange.send_buffer = self.channel.socket.send_buffer();
        }
    }

    /// The peer is gone: what it said before that counts, if it said anything.
    fn broken_while_sending(&mut self, exchange: &mut Exchange, error: &io::Error) -> Result<Early> {
        while let Ok(Some(1..)) = self.receive(exchange) {}
        if self.input.is_empty() { Err(fault::io_error(Phase::Send, error, &self.whom)) } else { Ok(Early::Answered) }
    }

    /// What has arrived, with this much of head and content left.
    fn early(&self, head: &[u8], content: &[u8]) -> Early {
        let accepted = if head.is_empty() { Early::Answering(content.len()) } else { Early::Nothing };
        let bytes = &self.input.bytes()[head::answer_start(self.input.bytes(), 0)..];
        match head::find_end(bytes, 0).map(|end| Head::parse(&bytes[..end])) {
            Some(Ok(head)) if head.status < 300 => accepted,
            Some(_) => Early::Answered,
            // Too much for heads, which is told by whoever reads them.
            None if self.input.len() > head::MAX_HEAD => accepted,
            None => Early::Nothing,
        }
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
