//! `--compressed`: undoes the content coding of an answer as it streams.

use std::io::{self, Write};

use flate2::write::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};

use crate::error::{Error, Kind, Result};

/// Undoes one content coding. Decoded bytes are taken from `decoded` after each step, so memory stays bounded by
/// what one read can expand to.
pub(super) enum Decoder {
    Gzip(MultiGzDecoder<Vec<u8>>),
    /// Not decided yet: `deflate` means zlib, but some servers send it bare.
    Deflate(Vec<u8>),
    Zlib(ZlibDecoder<Vec<u8>>),
    Raw(DeflateDecoder<Vec<u8>>),
}

/// Compressed bytes are fed in pieces of this size: one piece expands to at most about 1000 times as much.
const PIECE: usize = 4096;

impl Decoder {
    /// The decoder for a Content-Encoding; `None` when there is nothing to undo.
    pub fn new(coding: &str) -> Result<Option<Decoder>> {
        match coding.trim().to_ascii_lowercase().as_str() {
            "" | "identity" | "none" => Ok(None),
            "gzip" | "x-gzip" => Ok(Some(Decoder::Gzip(MultiGzDecoder::new(Vec::new())))),
            "deflate" => Ok(Some(Decoder::Deflate(Vec::new()))),
            other => {
                let text = format!("the answer's content coding is {other}: gzpost undoes gzip and deflate");
                Err(Error::new(Kind::ContentCoding, text))
            }
        }
    }

    /// Decodes `bytes` and gives what comes out to `sink`, piece by piece.
    pub fn feed(&mut self, bytes: &[u8], mut sink: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
        for piece in bytes.chunks(PIECE) {
            self.write(piece).map_err(|error| broken(&error))?;
            self.drain(&mut sink)?;
        }
        Ok(())
    }

    /// The answer is complete: what is held back comes out, and a stream cut short is an error.
    pub fn finish(&mut self, mut sink: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
        match self {
            Decoder::Gzip(decoder) => decoder.try_finish(),
            Decoder::Deflate(held) if held.is_empty() => Ok(()),
            Decoder::Deflate(_) => Err(io::ErrorKind::UnexpectedEof.into()),
            Decoder::Zlib(decoder) => decoder.try_finish(),
            Decoder::Raw(decoder) => decoder.try_finish(),
        }
        .map_err(|error| broken(&error))?;
        self.drain(&mut sink)
    }

    fn write(&mut self, piece: &[u8]) -> io::Result<()> {
        if let Decoder::Deflate(held) = self {
            held.extend_from_slice(piece);
            let [first, second, ..] = held[..] else { return Ok(()) };
            // RFC 1950, section 2.2: method 8, and the two bytes are a multiple of 31.
            let zlib = first & 0x0f == 8 && (u16::from(first) << 8 | u16::from(second)).is_multiple_of(31);
            let held = std::mem::take(held);
            *self = if zlib {
                Decoder::Zlib(ZlibDecoder::new(Vec::new()))
            } else {
                Decoder::Raw(DeflateDecoder::new(Vec::new()))
            };
            return self.write(&held);
        }
        match self {
            Decoder::Gzip(decoder) => decoder.write_all(piece).and_then(|()| decoder.flush()),
            Decoder::Zlib(decoder) => decoder.write_all(piece).and_then(|()| decoder.flush()),
            Decoder::Raw(decoder) => decoder.write_all(piece).and_then(|()| decoder.flush()),
            Decoder::Deflate(_) => Ok(()),
        }
    }

    fn drain(&mut self, sink: &mut impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
        let decoded = match self {
            Decoder::Gzip(decoder) => decoder.get_mut(),
            Decoder::Zlib(decoder) => decoder.get_mut(),
            Decoder::Raw(decoder) => decoder.get_mut(),
            Decoder::Deflate(_) => return Ok(()),
        };
        if decoded.is_empty() {
            return Ok(());
        }
        let result = sink(decoded);
        decoded.clear();
        result
    }
}

fn broken(error: &io::Error) -> Error {
    Error::new(Kind::ContentCoding, format!("the answer's content coding is broken: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};

    fn decode(coding: &str, bytes: &[u8], step: usize) -> Result<Vec<u8>> {
        let mut decoder = Decoder::new(coding)?.expect("a coding");
        let mut out = Vec::new();
        for piece in bytes.chunks(step) {
            decoder.feed(piece, |decoded| {
                out.extend_from_slice(decoded);
                Ok(())
            })?;
        }
        decoder.finish(|decoded| {
            out.extend_from_slice(decoded);
            Ok(())
        })?;
        Ok(out)
    }

    fn text() -> Vec<u8> {
        (0..5000).flat_map(|number: u32| number.to_string().into_bytes()).collect()
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn every_coding_is_undone_at_any_split() {
        let text = text();
        let mut zlib = ZlibEncoder::new(Vec::new(), Compression::default());
        zlib.write_all(&text).unwrap();
        let mut raw = DeflateEncoder::new(Vec::new(), Compression::default());
        raw.write_all(&text).unwrap();
        let (zlib, raw) = (zlib.finish().unwrap(), raw.finish().unwrap());
        for step in [1, 2, 7, 100_000] {
            assert_eq!(decode("gzip", &gzip(&text), step).unwrap(), text);
            assert_eq!(decode("X-GZIP", &gzip(&text), step).unwrap(), text);
            assert_eq!(decode("deflate", &zlib, step).unwrap(), text);
            assert_eq!(decode("deflate", &raw, step).unwrap(), text);
        }
    }

    #[test]
    fn several_members_are_one_content() {
        assert_eq!(decode("gzip", &[gzip(b"one "), gzip(b"two")].concat(), 3).unwrap(), b"one two");
    }

    #[test]
    fn broken_cut_and_unknown_codings_are_61() {
        let whole = gzip(&text());
        for bytes in [&b"not gzip at all"[..], &whole[..whole.len() - 3], &whole[..5]] {
            assert_eq!(decode("gzip", bytes, 1000).unwrap_err().kind, Kind::ContentCoding);
        }
        assert_eq!(Decoder::new("br").err().map(|error| error.kind), Some(Kind::ContentCoding));
    }
}
