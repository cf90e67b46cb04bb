//! The descriptions of the formats, a file each.

use super::format::Format;

/// Takes the names of the files in listing order.
macro_rules! formats {
    ($($name:ident),+ $(,)?) => {
        $(mod $name;)+

        impl Format {
            /// Every format, in listing order.
            pub const ALL: [Format; [$(stringify!($name)),+].len()] = [$(Format(&$name::DESCRIPTION)),+];
        }
    };
}

formats! {
    uva10561,
    lightoj1229,
    poj3537,
    codeforces138d,
    gdoi2016,
    luogu_p2599,
}
