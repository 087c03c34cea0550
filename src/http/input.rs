//! What has been received and not yet used, as the engine wants to see it.

use ureq::unversioned::transport::Buffers;

/// The first reads: an answer's head and a small content.
const FIRST: usize = 16 * 1024;

/// Reads once an answer has shown to be large.
const LARGE: usize = 256 * 1024;

/// Received bytes, in front of them a head for the engine; and the scratch space for the head that it writes.
#[derive(Debug, Default)]
pub(super) struct Input {
    bytes: Vec<u8>,
    start: usize,
    end: usize,
    shown: Vec<u8>,
    scratch: Vec<u8>,
    /// Whether the engine could use what is here: false after it used nothing of it.
    usable: bool,
    /// Whether the engine sees the received bytes: not before their head has been taken out.
    open: bool,
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

    /// Puts a head in front of the received bytes, and lets the engine see both.
    pub fn show(&mut self, head: Vec<u8>) {
        self.shown = head;
        (self.usable, self.open) = (true, true);
    }

    /// What arrives from now on begins with a head that the engine must not see.
    pub fn close(&mut self) {
        self.open = false;
    }

    /// Room for the next read; grows when the last one filled all of it.
    pub fn room(&mut self) -> &mut [u8] {
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
        }
        if self.end == self.bytes.len() {
            if self.start > 0 {
                self.bytes.copy_within(self.start..self.end, 0);
                (self.start, self.end) = (0, self.end - self.start);
            }
            if self.end * 2 >= self.bytes.len() {
                let more = if self.bytes.is_empty() { FIRST } else { LARGE };
                self.bytes.resize(self.end + more, 0);
            }
        }
        &mut self.bytes[self.end..]
    }

    /// A read put this many bytes into the room.
    pub fn filled(&mut self, amount: usize) {
        self.end += amount;
        self.usable |= amount > 0;
        // A full first buffer: the rest comes in larger reads.
        if self.end == self.bytes.len() && self.bytes.len() == FIRST {
            self.bytes.resize(LARGE, 0);
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
        match (self.open, self.shown.is_empty()) {
            (false, _) => &[],
            (true, false) => &self.shown,
            (true, true) => self.bytes(),
        }
    }

    fn input_append_buf(&mut self) -> &mut [u8] {
        self.room()
    }

    fn input_appended(&mut self, amount: usize) {
        self.filled(amount);
    }

    fn input_consume(&mut self, amount: usize) {
        self.usable = amount > 0;
        if self.shown.is_empty() {
            self.start += amount;
        } else {
            self.shown.drain(..amount);
        }
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
