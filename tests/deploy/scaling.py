"""How many boards a second 1, 2 and 3 servers answer on this machine, and what each board cost whom.

Run by `.ci/deploy scaling` with release builds. Prints the table of docs/SCALING.md.
"""

import os
import random
import subprocess
import tempfile
import time

from fleet import SPRAGUE, Proxy, Server

RUNS = 3


def light():
    """Rows of Treblecross of 3 to 122 cells: as cheap as boards come."""
    source = random.Random(1)
    boards = 400_000
    rows = "".join("." * (3 + source.randrange(120)) + "\n" for _ in range(boards))
    return "uva10561", boards, f"{boards}\n{rows}"


def heavy():
    """Darkraft of 20 by 20 at random: about a millisecond each."""
    source = random.Random(1)
    boards = 1_000
    grids = (["".join(source.choices("LRX", k=20)) for _ in range(20)] for _ in range(boards))
    return "gdoi2016", boards, "".join("20 20\n" + "\n".join(grid) + "\n" for grid in grids)


def cpu(pid):
    """Seconds of processor time that a process has used."""
    fields = open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def once(command, pids):
    """Wall time, the client's processor time, the others'."""
    before = [cpu(pid) for pid in pids]
    begun, used = time.monotonic(), os.times()
    subprocess.run(command, check=True)
    wall, now = time.monotonic() - begun, os.times()
    client = now.children_user + now.children_system - used.children_user - used.children_system
    return wall, client, [cpu(pid) - old for pid, old in zip(pids, before)]


def main():
    print(f"{os.cpu_count()} cores; {os.popen('uptime').read().split('load')[1].strip()} before\n")
    print("| boards | servers | way | boards/s | us of processor a board: client | servers | proxy |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name, (form, boards, text) in (("light", light()), ("heavy", heavy())):
        with tempfile.NamedTemporaryFile("w", suffix=".in") as file:
            file.write(text)
            file.flush()
            for count in (1, 2, 3):
                servers = [Server("--workers", "1") for _ in range(count)]
                proxy = Proxy(servers)
                pids = [server.process.pid for server in servers] + [proxy.process.pid]
                direct = [word for server in servers for word in ("--server", f"127.0.0.1:{server.port}")]
                through = ["--server", f"127.0.0.1:{proxy.port}", "--connections", str(2 * count)]
                for way, where in (("direct", direct), ("Envoy", through)):
                    command = [SPRAGUE, "solve", "-q", "-f", form, file.name, "-o", os.devnull, *where]
                    runs = [once(command, pids) for _ in range(RUNS)]
                    wall, client, others = sorted(runs, key=lambda run: run[0])[RUNS // 2]
                    costs = [client, sum(others[:-1]), others[-1]]
                    each = " | ".join(f"{cost / boards * 1e6:,.2f}" for cost in costs)
                    print(f"| {name} | {count} | {way} | {boards / wall:,.0f} | {each} |", flush=True)
                proxy.stop()
                for server in servers:
                    server.kill()


main()
