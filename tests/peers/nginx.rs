//! nginx with TLS of one version, and as a proxy in front of a scripted server.

use super::process::{Peer, installed};
use crate::server::{Authority, Issued, Leaf};

/// nginx over TLS of one version (`TLSv1.2` or `TLSv1.3`); `None` when it is not installed.
///
/// `/tls` answers with version, cipher and whether the client showed a certificate of the authority; everything else
/// goes to the `upstream` port with at most 1 MB of content, as sent, so gzip counts compressed.
#[track_caller]
pub fn start(authority: &Authority, version: &str, upstream: u16) -> Option<Peer> {
    let program = installed("nginx")?;
    let issued = authority.leaf(&Leaf::default());
    let roots = authority.file().display().to_string();
    Some(Peer::start(&program, |dir, port| {
        let file = dir.write("nginx.conf", configuration(&issued, &roots, version, port, upstream));
        let mut arguments = vec!["-p".to_owned(), dir.path().display().to_string()];
        arguments.extend(["-c".to_owned(), file.display().to_string(), "-e".to_owned(), "stderr".to_owned()]);
        arguments
    }))
}

fn configuration(issued: &Issued, roots: &str, version: &str, port: u16, upstream: u16) -> String {
    let (certificate, key) = (issued.certificate_file.display(), issued.key_file.display());
    let temporary = |name: &str| format!("  {name}_temp_path {name}_temp;\n");
    let temporary: String = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(temporary).concat();
    format!(
        "daemon off;
# One process, so that ending it ends everything.
master_process off;
pid pid;
error_log stderr;
events {{}}
http {{
{temporary}
  access_log off;
  client_max_body_size 1m;
  server {{
    listen 127.0.0.1:{port} ssl;
    ssl_certificate {certificate};
    ssl_certificate_key {key};
    ssl_protocols {version};
    ssl_client_certificate {roots};
    ssl_verify_client optional;
    location = /tls {{
      default_type text/plain;
      return 200 \"$ssl_protocol $ssl_cipher $ssl_client_verify\\n\";
    }}
    location / {{
      proxy_pass http://127.0.0.1:{upstream};
    }}
  }}
}}
"
    )
}
