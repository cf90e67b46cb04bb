//! Servers that break the protocol, refuse, or do not let us in: never a wrong answer, never a hang.

use std::time::Duration;

use sprague::wire::facts::Limits;
use tonic::Status;

use super::command::{Run, answers, rows, run};
use super::fake::{Act, Fake, come_back_in, limits};

fn solve(fake: &Fake, input: &str, more: &[&str]) -> Run {
    let mut arguments = vec!["solve", "-f", "uva10561", "--server", &fake.address, "--connections", "1"];
    arguments.extend(more);
    run(&arguments, input)
}

#[test]
fn what_a_server_does_wrong_has_its_exit_code_and_its_message() {
    let refusals: [(Vec<Act>, i32, &str); 10] = [
        (vec![Act::WrongId], 70, "does not keep to the protocol: it answered batch 1 with"),
        (vec![Act::TooFew], 70, "boards was next"),
        (vec![Act::Twice], 70, "does not keep to the protocol: it answered batch 0"),
        (vec![Act::LyingSummary], 70, "its Summary does not add up"),
        (vec![Act::Unknown], 70, "a message that this version does not know"),
        (vec![Act::Fail(1, Status::invalid_argument("no such thing"))], 70, "no such thing (INVALID_ARGUMENT)"),
        (vec![Act::Fail(2, Status::internal("lost"))], 70, "refused the call: lost (INTERNAL)"),
        (vec![Act::Fail(0, Status::resource_exhausted("full"))], 70, "full (RESOURCE_EXHAUSTED)"),
        (vec![Act::Fail(0, Status::unauthenticated("who?"))], 77, "does not let this client in: who?"),
        (vec![Act::Fail(3, Status::permission_denied("no"))], 77, "does not let this client in: no"),
    ];
    let input = rows(500);
    let right = answers(&input);
    for (acts, code, message) in refusals {
        let fake = Fake::new(acts.clone());
        let done = solve(&fake, &input, &[]);
        assert_eq!(done.code, Some(code), "{acts:?}: {}", done.err);
        assert!(done.err.contains(message) && done.err.contains(&fake.address), "{acts:?}: {}", done.err);
        assert_eq!(done.err.lines().count(), 1, "{}", done.err);
        assert!(right.starts_with(&done.out), "{acts:?}");
    }
}

#[test]
fn a_server_that_refuses_its_facts_is_taken_at_its_word() {
    for (refusal, code, message) in [
        (Status::permission_denied("not you"), 77, "not you (PERMISSION_DENIED)"),
        (Status::unimplemented(""), 70, "is this a spragued?"),
        (Status::unavailable("later"), 69, "no server answered for 200ms"),
    ] {
        let fake = Fake::with(limits(), Some(refusal), []);
        let done = solve(&fake, "1\n...\n", &["--retry-for", "200ms"]);
        assert_eq!((done.code, done.out.as_str()), (Some(code), ""), "{}", done.err);
        assert!(done.err.contains(message), "{}", done.err);
    }
}

#[test]
fn a_summary_that_does_not_come_loses_nothing() {
    let input = rows(500);
    let done = solve(&Fake::new([Act::NoSummary]), &input, &[]);
    assert_eq!((done.code, done.err.as_str()), (Some(0), ""));
    assert!(done.out == answers(&input));
}

#[test]
fn a_full_server_is_waited_for() {
    let input = rows(500);
    let full = Act::Fail(0, come_back_in(Duration::from_millis(300)));
    let fake = Fake::new([full.clone(), Act::Fail(2, come_back_in(Duration::ZERO)), full, Act::Serve]);
    let done = solve(&fake, &input, &["-v"]);
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert!(done.out == answers(&input));
    assert_eq!(fake.streams(), 4);
}

#[test]
fn a_silent_server_is_left_when_the_time_is_over() {
    let fake = Fake::new([Act::Silent]);
    let done = solve(&fake, &rows(50), &["--timeout", "500ms"]);
    assert_eq!((done.code, done.out.as_str()), (Some(69), ""));
    assert!(done.err.contains("not over after 500ms") && done.err.contains("--timeout"), "{}", done.err);
}

#[test]
fn batches_keep_to_the_limits_of_the_server() {
    let input = rows(500);
    let right = answers(&input);
    let of = |change: fn(&mut Limits)| {
        let mut limits = limits();
        change(&mut limits);
        limits
    };
    for (limits, batches) in [
        (of(|limits| limits.boards_per_batch = 7), 72..=72),
        (of(|limits| limits.boards_per_batch = 1), 500..=500),
        (of(|limits| limits.message_bytes = 150), 100..=400),
        (of(|limits| *limits = Limits { message_bytes: 0, boards_per_batch: 0, ..*limits }), 15..=25),
    ] {
        let fake = Fake::with(limits, None, []);
        let done = solve(&fake, &input, &[]);
        assert_eq!((done.code, done.out == right), (Some(0), true), "{limits:?} {}", done.err);
        assert!(batches.contains(&fake.batches()), "{limits:?}: {} batches", fake.batches());
    }
}

#[test]
fn a_board_that_fits_no_message_is_a_bad_case() {
    let fake = Fake::with(Limits { message_bytes: 100, ..limits() }, None, []);
    let input = format!("2\n...\n{}\n", ".".repeat(90));
    let done = solve(&fake, &input, &[]);
    assert_eq!((done.code, done.out.as_str()), (Some(65), "WINNING\n1 2 3\n"));
    assert!(done.err.starts_with("-:3:1: case 2: ") && done.err.contains("limit of 100 bytes"), "{}", done.err);
}
