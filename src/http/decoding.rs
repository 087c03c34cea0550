//! `--compressed`: undoes the content coding of an answer as it streams.

use std::io::{self, Write};

use flate2::write::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};

use super::credentials::escape;
use crate::error::{Error, Kind, Result};

/// Undoes the codings of a Content-Encoding, the last one applied first.
pub(super) struct Decoding(Vec<Decoder>);

/// Undoes one coding. Decoded bytes are taken out after each step, so memory stays bounded by what one piece can
/// expand to.
enum Decoder {
    Gzip(MultiGzDecoder<Vec<u8>>),
    /// Not decided yet: `deflate` means zlib, but some servers send it bare.
    Deflate(Vec<u8>),
    Zlib(ZlibDecoder<Vec<u8>>),
    Raw(DeflateDecoder<Vec<u8>>),
}

/// curl's limit: more codings than this are an attack.
const MAX_CODINGS: usize = 5;

/// Compressed bytes are fed in pieces of this size: one piece expands to at most about 1000 times as much.
const PIECE: usize = 4096;

/// Where decoded bytes go.
type To<'a> = &'a mut dyn FnMut(&[u8]) -> Result<()>;

/// Looks whether to go on, in front of each piece of each coding: codings in codings expand for hours.
type Look<'a> = &'a mut dyn FnMut() -> Result<()>;

impl Decoding {
    /// For the value of Content-Encoding; exit 61 for a coding that is not known.
    pub fn new(codings: &str) -> Result<Decoding> {
        let names: Vec<String> = codings.split(',').map(|name| name.trim().to_ascii_lowercase()).collect();
        if names.len() > MAX_CODINGS {
            return Err(Error::new(
                Kind::ContentCoding,
                format!("the answer has more than {MAX_CODINGS} content codings"),
            ));
        }
        let decoders: Result<Vec<Option<Decoder>>> = names.iter().rev().map(|name| Decoder::new(name)).collect();
        decoders.map(|decoders| Decoding(decoders.into_iter().flatten().collect()))
    }

    /// Decodes `bytes` and gives what comes out to `sink`, piece by piece.
    pub fn feed(&mut self, bytes: &[u8], sink: To<'_>, look: Look<'_>) -> Result<()> {
        feed(&mut self.0, bytes, sink, look)
    }

    /// The answer is complete: what is held back comes out, and a stream cut short is an error.
    pub fn finish(&mut self, sink: To<'_>, look: Look<'_>) -> Result<()> {
        for at in 0..self.0.len() {
            let (done, rest) = self.0.split_at_mut(at + 1);
            done[at].finish().map_err(|error| broken(&error))?;
            done[at].drain(&mut |decoded| feed(rest, decoded, sink, look))?;
        }
        Ok(())
    }
}

fn feed(decoders: &mut [Decoder], bytes: &[u8], sink: To<'_>, look: Look<'_>) -> Result<()> {
    let Some((first, rest)) = decoders.split_first_mut() else { return sink(bytes) };
    for piece in bytes.chunks(PIECE) {
        look()?;
        let written = first.write(piece);
        // What was decoded in front of a fault is the answer's too.
        first.drain(&mut |decoded| feed(rest, decoded, sink, look))?;
        written.map_err(|error| broken(&error))?;
    }
    Ok(())
}

impl Decoder {
    /// The decoder for one coding; `None` when there is nothing to undo.
    fn new(coding: &str) -> Result<Option<Decoder>> {
        match coding {
            "" | "identity" | "none" => Ok(None),
            "gzip" | "x-gzip" => Ok(Some(Decoder::Gzip(MultiGzDecoder::new(Vec::new())))),
            "deflate" => Ok(Some(Decoder::Deflate(Vec::new()))),
            other => {
                let text = format!(
                    "the answer's content coding is {}: gzpost undoes gzip and deflate",
                    escape(other.as_bytes())
                );
                Err(Error::new(Kind::ContentCoding, text))
            }
        }
    }

    fn finish(&mut self) -> io::Result<()> {
        match self {
            Decoder::Gzip(decoder) => decoder.try_finish(),
            Decoder::Deflate(held) if held.is_empty() => Ok(()),
            Decoder::Deflate(_) => Err(io::ErrorKind::UnexpectedEof.into()),
            Decoder::Zlib(decoder) => decoder.try_finish(),
            Decoder::Raw(decoder) => decoder.try_finish(),
        }
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

    fn drain(&mut self, sink: To<'_>) -> Result<()> {
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
    let what = match error.kind() {
        io::ErrorKind::WriteZero => "something follows its end".to_owned(),
        _ => error.to_string(),
    };
    Error::new(Kind::ContentCoding, format!("the answer's content coding is broken: {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};

    fn decode(coding: &str, bytes: &[u8], step: usize) -> Result<Vec<u8>> {
        let mut decoding = Decoding::new(coding)?;
        let mut out = Vec::new();
        let mut sink = |decoded: &[u8]| {
            out.extend_from_slice(decoded);
            Ok(())
        };
        for piece in bytes.chunks(step) {
            decoding.feed(piece, &mut sink, &mut || Ok(()))?;
        }
        decoding.finish(&mut sink, &mut || Ok(()))?;
        Ok(out)
    }

    #[test]
    fn what_came_in_front_of_a_fault_is_delivered() {
        let mut zlib = ZlibEncoder::new(Vec::new(), Compression::default());
        zlib.write_all(b"whole").unwrap();
        let zlib = zlib.finish().unwrap();
        for (coding, bytes) in [
            ("gzip", [&gzip(b"whole")[..], b"\0 is no member"].concat()),
            ("deflate", [&zlib[..], b"more"].concat()),
            ("gzip, gzip", gzip(&[&gzip(b"whole")[..], b"\0 is no member"].concat())),
        ] {
            let mut out = Vec::new();
            let mut decoding = Decoding::new(coding).unwrap();
            let mut sink = |decoded: &[u8]| {
                out.extend_from_slice(decoded);
                Ok(())
            };
            let fed = decoding.feed(&bytes, &mut sink, &mut || Ok(()));
            assert_eq!(
                (fed.map_err(|error| error.kind), &out[..]),
                (Err(Kind::ContentCoding), &b"whole"[..]),
                "{coding}"
            );
        }
    }

    #[test]
    fn codings_in_codings_can_be_given_up_at_any_depth() {
        let zeros = gzip(&vec![0; 4_000_000]);
        let nested = gzip(&gzip(&zeros.repeat(100)));
        let mut decoding = Decoding::new("gzip, gzip, gzip").unwrap();
        let (mut out, mut looks) = (0, 0);
        let mut sink = |decoded: &[u8]| {
            out += decoded.len();
            Ok(())
        };
        let fed = decoding.feed(&nested, &mut sink, &mut || {
            looks += 1;
            if looks < 10 { Ok(()) } else { Err(Error::new(Kind::Timeout, "")) }
        });
        assert_eq!(fed.map_err(|error| error.kind), Err(Kind::Timeout));
        assert!(nested.len() < PIECE && out < 40_000_000, "{} bytes became {out}", nested.len());
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
    fn several_codings_are_undone_from_the_last() {
        let mut zlib = ZlibEncoder::new(Vec::new(), Compression::default());
        zlib.write_all(&text()).unwrap();
        let twice = gzip(&zlib.finish().unwrap());
        for step in [1, 1000, 100_000] {
            assert_eq!(decode("deflate, identity, gzip", &twice, step).unwrap(), text());
        }
        assert_eq!(decode("identity", b"plain", 2).unwrap(), b"plain");
    }

    #[test]
    fn broken_cut_and_unknown_codings_are_61() {
        let whole = gzip(&text());
        for bytes in [&b"not gzip at all"[..], &whole[..whole.len() - 3], &whole[..5]] {
            assert_eq!(decode("gzip", bytes, 1000).unwrap_err().kind, Kind::ContentCoding);
        }
        for coding in ["br", "gzip, br", "a,b,c,d,e,f"] {
            assert_eq!(decode(coding, b"x", 1).unwrap_err().kind, Kind::ContentCoding);
        }
    }
}
