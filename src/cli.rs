//! What the programs `sprague` and `spragued` have in common: variables, limits of the process, the terminal, and the server's
//! command line, of which `sprague` makes the manual page.

pub mod environment;
pub mod limits;
pub mod screen;
pub mod spragued;
