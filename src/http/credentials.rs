//! Secrets: how Basic credentials are made, what never shows, and how foreign bytes show.

use std::borrow::Cow;

/// What stands in the place of a secret.
pub const REDACTED: &str = "<redacted>";

/// Fields of a request that carry credentials. curl knows the first two only; keys of gateways are no less secret.
pub const OF_REQUEST: [&str; 5] = ["Authorization", "Cookie", "x-api-key", "api-key", "x-goog-api-key"];

/// Fields beside those whose values are secrets.
const OF_OTHERS: [&str; 2] = ["Proxy-Authorization", "Set-Cookie"];

/// Parts of the names of fields and of query parameters that hold secrets.
const SECRET_WORDS: [&str; 10] =
    ["auth", "cookie", "credential", "jwt", "key", "pass", "pwd", "secret", "signature", "token"];

/// The value of Authorization for a user and a password (RFC 7617): `Basic dTpw`.
#[must_use]
pub fn basic(user: &str, password: &str) -> String {
    format!("Basic {}", base64(format!("{user}:{password}").as_bytes()))
}

/// RFC 4648, section 4.
#[must_use]
pub fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let bits = group.iter().fold(0, |bits, &byte| bits << 8 | u32::from(byte)) << (8 * (3 - group.len()));
        for place in 0..4 {
            let index = (bits >> (18 - 6 * place)) & 63;
            text.push(if place > group.len() { '=' } else { char::from(ALPHABET[index as usize]) });
        }
    }
    text
}

/// The value of a field as it may be shown: `<redacted>` when the name, in any case, says that it is a secret.
#[must_use]
pub fn redact_field<'a>(name: &str, value: &'a str) -> &'a str {
    let secret = OF_REQUEST.iter().chain(&OF_OTHERS).any(|field| name.trim().eq_ignore_ascii_case(field));
    if secret { REDACTED } else { value }
}

/// Whether the value behind a name, in a query or in a field of the user's own, is likely a secret.
#[must_use]
pub fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    matches!(&*name, "sig" | "code") || SECRET_WORDS.iter().any(|word| name.contains(word))
}

/// A query, or what holds one behind a `?` or `#`, with `<redacted>` for values that are likely secrets.
#[must_use]
pub fn redact_query(text: &str) -> Cow<'_, str> {
    if !text.split('&').any(|parameter| secret_value(parameter).is_some()) {
        return Cow::Borrowed(text);
    }
    let shown = |parameter: &str| match secret_value(parameter) {
        Some(at) => format!("{}{REDACTED}", &parameter[..at]),
        None => parameter.to_owned(),
    };
    Cow::Owned(text.split('&').map(shown).collect::<Vec<_>>().join("&"))
}

/// Where the value of a secret begins; a path may stand in front of its name, and a fragment behind another value.
fn secret_value(parameter: &str) -> Option<usize> {
    let mut ends = parameter.match_indices('=').map(|(at, _)| at);
    let name = |end: usize| parameter[..end].rsplit(['?', '#', '=']).next().unwrap_or_default();
    ends.find(|end| is_secret(name(*end))).map(|end| end + 1)
}

/// Foreign text for a terminal: control characters and broken UTF-8 become visible (`\x1b`), tabs stay.
#[must_use]
pub fn escape(text: &[u8]) -> String {
    let mut escaped = String::with_capacity(text.len());
    for chunk in text.utf8_chunks() {
        for character in chunk.valid().chars() {
            match u8::try_from(character) {
                Ok(b'\t') => escaped.push('\t'),
                Ok(byte) if byte.is_ascii_control() => escaped.extend(byte.escape_ascii().map(char::from)),
                // The other control characters: U+009B starts a terminal's sequences as ESC [ does.
                Ok(0x80..=0x9f) => escaped.extend(character.escape_unicode()),
                _ => escaped.push(character),
            }
        }
        escaped.extend(chunk.invalid().escape_ascii().map(char::from));
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::{base64, basic, escape, redact_field, redact_query};

    #[test]
    fn base64_pads_as_rfc_4648_shows() {
        let examples =
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("\u{ff}", "w78=")];
        for (bytes, text) in examples {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
    }

    #[test]
    fn basic_is_padded_base64() {
        for (user, password, value) in [
            ("", "", "Basic Og=="),
            ("u", "", "Basic dTo="),
            ("u", "p", "Basic dTpw"),
            ("Aladdin", "open sesame", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="),
            ("test", "123\u{a3}", "Basic dGVzdDoxMjPCow=="),
            ("\u{ff}\u{3ff}", "?>~", "Basic w7/Pvzo/Pn4="),
        ] {
            assert_eq!(basic(user, password), value);
        }
    }

    #[test]
    fn secret_fields_are_redacted_in_any_case() {
        for name in
            ["Authorization", "PROXY-authorization", "x-api-key ", "Api-Key", "X-Goog-Api-Key", "cookie", "Set-Cookie"]
        {
            assert_eq!(redact_field(name, "secret"), "<redacted>", "{name}");
        }
        assert_eq!(redact_field("WWW-Authenticate", "Basic"), "Basic");
        assert_eq!(redact_field("Authorization-Info", "x"), "x");
    }

    #[test]
    fn secrets_of_queries_are_redacted_wherever_the_query_is() {
        for (text, shown) in [
            ("key=hush&a=b", "key=<redacted>&a=b"),
            ("a=b&X-Signature=hush==", "a=b&X-Signature=<redacted>"),
            ("/path?sig=hush", "/path?sig=<redacted>"),
            ("/path?a=b#access_token=hush&c=d", "/path?a=b#access_token=<redacted>&c=d"),
            ("to=http://h/?key=hush", "to=http://h/?key=<redacted>"),
            ("/keys?a=b", "/keys?a=b"),
            ("/path", "/path"),
            ("", ""),
        ] {
            assert_eq!(redact_query(text), shown);
        }
    }

    #[test]
    fn control_characters_become_visible() {
        assert_eq!(escape(b"a\x1b[31mb\x07\x7f\0"), "a\\x1b[31mb\\x07\\x7f\\x00");
        assert_eq!(escape("a\tb\r\nc\u{e4}\u{9b}m".as_bytes()), "a\tb\\r\\nc\u{e4}\\u{9b}m");
        assert_eq!(escape(b"\xe4\xff."), "\\xe4\\xff.");
    }

    #[test]
    fn escaped_text_holds_no_control_characters() {
        arbtest::arbtest(|u| {
            let escaped = escape(u.arbitrary::<&[u8]>()?);
            assert!(escaped.chars().all(|character| character == '\t' || !character.is_control()), "{escaped:?}");
            Ok(())
        });
    }
}
