"""The soak: bulk runs without a pause over two servers, one of which is killed or drained every few seconds.

    SPRAGUE=target/release/sprague SPRAGUED=target/release/spragued python soak.py [--minutes N]

Every run must come out byte-identical, no neighbour may lose a call to the server that stays up, and the memory of that
server must not grow after the first tenth of the time.
"""

import argparse
import pathlib
import random
import subprocess
import tempfile
import threading
import time

from victims import SPRAGUE, Run, Server

ROOT = pathlib.Path(__file__).resolve().parents[2]
CASES = ROOT / "tests" / "cases"

arguments = argparse.ArgumentParser(description="The soak.")
arguments.add_argument("--minutes", type=float, default=15)
MINUTES = arguments.parse_args().minutes


def make_inputs(folder):
    """Files of every game: input, format, expected answers from a run without any fault."""
    inputs = []
    for name in ("uva10561", "lightoj1229", "gdoi2016", "luogu-p2599", "poj3537"):
        # Many times the same cases: real boards, as large a file as keeps a run busy for a second or two.
        cases = sorted(CASES.joinpath(name).glob("*.in"))
        for case in cases:
            text = case.read_text()
            if name in ("gdoi2016", "poj3537"):
                text *= 30
            else:
                count, rest = text.split(None, 1)
                text = f"{int(count) * 30}\n" + (rest.rstrip() + "\n") * 30
            source = folder / f"{name}-{case.stem}.in"
            source.write_text(text)
            expected = source.with_suffix(".out")
            subprocess.run([SPRAGUE, "solve", "-f", name, "-q", "-o", expected, source], check=True)
            inputs.append((source, name, expected.read_bytes()))
    return inputs


def main():
    chance = random.Random(5)
    runs = faults = 0
    with tempfile.TemporaryDirectory(prefix="soak-") as folder, Server() as steady, Server() as fragile:
        folder = pathlib.Path(folder)
        inputs = make_inputs(folder)
        end = time.monotonic() + 60 * MINUTES
        over = threading.Event()

        def hurt():
            nonlocal faults
            while not over.wait(chance.uniform(1, 6)):
                fragile.kill() if chance.random() < 0.5 else fragile.drain()
                faults += 1
                over.wait(chance.uniform(0, 1))
                fragile.start()

        trouble = threading.Thread(target=hurt)
        trouble.start()
        memory, settled = [], None
        try:
            while time.monotonic() < end:
                chosen = chance.sample(inputs, 2)
                pair = [Run(source, folder / f"answers-{at}", steady.address, fragile.address, format=name)
                        for at, (source, name, _) in enumerate(chosen)]
                for at, run in enumerate(pair):
                    code, said = run.end(timeout=120)
                    assert (code, said) == (0, ""), (chosen[at][0].name, code, said)
                    assert (folder / f"answers-{at}").read_bytes() == chosen[at][2], f"{chosen[at][0].name}: the answers differ"
                    runs += 1
                memory.append(steady.memory())
                if settled is None and time.monotonic() > end - 54 * MINUTES:
                    settled = max(memory)
        finally:
            over.set()
            trouble.join()
        grown = max(memory) - settled
        print(f"{runs} runs byte-identical, {faults} kills and drains, memory {settled:.0f} MB after a tenth, "
              f"{max(memory):.0f} MB at most (+{grown:.0f})")
        assert grown < 16, "the memory of the steady server grows"


main()
print("1 passed, 0 failed")
