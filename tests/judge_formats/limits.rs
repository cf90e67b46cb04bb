//! The limits of statements and server, at and above.

use sprague::judge::{Format, Options};

use crate::reading::{SIZES, SMALL_SIZES, read_all};

#[test]
fn strict_limits_as_a_table() {
    let cells = |count: usize| format!("1\n{}\n", ".".repeat(count));
    let cases = |count: usize, case: &str| format!("{count}\n{}", case.repeat(count));
    let grid = |rows: usize, columns: usize| {
        format!("{rows} {columns}\n{}", format!("{}\n", "L".repeat(columns)).repeat(rows))
    };
    let piles = |count: usize, pile: &str| format!("1\n{count}\n{}\n", format!("{pile} ").repeat(count));
    let mut table = Vec::new();
    for (format, most) in [(Format::UVA10561, 99), (Format::LIGHTOJ1229, 200), (Format::LUOGU_P2599, 10)] {
        let case = if format == Format::LUOGU_P2599 { "1 5\n" } else { "...\n" };
        table.extend([(format, cases(0, case), false), (format, cases(1, case), true)]);
        table.extend([(format, cases(most, case), true), (format, cases(most + 1, case), false)]);
    }
    for format in [Format::UVA10561, Format::LIGHTOJ1229] {
        table.extend([(format, cells(200), true), (format, cells(201), false)]);
    }
    table.extend([(Format::POJ3537, "3 2000".into(), true), (Format::POJ3537, "2001".into(), false)]);
    for format in [Format::CODEFORCES138D, Format::GDOI2016] {
        table.extend([(format, grid(20, 20), true), (format, grid(21, 20), false), (format, grid(20, 21), false)]);
    }
    let format = Format::LUOGU_P2599;
    table.extend([(format, piles(1000, "1000000000"), true), (format, piles(1001, "1"), false)]);
    table.extend([
        (format, piles(0, ""), false),
        (format, piles(2, "0"), false),
        (format, piles(1, "1000000001"), false),
    ]);
    for (format, input, is_taken) in table {
        let is_clean = |strict| {
            let found = read_all(format, Options { strict, sizes: SIZES }, input.as_bytes());
            found.iter().all(Result::is_ok)
        };
        assert!(is_clean(false), "{format}: {input:.40}");
        assert_eq!(is_clean(true), is_taken, "{format}: {input:.40}");
    }
}

#[test]
fn server_sizes_as_a_table() {
    type Input = fn(u64) -> String;
    let table: [(Format, Input, u64, &str); 5] = [
        (Format::UVA10561, |cells| format!("1\n{}", ".".repeat(cells as usize)), 100, "cells"),
        (Format::POJ3537, |cells| cells.to_string(), 100, "cells"),
        (Format::GDOI2016, |rows| format!("{rows} 1 {}", "X ".repeat(rows as usize)), 8, "rows"),
        (Format::GDOI2016, |columns| format!("1 {columns} {}", "X".repeat(columns as usize)), 8, "columns"),
        (Format::LUOGU_P2599, |piles| format!("1\n{piles} {}", "1 ".repeat(piles as usize)), 10, "piles"),
    ];
    for (format, input, limit, unit) in table {
        let read = |size| read_all(format, Options { strict: false, sizes: SMALL_SIZES }, input(size).as_bytes());
        assert!(read(limit)[0].is_ok(), "{format} {unit}");
        let error = read(limit + 1).remove(0).unwrap_err();
        let expected = format!("a board of {} {unit} is over the server's limit of {limit} {unit}", limit + 1);
        assert_eq!((error.message, error.case, error.is_last), (expected, Some(1), false), "{format}");
    }
}
