//! Apache httpd that decodes gzip content of requests (`mod_deflate`) and sends back what it has decoded.

use super::process::{Peer, installed};

/// `/decoded` decodes gzip and echoes the result, `/raw` echoes the content as it came; `None` when it is not
/// installed. Content over 64 MB is refused with 413, content that grows more than 200 times with 400.
#[track_caller]
pub fn start() -> Option<Peer> {
    let program = installed("apache2")?;
    Some(Peer::start(&program, |dir, port| {
        let config = configuration(&dir.path().display().to_string(), port);
        let file = dir.write("httpd.conf", config);
        // -X: one process, in the foreground.
        vec!["-X".to_owned(), "-f".to_owned(), file.display().to_string()]
    }))
}

fn configuration(dir: &str, port: u16) -> String {
    let modules = ["mpm_event", "authz_core", "filter", "headers", "deflate", "reflector"];
    let load = |name: &str| format!("LoadModule {name}_module /usr/lib/apache2/modules/mod_{name}.so\n");
    let modules: String = modules.iter().map(|name| load(name)).collect();
    format!(
        "{modules}
ServerRoot {dir}
ServerName localhost
Listen 127.0.0.1:{port}
PidFile {dir}/pid
DefaultRuntimeDir {dir}
Mutex posixsem
ErrorLog {dir}/error.log
LimitRequestBody 67108864
DeflateInflateLimitRequestBody 67108864
DocumentRoot {dir}
# The workers' account when root starts it; otherwise the two lines have no effect.
User nobody
Group nogroup
<Location /decoded>
  SetHandler reflector
  SetInputFilter DEFLATE
  # The reflector announces the length of the coded content.
  Header unset Content-Length
</Location>
<Location /raw>
  SetHandler reflector
</Location>
"
    )
}
