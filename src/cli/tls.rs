//! Certificates, keys and versions.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

use super::Outside;
use super::args::{Args, usage};
use crate::error::Result;
use crate::http::{TlsSettings, TlsVersions};

/// The TLS options, and the environment where no CA was named and one is needed.
pub fn tls(args: &mut Args, outside: &Outside) -> Result<TlsSettings> {
    for key in ["--cert-type", "--key-type"] {
        if args.text(key)?.is_some_and(|name| !name.eq_ignore_ascii_case("PEM")) {
            return Err(usage(format!("{key}: PEM is the only type; openssl can convert to it")));
        }
    }
    let insecure = args.on("--insecure");
    let (mut ca_file, mut ca_path) = (args.path("--cacert")?, args.path("--capath")?);
    if ca_file.is_none() && ca_path.is_none() && !insecure {
        let path = |name| outside.variable(name).map(PathBuf::from);
        ca_file = path("CURL_CA_BUNDLE");
        if ca_file.is_none() {
            (ca_file, ca_path) = (path("SSL_CERT_FILE"), path("SSL_CERT_DIR"));
        }
    }
    let min_13 = args.on("--tlsv1.3");
    // curl's lower bounds below 1.2: 1.2 satisfies them.
    let _ = ["--tlsv1", "--tlsv1.0", "--tlsv1.1", "--tlsv1.2"].map(|key| args.on(key));
    let max_12 = args.parsed("--tls-max", max_12)?.unwrap_or_default();
    let versions = match (min_13, max_12) {
        (false, false) => TlsVersions::Both,
        (false, true) => TlsVersions::Only12,
        (true, false) => TlsVersions::Only13,
        (true, true) => return Err(usage("--tlsv1.3 and --tls-max 1.2 leave no version")),
    };
    let certificate = args.os("--cert")?.as_deref().map(certificate).transpose()?;
    Ok(TlsSettings { insecure, ca_file, ca_path, certificate, key: args.path("--key")?, versions })
}

fn max_12(version: &str) -> Result<bool, String> {
    match version {
        "1.2" => Ok(true),
        "1.3" | "default" => Ok(false),
        "1.0" | "1.1" => Err(format!("TLS {version} is not supported, 1.2 and 1.3 are")),
        _ => Err(format!("'{version}' is not 1.2, 1.3 or default")),
    }
}

/// `FILE[:PASSWORD]`, where `\:` and `\\` stand for themselves.
fn certificate(given: &OsStr) -> Result<PathBuf> {
    let mut path = Vec::new();
    let mut bytes = given.as_bytes().iter();
    while let Some(byte) = bytes.next() {
        match (byte, bytes.as_slice().first()) {
            (b'\\', Some(escaped @ (b'\\' | b':'))) => {
                path.push(*escaped);
                bytes.next();
            }
            (b':', Some(_)) => {
                return Err(usage(
                    "--cert: keys with a passphrase are not supported; a colon of the file's name is written as \\:",
                ));
            }
            (b':', None) => {}
            _ => path.push(*byte),
        }
    }
    if path.is_empty() {
        return Err(usage("--cert: the file name is empty"));
    }
    Ok(PathBuf::from(OsString::from_vec(path)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Kind;

    #[test]
    fn certificates_may_have_colons_but_no_password() {
        for (given, path) in
            [("a.pem", "a.pem"), (r"a\:b", "a:b"), (r"a\\b", r"a\b"), (r"a\b", r"a\b"), ("a:", "a"), ("a\\", "a\\")]
        {
            assert_eq!(certificate(given.as_ref()), Ok(PathBuf::from(path)), "{given}");
        }
        for given in ["a.pem:secret", "", ":"] {
            let error = certificate(given.as_ref()).unwrap_err();
            assert_eq!(error.kind, Kind::Usage);
            assert!(!error.message.contains("secret"));
        }
    }
}
