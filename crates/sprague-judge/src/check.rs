//! What a checker of answer files needs of judge text: the answers of a file one by one, the cases they belong to, and what
//! is wrong with one, in words. Which answers are right, and why, the caller knows.

pub mod answers;
pub mod align;
pub mod verdict;
