//! Tests of `Head`: what curl takes and what it refuses.

use arbtest::arbitrary::{Result as Drawn, Unstructured};
use arbtest::arbtest;

use super::*;

fn head(raw: &str) -> Head {
    Head::parse(raw.as_bytes()).unwrap_or_else(|error| panic!("{raw:?}: {error}"))
}

/// The framing of a 200 answer to GET with these fields.
fn framing(fields: &str) -> Result<Framing, u8> {
    head(&format!("HTTP/1.1 200 OK\r\n{fields}\r\n")).framing(false, false).map_err(|error| error.kind.code())
}

#[test]
fn end_is_behind_the_empty_line_whatever_ends_lines() {
    for (bytes, end) in [
        ("HTTP/1.1 200 OK\r\n\r\nbody", Some(19)),
        ("HTTP/1.1 200 OK\n\nbody", Some(17)),
        ("HTTP/1.1 200 OK\r\n\nbody", Some(18)),
        ("HTTP/1.1 200 OK\n\r\nbody", Some(18)),
        ("HTTP/1.1 200 OK\r\nA: b\r\n \r\n\r\n", Some(28)),
        ("HTTP/1.1 200 OK\r\nA: b\r\n\r", None),
        ("HTTP/1.1 200 OK\r\n\r", None),
        ("", None),
    ] {
        assert_eq!(find_end(bytes.as_bytes(), 0), end, "{bytes:?}");
    }
}

#[test]
fn the_answer_starts_behind_whole_interim_heads() {
    let (hints, answer) = ("HTTP/1.1 103 Hints\r\nA: b\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\nok");
    for (bytes, start) in [
        (String::new(), 0),
        (answer.to_owned(), 0),
        (hints[..20].to_owned(), 0),
        (hints.to_owned(), hints.len()),
        (format!("{hints}{answer}"), hints.len()),
        (format!("{hints}{hints}HT"), 2 * hints.len()),
        (format!("{hints}{}", &hints[..20]), hints.len()),
        ("HTTP/1.1 101 Switching\r\n\r\n".to_owned(), 0),
        ("HTTP/1.1 1000\r\n\r\n".to_owned(), 0),
    ] {
        for from in 0..=bytes.len().min(20) {
            assert_eq!(answer_start(bytes.as_bytes(), from), start, "{bytes:?}");
        }
    }
}

#[test]
fn end_is_found_in_pieces_too() {
    arbtest(|u| {
        let bytes = drawn_head(u)?;
        let whole = find_end(&bytes, 0);
        let (mut seen, mut found) = (0, None);
        while seen < bytes.len() && found.is_none() {
            let next = (seen + u.int_in_range(1..=9)?).min(bytes.len());
            found = find_end(&bytes[..next], seen);
            seen = next;
        }
        assert_eq!(found, whole, "{}", escape(&bytes));
        Ok(())
    });
    assert_eq!(find_end(b"a\n\n", 100), None);
}

#[test]
fn other_protocols_are_told_by_their_first_bytes() {
    for start in ["", "H", "HTTP/1", "HTTP/1.", "HTTP/1.1 200"] {
        assert!(could_be_http(start.as_bytes()), "{start}");
    }
    for (start, reason) in [
        ("HTTP/2 200 OK\r\n", "unsupported HTTP version in the answer: HTTP/2 200 OK"),
        ("SSH-2.0-\x1b[31m\r\n", "begins with: SSH-2.0-\\x1b[31m"),
        ("http/1.1 200 OK", "is not HTTP/1.0 or HTTP/1.1"),
        ("\r\nHTTP/1.1 200 OK", "is not HTTP/1.0 or HTTP/1.1"),
        ("\x15\x03\x01\0\x02\x02\x46", "speaks TLS at this port; write https://"),
    ] {
        assert!(!could_be_http(start.as_bytes()), "{start}");
        let error = not_http(start.as_bytes());
        assert_eq!(error.kind, Kind::UnsupportedProtocol);
        assert!(error.message.contains(reason), "{error}");
    }
}

#[test]
fn status_lines() {
    for (line, version, status, reason) in [
        ("HTTP/1.1 200 OK", Version::Http11, 200, "OK"),
        ("HTTP/1.0 404  Not Found ", Version::Http10, 404, "Not Found"),
        ("HTTP/1.1  200", Version::Http11, 200, ""),
        ("HTTP/1.1\t999 x", Version::Http11, 999, "x"),
        ("HTTP/1.1 200OK", Version::Http11, 200, "OK"),
        ("HTTP/1.1 100 Continue", Version::Http11, 100, "Continue"),
    ] {
        let head = head(&format!("{line}\r\n\r\n"));
        let found = (head.version, head.status, head.reason.as_slice());
        assert_eq!(found, (version, status, reason.as_bytes()), "{line}");
    }
    for line in [
        "HTTP/1.1 20",
        "HTTP/1.1 2000 x",
        "HTTP/1.1 099 x",
        "HTTP/1.1 abc",
        "HTTP/1.1200 OK",
        "HTTP/1.1",
        "HTTP/1.2 200",
        "HTTP/2 200",
        "HTTP/3 200",
        "HTTP/1.10 200",
        "HTTP/",
        "http/1.1 200",
        "",
    ] {
        let refused = Head::parse(format!("{line}\r\n\r\n").as_bytes()).map_err(|error| error.kind);
        assert_eq!(refused, Err(Kind::UnsupportedProtocol), "{line}");
    }
}

#[test]
fn fields_are_read_tolerantly() {
    let raw = b"HTTP/1.1 200 OK\nA:b\r\nEmpty:\r\nName \t: \t x y\t \r\nF: 1\r\n\t 2 \r\n \r\n  3\r\nF:\r\n x\n: y\nLatin: \xe4\r\nU: \xc3\xa4:\r\n\r\n";
    let head = Head::parse(raw).expect("curl reads it");
    let fields: Vec<_> = head.fields.iter().map(|field| (field.name.as_str(), field.value.as_str())).collect();
    let expected = [
        ("A", "b"),
        ("Empty", ""),
        ("Name", "x y"),
        ("F", "1 2 3"),
        ("F", "x"),
        ("", "y"),
        ("Latin", "\u{fffd}"),
        ("U", "\u{e4}:"),
    ];
    assert_eq!(fields, expected);
    let shown = b"HTTP/1.1 200 OK\nA:b\r\nEmpty:\r\nName \t: \t x y\t \r\nF: 1 2 3\r\nF: x\n: y\nLatin: \xe4\r\nU: \xc3\xa4:\r\n\r\n";
    assert_eq!(head.raw, shown);
}

#[test]
fn dangerous_heads_are_refused() {
    for fields in ["A: b\0c\r\n", "no colon\r\n", " folded: first\r\n", "A: b\rB: c\r\n", "A: b\r\r\n"] {
        let refused = Head::parse(format!("HTTP/1.1 200 OK\r\n{fields}\r\n").as_bytes()).map_err(|error| error.kind);
        assert_eq!(refused, Err(Kind::WeirdReply), "{fields:?}");
    }
    assert_eq!(Head::parse(b"HTTP/1.1 200 O\0K\r\n\r\n").map_err(|error| error.kind), Err(Kind::WeirdReply));
}

#[test]
fn size_has_a_limit() {
    let of_size = |size: usize| {
        let field = format!("A: {}\r\n", "x".repeat(1019));
        let frame = format!("HTTP/1.1 200 OK\r\n{}\r\n", field.repeat(size / 1024 - 1));
        frame.replacen("A: ", &format!("A: {}", "x".repeat(size - frame.len())), 1)
    };
    assert_eq!(head(&of_size(MAX_HEAD)).raw.len(), MAX_HEAD);
    let refused = Head::parse(of_size(MAX_HEAD + 1).as_bytes()).expect_err("one byte more");
    assert_eq!(
        (refused.kind, refused.message.as_str()),
        (Kind::Receive, "the fields of the answer are larger than 300 KB")
    );
    let long = format!("HTTP/1.1 200 OK\r\nA: {}\r\n\r\n", "x".repeat(100 * 1024));
    assert_eq!(Head::parse(long.as_bytes()).map_err(|error| error.kind), Err(Kind::FieldTooLarge));
    assert_eq!(head(&format!("HTTP/1.1 200 OK\r\n{}\r\n", "A: b\r\n".repeat(5000))).fields.len(), 5000);
}

#[test]
fn framing_of_an_answer() {
    for (fields, expected) in [
        ("", Ok(Framing::UntilClose)),
        ("content-LENGTH: 5\r\n", Ok(Framing::Length(5))),
        ("Content-Length: 5, 5\r\nContent-Length: 005\r\n", Ok(Framing::Length(5))),
        ("Content-Length: 9223372036854775807\r\n", Ok(Framing::Length(9_223_372_036_854_775_807))),
        ("Content-Length: 9223372036854775808\r\n", Ok(Framing::UntilClose)),
        ("Content-Length: 99999999999999999999999\r\n", Ok(Framing::UntilClose)),
        ("Content-Length: 5, 6\r\n", Err(8)),
        ("Content-Length: 5\r\nContent-Length: 6\r\n", Err(8)),
        ("Content-Length: 5,\r\n", Err(8)),
        ("Content-Length: -5\r\n", Err(8)),
        ("Content-Length: +5\r\n", Err(8)),
        ("Content-Length: 5x\r\n", Err(8)),
        ("Content-Length: abc\r\n", Err(8)),
        ("Content-Length:\r\n", Err(8)),
        ("Transfer-Encoding: Chunked\r\nContent-Length: 3\r\n", Ok(Framing::Chunked)),
        ("Transfer-Encoding: chunked, chunked\r\nTransfer-Encoding: chunked\r\n", Ok(Framing::Chunked)),
        ("Transfer-Encoding: identity\r\nContent-Length: 3\r\n", Ok(Framing::Length(3))),
        ("Transfer-Encoding: identity, chunked\r\n", Ok(Framing::Chunked)),
        ("Transfer-Encoding:\r\n", Ok(Framing::UntilClose)),
        ("Transfer-Encoding: gzip, chunked\r\n", Err(61)),
        ("Transfer-Encoding: chunked, identity\r\n", Err(61)),
        ("Transfer-Encoding: xchunked\r\nContent-Length: 3\r\n", Err(61)),
    ] {
        assert_eq!(framing(fields), expected, "{fields:?}");
    }
}

#[test]
fn some_answers_have_no_content() {
    for status in [100, 103, 199, 204, 304] {
        let head = head(&format!("HTTP/1.1 {status} x\r\nContent-Length: x\r\nTransfer-Encoding: gzip\r\n\r\n"));
        assert_eq!(head.framing(false, false), Ok(Framing::NoContent), "{status}");
    }
    let to_head = |fields: &str| {
        let framing = head(&format!("HTTP/1.1 200 OK\r\n{fields}\r\n\r\n")).framing(true, false);
        framing.map_err(|error| error.kind)
    };
    assert_eq!(to_head("Content-Length: 5"), Ok(Framing::NoContent));
    assert_eq!(to_head("Transfer-Encoding: gzip"), Ok(Framing::NoContent));
    assert_eq!(to_head("Content-Length: x"), Err(Kind::WeirdReply));
}

#[test]
fn content_length_can_be_ignored() {
    let framing = |fields: &str| head(&format!("HTTP/1.1 200 OK\r\n{fields}\r\n\r\n")).framing(false, true);
    assert_eq!(framing("Content-Length: 5, 6"), Ok(Framing::UntilClose));
    assert_eq!(framing("Content-Length: 5\r\nTransfer-Encoding: chunked"), Ok(Framing::Chunked));
}

#[test]
fn connections_are_kept_as_the_version_and_the_field_say() {
    let kept =
        |version: &str, field: &str, framing| head(&format!("{version} 200 OK\r\n{field}\r\n")).keep_alive(framing);
    for (version, field, expected) in [
        ("HTTP/1.1", "", true),
        ("HTTP/1.1", "Connection: Close\r\n", false),
        ("HTTP/1.1", "Connection: keep-alive, close\r\n", false),
        ("HTTP/1.1", "Connection: closed\r\n", true),
        ("HTTP/1.0", "", false),
        ("HTTP/1.0", "Connection: x\r\nConnection: Keep-Alive\r\n", true),
    ] {
        assert_eq!(kept(version, field, Framing::Length(1)), expected, "{version} {field:?}");
        assert!(!kept(version, field, Framing::UntilClose), "{version} {field:?}");
    }
}

#[test]
fn location_is_one_value_in_ascii() {
    let location = |fields: &[u8]| {
        let raw = [b"HTTP/1.1 302 Found\r\n", fields, b"\r\n"].concat();
        Head::parse(&raw).and_then(|head| head.location()).map_err(|error| error.kind)
    };
    let some = |text: &str| Ok(Some(text.to_owned()));
    assert_eq!(location(b""), Ok(None));
    assert_eq!(location(b"Location:\r\n"), Ok(None));
    assert_eq!(location(b"LOCATION: /a b?c%20\r\nLocation: /a b?c%20\r\n"), some("/a b?c%20"));
    assert_eq!(location(b"Location: /\xe4\xc3\xa4\r\n"), some("/%E4%C3%A4"));
    assert_eq!(location(b"Location: /a\r\nLocation: /b\r\n"), Err(Kind::WeirdReply));
}

#[test]
fn synthetic_head_says_whether_there_is_content() {
    for (raw, expected) in [
        ("HTTP/1.1 204 x\r\nA: b\r\n\r\n", "HTTP/1.1 204 \r\nContent-Length: 0\r\nConnection: keep-alive\r\n\r\n"),
        (
            "HTTP/1.1 200 x\r\nContent-Length: 0\r\n\r\n",
            "HTTP/1.1 200 \r\nContent-Length: 0\r\nConnection: keep-alive\r\n\r\n",
        ),
        ("HTTP/1.0 200 x\r\n\r\n", "HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"),
        (
            "HTTP/1.1 200 x\r\nContent-Length: 5,5\r\n\r\n",
            "HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\nConnection: keep-alive\r\n\r\n",
        ),
        (
            "HTTP/1.0 500 x\nTransfer-Encoding: identity,\n chunked\n\n",
            "HTTP/1.1 500 \r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n",
        ),
    ] {
        let head = head(raw);
        let framing = head.framing(false, false).expect(raw);
        let synthetic = head.synthetic(framing, head.keep_alive(framing));
        assert_eq!(String::from_utf8_lossy(&synthetic), expected);
    }
}

fn drawn_head(u: &mut Unstructured<'_>) -> Drawn<Vec<u8>> {
    const PIECES: &[&[u8]] = &[
        b"HTTP/1.1 ",
        b"HTTP/1.0 ",
        b"200",
        b"204",
        b"302",
        b" OK",
        b"\r\n",
        b"\r\n",
        b"\r\n",
        b"\n",
        b"\r",
        b" ",
        b":",
        b",",
        b"Content-Length: ",
        b"Transfer-Encoding: ",
        b"Connection: ",
        b"Location: /",
        b"chunked",
        b"close",
        b"5",
        b"-",
        b"99999999999999999999",
        b"\xff",
        b"\0",
        b"x",
    ];
    let mut head = if u.ratio(4, 5)? { b"HTTP/1.1 200 OK\r\n".to_vec() } else { Vec::new() };
    for _ in 0..u.int_in_range(0..=16)? {
        head.extend_from_slice(u.choose(PIECES)?);
    }
    Ok(head)
}

#[test]
fn no_head_panics_and_every_synthetic_head_is_well_formed() {
    let mut parsed = 0_u32;
    arbtest(|u| {
        let raw = drawn_head(u)?;
        let Ok(head) = Head::parse(&raw) else { return Ok(()) };
        let _ = head.location();
        let Ok(framing) = head.framing(false, false) else { return Ok(()) };
        parsed += 1;
        let keep_alive = head.keep_alive(framing);
        let again = Head::parse(&head.synthetic(framing, keep_alive)).expect("well-formed");
        let shown = match framing {
            Framing::NoContent | Framing::Length(0) => framing,
            _ => Framing::Chunked,
        };
        assert_eq!(again.framing(false, false), Ok(shown), "{}", escape(&raw));
        assert_eq!((again.status, again.keep_alive(framing)), (head.status, keep_alive), "{}", escape(&raw));
        Ok(())
    });
    assert!(parsed > 0);
}
