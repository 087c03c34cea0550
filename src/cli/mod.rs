//! argv, environment and config files into a `Command`: every check of an option is here.

mod command;

pub use command::{Command, Demo, Fail, Output, Send, Target};
