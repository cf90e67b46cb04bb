"""A well-behaved client beside a fault, on 127.0.0.1: what it loses or waits for is what others would."""

import threading
import time

import grpc
from google.rpc import error_details_pb2
from grpc_status import rpc_status

import stubs  # noqa: F401 (makes the next one importable)
from sprague_client import Client, pb, treblecross

PATIENCE = 10  # seconds that it tries for, where the server says when to come again


def apart(address):
    """A channel with a connection of its own: grpc shares connections between the channels of a process."""
    return grpc.insecure_channel(address, [("grpc.use_local_subchannel_pool", 1)])


def retry_after(error):
    """The seconds of the error's RetryInfo; None where it has none."""
    status = rpc_status.from_call(error)
    for detail in status.details if status else ():
        info = error_details_pb2.RetryInfo()
        if detail.Unpack(info):
            return info.retry_delay.seconds + info.retry_delay.nanos / 1e9
    return None


def again(ask):
    """Asks, and again for as long as the server says when."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            return ask()
        except grpc.RpcError as error:
            delay = retry_after(error)
            if delay is None or time.monotonic() + delay > deadline:
                raise
            time.sleep(delay)


class Token(grpc.UnaryUnaryClientInterceptor, grpc.StreamStreamClientInterceptor):
    """Shows a token with every call."""

    def __init__(self, token):
        self.metadata = [("authorization", f"Bearer {token}")]

    def intercept_unary_unary(self, go_on, details, request):
        return go_on(details._replace(metadata=self.metadata), request)

    intercept_stream_stream = intercept_unary_unary


class Neighbour:
    """One small board after another; with `newcomer`, now and then over a new connection, and now and then a stream."""

    def __init__(self, address, newcomer=False, token=None):
        self.address, self.stop, self.newcomer, self.token = address, False, newcomer, token
        self.client = Client(address, token=token, retry_for=0)  # it asks again by itself, where it may
        self.answered, self.failed, self.slowest, self.times = 0, [], 0.0, []
        self.thread = threading.Thread(target=self.ask)
        self.thread.start()
        self.wait_for(1)

    def ask(self):
        while not self.stop:
            try:
                if self.newcomer and self.answered % 50 == 25:
                    again(self.ask_anew)
                elif self.newcomer and self.answered % 50 == 0:
                    again(self.ask_stream)
                else:
                    begun = time.monotonic()
                    try:
                        again(self.ask_one)
                    finally:
                        self.times.append(time.monotonic() - begun)
                        self.slowest = max(self.slowest, self.times[-1])
                self.answered += 1
            except Exception as error:  # whatever it is, it is the figure
                self.answered += self.newcomer  # not the same again at once
                self.failed.append(" ".join(repr(error).split())[:200])
            time.sleep(0.002)

    def ask_one(self):
        assert list(self.client.solve(treblecross("....")).winning_cells) == [1, 2]

    def ask_stream(self):
        assert len(list(self.client.solve_all([treblecross("..X.")] * 1000, timeout=10))) == 1000

    def ask_anew(self):
        with apart(self.address) as channel:
            channel = grpc.intercept_channel(channel, Token(self.token)) if self.token else channel
            solve = channel.unary_unary("/sprague.v1.SpragueService/Solve", pb.SolveRequest.SerializeToString,
                                        pb.SolveResponse.FromString)
            assert solve(pb.SolveRequest(board=treblecross("....")), timeout=10).result.HasField("solution")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.wait_for(20)  # after the fault, too
        finally:
            self.stop = True
            self.thread.join()
            self.client.close()

    def wait_for(self, more):
        """Waits for so many more answers."""
        goal, deadline = self.answered + more, time.monotonic() + 20
        while self.answered < goal and not self.failed:
            assert time.monotonic() < deadline, "the neighbour is not answered"
            time.sleep(0.01)

    def since(self):
        """The times of its calls since the last `since`, in ms: how many, the median, the 99th in a hundred, the slowest."""
        times, self.times = sorted(self.times), []
        if not times:
            return Times(0, float("nan"), float("nan"), float("nan"))
        return Times(len(times), *(1000 * times[int(part * (len(times) - 1))] for part in (0.5, 0.99, 1)))

    def unharmed(self):
        assert not self.failed, f"the neighbour lost {len(self.failed)} calls: {self.failed[0]}"
        return f"neighbour: {self.answered} calls, none lost, slowest {self.slowest * 1000:.0f} ms"


class Times:
    def __init__(self, count, p50, p99, slowest):
        self.count, self.p50, self.p99, self.slowest = count, p50, p99, slowest
