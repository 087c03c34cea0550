//! `--alias`: one name in the place of those of hosts, in everything that is kept.

use crate::http::url::Url;
use crate::http::{Request, Settings};

/// What hosts are called, and which names and addresses it stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alias {
    /// As given.
    pub name: String,
    /// In lower case, the longest first.
    hosts: Vec<String>,
}

impl Alias {
    /// Stands for every host that the command line and the environment name as one.
    pub fn new(name: String, request: &Request, settings: &Settings) -> Alias {
        let proxies = [&settings.proxies.http, &settings.proxies.https].into_iter().flatten().flatten();
        let mut hosts = vec![request.url.host.clone()];
        hosts.extend(request.field("Host").and_then(|value| Url::parse(value).ok()).map(|url| url.host));
        hosts.extend(proxies.map(|proxy| proxy.host.clone()));
        for entry in &settings.connect_to {
            hosts.extend([&entry.from_host, &entry.to_host].into_iter().flatten().cloned());
        }
        for entry in &settings.resolve {
            hosts.extend(entry.host.iter().cloned());
            hosts.extend(entry.addresses.iter().map(ToString::to_string));
        }
        hosts.extend(settings.unix_socket.iter().map(|path| path.display().to_string()));
        let mut hosts: Vec<String> =
            hosts.iter().filter(|host| !host.is_empty()).map(|host| host.to_ascii_lowercase()).collect();
        hosts.sort_by_key(|host| std::cmp::Reverse(host.len()));
        Alias { name, hosts }
    }

    /// Whether a text names one of the hosts, in any case.
    #[must_use]
    pub fn hides(&self, text: &str) -> bool {
        let text = text.to_ascii_lowercase();
        self.hosts.iter().any(|host| text.contains(host))
    }

    /// The text with the alias in their place.
    #[must_use]
    pub fn hide(&self, text: &str) -> String {
        let lower = text.to_ascii_lowercase();
        let mut shown = String::with_capacity(text.len());
        let mut at = 0;
        while let Some(letter) = text[at..].chars().next() {
            if let Some(host) = self.hosts.iter().find(|host| lower[at..].starts_with(host.as_str())) {
                shown.push_str(&self.name);
                at += host.len();
            } else {
                shown.push(letter);
                at += letter.len_utf8();
            }
        }
        shown
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::{ConnectTo, FieldLine, Resolve};

    fn alias(name: &str) -> Alias {
        let mut request = Request::new("POST", Url::parse("https://API.Secret.example:8443/v1").unwrap());
        request.fields.push(FieldLine::Set("host".to_owned(), "inner.example:80".to_owned()));
        let resolve = Resolve { host: None, port: 443, addresses: vec!["10.0.0.1".parse().unwrap()] };
        let connect_to =
            ConnectTo { from_host: None, from_port: None, to_host: Some("secret.example".to_owned()), to_port: None };
        let settings = Settings { resolve: vec![resolve], connect_to: vec![connect_to], ..Settings::default() };
        Alias::new(name.to_owned(), &request, &settings)
    }

    #[test]
    fn every_host_is_hidden_in_any_case_and_place() {
        let alias = alias("relay-a");
        for (text, shown) in [
            ("api.secret.EXAMPLE.json", "relay-a.json"),
            ("\u{e4}-Secret.example-\u{e4}", "\u{e4}-relay-a-\u{e4}"),
            ("10.0.0.1 inner.example", "relay-a relay-a"),
            ("10.0.0.2 example", "10.0.0.2 example"),
            ("", ""),
        ] {
            assert_eq!(alias.hide(text), shown);
            assert_eq!(alias.hides(text), text != shown);
        }
    }

    #[test]
    fn an_alias_that_holds_a_host_is_not_hidden_itself() {
        assert_eq!(alias("my.secret.example").hide("at secret.example."), "at my.secret.example.");
    }
}
