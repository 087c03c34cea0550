//! TLS: what is trusted, what is shown, what was negotiated.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::ServerCertVerifier;
use rustls::crypto::ring;
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::version::{TLS12, TLS13};
use rustls::{ClientConfig, ClientConnection, ProtocolVersion, RootCertStore};

use super::settings::{TlsSettings, TlsVersions};
use super::timing::wall_clock;
use super::transfer::Tls;
use super::verifier::{Trust, Verifier};
use crate::error::{Error, Kind, Result, describe};
use crate::signals::while_at;

/// Where distributions keep their bundle of CA certificates, the most common first.
const BUNDLES: [&str; 6] = [
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
    "/etc/ssl/cert.pem",
    "/usr/local/share/certs/ca-root-nss.crt",
];

/// The configuration for these settings; reads the certificates, so only for https.
pub(super) fn config(settings: &TlsSettings) -> Result<Arc<ClientConfig>> {
    let provider = Arc::new(ring::default_provider());
    let versions: &[&rustls::SupportedProtocolVersion] = match settings.versions {
        TlsVersions::Both => &[&TLS13, &TLS12],
        TlsVersions::Only12 => &[&TLS12],
        TlsVersions::Only13 => &[&TLS13],
    };
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_protocol_versions(versions)
        .map_err(|error| Error::new(Kind::TlsHandshake, error.to_string()))?;
    let trust = if settings.insecure {
        Trust::Anyone
    } else {
        let Roots { store, named } = roots(settings)?;
        let usual = WebPkiServerVerifier::builder_with_provider(Arc::new(store), Arc::clone(&provider)).build();
        let usual = usual.map_err(|error| Error::new(Kind::CaFile, error.to_string()))?;
        Trust::Named { usual, named }
    };
    let verifier = Arc::new(Verifier { provider, trust });
    let builder = builder.dangerous().with_custom_certificate_verifier(verifier);
    let mut config = match &settings.certificate {
        None => builder.with_no_client_auth(),
        Some(file) => {
            let (chain, key) = client_certificate(file, settings.key.as_deref())?;
            builder.with_client_auth_cert(chain, key).map_err(|error| unusable(file, &error.to_string()))?
        }
    };
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}

/// What is trusted.
struct Roots {
    store: RootCertStore,
    /// The certificates that the user named, each of them.
    named: Vec<CertificateDer<'static>>,
}

/// `--cacert` and `--capath` (or their variables), else the system's bundle, else Mozilla's roots built in.
fn roots(settings: &TlsSettings) -> Result<Roots> {
    let mut store = RootCertStore::empty();
    let mut named = Vec::new();
    if settings.ca_file.is_none() && settings.ca_path.is_none() {
        let bundle = BUNDLES.iter().find_map(|path| Some((path, CertificateDer::pem_file_iter(path).ok()?)));
        match bundle {
            None => store.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned()),
            Some((path, certificates)) => {
                if store.add_parsable_certificates(certificates.flatten()).0 == 0 {
                    return Err(no_certificate(Path::new(path)));
                }
            }
        }
        return Ok(Roots { store, named });
    }
    if let Some(file) = &settings.ca_file {
        let unusable = |why: String| Error::new(Kind::CaFile, format!("{}: {why}", file.display()));
        let certificates = certificates(file)?
            .map_err(|error| unusable(format!("no usable CA certificates: {}", pem_reason(&error))))?;
        named.extend(certificates.iter().cloned());
        if store.add_parsable_certificates(certificates).0 == 0 {
            return Err(no_certificate(file));
        }
    }
    if let Some(folder) = &settings.ca_path {
        for file in files_of(folder)? {
            // A folder of certificates holds other files too (its README, links by hash to the same file).
            let read = || CertificateDer::pem_file_iter(&file).map(|found| found.flatten().collect::<Vec<_>>());
            if let Ok(certificates) = while_at(&file, read)? {
                named.extend(certificates.iter().cloned());
                store.add_parsable_certificates(certificates);
            }
        }
        if store.is_empty() {
            return Err(no_certificate(folder));
        }
    }
    Ok(Roots { store, named })
}

/// All that are in a file; the outer error is a signal's.
fn certificates(file: &Path) -> Result<std::result::Result<Vec<CertificateDer<'static>>, pem::Error>> {
    while_at(file, || CertificateDer::pem_file_iter(file).and_then(Iterator::collect))
}

fn no_certificate(place: &Path) -> Error {
    Error::new(Kind::CaFile, format!("{}: no CA certificate in it (PEM is expected)", place.display()))
}

fn files_of(folder: &Path) -> Result<Vec<PathBuf>> {
    let unusable =
        |error: std::io::Error| Error::new(Kind::CaFile, format!("{}: {}", folder.display(), describe(&error)));
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(unusable)? {
        files.push(entry.map_err(unusable)?.path());
    }
    files.sort();
    Ok(files)
}

fn client_certificate(
    file: &Path,
    key: Option<&Path>,
) -> Result<(Vec<CertificateDer<'static>>, PrivateKeyDer<'static>)> {
    let chain = certificates(file)?.map_err(|error| unusable(file, &pem_reason(&error)))?;
    if chain.is_empty() {
        return Err(unusable(file, "no certificate in it (PEM is expected)"));
    }
    let key_file = key.unwrap_or(file);
    let key = while_at(key_file, || PrivateKeyDer::from_pem_file(key_file))?.map_err(|error| {
        unusable(key_file, &format!("no private key: {} (PEM without a password is expected)", pem_reason(&error)))
    })?;
    Ok((chain, key))
}

fn unusable(file: &Path, why: &str) -> Error {
    Error::new(Kind::ClientCertificate, format!("client certificate {}: {why}", file.display()))
}

fn pem_reason(error: &pem::Error) -> String {
    use pem::Error as Pem;
    match error {
        Pem::Io(error) => describe(error),
        Pem::NoItemsFound => "nothing of the kind in the file".to_owned(),
        other => other.to_string(),
    }
}

/// The name to ask for and to verify; SNI leaves addresses and a final dot out.
pub(super) fn server_name(host: &str) -> Result<ServerName<'static>> {
    ServerName::try_from(host.strip_suffix('.').unwrap_or(host).to_owned())
        .map_err(|_| Error::new(Kind::Url, format!("{host} is no name that TLS can ask for")))
}

/// What a finished handshake negotiated.
pub(super) fn negotiated(connection: &ClientConnection) -> Tls {
    let version = match connection.protocol_version() {
        Some(ProtocolVersion::TLSv1_2) => "TLSv1.2",
        _ => "TLSv1.3",
    };
    let suite = connection.negotiated_cipher_suite().map(|suite| format!("{:?}", suite.suite())).unwrap_or_default();
    let certificates: Vec<Vec<u8>> =
        connection.peer_certificates().unwrap_or_default().iter().map(|der| der.as_ref().to_vec()).collect();
    // rustls names the suites of TLS 1.3 TLS13_…; IANA's names have no version in them.
    Tls { version, cipher: suite.replacen("TLS13_", "TLS_", 1), unverified: None, certificates }
}

/// Whether these certificates of a host would be trusted without `-k`.
pub(super) fn would_trust(certificates: &[Vec<u8>], host: &str) -> bool {
    let chain: Vec<CertificateDer<'_>> = certificates.iter().map(|der| CertificateDer::from(der.as_slice())).collect();
    let verified = || -> Option<()> {
        let roots = Arc::new(roots(&TlsSettings::default()).ok()?.store);
        let provider = Arc::new(ring::default_provider());
        let verifier = WebPkiServerVerifier::builder_with_provider(roots, provider).build().ok()?;
        let (first, rest) = chain.split_first()?;
        let now = UnixTime::since_unix_epoch(wall_clock().duration_since(SystemTime::UNIX_EPOCH).ok()?);
        verifier.verify_server_cert(first, rest, &server_name(host).ok()?, &[], now).ok()?;
        Some(())
    };
    verified().is_some()
}
