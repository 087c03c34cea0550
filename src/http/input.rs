//! What has been received and not yet used; the engine sees heads, but content goes past it.

use std::ops::Range;

use ureq::unversioned::transport::Buffers;

/// The first read: an answer's head and a small content. Room costs time, a page at a time.
const FIRST: usize = 4 * 1024;

/// Reads once an answer has shown to be large.
const LARGE: usize = 256 * 1024;

/// Makes room for a first read, or more of it after a read that filled it.
pub(super) fn grow(room: &mut Vec<u8>) {
    room.resize((room.len() * 4).clamp(FIRST, LARGE.max(room.len())), 0);
}

/// Received bytes, what the engine is shown in their place, and the scratch space for the head that it writes.
#[derive(Debug, Default)]
pub(super) struct Input {
    bytes: Vec<u8>,
    start: usize,
    end: usize,
    /// What the engine sees, and how much of it is used up.
    shown: Vec<u8>,
    used: usize,
    scratch: Vec<u8>,
    /// Whether the engine could use what is here: false after it used nothing of it.
    usable: bool,
}

/// Content on its way past the engine.
#[derive(Debug, Default)]
pub(super) struct Piece {
    bytes: Vec<u8>,
    range: Range<usize>,
}

impl Piece {
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[self.range.clone()]
    }

    /// Takes in what `fill` appends.
    pub fn fill<T>(&mut self, fill: impl FnOnce(&mut Vec<u8>) -> T) -> T {
        self.bytes.clear();
        let filled = fill(&mut self.bytes);
        self.range = 0..self.bytes.len();
        filled
    }
}

impl Input {
    /// The received bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[self.start..self.end]
    }

    pub fn len(&self) -> usize {
        self.end - self.start
    }

    pub fn is_empty(&self) -> bool {
        self.start == self.end
    }

    /// Takes bytes out at the front.
    pub fn take(&mut self, amount: usize) -> Vec<u8> {
        let taken = self.bytes()[..amount].to_vec();
        self.start += amount;
        taken
    }

    /// Shows the engine these bytes.
    pub fn show(&mut self, bytes: Vec<u8>) {
        (self.shown, self.used, self.usable) = (bytes, 0, true);
    }

    /// Uses up received bytes.
    pub fn skip(&mut self, amount: usize) {
        self.start += amount;
    }

    /// Moves the received bytes into the piece, at most `limit` of them; when that is all, nothing is copied.
    pub fn hand_over(&mut self, piece: &mut Piece, limit: u64) {
        let length = self.len().min(usize::try_from(limit).unwrap_or(usize::MAX));
        if length == 0 {
            piece.range = 0..0;
        } else if length < self.len() {
            piece.fill(|bytes| bytes.extend_from_slice(&self.bytes()[..length]));
            self.start += length;
        } else {
            std::mem::swap(&mut self.bytes, &mut piece.bytes);
            piece.range = self.start..self.end;
            (self.start, self.end) = (0, 0);
        }
    }

    /// Room for the next read; grows when the last one filled all of it.
    pub fn room(&mut self) -> &mut [u8] {
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
        }
        if self.bytes.is_empty() {
            grow(&mut self.bytes);
        }
        if self.end == self.bytes.len() {
            if self.start > 0 {
                self.bytes.copy_within(self.start..self.end, 0);
                (self.start, self.end) = (0, self.end - self.start);
            }
            if self.end * 2 >= self.bytes.len() {
                self.bytes.resize(self.end + LARGE, 0);
            }
        }
        &mut self.bytes[self.end..]
    }

    /// A read put this many bytes into the room.
    pub fn filled(&mut self, amount: usize) {
        self.end += amount;
        self.usable |= amount > 0;
        if self.end == self.bytes.len() {
            grow(&mut self.bytes);
        }
    }
}

impl Buffers for Input {
    fn output(&mut self) -> &mut [u8] {
        // The engine's own head: a method, the authority and a Content-Length of 0.
        self.scratch.resize(1024, 0);
        &mut self.scratch
    }

    fn input(&self) -> &[u8] {
        &self.shown[self.used..]
    }

    fn input_append_buf(&mut self) -> &mut [u8] {
        self.room()
    }

    fn input_appended(&mut self, amount: usize) {
        self.filled(amount);
    }

    fn input_consume(&mut self, amount: usize) {
        self.usable = amount > 0;
        self.used += amount;
    }

    fn tmp_and_output(&mut self) -> (&mut [u8], &mut [u8]) {
        // For content that the engine sends itself, which never happens here.
        self.scratch.resize(1024, 0);
        self.scratch.split_at_mut(512)
    }

    fn can_use_input(&self) -> bool {
        !self.input().is_empty() && self.usable
    }
}
