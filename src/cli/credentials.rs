//! Who asks: `-u`, bearer tokens, `.netrc`, the URL's user info, and the password asked for on the terminal.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;

use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};

use super::Outside;
use super::args::{Args, usage};
use super::fields::{head_text, no_control};
use super::netrc;
use crate::error::{Error, Kind, Result};
use crate::http::url::Url;

/// The value of Authorization: a bearer token, else `-u`, else `.netrc`, else the URL.
pub fn authorization(args: &mut Args, url: &Url, outside: &mut Outside) -> Result<Option<String>> {
    let token = bearer(args, outside)?;
    let user = args.os("--user")?;
    let netrc =
        Netrc { required: args.on("--netrc"), optional: args.on("--netrc-optional"), file: args.path("--netrc-file")? };
    if let Some(token) = token {
        return Ok(Some(format!("Bearer {token}")));
    }
    let login = match user {
        Some(user) => Some(with_password("--user", user, outside)?),
        None => netrc.login(url, outside)?.or_else(|| of_url(url)),
    };
    Ok(login.map(|login| basic(&login)))
}

/// The value of Authorization or Proxy-Authorization (RFC 7617).
fn basic(login: &[u8]) -> String {
    format!("Basic {}", base64(login))
}

/// RFC 4648, section 4.
fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let bits = (0..3).fold(0, |bits, index| bits << 8 | usize::from(group.get(index).copied().unwrap_or_default()));
        for index in 0..4 {
            let letter = ALPHABET[bits >> (18 - 6 * index) & 63];
            text.push(if index <= group.len() { char::from(letter) } else { '=' });
        }
    }
    text
}

fn bearer(args: &mut Args, outside: &Outside) -> Result<Option<String>> {
    let token = head_text("--oauth2-bearer", args)?;
    let Some(variable) = args.text("--bearer-env")? else {
        return Ok(token);
    };
    if token.is_some() {
        return Err(usage("--bearer-env and --oauth2-bearer: give one of them"));
    }
    let value = outside
        .variable(&variable)
        .ok_or_else(|| usage(format!("--bearer-env: the environment has no variable {variable}, or it is empty")))?;
    let value = value.into_string().map_err(|_| usage(format!("--bearer-env: {variable} is not UTF-8")))?;
    no_control(&format!("--bearer-env {variable}"), &value)?;
    Ok(Some(value))
}

/// `USER:PASSWORD` as bytes; a missing password is asked for.
pub fn with_password(key: &str, user: OsString, outside: &mut Outside) -> Result<Vec<u8>> {
    use std::os::unix::ffi::OsStringExt;
    let user = user.into_vec();
    if user.contains(&b':') {
        return Ok(user);
    }
    let shown = String::from_utf8_lossy(&user);
    let password = (outside.ask)(&format!("Password for {shown}: ")).map_err(|error| {
        usage(format!(
            "{key}: no password for {shown}, and no terminal to ask for it ({error}); give {key} USER:PASSWORD"
        ))
    })?;
    Ok([&user, password.as_bytes()].join(&b':'))
}

fn of_url(url: &Url) -> Option<Vec<u8>> {
    let part = |part: &Option<String>| part.clone().unwrap_or_default();
    (url.user.is_some() || url.password.is_some())
        .then(|| format!("{}:{}", part(&url.user), part(&url.password)).into())
}

struct Netrc {
    required: bool,
    optional: bool,
    file: Option<PathBuf>,
}

impl Netrc {
    /// `--netrc-optional` only fills in what the URL leaves out, and does without the file.
    fn login(self, url: &Url, outside: &Outside) -> Result<Option<Vec<u8>>> {
        let complete = url.user.is_some() && url.password.is_some();
        if !(self.optional || self.required || self.file.is_some()) || self.optional && complete {
            return Ok(None);
        }
        let home = || outside.variable("HOME").map(|home| PathBuf::from(home).join(".netrc"));
        let path = self.file.or_else(|| outside.variable("NETRC").map(PathBuf::from)).or_else(home);
        let failed = |path: &str, why: String| Error::new(Kind::Read, format!("--netrc: {path}: {why}"));
        let Some(path) = path else {
            return if self.optional { Ok(None) } else { Err(failed("~/.netrc", "HOME is not set".into())) };
        };
        let shown = path.to_string_lossy();
        let text = match std::fs::read(&path) {
            Err(_) if self.optional => return Ok(None),
            read => read.map_err(|error| failed(&shown, error.to_string()))?,
        };
        let user = url.user.as_ref().filter(|user| !user.is_empty()).map(String::as_bytes);
        let found = match netrc::find(&text, &url.host, user) {
            Err(_) if self.optional => None,
            found => found.map_err(|why| failed(&shown, why.into()))?,
        };
        Ok(found.map(|(login, password)| [login, password].join(&b':')))
    }
}

/// Asks on the terminal, whatever stdin and stdout are, without showing what is typed.
pub fn ask_on_terminal(prompt: &str) -> std::io::Result<String> {
    let terminal = std::fs::File::options().read(true).write(true).open("/dev/tty")?;
    let before = tcgetattr(&terminal)?;
    let mut hidden = before.clone();
    hidden.local_modes.remove(LocalModes::ECHO);
    tcsetattr(&terminal, OptionalActions::Flush, &hidden)?;
    let mut line = String::new();
    let asked = (&terminal).write_all(prompt.as_bytes()).and_then(|()| BufReader::new(&terminal).read_line(&mut line));
    tcsetattr(&terminal, OptionalActions::Flush, &before)?;
    (&terminal).write_all(b"\n")?;
    asked?;
    Ok(line.trim_end_matches(['\r', '\n']).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_of_rfc_4648() {
        for (text, coded) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(base64(text.as_bytes()), coded);
        }
        assert_eq!(base64(&[0xff, 0xef, 0xbe]), "/+++");
    }
}
