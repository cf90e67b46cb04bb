"""The hostile suite: every attack of attacks.py against a server of its own, beside a well-behaved neighbour.

    SPRAGUE=target/release/sprague SPRAGUED=target/release/spragued python hostile.py [--quick] [--only WORD] [--table FILE]
    ... hostile.py --all-at-once MINUTES [--boards N]     every attack at once, beside a bulk run
    ... hostile.py --cgroup 512MiB [...]                  under this limit of memory, with the default budget

Rules, for each: resident memory stays under the budget and 150 MB, and goes back to within 100 MB of its start in 10 s of
idleness; the neighbour on 127.0.0.1 loses no call (after RetryInfo), its p99 is under 250 ms, and no call takes 2 s;
/healthz says SERVING; what attacks.py demands of that attack. Prints one line an attack. Without `--quick` it takes about
half an hour. Without `--quick`, and with `--table`, the neighbour is compared with how it fares beside a legal load that keeps
the server as busy.
"""

import argparse
import collections
import json
import pathlib
import random
import re
import subprocess
import sys
import threading
import time
import traceback

import grpc

from stubs import WORK
import attacks
from neighbour import Neighbour, apart, again
from victims import SPRAGUE, SPRAGUED, Run, Server
from sprague_client import pb

MB = 1_000_000
NEIGHBOUR_TOKEN = "neighbour-token-0001"

arguments = argparse.ArgumentParser(description="The hostile suite.")
arguments.add_argument("--quick", action="store_true", help="a variant or a few of each attack: at most two minutes")
arguments.add_argument("--only", default="", help="only attacks whose name has this word")
arguments.add_argument("--budget", default="256MiB", help="the server's --memory")
arguments.add_argument("--stall-timeout", type=float, help="the server's, in seconds (2; quick: 1)")
arguments.add_argument("--cgroup", metavar="SIZE", help="the server's limit of memory, in place of --memory")
arguments.add_argument("--all-at-once", type=float, metavar="MINUTES")
arguments.add_argument("--boards", type=int, default=5_000_000, help="boards of the bulk run beside all attacks at once")
arguments.add_argument("--share", type=float, default=0.25, help="the part of a core that the attackers may use")
arguments.add_argument("--table", type=pathlib.Path, help="write the figures there, in Markdown")
OPTIONS = arguments.parse_args()
COMPARED = OPTIONS.table or not OPTIONS.quick
STALL = OPTIONS.stall_timeout or (1 if OPTIONS.quick else 2)
HELP = subprocess.run([SPRAGUED, "--help"], capture_output=True, text=True, check=True).stdout
KNOWN_FLAGS = set(re.findall(r"--[a-z-]+", HELP))


def in_bytes(size):
    number, unit = re.fullmatch(r"(\d+)(KiB|MiB|GiB|)", size).groups()
    return int(number) << {"": 0, "KiB": 10, "MiB": 20, "GiB": 30}[unit]


# Where the budget is the server's own choice it is half of the limit.
BUDGET = in_bytes(OPTIONS.cgroup) / 2 / MB if OPTIONS.cgroup else in_bytes(OPTIONS.budget) / MB


def server(flags=(), tokens=False):
    """A server with a small budget and short times; flags that it does not know yet are left out."""
    chosen = {"--memory": OPTIONS.budget, "--stall-timeout": f"{STALL}s", "--handshake-timeout": "1s",
              "--drain-timeout": "3s"}
    if OPTIONS.cgroup:
        del chosen["--memory"]
    if tokens:
        file = WORK / "tokens"
        file.write_text(f"{NEIGHBOUR_TOKEN}\n{attacks.TOKEN}\n")
        file.chmod(0o600)
        chosen["--token-file"] = file
    chosen.update(zip(flags[::2], flags[1::2]))
    words = [str(word) for flag, value in chosen.items() if flag in KNOWN_FLAGS for word in (flag, value)]
    return Server(*words, metrics=True, memory_limit=in_bytes(OPTIONS.cgroup) if OPTIONS.cgroup else None)


class Attackers:
    """attacks.py in the background."""

    def __init__(self, server, names, stall=STALL, **more):
        command = [sys.executable, "-B", pathlib.Path(attacks.__file__), server.address, *names,
                   "--stall-timeout", str(stall), "--handshake-timeout", "1",
                   "--pid", str(server.process.pid), "--share", str(OPTIONS.share)]
        command += [str(word) for flag, value in more.items() for word in (f"--{flag.replace('_', '-')}", value)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.reports = []
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            self.reports.append(json.loads(line))

    def end(self):
        self.process.kill()
        self.process.wait()
        self.reader.join()


class Watch:
    """Samples a server: its memory, its health, what its metrics say."""

    def __init__(self, server):
        self.server, self.start = server, server.memory()
        self.unhealthy, self.metered, self.limit, self.text, self.asked = [], 0.0, None, "", 0.0

    def sample(self):
        """Resident memory now; a few times a second the rest, too."""
        if time.monotonic() - self.asked > 0.25:
            self.ask()
        return self.server.memory()

    def ask(self):
        self.asked = time.monotonic()
        try:
            status, said = self.server.ask("/healthz")
            if status != 200 or said.strip() != "SERVING":
                self.unhealthy.append(f"{status} {said.strip()}")
            _, self.text = self.server.ask("/metrics")
            self.metered = max(self.metered, self.metric("sprague_memory_bytes") or 0)
            self.limit = self.metric("sprague_memory_limit_bytes")
        except OSError as error:
            if self.server.process.poll() is None:
                self.unhealthy.append(repr(error))

    def metric(self, name, label=""):
        """The sum of a metric's values, of those with this label."""
        labels = rf"{{[^}}]*{label}[^}}]*}}" if label else r"(?:{[^}]*})?"
        found = re.findall(rf"^{name}{labels} (\S+)$", self.text, re.MULTILINE)
        return sum(map(float, found)) if found else None

    def falls_back(self):
        """Whether memory is back near its start, and after how long."""
        since = time.monotonic()
        while self.server.memory() > self.start + 100:
            if time.monotonic() - since > 10:
                return False, 10.0
            time.sleep(0.05)
        return True, time.monotonic() - since


def heavy(address, token):
    """Seconds that a heavy board of the neighbour's takes; infinite if it fails, or is not answered in 30 s."""
    board = pb.Board.FromString(attacks.heavy_board(999))
    with apart(address) as channel:
        solve = channel.unary_unary("/sprague.v1.SpragueService/Solve", pb.SolveRequest.SerializeToString,
                                    pb.SolveResponse.FromString)
        metadata = [("authorization", f"Bearer {token}")] if token else None
        begun = time.monotonic()
        try:
            again(lambda: solve(pb.SolveRequest(board=board), timeout=30, metadata=metadata))
        except grpc.RpcError:
            return float("inf")
        return time.monotonic() - begun


class Figures:
    def __init__(self, name):
        self.name, self.problems, self.lost = name, [], []
        self.peak = self.idle = self.ended = self.legal = self.alone = self.beside = None
        self.notes, self.cores = [], 0.0

    def demand(self, holds, rule):
        if not holds:
            self.problems.append(rule)

    def line(self):
        ended = f"ended after {self.ended:.1f} s" if self.ended is not None else "not ended"
        legal = f", {self.legal.p99:.1f} beside a legal load as busy" if self.legal else ""
        return (f"peak {self.peak:.0f} MB, {self.idle:.0f} MB after; {ended}; neighbour p99 {self.alone.p99:.1f} ms alone, "
                f"{self.beside.p99:.1f} beside{legal}, slowest {self.beside.slowest:.0f}; lost {len(self.lost)}"
                f" of {self.beside.count}; {self.cores:.2f} cores; {', '.join(self.notes)}")

    def row(self):
        times = [f"{times.p99:.1f} ms" if times else "" for times in (self.alone, self.beside, self.legal)]
        ended = f"{self.ended:.1f} s" if self.ended is not None else "never"
        broken = "; ".join(self.problems).replace("|", "/")
        cells = [self.name, f"{self.peak:.0f} MB", f"{self.idle:.0f} MB", ended, *times, f"{len(self.lost)}", broken]
        return f"| {' | '.join(cells)} |"


def measure(name, variant):
    """Runs one variant of an attack against a server of its own."""
    attack = attacks.ATTACKS[name]
    figures = Figures(attack.name(variant))
    tokens = "token" in attack.variants[variant]
    token = NEIGHBOUR_TOKEN if tokens else None
    stall = dict(zip(attack.flags[::2], attack.flags[1::2])).get("--stall-timeout", f"{STALL}s").removesuffix("s")
    with server(attack.flags, tokens) as victim, Neighbour(victim.address, newcomer=True, token=token) as neighbour:
        heavy_alone = heavy(victim.address, token) if name.startswith("heavy") else None
        time.sleep(0.4 if OPTIONS.quick else 1)
        figures.alone, watch = neighbour.since(), Watch(victim)
        began, spent = time.monotonic(), victim.cpu()
        attackers = Attackers(victim, [f"{name}:{variant}"], stall)
        peak = watch.start
        heavy_beside, heavy_thread = [], None
        if heavy_alone:

            def ask_beside():
                time.sleep(1)
                heavy_beside.append(heavy(victim.address, token))
                attackers.process.terminate()  # the attack is over

            heavy_thread = threading.Thread(target=ask_beside)
            heavy_thread.start()
        while attackers.reader.is_alive() and time.monotonic() - began < 180:
            if (now := watch.sample()) > 0:
                peak = max(peak, now)
                figures.idle = now
                peak = max(peak, victim.memory("VmHWM"))
                cpu = victim.cpu() - spent
            time.sleep(0.02)
        attackers.end()
        if heavy_thread:
            heavy_thread.join()
        elapsed = time.monotonic() - began
        figures.beside, figures.peak = neighbour.since(), peak
        [report] = attackers.reports or [{"problems": ["the attack did not end"]}]
        figures.cores = (cpu + report.get("cpu", 0)) / elapsed
        figures.ended = report.get("ended_after")
        figures.notes += report.get("notes", [])
        for kind in ("streams", "goaway"):
            figures.notes += [f"{count} x {what}" for what, count in list(report.get(kind, {}).items())[:3]]
        figures.problems += report["problems"]
        figures.demand(peak < BUDGET + 150, f"memory stays under {BUDGET:.0f} + 150 MB: {peak:.0f} MB")
        drained = name == "streams_are_held_in_a_drain"
        figures.demand(drained or victim.process.poll() is None, f"the server lives: it ended with {victim.process.poll()}")
        figures.lost = [] if drained else neighbour.failed
        figures.demand(not figures.lost, f"the neighbour loses no call: {len(figures.lost)}, {figures.lost[:1]}")
        if not drained:
            beside = figures.beside
            figures.demand(beside.p99 < 250, f"the neighbour's p99 stays under 250 ms: {beside.p99:.0f} ms")
            figures.demand(beside.slowest < 2000, f"no call of the neighbour takes 2 s: {beside.slowest:.0f} ms")
        figures.demand(drained or not watch.unhealthy, f"/healthz says SERVING: {watch.unhealthy[:2]}")
        if heavy_alone:
            [beside] = heavy_beside
            told = f"{heavy_alone:.1f} s alone, {beside:.1f} beside"
            figures.notes.append(f"a heavy board {told}")
            figures.demand(beside < 4 * heavy_alone + 2, f"another's heavy board has its share: {told}")
        if not drained:
            watch.ask()
            refused = sum(count for what, count in report.get("streams", {}).items() if what.startswith("RESOURCE_EXHAUSTED"))
            counted = watch.metric("grpc_server_handled_total", 'grpc_code="ResourceExhausted"') or 0
            figures.demand(refused <= counted, f"refusals are counted: {refused} seen, {counted:.0f} in the metrics")
        if "--memory" in KNOWN_FLAGS and not drained:
            figures.demand(watch.limit, "sprague_memory_limit_bytes tells the budget")
            figures.demand(watch.metered <= (watch.limit or 0),
                           f"sprague_memory_bytes stays in the budget: {watch.metered / MB:.0f} MB")
            figures.notes.append(f"metered {watch.metered / MB:.0f} MB")
        if victim.process.poll() is None:
            back, _ = watch.falls_back()
            figures.idle = victim.memory()
            figures.demand(back, f"memory is back to {watch.start:.0f} + 100 MB after 10 s: {figures.idle:.0f} MB")
            if COMPARED:
                neighbour.since()
                load = Attackers(victim, ["legal_load"], cores=max(0.05, figures.cores), repeat_for=2)
                load.reader.join(20)
                figures.legal = neighbour.since()
                load.end()
        else:
            neighbour.failed.append("the server has ended")  # so that leaving waits for no more answers
    return figures


def one_by_one():
    chosen = [(name, variant) for name, attack in attacks.ATTACKS.items() for variant in range(len(attack.variants))
              if OPTIONS.only.replace(" ", "_") in name or OPTIONS.only in attack.name(variant)]
    if OPTIONS.quick:
        chosen = [(name, variant) for name, variant in chosen if variant < attacks.ATTACKS[name].quick]
    passed, rows = 0, []
    for name, variant in chosen:
        needed = [flag for flag in attacks.ATTACKS[name].flags if str(flag).startswith("--")]
        if not set(needed) <= KNOWN_FLAGS:
            missing = " ".join(set(needed) - KNOWN_FLAGS)
            print(f"FAIL  {attacks.ATTACKS[name].name(variant)}: the server has no {missing}", flush=True)
            continue
        try:
            figures = measure(name, variant)
        except Exception:  # reported, and the others still run
            print(f"FAIL  {attacks.ATTACKS[name].name(variant)}\n{traceback.format_exc()}", flush=True)
            continue
        rows.append(figures.row())
        passed += not figures.problems
        print(f"{'FAIL ' if figures.problems else 'ok   '} {figures.name}: {figures.line()}", flush=True)
        for problem in figures.problems:
            print(f"      broken: {problem}", flush=True)
    if OPTIONS.table:
        head = ("| attack | peak memory | after | ended | neighbour's p99 alone | beside it | beside a legal load | lost "
                "| rules broken |")
        OPTIONS.table.write_text("\n".join([head, "| --- " * 9 + "|", *rows]) + "\n")
    print(f"{passed} passed, {len(chosen) - passed} failed")
    return passed == len(chosen)


# --- All at once ------------------------------------------------------------------------------------------------------

def make_input(boards):
    """Boards of 200 cells with X's 3 to 40 cells apart, and their answers from a run without any server."""
    source, expected = WORK / "bulk.in", WORK / "bulk.out"
    chance = random.Random(7)
    some = []
    for _ in range(20_000):
        cells, at = ["."] * 200, chance.randint(0, 20)
        while at < 200:
            cells[at] = "X"
            at += chance.randint(3, 40)
        some.append("".join(cells) + "\n")
    with source.open("w") as file:
        print(boards, file=file)
        for _ in range(boards // len(some)):
            chance.shuffle(some)
            file.writelines(some)
        file.writelines(some[: boards % len(some)])
    subprocess.run([SPRAGUE, "solve", "-f", "uva10561", "-q", "-o", expected, source], check=True)
    return source, expected


def same(one, other):
    return subprocess.run(["cmp", "-s", one, other]).returncode == 0


class Bulk:
    """The same file answered again and again by `sprague solve`."""

    def __init__(self, address):
        self.source, self.expected = make_input(OPTIONS.boards)
        self.address, self.answers = address, WORK / "bulk.answers"
        self.seconds, self.problems, self.run = [], [], None

    def start(self):
        self.run = Run(self.source, self.answers, self.address)

    def look(self, again):
        """Judges a run that has ended, and starts the next if there is to be one."""
        if self.run is None or self.run.process.poll() is None:
            return
        code, said = self.run.end()
        self.seconds.append(self.run.seconds)
        if (code, said) != (0, "") or not same(self.answers, self.expected):
            self.problems.append(f"bulk run {len(self.seconds)}: exit {code}, said {said.strip()[-300:]!r}")
        print(f"      bulk run {len(self.seconds)}: {self.run.seconds:.0f} s, exit {code}", flush=True)
        self.run = None
        if again:
            self.start()


def all_at_once():
    """Every attack that others can live with, again and again; whether the rules held."""
    seconds = 60 * OPTIONS.all_at_once
    names = [f"{name}:{variant}" for name, attack in attacks.ATTACKS.items() if OPTIONS.only in name and not attack.alone
             for variant in range(len(attack.variants)) if "token" not in attack.variants[variant]]
    figures, memory = Figures("all at once"), []
    with server() as victim, Neighbour(victim.address, newcomer=True) as neighbour:
        bulk = Bulk(victim.address)
        time.sleep(1)
        alone, watch = neighbour.since(), Watch(victim)
        attackers = Attackers(victim, names, repeat_for=seconds)
        began, told = time.monotonic(), 0
        bulk.start()
        while victim.process.poll() is None and (bulk.run or attackers.reader.is_alive()):
            at = time.monotonic() - began
            if at > seconds + 400:
                figures.problems.append("attacks or bulk runs do not end")
                break
            memory.append((at, watch.sample(), victim.memory("VmHWM")))
            bulk.look(again=at < seconds)
            if at > 30 * (told + 1):
                told += 1
                print(f"      {at:.0f} s: memory {memory[-1][1]:.0f} MB, {len(attackers.reports)} attacks ended, neighbour "
                      f"{neighbour.answered} calls, {len(neighbour.failed)} lost", flush=True)
            time.sleep(0.02)
        if bulk.run:
            bulk.run.process.kill()
        attackers.end()
        beside, peak = neighbour.since(), max(highest for _, _, highest in memory)
        halves = [max((size for at, size, _ in memory if low <= at / seconds < low + 0.45), default=0) for low in (0.1, 0.55)]
        lives = victim.process.poll() is None
        figures.demand(lives, f"the server lives: it ended with {victim.process.poll()}")
        figures.demand(not lives or watch.falls_back()[0],
                       f"memory is back to {watch.start:.0f} + 100 MB after 10 s: {victim.memory():.0f} MB")
        figures.demand(halves[1] < halves[0] + 50, f"memory is flat: {halves[0]:.0f} MB, then {halves[1]:.0f} MB")
        figures.demand(peak < BUDGET + 150, f"memory stays under {BUDGET:.0f} + 150 MB: {peak:.0f} MB")
        figures.demand(not neighbour.failed, f"the neighbour loses no call: {len(neighbour.failed)}, {neighbour.failed[:1]}")
        figures.demand(not watch.unhealthy, f"/healthz says SERVING: {watch.unhealthy[:2]}")
        figures.demand(not bulk.problems, f"bulk runs come out right: {bulk.problems[:2]}")
        print(f"{'FAIL ' if figures.problems else 'ok   '} all at once for {OPTIONS.all_at_once:g} minutes: {len(names)} attacks "
              f"run {len(attackers.reports)} times; {len(bulk.seconds)} bulk runs of {OPTIONS.boards} boards; "
              f"peak {peak:.0f} MB, {halves[0]:.0f} in the first half and {halves[1]:.0f} in the second; neighbour p99 {alone.p99:.1f} ms alone, "
              f"{beside.p99:.1f} beside, slowest {beside.slowest:.0f}; {neighbour.answered} calls, {len(neighbour.failed)} lost")
        for problem in figures.problems:
            print(f"      broken: {problem}")
        # With so little of a core for all attacks together, their own times say little: told, not judged.
        seen = collections.Counter(f"{report['attack']}: {problem.split(':')[0]}"
                                   for report in attackers.reports for problem in report["problems"])
        for rule, count in sorted(seen.items()):
            print(f"      not seen by an attack: {rule} ({count} times)")
        if not lives:
            neighbour.failed.append("the server has ended")
    return not figures.problems


def main():
    if OPTIONS.all_at_once:
        good = all_at_once()
        print(f"{int(good)} passed, {int(not good)} failed")
    else:
        good = one_by_one()
    sys.exit(not good)


main()
