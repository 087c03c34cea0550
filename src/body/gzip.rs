//! The gzip coding: one member (RFC 1952), compressed on several threads when that pays.

use std::num::NonZero;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use flate2::{Compress, Compression, Crc, FlushCompress, Status};

/// Up to this size the input is compressed in one piece: a second thread would save a few milliseconds.
const ONE_PIECE: usize = 1024 * 1024;

/// Larger inputs are cut into equal pieces of at most this size, by the input's size alone, so that the output
/// does not depend on the machine. Half a megabyte costs 0.01 % of size and cuts 2.78 MB into six.
const PIECE: usize = 512 * 1024;

/// How far back deflate's matches reach (RFC 1951, section 3.3): what a piece has to know of the one before it.
const WINDOW: usize = 32 * 1024;

/// More threads than this compress faster than any link sends.
const MAX_THREADS: usize = 4;

/// Deflate, no flags, mtime 0, no extra flags, unknown OS (RFC 1952, section 2.3).
const HEAD: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];

/// Whether the bytes start with the gzip magic (RFC 1952, section 2.3.1); no JSON text does.
#[must_use]
pub fn is_gzip(bytes: &[u8]) -> bool {
    bytes.starts_with(&HEAD[..2])
}

/// One gzip member that holds these bytes, at level 1 to 9. Equal input gives equal output on every machine.
#[must_use]
pub fn encode(bytes: &[u8], level: u32) -> Vec<u8> {
    encode_on(bytes, level, thread::available_parallelism().map_or(1, NonZero::get).min(MAX_THREADS))
}

/// As `encode`, on this many threads, the calling one included.
fn encode_on(bytes: &[u8], level: u32, threads: usize) -> Vec<u8> {
    let count = if bytes.len() > ONE_PIECE { bytes.len().div_ceil(PIECE) } else { 1 };
    let size = bytes.len().div_ceil(count);
    let next = AtomicUsize::new(0);
    let pieces = Mutex::new(Vec::with_capacity(count));
    let work = || {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= count {
                break;
            }
            let start = bytes.len().min(number * size);
            let piece = Piece::compress(bytes, start..bytes.len().min(start + size), number + 1 == count, level);
            pieces.lock().unwrap_or_else(PoisonError::into_inner).push((number, piece));
        }
    };
    thread::scope(|scope| {
        for _ in 1..threads.min(count) {
            // Where no thread is to be had, the others take its share.
            let _ = thread::Builder::new().spawn_scoped(scope, work);
        }
        work();
    });
    let mut pieces = pieces.into_inner().unwrap_or_else(PoisonError::into_inner);
    pieces.sort_unstable_by_key(|(number, _)| *number);
    member(pieces.into_iter().map(|(_, piece)| piece).collect())
}

/// Head, pieces and trailer: the CRC-32 and the size modulo 2^32 (RFC 1952, section 2.3.1).
fn member(pieces: Vec<Piece>) -> Vec<u8> {
    let mut member =
        Vec::with_capacity(HEAD.len() + pieces.iter().map(|piece| piece.deflated.len()).sum::<usize>() + 8);
    member.extend_from_slice(&HEAD);
    let mut crc = Crc::new();
    for piece in pieces {
        member.extend_from_slice(&piece.deflated);
        crc.combine(&piece.crc);
    }
    member.extend_from_slice(&crc.sum().to_le_bytes());
    member.extend_from_slice(&crc.amount().to_le_bytes());
    member
}

/// A stretch of the input as raw deflate that ends on a byte boundary.
struct Piece {
    deflated: Vec<u8>,
    crc: Crc,
}

impl Piece {
    fn compress(bytes: &[u8], range: Range<usize>, last: bool, level: u32) -> Piece {
        let before = &bytes[range.start.saturating_sub(WINDOW)..range.start];
        let input = &bytes[range];
        let mut crc = Crc::new();
        crc.update(input);
        Piece { deflated: deflate(before, input, last, level), crc }
    }
}

/// Raw deflate of `input` as it continues `before`: a sync flush at the end, or the final block.
fn deflate(before: &[u8], input: &[u8], last: bool, level: u32) -> Vec<u8> {
    const SOUND: &str = "a deflate stream used in order does not fail";
    let mut stream = Compress::new(Compression::new(level), false);
    if !before.is_empty() {
        stream.set_dictionary(before).expect(SOUND);
    }
    let flush = if last { FlushCompress::Finish } else { FlushCompress::Sync };
    // Room for every text at the first attempt; input that does not compress takes a second one.
    let mut output = Vec::with_capacity(input.len() / 2 + 256);
    loop {
        let read = usize::try_from(stream.total_in()).unwrap_or(usize::MAX);
        let status = stream.compress_vec(&input[read..], &mut output, flush).expect(SOUND);
        // A flush is complete when room was left over; the final block says so itself.
        if if last { status == Status::StreamEnd } else { output.len() < output.capacity() } {
            return output;
        }
        output.reserve(output.capacity());
    }
}

#[cfg(test)]
#[path = "gzip_tests.rs"]
mod tests;
