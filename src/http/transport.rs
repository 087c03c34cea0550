//! The engine's transport: sends the whole request at once, watches for an early answer while doing so, and hands
//! the engine heads that it can always read.
//!
//! The engine (ureq) writes a head of its own, which is dropped: the request's real head and content are taken from
//! the exchange. Sending both from here is what makes one write of head and first content, a watch for answers
//! during the upload and exact control of the head possible. Of an answer's head the engine sees only what it must,
//! so its limits (128 fields, no folded lines, no fields in a 100) do not show. Content goes past it, through the
//! exchange, as the engine would copy it: it is shown a byte for each piece.

mod sending;

use std::io;
use std::sync::Arc;

use rustix::event::PollFlags;
use ureq::unversioned::transport::{Buffers, NextTimeout, Transport as EngineTransport};

use super::channel::Channel;
use super::chunked::Dechunker;
use super::exchange::{Connection, Exchange, Link};
use super::fault::{self, Phase};
use super::head::{self, Framing, Head};
use super::input::Input;
use super::settings::Proxy;
use crate::error::{Error, Kind, Result};
use sending::Unsent;

/// A connection under the engine.
#[derive(Debug)]
pub(super) struct Transport {
    channel: Channel,
    connection: Connection,
    /// The peer, as messages name it.
    whom: String,
    /// The proxy that is asked for whole URLs, when there is one in between without a tunnel.
    via: Option<Proxy>,
    link: Arc<Link>,
    input: Input,
    phase: Phase,
    /// The request was cut short or the stream is at its end: never used again.
    spent: bool,
    /// How far the search for the end of the head has come.
    searched: usize,
    /// The request's method is HEAD: its answer has no content.
    asked_for_head: bool,
    /// What is to come of the content.
    rest: Option<Rest>,
    /// Bytes of the heads of this answer, interim ones included.
    heads: usize,
    /// What is left to send while the answer is read already.
    unsent: Option<Unsent>,
    /// The answer is the last one on this connection.
    closing: bool,
}

/// How the end of content is known.
#[derive(Debug)]
enum Rest {
    /// This many bytes are to come.
    Length(u64),
    Chunks(Dechunker),
    UntilClose,
}

/// What the engine is shown, in chunked framing, for a piece of content, and for the end.
const PIECE: &[u8] = b"1\r\n.\r\n";
const END: &[u8] = b"0\r\n\r\n";

impl Transport {
    pub fn new(
        channel: Channel,
        connection: Connection,
        whom: String,
        via: Option<Proxy>,
        link: Arc<Link>,
    ) -> Transport {
        Transport {
            channel,
            connection,
            whom,
            via,
            link,
            input: Input::default(),
            phase: Phase::Send,
            spent: false,
            searched: 0,
            asked_for_head: false,
            rest: None,
            heads: 0,
            unsent: None,
            closing: false,
        }
    }

    /// Reads once without blocking: `None` when nothing is there, 0 at the end of the stream.
    fn receive(&mut self, exchange: &mut Exchange) -> io::Result<Option<usize>> {
        let before = self.input.len();
        let read = match self.channel.read(self.input.room()) {
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(None),
            Err(error) => return Err(error),
        };
        self.input.filled(read);
        self.spent |= read == 0;
        if read > 0 && self.phase != Phase::Content {
            // A 1xx is not the answer; what came behind it in the same read is.
            let start = head::answer_start(self.input.bytes(), self.searched);
            if before <= start {
                exchange.timings.starttransfer = (self.input.len() > start).then(|| exchange.clock.elapsed());
            }
        }
        Ok(Some(read))
    }

    /// Waits until something has arrived; false at the end of the stream.
    fn receive_some(&mut self, exchange: &mut Exchange) -> Result<bool> {
        loop {
            // Where there is always something to read nothing waits, and the limits hold all the same.
            exchange.watch.look()?;
            self.send_more(exchange);
            match self.receive(exchange) {
                Ok(Some(read)) => return Ok(read > 0),
                Ok(None) => {
                    let more = if self.unsent.is_some() { PollFlags::OUT } else { PollFlags::empty() };
                    exchange.watch.wait_for(&self.channel.socket, PollFlags::IN | more)?;
                }
                Err(error) => {
                    self.spent = true;
                    return Err(fault::io_error(self.phase, &error, &self.whom));
                }
            }
        }
    }

    /// Reads until a final head is complete, then shows the engine what frames the content.
    fn await_head(&mut self, exchange: &mut Exchange) -> Result<bool> {
        loop {
            if self.phase == Phase::Wait && !self.input.is_empty() {
                self.phase = Phase::Head;
            }
            if let Some(end) = head::find_end(self.input.bytes(), self.searched) {
                self.heads += end;
                if self.heads > head::MAX_HEAD {
                    return Err(head::too_large());
                }
                let ignore_length = self.link.settings.ignore_content_length;
                let raw = self.input.take(end);
                let (head, framing) = match Head::framed(&raw, self.asked_for_head, ignore_length) {
                    Ok(framed) => framed,
                    Err((shown, error)) => {
                        exchange.heads.extend(shown);
                        return Err(error);
                    }
                };
                (self.searched, self.phase) = (0, Phase::Wait);
                if head.is_interim() {
                    exchange.received(head);
                    continue;
                }
                // A redirect is followed on a new connection: the server may be closing this one, and what meets its
                // end would have to be sent twice.
                let reused = self.link.settings.follow.is_none() || !(300..400).contains(&head.status);
                self.closing = !head.keep_alive(framing);
                self.input.show(head.synthetic(framing, reused && !self.closing));
                exchange.received(head);
                self.phase = Phase::Content;
                if matches!(framing, Framing::NoContent | Framing::Length(0)) {
                    self.finish_sending(exchange)?;
                }
                self.rest = match framing {
                    Framing::NoContent => None,
                    Framing::Length(length) => Some(Rest::Length(length)),
                    Framing::Chunked => Some(Rest::Chunks(Dechunker::default())),
                    Framing::UntilClose => Some(Rest::UntilClose),
                };
                return Ok(true);
            }
            if !head::could_be_http(self.input.bytes()) {
                let error = head::not_http(self.input.bytes());
                // Behind a 1xx it is no longer another protocol, just garbage.
                let kind = if exchange.heads.is_empty() { error.kind } else { Kind::WeirdReply };
                return Err(Error { kind, ..error });
            }
            if self.input.len() > head::MAX_HEAD {
                return Err(head::too_large());
            }
            self.searched = self.input.len();
            if !self.receive_some(exchange)? {
                // What there is of the head is shown, up to the last whole line.
                let lines = self.input.bytes().iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
                exchange.heads.extend(Head::parse(&self.input.bytes()[..lines]).ok());
                return Err(fault::end_of_stream(self.phase, &self.whom));
            }
        }
    }

    /// Waits for content and leaves it in the exchange; false when none is to come.
    fn await_content(&mut self, exchange: &mut Exchange) -> Result<bool> {
        loop {
            let (Some(rest), piece) = (&mut self.rest, &mut exchange.piece) else { return Ok(false) };
            let mut ended = match rest {
                Rest::Length(left) => {
                    self.input.hand_over(piece, *left);
                    *left -= piece.bytes().len() as u64;
                    *left == 0
                }
                Rest::Chunks(chunks) => {
                    let used = piece.fill(|data| chunks.feed(self.input.bytes(), data))?;
                    self.input.skip(used);
                    let ended = chunks.is_done();
                    if ended {
                        exchange.trailers = chunks.take_trailers();
                    }
                    ended
                }
                Rest::UntilClose => {
                    self.input.hand_over(piece, u64::MAX);
                    false
                }
            };
            let arrived = !piece.bytes().is_empty();
            if !arrived && !ended && !self.receive_some(exchange)? {
                ended = matches!(self.rest, Some(Rest::UntilClose));
                if !ended {
                    return Err(fault::end_of_stream(self.phase, &self.whom));
                }
            }
            if ended && self.unsent.is_some() {
                if arrived {
                    // What has arrived is handed on before anything else is waited for.
                    (self.rest, ended) = (Some(Rest::Length(0)), false);
                } else {
                    self.finish_sending(exchange)?;
                }
            }
            if arrived || ended {
                let end = if ended { END } else { b"" };
                self.input.show([if arrived { PIECE } else { b"" }, end].concat());
                self.rest = self.rest.take().filter(|_| !ended);
                return Ok(true);
            }
        }
    }

    /// Runs a step on the exchange and leaves its error there: the engine's own errors are too coarse.
    fn step<T>(&mut self, step: impl FnOnce(&mut Self, &mut Exchange) -> Result<T>) -> Result<T, ureq::Error> {
        let link = Arc::clone(&self.link);
        let mut exchange = link.exchange();
        step(self, &mut exchange).map_err(|error| {
            self.spent = true;
            exchange.fault = Some(error);
            ureq::Error::ConnectionFailed
        })
    }
}

impl EngineTransport for Transport {
    fn buffers(&mut self) -> &mut dyn Buffers {
        &mut self.input
    }

    fn transmit_output(&mut self, _: usize, _: NextTimeout) -> Result<(), ureq::Error> {
        self.step(Transport::send)
    }

    fn await_input(&mut self, _: NextTimeout) -> Result<bool, ureq::Error> {
        self.step(|transport, exchange| match transport.phase {
            Phase::Content => transport.await_content(exchange),
            _ => transport.await_head(exchange),
        })
    }

    fn is_open(&mut self) -> bool {
        // Anything that can be read now, be it bytes or the end, makes the connection useless for another request.
        !self.spent
            && self.unsent.is_none()
            && self.input.is_empty()
            && matches!(self.channel.read(&mut [0; 16]), Err(error) if error.kind() == io::ErrorKind::WouldBlock)
    }

    fn is_tls(&self) -> bool {
        self.connection.tls.is_some()
    }
}
