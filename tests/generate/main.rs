//! Generated files: what they hold, whom they catch, and that they never change.

mod making;
mod wrong_treblecross;
mod wrong_others;

mod catching;
mod outcomes;
mod refusals;
mod bytes;
