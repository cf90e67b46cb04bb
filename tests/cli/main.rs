//! The real `sprague`, as its users run it: answers, files, exit codes, servers lost and found.

#[path = "../certificates/authority.rs"]
mod authority;
mod command;
mod fake;
mod relay;

mod answers;
mod output;
mod descriptors;
mod names;
mod screen;
mod messages;
mod protocol;
mod recovery;
mod spragued;
mod logs;
mod several;
mod making;
mod reference;
mod access;
mod sight;
mod standard_error;
mod sockets;
mod values;
mod limits;
mod reasons;
