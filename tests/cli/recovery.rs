//! Servers that are lost and found in the middle of a run: every case exactly once, in order.

use std::process::{Child, Command, Stdio};
use std::time::Duration;

use tonic::Status;

use super::command::{Run, answers, names, rows, run};
use super::fake::{Act, Fake, draining};
use super::relay::Relay;

fn solve(servers: &[&str], input: &str, more: &[&str]) -> Run {
    let mut arguments = vec!["solve", "-f", "uva10561"];
    for server in servers {
        arguments.extend(["--server", server]);
    }
    arguments.extend(more);
    run(&arguments, input)
}

fn gone(batches: usize) -> Act {
    Act::Fail(batches, Status::unavailable("gone"))
}

#[test]
fn a_run_survives_streams_that_end_early_in_any_way() {
    let input = rows(600);
    let right = answers(&input);
    for acts in [
        vec![gone(0), gone(1), gone(5), Act::Serve],
        vec![Act::EndOk(3), Act::EndOk(1), Act::EndOk(0), Act::Serve],
        vec![Act::Fail(2, draining()), Act::Fail(0, draining()), Act::Serve],
        vec![gone(1)],
        vec![Act::EndOk(2)],
    ] {
        for connections in ["1", "3"] {
            let fake = Fake::new(acts.clone());
            let done = solve(&[&fake.address], &input, &["--connections", connections]);
            assert_eq!((done.code, done.err.as_str()), (Some(0), ""), "{acts:?}");
            assert!(done.out == right, "{acts:?}");
        }
    }
}

#[test]
fn a_run_survives_connections_that_are_cut() {
    let input = rows(2000);
    let fake = Fake::new([Act::Serve]);
    // Before the first byte, within the handshake, within the facts, within answers.
    let relay = Relay::new(&fake.address, &[0, 20, 150, 2000, 5000, 9000, 9001, 12_345]);
    let done = solve(&[&relay.address], &input, &[]);
    assert_eq!((done.code, done.err.as_str()), (Some(0), ""));
    assert!(done.out == answers(&input));
}

#[test]
fn another_server_takes_over_what_one_left_unanswered() {
    let input = rows(5000);
    let right = answers(&input);
    for act in [gone(3), Act::EndOk(3), Act::Fail(3, draining())] {
        let (dying, living) = (Fake::new([act.clone(), gone(0)]), Fake::new([Act::Serve]));
        let done = solve(&[&dying.address, &living.address], &input, &["--retry-for", "300ms"]);
        assert_eq!((done.code, done.err.as_str()), (Some(0), ""), "{act:?}");
        assert!(done.out == right, "{act:?}");
        assert!(living.streams() > 0);
    }
}

#[test]
fn a_server_that_is_not_there_from_the_start_is_done_without() {
    let input = rows(500);
    let fake = Fake::new([Act::Serve]);
    let done = solve(&["127.0.0.1:1", &fake.address], &input, &[]);
    assert_eq!((done.code, done.err.as_str()), (Some(0), ""));
    assert!(done.out == answers(&input));
}

#[test]
fn with_v_lost_servers_are_told_of() {
    let fake = Fake::new([gone(1), Act::Serve]);
    let done = solve(&[&fake.address], &rows(500), &["-v", "--connections", "1"]);
    assert_eq!(done.code, Some(0));
    assert!(done.err.contains(&format!("{}: gone (UNAVAILABLE)", fake.address)), "{}", done.err);
}

#[test]
fn when_no_server_comes_back_the_run_ends_and_says_which_was_last() {
    let fake = Fake::new([gone(3), Act::Fail(0, draining())]);
    let done = solve(&[&fake.address], &rows(2000), &["--retry-for", "500ms", "--connections", "1"]);
    assert_eq!(done.code, Some(69));
    let expected = format!("sprague: no server answered for 500ms: {}: draining (UNAVAILABLE)", fake.address);
    assert!(done.err.starts_with(&expected), "{}", done.err);
    assert!(answers(&rows(2000)).starts_with(&done.out) && done.out.lines().count() >= 6);
}

#[test]
fn a_batch_that_brings_down_every_stream_is_named_and_does_not_go_round_for_ever() {
    // Board 48 of every 50 has 50 cells; batches of one board, so that the one to blame is known.
    let fake = Fake::new([Act::DieOn(50)]);
    let done = solve(&[&fake.address], &rows(200), &["--batch-bytes", "1"]);
    assert_eq!(done.code, Some(70));
    assert!(done.err.starts_with("-:49:1: case 48: the connection broke 5 times"), "{}", done.err);
    let right: Vec<String> = answers(&rows(200)).lines().take(2 * 47).map(str::to_owned).collect();
    assert_eq!(done.out.lines().collect::<Vec<_>>(), right);
    // A batch of many is named by its first and last.
    let done = solve(&[&fake.address], &rows(200), &["--batch-bytes", "64KiB"]);
    assert_eq!(done.code, Some(70));
    assert!(done.err.starts_with("-:2:1: cases 1 to 200: "), "{}", done.err);
}

/// Starts a run whose server never answers, and waits until its batches are there.
fn stuck_run(fake: &Fake, output: &std::path::Path) -> Child {
    let input = output.with_file_name("input");
    std::fs::write(&input, rows(500)).unwrap();
    let child = Command::new(assert_cmd::cargo::cargo_bin("sprague"))
        .args(["solve", "-f", "uva10561", "--server", &fake.address, "-o"])
        .arg(output)
        .arg(&input)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    while fake.batches() == 0 {
        std::thread::sleep(Duration::from_millis(5));
    }
    child
}

#[test]
fn an_interrupted_run_leaves_no_half_file_and_says_how_far_it_was() {
    for (signal, code) in [(rustix::process::Signal::INT, 130), (rustix::process::Signal::TERM, 143)] {
        let folder = tempfile::tempdir().unwrap();
        let output = folder.path().join("answers");
        std::fs::write(&output, "old").unwrap();
        let fake = Fake::new([Act::Silent]);
        let child = stuck_run(&fake, &output);
        rustix::process::kill_process(rustix::process::Pid::from_child(&child), signal).unwrap();
        let done = Run::from(child.wait_with_output().unwrap());
        assert_eq!(done.code, Some(code));
        assert_eq!(done.err, format!("sprague: interrupted after 0 cases; {} is as it was\n", output.display()));
        assert_eq!(std::fs::read_to_string(&output).unwrap(), "old");
        assert_eq!(names(folder.path()), ["answers", "input"]);
    }
}

#[test]
fn an_explanation_that_takes_longer_than_retry_for_is_waited_for() {
    let grid = vec!["X".repeat(64); 64].join(",");
    let done = run(&["explain", "darkraft", &grid, "--retry-for", "1ms"], "");
    assert_eq!((done.code, done.err.as_str()), (Some(0), ""));
    assert!(done.out.starts_with("darkraft, 64 x 64: the player to move loses"), "{}", &done.out[..100]);
}

#[test]
fn what_is_waited_for_is_told_once() {
    // Nobody listens on port 1.
    let done = run(&["-v", "info", "--server", "127.0.0.1:1", "--retry-for", "500ms"], "");
    assert_eq!(done.code, Some(69));
    assert_eq!(done.err.matches("127.0.0.1:1: Connection refused").count(), 2, "{}", done.err);
    assert!(done.err.contains("; trying for 500ms\nsprague: no server answered for 500ms: "), "{}", done.err);
}
