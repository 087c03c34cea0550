//! tinyproxy, with a name and a password or without.

use super::process::{Peer, installed};

/// A proxy that lets CONNECT go to any port; `login` is `name password`. `None` when it is not installed.
#[track_caller]
pub fn start(login: Option<&str>) -> Option<Peer> {
    let program = installed("tinyproxy")?;
    Some(Peer::start(&program, |dir, port| {
        let login = login.map_or(String::new(), |login| format!("BasicAuth {login}\n"));
        let config = format!("Port {port}\nListen 127.0.0.1\nAllow 127.0.0.1\nTimeout 600\nMaxClients 20\n{login}");
        let file = dir.write("tinyproxy.conf", config);
        // -d: in the foreground.
        vec!["-d".to_owned(), "-c".to_owned(), file.display().to_string()]
    }))
}
