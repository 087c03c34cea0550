//! Tests of the harness itself, with curl and plain sockets as clients.

mod peers;
mod processes;
mod scripts;
mod secured;

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::server::message;

/// What the panic of something that must fail says.
#[track_caller]
fn failure<T>(fails: impl FnOnce() -> T) -> String {
    let panic = catch_unwind(AssertUnwindSafe(|| drop(fails()))).expect_err("something that fails");
    message(&panic)
}
