//! The built program against servers that misbehave on purpose, and against real ones.
//!
//! `server` is the scripted loopback server, `program` runs processes, `peers` starts real servers; `harness`
//! tests those three without the program. Nothing sleeps: what must wait, waits for a gate, for bytes or for the
//! end of a connection, and gives up with a message after `server::DEADLINE`. Some of it needs Linux (/proc, full
//! queues of listeners).

#![allow(clippy::disallowed_methods, reason = "tests have deadlines, and look at PATH and CI")]

mod bench;
mod body;
mod check;
mod command_line;
mod completions;
mod decoding;
mod documents;
mod exit_codes;
mod exports;
mod faults;
mod harness;
mod hostile;
mod limits;
mod output;
mod peers;
mod program;
mod proxy;
mod records;
mod redirects;
mod replay;
mod retry;
mod route;
mod sample;
mod secrets;
mod server;
mod streams;
mod timing;
mod tls;
mod transfer;
mod write_out;
