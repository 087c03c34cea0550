//! gzpost: post big JSON to a slow gateway.
//!
//! `argv → cli → Command → body → Content → http (Request → Response + Timings) → stream → output → ExitCode`

pub mod body;
pub mod cli;
pub mod error;
pub mod http;
pub mod stream;
