//! The judges' files, good and bad: every one of tests/cases and tests/bad_input, every layout, every way of reading.

mod reading;
mod files;
mod limits;
mod streams;
mod validating;
