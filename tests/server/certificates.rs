//! Certificates made afresh, so that none expires: an authority and what it issues.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime};

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, ExtendedKeyUsagePurpose, IsCa, KeyPair};
use rcgen::{KeyUsagePurpose, date_time_ymd};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};

use crate::program::TempDir;

/// A certificate authority of one test, with its files in a folder of its own.
pub struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
    dir: TempDir,
    issued: AtomicU32,
}

/// What a server's certificate says.
pub struct Leaf {
    /// Host names and addresses.
    pub names: Vec<&'static str>,
    /// From when until when it is valid, in days from now.
    pub days: Range<i64>,
}

impl Default for Leaf {
    fn default() -> Leaf {
        Leaf { names: vec!["localhost", "127.0.0.1"], days: -1..90 }
    }
}

/// A certificate with its key, as values and as PEM files.
pub struct Issued {
    /// The certificate.
    pub certificate: CertificateDer<'static>,
    /// Its key.
    pub key: PrivateKeyDer<'static>,
    /// The certificate in PEM.
    pub certificate_file: PathBuf,
    /// The key in PEM.
    pub key_file: PathBuf,
}

impl Authority {
    /// A new authority that nobody trusts yet.
    pub fn new() -> Authority {
        let mut params = CertificateParams::new(Vec::new()).expect("no names");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        params.distinguished_name.push(DnType::CommonName, "gzpost tests");
        let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().expect("a key")).expect("an authority");
        let dir = TempDir::new();
        dir.write("ca.pem", issuer.pem());
        Authority { issuer, dir, issued: AtomicU32::new(0) }
    }

    /// The authority's certificate in PEM, for `--cacert`.
    pub fn file(&self) -> PathBuf {
        self.dir.path().join("ca.pem")
    }

    /// The authority's certificate.
    pub fn certificate(&self) -> CertificateDer<'static> {
        self.issuer.der().clone()
    }

    /// A server's certificate.
    pub fn leaf(&self, leaf: &Leaf) -> Issued {
        let names: Vec<String> = leaf.names.iter().map(|&name| name.to_owned()).collect();
        self.issue(names, &leaf.days, ExtendedKeyUsagePurpose::ServerAuth)
    }

    /// A client's certificate.
    pub fn client(&self) -> Issued {
        self.issue(vec!["client.example".to_owned()], &(-1..90), ExtendedKeyUsagePurpose::ClientAuth)
    }

    fn issue(&self, names: Vec<String>, days: &Range<i64>, usage: ExtendedKeyUsagePurpose) -> Issued {
        let mut params = CertificateParams::new(names).expect("names of a certificate");
        params.use_authority_key_identifier_extension = true;
        params.extended_key_usages = vec![usage];
        params.not_before = date_time_ymd(1970, 1, 1) + since_epoch(days.start);
        params.not_after = date_time_ymd(1970, 1, 1) + since_epoch(days.end);
        let key = KeyPair::generate().expect("a key");
        let certificate = params.signed_by(&key, &self.issuer).expect("a certificate");
        let number = self.issued.fetch_add(1, Ordering::Relaxed);
        Issued {
            certificate_file: self.dir.write(&format!("{number}.pem"), certificate.pem()),
            key_file: self.dir.write(&format!("{number}.key"), key.serialize_pem()),
            certificate: certificate.der().clone(),
            key: PrivatePkcs8KeyDer::from(key.serialize_der()).into(),
        }
    }
}

/// The distance of a day from 1970.
fn since_epoch(days_from_now: i64) -> Duration {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("a clock after 1970");
    let day = Duration::from_secs(24 * 60 * 60) * u32::try_from(days_from_now.abs()).expect("days of a life");
    if days_from_now < 0 { now.checked_sub(day).expect("after 1970") } else { now + day }
}
