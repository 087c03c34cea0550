//! `gzpost demo [--speed N] [--serve [ADDR]] [--behave HOW]`.

use std::net::{Ipv4Addr, SocketAddr};

use super::args::{Args, usage};
use super::argv::CommandLine;
use super::command::Demo;
use super::values::choice;
use crate::error::Result;
use crate::relay::Behave;

/// `--serve` without an address: a fixed port, so that another terminal can be told it beforehand.
const DEFAULT_PORT: u16 = 8037;

/// How many times faster than the measured relay: about ten seconds for the whole story.
const DEFAULT_SPEED: f64 = 20.0;

/// The arguments behind `demo`.
pub fn demo(line: &CommandLine) -> Result<Demo> {
    let mut args = Args::new(line, &[]);
    let demo = Demo {
        serve: args.parsed("--serve", address)?,
        speed: args.parsed("--speed", speed)?.unwrap_or(DEFAULT_SPEED),
        behave: args.parsed("--behave", |name| choice(name, &Behave::CHOICES))?.unwrap_or_default(),
    };
    args.finish("gzpost demo")?;
    match line.arguments.first() {
        None => Ok(demo),
        Some(argument) => {
            let argument = argument.to_string_lossy();
            let hint =
                if address(&argument).is_ok() { format!("; --serve {argument} serves there") } else { String::new() };
            Err(usage(format!("gzpost demo takes no argument such as {argument}{hint}")))
        }
    }
}

fn speed(text: &str) -> Result<f64, String> {
    let speed = text.parse().ok().filter(|speed: &f64| speed.is_finite() && *speed > 0.0);
    speed.ok_or_else(|| format!("'{text}' is not a number above 0"))
}

/// `HOST:PORT`, `:PORT`, `PORT`, nothing; without a host it is loopback.
fn address(text: &str) -> Result<SocketAddr, String> {
    let loopback = |port: u16| SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    if text.is_empty() {
        return Ok(loopback(DEFAULT_PORT));
    }
    let port = text.strip_prefix(':').or_else(|| text.strip_prefix("localhost:")).unwrap_or(text);
    let port = port.parse().ok().map(loopback);
    port.or_else(|| text.parse().ok()).ok_or_else(|| format!("'{text}' is not ADDRESS:PORT, :PORT or PORT"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        for (text, address) in [
            ("", "127.0.0.1:8037"),
            ("80", "127.0.0.1:80"),
            (":0", "127.0.0.1:0"),
            ("localhost:1", "127.0.0.1:1"),
            ("0.0.0.0:8037", "0.0.0.0:8037"),
            ("[::1]:8037", "[::1]:8037"),
        ] {
            assert_eq!(super::address(text), Ok(address.parse().unwrap()), "{text}");
        }
        for text in ["x", "127.0.0.1", "host:80", "::1", ":", "70000"] {
            assert!(address(text).is_err(), "{text}");
        }
    }

    #[test]
    fn speeds() {
        assert_eq!(speed("0.5"), Ok(0.5));
        for text in ["0", "-1", "nan", "inf", "x", ""] {
            assert!(speed(text).is_err(), "{text}");
        }
    }
}
