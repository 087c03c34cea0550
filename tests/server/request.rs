//! A request as it arrived, raw and split.

use std::io::Read;

/// What a client sent.
#[derive(Debug, Clone)]
pub struct Request {
    /// The raw head with its final blank line.
    pub head: Vec<u8>,
    /// The first word of the request line.
    pub method: String,
    /// The second word of the request line.
    pub target: String,
    /// Names as sent, values without surrounding white space, in order.
    pub fields: Vec<(String, String)>,
    /// The content without its transfer coding, still in its content coding.
    pub content: Vec<u8>,
}

impl Request {
    /// Splits a head; the content is still to be read.
    pub fn parse(head: Vec<u8>) -> Request {
        let text = std::str::from_utf8(&head).expect("a head in UTF-8");
        let mut lines = text.strip_suffix("\r\n\r\n").expect("a whole head").split("\r\n");
        let line: Vec<&str> = lines.next().expect("a request line").split(' ').collect();
        let [method, target, version] = line[..] else { panic!("request line {line:?}") };
        assert!(version.starts_with("HTTP/1."), "request line {line:?}");
        let (method, target) = (method.to_owned(), target.to_owned());
        let fields = lines.map(field).collect();
        Request { method, target, fields, content: Vec::new(), head }
    }

    /// The value of a field by its name in any case; it must not occur twice.
    #[track_caller]
    pub fn field(&self, name: &str) -> Option<&str> {
        let mut values = self.fields.iter().filter(|field| field.0.eq_ignore_ascii_case(name));
        let value = values.next()?.1.as_str();
        assert!(values.next().is_none(), "{name} occurs twice: {:?}", self.fields);
        Some(value)
    }

    /// The content without its coding: gunzipped when `Content-Encoding` is `gzip`, in lower case as relays need it.
    #[track_caller]
    pub fn decoded(&self) -> Vec<u8> {
        match self.field("content-encoding") {
            None => self.content.clone(),
            Some("gzip") => gunzip(&self.content),
            Some(other) => panic!("content coding {other:?}"),
        }
    }
}

fn field(line: &str) -> (String, String) {
    let (name, value) = line.split_once(':').unwrap_or_else(|| panic!("field line {line:?}"));
    (name.to_owned(), value.trim_matches([' ', '\t']).to_owned())
}

/// The bytes of exactly one gzip member; anything behind it fails the test.
#[track_caller]
pub fn gunzip(member: &[u8]) -> Vec<u8> {
    let mut decoder = flate2::bufread::GzDecoder::new(member);
    let mut bytes = Vec::new();
    decoder.read_to_end(&mut bytes).expect("a gzip member");
    let rest = decoder.into_inner();
    assert!(rest.is_empty(), "{} bytes behind the gzip member", rest.len());
    bytes
}

/// A gzip member with these bytes.
pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut member = Vec::new();
    let mut encoder = flate2::bufread::GzEncoder::new(bytes, flate2::Compression::new(6));
    encoder.read_to_end(&mut member).expect("gzip of a slice");
    member
}
