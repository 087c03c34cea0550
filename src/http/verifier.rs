//! Who is trusted where rustls's own verifier says no: under `-k` anyone, and a certificate that the user named.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{WebPkiServerVerifier, verify_server_name};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, DigitallySignedStruct, Error, SignatureScheme};

use super::certificate::validity;

/// Verifies a server's certificate; the signatures of the handshake are checked whoever is trusted.
#[derive(Debug)]
pub(super) struct Verifier {
    pub provider: Arc<CryptoProvider>,
    pub trust: Trust,
}

/// Who is trusted.
#[derive(Debug)]
pub(super) enum Trust {
    /// `-k`: any certificate will do.
    Anyone,
    /// Whom rustls trusts, and a server's certificate that is itself among those of `--cacert`: `openssl req -x509`
    /// makes such certificates, marked as a CA's, and curl takes them. Name and dates are still checked.
    Named { usual: Arc<WebPkiServerVerifier>, named: Vec<CertificateDer<'static>> },
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let Trust::Named { usual, named } = &self.trust else { return Ok(ServerCertVerified::assertion()) };
        let usual = usual.verify_server_cert(certificate, intermediates, name, ocsp, now);
        if usual.is_ok() || !named.contains(certificate) {
            return usual;
        }
        let valid = validity(certificate).ok_or(CertificateError::BadEncoding)?;
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(now.as_secs());
        if now < valid.start {
            return Err(CertificateError::NotValidYet.into());
        }
        if now > valid.end {
            return Err(CertificateError::Expired.into());
        }
        verify_server_name(&ParsedCertificate::try_from(certificate)?, name)?;
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, certificate, signature, &self.provider.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signature, &self.provider.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    use rcgen::{BasicConstraints, CertificateParams, IsCa, KeyPair, date_time_ymd};
    use rustls::RootCertStore;
    use rustls::crypto::ring;

    use super::*;

    /// A certificate as `openssl req -x509` makes it: self-signed, and marked as a CA's.
    fn self_signed(until: i32) -> CertificateDer<'static> {
        let mut params = CertificateParams::new(vec!["relay.example".to_owned()]).expect("a name");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.not_before = date_time_ymd(2020, 1, 1);
        params.not_after = date_time_ymd(until, 1, 1);
        params.self_signed(&KeyPair::generate().expect("a key")).expect("a certificate").der().clone()
    }

    fn verify(named: &CertificateDer<'static>, shown: &CertificateDer<'_>, name: &'static str) -> Result<(), Error> {
        let mut store = RootCertStore::empty();
        store.add(named.clone()).expect("a CA");
        let provider = Arc::new(ring::default_provider());
        let usual = WebPkiServerVerifier::builder_with_provider(Arc::new(store), Arc::clone(&provider)).build();
        let trust = Trust::Named { usual: usual.expect("a verifier"), named: vec![named.clone()] };
        let verifier = Verifier { provider, trust };
        let name = ServerName::try_from(name).expect("a name");
        verifier.verify_server_cert(shown, &[], &name, &[], UnixTime::now()).map(|_| ())
    }

    #[test]
    fn a_certificate_that_was_named_is_trusted_for_its_name_and_time() {
        let (named, other, expired) = (self_signed(2999), self_signed(2999), self_signed(2021));
        assert_eq!(verify(&named, &named, "relay.example"), Ok(()));
        assert!(matches!(verify(&named, &named, "other.example"), Err(Error::InvalidCertificate(_))));
        assert!(matches!(verify(&named, &other, "relay.example"), Err(Error::InvalidCertificate(_))));
        assert_eq!(
            verify(&expired, &expired, "relay.example"),
            Err(Error::InvalidCertificate(CertificateError::Expired))
        );
    }
}
