//! What the relay answers, what it costs, and every way to be no help.

use super::*;
use crate::http::timing::Clock;

#[test]
fn a_plain_body_is_answered_with_what_arrived() {
    let relay = relay(Behave::Decode);
    let answer = ask(&relay, &post("Content-Type: application/json\r\n", PLAIN));
    assert_eq!(answer.status, 200);
    let (json, text) = (answer.json(), answer.text());
    assert!(text.starts_with(&format!("Your body of {} bytes arrived as it is", PLAIN.len())), "{text}");
    assert_eq!(json["choices"][0]["finish_reason"], "stop");
    assert_eq!(json["usage"]["prompt_tokens"], PLAIN.len() / 4);
    assert_eq!(json["usage"]["completion_tokens"], text.split(' ').count());
}

#[test]
fn a_gzip_body_is_decoded_and_both_sizes_are_named() {
    let relay = relay(Behave::Decode);
    let content = gzip(PLAIN);
    let answer = ask(&relay, &post(GZIP, &content));
    assert!(answer.text().starts_with(&arrived(&content)), "{}", answer.content);
}

#[test]
fn several_gzip_members_are_one_body() {
    let relay = relay(Behave::Decode);
    let (start, end) = PLAIN.split_at(20);
    let content = [gzip(start), gzip(b""), gzip(end)].concat();
    let answer = ask(&relay, &post(GZIP, &content));
    assert!(answer.text().starts_with(&arrived(&content)), "{}", answer.content);
}

#[test]
fn bad_gzip_is_400_and_the_connection_goes_on() {
    let relay = relay(Behave::Decode);
    let mut client = Client::new(&relay);
    let whole = gzip(PLAIN);
    let mut corrupt = whole.clone();
    corrupt[15] ^= 0x55;
    let mut checksum = whole.clone();
    *checksum.iter_mut().nth_back(5).unwrap() ^= 1;
    for content in [PLAIN, &whole[..whole.len() - 3], &corrupt, &checksum, &[&whole[..], b"trailing"].concat()] {
        let answer = client.ask(&post(GZIP, content));
        assert_eq!(answer.status, 400);
        assert!(answer.message().contains("not valid gzip"), "{}", answer.content);
    }
    assert_eq!(client.ask(&post(GZIP, &whole)).status, 200);
}

#[test]
fn the_coding_identity_is_plain_and_others_are_415() {
    let relay = relay(Behave::Decode);
    assert_eq!(ask(&relay, &post("Content-Encoding: identity\r\n", PLAIN)).status, 200);
    assert_eq!(ask(&relay, &post("content-encoding: GZip\r\n", &gzip(PLAIN))).status, 200);
    for coding in ["x-unknown", "zstd", "gzip, gzip"] {
        let answer = ask(&relay, &post(&format!("Content-Encoding: {coding}\r\n"), PLAIN));
        assert_eq!(answer.status, 415);
        assert!(answer.head.contains("accept-encoding: gzip\r\n"));
        assert!(answer.message().contains(coding));
    }
}

#[test]
fn a_stream_has_role_tokens_finish_usage_and_done_in_this_order() {
    let relay = relay(Behave::Decode);
    let mut client = Client::new(&relay);
    let answer = client.ask(&post("", STREAM));
    assert!(answer.head.contains("content-type: text/event-stream"));
    let events = answer.events();
    assert_eq!(events.last(), Some(&"[DONE]"));
    let events: Vec<serde_json::Value> =
        events[..events.len() - 1].iter().map(|event| serde_json::from_str(event).unwrap()).collect();
    let [role, tokens @ .., finish, usage] = events.as_slice() else { panic!("{events:?}") };
    let delta = |event: &serde_json::Value| event["choices"][0]["delta"].clone();
    assert_eq!(delta(role), serde_json::json!({"role": "assistant", "content": ""}));
    let text: String = tokens.iter().map(|token| delta(token)["content"].as_str().unwrap().to_owned()).collect();
    assert!(text.starts_with("Your body of") && text.ends_with('.'), "{text}");
    assert!((20..60).contains(&tokens.len()));
    assert_eq!(finish["choices"][0]["finish_reason"], "stop");
    assert_eq!(usage["choices"], serde_json::json!([]));
    assert_eq!(usage["usage"]["completion_tokens"], tokens.len());
    assert_eq!(client.ask(&post("", STREAM)).status, 200, "the connection goes on behind a stream");
}

#[test]
fn a_stream_without_include_usage_has_none() {
    let relay = relay(Behave::Decode);
    let answer = ask(&relay, &post("", br#"{"model":"demo-x","stream" : true}"#));
    assert!(answer.content.ends_with("\n\ndata: [DONE]\n\n"));
    assert!(!answer.content.contains("usage"));
}

#[test]
fn events_arrive_one_by_one_and_the_relays_end_is_theirs() {
    let relay = Relay::start(&Config { gap: Duration::from_secs(3600), speed: 1.0, floor: Duration::ZERO, ..config() });
    let relay = relay.unwrap();
    let mut client = Client::new(&relay);
    client.send(&post("", STREAM));
    assert_eq!(client.head().0, 200);
    assert!(client.chunk().contains(r#""delta":{"role":"assistant","content":""}"#));
    drop(relay);
    assert!(client.closed());
}

#[test]
fn an_unknown_model_is_404_and_costs_the_same() {
    let floor = Duration::from_millis(30);
    let relay = Relay::start(&Config { floor, speed: 1.0, ..config() }).unwrap();
    let clock = Clock::start();
    let answer = ask(&relay, &post("", br#"{"model":"no-\"such\"-model","messages":[]}"#));
    assert!(clock.elapsed() >= floor);
    assert_eq!(answer.status, 404);
    assert_eq!(answer.json()["error"]["code"], "model_not_found");
    assert!(answer.message().contains(r#"no-"such"-model"#));
}

#[test]
fn the_cost_counts_received_bytes_and_speed_divides_it() {
    let [floor, per_kb] = [Duration::from_millis(540), Duration::from_millis(24)];
    let shared = Shared::new(&Config { floor, per_kb, speed: 20.0, ..config() });
    assert_eq!(shared.cost(0), Duration::from_millis(27));
    assert_eq!(shared.cost(2_000_000), Duration::from_millis(2_427));
    let slow = Shared::new(&Config { behave: Behave::Slow, speed: 20.0, ..config() });
    assert_eq!(slow.cost(0), Duration::from_millis(270));

    let relay = Relay::start(&Config { floor: Duration::ZERO, per_kb: per_kb * 20, speed: 20.0, ..config() }).unwrap();
    let body = format!(r#"{{"model":"demo-model","messages":"{}"}}"#, "x".repeat(5_000));
    let clock = Clock::start();
    assert_eq!(ask(&relay, &post("", body.as_bytes())).status, 200);
    assert!(clock.elapsed() >= per_kb * 5, "{:?}", clock.elapsed());
}

#[test]
fn rejections_hit_any_coding_and_leave_plain_bodies_alone() {
    for (behave, status) in [(Behave::Reject400, 400), (Behave::Reject415, 415), (Behave::Reject500, 500)] {
        let relay = relay(behave);
        for fields in [GZIP, "Content-Encoding: x-unknown\r\n"] {
            let answer = ask(&relay, &post(fields, &gzip(PLAIN)));
            assert_eq!(answer.status, status);
            assert!(answer.json().is_object());
        }
        assert_eq!(ask(&relay, &post("", PLAIN)).status, 200);
    }
}

#[test]
fn ignored_gzip_is_read_as_json() {
    let relay = relay(Behave::Ignore);
    let answer = ask(&relay, &post(GZIP, &gzip(PLAIN)));
    assert_eq!(answer.status, 400);
    assert_eq!(answer.message(), r"invalid character '\x1f' looking for beginning of value");
    assert_eq!(ask(&relay, &post("Content-Encoding: x-unknown\r\n", PLAIN)).status, 200);
}

#[test]
fn unauthorized_and_html_answer_everything() {
    let unauthorized = relay(Behave::Unauthorized);
    for request in [get("/v1/models"), post("", PLAIN), get("/elsewhere")] {
        let answer = ask(&unauthorized, &request);
        assert_eq!(answer.status, 401);
        assert!(answer.head.contains("www-authenticate: bearer\r\n"));
        assert_eq!(answer.json()["error"]["code"], "invalid_api_key");
        let answer = ask(&relay(Behave::Html), &request);
        assert_eq!(answer.status, 502);
        assert!(answer.head.contains("content-type: text/html"));
        assert!(answer.content.starts_with("<!DOCTYPE html>"));
    }
}

#[test]
fn models_are_listed_with_and_without_a_version() {
    let relay = relay(Behave::Decode);
    for target in ["/v1/models", "/models", "/v1/models?limit=1", "http://relay:80/v1/models"] {
        let answer = ask(&relay, &get(target));
        assert_eq!(answer.status, 200, "{target}");
        assert_eq!(answer.json()["data"][0]["id"], "demo-model");
    }
    assert_eq!(ask(&super::relay(Behave::NoModels), &get("/v1/models")).status, 404);
    assert_eq!(ask(&super::relay(Behave::NoModels), &post("", PLAIN)).status, 200);
}

#[test]
fn unknown_paths_are_404_and_wrong_methods_405() {
    let relay = relay(Behave::Decode);
    assert_eq!(ask(&relay, &get("/")).status, 404);
    assert!(ask(&relay, &get("/v1/nothing")).message().contains("/v1/nothing"));
    let answer = ask(&relay, &get("/v1/chat/completions"));
    assert_eq!(answer.status, 405);
    assert!(answer.head.contains("allow: post\r\n"));
    assert_eq!(ask(&relay, b"DELETE /v1/models HTTP/1.1\r\nHost: relay\r\n\r\n").status, 405);
}

#[test]
fn what_is_no_request_of_ours_is_400_with_a_reason() {
    let relay = relay(Behave::Decode);
    for (body, reason) in [
        ("", "not JSON"),
        ("{\"model\":\n  nonsense}", "line 2 column"),
        ("{} {}", "not JSON"),
        ("[]", "'model' is missing"),
        ("\"model\"", "'model' is missing"),
        ("{\"model\":7}", "'model' is missing"),
        ("{\"messages\":[{\"model\":\"demo-model\"}]}", "'model' is missing"),
    ] {
        let answer = ask(&relay, &post("", body.as_bytes()));
        assert_eq!(answer.status, 400, "{body}");
        assert!(answer.message().contains(reason), "{body}: {}", answer.content);
    }
    assert_eq!(ask(&relay, &post("", b"{\"model\":\"demo-\xff\"}")).status, 400);
    let deep = format!("{{\"a\":{}{},\"model\":\"demo-a\"}}", "[".repeat(200_000), "]".repeat(200_000));
    assert_eq!(ask(&relay, &post("", deep.as_bytes())).status, 200);
    assert_eq!(ask(&relay, &post("", b" { \"a\" : [1,{}] , \"model\" : \"demo-a\" } ")).status, 200);
}

#[test]
fn a_relay_that_cannot_listen_names_the_address() {
    let taken = relay(Behave::Decode);
    let error = Relay::start(&Config { address: taken.address(), ..config() }).unwrap_err();
    assert!(error.message.contains(&taken.address().to_string()), "{error}");
}
