//! The service as its callers see it: streams, errors, limits, deadlines, cancellation, the drain.

#[path = "server/support.rs"]
mod support;

#[path = "server/stream.rs"]
mod stream;

#[path = "server/limits.rs"]
mod limits;

#[path = "server/leaving.rs"]
mod leaving;

#[path = "server/drain.rs"]
mod drain;

#[path = "server/standard.rs"]
mod standard;

#[path = "server/protocol.rs"]
mod protocol;

#[path = "server/health.rs"]
mod health;

#[path = "server/reflection.rs"]
mod reflection;

#[path = "certificates/authority.rs"]
mod authority;

#[path = "server/access.rs"]
mod access;

#[path = "server/sight.rs"]
mod sight;

#[path = "server/explain.rs"]
mod explain;

#[path = "server/raw.rs"]
mod raw;

#[path = "server/bounded.rs"]
mod bounded;
