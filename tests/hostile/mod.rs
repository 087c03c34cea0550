//! Hostile servers, bodies and users: families of scripted faults. For each: the exit code, what is said, what is
//! delivered, and that it ends.

mod bodies;
mod early;
mod framing;
mod load;
mod signals;
mod stops;
mod surroundings;
mod terminal;
