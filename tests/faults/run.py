"""The fault suite: what breaks servers and clients, done to them on purpose.

    SPRAGUE=target/release/sprague SPRAGUED=target/release/spragued python run.py [--boards N] [--only WORD]

Each fault must end in success or in a clear error within its time: never a hang, a wrong answer, growing memory, or
another client's loss. Prints one line a fault with its figure; docs/RELIABILITY.md has the table.
"""

import argparse
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
import traceback

import grpc

from stubs import WORK
from http2 import DATA, END_STREAM, PREFACE, RST_STREAM, Connection
from neighbour import Neighbour, apart
from victims import SPRAGUE, Run, Server, Wire
from sprague_client import Client, pb, treblecross

arguments = argparse.ArgumentParser(description="The fault suite.")
arguments.add_argument("--boards", type=int, default=300_000, help="boards of a bulk run")
arguments.add_argument("--only", default="", help="only faults whose name has this word")
OPTIONS = arguments.parse_args()

INPUT, EXPECTED = WORK / "boards.in", WORK / "boards.out"


def make_input():
    """Boards of 200 cells with X's 3 to 40 cells apart, and their answers from a run without any fault."""
    chance = random.Random(7)
    with INPUT.open("w") as file:
        print(OPTIONS.boards, file=file)
        for _ in range(OPTIONS.boards):
            cells, at = ["."] * 200, chance.randint(0, 20)
            while at < 200:
                cells[at] = "X"
                at += chance.randint(3, 40)
            print("".join(cells), file=file)
    subprocess.run([SPRAGUE, "solve", "-f", "uva10561", "-q", "-o", EXPECTED, INPUT], check=True)


def same(path):
    return path.exists() and path.read_bytes() == EXPECTED.read_bytes()


def fresh(name):
    path = WORK / f"{name}.out"
    path.unlink(missing_ok=True)
    return path


# --- The client's faults: its servers die, stop, drain; its disk is full -----------------------------------------------

def one_of_two_servers_is_killed():
    with Server() as first, Server() as second:
        out = fresh("killed")
        run = Run(INPUT, out, first.address, second.address)
        time.sleep(0.1)
        first.kill()
        code, said = run.end()
        assert (code, said) == (0, ""), (code, said)
        assert same(out), "the answers differ"
        return f"{OPTIONS.boards} boards byte-identical in {run.seconds:.1f} s, nothing said"


def the_only_server_is_killed():
    with Server() as server:
        out = fresh("only")
        run = Run(INPUT, out, server.address, flags=["--retry-for", "2s"])
        time.sleep(0.1)
        server.kill()
        code, said = run.end()
        assert code == 69 and server.address in said and said.count("\n") == 1, (code, said)
        assert not out.exists() and not list(WORK.glob(".*")), "a file was left"
        return f"exit 69 after {run.seconds:.1f} s with --retry-for 2s: {said.strip()[:90]}"


def a_server_is_killed_and_comes_back():
    with Server() as server:
        out = fresh("back")
        run = Run(INPUT, out, server.address)
        time.sleep(0.1)
        server.kill()
        time.sleep(0.5)
        server.start()
        code, said = run.end()
        assert (code, said) == (0, ""), (code, said)
        assert same(out), "the answers differ"
        return f"byte-identical in {run.seconds:.1f} s"


def one_server_is_stopped():
    with Server() as first, Server() as second:
        out = fresh("stopped")
        run = Run(INPUT, out, first.address, second.address)
        time.sleep(0.1)
        first.signal(signal.SIGSTOP)
        code, said = run.end()
        assert (code, said) == (0, ""), (code, said)
        assert same(out), "the answers differ"
        return f"byte-identical in {run.seconds:.1f} s, by copies to the other"


def two_servers_restart_one_after_the_other():
    with Server() as first, Server() as second:
        out = fresh("rolling")
        run = Run(INPUT, out, first.address, second.address)
        for server in (first, second):
            time.sleep(0.1)
            assert server.drain() == 0, "a drained server exits 0"
            server.start()
        code, said = run.end()
        assert (code, said) == (0, ""), (code, said)
        assert same(out), "the answers differ"
        return f"byte-identical in {run.seconds:.1f} s, nothing said"


def one_server_is_killed_and_one_drained():
    with Server() as first, Server() as second:
        out = fresh("both")
        run = Run(INPUT, out, first.address, second.address)
        time.sleep(0.1)
        first.kill()
        first.start()
        time.sleep(0.1)
        second.drain()
        code, said = run.end()
        assert (code, said) == (0, ""), (code, said)
        assert same(out), "the answers differ"
        return f"{OPTIONS.boards} boards byte-identical in {run.seconds:.1f} s"


def connections_are_reset_or_truncated():
    figures = []
    for reset in (True, False):
        with Server() as server, Wire(server.address, cuts=6, after=100_000, reset=reset) as wire:
            out = fresh("wire")
            run = Run(INPUT, out, wire.address)
            code, said = run.end()
            assert (code, said) == (0, ""), (code, said)
            assert same(out), "the answers differ"
            assert wire.hurt == 6, f"only {wire.hurt} connections were hurt"
            figures.append(f"{run.seconds:.1f} s")
    return f"6 connections reset, 6 truncated: byte-identical in {' and '.join(figures)}"


def the_disk_is_full():
    code, said = Run(INPUT, pathlib.Path("/dev/full")).end()
    assert code == 74 and "/dev/full" in said, (code, said)
    mount = WORK / "small"
    mount.mkdir()
    if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", mount]).returncode:
        return "exit 74 on a full device (no right to mount a small disk here)"
    try:
        old = mount / "answers.out"
        old.write_text("old")
        code, said = Run(INPUT, old).end()
        assert code == 74 and "No space" in said, (code, said)
        assert old.read_text() == "old" and len(list(mount.iterdir())) == 1, "the old file was touched, or one left"
    finally:
        subprocess.run(["umount", mount], check=True)
    return f"exit 74, the old file stands: {said.strip()[-60:]}"


def the_client_is_interrupted():
    figures = []
    for number, expected in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
        with Server() as server:
            out = fresh("interrupted")
            run = Run(INPUT, out, server.address)
            time.sleep(0.1)
            run.process.send_signal(number)
            code, said = run.end(timeout=20)
            assert code == expected and "case" in said, (code, said)
            assert not out.exists() and not list(WORK.glob(".*")), "a file was left"
            figures.append(said.strip())
    return f"exit 130 and 143, no file: {figures[0][:80]}"


def sink_of(fault):
    """Standard error as a fault has it, and what must be closed afterwards: nothing, or both ends of a pipe."""
    reader, writer = os.pipe()
    if fault == "blocked":
        os.set_blocking(writer, False)
        try:
            while True:
                os.write(writer, b"." * 4096)
        except BlockingIOError:
            os.set_blocking(writer, True)
    elif fault == "left":
        os.close(reader)
    sink = {"none": subprocess.DEVNULL, "full": open("/dev/full", "w"), "closed": "closed"}.get(fault, writer)
    return sink, [writer] if fault == "left" else [reader, writer]


def standard_error_is_at_fault():
    """Closed, full, left by its reader, and a full pipe that nobody reads: with few messages, and with more than a pipe holds."""
    bad = WORK / "bad.in"
    with INPUT.open() as good, bad.open("w") as file:
        for number, line in enumerate(good):
            file.write("abc\n" if number % 50 == 1 else line)
    figures = []
    for name, command, expected in (
        ("-vv", [SPRAGUE, "-vv", "solve", "-f", "uva10561", INPUT], 0),
        ("bad cases", [SPRAGUE, "solve", "-f", "uva10561", "--keep-going", bad], 65),
    ):
        right, seconds = None, {}
        for fault in ("none", "closed", "full", "left", "blocked"):
            out, (sink, pipe) = fresh(fault), sink_of(fault)
            close = (lambda: os.close(2)) if fault == "closed" else None
            sink = None if fault == "closed" else sink
            begun = time.monotonic()
            code = subprocess.run([*command, "-o", out], stderr=sink, preexec_fn=close, timeout=300).returncode
            seconds[fault] = time.monotonic() - begun
            assert code == expected, (fault, code)
            right = right or out.read_bytes()
            assert out.read_bytes() == right, f"{fault}: the answers differ"
            for end in pipe:
                os.close(end)
        assert max(seconds.values()) < 1.5 * seconds["none"] + 1, seconds
        figures.append(f"{name}: " + ", ".join(f"{fault} {figure:.2f} s" for fault, figure in seconds.items()))
    return f"byte-identical, same exit code; {'; '.join(figures)}"


def standard_error_of_a_server_is_at_fault():
    """The same faults, for a server in mid-run that logs little, and one that logs every frame."""
    figures = []
    for level in ("info", "debug"):
        seconds = {}
        for fault in ("none", "closed", "full", "left", "blocked"):
            out, (sink, pipe) = fresh(fault), sink_of(fault)
            with Server(level=level, log=sink) as server:
                run = Run(INPUT, out, server.address)
                code, said = run.end()
                assert (code, said) == (0, ""), (fault, code, said)
                assert same(out), f"{fault}: the answers differ"
                seconds[fault] = run.seconds
                begun = time.monotonic()
                assert server.drain() == 0, f"{fault}: a drained server exits 0"
                assert time.monotonic() - begun < 5, f"{fault}: the drain took long"
            for end in pipe:
                os.close(end)
        assert max(seconds.values()) < 1.5 * seconds["none"] + 1, seconds
        figures.append(f"{level}: " + ", ".join(f"{fault} {figure:.2f} s" for fault, figure in seconds.items()))
    return f"{OPTIONS.boards} boards byte-identical, exit 0; {'; '.join(figures)}"


# Runs a program under limits and says its resident memory. A process of its own: what forks it counts until it is the program.
LIMITED = """
import os, resource, sys
processes, space, *command = sys.argv[1:]
child = os.fork()
if child == 0:
    for limit, value in ((resource.RLIMIT_AS, int(space or 0) * 1024), (resource.RLIMIT_NPROC, int(processes or 0))):
        if value:
            resource.setrlimit(limit, (value, value))
    if os.geteuid() == 0:  # limits of processes do not apply to root
        os.setgroups([]), os.setgid(65534), os.setuid(65534)
    os.execv(command[0], command)
_, status, usage = os.wait4(child, 0)
print(usage.ru_maxrss, file=sys.stderr)
sys.exit(os.waitstatus_to_exitcode(status))
"""


def threads_and_memory_are_short():
    """No thread may be started, and little address space taken."""
    ordinary, right = WORK / "ordinary.in", WORK / "ordinary.out"
    with INPUT.open() as file:
        boards = file.read().split()[1:1001]
    ordinary.write_text("\n".join(["1000", *boards]) + "\n")
    right.write_bytes(subprocess.run([SPRAGUE, "solve", "-f", "uva10561", ordinary], check=True, capture_output=True).stdout)
    program = shutil.copy(SPRAGUE, WORK / "program")
    WORK.chmod(0o755)
    figures = []
    for processes, space in ((1, None), (3, None), (7, None), (None, 300_000), (1, 300_000)):
        for command in (["check", "-f", "uva10561", ordinary, right], ["solve", "-f", "uva10561", ordinary],
                        ["explain", "treblecross", "." * 100]):
            limits = [str(limit or "") for limit in (processes, space)]
            done = subprocess.run([sys.executable, "-S", "-c", LIMITED, *limits, program, *command],
                                  capture_output=True, timeout=60)
            assert done.returncode == 0, (processes, space, command, done)
            assert command[0] != "solve" or done.stdout == right.read_bytes(), "the answers differ"
            resident = int(done.stderr)
            assert resident < 20_000, f"{command[0]}: {resident} KB"
            figures.append(resident)
    return f"check, solve and explain with 1, 3 and 7 processes and with 300,000 KB: {max(figures) / 1000:.1f} MB resident at most"


# --- The server's faults: its clients misbehave -----------------------------------------------------------------------

def resets_come_in_floods():
    with Server() as server, Neighbour(server.address) as neighbour:
        before, sent, closed = server.memory(), 0, 0
        for _ in range(20):
            connection = Connection(server.address)
            try:
                for stream in range(1, 4001, 2):
                    connection.open(stream)
                    connection.send(RST_STREAM, 0, stream, b"\0\0\0\x08")
                    sent += 1
            except OSError:
                closed += 1
            connection.close()
        time.sleep(0.5)
        grown = server.memory() - before
        assert grown < 50, f"{grown:.0f} MB more"
    return f"{sent} streams opened and reset, {closed} of 20 connections closed for it, +{grown:.0f} MB; {neighbour.unharmed()}"


def five_hundred_streams_never_read():
    with Server() as server, Neighbour(server.address) as neighbour:
        before = server.memory()
        body = pb.SolveStreamRequest(boards=[treblecross("." * 200)] * 300).SerializeToString()
        message = b"\0" + len(body).to_bytes(4, "big") + body
        connections = []
        for _ in range(5):
            connection = Connection(server.address)
            connection.socket.settimeout(0.2)
            for stream in range(1, 201, 2):
                try:
                    connection.open(stream)
                    # No more than the connection's window of 64 KiB is allowed before its updates are read: one batch.
                    if stream == 1:
                        for at in range(0, len(message), 16_000):
                            connection.send(DATA, 0, stream, message[at: at + 16_000])
                except OSError:
                    break
            connections.append(connection)
        time.sleep(2)
        grown = server.memory() - before
        assert grown < 300, f"{grown:.0f} MB more"
        for connection in connections:
            connection.close()
        time.sleep(1)
        # Their places are free again.
        assert len(list(Client(server.address, retry_for=0).solve_all([treblecross("...")] * 1000))) == 1000
    return f"500 streams, +{grown:.0f} MB, their places free afterwards; {neighbour.unharmed()}"


def streams_upload_and_never_read():
    with Server("--stall-timeout", "3s") as server, Neighbour(server.address) as neighbour:
        before = server.memory()
        batch = pb.SolveStreamRequest(boards=[treblecross("." * 200)] * 300)

        def flood():
            while not done.is_set():
                yield batch

        done, calls, channels = threading.Event(), [], []
        for _ in range(10):
            channel = apart(server.address)
            channels.append(channel)
            send = channel.stream_stream("/sprague.v1.SpragueService/SolveStream",
                                         request_serializer=pb.SolveStreamRequest.SerializeToString,
                                         response_deserializer=pb.SolveStreamResponse.FromString)
            calls += [send(flood()) for _ in range(20)]
        time.sleep(6)
        grown = server.memory() - before
        done.set()
        for channel in channels:
            channel.close()
        # Each stream: its window of 1 MiB and queued_bytes of 2 MiB, with what the allocator adds.
        assert grown < 200 * 4, f"{grown:.0f} MB more"
    return f"200 streams that upload for 6 s, +{grown:.0f} MB; {neighbour.unharmed()}"


def a_hundred_connections_never_send():
    with Server("--handshake-timeout", "1s") as server, Neighbour(server.address) as neighbour:
        silent = [Connection(server.address, first=b"") for _ in range(100)]
        begun = time.monotonic()
        assert all(connection.read_to_end() for connection in silent), "a silent connection is still open"
        figure = time.monotonic() - begun
    return f"all closed after {figure:.1f} s (--handshake-timeout 1s); {neighbour.unharmed()}"


def a_hundred_streams_never_send():
    with Server("--stall-timeout", "1s", "--streams", "100") as server, Neighbour(server.address) as neighbour:
        connection = Connection(server.address)
        for stream in range(1, 201, 2):
            connection.open(stream)
        time.sleep(0.3)
        begun = time.monotonic()
        while True:
            try:
                assert len(list(Client(server.address, retry_for=0).solve_all([treblecross("...")]))) == 1
                break
            except grpc.RpcError as error:
                assert error.code() == grpc.StatusCode.RESOURCE_EXHAUSTED, error
                assert time.monotonic() - begun < 20, "their places are never free"
                time.sleep(0.05)
        figure = time.monotonic() - begun
        connection.close()
    return f"a new stream had its place after {figure:.1f} s (--stall-timeout 1s); {neighbour.unharmed()}"


def metadata_of_a_megabyte():
    with Server() as server, Neighbour(server.address) as neighbour:
        before = server.memory()
        channel = apart(server.address)
        solve = channel.unary_unary("/sprague.v1.SpragueService/Solve")
        for _ in range(20):
            try:
                solve(b"", metadata=[("x-huge", "a" * 1_000_000)], timeout=10)
                raise AssertionError("it was taken")
            except grpc.RpcError as error:
                code = error.code()
        grown = server.memory() - before
        assert grown < 50, f"{grown:.0f} MB more"
    return f"refused ({code.name}), +{grown:.0f} MB; {neighbour.unharmed()}"


def random_bytes_on_the_port():
    chance = random.Random(1)
    with Server("--handshake-timeout", "1s") as server, Neighbour(server.address) as neighbour:
        closed = 0
        for number in range(200):
            noise = (PREFACE if number % 2 else b"") + chance.randbytes(chance.randint(100, 5000))
            connection = Connection(server.address, first=noise)
            if number % 10 == 0:
                closed += connection.read_to_end()
            connection.close()
        assert closed == 20, f"only {closed} of 20 were closed"
    return f"200 connections of noise, closed by the server; {neighbour.unharmed()}"


def descriptors_are_exhausted():
    with Server("--handshake-timeout", "2s", descriptors=100) as server, Neighbour(server.address) as neighbour:
        held = [Connection(server.address, first=b"") for _ in range(300)]
        time.sleep(1)
        spent = os.sysconf("SC_CLK_TCK")
        ticks = lambda: sum(map(int, pathlib.Path(f"/proc/{server.process.pid}/stat").read_text().split()[13:15])) / spent
        before = ticks()
        time.sleep(1)
        busy = ticks() - before
        assert busy < 0.8, f"the server spins: {busy:.2f} s of CPU in a second"
        for connection in held:
            connection.close()
        deadline = time.monotonic() + 20
        while True:
            try:
                apart(server.address).unary_unary("/sprague.v1.SpragueService/Solve")(b"", timeout=5)
                break
            except grpc.RpcError:
                assert time.monotonic() < deadline, "no new client is let in"
                time.sleep(0.1)
    return f"300 connections at 100 descriptors, {busy:.2f} s of CPU a second; {neighbour.unharmed()}"


def a_client_lies_about_sizes():
    with Server("--stall-timeout", "2s") as server, Neighbour(server.address) as neighbour:
        before = server.memory()
        for length in (2**32 - 1, 16 * 2**20 + 1, 16 * 2**20):
            connections = []
            for _ in range(20):
                connection = Connection(server.address)
                connection.open(1)
                connection.send(DATA, 0, 1, b"\0" + length.to_bytes(4, "big") + b"\x12\x05")
                connections.append(connection)
            time.sleep(0.3)
            grown = server.memory() - before
            assert grown < 450, f"{grown:.0f} MB more for messages that never come"
            for connection in connections:
                connection.close()
        connection = Connection(server.address)
        connection.open(1)
        connection.send(DATA, END_STREAM, 1, b"\0\0\0\0\x03\x12\x7f\x01")  # a board of 127 bytes in a message of 3
        connection.close()
    return f"60 calls that announce up to 4 GiB, +{grown:.0f} MB; {neighbour.unharmed()}"


FAULTS = [
    one_of_two_servers_is_killed, the_only_server_is_killed, a_server_is_killed_and_comes_back, one_server_is_stopped,
    two_servers_restart_one_after_the_other, one_server_is_killed_and_one_drained, connections_are_reset_or_truncated,
    the_disk_is_full, the_client_is_interrupted,
    standard_error_is_at_fault, standard_error_of_a_server_is_at_fault, threads_and_memory_are_short,
    resets_come_in_floods, five_hundred_streams_never_read, streams_upload_and_never_read, a_hundred_connections_never_send, a_hundred_streams_never_send,
    metadata_of_a_megabyte, random_bytes_on_the_port, descriptors_are_exhausted, a_client_lies_about_sizes,
]


def main():
    make_input()
    passed = failed = 0
    for fault in FAULTS:
        name = fault.__name__.replace("_", " ")
        if OPTIONS.only not in name:
            continue
        try:
            print(f"ok    {name}: {fault()}", flush=True)
            passed += 1
        except Exception:  # reported, and the others still run
            print(f"FAIL  {name}\n{traceback.format_exc()}", flush=True)
            failed += 1
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0)


main()
