//! The files that `bench` and `replay` leave their results in, and what they must not do to others.

use std::path::Path;

use crate::bench::{answer_all, bench, text};
use crate::program::{SmallDisk, TempDir, gzpost};
use crate::records::whole;
use crate::sample::{OK, chat};
use crate::server::{Request, Server};

#[test]
fn an_export_that_fails_leaves_the_others_and_the_record() {
    let server = Server::many(|_, conn| answer_all(conn, OK));
    let exports = ["--export-json", "/dev/full", "--export-csv", "a.csv", "--record", "record"];
    let run = |server: &Server<Vec<Request>>| {
        bench(&["-n", "1"]).args(exports).args([&server.url("/"), "-"]).stdin(chat(2000)).run()
    };
    let output = run(&server);
    output.assert_code(23).assert_stderr_has("/dev/full: could not be written");
    assert_eq!(text(output.home.path(), "a.csv"), text(output.home.path(), "record/samples.csv"));
    // What became of the requests comes first.
    let failing = Server::many(|_, conn| answer_all(conn, "HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n"));
    run(&failing).assert_code(22).assert_stderr_has("/dev/full: could not be written");
}

#[test]
fn an_export_is_replaced_whole_or_not_at_all() {
    let server = Server::many(|_, conn| answer_all(conn, OK));
    let home = TempDir::new();
    let place = home.path().join("a.json");
    home.write("a.json", "of another day");
    std::os::unix::fs::symlink("a.json", home.path().join("link")).expect("a link");
    let run = |path: &Path| {
        bench(&["-n", "1", "--export-json"]).arg(path).args([&server.url("/"), "-"]).stdin(chat(2000)).run()
    };
    run(&home.path().join("link")).assert_code(0);
    assert!(place.symlink_metadata().is_ok_and(|place| place.is_file()), "the link stays one");
    assert!(text(home.path(), "a.json").starts_with('{'));
    assert_eq!(whole(home.path()).len(), 2);

    let Some(disk) = SmallDisk::new() else { return };
    std::fs::write(disk.path().join("a.json"), "of another day").expect("room");
    std::fs::write(disk.path().join("filler"), vec![0; 64 << 10]).expect_err("a full disk");
    let before = whole(disk.path());
    run(&disk.path().join("a.json")).assert_code(23).assert_stderr_has("could not be written: no space left");
    assert!(whole(disk.path()) == before, "{:?}", whole(disk.path()).keys());
}

#[test]
fn a_bench_that_measured_nothing_leaves_nothing_behind() {
    let url = format!("http://127.0.0.1:{}/", crate::server::refused_port());
    let exports = ["--export-json", "a.json", "--export-csv", "a.csv", "--record", "records/of/mine"];
    let exports = [&exports[..], &["--export-svg", "records/of/mine/a.svg"]].concat();
    let output = bench(&exports).args([&url, "-"]).stdin(chat(2000)).run();
    output.assert_code(7);
    assert_eq!(whole(output.home.path()).into_keys().collect::<Vec<_>>(), [""; 0]);

    let server = Server::many(|_, conn| answer_all(conn, OK));
    let output = bench(&exports).args(["-n", "1", &server.url("/"), "-"]).stdin(chat(2000)).run();
    output.assert_code(0);
    assert_eq!(whole(&output.home.path().join("records/of/mine")).len(), 4);
}

#[test]
fn what_is_sent_is_not_written_over() {
    let server = Server::start(|_| ());
    for arguments in [["bench", "--export-csv"], ["replay", "--export-json"], ["replay", "--export-csv"]] {
        let program = gzpost().args(arguments).args(["./body.json", &server.url("/"), "body.json"]);
        let output = program.file("body.json", chat(2000)).run();
        output.assert_error(2).assert_stderr_has("./body.json: is what is sent");
        assert_eq!(text(output.home.path(), "body.json").as_bytes(), chat(2000));
    }
    server.assert_unasked();
}

#[test]
fn stdout_and_pipes_are_written_directly() {
    let server = Server::many(|_, conn| answer_all(conn, OK));
    for path in ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"] {
        let output = bench(&["-n", "1", "--export-csv", path, &server.url("/"), "-"]).stdin(chat(2000)).run();
        assert!(output.assert_code(0).stdout_text().contains("\nnumber,body,coding,"), "{}", output.describe());
    }
}
