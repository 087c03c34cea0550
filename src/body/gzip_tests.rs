//! Tests of the gzip coding: against flate2's decoder, and against the system's gzip where there is one.

use std::io::{Read, Write};
use std::process::{Command, Stdio};

use arbtest::arbtest;

use super::*;

const MIB: usize = 1024 * 1024;

/// Text that compresses about as well as a conversation does, the same at every run.
fn text(len: usize) -> Vec<u8> {
    let mut state = 7_u32;
    let mut text = Vec::with_capacity(len + 16);
    while text.len() < len {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        // Few words are frequent and many are rare.
        let word = (state >> 20) & (state >> 8);
        text.extend_from_slice(format!("{:x} ", word * 0x9e37).as_bytes());
    }
    text.truncate(len);
    text
}

/// Bytes that do not compress.
fn noise(len: usize) -> Vec<u8> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()
    };
    (0..len.div_ceil(8)).flat_map(|_| next()).take(len).collect()
}

/// The content of the first member, and what follows it.
fn decode(coded: &[u8]) -> (Vec<u8>, usize) {
    let mut decoder = flate2::bufread::GzDecoder::new(coded);
    let mut bytes = Vec::new();
    decoder.read_to_end(&mut bytes).expect("gzip");
    (bytes, decoder.into_inner().len())
}

/// What the system's gzip makes of its stdin; `None` without one.
fn system_gzip(argument: &str, input: &[u8]) -> Option<Vec<u8>> {
    let gzip = Command::new("gzip").arg(argument).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let mut gzip = gzip.ok()?;
    let mut stdin = gzip.stdin.take().expect("stdin is piped");
    thread::scope(|scope| {
        scope.spawn(move || stdin.write_all(input));
        let output = gzip.wait_with_output().expect("gzip runs");
        assert!(output.status.success(), "gzip {argument} failed");
        Some(output.stdout)
    })
}

#[test]
fn every_size_around_the_cuts_decodes_to_the_same_bytes_in_one_member() {
    let most = text(5 * MIB + 3);
    let around = [0, 1, 2, WINDOW - 1, WINDOW, PIECE - 1, PIECE, PIECE + 1, MIB - 1, MIB, MIB + 1];
    for len in around.into_iter().chain([3 * PIECE - 1, 3 * PIECE, 3 * PIECE + 1, 5 * MIB + 3]) {
        let (decoded, rest) = decode(&encode(&most[..len], 8));
        assert!(decoded == most[..len], "{len} bytes");
        assert_eq!(rest, 0, "{len} bytes");
    }
}

#[test]
fn the_systems_gzip_decodes_it_without_complaint() {
    for body in [text(0), text(1), text(MIB + 1), text(3 * MIB), noise(2 * MIB)] {
        let coded = encode(&body, 8);
        let Some(decoded) = system_gzip("-dc", &coded) else { return };
        assert!(decoded == body, "{} bytes", body.len());
        system_gzip("-t", &coded);
    }
}

#[test]
fn the_output_does_not_depend_on_the_number_of_threads() {
    for body in [text(1000), text(MIB + 1), text(4 * MIB)] {
        let alone = encode_on(&body, 8, 1);
        for threads in [2, 3, 4, 9] {
            assert!(encode_on(&body, 8, threads) == alone, "{} bytes, {threads} threads", body.len());
        }
        assert!(encode(&body, 8) == alone);
    }
}

#[test]
fn the_head_says_nothing_about_time_name_or_system() {
    assert_eq!(encode(b"{}", 8)[..10], [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
    assert_eq!(encode(&text(2 * MIB), 9)[..10], [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
}

#[test]
fn what_does_not_compress_hardly_grows() {
    for len in [10_000, 2 * MIB] {
        let body = noise(len);
        for level in 1..=9 {
            let coded = encode(&body, level);
            // Level 1 has fixed codes only.
            assert!(
                coded.len() <= len + len / if level == 1 { 16 } else { 1000 } + 18,
                "level {level}: {}",
                coded.len()
            );
            assert!(decode(&coded).0 == body, "level {level}");
        }
    }
}

#[test]
fn pieces_know_the_text_before_them() {
    // Three times the same megabyte of noise would not compress; a window repeated does, across every cut.
    let body = noise(WINDOW / 2).repeat(128);
    let coded = encode(&body, 8);
    assert!(coded.len() < WINDOW, "{}", coded.len());
    assert!(decode(&coded).0 == body);
}

#[test]
fn the_default_level_is_about_as_small_as_gzip_6() {
    for body in [text(20_000), text(400_000), text(3 * MIB)] {
        let Some(reference) = system_gzip("-6nc", &body) else { return };
        let ratio = encode(&body, crate::body::DEFAULT_LEVEL).len() as f64 / reference.len() as f64;
        assert!(ratio <= 1.01, "{} bytes: {ratio}", body.len());
    }
}

#[test]
fn any_bytes_of_any_size_and_level_come_back() {
    let most = text(4 * PIECE);
    arbtest(|u| {
        let cut = u.int_in_range(0..=3)? * PIECE;
        let len = (cut + u.int_in_range(0..=64)?).saturating_sub(32);
        let from = u.int_in_range(0..=PIECE - 32)?;
        let body = &most[from..from + len];
        let (decoded, rest) = decode(&encode_on(body, u.int_in_range(1..=9)?, u.int_in_range(1..=4)?));
        assert!(decoded == body, "{len} bytes from {from}");
        assert_eq!(rest, 0);
        Ok(())
    })
    .budget_ms(1000);
}

#[test]
fn the_magic_is_two_bytes() {
    assert!(is_gzip(&encode(b"", 8)));
    assert!(is_gzip(&[0x1f, 0x8b]));
    assert!(!is_gzip(&[0x1f]));
    assert!(!is_gzip(b"{}"));
}
