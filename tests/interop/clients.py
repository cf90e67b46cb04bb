"""What the clients in clients/ must all do: be resumed after every fault that passes, give up at once after one that does
not, and stream through a rolling restart of two servers.

    python clients.py [--boards N] [--only WORD]

SPRAGUED and SPRAGUE name the programs, INTEROP the Go program that build.sh makes, NODE_PATH where Node's packages are.
"""

import argparse
import collections
import concurrent.futures
import contextlib
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time
import traceback

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "python"))

import stubs  # makes what follows importable
import grpc
from google.protobuf import any_pb2, duration_pb2
from google.rpc import code_pb2, error_details_pb2, status_pb2
from grpc_status import rpc_status
from programs import Program, spragued
from sprague.v1 import sprague_pb2 as pb
from sprague.v1 import sprague_pb2_grpc

SPRAGUED, SPRAGUE = os.environ.get("SPRAGUED", "spragued"), os.environ.get("SPRAGUE", "sprague")
CLIENTS = {
    "Python": [sys.executable, "-B", HERE / "python" / "judge.py"],
    "Node": ["node", HERE / "node" / "judge.js"],
    "Go": [os.environ.get("INTEROP", "interop"), "judge"],
}
WORK = tempfile.TemporaryDirectory()
FOLDER = pathlib.Path(WORK.name)


class Boards:
    """A judge file of rows of 20 to 200 cells, and its answers from `sprague solve`."""

    def __init__(self, count):
        self.count = count
        self.input, self.expected = FOLDER / f"{count}.in", FOLDER / f"{count}.out"
        chance = random.Random(7)
        with self.input.open("w") as file:
            print(count, file=file)
            for _ in range(count):
                cells, at = ["."] * chance.randint(20, 200), chance.randint(0, 20)
                while at < len(cells):
                    cells[at] = "X"
                    at += chance.randint(3, 40)
                print("".join(cells), file=file)
        subprocess.run([SPRAGUE, "solve", "-f", "uva10561", "-q", "-o", self.expected, self.input], check=True)


class Run:
    """A client in the background that answers a judge file."""

    def __init__(self, client, boards, *servers, **options):
        # The retry time is in seconds, milliseconds or nanoseconds, as each language has it.
        if retry_for := options.pop("retry_for", None):
            name, unit = {"Python": ("retry_for", 1), "Node": ("retryFor", 1e3), "Go": ("RetryFor", 1e9)}[client]
            options[name] = int(retry_for * unit)
        self.boards, self.output = boards, FOLDER / f"{client}.{random.random()}"
        command = [*CLIENTS[client], "uva10561", boards.input, self.output, *servers]
        environment = {**os.environ, "OPTIONS": json.dumps(options)}
        self.begun = time.monotonic()
        self.process = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)

    def running(self):
        return self.process.poll() is None

    def written(self):
        """Bytes of answers so far."""
        return self.output.stat().st_size if self.output.exists() else 0

    def end(self, timeout=120):
        """The exit code and standard error."""
        try:
            _, said = self.process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise AssertionError(f"the client still ran after {timeout} s") from None
        self.seconds = time.monotonic() - self.begun
        return self.process.returncode, said

    def succeeds(self):
        code, said = self.end()
        assert code == 0, said[-2000:]
        assert self.output.read_bytes() == self.boards.expected.read_bytes(), "the answers differ"
        self.output.unlink()

    def fails(self, *words):
        """Fails, and soon, and says each of the words."""
        code, said = self.end(timeout=20)
        assert code != 0 and all(word in said for word in words), (code, said[-2000:])


class Servers:
    """Two servers that are drained and killed by turns, and come back each time."""

    def __init__(self):
        self.servers = [self.start("127.0.0.1:0"), self.start("127.0.0.1:0")]
        self.addresses = [server.addresses[0] for server in self.servers]

    @staticmethod
    def start(address):
        return Program(SPRAGUED, "--log", "off", "--listen", address)

    def restart(self, index, kill):
        process = self.servers[index].process
        process.kill() if kill else process.terminate()
        process.wait(timeout=60)
        self.servers[index] = self.start(self.addresses[index])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for server in self.servers:
            server.__exit__()


def restarts(run, servers, order):
    """Restarts these servers, one each time that another part of the answers is written. How many met a run under way."""
    whole, met = run.boards.expected.stat().st_size, 0
    for turn, server in enumerate(order):
        while run.running() and run.written() < whole * (turn + 1) / (len(order) + 2):
            time.sleep(0.01)
        met += run.running()
        servers.restart(server, kill=turn % 4 < 2)
    return met


def a_rolling_restart_loses_nothing(client):
    with Servers() as servers:
        run = Run(client, MANY, *servers.addresses)
        met = restarts(run, servers, [0, 1] * 4)
        run.succeeds()
    assert met >= 2, f"only {met} restarts met the run"  # each server once
    return f"{MANY.count} boards, {met} restarts, byte-identical in {run.seconds:.1f} s"


def one_server_that_comes_back_is_enough(client):
    with Servers() as servers:
        run = Run(client, SOME, servers.addresses[0])
        met = restarts(run, servers, [0] * 3)
        run.succeeds()
    assert met == 3, f"only {met} restarts met the run"
    return f"{run.seconds:.1f} s"


def a_server_that_is_full_is_asked_again(client):
    """Every stream but one is refused with RetryInfo, as those of one peer are beyond its part."""
    with spragued("--listen", "127.0.0.1:0", "--streams", "1") as server:
        runs = [Run(client, SOME, *server.addresses) for _ in range(3)]
        for run in runs:
            run.succeeds()
    return "three at once, room for one"


def details(code, reason=None, retry_delay=None):
    """A status with typed details."""
    status = status_pb2.Status(code=code, message="on purpose")
    found = []
    if reason:
        found.append(error_details_pb2.ErrorInfo(reason=reason, domain="sprague.v1"))
    if retry_delay:
        found.append(error_details_pb2.RetryInfo(retry_delay=duration_pb2.Duration(nanos=int(retry_delay * 1e9))))
    for detail in found:
        status.details.append(any_pb2.Any())
        status.details[-1].Pack(detail)
    return rpc_status.to_status(status)


class Bare(collections.namedtuple("Bare", "code details trailing_metadata"), grpc.Status):
    """A status without typed details, as a transport or a proxy makes it."""


class Faulty(sprague_pb2_grpc.SpragueServiceServicer):
    """Right answers from a real server, and one fault after another: each stream gets the next of `faults`.

    A fault is (batches answered first, what then): a status, or a function that spoils the next response.
    """

    def __init__(self, backend, faults):
        self.backend = sprague_pb2_grpc.SpragueServiceStub(grpc.insecure_channel(backend))
        self.faults, self.begun, self.ended = list(faults), [], []
        self.server = grpc.server(concurrent.futures.ThreadPoolExecutor(8))
        sprague_pb2_grpc.add_SpragueServiceServicer_to_server(self, self.server)
        self.address = f"127.0.0.1:{self.server.add_insecure_port('127.0.0.1:0')}"
        self.server.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.stop(None).wait()

    def GetServerInfo(self, request, context):
        return self.backend.GetServerInfo(request)

    def SolveStream(self, requests, context):
        self.begun.append(time.monotonic())
        answered, then = self.faults.pop(0) if len(self.faults) > 1 else self.faults[0]
        for number, response in enumerate(self.backend.SolveStream(requests)):
            if number < answered and then is not None:
                yield response
            elif callable(then):
                spoiled = then(response)
                if spoiled is None:
                    return
                yield spoiled
            elif then is None:
                yield response
            else:
                break
        if isinstance(then, grpc.Status):
            self.ended.append(time.monotonic())
            context.abort_with_status(then)


def end_without_summary(_):
    """Ends the stream with status OK."""


def without_the_summary(response):
    return response if response.HasField("batch") else None


def wrong_batch_id(response):
    response.batch.batch_id += 1
    return response


def a_result_too_few(response):
    del response.batch.results[-1]
    return response


def wrong_summary(response):
    if response.HasField("summary"):
        response.summary.solved -= 1
    return response


RETRY_DELAY = 0.9
FULL = details(code_pb2.RESOURCE_EXHAUSTED, "NO_ROOM", RETRY_DELAY)
PASSING = {
    "DRAINING": (1, details(code_pb2.UNAVAILABLE, "DRAINING", 0.1)),
    "STALLED": (2, details(code_pb2.UNAVAILABLE, "STALLED")),
    "UNAVAILABLE without details": (0, Bare(grpc.StatusCode.UNAVAILABLE, "on purpose", ())),
    "RESOURCE_EXHAUSTED with RetryInfo": (0, FULL),
    "CANCELLED": (3, details(code_pb2.CANCELLED)),
    "INTERNAL of a transport": (1, Bare(grpc.StatusCode.INTERNAL, "reset", ())),
    "OK without a Summary": (2, end_without_summary),
    "OK at once": (0, end_without_summary),
}
LASTING = {
    "INVALID_ARGUMENT": (0, details(code_pb2.INVALID_ARGUMENT, "TOO_MANY_BOARDS")),
    "RESOURCE_EXHAUSTED without RetryInfo": (0, details(code_pb2.RESOURCE_EXHAUSTED, "TOO_LARGE")),
    "INTERNAL of the server": (1, details(code_pb2.INTERNAL, "INTERNAL")),
    "UNAUTHENTICATED": (0, details(code_pb2.UNAUTHENTICATED, "NO_TOKEN")),
    "a wrong batch_id": (2, wrong_batch_id),
    "a result too few": (2, a_result_too_few),
    "a wrong Summary": (0, wrong_summary),
}


def what_passes_is_tried_again(client):
    with spragued("--listen", "127.0.0.1:0") as server:
        for name, fault in PASSING.items():
            with Faulty(server.addresses[0], [fault, fault, (0, None)]) as faulty:
                try:
                    Run(client, FEW, faulty.address).succeeds()
                    assert len(faulty.begun) == 3, f"{len(faulty.begun)} streams"
                except AssertionError as error:
                    raise AssertionError(f"{name}: {error}") from None
                if fault[1] is FULL:
                    pauses = [begun - ended for begun, ended in zip(faulty.begun[1:], faulty.ended)]
                    assert min(pauses) >= RETRY_DELAY, f"asked again after {pauses} s"
        with Faulty(server.addresses[0], [(0, without_the_summary)]) as faulty:
            Run(client, FEW, faulty.address).succeeds()
            assert len(faulty.begun) == 1, "all was answered, and asked again"
    return f"{len(PASSING)} faults, twice each"


def what_does_not_pass_is_told_at_once(client):
    with spragued("--listen", "127.0.0.1:0") as server:
        for name, fault in LASTING.items():
            with Faulty(server.addresses[0], [fault]) as faulty:
                run = Run(client, FEW, faulty.address)
                try:
                    run.fails()
                    assert len(faulty.begun) == 1, f"{len(faulty.begun)} streams"
                except AssertionError as error:
                    raise AssertionError(f"{name}: {error}") from None
    return f"{len(LASTING)} faults"


def attempts_are_bounded(client):
    with spragued("--listen", "127.0.0.1:0") as server, Faulty(server.addresses[0], [PASSING["UNAVAILABLE without details"]]) as faulty:
        run = Run(client, FEW, faulty.address, retry_for=2)
        run.fails("on purpose")
        took = faulty.begun[-1] - faulty.begun[0]
        assert 0.5 <= took <= 2.5 and 4 <= len(faulty.begun) <= 20, (took, len(faulty.begun))
        gone = server.addresses
    run = Run(client, FEW, *gone, retry_for=1)
    run.fails()
    return f"{len(faulty.begun)} attempts in {took:.1f} s of 2"


@contextlib.contextmanager
def secured(*flags):
    """A server with TLS that wants a certificate and a token, and the options of a client that it lets in."""
    with tempfile.TemporaryDirectory() as folder:
        def openssl(*words):
            subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)
        key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
        openssl("req", "-x509", *key, "-days", "2", "-subj", "/CN=test authority", "-keyout", "ca.key", "-out", "ca.pem")
        for name in ("server", "client"):
            (pathlib.Path(folder) / "ext").write_text("basicConstraints = CA:FALSE\nsubjectAltName = DNS:localhost\n")
            openssl("req", *key, "-subj", f"/CN={name}", "-keyout", f"{name}.key", "-out", f"{name}.csr")
            openssl("x509", "-req", "-in", f"{name}.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2",
                    "-extfile", "ext", "-out", f"{name}.pem")
        (pathlib.Path(folder) / "tokens").write_text("open-sesame-0123456789\n")
        file = lambda name: f"{folder}/{name}"
        flags = ("--tls-cert", file("server.pem"), "--tls-key", file("server.key"), "--client-ca", file("ca.pem"),
                 "--token-file", file("tokens"), *flags)
        options = dict(ca=file("ca.pem"), cert=file("client.pem"), key=file("client.key"), token="open-sesame-0123456789")
        with Program(SPRAGUED, "--log", "error", "--listen", "127.0.0.1:0", *flags) as server:
            yield server.addresses, options


def tls_and_a_token_are_shown(client):
    with secured("--listen", "127.0.0.1:0") as (addresses, options):
        by_name = ["https://" + address.replace("127.0.0.1", "localhost") for address in addresses]
        Run(client, FEW, *by_name, **options).succeeds()
        # The certificate names localhost alone: the name to look for is given.
        Run(client, FEW, f"https://{addresses[0]}", authority="localhost", **options).succeeds()
        if client != "Go":  # which has no targets of several addresses
            Run(client, FEW, f"https://ipv4:{','.join(addresses)}", authority="localhost", **options).succeeds()
        begun = time.monotonic()
        Run(client, FEW, *by_name, **{**options, "token": "another"}).fails()
        assert time.monotonic() - begun < 5, "a refused token was tried again"
        Run(client, FEW, f"https://{addresses[0]}", **options, retry_for=1).fails()
    Run(client, FEW, "192.0.2.1:50051", token="open-sesame-0123456789").fails("https://192.0.2.1:50051")


TESTS = [
    what_passes_is_tried_again,
    what_does_not_pass_is_told_at_once,
    attempts_are_bounded,
    tls_and_a_token_are_shown,
    a_server_that_is_full_is_asked_again,
    one_server_that_comes_back_is_enough,
    a_rolling_restart_loses_nothing,
]

arguments = argparse.ArgumentParser(description="What the clients in clients/ must all do.")
arguments.add_argument("--boards", type=int, default=400_000, help="boards of a run during which servers restart")
arguments.add_argument("--only", default="", help="only tests, or clients, whose name has this word")
OPTIONS = arguments.parse_args()
FEW, SOME, MANY = Boards(8_000), Boards(60_000), Boards(OPTIONS.boards)


def main():
    passed = failed = 0
    for test in TESTS:
        for client in CLIENTS:
            name, start = f"{test.__name__.replace('_', ' ')} ({client})", time.monotonic()
            if OPTIONS.only not in name:
                continue
            try:
                figure = test(client)
                passed += 1
                print(f"ok      {name}, {time.monotonic() - start:.1f} s{': ' + figure if figure else ''}", flush=True)
            except Exception:
                failed += 1
                print(f"FAILED  {name}\n{traceback.format_exc()}", flush=True)
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0)


main()
