//! Any bytes taken for a request of a stream: decoded, admitted, solved within a budget, answered, and the answer read
//! back as a client does: no panic, and nothing changed on the way.
#![no_main]

use bytes::Bytes;
use libfuzzer_sys::fuzz_target;
use prost::Message as _;
use sprague::games::{self, Answer, Sizes};
use sprague::theory::{Control, StopFlag, Stopped};
use sprague::wire::{self, incoming, v1};

/// About a millisecond.
const BUDGET: u64 = 1_000_000;

/// Boards of a batch that are taken.
const MOST: usize = 100;

fuzz_target!(|bytes: &[u8]| {
    let message = Bytes::copy_from_slice(bytes);
    let mut taken = Vec::new();
    let read = incoming::batch(&message, &Sizes::default(), MOST, |incoming, _| taken.push(incoming));
    let Ok(request) = v1::SolveStreamRequest::decode(message) else { return };
    let batch = read.expect("what prost can decode is read without fault");
    let v1::SolveStreamRequest { batch_id, boards, outcome_only } = request;
    assert_eq!((batch.id, batch.boards, batch.outcome_only), (batch_id, boards.len(), outcome_only));
    assert_eq!(taken.len(), boards.len().min(MOST));
    for (message, incoming) in boards.into_iter().zip(taken) {
        let board = wire::board(Some(message), &Sizes::default());
        assert_eq!(incoming.board, board, "both ways of reading a board agree");
        let board = match board {
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
