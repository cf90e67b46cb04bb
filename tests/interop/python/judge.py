"""Judge files: their text to boards, and results to the text that the judge expects.

    python judge.py FORMAT INPUT OUTPUT SERVER...

OPTIONS in the environment are the client's, as JSON. Files are taken to be right: for faults with line and column, use `sprague validate`.
"""

import json
import os
import pathlib
import sys

import stubs  # makes what follows importable
from sprague_client import Client, darkraft, end_nim, pb, treblecross

# Which diagonal a letter kills along; the two judges mean opposite ones.
CODEFORCES = str.maketrans("LRX", "/\\X")
GDOI = str.maketrans("LRX", "\\/X")


def read(format, text):
    """Yields the boards of a file."""
    words = iter(text.split())
    if format in ("uva10561", "lightoj1229"):
        for _ in range(int(next(words))):
            yield treblecross(next(words))
    elif format == "poj3537":
        for cells in words:
            yield treblecross("." * int(cells))
    elif format in ("codeforces138d", "gdoi2016"):
        letters = CODEFORCES if format == "codeforces138d" else GDOI
        for rows in words:
            columns = int(next(words))
            cells = "".join(next(words) for _ in range(int(rows)))
            yield darkraft(columns, cells.translate(letters))
    elif format == "luogu-p2599":
        for _ in range(int(next(words))):
            yield end_nim(int(next(words)) for _ in range(int(next(words))))
    else:
        raise ValueError(f"no format {format}")


def outcome_only(format):
    """Whether the answer needs no winning moves."""
    return format not in ("uva10561", "lightoj1229")


def write(format, number, solution):
    """The answer of case `number`, counted from 1."""
    wins = solution.outcome == pb.OUTCOME_FIRST_PLAYER_WINS
    cells = " ".join(str(cell + 1) for cell in solution.winning_cells)
    return {
        "uva10561": f"WINNING\n{cells}\n" if wins else "LOSING\n\n",
        "lightoj1229": f"Case {number}: {cells if wins else 0}\n",
        "poj3537": "1\n" if wins else "2\n",
        "codeforces138d": "WIN\n" if wins else "LOSE\n",
        "gdoi2016": "WIN\n" if wins else "LOSE\n",
        "luogu-p2599": "1\n" if wins else "0\n",
    }[format]


def answers(client, format, text):
    """Yields the answers of a judge file. A board without an answer is a line ERROR."""
    results = client.solve_all(read(format, text), outcome_only(format))
    for number, result in enumerate(results, 1):
        yield write(format, number, result.solution) if result.HasField("solution") else "ERROR\n"


def main(format, source, target, *servers):
    with open(target, "w") as output:
        output.writelines(answers(Client(*servers, **json.loads(os.environ.get("OPTIONS", "{}"))), format, pathlib.Path(source).read_text()))


if __name__ == "__main__":
    main(*sys.argv[1:])
