//! `run::check` on every answer file, damaged in many ways, and on what well-known wrong programs print.

#[path = "check/bounds.rs"]
mod bounds;

#[path = "check/damage.rs"]
mod damage;

#[path = "check/programs.rs"]
mod programs;

#[path = "check/support.rs"]
mod support;

#[path = "check/resync.rs"]
mod resync;

use sprague::judge::Format;
use sprague::judge::diagnostic::Kind;
use support::Checker;

#[test]
fn right_answers_are_right() {
    let checker = Checker::new();
    for format in Format::ALL {
        for (name, input, right) in support::files(format) {
            let (report, findings) = checker.check(format, &input, right.as_bytes());
            assert_eq!((report.wrong, report.presentation), (0, 0), "{name}: {findings:?}");
        }
    }
}

#[test]
fn every_damage_is_named_rightly() {
    let checker = Checker::new();
    for damage in damage::ALL {
        let mut done = 0;
        for format in Format::ALL {
            for (name, input, right) in support::files(format) {
                let Some((damaged, case)) = (damage.make)(format, &input, &right) else { continue };
                assert_ne!(damaged, right, "{} of {name}", damage.name);
                let (_, findings) = checker.check(format, &input, damaged.as_bytes());
                let found = &findings[0];
                assert!(found.message.contains(damage.says), "{} of {name}: {found}", damage.name);
                assert_eq!(
                    found.kind == Kind::Presentation,
                    damage.is_presentation,
                    "{} of {name}: {found}",
                    damage.name
                );
                assert_eq!(found.case, case, "{} of {name}: {found}", damage.name);
                done += 1;
            }
        }
        assert!(done > 0, "{} was tried on no file", damage.name);
    }
}

#[test]
fn every_wrong_program_is_refuted() {
    let checker = Checker::new();
    for program in programs::ALL {
        let (input, printed) = (program.run)();
        let (report, findings) = checker.check(program.format, &input, printed.as_bytes());
        let found = findings.iter().find(|found| (found.kind == Kind::Presentation) == program.is_presentation);
        let found = found.unwrap_or_else(|| panic!("{}: nothing is found: {report:?}", program.name));
        assert!(found.message.contains(program.says), "{}: {found}", program.name);
    }
}

#[test]
fn any_bytes_are_checked_without_a_panic() {
    let checker = Checker::new();
    let mut state = 1u64;
    let mut next = |below: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % below
    };
    let pieces = [
        "WINNING",
        "LOSING",
        "Case",
        "1:",
        " ",
        "\n",
        "\r\n",
        "1",
        "2 3",
        "0",
        "WIN",
        "LOSE",
        "-1",
        "\u{fe}",
        "99999999999999999999",
        "\t",
    ];
    for _ in 0..300 {
        let text: String = (0..next(30)).map(|_| pieces[next(pieces.len())]).collect();
        for (format, input) in [
            (Format::UVA10561, "3\n...\n......\n.XX.\n"),
            (Format::LIGHTOJ1229, "2\n...\n......\n"),
            (Format::GDOI2016, "1 1\nX\n2 2\nXL\nLR\n"),
            (Format::LUOGU_P2599, "1\n2\n1 1\n"),
        ] {
            let (report, findings) = checker.check(format, input, text.as_bytes());
            assert_eq!(report.wrong + report.presentation > 0, !findings.is_empty());
        }
    }
}
