"""Streams as plain gRPC clients in Python, JavaScript, Go and C++ send them, without the care of those in clients/: messages
as fast as the call takes them, of one board or of many, to a fast server and to a slow one. Every answer is compared.

    python streams.py [--boards N] [--servers fast|TIME_PER_CELL ...] [--only WORD]

Small messages fill a connection with small DATA frames, which servers take for an attack at times; Go sends each message as
two. SPRAGUED and SLOW_SERVER name the servers, INTEROP and STREAM the programs that build.sh makes, NODE_PATH where Node's
packages are.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "python"))

from programs import slow_server, spragued

CASES = HERE.parent / "cases" / "poj3537"
CLIENTS = {
    "Python": [sys.executable, "-B", HERE / "python" / "stream.py"],
    "Node": ["node", HERE / "node" / "stream.js"],
    "Go": [os.environ.get("INTEROP", "interop"), "stream"],
    "C++": [os.environ.get("STREAM", "stream")],
}
# Cells of a board (0: 12 to 292 by turns), and boards in a message.
SHAPES = {
    "one smallest board": (3, 1),
    "messages of 20 to 300 bytes": (0, 1),
    "messages of 64 KiB": (0, 415),
}

arguments = argparse.ArgumentParser(description="Streams of plain gRPC clients, every answer compared.")
arguments.add_argument("--boards", type=int, default=600_000, help="boards of a stream")
arguments.add_argument("--servers", nargs="*", default=["fast", "100ns"], help="fast, or the time a cell of a slow one")
arguments.add_argument("--only", default="", help="only streams whose name has this word")
OPTIONS = arguments.parse_args()


def outcomes():
    """The outcome of an empty row, by its cells."""
    rows = (CASES / "every-3-to-300.in").read_text().split()
    return dict(zip(map(int, rows), (CASES / "every-3-to-300.out").read_text().split()))


def stream(command, address, cells, batch, expected, output):
    """Why it failed, or nothing."""
    words = [*command, address, str(OPTIONS.boards), str(cells), str(batch), output]
    try:
        run = subprocess.run(words, stderr=subprocess.PIPE, text=True, timeout=1200)
    except subprocess.TimeoutExpired:
        return "it still ran after 1200 s"
    if run.returncode:
        return f"exit code {run.returncode}: {run.stderr[-2000:]}"
    return None if output.read_text() == expected else "the answers differ"


def cure():
    """C++ and several addresses: refused as they are, let in with GRPC_ARG_DEFAULT_AUTHORITY."""
    with tempfile.TemporaryDirectory() as folder, spragued("--listen", "127.0.0.1:0", "--listen", "127.0.0.1:0") as server:
        words = [*CLIENTS["C++"], f"ipv4:{','.join(server.addresses)}", "10", "3", "1", f"{folder}/output"]
        codes = [subprocess.run([*words, *more], stderr=subprocess.DEVNULL, timeout=60).returncode for more in ([], ["localhost"])]
        return None if codes == [1, 0] else f"exit codes {codes} without and with an authority"


def main():
    passed = failed = 0
    by_cells = outcomes()

    def report(name, fault, seconds):
        nonlocal passed, failed
        passed, failed = passed + (not fault), failed + bool(fault)
        print(f"FAILED  {name}\n{fault}" if fault else f"ok      {name}, {seconds:.1f} s", flush=True)

    with tempfile.TemporaryDirectory() as folder:
        for pace in OPTIONS.servers:
            for shape, (cells, batch) in SHAPES.items():
                expected = "".join(by_cells[cells or 12 + number * 89 % 281] for number in range(OPTIONS.boards))
                for client, command in CLIENTS.items():
                    name = f"{OPTIONS.boards} boards, {shape}, {'a fast server' if pace == 'fast' else f'{pace} a cell'} ({client})"
                    if OPTIONS.only not in name:
                        continue
                    with spragued("--listen", "127.0.0.1:0") if pace == "fast" else slow_server(pace) as server:
                        start = time.monotonic()
                        fault = stream(command, server.addresses[0], cells, batch, expected, pathlib.Path(folder) / "output")
                    report(name, fault, time.monotonic() - start)
    start = time.monotonic()
    if OPTIONS.only in "authority (C++)":
        report("the authority of several addresses is given by a channel argument (C++)", cure(), time.monotonic() - start)
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0)


main()
