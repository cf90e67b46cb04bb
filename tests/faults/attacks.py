"""Hostile clients, a function a kind of attack, in raw frames from loopback addresses other than 127.0.0.1.

    python attacks.py ADDRESS [--stall-timeout S] [--handshake-timeout S] [--pid PID] [--share CPU] [--repeat-for S] NAME...

Runs the named attacks (NAME, or NAME:N for its N-th variant; without names: lists them) against a running server, all at
once if there are several, and prints a line of JSON for each: what became of its streams and connections, how long the
server took to end them, and which rules were broken. They run at a low priority and take no more than `--share` of
one core, since on a small machine an attacker's own processor time is what others feel.
"""

import argparse
import collections
import contextlib
import dataclasses
import json
import os
import pathlib
import random
import selectors
import signal
import threading
import time

from http2 import (ACK, CONTINUATION, DATA, DEFAULT_WINDOW, END_HEADERS, HEADERS, INITIAL_WINDOW_SIZE,
                   LARGEST_WINDOW, PING, PREFACE, PRIORITY, RST_STREAM, SERVICE, SETTINGS, WINDOW_UPDATE, Session,
                   call_headers, frame, integer, literal, number32, setting)
from messages import REASON_TOO_LONG, answers, batch, darkraft, field, message, prefix, solve, treblecross, varint

MIB = 1024 * 1024
TOKEN = "attacker-token-0001"
SOLVE, STREAM, EXPLAIN, INFO = (SERVICE + name for name in (b"Solve", b"SolveStream", b"Explain", b"GetServerInfo"))
CHECK, LIST, WATCH = (b"/grpc.health.v1.Health/" + name for name in (b"Check", b"List", b"Watch"))
REFLECTION = b"/grpc.reflection.v1.ServerReflection/ServerReflectionInfo"
REFLECTION_ALPHA = b"/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo"
UNKNOWN_METHOD, UNKNOWN_SERVICE = SERVICE + b"Guess", b"/no.such.Service/Guess"
SMALL = (CHECK, LIST, WATCH, REFLECTION, REFLECTION_ALPHA)

MILLION_X = b"X." * 500_000  # a board of a million cells with an answer of a megabyte and a half
REFLECTION_REQUEST = message(field(7, b""))  # list_services


class Throttle:
    """Keeps this process under its share of one core."""

    def __init__(self, share):
        self.share, self.began, self.spent = share, time.monotonic(), time.process_time()

    def __call__(self):
        over = time.process_time() - self.spent - self.share * (time.monotonic() - self.began)
        if over > 0.02:
            time.sleep(min(over / self.share, 0.5))
        elif over < -0.5:
            self.began, self.spent = time.monotonic(), time.process_time()  # what was not used is not saved up


class Attacker:
    """The connections of one attack, and what it sees."""

    def __init__(self, options, throttle):
        self.options, self.throttle = options, throttle
        self.sessions, self.selector = [], selectors.DefaultSelector()
        self.streams, self.notes, self.problems = [], [], []
        self.began, self.ended_after = time.monotonic(), None
        self.not_connected = 0

    # --- Doing

    def connect(self, number=0, addresses=1, **how):
        """A connection from one of so many addresses. Raises OSError if the server does not take it."""
        try:
            session = Session(self.options.address, source=f"127.0.0.{2 + number % addresses}", **how)
        except OSError:
            self.not_connected += 1
            raise
        self.sessions.append(session)
        self.watch(session)
        return session

    def connect_many(self, connections, addresses=1, **how):
        """The connections that the server takes, one at least."""
        sessions = []
        for number in range(connections):
            with contextlib.suppress(OSError):
                sessions.append(self.connect(number, addresses, **how))
            if number % 16 == 15:
                self.pump(0)
        if not sessions:
            raise ConnectionRefusedError
        return sessions

    def call(self, session, *words, **how):
        stream = session.call(*words, **how)
        self.streams.append(stream)
        return stream

    def watch(self, session):
        """Keeps the selector in step with what the session waits for."""
        wanted = (selectors.EVENT_READ if session.reads else 0) | (selectors.EVENT_WRITE if session.outgoing else 0)
        if session.closed:
            wanted = 0
        key = self.selector.get_map().get(session.socket.fileno()) if session.socket.fileno() >= 0 else None
        if key and not wanted:
            self.selector.unregister(session.socket)
        elif wanted and not key:
            self.selector.register(session.socket, wanted, session)
        elif key and key.events != wanted:
            self.selector.modify(session.socket, wanted, session)

    def pump(self, seconds, until=lambda: False):
        """Sends and receives for so long, or until something is so; whether it is."""
        deadline = time.monotonic() + seconds
        for session in self.sessions:
            session.flush()
            self.watch(session)
        while True:
            self.throttle()
            if until():
                return True
            rest = deadline - time.monotonic()
            events = self.selector.select(max(0, min(rest, 0.05))) if self.selector.get_map() else []
            if not events and not self.selector.get_map():
                time.sleep(max(0, min(rest, 0.05)))
            for key, mask in events:
                session = key.data
                if mask & selectors.EVENT_WRITE:
                    session.flush()
                if mask & selectors.EVENT_READ:
                    session.receive()
                self.watch(session)
            if rest <= 0:
                return until()

    def send_all(self, seconds=20):
        """Sends what is waiting, as long as the server takes any of it."""
        deadline, before, since = time.monotonic() + seconds, -1, time.monotonic()
        while time.monotonic() < deadline and any(session.unsent for session in self.sessions):
            self.pump(0.05)
            sent = sum(session.sent - len(session.outgoing) for session in self.sessions)
            if sent != before:
                before, since = sent, time.monotonic()
            elif time.monotonic() - since > 0.5:
                return

    def stop_reading(self, sessions):
        """Reads until answers have begun to come on each, and nothing from then on."""
        def begun():
            for session in sessions:
                if any(stream.received for stream in session.streams.values()):
                    session.reads = False
                    self.watch(session)
            return not any(session.reads for session in sessions)

        self.pump(10, begun)

    # --- Judging

    def demand(self, holds, rule):
        if not holds and rule not in self.problems:
            self.problems.append(rule)

    def hold(self, limit, rule="the server ended everything"):
        """Holds everything open until the server has ended every stream, at most so long; notes the time."""
        since = time.monotonic()
        ended = self.pump(limit, lambda: all(stream.outcome for stream in self.streams))
        self.ended_after = time.monotonic() - since
        if rule:
            self.demand(ended, f"{rule}: not after {self.ended_after:.1f} s")
        if not ended:
            self.ended_after = None

    def stalled(self, more=4):
        """How long a call may stand still: the server's time for it, and what its clocks and a busy machine add."""
        return self.options.stall_timeout + more

    def leave(self):
        for session in self.sessions:
            session.close()

    def report(self):
        seen = collections.Counter(stream.outcome or "open" for stream in self.streams)
        for stream in self.streams:
            if stream.status == "RESOURCE_EXHAUSTED":
                self.demand(stream.reason and stream.retry_after, "a refused call has ErrorInfo and RetryInfo")
        return {
            "ended_after": self.ended_after,
            "streams": dict(seen.most_common()),
            "connections": dict(collections.Counter(session.closed or "open" for session in self.sessions)),
            "not_connected": self.not_connected,
            "goaway": dict(collections.Counter(session.goaway for session in self.sessions if session.goaway)),
            "notes": self.notes,
            "problems": self.problems,
        }


@dataclasses.dataclass
class Attack:
    run: object
    variants: list  # keyword arguments of `run`
    quick: int  # how many of them, from the first, a quick run has
    flags: tuple  # of the server, beside those that every attack has
    alone: bool  # it ends the server, or wants flags that others could not live with

    def name(self, variant):
        words = " ".join(f"{key}={self.show(value)}" for key, value in self.variants[variant].items())
        return f"{self.run.__name__.replace('_', ' ')}" + (f" ({words})" if words else "")

    @staticmethod
    def show(value):
        return value.decode().removeprefix(SERVICE.decode()).rsplit("/", 1)[-1] if isinstance(value, bytes) else value


ATTACKS = {}


def attack(*variants, quick=1, flags=(), alone=False):
    def register(function):
        ATTACKS[function.__name__] = Attack(function, list(variants) or [{}], quick, flags, alone)
        return function
    return register


# --- Requests that stand still ----------------------------------------------------------------------------------------

def unfinished(path, amount):
    """The beginning of a request that announces the largest message of the service."""
    size = 4 * MIB - 64 if path in SMALL else 16 * MIB - 64
    return {
        "nothing": b"",
        "half a prefix": b"\0\0\xff",
        "prefix": prefix(size),
        "most": prefix(size) + b"\x0a" + varint(size - 5) + b"." * (size - 1000),
        "all but END_STREAM": solve(treblecross(b"....")) if path == SOLVE else message(b""),
    }[amount]


@attack(
    dict(path=SOLVE, amount="most"), dict(path=CHECK, amount="most"), dict(path=UNKNOWN_METHOD, amount="most"),
    dict(path=SOLVE, amount="prefix"), dict(path=STREAM, amount="most"), dict(path=REFLECTION, amount="most"),
    dict(path=EXPLAIN, amount="most"), dict(path=INFO, amount="most"), dict(path=LIST, amount="most"),
    dict(path=WATCH, amount="most"), dict(path=REFLECTION_ALPHA, amount="most"), dict(path=UNKNOWN_SERVICE, amount="most"),
    dict(path=SOLVE, amount="nothing"), dict(path=EXPLAIN, amount="prefix"), dict(path=INFO, amount="nothing"),
    dict(path=SOLVE, amount="half a prefix"), dict(path=SOLVE, amount="all but END_STREAM"),
    dict(path=INFO, amount="all but END_STREAM"), dict(path=CHECK, amount="all but END_STREAM"),
    dict(path=STREAM, amount="nothing"), dict(path=STREAM, amount="prefix"), dict(path=UNKNOWN_METHOD, amount="nothing"),
    dict(path=CHECK, amount="nothing"), dict(path=REFLECTION, amount="prefix"),
    dict(path=SOLVE, amount="most", connections=60), dict(path=SOLVE, amount="most", connections=60, addresses=30),
    dict(path=SOLVE, amount="most", connections=12, addresses=12, token=TOKEN),
    dict(path=CHECK, amount="most", calls=240, connections=24, addresses=12),
    quick=3)
def requests_stand_still(attacker, path, amount, calls=60, connections=1, addresses=1, token=None):
    sessions = attacker.connect_many(connections, addresses)
    body = unfinished(path, amount)
    for number in range(calls):
        attacker.call(sessions[number % len(sessions)], path, body, end=False, token=token)
    attacker.send_all()
    attacker.hold(attacker.stalled())


@attack(dict(path=SOLVE), dict(path=CHECK), dict(path=STREAM), dict(path=REFLECTION), dict(path=UNKNOWN_METHOD), quick=0)
def requests_come_a_byte_a_second(attacker, path, calls=60):
    """They are never without progress: what counts is what they hold."""
    session = attacker.connect()
    for _ in range(calls):
        attacker.call(session, path, unfinished(path, "prefix") + b"\x0a", end=False)
    for _ in range(int(attacker.stalled() + 2)):
        attacker.pump(1)
        for stream in session.streams.values():
            session.write(stream, b".")
    attacker.notes.append(f"{sum(stream.outcome is None for stream in attacker.streams)} of {calls} open at the end")


# --- Services whose messages are small --------------------------------------------------------------------------------

@attack(dict(path=CHECK), dict(path=REFLECTION), dict(path=WATCH), dict(path=LIST), dict(path=REFLECTION_ALPHA),
        dict(path=INFO), dict(path=UNKNOWN_METHOD), dict(path=CHECK, addresses=24), quick=2)
def small_services_get_large_messages(attacker, path, calls=720, connections=24, addresses=1):
    sessions = attacker.connect_many(connections, addresses)
    # A name that is no service's; of reflection: the name of a file that there is not.
    text = b"n" * (4 * MIB - 64)
    body = message(field(3, text) if path in (REFLECTION, REFLECTION_ALPHA) else field(1, text))
    for number in range(calls):
        attacker.call(sessions[number % len(sessions)], path, body)
    attacker.send_all(15)
    attacker.hold(attacker.stalled())


@attack(dict(path=WATCH), dict(path=REFLECTION), dict(path=REFLECTION_ALPHA), dict(path=WATCH, addresses=72), quick=2)
def small_streams_are_held(attacker, path, connections=72, streams=100, addresses=1):
    sessions = attacker.connect_many(connections, addresses)
    for _ in range(streams):
        for session in sessions:
            attacker.call(session, path, REFLECTION_REQUEST if path != WATCH else message(b""), end=path == WATCH)
        attacker.pump(0)
    attacker.hold(attacker.stalled(), rule=None if path == WATCH else "the server ended streams without progress")
    held = sum(stream.outcome is None for stream in attacker.streams)
    attacker.notes.append(f"{held} of {len(attacker.streams)} held")
    attacker.demand(held <= 256, f"few streams are kept open: {held} are")


# --- Answers that are not taken ---------------------------------------------------------------------------------------

def large_request(path):
    """A request whose answer is long."""
    if path == STREAM:
        return b"".join(batch([treblecross(MILLION_X)] * 10, number) for number in range(4))
    if path == SOLVE:
        return solve(treblecross(MILLION_X))
    if path == EXPLAIN:
        chance = random.Random(4)
        board = darkraft(64, bytes(chance.choice(b"\\/") for _ in range(64 * 64)))
        return message(field(1, board) + b"\x18\x01\x20\x01")  # with options and line
    # Reflection: the file of everything, again and again.
    return message(field(4, b"sprague.v1.SpragueService")) * 2000


UNTAKEN = {
    "stream 0": dict(window=0, connection_window=LARGEST_WINDOW),
    "stream 1": dict(window=1, connection_window=LARGEST_WINDOW),
    "connection": dict(window=LARGEST_WINDOW),
    "socket": dict(window=LARGEST_WINDOW, connection_window=LARGEST_WINDOW, receive_buffer=4096),
}


@attack(
    dict(path=STREAM, window="stream 0"), dict(path=STREAM, window="socket"), dict(path=SOLVE, window="connection"),
    dict(path=STREAM, window="stream 1"), dict(path=STREAM, window="connection"),
    dict(path=SOLVE, window="stream 0"), dict(path=SOLVE, window="stream 1"), dict(path=SOLVE, window="socket"),
    # An explanation fits into the window of a connection, and into the buffers of a socket.
    dict(path=EXPLAIN, window="stream 0"),
    dict(path=REFLECTION, window="stream 0"), dict(path=REFLECTION, window="connection"),
    dict(path=REFLECTION, window="socket"),
    dict(path=STREAM, window="stream 0", connections=40, streams=5, addresses=20),
    dict(path=SOLVE, window="stream 1", connections=40, streams=5, addresses=20),
    dict(path=STREAM, window="socket", connections=40, streams=1, addresses=20),
    quick=3)
def answers_are_not_taken(attacker, path, window, connections=1, streams=10, addresses=1):
    sessions = attacker.connect_many(connections, addresses, takes=False, **UNTAKEN[window])
    body = large_request(path)
    for _ in range(streams):
        for session in sessions:
            attacker.call(session, path, body, end=False if path == REFLECTION else True)
    if window == "socket":
        attacker.stop_reading(sessions)
        # Where memory is short, streams wait for those before them to be dropped.
        since, limit = time.monotonic(), attacker.stalled(8) * max(1, connections / 4)
        while ((are_open := any(session.is_open_at_the_server() for session in sessions))
               and time.monotonic() - since < limit):
            attacker.pump(0.2)
        attacker.ended_after = None if are_open else time.monotonic() - since
        attacker.demand(not are_open, f"the server closes a connection that is not read: not after {limit:.1f} s")
        return
    # The calls begin to stand still when their answers do; solving and sending take their time.
    attacker.hold(attacker.stalled(8), "the server dropped streams whose answers are not taken")
    attacker.demand(not any(stream.status == "OK" for stream in attacker.streams), "nothing is OK that was not taken")


@attack(quick=0)
def windows_shrink_and_rise(attacker, connections=2, streams=5):
    sessions = attacker.connect_many(connections, takes=False, window=MIB, connection_window=LARGEST_WINDOW)
    for session in sessions:
        for _ in range(streams):
            attacker.call(session, STREAM, large_request(STREAM))
    for size in (0, DEFAULT_WINDOW, 2 * MIB, 1, 0, MIB, 0):
        for session in sessions:
            session.send(SETTINGS, 0, 0, setting(INITIAL_WINDOW_SIZE, size))
        attacker.pump(attacker.options.stall_timeout / 4)
    attacker.hold(attacker.stalled(8), "the server dropped streams whose answers are not taken")


@attack(dict(window="stream 0"), dict(window="stream 1"), dict(window="stream 0", connections=8, addresses=8),
        dict(window="connection", connections=80), flags=("--streams", "4"), alone=True)
def stalled_streams_in_turn(attacker, window, connections=1, addresses=1, calls=80):
    """New streams all the while: what old ones hold must be gone before their places are free."""
    sessions = attacker.connect_many(connections, addresses, takes=False, **UNTAKEN[window])
    body = b"".join(batch([treblecross(MILLION_X)] * 10, number) for number in range(2))
    deadline = time.monotonic() + 4 * attacker.options.stall_timeout + 4
    live, admitted, most = [], 0, 0
    while admitted < calls and time.monotonic() < deadline:
        for session in sessions[: 8]:
            if not session.closed:
                live += [attacker.call(session, STREAM, body) for _ in range(2)]
        sessions = sessions[8:] + sessions[: 8]  # each in its turn
        attacker.pump(0.5)
        live = [stream for stream in live if stream.outcome is None]
        refused = sum(stream.status == "RESOURCE_EXHAUSTED" for stream in attacker.streams)
        admitted = len(attacker.streams) - refused
        most = max(most, sum(stream.is_admitted for stream in live))
    attacker.demand(most <= 4, f"a place is free when its bytes are, not before: {most} streams are open in 4 places")
    attacker.notes.append(f"{admitted} streams let in, {len(live)} open at the end")
    attacker.hold(attacker.stalled(8), "the server dropped streams whose answers are not taken")


@attack(dict(stage="answer"), dict(stage="headers"), dict(stage="prefix"), dict(stage="most"), dict(stage="whole"), quick=1)
def the_client_resets(attacker, stage, rounds=12, streams=8):
    session = attacker.connect(takes=False, window=MIB, connection_window=LARGEST_WINDOW)
    for number in range(rounds):
        path = (SOLVE, STREAM, EXPLAIN)[number % 3]
        body = {"headers": b"", "prefix": unfinished(path, "prefix"), "most": unfinished(path, "most")}.get(
            stage, large_request(path))
        opened = [attacker.call(session, path, body, end=stage in ("whole", "answer")) for _ in range(streams)]
        if stage != "headers":
            attacker.pump(3 if stage != "prefix" else 0.1, lambda: (
                all(stream.received or stream.outcome for stream in opened) if stage == "answer" else not session.unsent))
        for stream in opened:
            if stream.outcome is None and not session.closed:
                session.reset(stream)
        if session.closed:
            attacker.notes.append(f"closed in round {number}")
            break
    attacker.pump(0.5)


# --- Messages that are small to send and large to decode --------------------------------------------------------------

def bomb(kind):
    """A path and a message of up to 16 MiB."""
    million = 1_000_000
    row = treblecross(b"...")
    return {
        "boards of two bytes": lambda: (STREAM, b"\x12\x00" * (8 * million)),
        "moves": lambda: (EXPLAIN, field(1, row) + b"\x12\x00" * (8 * million)),
        "moves with a cell": lambda: (EXPLAIN, field(1, row) + b"\x12\x02\x08\x01" * (4 * million)),
        "piles packed": lambda: (SOLVE, field(1, field(3, field(1, b"\x01" * (16 * million))))),
        "piles unpacked": lambda: (SOLVE, field(1, field(3, b"\x08\x01" * (8 * million)))),
        "piles of many boards": lambda: (STREAM, field(2, field(3, field(1, b"\x01" * 250))) * 64_000),
        "boards at their limit": lambda: (STREAM, field(2, row) * 65_536),
        "one board too many": lambda: (STREAM, field(2, row) * 65_537),
        "a oneof set again and again": lambda: (SOLVE, field(1, (row + field(3, b"\x08\x01")) * million)),
        "cells set again and again": lambda: (SOLVE, field(1, field(1, field(1, b"." * 1000) * 16_000))),
        "a board set again and again": lambda: (SOLVE, field(1, row) * (2 * million)),
        "unknown numbers": lambda: (STREAM, b"\x78\x01" * (8 * million)),
        "unknown strings": lambda: (SOLVE, b"\x7a\x00" * (8 * million)),
        "groups nested": lambda: (SOLVE, b"\x7b" * (8 * million) + b"\x7c" * (8 * million)),
        "groups side by side": lambda: (SOLVE, b"\x7b\x7c" * (8 * million)),
        "messages nested": lambda: (SOLVE, nested(10_000)),
        "a name of health": lambda: (CHECK, field(1, b"n" * 4000) * 1000),
    }[kind]()


def nested(depth):
    inner = b""
    for _ in range(depth):
        inner = field(1, inner)
    return inner


BOMBS = ("boards of two bytes", "moves", "a oneof set again and again", "piles unpacked", "groups nested", "piles packed",
         "moves with a cell", "piles of many boards", "boards at their limit", "one board too many",
         "cells set again and again", "a board set again and again", "unknown numbers", "unknown strings",
         "groups side by side", "messages nested", "a name of health")


@attack(*(dict(kind=kind) for kind in BOMBS), dict(kind="boards of two bytes", connections=8, addresses=8),
        dict(kind="moves", connections=8, addresses=8), quick=3)
def messages_unfold(attacker, kind, connections=2, addresses=1):
    path, payload = bomb(kind)
    sessions = attacker.connect_many(connections, addresses, window=MIB, connection_window=16 * MIB)
    for session in sessions:
        attacker.call(session, path, message(payload))
    attacker.send_all()
    attacker.hold(attacker.stalled(16))


@attack(dict(rows=12), dict(rows=15), dict(rows=1), quick=1)
def an_answer_is_larger_than_a_message(attacker, rows):
    """A legal client: every board is to be answered, or refused for itself, and the stream completes."""
    session = attacker.connect(window=4 * MIB, connection_window=16 * MIB, keeps=True)
    ordinary = [treblecross(b"..X.." * 4)] * 100
    body = batch([treblecross(MILLION_X)] * rows, 0) + b"".join(batch(ordinary, number) for number in range(1, 6))
    stream = attacker.call(session, STREAM, body)
    attacker.hold(60)
    attacker.demand(stream.status == "OK", f"the stream ends OK: it ended {stream.outcome}")
    batches, summary = answers(stream.answer or b"")
    counts = [solved + len(reasons) for solved, reasons in batches]
    attacker.demand(counts == [rows] + [100] * 5, f"every board is answered: {counts}")
    reasons = {reason for _, failed in batches for reason in failed}
    attacker.demand(reasons <= {REASON_TOO_LONG}, f"a legal board is answered, or has REASON_TOO_LONG: {reasons}")
    attacker.demand(rows > 1 or not reasons, "a board that is alone is answered")
    attacker.demand(summary is not None and summary.get(2) == rows + 500, f"the last message is the Summary: {summary}")
    if batches:
        attacker.notes.append(f"{batches[0][0]} of the {rows} rows solved, {len(batches[0][1])} with REASON_TOO_LONG")


# --- One client takes what is everybody's -----------------------------------------------------------------------------

@attack(dict(), dict(acknowledges=False), dict(pings=True), dict(connections=1100, addresses=200), quick=1, alone=True)
def connections_are_idle(attacker, connections=1024, addresses=1, acknowledges=True, pings=False):
    """They complete the handshake, and then answer pings at most, or send a few."""
    for session in attacker.connect_many(connections, addresses, acknowledges=acknowledges):
        if pings:
            session.send(PING, 0, 0, b"are you?")
    attacker.notes.append(f"{sum(not session.closed for session in attacker.sessions)} connections taken")
    limit = attacker.stalled(12)
    since = time.monotonic()
    ended = attacker.pump(limit, lambda: all(session.closed or session.goaway for session in attacker.sessions))
    attacker.ended_after = time.monotonic() - since if ended else None
    attacker.demand(ended, f"connections without an admitted call end: not after {limit:.0f} s")


@attack(dict(), dict(addresses=8), dict(addresses=4, token=TOKEN), dict(invented=True), flags=("--streams", "8"), alone=True)
def streams_are_kept_with_empty_batches(attacker, connections=8, addresses=1, token=None, invented=False):
    """Progress now and then, and never an end. Tokens that the server does not ask for make nobody somebody else."""
    sessions = attacker.connect_many(connections, addresses)
    deadline, most = time.monotonic() + 2 * attacker.options.stall_timeout + 2, 0
    while time.monotonic() < deadline:
        for session in sessions:
            if not session.closed and not any(stream.outcome is None for stream in session.streams.values()):
                attacker.call(session, STREAM, batch([]), end=False, token=invent() if invented else token)
        attacker.pump(attacker.options.stall_timeout / 4)
        live = [stream for session in sessions for stream in session.streams.values() if stream.outcome is None]
        most = max(most, sum(stream.received > 0 for stream in live))
        for session in sessions:
            for stream in session.streams.values():
                session.write(stream, batch([]))
    attacker.notes.append(f"{most} streams at once")
    if addresses == 1 or token:
        attacker.demand(most <= 4, f"one client gets half of the streams at most: it has {most} of 8")


@attack(dict(what="streams"), dict(what="calls"), dict(what="connections"), dict(what="trusted streams"),
        flags=("--streams", "9", "--calls", "9", "--connections", "21", "--trusted-proxy", "127.0.0.3"), alone=True)
def one_client_gets_half(attacker, what):
    """Of each limit, rounded up; an address that is a trusted proxy's is nobody's own."""
    if what == "connections":
        sessions = attacker.connect_many(21)
        attacker.pump(0.5)
        taken, half = sum(not session.closed for session in sessions), 11
    else:
        session = attacker.connect(number=what.startswith("trusted"), addresses=2)
        for _ in range(9):
            attacker.call(session, SOLVE if what == "calls" else STREAM, end=False)
        attacker.pump(0.5)
        taken, half = sum(stream.outcome is None for stream in attacker.streams), 9 if what.startswith("trusted") else 5
    attacker.notes.append(f"{taken} {what} let in")
    attacker.demand(taken == half, f"a client gets {half} {what}: it got {taken}")
    attacker.hold(attacker.stalled())


def invent():
    return f"invented-{random.getrandbits(64):016x}"


def heavy_board(seed):
    chance = random.Random(seed)
    return darkraft(64, bytes(chance.choice(b"\\/X") for _ in range(64 * 64)))


@attack(dict(), dict(addresses=20, token=TOKEN), dict(invented=True), dict(addresses=60, connections=60), quick=1)
def heavy_boards_of_one_client(attacker, calls=60, connections=20, addresses=1, token=None, invented=False):
    """What another client's heavy board waits beside them is the runner's to measure."""
    sessions = attacker.connect_many(connections, addresses)
    for number in range(calls):
        session = sessions[number % len(sessions)]
        attacker.call(session, SOLVE, solve(heavy_board(number)), token=invent() if invented else token)
    attacker.pump(100, lambda: attacker.options.stop or all(stream.outcome for stream in attacker.streams))
    attacker.notes.append(f"{sum(stream.status == 'OK' for stream in attacker.streams)} of {calls} solved")


# --- Floods of frames -------------------------------------------------------------------------------------------------

def flood(kind, number):
    """Some 16 KiB of frames that say nothing, and what opens the stream for them."""
    first = 2 * number * 500 + 3
    return {
        "PING": lambda: frame(PING, 0, 0, b"are you?") * 900,
        "PING ACK": lambda: frame(PING, ACK, 0, b"are you?") * 900,
        "SETTINGS": lambda: frame(SETTINGS, 0, 0) * 1800,
        "SETTINGS with a table size": lambda: frame(SETTINGS, 0, 0, setting(1, 4096 - number % 2) * 10) * 240,
        "SETTINGS ACK": lambda: frame(SETTINGS, ACK, 0) * 1800,
        "PRIORITY of an open stream": lambda: frame(PRIORITY, 0, 1, number32(0) + b"\x10") * 1100,
        "PRIORITY of idle streams": lambda: b"".join(
            frame(PRIORITY, 0, first + 2 * at, number32(0) + b"\x10") for at in range(500)),
        "WINDOW_UPDATE of the connection": lambda: frame(WINDOW_UPDATE, 0, 0, number32(1)) * 1200,
        "WINDOW_UPDATE of a stream": lambda: frame(WINDOW_UPDATE, 0, 1, number32(1)) * 1200,
        "DATA without bytes": lambda: frame(DATA, 0, 1) * 1800,
        "DATA of padding": lambda: frame(DATA, 8, 1, b"\x03\0\0\0") * 1200,
        "unknown frames": lambda: frame(99, 0, 1, b"") * 1800,
        "unknown frames of the connection": lambda: frame(99, 0, 0, b"noise") * 1100,
        "RST_STREAM of an ended stream": lambda: frame(RST_STREAM, 0, 1, number32(8)) * 1200,
        "opened and reset": lambda: b"".join(
            frame(HEADERS, END_HEADERS, first + 2 * at, call_headers(SOLVE))
            + frame(RST_STREAM, 0, first + 2 * at, number32(8))
            for at in range(100)),
        "opened and in error": lambda: b"".join(
            frame(HEADERS, END_HEADERS, first + 2 * at, call_headers(SOLVE))
            + frame(WINDOW_UPDATE, 0, first + 2 * at, number32(0))
            for at in range(100)),
        "CONTINUATION": lambda: frame(CONTINUATION, 0, 3, literal(b"x", b"y") * 100) * 30,
        "CONTINUATION without bytes": lambda: frame(CONTINUATION, 0, 3) * 1800,
    }[kind]()


FLOODS = ("PING", "opened and reset", "WINDOW_UPDATE of a stream", "SETTINGS", "PRIORITY of an open stream",
          "WINDOW_UPDATE of the connection", "DATA without bytes", "CONTINUATION", "PRIORITY of idle streams", "PING ACK",
          "SETTINGS with a table size", "SETTINGS ACK", "DATA of padding", "unknown frames",
          "unknown frames of the connection", "RST_STREAM of an ended stream", "opened and in error",
          "CONTINUATION without bytes")


@attack(*(dict(kind=kind) for kind in FLOODS), dict(kind="PING", reads=False), dict(kind="SETTINGS", reads=False), quick=4)
def frames_come_in_floods(attacker, kind, reads=True):
    session = attacker.connect(reads=reads, takes=False)
    opened = kind != "RST_STREAM of an ended stream"
    session.call(STREAM, batch([]), end=not opened)
    if kind.startswith("CONTINUATION"):
        session.send(HEADERS, 0, 3, call_headers(SOLVE))
    attacker.pump(0.2)
    began, sent, number = time.monotonic(), 0, 0
    limit = attacker.stalled(1)
    while not session.closed and not session.goaway and time.monotonic() - began < limit:
        frames = flood(kind, number)
        number += 1
        session.send_bytes(frames)
        sent += len(frames)
        attacker.pump(0)
        # What does not go out is not made: a flood that the server does not read is none.
        attacker.pump(limit, lambda: len(session.outgoing) < 65_536 or time.monotonic() - began > limit)
        if not reads and not session.is_open_at_the_server():
            session.end("closed")
    attacker.ended_after = time.monotonic() - began if session.closed or session.goaway else None
    attacker.notes.append(f"{sent / 1e6:.1f} MB of frames")
    attacker.demand(attacker.ended_after is not None, f"a flood ends its connection: not after {limit:.0f} s")


@attack(dict(kind="no SETTINGS"), dict(kind="SETTINGS not acknowledged"), dict(kind="half a preface"),
        dict(kind="a byte a second"), dict(kind="PING in the place of SETTINGS"), quick=1)
def handshakes_are_not_finished(attacker, kind, connections=100):
    first = {"no SETTINGS": PREFACE, "half a preface": PREFACE[:12], "a byte a second": PREFACE[:1],
             "PING in the place of SETTINGS": PREFACE + frame(PING, 0, 0, b"are you?"),
             "SETTINGS not acknowledged": None}[kind]
    sessions = []
    for _ in range(connections):
        sessions.append(attacker.connect(first=first, acknowledges=first is not None))
    since, sent = time.monotonic(), 1
    limit = attacker.options.handshake_timeout + 3 if first else attacker.stalled(12)
    while not all(session.closed or session.goaway for session in sessions) and time.monotonic() - since < limit:
        attacker.pump(1, lambda: all(session.closed for session in sessions))
        if kind == "a byte a second":
            for session in sessions:
                session.send_bytes(PREFACE[sent: sent + 1])
            sent += 1
    ended = all(session.closed or session.goaway for session in sessions)
    attacker.ended_after = time.monotonic() - since if ended else None
    attacker.demand(ended, f"a connection without a finished handshake ends: not after {limit:.0f} s")


@attack(dict(kind="a reference to a large field"), dict(kind="many small fields"), dict(kind="large fields"),
        dict(kind="a table filled anew"), dict(kind="CONTINUATION of a large list"), quick=1)
def header_lists_unfold(attacker, kind, rounds=40):
    session = attacker.connect()
    began = time.monotonic()
    for number in range(rounds):
        stream = session.next_stream
        large = literal(b"x-large", bytes([97 + number % 26]) * 4000, indexed=True)
        block = call_headers(SOLVE) + {
            "a reference to a large field": (large if number == 0 else b"") + integer(62, 7, 0x80) * 12_000,
            "many small fields": literal(b"a", b"") * 3000,
            "large fields": literal(b"x-large", b"a" * 15_000),
            "a table filled anew": large * 3,
            "CONTINUATION of a large list": literal(b"x-large", b"a" * 15_000),
        }[kind]
        session.next_stream += 2
        if kind == "CONTINUATION of a large list":
            session.send(HEADERS, 0, stream, block)
            for _ in range(60):
                session.send(CONTINUATION, 0, stream, literal(b"x-large", b"a" * 16_000))
            session.send(CONTINUATION, END_HEADERS, stream)
        else:
            for at in range(0, len(block), 16_384):
                last = END_HEADERS if at + 16_384 >= len(block) else 0
                session.send(CONTINUATION if at else HEADERS, last, stream, block[at: at + 16_384])
        attacker.pump(0.05)
        if session.closed or session.goaway:
            attacker.ended_after = time.monotonic() - began
            attacker.notes.append(f"closed at list {number + 1}")
            break
    attacker.pump(0.5)


# --- Age and drain ----------------------------------------------------------------------------------------------------

AGE = 2.0


@attack(dict(streams="none"), dict(streams="quiet"), dict(streams="busy"), dict(streams="not taken"), quick=2, alone=True,
        flags=("--max-connection-age", f"{AGE:.0f}s", "--drain-timeout", "2s", "--stall-timeout", "20s"))
def connections_grow_old(attacker, streams, connections=20):
    how = dict(takes=False, **UNTAKEN["stream 0"]) if streams == "not taken" else {}
    sessions = attacker.connect_many(connections, connections, **how)
    if streams != "none":
        for session in sessions:
            attacker.call(session, STREAM, large_request(STREAM) if streams == "not taken" else batch([]), end=False)
    aged = lambda: all(session.goaway for session in sessions)
    deadline = time.monotonic() + AGE * 1.1 + 4
    while not aged() and time.monotonic() < deadline:
        attacker.pump(0.1, aged)
        if streams == "busy":
            for session in sessions:
                for stream in session.streams.values():
                    session.write(stream, batch([treblecross(b".....")] * 10))
    ages = sorted(getattr(session, "goaway_after", 99) for session in sessions)
    attacker.notes.append(f"GOAWAY after {ages[0]:.2f} to {ages[-1]:.2f} s")
    attacker.demand(aged(), "every connection gets a GOAWAY at its age")
    attacker.demand(ages[0] > 0.85 * AGE and ages[-1] < 1.1 * AGE + 0.5,
                    f"GOAWAY at the age, give or take 10 %: {ages[0]:.2f} to {ages[-1]:.2f} s")
    attacker.demand(streams == "none" or ages[-1] - ages[0] > 0.005 * AGE, "the ages differ from each other")
    since = time.monotonic()
    closed = attacker.pump(2 + 3, lambda: all(session.closed for session in sessions))
    attacker.ended_after = time.monotonic() - since if closed else None
    attacker.demand(closed, "a connection closes --drain-timeout after its GOAWAY at the latest")
    if streams in ("quiet", "busy"):
        seen = {stream.outcome for stream in attacker.streams}
        attacker.demand(seen == {"UNAVAILABLE DRAINING"}, f"its streams end as DRAINING: {seen}")


@attack(dict(path=WATCH), dict(path=REFLECTION), dict(path=REFLECTION_ALPHA), dict(path=STREAM), dict(path=UNKNOWN_METHOD),
        dict(path=SOLVE), quick=2, alone=True, flags=("--drain-timeout", "10s", "--stall-timeout", "30s"))
def streams_are_held_in_a_drain(attacker, path, streams=10):
    session = attacker.connect()
    for _ in range(streams):
        attacker.call(session, path, message(b"") if path == WATCH else REFLECTION_REQUEST if path == REFLECTION else b"",
                      end=path == WATCH)
    attacker.pump(0.5)
    os.kill(attacker.options.pid, signal.SIGTERM)
    since = time.monotonic()
    ended = attacker.pump(15, lambda: session.closed and not running(attacker.options.pid))
    attacker.ended_after = round(time.monotonic() - since, 1) if ended else None
    # A request that is still coming may use the time it is given; a stream that only listens may not.
    limit = 3 if path != SOLVE else 13
    attacker.demand(ended and attacker.ended_after < limit,
                    f"a stream that is held open does not hold a drain up: {attacker.ended_after} s")


def running(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


# --- Not an attack: the load to compare with --------------------------------------------------------------------------

def legal_load(attacker, pid, cores, seconds):
    """Ordinary batches over one stream, so many that the server and this process use so many cores."""
    spent = lambda: time.process_time() + sum(
        map(int, pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[11:13])) / os.sysconf("SC_CLK_TCK")
    session = attacker.connect(window=MIB, connection_window=16 * MIB)
    boards = batch([treblecross(b"..X...X....." * 16)] * 300)
    stream = attacker.call(session, STREAM, boards, end=False)
    began, before = time.monotonic(), spent()
    while time.monotonic() - began < seconds and not session.closed:
        if spent() - before < cores * (time.monotonic() - began) and not session.unsent:
            session.write(stream, boards)
            attacker.pump(0)
        else:
            attacker.pump(0.002)
    attacker.notes.append(f"{(spent() - before) / (time.monotonic() - began):.2f} cores")


# --- Running ----------------------------------------------------------------------------------------------------------

def run(name, options, throttle):
    """One attack, once; its report."""
    kind, _, variant = name.partition(":")
    attacker = Attacker(options, throttle)
    if kind == "legal_load":
        legal_load(attacker, options.pid, options.cores, options.repeat_for)
    else:
        chosen = ATTACKS[kind]
        try:
            chosen.run(attacker, **chosen.variants[int(variant or 0)])
        except OSError as error:
            attacker.notes.append(f"no connection: {error!r}")
    report = {"attack": name, **attacker.report(), "cpu": time.process_time()}
    attacker.leave()
    return report


def main():
    arguments = argparse.ArgumentParser(description="Hostile clients.")
    arguments.add_argument("address", nargs="?")
    arguments.add_argument("names", nargs="*")
    arguments.add_argument("--stall-timeout", type=float, default=60, help="the server's, in seconds")
    arguments.add_argument("--handshake-timeout", type=float, default=10, help="the server's, in seconds")
    arguments.add_argument("--pid", type=int, help="the server's process, which a drain ends")
    arguments.add_argument("--share", type=float, default=0.25, help="of one core at most, over all attacks")
    arguments.add_argument("--cores", type=float, default=0.5, help="what legal_load makes the server and itself use")
    arguments.add_argument("--repeat-for", type=float, default=0, help="run each again and again for so many seconds")
    options = arguments.parse_args()
    options.stop = False
    signal.signal(signal.SIGTERM, lambda *_: setattr(options, "stop", True))
    if not options.names:
        for name, chosen in ATTACKS.items():
            for variant in range(len(chosen.variants)):
                print(f"{name}:{variant}  {chosen.name(variant)}")
        return
    os.nice(10)
    throttle, lock = Throttle(options.share), threading.Lock()
    if options.names == ["legal_load"]:
        throttle.share = 2

    def work(name):
        end = time.monotonic() + (options.repeat_for if name != "legal_load" else 0)
        while True:
            try:
                report = run(name, options, throttle)
            except Exception as error:
                report = {"attack": name, "problems": [f"the attack itself failed: {error!r}"]}
            with lock:
                print(json.dumps(report), flush=True)
            if time.monotonic() >= end:
                return

    workers = [threading.Thread(target=work, args=(name,)) for name in options.names]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()


if __name__ == "__main__":
    main()
