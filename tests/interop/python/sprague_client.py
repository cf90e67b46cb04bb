"""A client of Sprague in Python: connect, solve one board, stream many. Copy it and start from here.

    pip install grpcio grpcio-tools
    python -m grpc_tools.protoc -I proto --python_out=. --grpc_python_out=. proto/sprague/v1/sprague.proto

    >>> from sprague_client import Client, treblecross
    >>> client = Client("127.0.0.1:50051")          # or "unix:/run/sprague.sock"
    >>> list(client.solve(treblecross("....")).winning_cells)
    [1, 2]
    >>> for result in client.solve_all(treblecross("." * n) for n in range(3, 1000)): ...
"""

import grpc

from sprague.v1 import sprague_pb2 as pb
from sprague.v1 import sprague_pb2_grpc


def treblecross(cells):
    """A row of cells: '.' empty, 'X' taken."""
    return pb.Board(treblecross=pb.Treblecross(cells=cells))


def darkraft(columns, cells):
    r"""A grid, row by row from the top: '\', '/' or 'X' a cell, drawn like the diagonals that it kills along."""
    return pb.Board(darkraft=pb.Darkraft(columns=columns, cells=cells))


def end_nim(piles):
    """A row of piles, left to right. Empty piles are left out: the server takes a 0 for a mistake."""
    return pb.Board(end_nim=pb.EndNim(piles=[pile for pile in piles if pile]))


class BoardFault(Exception):
    """The board has no answer; `reason` and `offset` say why to programs."""

    def __init__(self, error):
        super().__init__(error.message)
        self.reason = pb.Reason.Name(error.reason)
        self.offset = error.offset if error.HasField("offset") else None


class Incomplete(Exception):
    """The stream ended, but not everything that was sent was answered."""


class Client:
    def __init__(self, address):
        options = [
            # Answers can be longer than the 4 MiB that gRPC takes unless told otherwise; the server bounds them.
            ("grpc.max_receive_message_length", -1),
        ]
        if address.startswith("unix:"):
            # A socket's path is no host name: without this the server refuses the call with PROTOCOL_ERROR.
            options.append(("grpc.default_authority", "localhost"))
        self.channel = grpc.insecure_channel(address, options)
        self.stub = sprague_pb2_grpc.SpragueServiceStub(self.channel)

    def close(self):
        self.channel.close()

    def info(self):
        """The server's version, games and limits."""
        return self.stub.GetServerInfo(pb.GetServerInfoRequest(), timeout=10)

    def solve(self, board, outcome_only=False, timeout=10):
        """The solution of one board. Raises BoardFault; grpc.RpcError when the call itself failed."""
        result = self.stub.Solve(pb.SolveRequest(board=board, outcome_only=outcome_only), timeout=timeout).result
        if result.HasField("error"):
            raise BoardFault(result.error)
        return result.solution

    def solve_all(self, boards, outcome_only=False, timeout=None):
        """Yields one BoardResult a board, in order. Boards are taken from the iterable as the server takes them.

        Raises Incomplete, or grpc.RpcError, where the stream ended before its time.
        """
        sent = []  # boards of each batch
        calls = self.stub.SolveStream(self._batches(boards, outcome_only, sent), timeout=timeout)
        answered = solved = 0
        for response in calls:
            if response.HasField("summary"):
                summary, boards = response.summary, sum(sent)
                expected = pb.Summary(batches=len(sent), boards=boards, solved=solved, failed=boards - solved)
                if answered != len(sent) or summary != expected:
                    raise Incomplete(f"the summary does not add up: {summary} after {expected}")
                return
            batch = response.batch
            if batch.batch_id != answered or len(batch.results) != sent[answered]:
                raise Incomplete(f"batch {answered} was answered as batch {batch.batch_id}")
            answered += 1
            solved += sum(result.HasField("solution") for result in batch.results)
            yield from batch.results
        raise Incomplete("the stream ended without a summary")

    def _batches(self, boards, outcome_only, sent):
        """Packs boards into messages of the size that the server recommends: one board a message is far slower."""
        info = self.info()
        batch, size = [], 0
        for board in boards:
            bytes_of_board = board.ByteSize() + 6  # with its tag and length
            full = size + bytes_of_board > info.recommended_batch_bytes or len(batch) == info.limits.boards_per_batch
            if batch and full:
                yield self._batch(batch, outcome_only, sent)
                batch, size = [], 0
            batch.append(board)
            size += bytes_of_board
        if batch:
            yield self._batch(batch, outcome_only, sent)

    @staticmethod
    def _batch(boards, outcome_only, sent):
        sent.append(len(boards))
        return pb.SolveStreamRequest(batch_id=len(sent) - 1, boards=boards, outcome_only=outcome_only)
