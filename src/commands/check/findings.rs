//! What a check comes to: the last line, the exit code, and all of it as JSON.

use std::time::Duration;

use super::answer::Answer;
use super::gzip::Taken;
use super::report::{Row, State};
use super::slope::{SESSION, Slope, digits, ingestion};
use crate::error::{Error, Kind};
use crate::output::units;

/// What the probes found.
#[derive(Debug, Default)]
pub(super) struct Findings {
    /// Their rows so far.
    pub rows: Vec<Row>,
    /// Somebody answered in HTTP.
    pub answered: bool,
    /// What it answered to a GET for its models.
    pub models: Option<Answer>,
    /// No key was sent, and that may be what is wrong.
    pub no_key: bool,
    /// The first probe without an answer.
    pub error: Option<Error>,
    /// Whole days until the certificate ends.
    pub certificate_days: Option<i64>,
    /// What a tiny post takes.
    pub floor: Option<Duration>,
    /// A model that does not exist ran.
    pub any_model: bool,
    /// What is done with gzip.
    pub gzip: Option<Taken>,
    /// What more bytes cost.
    pub slope: Option<Slope>,
    /// The size of the plain body that was too large, and the status that said so.
    pub refused: Option<(u64, u16)>,
    /// The link, in bytes per second.
    pub uplink: Option<f64>,
}

impl Findings {
    /// 0 healthy, 22 answered but unhealthy, else curl's code for why there was no answer.
    pub fn exit_code(&self) -> u8 {
        let bad = self.rows.iter().any(|row| row.state == State::Bad);
        match &self.error {
            Some(error) if !self.answered => error.kind.code(),
            _ if bad => Kind::HttpStatus.code(),
            _ => 0,
        }
    }

    /// One line.
    pub fn summary(&self) -> String {
        let bad: Vec<&Row> = self.rows.iter().filter(|row| row.state == State::Bad).collect();
        if let (Some(error), false) = (&self.error, self.answered) {
            return format!("unreachable: {error}");
        }
        if !bad.is_empty() {
            // What is wrong with several probes is said once.
            let groups = bad.chunk_by(|one, next| one.reason == next.reason).map(|rows| {
                let names: Vec<&str> = rows.iter().map(|row| row.name).collect();
                format!("{}: {}", names.join(", "), rows[0].reason)
            });
            let no_key = self.no_key.then(|| "no key was sent (--bearer-env VAR)".to_owned());
            return format!("unhealthy: {}", groups.chain(no_key).collect::<Vec<_>>().join("; "));
        }
        let mut parts = vec![format!("gzip {}", gzip_told(self.gzip))];
        parts.extend(self.floor.map(|floor| format!("floor {:.3} s", floor.as_secs_f64())));
        if self.any_model {
            parts.push("any name is taken for a model".to_owned());
        }
        parts.extend(self.slope.map(|slope| match slope {
            Slope::PerKb(seconds) => format!("{} ms/KB", digits(seconds * 1000.0)),
            Slope::Fast => "fast: more bytes cost next to nothing".to_owned(),
            Slope::Unclear(_) | Slope::TwoSizes => "ms/KB unknown".to_owned(),
        }));
        let refused = |(size, status): (u64, u16)| format!("{} plain refused with {status}", units::bytes(size));
        parts.extend(self.refused.map(refused));
        parts.extend(self.session().map(|[plain, gzip]| {
            let (body, plain, gzip) = (units::bytes(SESSION[0]), digits(plain), digits(gzip));
            let condition = if self.gzip == Some(Taken::Decoded) { "gzip" } else { "if it took gzip" };
            format!("a {body} body would take {plain} s plain, {gzip} s {condition}")
        }));
        format!("healthy: {}", parts.join(", "))
    }

    /// The seconds that a long session's body would take, plain and as gzip, where it would be taken at all.
    fn session(&self) -> Option<[f64; 2]> {
        let (Some(floor), Some(Slope::PerKb(per_kb)), None) = (self.floor, self.slope, self.refused) else {
            return None;
        };
        Some(SESSION.map(|bytes| floor.as_secs_f64() + per_kb * bytes as f64 / 1000.0))
    }

    /// One document in one line. What is not known is null.
    pub fn json(&self, relay: &str, api: &str) -> String {
        let number = |figure: Option<f64>| figure.map_or("null".to_owned(), |figure| format!("{figure:.6}"));
        let per_kb = match self.slope {
            Some(Slope::PerKb(seconds)) => Some(seconds),
            _ => None,
        };
        let own = per_kb.zip(self.uplink).and_then(|(per_kb, uplink)| ingestion(per_kb, uplink));
        let (session, code) = (self.session(), self.exit_code());
        let verdict = match code {
            0 => "healthy",
            _ if self.answered => "unhealthy",
            _ => "unreachable",
        };
        let members = [
            ("url", quoted(relay)),
            ("api", quoted(api)),
            ("verdict", quoted(verdict)),
            ("exit_code", code.to_string()),
            ("summary", quoted(&self.summary())),
            ("gzip", quoted(gzip_name(self.gzip))),
            ("floor_seconds", number(self.floor.map(|floor| floor.as_secs_f64()))),
            ("seconds_per_kb", number(per_kb)),
            ("fast", (self.slope == Some(Slope::Fast)).to_string()),
            ("uplink_mb_per_second", number(self.uplink.map(|rate| rate / 1e6))),
            ("relay_mb_per_second", number(own.map(|rate| rate / 1e6))),
            ("body_bytes", SESSION[0].to_string()),
            ("body_seconds_plain", number(session.map(|[plain, _]| plain))),
            ("body_seconds_gzip", number(session.map(|[_, gzip]| gzip))),
            ("certificate_days", self.certificate_days.map_or("null".to_owned(), |days| days.to_string())),
            ("probes", format!("[{}]", self.rows.iter().map(row).collect::<Vec<_>>().join(","))),
        ];
        format!("{}\n", object(&members))
    }
}

fn row(row: &Row) -> String {
    let seconds = row.time.map_or("null".to_owned(), |time| format!("{:.6}", time.as_secs_f64()));
    let state = if row.state == State::Skipped { "skipped" } else { row.state.name() };
    object(&[("name", quoted(row.name)), ("state", quoted(state)), ("seconds", seconds), ("text", quoted(&row.text))])
}

fn object(members: &[(&str, String)]) -> String {
    let members: Vec<String> = members.iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
    format!("{{{}}}", members.join(","))
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn gzip_told(gzip: Option<Taken>) -> String {
    match gzip {
        Some(Taken::Decoded) => "yes".to_owned(),
        Some(Taken::Rejected(status)) => format!("no (rejected with {status})"),
        Some(Taken::Ignored) => "no (read as plain)".to_owned(),
        Some(Taken::Unknown) | None => "unknown".to_owned(),
    }
}

fn gzip_name(gzip: Option<Taken>) -> &'static str {
    match gzip {
        Some(Taken::Decoded) => "decoded",
        Some(Taken::Rejected(_)) => "rejected",
        Some(Taken::Ignored) => "ignored",
        Some(Taken::Unknown) | None => "unknown",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn healthy() -> Findings {
        Findings {
            answered: true,
            floor: Some(Duration::from_millis(541)),
            gzip: Some(Taken::Decoded),
            slope: Some(Slope::PerKb(0.0241)),
            uplink: Some(3.6e6),
            ..Findings::default()
        }
    }

    fn bad(name: &'static str, reason: &str) -> Row {
        Row::bad(name, None, "text", reason)
    }

    #[test]
    fn the_last_line_says_it_all() {
        let expected =
            "healthy: gzip yes, floor 0.541 s, 24.1 ms/KB, a 2.78 MB body would take 67.5 s plain, 19.8 s gzip";
        assert_eq!(healthy().summary(), expected);
        let rejecting = Findings { gzip: Some(Taken::Rejected(415)), ..healthy() };
        assert!(rejecting.summary().starts_with("healthy: gzip no (rejected with 415), floor"));
        assert!(rejecting.summary().ends_with("67.5 s plain, 19.8 s if it took gzip"));
        let fast = Findings { slope: Some(Slope::Fast), ..healthy() };
        assert_eq!(fast.summary(), "healthy: gzip yes, floor 0.541 s, fast: more bytes cost next to nothing");
        assert_eq!(fast.exit_code(), 0);
        let limited = Findings { refused: Some((128_000, 413)), ..healthy() };
        assert_eq!(limited.summary(), "healthy: gzip yes, floor 0.541 s, 24.1 ms/KB, 128 KB plain refused with 413");
    }

    #[test]
    fn what_is_bad_is_named_and_decides_the_code() {
        let rows = vec![bad("TLS", "the certificate ends in 5 days"), bad("floor", "too late")];
        let ill = Findings { rows: rows.clone(), ..healthy() };
        assert_eq!(ill.summary(), "unhealthy: TLS: the certificate ends in 5 days; floor: too late");
        assert_eq!(ill.exit_code(), 22);
        let error = Some(Error::new(Kind::Name, "could not resolve host: relay.example"));
        let gone = Findings { rows: rows.clone(), error: error.clone(), ..Findings::default() };
        assert_eq!(gone.summary(), "unreachable: (6) could not resolve host: relay.example");
        assert_eq!(gone.exit_code(), 6);
        let flapping = Findings { rows, error, ..healthy() };
        assert_eq!(flapping.exit_code(), 22);
        let twice = Findings { rows: vec![bad("models", "no (401)"), bad("floor", "no (401)")], ..healthy() };
        assert_eq!(twice.summary(), "unhealthy: models, floor: no (401)");
        let keyless = Findings { no_key: true, ..twice };
        assert_eq!(keyless.summary(), "unhealthy: models, floor: no (401); no key was sent (--bearer-env VAR)");
        assert_eq!(Findings { no_key: true, ..healthy() }.summary(), healthy().summary());
    }

    #[test]
    fn json_has_every_figure() {
        let findings = Findings { rows: vec![bad("floor", "\"late\"")], ..healthy() };
        let text = findings.json("http://relay.example/v1", "openai");
        let json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(json["verdict"], "unhealthy");
        assert_eq!(json["exit_code"], 22);
        assert_eq!(json["gzip"], "decoded");
        assert_eq!(json["seconds_per_kb"], 0.0241);
        assert_eq!(json["certificate_days"], serde_json::Value::Null);
        assert_eq!(json["probes"][0]["state"], "bad");
        assert_eq!(json["summary"], "unhealthy: floor: \"late\"");
        assert!(text.ends_with("}\n") && text.lines().count() == 1);
    }
}
