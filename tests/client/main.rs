//! The async client as its users see it: boards in, solutions out, whatever becomes of the servers, and whoever stops waiting.

mod servers;
mod solving;
mod streaming;
mod losing;
mod cancelling;
