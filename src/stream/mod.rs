//! What an answer says: events, tokens, usage, ends and errors, read from a copy of its bytes.
//!
//! `bytes → scanner → event or objects → token (one file per API) → transcript and pace`
//!
//! Events that repeat a pattern skip the way through token.
//!
//! Nothing here reads a clock or writes: moments are passed in, and what was learnt is asked for.

mod event;
#[cfg(test)]
mod fixtures;
mod objects;
mod pace;
mod pattern;
mod scanner;
mod surrogate;
mod token;
mod transcript;

pub use scanner::Scanner;
pub use token::one_line;
pub use transcript::Piece;

/// The most that is kept of one event, one JSON document or the open tool calls, in bytes.
const LIMIT: usize = 16 << 20;
