//! Who asks: `-u`, bearer tokens, `.netrc`, the URL's user info, and the password asked for on the terminal.

use std::io::{self, Read, Write};
use std::path::PathBuf;

use rustix::termios::{LocalModes, OptionalActions, SpecialCodeIndex, tcgetattr, tcsetattr};

use super::Outside;
use super::args::{Args, usage};
use super::fields::{head_text, no_control};
use super::netrc;
use crate::error::{Error, Kind, Result};
use crate::http::credentials::basic;
use crate::http::url::Url;

/// The value of Authorization: a bearer token, else `-u`, else `.netrc`, else the URL.
pub fn authorization(args: &mut Args, url: &Url, outside: &mut Outside) -> Result<Option<String>> {
    let token = bearer(args, outside)?;
    let user = args.text("--user")?;
    let netrc =
        Netrc { required: args.on("--netrc"), optional: args.on("--netrc-optional"), file: args.path("--netrc-file")? };
    if let Some(token) = token {
        return Ok(Some(format!("Bearer {token}")));
    }
    let login = match user {
        Some(user) => Some(with_password("--user", user, outside)?),
        None => netrc.login(url, outside)?.or_else(|| of_url(url)),
    };
    let split = |login: String| login.split_once(':').map(|(user, password)| basic(user, password));
    Ok(login.and_then(split))
}

fn bearer(args: &mut Args, outside: &Outside) -> Result<Option<String>> {
    let token = head_text("--oauth2-bearer", args)?;
    let Some(variable) = args.text("--bearer-env")? else {
        return Ok(token);
    };
    if token.is_some() {
        return Err(usage("--bearer-env and --oauth2-bearer: give one of them"));
    }
    // What is no usual name may be the token itself, which must not be shown.
    let is_name = variable.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_');
    let value = outside.variable(&variable).ok_or_else(|| {
        usage(if is_name {
            format!("--bearer-env: the environment has no variable {variable}, or it is empty")
        } else {
            "--bearer-env takes the name of a variable of the environment, and none has that name; it is not shown, as \
             it may be the token"
                .to_owned()
        })
    })?;
    let value = value.into_string().map_err(|_| usage(format!("--bearer-env: {variable} is not UTF-8")))?;
    no_control(&format!("--bearer-env {variable}"), &value)?;
    Ok(Some(value))
}

/// `USER:PASSWORD`; a missing password is asked for.
pub fn with_password(key: &str, user: String, outside: &mut Outside) -> Result<String> {
    if user.contains(':') {
        return Ok(user);
    }
    let password = (outside.ask)(&format!("Password for {user}: ")).map_err(|error| match error.kind() {
        io::ErrorKind::Interrupted => Error::new(Kind::Interrupted, "interrupted while asking for a password"),
        _ => {
            usage(format!("{key}: no password for {user}, and no terminal to ask ({error}); give {key} USER:PASSWORD"))
        }
    })?;
    Ok(format!("{user}:{password}"))
}

fn of_url(url: &Url) -> Option<String> {
    let part = |part: &Option<String>| part.clone().unwrap_or_default();
    (url.user.is_some() || url.password.is_some()).then(|| format!("{}:{}", part(&url.user), part(&url.password)))
}

struct Netrc {
    required: bool,
    optional: bool,
    file: Option<PathBuf>,
}

impl Netrc {
    /// `--netrc-optional` only fills in what the URL leaves out, and does without the file.
    fn login(self, url: &Url, outside: &Outside) -> Result<Option<String>> {
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
        let login = found.map(|(login, password)| String::from_utf8([login, password].join(&b':'))).transpose();
        login.map_err(|_| failed(&shown, "the entry is not UTF-8".into()))
    }
}

/// Asks on the terminal, whatever stdin and stdout are, without showing what is typed.
pub fn ask_on_terminal(prompt: &str) -> io::Result<String> {
    let terminal = std::fs::File::options().read(true).write(true).open("/dev/tty")?;
    let before = tcgetattr(&terminal)?;
    let mut hidden = before.clone();
    // Ctrl-C ends the line instead of raising SIGINT: its handler would not end the reading.
    hidden.local_modes.remove(LocalModes::ECHO | LocalModes::ISIG);
    hidden.special_codes[SpecialCodeIndex::VEOL] = CTRL_C;
    tcsetattr(&terminal, OptionalActions::Flush, &hidden)?;
    let asked = (&terminal).write_all(prompt.as_bytes()).and_then(|()| typed_line(&terminal));
    tcsetattr(&terminal, OptionalActions::Flush, &before)?;
    (&terminal).write_all(b"\n")?;
    asked
}

const CTRL_C: u8 = 3;

/// A terminal hands out whole lines, of 4096 bytes at most.
fn typed_line(mut terminal: &std::fs::File) -> io::Result<String> {
    let mut line = [0; 4096];
    let length = terminal.read(&mut line)?;
    match line[..length].split_last() {
        None => Err(io::ErrorKind::UnexpectedEof.into()),
        Some((&CTRL_C, _)) => Err(io::ErrorKind::Interrupted.into()),
        Some((b'\n', line)) => String::from_utf8(line.to_vec()).map_err(io::Error::other),
        // Ctrl-D behind some letters.
        Some(_) => String::from_utf8(line[..length].to_vec()).map_err(io::Error::other),
    }
}
