//! `.netrc` files as curl reads them: `machine`, `default`, `login`, `password`, `account`, `macdef`.

/// A login and a password, either of which may be empty.
pub type Login = (Vec<u8>, Vec<u8>);

/// The entry for this host, and for this user when one is asked for: the first that says anything.
/// Entries without a login are for any user; a quote that does not end is an error.
pub fn find(text: &[u8], host: &str, user: Option<&[u8]>) -> Result<Option<Login>, &'static str> {
    let text = without_comments(text);
    let mut tokens = Tokens { rest: &text };
    let mut entry = None;
    while let Some(token) = tokens.next()? {
        match &*token.keyword() {
            b"machine" | b"default" | b"macdef" => {
                if let Some(login) = entry.take().and_then(|entry| matching(entry, user)) {
                    return Ok(Some(login));
                }
                match &*token.keyword() {
                    b"machine" => {
                        let name = tokens.next()?.map(|token| token.text);
                        entry =
                            name.filter(|name| name.eq_ignore_ascii_case(host.as_bytes())).map(|_| Entry::default());
                    }
                    b"default" => entry = Some(Entry::default()),
                    _ => tokens.pass_empty_line(),
                }
            }
            b"account" => drop(tokens.next()?),
            b"login" => {
                let login = tokens.next()?.map(|token| token.text);
                entry = entry.map(|entry| Entry { login, ..entry });
            }
            b"password" => {
                let password = tokens.next()?.map(|token| token.text);
                entry = entry.map(|entry| Entry { password, ..entry });
            }
            _ => {}
        }
    }
    Ok(entry.and_then(|entry| matching(entry, user)))
}

#[derive(Default)]
struct Entry {
    login: Option<Vec<u8>>,
    password: Option<Vec<u8>>,
}

fn matching(entry: Entry, user: Option<&[u8]>) -> Option<Login> {
    match (entry.login, entry.password, user) {
        (Some(login), password, None) => Some((login, password.unwrap_or_default())),
        (Some(login), Some(password), Some(user)) if login == user => Some((login, password)),
        (None, Some(password), user) => Some((user.unwrap_or_default().to_vec(), password)),
        _ => None,
    }
}

fn without_comments(text: &[u8]) -> Vec<u8> {
    let comment = |line: &[u8]| line.iter().find(|byte| !matches!(byte, b' ' | b'\t')) == Some(&b'#');
    text.split_inclusive(|byte| *byte == b'\n').filter(|line| !comment(line)).collect::<Vec<_>>().concat()
}

struct Token {
    text: Vec<u8>,
    quoted: bool,
}

impl Token {
    /// In lower case; a quoted word is no keyword.
    fn keyword(&self) -> Vec<u8> {
        if self.quoted { Vec::new() } else { self.text.to_ascii_lowercase() }
    }
}

struct Tokens<'a> {
    rest: &'a [u8],
}

impl Tokens<'_> {
    fn next(&mut self) -> Result<Option<Token>, &'static str> {
        self.rest = self.rest.trim_ascii_start();
        match self.rest {
            [] => Ok(None),
            [b'"', quoted @ ..] => {
                let (text, length) = unquote(quoted).ok_or("a quote that does not end")?;
                self.rest = &quoted[length..];
                Ok(Some(Token { text, quoted: true }))
            }
            rest => {
                let end = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
                self.rest = &rest[end..];
                Ok(Some(Token { text: rest[..end].to_vec(), quoted: false }))
            }
        }
    }

    /// A macro ends with an empty line.
    fn pass_empty_line(&mut self) {
        let text: Vec<&[u8]> = self.rest.split_inclusive(|byte| *byte == b'\n').collect();
        let empty = |line: &&[u8]| line.iter().all(|byte| matches!(byte, b'\r' | b'\n'));
        let macro_lines = text.iter().skip(1).position(empty).map_or(text.len(), |index| index + 1);
        self.rest = &self.rest[text[..macro_lines].iter().map(|line| line.len()).sum()..];
    }
}

/// The text up to the closing quote, and how many bytes it took with the quote.
fn unquote(text: &[u8]) -> Option<(Vec<u8>, usize)> {
    let mut value = Vec::new();
    let mut bytes = text.iter().enumerate();
    while let Some((index, byte)) = bytes.next() {
        match byte {
            b'"' => return Some((value, index + 1)),
            b'\\' => value.push(match bytes.next()?.1 {
                b'n' => b'\n',
                b'r' => b'\r',
                b't' => b'\t',
                other => *other,
            }),
            _ => value.push(*byte),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    const FILE: &str = "# comment\nmachine one.example login ann password \"a b\\\"c\"\n\
        MACHINE two.example\n\tLogin bob\n\tpassword b1\n\
        machine two.example login eve password e1\n\
        macdef init\ncd /\nmachine fake.example login no password no\n\n\
        machine three.example password only\n  # machine four.example login x password y\n\
        machine five.example account acc login password\n\
        default login anonymous password guest\n";

    fn find(host: &str, user: Option<&str>) -> Option<(String, String)> {
        let found = super::find(FILE.as_bytes(), host, user.map(str::as_bytes)).unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        found.map(|(login, password)| (text(login), text(password)))
    }

    #[test]
    fn the_entry_of_a_host() {
        for (host, user, login, password) in [
            ("one.example", None, "ann", "a b\"c"),
            ("ONE.example", None, "ann", "a b\"c"),
            ("two.example", None, "bob", "b1"),
            ("two.example", Some("eve"), "eve", "e1"),
            ("three.example", None, "", "only"),
            ("three.example", Some("zoe"), "zoe", "only"),
            ("fake.example", None, "anonymous", "guest"),
            ("four.example", None, "anonymous", "guest"),
            ("five.example", None, "password", ""),
            ("other.example", None, "anonymous", "guest"),
        ] {
            assert_eq!(find(host, user), Some((login.into(), password.into())), "{host} {user:?}");
        }
        assert_eq!(find("two.example", Some("mallory")), None);
    }

    #[test]
    fn an_open_quote_is_an_error() {
        assert!(super::find(b"machine a login \"b", "a", None).is_err());
        assert_eq!(super::find(b"", "a", None), Ok(None));
        assert_eq!(super::find(b"machine", "a", None), Ok(None));
    }

    #[test]
    fn any_text_is_read() {
        arbtest::arbtest(|u| {
            let words =
                ["machine", "a", "login", "password", "default", "macdef", "\"", "\\", "\n", " ", "#", "account"];
            let text: String =
                (0..u.int_in_range(0..=30)?).map(|_| u.choose(&words).copied()).collect::<Result<_, _>>()?;
            let spaced: Vec<&str> = text.split("").collect();
            for text in [text.clone(), spaced.join(" ")] {
                let _ = super::find(text.as_bytes(), "a", None);
            }
            Ok(())
        });
    }
}
