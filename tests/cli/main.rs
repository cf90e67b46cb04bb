//! The real `sprague`, as its users run it: answers, files, exit codes, servers lost and found.

mod command;
mod fake;
mod relay;

mod answers;
mod output;
mod messages;
mod protocol;
mod recovery;
mod spragued;
