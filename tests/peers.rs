//! Real servers, when they are installed; with CI=true they have to be.

pub mod apache;
pub mod nginx;
mod process;
pub mod tinyproxy;

pub use process::{Peer, installed};
