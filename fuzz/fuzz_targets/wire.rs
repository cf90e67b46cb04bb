//! Any bytes taken for a request of a stream: decoded, admitted, solved within a budget, answered, and the answer read
//! back as a client does: no panic, and nothing changed on the way.
#![no_main]

use libfuzzer_sys::fuzz_target;
use prost::Message as _;
use sprague::games::{self, Answer, Sizes};
use sprague::theory::{Control, StopFlag, Stopped};
use sprague::wire::{self, v1};

/// About a millisecond.
const BUDGET: u64 = 1_000_000;

fuzz_target!(|bytes: &[u8]| {
    let Ok(request) = v1::SolveStreamRequest::decode(bytes) else { return };
    let _size = wire::held_by_request(&request);
    let (_id, boards, outcome_only) = wire::batch_parts(request);
    for message in boards {
        let board = match wire::board(Some(message), &Sizes::default()) {
            Ok(board) => board,
            Err(error) => {
                assert!(!error.message.is_empty() && error.message.len() < 300 && !error.message.contains('\n'));
                continue;
            }
        };
        let again = wire::board(Some(board.clone().into()), &Sizes::default());
        assert_eq!(again.as_ref(), Ok(&board), "a board survives the wire");
        if games::cost(&board) > BUDGET {
            continue;
        }
        let solution = match games::solve(&board, &Control::new(BUDGET, StopFlag::default())) {
            Ok(solution) => solution,
            Err(Stopped::OverBudget) => continue,
            Err(Stopped::Cancelled) => panic!("nobody cancelled"),
        };
        let sent = wire::board_result(Ok(solution.clone()), outcome_only).encode_to_vec();
        let received = v1::BoardResult::decode(&sent[..]).expect("what was encoded can be decoded");
        let answer = wire::answer(board.game(), received).expect("an answer that makes sense");
        match answer {
            Answer::Outcome(outcome) => assert!(outcome_only && outcome == solution.outcome()),
            Answer::Solution(answer) => assert!(!outcome_only && answer == solution),
        }
    }
});
