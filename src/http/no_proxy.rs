//! Which hosts a proxy is not used for: `--noproxy` and `no_proxy`.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Whether requests to `host` go past the proxy.
///
/// The list holds names, which stand for their subdomains too, and addresses, with `/bits` for networks; commas
/// and blanks separate them. `*` alone is every host. An address is compared with addresses only.
#[must_use]
pub fn bypasses(no_proxy: &str, host: &str) -> bool {
    if no_proxy.trim() == "*" {
        return !host.is_empty();
    }
    let host = without_brackets(host);
    let entries = no_proxy.split([',', ' ', '\t']).filter(|entry| !entry.is_empty());
    match host.parse::<IpAddr>() {
        Ok(address) => entries.into_iter().any(|entry| network_holds(entry, address)),
        Err(_) => entries.into_iter().any(|entry| domain_holds(entry, host)),
    }
}

fn domain_holds(domain: &str, host: &str) -> bool {
    let domain = domain.strip_suffix('.').unwrap_or(domain);
    let domain = domain.strip_prefix('.').unwrap_or(domain).as_bytes();
    let host = host.strip_suffix('.').unwrap_or(host).as_bytes();
    if domain.is_empty() || domain.len() > host.len() {
        return false;
    }
    let (subdomain, tail) = host.split_at(host.len() - domain.len());
    tail.eq_ignore_ascii_case(domain) && (subdomain.is_empty() || subdomain.ends_with(b"."))
}

/// `/0` is the address itself, not every address: curl reads it so.
fn network_holds(network: &str, address: IpAddr) -> bool {
    let (network, bits) = match network.split_once('/') {
        Some((network, bits)) if bits.bytes().all(|byte| byte.is_ascii_digit()) => (network, bits.parse().ok()),
        Some(_) => return false,
        None => (network, Some(0)),
    };
    let Some(bits) = bits else { return false };
    let network = without_brackets(network);
    match address {
        IpAddr::V4(address) => network.parse::<Ipv4Addr>().is_ok_and(|network| {
            same_start((network.to_bits() ^ address.to_bits()).leading_zeros(), bits, Ipv4Addr::BITS)
        }),
        IpAddr::V6(address) => network.parse::<Ipv6Addr>().is_ok_and(|network| {
            same_start((network.to_bits() ^ address.to_bits()).leading_zeros(), bits, Ipv6Addr::BITS)
        }),
    }
}

fn same_start(equal: u32, bits: u32, all: u32) -> bool {
    bits <= all && equal >= if bits == 0 { all } else { bits }
}

fn without_brackets(host: &str) -> &str {
    host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host)
}

#[cfg(test)]
mod tests {
    use super::bypasses;

    #[test]
    fn matches_as_curl_does() {
        for (host, no_proxy, expected) in [
            ("www.example.com", "localhost,.example.com,.example.de", true),
            ("www.example.com.", "localhost,.example.com,.example.de", true),
            ("example.com", "localhost,.example.com,.example.de", true),
            ("www.example.com", "localhost,.example.com.,.example.de", true),
            ("www.example.com", "localhost,www.example.com.,.example.de", true),
            ("www.example.com", "localhost,example.com,.example.de", true),
            ("nexample.com", "localhost,example.com,.example.de", false),
            ("nonexample.com", ".example.com, .example.net", false),
            ("www.example.com", "www2.example.com, .example.net", false),
            ("BAr", "foo,,,,,              bar, ::1/64", true),
            ("foobar", "barfoo", false),
            ("example.com", "com", true),
            ("example.com", "a.example.com", false),
            ("localhost", "*", true),
            ("127.0.0.1", " * ", true),
            ("localhost", "*,x", false),
            ("x.localhost", "*.localhost", false),
            ("localhost", "", false),
            ("localhost", ".", false),
            ("localhost.", "..", false),
            ("", "*", false),
            // Blanks alone separate too: curl before 8 took them, and the intention is plain.
            ("www.example.com", "localhost .example.com\t.example.de", true),
        ] {
            assert_eq!(bypasses(no_proxy, host), expected, "{host} in {no_proxy:?}");
        }
    }

    #[test]
    fn networks_hold_addresses() {
        for (host, no_proxy, expected) in [
            ("127.0.0.1", "localhost,127.0.0.1,", true),
            ("127.0.0.1", "127.0.0.1/8,localhost,", true),
            ("192.168.0.1", "192.168.0.0/16 ", true),
            ("192.168.0.1", "192.168.0.0/24", true),
            ("192.168.1.1", "192.168.0.0/24", false),
            ("192.168.0.1", "192.168.0.0/32", false),
            ("192.168.0.1", "192.168.0.1/33", false),
            ("192.168.0.1", "192.168.0.1/0", true),
            ("192.168.0.1", "0.0.0.0/0", false),
            ("192.168.0.1", "192.168.0.0", false),
            ("192.168.0.1", "192.168.0.0/16a", false),
            ("192.168.0.1", "192.168.0.0/a16", false),
            ("192.168.0.1", "192.168.0.0/+16", false),
            ("192.168.0.1", "192.168.0.0/99999999999", false),
            ("192.168.0.1", "192.168.0.0/ 16", false),
            ("192.168.0.1", "0.1", false),
            ("::1", "foo, bar, ::1/64", true),
            ("[::1]", "0:0::1", true),
            ("::1", "[::1]", true),
            ("::1", "::1/128", true),
            ("::1", "::1/129", false),
            ("::1", "::2/127", false),
            ("2001:db8:8000::1", "2001:db8::/32", true),
            ("2001:db8:8000::1", "2001:db8::/33", false),
            ("::1", "192.168.0.0/16", false),
            ("192.168.0.1", "::/1", false),
        ] {
            assert_eq!(bypasses(no_proxy, host), expected, "{host} in {no_proxy:?}");
        }
    }

    #[test]
    fn never_panics_and_finds_the_host_itself() {
        arbtest::arbtest(|u| {
            let (list, host): (String, String) = (u.arbitrary()?, u.arbitrary()?);
            let _ = bypasses(&list, &host);
            let name: String = host.chars().filter(char::is_ascii_alphanumeric).collect();
            if !name.is_empty() {
                assert!(bypasses(&format!("x, {name}."), &format!("{name}.")), "{name}");
                assert!(!bypasses(&format!("x{name}"), &name), "{name}");
            }
            Ok(())
        });
    }
}
