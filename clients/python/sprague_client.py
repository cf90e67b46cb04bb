"""A client of Sprague in Python, made to be copied. docs/writing-a-client.md says why it does what it does.

    pip install -r requirements.txt
    python -m grpc_tools.protoc -I proto --python_out=. --grpc_python_out=. sprague/v1/sprague.proto

    >>> from sprague_client import Client, treblecross
    >>> client = Client("127.0.0.1:50051")          # or "unix:/run/sprague.sock", or several servers
    >>> list(client.solve(treblecross("....")).winning_cells)
    [1, 2]
    >>> for result in client.solve_all(treblecross("." * n) for n in range(3, 1000)): ...
"""

import collections
import queue
import random
import time

import grpc
from google.rpc import error_details_pb2, status_pb2
from sprague.v1 import sprague_pb2 as pb
from sprague.v1 import sprague_pb2_grpc

WINDOW = 16  # batches sent and not yet answered: they are kept, so that they can be sent again
FIRST_PAUSE, LONGEST_PAUSE = 0.05, 2.0  # seconds that a server is left alone after it failed


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
    """The stream ended with status OK before everything was answered."""


class ProtocolError(Exception):
    """The server's answers do not fit what was sent."""


class Client:
    """Asks one server at a time; when it fails, another one, or the same one again.

    servers: "HOST:PORT", "unix:/path", "https://HOST:PORT" for TLS, or any other target that gRPC knows.
    ca, cert, key: PEM files for TLS; without ca, the authorities of gRPC are believed.
    token: a bearer token. It leaves this machine over TLS only.
    authority: the name to send as :authority, and to find in the server's certificate.
    retry_for: how many seconds to go on without any answer before the last error is raised.
    """

    def __init__(self, *servers, ca=None, cert=None, key=None, token=None, authority=None, retry_for=30.0):
        if not servers:
            raise ValueError("name at least one server")
        self.servers = servers
        self.retry_for = retry_for
        self.metadata = [("authorization", f"Bearer {token}")] if token else []
        pem = [_read(file) for file in (ca, key, cert)]
        self.channels = [_channel(server, grpc.ssl_channel_credentials(*pem), token, authority) for server in servers]
        self.stubs = [sprague_pb2_grpc.SpragueServiceStub(channel) for channel in self.channels]

    def close(self):
        for channel in self.channels:
            channel.close()

    def info(self, timeout=10):
        """The version, games and limits of a server."""
        return self._unary("GetServerInfo", pb.GetServerInfoRequest(), self._retry(timeout))

    def solve(self, board, outcome_only=False, timeout=10):
        """The solution of one board. Raises BoardFault; grpc.RpcError when the call itself failed."""
        request = pb.SolveRequest(board=board, outcome_only=outcome_only)
        result = self._unary("Solve", request, self._retry(timeout)).result
        if result.HasField("error"):
            raise BoardFault(result.error)
        return result.solution

    def solve_all(self, boards, outcome_only=False, timeout=None):
        """Yields one BoardResult a board, in order, each once: a solution or an error.

        Boards are taken from the iterable as answers are taken: at most WINDOW batches are kept. What was sent and not
        answered when a stream breaks is sent again. Raises grpc.RpcError or Incomplete where that did not help.
        """
        retry = self._retry(timeout)
        info = self._unary("GetServerInfo", pb.GetServerInfoRequest(), retry)
        batches = _batches(boards, outcome_only, info)
        unanswered = collections.deque()
        stream, more = None, True
        try:
            while True:
                while more and len(unanswered) < WINDOW:
                    batch = next(batches, None)
                    more = batch is not None
                    if more:
                        unanswered.append(batch)
                    if stream:
                        stream.send(batch)  # None: there are no more
                try:
                    if not stream:
                        server = retry.server()
                        stream = _Stream(self.stubs[server].SolveStream, retry.remaining(), self.metadata)
                        for batch in unanswered:
                            stream.send(batch)
                        if not more:
                            stream.send(None)
                    if not unanswered:
                        stream.end()
                        return
                    results = stream.receive(unanswered[0])
                except (grpc.RpcError, Incomplete) as error:
                    stream.close()
                    stream = None
                    if not unanswered and not more:
                        return  # only the Summary was lost, and every answer was looked at as it came
                    retry.failed(server, error)
                    continue
                retry.answered()
                unanswered.popleft()
                yield from results
        finally:
            if stream:
                stream.close()

    def _retry(self, timeout):
        return _Retry(len(self.stubs), self.retry_for, timeout)

    def _unary(self, method, request, retry):
        while True:
            server = retry.server()
            try:
                call = getattr(self.stubs[server], method)
                response = call(request, timeout=retry.remaining(), metadata=self.metadata)
            except grpc.RpcError as error:
                retry.failed(server, error)
                continue
            retry.answered()
            return response


def _read(file):
    if file is None:
        return None
    with open(file, "rb") as opened:
        return opened.read()


def _channel(server, tls, token, authority):
    target = server.removeprefix("https://")
    local = target.startswith(("unix:", "localhost:", "127.", "[::1]:"))
    if token and target == server and not local:
        raise ValueError(f"{server}: a token in the clear can be read by others; write https://{server}")
    # A socket's path, or a list of addresses, is no name that HTTP/2 allows as :authority: servers reset such calls.
    if not authority and (target.startswith("unix:") or "," in target):
        authority = "localhost"
    options = [
        # Answers may be longer than the 4 MiB that gRPC takes unless told otherwise; limits.message_bytes bounds them.
        ("grpc.max_receive_message_length", -1),
        # A server that comes back is found within two seconds; the default lets it wait for up to two minutes.
        ("grpc.initial_reconnect_backoff_ms", 100),
        ("grpc.min_reconnect_backoff_ms", 100),
        ("grpc.max_reconnect_backoff_ms", 2_000),
        # A server that vanished without a word is noticed.
        ("grpc.keepalive_time_ms", 20_000),
        ("grpc.keepalive_timeout_ms", 10_000),
    ]
    if authority:
        options.append(("grpc.default_authority", authority))
    return grpc.insecure_channel(target, options) if target == server else grpc.secure_channel(target, tls, options)


def _batches(boards, outcome_only, info):
    """Packs boards into messages of the size that the server recommends: one board a message is far slower."""
    most_bytes = min(info.recommended_batch_bytes, info.limits.message_bytes)
    number, batch, size = 0, [], 0
    for board in boards:
        bytes_of_board = board.ByteSize() + 6  # with its tag and length
        if batch and (size + bytes_of_board > most_bytes or len(batch) == info.limits.boards_per_batch):
            yield pb.SolveStreamRequest(batch_id=number, boards=batch, outcome_only=outcome_only)
            number, batch, size = number + 1, [], 0
        batch.append(board)
        size += bytes_of_board
    if batch:
        yield pb.SolveStreamRequest(batch_id=number, boards=batch, outcome_only=outcome_only)


class _Stream:
    """One SolveStream call. gRPC writes from a thread of its own, so that answers are read meanwhile."""

    def __init__(self, method, timeout, metadata):
        self.requests = queue.SimpleQueue()
        self.call = method(iter(self.requests.get, None), timeout=timeout, metadata=metadata)
        self.tally = pb.Summary()

    def send(self, batch):
        """Sends a batch; None: there are no more."""
        self.requests.put(batch)

    def receive(self, batch):
        """The results of the oldest batch that was sent and not answered."""
        response = self._next()
        results = response.batch.results
        if not response.HasField("batch") or response.batch.batch_id != batch.batch_id or len(results) != len(batch.boards):
            raise ProtocolError(f"not the answer to batch {batch.batch_id} of {len(batch.boards)} boards")
        solved = sum(result.HasField("solution") for result in results)
        self.tally.batches += 1
        self.tally.boards += len(results)
        self.tally.solved += solved
        self.tally.failed += len(results) - solved
        return results

    def end(self):
        """Compares the Summary with what was received."""
        response = self._next()
        if response.summary != self.tally:
            raise ProtocolError(f"the Summary does not add up: {response} after {self.tally}")

    def _next(self):
        response = next(self.call, None)
        if response is None:
            raise Incomplete("the stream ended without a Summary")
        return response

    def close(self):
        self.requests.put(None)
        self.call.cancel()


class _Retry:
    """The retry policy of every call: which server is asked next, when, and when it is enough."""

    def __init__(self, servers, retry_for, timeout):
        self.retry_for = retry_for
        self.deadline = None if timeout is None else time.monotonic() + timeout
        self.order = random.sample(range(servers), servers)  # so that many clients do not begin with the same server
        self.not_before = [0.0] * servers
        self.pauses = [FIRST_PAUSE] * servers
        self.failing_since = None

    def remaining(self):
        """What is left of the timeout, in seconds."""
        return None if self.deadline is None else max(self.deadline - time.monotonic(), 0)

    def server(self):
        """The server to ask, once it may be asked."""
        server = min(self.order, key=self.not_before.__getitem__)
        time.sleep(max(self.not_before[server] - time.monotonic(), 0))
        return server

    def answered(self):
        self.failing_since = None
        self.pauses = [FIRST_PAUSE] * len(self.pauses)

    def failed(self, server, error):
        """Returns if another attempt makes sense, and raises the error otherwise."""
        passes, retry_delay = _passes(error)
        now = time.monotonic()
        if self.failing_since is None:
            self.failing_since = now
        # Spread, so that the clients of a server that comes back do not all arrive at once.
        pause = self.pauses[server] * random.uniform(0.5, 1)
        self.pauses[server] = min(2 * self.pauses[server], LONGEST_PAUSE)
        self.not_before[server] = now + retry_delay + pause
        next_attempt = max(min(self.not_before), now)
        late = self.deadline is not None and next_attempt >= self.deadline
        if not passes or late or next_attempt > self.failing_since + self.retry_for:
            raise error


def _passes(error):
    """Whether an error may pass by itself, and the pause that the server asks for, in seconds."""
    if isinstance(error, Incomplete):
        return True, 0
    code, retry_info = error.code(), None
    status = dict(error.trailing_metadata() or ()).get("grpc-status-details-bin")
    for detail in status_pb2.Status.FromString(status or b"").details:
        if detail.Is(error_details_pb2.RetryInfo.DESCRIPTOR):
            retry_info = error_details_pb2.RetryInfo()
            detail.Unpack(retry_info)
    retry_delay = retry_info.retry_delay.ToTimedelta().total_seconds() if retry_info else 0
    if code == grpc.StatusCode.RESOURCE_EXHAUSTED:
        return retry_info is not None, retry_delay
    # The server puts details into every status of its own; without them, gRPC says so of a connection that broke.
    broken = status is None and code in (grpc.StatusCode.INTERNAL, grpc.StatusCode.UNKNOWN)
    return broken or code in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED), retry_delay
