//! Which of curl's errors a failure is: a pure function of the last moment reached and the cause.

use std::io;

use rustls::CertificateError;
use rustls::pki_types::UnixTime;

use crate::error::{Error, Kind, describe};

/// What the transfer was doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// Making the TCP connection.
    Connect,
    /// The exchange with the proxy before TLS.
    Tunnel,
    /// Negotiating TLS.
    Handshake,
    /// Sending the request.
    Send,
    /// Waiting for the first byte of an answer.
    Wait,
    /// Reading the answer's head.
    Head,
    /// Reading the answer's content.
    Content,
}

/// What a message about a failure to connect begins with.
pub(super) fn connecting(phase: Phase, whom: &str) -> String {
    match phase {
        Phase::Tunnel => format!("proxy {whom}"),
        Phase::Handshake => format!("TLS with {whom}"),
        _ => format!("could not connect to {whom}"),
    }
}

/// Classifies a failed read, write or handshake; `whom` is the peer as messages name it.
pub(super) fn io_error(phase: Phase, error: &io::Error, whom: &str) -> Error {
    if let Some(tls) = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>()) {
        return tls_error(phase, tls, whom);
    }
    let eof = error.kind() == io::ErrorKind::UnexpectedEof;
    let reason = if eof { "the peer closed the connection".to_owned() } else { describe(error) };
    let failed = |kind| Error::new(kind, format!("{}: {reason}", connecting(phase, whom)));
    match phase {
        Phase::Connect => failed(Kind::Connect),
        Phase::Tunnel => failed(Kind::Receive),
        Phase::Handshake if eof => {
            Error::new(Kind::TlsHandshake, format!("TLS with {whom}: {reason}: the server may not speak TLS"))
        }
        Phase::Handshake => failed(Kind::TlsHandshake),
        Phase::Send => Error::new(Kind::Send, format!("could not send the request to {whom}: {reason}")),
        Phase::Wait | Phase::Head | Phase::Content if eof => {
            Error::new(Kind::Receive, format!("TLS with {whom} ended without close_notify: the answer may be cut off"))
        }
        Phase::Wait | Phase::Head | Phase::Content => {
            Error::new(Kind::Receive, format!("could not receive the answer from {whom}: {reason}"))
        }
    }
}

fn tls_error(phase: Phase, error: &rustls::Error, whom: &str) -> Error {
    let kind = match (phase, error) {
        (_, rustls::Error::InvalidCertificate(_)) => Kind::Certificate,
        (Phase::Wait | Phase::Head | Phase::Content, _) => Kind::Receive,
        (Phase::Send, _) => Kind::Send,
        _ => Kind::TlsHandshake,
    };
    let text = match error {
        rustls::Error::InvalidCertificate(reason) => {
            format!("the certificate of {whom} is not trusted: {} (-k trusts anyone)", distrust(reason))
        }
        rustls::Error::InvalidMessage(_) => format!("TLS with {whom}: {error}: the server may not speak TLS"),
        other => format!("TLS with {whom}: {other}"),
    };
    Error::new(kind, text)
}

/// What is wrong with a certificate, and the way out where there is one beside `-k`.
fn distrust(reason: &CertificateError) -> String {
    let days = |from: UnixTime, to: UnixTime| to.as_secs().saturating_sub(from.as_secs()) / (24 * 60 * 60);
    match reason {
        // Of a CA with the name of a trusted one, the signature does not fit.
        CertificateError::UnknownIssuer | CertificateError::BadSignature => {
            "no trusted CA issued it; --cacert FILE names one".to_owned()
        }
        CertificateError::NotValidForNameContext { presented, .. } => {
            // `DnsName("relay.example")`
            let names: Vec<&str> = presented.iter().map(|name| name.split('"').nth(1).unwrap_or(name)).collect();
            format!("it is for another name: {}", names.join(", "))
        }
        CertificateError::ExpiredContext { time, not_after } => {
            format!("it expired {} days ago", days(*not_after, *time))
        }
        CertificateError::NotValidYetContext { time, not_before } => {
            format!("it is valid in {} days only; is the clock right?", days(*time, *not_before))
        }
        // What `openssl req -x509` makes.
        other if other.to_string().contains("CaUsedAsEndEntity") => {
            "it is self-signed and marked as a CA's; --cacert FILE with this very certificate trusts it".to_owned()
        }
        other => other.to_string(),
    }
}

/// The connection ended where the answer did not.
pub(super) fn end_of_stream(phase: Phase, whom: &str) -> Error {
    match phase {
        Phase::Head => Error::new(Kind::Partial, format!("the answer of {whom} ended inside its head")),
        Phase::Content => {
            Error::new(Kind::Partial, format!("the answer of {whom} ended before its content was complete"))
        }
        _ => Error::new(Kind::Empty, format!("{whom} closed the connection without an answer")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kind_follows_phase_and_cause() {
        use io::ErrorKind::{BrokenPipe, ConnectionRefused, ConnectionReset, UnexpectedEof};
        for (phase, cause, kind) in [
            (Phase::Connect, ConnectionRefused, Kind::Connect),
            (Phase::Tunnel, ConnectionReset, Kind::Receive),
            (Phase::Handshake, UnexpectedEof, Kind::TlsHandshake),
            (Phase::Handshake, ConnectionReset, Kind::TlsHandshake),
            (Phase::Send, BrokenPipe, Kind::Send),
            (Phase::Send, ConnectionReset, Kind::Send),
            (Phase::Wait, ConnectionReset, Kind::Receive),
            (Phase::Head, ConnectionReset, Kind::Receive),
            (Phase::Content, ConnectionReset, Kind::Receive),
            (Phase::Content, UnexpectedEof, Kind::Receive),
        ] {
            assert_eq!(io_error(phase, &cause.into(), "host").kind, kind, "{phase:?} {cause:?}");
        }
    }

    #[test]
    fn tls_errors_are_told_apart() {
        let wrap = |error: rustls::Error| io::Error::new(io::ErrorKind::InvalidData, error);
        let untrusted = wrap(rustls::Error::InvalidCertificate(rustls::CertificateError::UnknownIssuer));
        assert_eq!(io_error(Phase::Handshake, &untrusted, "host").kind, Kind::Certificate);
        let alert = || wrap(rustls::Error::AlertReceived(rustls::AlertDescription::HandshakeFailure));
        assert_eq!(io_error(Phase::Handshake, &alert(), "host").kind, Kind::TlsHandshake);
        assert_eq!(io_error(Phase::Wait, &alert(), "host").kind, Kind::Receive);
    }

    #[test]
    fn a_certificate_is_distrusted_for_a_reason_and_with_a_way_out() {
        let day = |number: u64| UnixTime::since_unix_epoch(std::time::Duration::from_secs(number * 86_400));
        let marked = rustls::OtherError(std::sync::Arc::new(io::Error::other("CaUsedAsEndEntity")));
        let expected = rustls::pki_types::ServerName::try_from("h").expect("a name").to_owned();
        for (reason, text) in [
            (CertificateError::UnknownIssuer, "no trusted CA issued it; --cacert FILE names one"),
            (CertificateError::Other(marked), "--cacert FILE with this very certificate trusts it"),
            (CertificateError::ExpiredContext { time: day(12), not_after: day(2) }, "it expired 10 days ago"),
            (CertificateError::NotValidYetContext { time: day(1), not_before: day(3) }, "in 2 days only"),
            (CertificateError::NotValidForNameContext { expected, presented: vec!["a".into(), "b".into()] }, "a, b"),
            (CertificateError::BadSignature, "--cacert FILE names one"),
            (CertificateError::Revoked, "Revoked"),
        ] {
            let error = io::Error::other(rustls::Error::InvalidCertificate(reason));
            let error = io_error(Phase::Handshake, &error, "h:443");
            assert_eq!(error.kind, Kind::Certificate);
            assert!(error.message.contains(text) && error.message.ends_with("(-k trusts anyone)"), "{error}");
        }
    }

    #[test]
    fn an_end_is_empty_or_partial() {
        assert_eq!(end_of_stream(Phase::Wait, "host").kind, Kind::Empty);
        assert_eq!(end_of_stream(Phase::Head, "host").kind, Kind::Partial);
        assert_eq!(end_of_stream(Phase::Content, "host").kind, Kind::Partial);
    }

    #[test]
    fn messages_carry_no_error_numbers() {
        let refused = io::Error::from_raw_os_error(111);
        assert_eq!(
            io_error(Phase::Connect, &refused, "host:80").message,
            "could not connect to host:80: connection refused"
        );
    }
}
