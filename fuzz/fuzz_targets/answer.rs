//! Any bytes taken for what became of a board, or for a message of the answering stream, by a client: no panic, and
//! what is taken for an answer is one.
#![no_main]

use libfuzzer_sys::fuzz_target;
use prost::Message as _;
use sprague::games::{Answer, Game};
use sprague::wire::{self, bulk::Summary, v1};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(result) = v1::BoardResult::decode(bytes) {
        let _size = wire::held_by_results(std::slice::from_ref(&result));
        for game in Game::ALL {
            if let Ok(Answer::Solution(solution)) = wire::answer(game, result.clone()) {
                let again = wire::answer(game, wire::board_result(Ok(solution.clone()), false));
                assert_eq!(again, Ok(Answer::Solution(solution)), "an answer survives the wire");
            }
        }
    }
    if let Ok(response) = v1::SolveStreamResponse::decode(bytes) {
        Summary::default().add(&response);
        let _known = wire::bulk::streamed(response);
    }
});
