//! stub
pub fn basic(_: &str) -> String { String::new() }
