"""HTTP/2 and HPACK as RFC 9113 and RFC 7541 have them: each case sends frames and says what the server must do.

    SPRAGUED=target/release/spragued python h2spec.py [--only WORD] [--address ADDRESS]

The cases are those of the h2spec program's list, which no package registry has: rows of a section, what is sent, what must
come, and the frames. Prints the cases that fail; exits 0 if no more fail than are known to.
"""

import argparse
import contextlib
import sys
import time

from http2 import (ACK, CONTINUATION, DATA, DEFAULT_WINDOW, ENABLE_PUSH, END_HEADERS, END_STREAM, ERRORS, GOAWAY,
                   HAS_PRIORITY, HEADERS, INITIAL_WINDOW_SIZE, LARGEST_WINDOW, MAX_FRAME_SIZE, PADDED, PING,
                   PREFACE, PRIORITY, PUSH_PROMISE, RST_STREAM, SETTINGS, WINDOW_UPDATE, Connection, block, frame, integer,
                   literal, number32, setting)
from messages import message

PATIENCE = 1.5  # seconds for the server to do what it must
BOTH = END_STREAM | END_HEADERS
LARGEST_FRAME = 16_384
FIELDS = [(b":method", b"POST"), (b":scheme", b"http"), (b":path", b"/sprague.v1.SpragueService/GetServerInfo"),
          (b":authority", b"localhost"), (b"content-type", b"application/grpc"), (b"te", b"trailers")]
STREAM_FIELDS = [(name, b"/sprague.v1.SpragueService/SolveStream" if name == b":path" else value) for name, value in FIELDS]
CALL, STREAM_CALL = block(*FIELDS), block(*STREAM_FIELDS)


# --- Frames -----------------------------------------------------------------------------------------------------------

def headers(stream=1, fields=CALL, flags=BOTH):
    return frame(HEADERS, flags, stream, fields)


def opened(stream=1):
    """A call that stays open for more of its request."""
    return headers(stream, STREAM_CALL, END_HEADERS)


def call(stream=1):
    """A whole call whose answer has DATA."""
    return headers(stream, flags=END_HEADERS) + data(stream, message(b""))


def data(stream=1, payload=b"", flags=END_STREAM):
    return frame(DATA, flags, stream, payload)


def continuation(stream=1, fields=b"", flags=END_HEADERS):
    return frame(CONTINUATION, flags, stream, fields)


def reset(stream=1, code=8):
    return frame(RST_STREAM, 0, stream, number32(code))


def update(stream=0, size=1):
    return frame(WINDOW_UPDATE, 0, stream, number32(size))


def priority(stream=1, parent=0, weight=16):
    return frame(PRIORITY, 0, stream, number32(parent) + bytes([weight - 1]))


def settings(*pairs):
    return frame(SETTINGS, 0, 0, b"".join(setting(name, value) for name, value in pairs))


def without(name):
    return block(*(field for field in FIELDS if field[0] != name))


def more(name, value):
    return CALL + literal(name, value)


ping = frame(PING, 0, 0, b"are you?")


class Answered:
    """A step that waits for the end of a stream's answer."""

    def __init__(self, stream=1):
        self.stream = stream


class Pause:
    """A step that lets what was sent arrive by itself."""


# --- What must come: a function of the frames that came and of whether the connection is closed ------------------------

def connection_error(*codes):
    """The connection ends: GOAWAY with one of these codes, or closed, which h2spec takes for any error as well."""
    def holds(frames, closed):
        seen = [payload[4:8] for kind, _, _, payload in frames if kind == GOAWAY]
        return any(ERRORS[int.from_bytes(code, "big")] in codes for code in seen) or closed
    holds.says = "connection error " + " or ".join(codes)
    return holds


def stream_error(*codes):
    """The stream ends with one of these codes, or the connection does."""
    ends = connection_error(*codes)

    def holds(frames, closed):
        seen = [payload for kind, _, _, payload in frames if kind == RST_STREAM]
        return any(ERRORS[int.from_bytes(code, "big")] in codes for code in seen) or ends(frames, closed)
    holds.says = "stream error " + " or ".join(codes)
    return holds


def refused(*codes):
    """A stream error, or an HTTP status that blames the request (RFC 9113, 8.1.1)."""
    fails = stream_error(*codes)

    def holds(frames, closed):
        return fails(frames, closed) or any(kind == HEADERS and b"400" in payload for kind, _, _, payload in frames)
    holds.says = fails.says + " or status 400"
    return holds


def comes(says, condition):
    def holds(frames, closed):
        return any(condition(*taken) for taken in frames)
    holds.says = says
    return holds


def answer(stream=1):
    return comes(f"an answer on stream {stream}", lambda kind, flags, number, payload: kind == HEADERS and number == stream)


def data_of(size, stream=1):
    return comes(f"DATA of {size} bytes",
                 lambda kind, flags, number, payload: (kind, number, len(payload)) == (DATA, stream, size))


PONG = comes("the answer to a PING",
             lambda kind, flags, number, payload: kind == PING and flags & ACK and payload == b"are you?")
GOAWAY_COMES = comes("GOAWAY", lambda kind, flags, number, payload: kind == GOAWAY)
SETTINGS_ACK = comes("an acknowledgement of SETTINGS", lambda kind, flags, number, payload: kind == SETTINGS and flags & ACK)
PREFACE_OF_SERVER = comes("SETTINGS", lambda kind, flags, number, payload: kind == SETTINGS and not flags & ACK)
PROTOCOL, SIZE, FLOW, CLOSED, COMPRESSION = ("PROTOCOL_ERROR", "FRAME_SIZE_ERROR", "FLOW_CONTROL_ERROR", "STREAM_CLOSED",
                                             "COMPRESSION_ERROR")

# --- The cases: section, what is sent, what must come, the steps -------------------------------------------------------

INDEXED_METHOD = b"\x83"  # :method POST, from the static table
A = b"\x1f"  # the letter a in Huffman's code, with three bits of padding


def with_field(encoded):
    return call_with(CALL + encoded)


def call_with(fields):
    return headers(1, fields)


GENERIC = [
    ("1", "the client's preface", PREFACE_OF_SERVER),
    ("2", "PRIORITY on an idle stream", answer(3), priority(1), call(3)),
    ("2", "WINDOW_UPDATE on a half-closed stream", answer(), call(), update(1, 100)),
    ("2", "PRIORITY on a half-closed stream", answer(), call(), priority(1)),
    ("2", "RST_STREAM on a half-closed stream", PONG, call(), reset(), ping),
    ("2", "PRIORITY on a closed stream", PONG, call(), Answered(), priority(1), ping),
    ("3.1", "one DATA frame", answer(), call()),
    ("3.1", "several DATA frames", answer(), headers(flags=END_HEADERS), data(1, b"\0\0", 0), data(1, b"\0\0\0")),
    ("3.1", "a padded DATA frame", answer(), headers(flags=END_HEADERS),
     data(1, b"\x03" + message(b"") + b"\0\0\0", END_STREAM | PADDED)),
    ("3.2", "a HEADERS frame", answer(), headers()),
    ("3.2", "a padded HEADERS frame", answer(), headers(1, b"\x03" + CALL + b"\0\0\0", BOTH | PADDED)),
    ("3.2", "a HEADERS frame with priority", answer(), headers(1, number32(0) + b"\x0f" + CALL, BOTH | HAS_PRIORITY)),
    ("3.3", "PRIORITY of weight 1", answer(), priority(1, 0, 1), call()),
    ("3.3", "PRIORITY of weight 256", answer(), priority(1, 0, 256), call()),
    ("3.3", "PRIORITY with a parent", answer(3), priority(3, 1), call(3)),
    ("3.3", "PRIORITY that is exclusive", answer(3), priority(3, 1 | 1 << 31), call(3)),
    ("3.3", "PRIORITY on an idle stream, then a call on a lower one", answer(), priority(7), call(1)),
    ("3.4", "RST_STREAM", PONG, opened(), reset(), ping),
    ("3.5", "SETTINGS", SETTINGS_ACK, settings((MAX_FRAME_SIZE, 32_768))),
    ("3.7", "PING", PONG, ping),
    ("3.8", "GOAWAY", PONG, frame(GOAWAY, 0, 0, number32(0) * 2), ping),
    ("3.9", "WINDOW_UPDATE of the connection", PONG, update(0, 1), ping),
    ("3.9", "WINDOW_UPDATE of a stream", PONG, opened(), update(1, 1), ping),
    ("3.10", "CONTINUATION", answer(), headers(1, CALL, END_STREAM), continuation(1, literal(b"x-more", b"1"))),
    ("3.10", "several CONTINUATION frames", answer(), headers(1, CALL, END_STREAM),
     continuation(1, literal(b"x-more", b"1"), 0),
     continuation(1, literal(b"x-more", b"2"))),
    ("4", "GET", answer(), headers(1, INDEXED_METHOD.replace(b"\x83", b"\x82") + without(b":method"))),
    ("4", "HEAD", answer(), headers(1, literal(b":method", b"HEAD") + without(b":method"))),
    ("4", "POST", answer(), call()),
    ("4", "POST with trailers", answer(), headers(flags=END_HEADERS), data(1, message(b""), 0),
     headers(1, literal(b"x-trailer", b"1"))),
    ("5", "an indexed field", answer(), call_with(INDEXED_METHOD + without(b":method"))),
    *(("5", f"a literal field {how}, {name}{', in Huffman code' if huffman else ''}", answer(), with_field(
        (integer(58, bits, first) if name == "indexed name" else bytes([first]) + (b"\x81" + A if huffman else b"\x01a"))
        + (b"\x81" + A if huffman else b"\x01a")))
      for how, bits, first in (("that is indexed", 6, 0x40), ("without indexing", 4, 0), ("that is never indexed", 4, 0x10))
      for name in ("indexed name", "new name") for huffman in (False, True)),
    ("5", "an update of the table's size", answer(), call_with(integer(0, 5, 0x20) + CALL)),
    ("5", "a field of the dynamic table", answer(3), headers(1, CALL + literal(b"x-kept", b"1", True)),
     headers(3, CALL + b"\xbe")),
]

HTTP2 = [
    ("3.4", "a valid preface", PREFACE_OF_SERVER),
    ("3.4", "an invalid preface", connection_error(PROTOCOL), "INVALID PREFACE"),
    ("4.1", "a frame of unknown type", PONG, frame(0xFF, 0, 0, b"\0" * 8), ping),
    ("4.1", "a frame with undefined flags",
     PONG,
     frame(PING, 0xFE, 0, b"are you?")),
    ("4.1", "a frame with the reserved bit", PONG, ping[:5] + b"\x80" + ping[6:]),
    ("4.2", "DATA of the largest size", PONG, opened(), data(1, b"\0\0\0\x7f\xff" + b"\0" * (LARGEST_FRAME - 5), 0),
     ping),
    ("4.2", "DATA over the largest size", stream_error(SIZE), opened(), data(1, b"\0" * (LARGEST_FRAME + 1))),
    ("4.2", "HEADERS over the largest size", connection_error(SIZE),
     headers(1, CALL + literal(b"x-long", b"a" * LARGEST_FRAME))),
    ("4.3", "an invalid header block", connection_error(COMPRESSION), headers(1, b"\xff\xff\xff\xff\xff\xff")),
    ("4.3", "PRIORITY within a header block", connection_error(PROTOCOL), headers(1, CALL, END_STREAM), priority(1),
     continuation()),
    ("4.3", "HEADERS of another stream within a header block", connection_error(PROTOCOL),
     headers(1, CALL, END_STREAM), headers(3)),
    ("5.1", "DATA on an idle stream", connection_error(PROTOCOL), data(1, b"x")),
    ("5.1", "RST_STREAM on an idle stream", connection_error(PROTOCOL), reset(1)),
    ("5.1", "WINDOW_UPDATE on an idle stream", connection_error(PROTOCOL), update(1, 100)),
    ("5.1", "CONTINUATION on an idle stream", connection_error(PROTOCOL), continuation(1, CALL)),
    ("5.1", "DATA on a half-closed stream", stream_error(CLOSED), headers(1, STREAM_CALL), data(1, b"x")),
    ("5.1", "HEADERS on a half-closed stream", stream_error(CLOSED), headers(1, STREAM_CALL), headers(1)),
    ("5.1", "CONTINUATION on a half-closed stream", stream_error(CLOSED, PROTOCOL), headers(1, STREAM_CALL),
     continuation(1, literal(b"x", b"y"))),
    ("5.1", "DATA after RST_STREAM", stream_error(CLOSED), opened(), reset(), data(1, b"x")),
    ("5.1", "HEADERS after RST_STREAM", stream_error(CLOSED), opened(), reset(), headers(1)),
    ("5.1", "CONTINUATION after RST_STREAM", stream_error(CLOSED, PROTOCOL), opened(), reset(),
     continuation(1, literal(b"x", b"y"))),
    ("5.1", "DATA on a closed stream", stream_error(CLOSED), call(), Answered(), data(1, b"x")),
    ("5.1", "HEADERS on a closed stream", connection_error(CLOSED), call(), Answered(), headers(1)),
    ("5.1", "CONTINUATION on a closed stream", connection_error(CLOSED, PROTOCOL), call(), Answered(),
     continuation(1, literal(b"x", b"y"))),
    ("5.1.1", "a stream of an even number", connection_error(PROTOCOL), headers(2)),
    ("5.1.1", "a stream of a lower number than the last", connection_error(PROTOCOL), headers(5), headers(3)),
    ("5.1.2", "more streams than SETTINGS_MAX_CONCURRENT_STREAMS", stream_error(PROTOCOL, "REFUSED_STREAM"),
     b"".join(opened(stream) for stream in range(1, 1201, 2))),
    ("5.3.1", "HEADERS that depend on their own stream", stream_error(PROTOCOL),
     headers(1, number32(1) + b"\x0f" + CALL, BOTH | HAS_PRIORITY)),
    ("5.3.1", "PRIORITY that depends on its own stream", stream_error(PROTOCOL), priority(1, 1)),
    ("5.4.1", "an invalid PING: GOAWAY", GOAWAY_COMES,
     frame(PING, 0, 0, b"short")),
    ("5.4.1", "an invalid PING: closed", "closed", frame(PING, 0, 0, b"short")),
    ("5.5", "an extension's frame", PONG, frame(0x20, 0, 0, b"\0" * 8), ping),
    ("5.5", "an extension's frame within a header block", connection_error(PROTOCOL), headers(1, CALL, END_STREAM),
     frame(0x20, 0, 1, b"\0" * 8), continuation()),
    ("6.1", "DATA on stream 0", connection_error(PROTOCOL), data(0, b"x")),
    ("6.1", "DATA on a stream that is not open", stream_error(CLOSED), headers(1, STREAM_CALL), data(1, b"x")),
    ("6.1", "DATA with more padding than payload", connection_error(PROTOCOL), opened(),
     data(1, b"\x06hello", END_STREAM | PADDED)),
    ("6.2", "HEADERS without END_HEADERS, then PRIORITY", connection_error(PROTOCOL), headers(1, CALL, END_STREAM),
     priority(1)),
    ("6.2", "HEADERS without END_HEADERS, then HEADERS of another stream", connection_error(PROTOCOL),
     headers(1, CALL, 0), headers(3)),
    ("6.2", "HEADERS on stream 0", connection_error(PROTOCOL), headers(0)),
    ("6.2", "HEADERS with more padding than payload", connection_error(PROTOCOL),
     headers(1, b"\xff" + CALL[:20], BOTH | PADDED)),
    ("6.3", "PRIORITY on stream 0", connection_error(PROTOCOL), priority(0)),
    ("6.3", "PRIORITY that is not 5 bytes long", stream_error(SIZE), opened(), frame(PRIORITY, 0, 1, b"\0" * 4)),
    ("6.4", "RST_STREAM on stream 0", connection_error(PROTOCOL), reset(0)),
    ("6.4", "RST_STREAM on an idle stream", connection_error(PROTOCOL), reset(1)),
    ("6.4", "RST_STREAM that is not 4 bytes long", connection_error(SIZE), opened(),
     frame(RST_STREAM, 0, 1, b"\0" * 3)),
    ("6.5", "SETTINGS with ACK and a payload", connection_error(SIZE), frame(SETTINGS, ACK, 0, b"\0")),
    ("6.5", "SETTINGS on a stream", connection_error(PROTOCOL), frame(SETTINGS, 0, 1, setting(3, 100))),
    ("6.5", "SETTINGS that are no multiple of 6 bytes", connection_error(SIZE), frame(SETTINGS, 0, 0, b"\0\x03\0")),
    ("6.5.2", "ENABLE_PUSH of 2", connection_error(PROTOCOL), settings((ENABLE_PUSH, 2))),
    ("6.5.2", "INITIAL_WINDOW_SIZE over 2^31 - 1", connection_error(FLOW), settings((INITIAL_WINDOW_SIZE, 2**31))),
    ("6.5.2", "MAX_FRAME_SIZE under 2^14", connection_error(PROTOCOL), settings((MAX_FRAME_SIZE, 2**14 - 1))),
    ("6.5.2", "MAX_FRAME_SIZE over 2^24 - 1", connection_error(PROTOCOL), settings((MAX_FRAME_SIZE, 2**24))),
    ("6.5.2", "a setting that is not known", PONG, settings((0xFF, 1)), ping),
    ("6.5.3", "INITIAL_WINDOW_SIZE twice: the last counts", data_of(1),
     settings((INITIAL_WINDOW_SIZE, 100), (INITIAL_WINDOW_SIZE, 1)), call()),
    ("6.5.3", "SETTINGS are acknowledged", SETTINGS_ACK),
    ("6.7", "PING", PONG, ping),
    ("6.7", "PING with ACK, then PING", PONG, frame(PING, ACK, 0, b"unasked!"), ping),
    ("6.7", "PING on a stream", connection_error(PROTOCOL), frame(PING, 0, 1, b"are you?")),
    ("6.7", "PING that is not 8 bytes long", connection_error(SIZE), frame(PING, 0, 0, b"short")),
    ("6.8", "GOAWAY on a stream", connection_error(PROTOCOL), frame(GOAWAY, 0, 1, number32(0) * 2)),
    ("6.9", "WINDOW_UPDATE of 0 on the connection", connection_error(PROTOCOL), update(0, 0)),
    ("6.9", "WINDOW_UPDATE of 0 on a stream", stream_error(PROTOCOL), opened(), update(1, 0)),
    ("6.9", "WINDOW_UPDATE that is not 4 bytes long", connection_error(SIZE), frame(WINDOW_UPDATE, 0, 0, b"\0\0\x01")),
    ("6.9.1", "a window of 1", data_of(1), settings((INITIAL_WINDOW_SIZE, 1)), call()),
    ("6.9.1", "a connection's window over 2^31 - 1", connection_error(FLOW), update(0, LARGEST_WINDOW) * 2),
    ("6.9.1", "a stream's window over 2^31 - 1", stream_error(FLOW), opened(), update(1, LARGEST_WINDOW) * 2),
    ("6.9.2", "INITIAL_WINDOW_SIZE that rises after a call", data_of(1), settings((INITIAL_WINDOW_SIZE, 0)), call(),
     Pause(), settings((INITIAL_WINDOW_SIZE, 1))),
    ("6.9.2", "a window that becomes negative, and then positive", data_of(1), settings((INITIAL_WINDOW_SIZE, 3)),
     call(), Pause(),
     settings((INITIAL_WINDOW_SIZE, 2)), update(1, 2)),
    ("6.9.2", "INITIAL_WINDOW_SIZE that takes a stream's window over 2^31 - 1", connection_error(FLOW), opened(),
     update(1, LARGEST_WINDOW - DEFAULT_WINDOW),
     settings((INITIAL_WINDOW_SIZE, LARGEST_WINDOW))),
    ("6.10", "several CONTINUATION frames", answer(), headers(1, CALL, END_STREAM),
     continuation(1, literal(b"a", b"1"), 0), continuation(1, literal(b"b", b"1"))),
    ("6.10", "CONTINUATION, then another frame", connection_error(PROTOCOL), headers(1, CALL, END_STREAM),
     continuation(1, literal(b"a", b"1"), 0), data(1, b"x")),
    ("6.10", "CONTINUATION on stream 0", connection_error(PROTOCOL), headers(1, CALL, END_STREAM), continuation(0)),
    ("6.10", "CONTINUATION after HEADERS with END_HEADERS", connection_error(PROTOCOL), headers(1, STREAM_CALL),
     continuation(1, literal(b"a", b"1"))),
    ("6.10", "CONTINUATION after CONTINUATION with END_HEADERS", connection_error(PROTOCOL),
     headers(1, STREAM_CALL, END_STREAM),
     continuation(1, literal(b"a", b"1")), continuation(1, literal(b"b", b"1"))),
    ("6.10", "CONTINUATION after DATA", connection_error(PROTOCOL), opened(), data(1, b"\0", 0),
     continuation(1, literal(b"a", b"1"))),
    ("7", "GOAWAY with an unknown code", PONG, frame(GOAWAY, 0, 0, number32(0) + number32(0xFF)), ping),
    ("7", "RST_STREAM with an unknown code", PONG, opened(), reset(1, 0xFF), ping),
    ("8.1", "second HEADERS without END_STREAM", refused(PROTOCOL), opened(),
     headers(1, literal(b"x-trailer", b"1"), END_HEADERS)),
    ("8.2.1", "a field in capitals", refused(PROTOCOL), with_field(literal(b"X-CAPITALS", b"1"))),
    ("8.3", "an unknown pseudo-field", refused(PROTOCOL), call_with(literal(b":test", b"1") + CALL)),
    ("8.3", "a pseudo-field of responses", refused(PROTOCOL), call_with(literal(b":status", b"200") + CALL)),
    ("8.3", "a pseudo-field in trailers", refused(PROTOCOL), opened(), headers(1, literal(b":method", b"200"))),
    ("8.3", "a pseudo-field after others", refused(PROTOCOL),
     call_with(without(b":method") + literal(b":method", b"POST"))),
    ("8.2.2", "a field of the connection", refused(PROTOCOL), with_field(literal(b"connection", b"keep-alive"))),
    ("8.2.2", "TE other than trailers", refused(PROTOCOL),
     call_with(without(b"te") + literal(b"te", b"trailers, deflate"))),
    ("8.3.1", "an empty :path", refused(PROTOCOL), call_with(literal(b":path", b"") + without(b":path"))),
    *(("8.3.1", f"no {name.decode()}", refused(PROTOCOL), call_with(without(name)))
      for name in (b":method", b":scheme", b":path")),
    *(("8.3.1", f"{name.decode()} twice", refused(PROTOCOL), call_with(literal(name, value) + CALL))
      for name, value in FIELDS[:3]),
    ("8.1.1", "content-length and less DATA", refused(PROTOCOL),
     headers(1, more(b"content-length", b"9"), END_HEADERS), data(1, message(b""))),
    ("8.1.1", "content-length and several DATA frames of less", refused(PROTOCOL),
     headers(1, more(b"content-length", b"9"), END_HEADERS), data(1, b"\0\0", 0), data(1, b"\0\0\0")),
    ("8.4", "PUSH_PROMISE", connection_error(PROTOCOL), frame(PUSH_PROMISE, END_HEADERS, 1, number32(2) + CALL)),
]

HPACK = [
    ("2.3.3", "an index past the tables", connection_error(COMPRESSION), with_field(integer(70, 7, 0x80))),
    ("2.3.3", "a literal whose name is past the tables", connection_error(COMPRESSION),
     with_field(integer(70, 6, 0x40) + b"\x01a")),
    ("4.2", "an update of the table's size at the end of a block", connection_error(COMPRESSION),
     with_field(integer(1, 5, 0x20))),
    ("5.2", "Huffman padding of more than 7 bits", connection_error(COMPRESSION),
     with_field(b"\x00\x85\xf2\xb2\x4a\x84\xff\x84\x49\x50\x9f\xff")),
    ("5.2", "Huffman padding of zeros", connection_error(COMPRESSION),
     with_field(b"\x00\x85\xf2\xb2\x4a\x84\xff\x83\x49\x50\x90")),
    ("5.2", "a Huffman string with EOS", connection_error(COMPRESSION),
     with_field(b"\x00\x85\xf2\xb2\x4a\x84\xff\x87\xff\xff\xff\xfa\x8d\x7f\xff")),
    ("6.1", "an indexed field of index 0", connection_error(COMPRESSION), with_field(b"\x80")),
    ("6.3", "an update of the table's size over the setting", connection_error(COMPRESSION),
     call_with(integer(4097, 5, 0x20) + CALL)),
]

CASES = [(f"{part} {section}", *case) for part, cases in (("generic", GENERIC), ("http2", HTTP2), ("hpack", HPACK))
         for section, *case in cases]

# Known to fail, by the h2 crate: it closes on any GOAWAY, and leaves pseudo-fields in trailers to the application.
KNOWN = {"generic 3.8: GOAWAY", "http2 7: GOAWAY with an unknown code", "http2 8.3: a pseudo-field in trailers"}


def ends(frames, stream):
    return any(number == stream and (kind == RST_STREAM or flags & END_STREAM) for kind, flags, number, _ in frames)


def read(connection, frames, until):
    """Reads until something holds, the time is over, or the server closes; whether it has closed."""
    deadline = time.monotonic() + PATIENCE
    while not until(frames, False):
        connection.socket.settimeout(max(0.001, deadline - time.monotonic()))
        try:
            frames.append(connection.read_frame())
        except TimeoutError:
            return False
        except (OSError, EOFError):
            return True
    return False


def passes(address, expected, steps):
    invalid = steps[:1] == ["INVALID PREFACE"]
    first = b"INVALID CONNECTION PREFACE\r\n\r\n" if invalid else PREFACE + frame(SETTINGS, 0, 0)
    connection, frames, closed = Connection(address, first, timeout=PATIENCE), [], False
    try:
        if not invalid:
            # As clients do, the server's SETTINGS are read and acknowledged before anything else.
            closed = read(connection, frames, PREFACE_OF_SERVER)
            connection.send(SETTINGS, ACK, 0)
        for step in steps:
            with contextlib.suppress(OSError):  # closed already: what came of it is read below
                if isinstance(step, bytes):
                    connection.socket.sendall(step)
                elif isinstance(step, Answered):
                    read(connection, frames, lambda frames, _: ends(frames, step.stream))
                elif isinstance(step, Pause):
                    read(connection, frames, lambda frames, _: False)
        if expected == "closed":
            return read(connection, frames, lambda frames, _: False)
        closed = read(connection, frames, expected)
        return expected(frames, closed)
    finally:
        connection.close()


def main():
    arguments = argparse.ArgumentParser(description="HTTP/2 and HPACK by their rules.")
    arguments.add_argument("--only", default="", help="only cases whose name has this word")
    arguments.add_argument("--address", help="a server that runs, in place of one of its own")
    options = arguments.parse_args()
    with contextlib.ExitStack() as stack:
        if options.address is None:
            from victims import Server
            options.address = stack.enter_context(Server()).address
        passed, failed, unknown = 0, 0, 0
        for section, name, expected, *steps in CASES:
            if options.only not in f"{section}: {name}":
                continue
            if passes(options.address, expected, steps):
                passed += 1
                continue
            failed += 1
            known = f"{section}: {name}" in KNOWN
            unknown += not known
            says = getattr(expected, "says", "the connection is closed")
            print(f"{'known' if known else 'FAIL '} {section}: {name}: not seen: {says}", flush=True)
    print(f"{passed} of {passed + failed} cases hold, {failed - unknown} are known not to")
    print(f"{passed + failed - unknown} passed, {unknown} failed")
    sys.exit(unknown > 0)


main()
