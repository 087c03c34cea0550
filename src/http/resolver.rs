//! From a name to addresses: literals and localhost at once, names on a thread so that limits can end the wait.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs};
use std::os::unix::net::UnixStream;
use std::thread;

use rustix::event::PollFlags;

use super::exchange::Link;
use super::settings::{IpVersion, Settings};
use super::watch::Watch;
use crate::error::{Error, Kind, Result};

/// Whose name it is: a proxy's has an exit code of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Whose {
    Server,
    Proxy,
}

/// The addresses of `host`, in the order to try them. A client looks a name up once, as curl does within a minute.
pub(super) fn resolve(host: &str, port: u16, whose: Whose, link: &Link, watch: &mut Watch) -> Result<Vec<SocketAddr>> {
    let settings = &link.settings;
    let found = if let Some(addresses) = known(host, port, settings).or_else(|| link.names().get(host).cloned()) {
        addresses
    } else {
        watch.connecting(step(host, whose));
        let addresses = look_up(host, watch)?.map_err(|error| unresolved(host, whose, &error.to_string()))?;
        link.names().insert(host.to_owned(), addresses.clone());
        addresses
    };
    let wanted: Vec<SocketAddr> = found
        .into_iter()
        .filter(|address| match settings.ip_version {
            IpVersion::Any => true,
            IpVersion::V4 => address.is_ipv4(),
            IpVersion::V6 => address.is_ipv6(),
        })
        .map(|mut address| {
            address.set_port(port);
            address
        })
        .collect();
    if wanted.is_empty() {
        return Err(unresolved(host, whose, "no address of the wanted family"));
    }
    Ok(alternate(wanted))
}

fn unresolved(host: &str, whose: Whose, why: &str) -> Error {
    // getaddrinfo's text is wrapped by std; the host and curl's words say all that a user can act upon.
    let reason = why.rsplit(": ").next().unwrap_or(why);
    let kind = if whose == Whose::Server { Kind::Name } else { Kind::ProxyName };
    Error::new(kind, format!("{}: {reason}", step(host, whose)))
}

/// What a message about a failed look-up begins with.
fn step(host: &str, whose: Whose) -> String {
    match whose {
        Whose::Server => format!("could not resolve host: {host}"),
        Whose::Proxy => format!("could not resolve proxy: {host}"),
    }
}

/// What can be said without asking anyone.
fn known(host: &str, port: u16, settings: &Settings) -> Option<Vec<SocketAddr>> {
    let at_port = |address: IpAddr| SocketAddr::new(address, port);
    let given =
        settings.resolve.iter().rev().find(|entry| {
            entry.port == port && entry.host.as_deref().is_none_or(|name| name.eq_ignore_ascii_case(host))
        });
    if let Some(entry) = given.filter(|entry| !entry.addresses.is_empty()) {
        return Some(entry.addresses.iter().copied().map(at_port).collect());
    }
    if let Ok(literal) = host.parse() {
        return Some(vec![at_port(literal)]);
    }
    // RFC 6761, section 6.3: these names never leave the machine.
    let name = host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase();
    (name == "localhost" || name.ends_with(".localhost"))
        .then(|| vec![at_port(Ipv6Addr::LOCALHOST.into()), at_port(Ipv4Addr::LOCALHOST.into())])
}

/// An address with a zone (`fe80::1%eth0`) comes here too: the system knows the interfaces.
fn look_up(host: &str, watch: &mut Watch) -> Result<io::Result<Vec<SocketAddr>>> {
    let failed = |error: io::Error| Error::new(Kind::Name, format!("could not start the look-up of {host}: {error}"));
    let (done, finished) = UnixStream::pair().map_err(failed)?;
    let name = host.to_owned();
    let thread = thread::Builder::new()
        .spawn(move || {
            let addresses = (name.as_str(), 0).to_socket_addrs().map(Iterator::collect);
            drop(finished);
            addresses
        })
        .map_err(failed)?;
    watch.wait_for(&done, PollFlags::IN)?;
    Ok(thread.join().unwrap_or_else(|_| Err(io::Error::other("the look-up failed"))))
}

/// Families in turn, the first one as the system ordered them (RFC 8305, section 4), without repeats.
fn alternate(addresses: Vec<SocketAddr>) -> Vec<SocketAddr> {
    let Some(first) = addresses.first().copied() else { return addresses };
    let (same, other): (Vec<_>, Vec<_>) =
        addresses.into_iter().partition(|address| address.is_ipv4() == first.is_ipv4());
    let (mut same, mut other) = (same.into_iter(), other.into_iter());
    let mut ordered = Vec::new();
    loop {
        let pair = [same.next(), other.next()];
        if pair == [None, None] {
            return ordered;
        }
        for address in pair.into_iter().flatten() {
            if !ordered.contains(&address) {
                ordered.push(address);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::exchange::Exchange;
    use super::super::settings::Resolve;
    use super::super::watch::Unobserved;
    use super::*;

    #[test]
    fn families_alternate_and_repeats_go() {
        let parse = |list: &[&str]| -> Vec<SocketAddr> { list.iter().map(|text| text.parse().unwrap()).collect() };
        assert_eq!(
            alternate(parse(&["[::1]:1", "[::2]:1", "[::1]:1", "1.1.1.1:1", "2.2.2.2:1", "3.3.3.3:1"])),
            parse(&["[::1]:1", "1.1.1.1:1", "[::2]:1", "2.2.2.2:1", "3.3.3.3:1"])
        );
    }

    fn watch() -> Watch {
        Watch::new(Box::new(Unobserved), None, None, None)
    }

    #[test]
    fn a_name_is_looked_up_once() {
        let link = Link::new(Settings::default(), Exchange::new(watch()));
        let found: SocketAddr = "10.0.0.1:0".parse().unwrap();
        link.names().insert("relay.invalid".to_owned(), vec![found]);
        let mut watch = watch();
        let mut resolve = |host| super::resolve(host, 443, Whose::Server, &link, &mut watch);
        assert_eq!(resolve("relay.invalid"), Ok(vec!["10.0.0.1:443".parse().unwrap()]));
        assert_eq!(resolve("other.invalid").map_err(|error| error.kind), Err(Kind::Name));
        assert!(!link.names().contains_key("other.invalid"));
    }

    #[test]
    fn a_look_up_that_takes_too_long_names_the_host() {
        for (whose, text) in [(Whose::Server, "could not resolve host: "), (Whose::Proxy, "could not resolve proxy: ")]
        {
            let (link, mut watch) = (Link::new(Settings::default(), Exchange::new(watch())), watch());
            watch.connect_within(Duration::ZERO);
            let error = resolve("relay.invalid", 80, whose, &link, &mut watch).unwrap_err();
            assert_eq!(error.kind, Kind::Timeout);
            assert!(error.message.starts_with(&format!("{text}relay.invalid: timed out after ")), "{error}");
        }
    }

    #[test]
    fn literals_localhost_and_given_entries_need_no_look_up() {
        let one: IpAddr = "10.0.0.1".parse().unwrap();
        let entry = |host: Option<&str>| Resolve { host: host.map(str::to_owned), port: 80, addresses: vec![one] };
        let settings = Settings { resolve: vec![entry(Some("a.example"))], ..Settings::default() };
        assert_eq!(known("A.example", 80, &settings), Some(vec![SocketAddr::new(one, 80)]));
        assert_eq!(known("a.example", 81, &settings), None);
        assert_eq!(known("::1", 80, &settings), Some(vec!["[::1]:80".parse().unwrap()]));
        assert!(known("LocalHost.", 80, &settings).is_some());
        assert!(known("localhost.example", 80, &settings).is_none());
        let any = Settings { resolve: vec![entry(None)], ..Settings::default() };
        assert_eq!(known("b.example", 80, &any), Some(vec![SocketAddr::new(one, 80)]));
    }
}
