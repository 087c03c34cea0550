//! Real servers, when they are installed; with CI=true they have to be.

pub mod apache;
pub mod nginx;
mod process;
pub mod tinyproxy;

pub use process::installed;

use crate::program::gzpost;
use crate::sample::{OK, chat};
use crate::server::{Authority, Server};

#[test]
fn apache_decodes_what_was_sent() {
    let Some(apache) = apache::start() else { return };
    for length in [1024, 377_000, 2_780_000] {
        let body = chat(length);
        let output = gzpost().stdin(body.clone()).args(["-s", &apache.url("/decoded"), "-"]).run();
        assert!(output.assert_code(0).stdout == body, "{}\n{}", output.describe(), apache.said());
        let output = gzpost().stdin(body.clone()).args(["-s", &apache.url("/raw"), "-"]).run();
        assert!(crate::server::gunzip(&output.assert_code(0).stdout) == body);
    }
    let output = gzpost().stdin(chat(50_000)).args(["-s", "--identity", &apache.url("/decoded"), "-"]).run();
    assert!(output.assert_code(0).stdout == chat(50_000));
}

#[test]
fn nginx_speaks_both_versions_of_tls_with_and_without_a_certificate_of_the_client() {
    let authority = Authority::new();
    for version in ["TLSv1.2", "TLSv1.3"] {
        let Some(nginx) = nginx::start(&authority, version, 1) else { return };
        let url = format!("https://127.0.0.1:{}/tls", nginx.port());
        let trusting = || gzpost().args(["-s", "--cacert"]).arg(authority.file());
        let told = trusting().args([&url, "-w", "%{tls_version}"]).run().assert_code(0).stdout_text();
        assert!(told.starts_with(version) && told.ends_with(&format!(" NONE\n{version}")), "{told}");
        let client = authority.client();
        let program = trusting().arg("--cert").arg(client.certificate_file).arg("--key").arg(client.key_file);
        let told = program.arg(&url).run().assert_code(0).stdout_text();
        assert!(told.ends_with(" SUCCESS\n"), "{told}");
        gzpost().args(["-sS", &url]).run().assert_error(60);
    }
}

#[test]
fn nginx_forwards_and_counts_compressed_bytes() {
    let authority = Authority::new();
    let upstream = Server::answering(OK);
    let Some(nginx) = nginx::start(&authority, "TLSv1.3", upstream.port()) else { return upstream.assert_unasked() };
    let url = format!("https://127.0.0.1:{}/v1", nginx.port());
    let post = |options: &[&str]| {
        let program = gzpost().stdin(chat(2_000_000)).args(["-s", "--cacert"]).arg(authority.file());
        program.args(options).args(["-w", "%{http_code}", &url, "-"]).run()
    };
    let output = post(&["--identity"]);
    assert!(output.assert_code(0).stdout_text().ends_with("413"), "{}", output.describe());
    post(&[]).assert_code(0).assert_stdout("ok200");
    assert!(upstream.finish().decoded() == chat(2_000_000));
}

#[test]
fn tinyproxy_forwards_and_wants_a_login() {
    let Some(proxy) = tinyproxy::start(Some("user secret")) else { return };
    let origin = Server::answering(OK);
    let ask = |login: &[&str]| {
        let program = gzpost().stdin(chat(5000)).args(["-s", "-o", "page", "-w", "%{http_code}", "-x", &proxy.url("")]);
        program.args(login).args([&origin.url("/"), "-"]).run().stdout_text()
    };
    // It closes on the content that it did not read, so the exit code depends on when the reset is seen.
    assert_eq!(ask(&[]), "407");
    assert_eq!(ask(&["-U", "user:secret"]), "200");
    assert!(origin.finish().decoded() == chat(5000));
}
