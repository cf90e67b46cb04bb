"""Streams boards as plain gRPC for Python does it: a message as soon as the call takes one. See ../streams.py.

    python stream.py ADDRESS BOARDS BOARD_CELLS BATCH OUTPUT
"""

import sys

import stubs  # makes what follows importable
import grpc
from sprague_client import pb, treblecross
from sprague.v1 import sprague_pb2_grpc


def requests(boards, cells, batch):
    """`cells` of each board, or 12 to 292 by turns where that is 0."""
    for sent in range(0, boards, batch):
        numbers = range(sent, min(sent + batch, boards))
        rows = [treblecross("." * (cells or 12 + number * 89 % 281)) for number in numbers]
        yield pb.SolveStreamRequest(batch_id=sent // batch, boards=rows)


def main(address, boards, cells, batch, output):
    boards = int(boards)
    channel = grpc.insecure_channel(address, [("grpc.max_receive_message_length", -1)])
    call = sprague_pb2_grpc.SpragueServiceStub(channel).SolveStream(requests(boards, int(cells), int(batch)))
    batches = answered = 0
    summary = None
    with open(output, "w") as answers:
        for response in call:
            if response.HasField("summary"):
                summary = response.summary
                continue
            assert response.batch.batch_id == batches, response.batch.batch_id
            batches += 1
            answered += len(response.batch.results)
            answers.writelines(str(result.solution.outcome) for result in response.batch.results)
    assert summary == pb.Summary(batches=batches, boards=boards, solved=boards) and answered == boards, summary


main(*sys.argv[1:])
