"""Just enough HTTP/2 to misbehave: connections that send what a well-kept library would not.

`Connection` blocks and sends frames as they are. `Session` never blocks, keeps to the flow control of what it sends, and
notes what became of each of its streams; how it takes answers is the caller's choice.
"""

import base64
import collections
import errno
import socket
import struct
import time

import hpack

from messages import STATUSES, details

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PUSH_PROMISE, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = range(10)
END_STREAM, ACK, END_HEADERS, PADDED, HAS_PRIORITY = 1, 1, 4, 8, 32
HEADER_TABLE_SIZE, ENABLE_PUSH, MAX_CONCURRENT_STREAMS, INITIAL_WINDOW_SIZE, MAX_FRAME_SIZE = range(1, 6)
NO_ERROR, CANCEL = 0, 8
ERRORS = ("NO_ERROR PROTOCOL_ERROR INTERNAL_ERROR FLOW_CONTROL_ERROR SETTINGS_TIMEOUT STREAM_CLOSED FRAME_SIZE_ERROR "
          "REFUSED_STREAM CANCEL COMPRESSION_ERROR CONNECT_ERROR ENHANCE_YOUR_CALM INADEQUATE_SECURITY "
          "HTTP_1_1_REQUIRED").split()
DEFAULT_WINDOW, LARGEST_WINDOW = 65_535, 2**31 - 1
SERVICE = b"/sprague.v1.SpragueService/"


def error_name(code):
    return ERRORS[code] if code < len(ERRORS) else hex(code)


def integer(value, bits, first=0):
    """An integer of HPACK with a prefix of so many bits (RFC 7541, 5.1)."""
    limit = (1 << bits) - 1
    if value < limit:
        return bytes([first | value])
    encoded = bytearray([first | limit])
    value -= limit
    while value > 127:
        encoded.append(value & 127 | 128)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)


def literal(name, value, indexed=False):
    """A header field, not compressed; `indexed`: the server is to keep it in its table (RFC 7541, 6.2)."""
    return (b"\x40" if indexed else b"\x00") + integer(len(name), 7) + name + integer(len(value), 7) + value


def block(*fields):
    return b"".join(literal(name, value) for name, value in fields)


def call_headers(method, token=None):
    """The headers of a gRPC call: a method of Sprague's, or a whole path."""
    path = method if method.startswith(b"/") else SERVICE + method
    fields = [(b":method", b"POST"), (b":scheme", b"http"), (b":path", path), (b":authority", b"localhost"),
              (b"content-type", b"application/grpc"), (b"te", b"trailers")]
    if token:
        fields.append((b"authorization", b"Bearer " + token.encode()))
    return block(*fields)


def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def setting(name, value):
    return struct.pack(">HI", name, value)


def number32(value):
    return struct.pack(">I", value)


class Connection:
    def __init__(self, address, first=PREFACE + frame(SETTINGS, 0, 0), timeout=20, source=None, receive_buffer=None):
        host, port = address.rsplit(":", 1)
        self.socket = socket.socket()
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.settimeout(timeout)
        if source:
            self.socket.bind((source, 0))
        self.socket.connect((host, int(port)))
        self.received = bytearray()
        self.socket.sendall(first)

    def send(self, kind, flags, stream, payload=b""):
        self.socket.sendall(frame(kind, flags, stream, payload))

    def open(self, stream, method=b"SolveStream"):
        self.send(HEADERS, END_HEADERS, stream, call_headers(method))

    def read_frame(self):
        """The next frame as (kind, flags, stream, payload). Raises OSError, or EOFError where the server has closed."""
        while (taken := self.take_frame()) is None:
            data = self.socket.recv(65536)
            if not data:
                raise EOFError
            self.received += data
        return taken

    def take_frame(self):
        """The first frame of what has been received, taken out of it; None while it is not there whole."""
        length = int.from_bytes(self.received[:3], "big")
        if len(self.received) < 9 + length:
            return None
        kind, flags = self.received[3], self.received[4]
        stream = int.from_bytes(self.received[5:9], "big") & 0x7FFF_FFFF
        payload = bytes(self.received[9: 9 + length])
        del self.received[: 9 + length]
        return kind, flags, stream, payload

    def read_to_end(self):
        """Reads until the server closes; whether it did within the timeout."""
        try:
            while self.socket.recv(65536):
                pass
        except TimeoutError:
            return False
        except OSError:
            pass
        return True

    def close(self):
        self.socket.close()


class Stream:
    """A call of a Session, and what became of it."""

    def __init__(self, number, window):
        self.number, self.window = number, window
        self.unsent, self.unsent_at, self.ends = collections.deque(), 0, False
        self.received, self.answer = 0, None  # bytes of DATA; the bytes themselves, if the session keeps them
        self.status = self.message = self.reason = self.retry_after = self.reset = None
        self.outcome, self.began, self.ended = None, time.monotonic(), None
        self.is_admitted = False  # headers of an answer came, without a status

    def end(self, outcome):
        if self.outcome is None:
            self.outcome, self.ended = outcome, time.monotonic()
        self.unsent.clear()


class Session(Connection):
    """A connection that never blocks: `flush` and `receive` do what can be done now.

    `window` and `connection_window` are what the server may send; `takes`: what has come is given back to both windows.
    `reads` and `acknowledges` false: the socket is not read; PING and SETTINGS get no answer.
    """

    def __init__(self, address, source=None, window=DEFAULT_WINDOW, connection_window=DEFAULT_WINDOW, takes=True,
                 reads=True, acknowledges=True, keeps=False, receive_buffer=None, first=None):
        if first is None:
            first = PREFACE + frame(SETTINGS, 0, 0, setting(INITIAL_WINDOW_SIZE, window))
        if connection_window > DEFAULT_WINDOW:
            first += frame(WINDOW_UPDATE, 0, 0, number32(connection_window - DEFAULT_WINDOW))
        self.streams, self.next_stream = {}, 1
        self.takes, self.reads, self.acknowledges, self.keeps = takes, reads, acknowledges, keeps
        self.sending, self.send_window, self.initial_window = {}, DEFAULT_WINDOW, DEFAULT_WINDOW
        self.max_streams, self.sent = None, 0  # `sent`: bytes of bodies
        self.goaway, self.closed, self.began = None, None, time.monotonic()
        self.decoder, self.headers = hpack.Decoder(max_header_list_size=2**26), None
        self.outgoing = bytearray()
        super().__init__(address, first, source=source, receive_buffer=receive_buffer)
        self.ports = self.socket.getpeername()[1], self.socket.getsockname()[1]
        self.socket.setblocking(False)

    # --- Sending

    def call(self, path, body=b"", end=True, token=None):
        """Opens a stream and sends as much of the body as the server lets in; the rest goes out with `flush`."""
        stream = Stream(self.next_stream, self.initial_window)
        self.next_stream += 2
        self.streams[stream.number] = stream
        if self.closed:
            stream.end("not sent")
            return stream
        self.send(HEADERS, END_HEADERS | (END_STREAM if end and not body else 0), stream.number, call_headers(path, token))
        if body:
            self.write(stream, body, end)
        return stream

    def write(self, stream, data, end=False):
        if stream.outcome is None:
            stream.unsent.append(memoryview(data))
            stream.ends = end
            self.sending[stream.number] = stream
            self.flush()

    def reset(self, stream, code=CANCEL):
        self.sending.pop(stream.number, None)
        self.send(RST_STREAM, 0, stream.number, number32(code))
        stream.end("reset by the client")

    def send(self, kind, flags, stream, payload=b""):
        self.send_bytes(frame(kind, flags, stream, payload))

    def send_bytes(self, data):
        self.outgoing += data
        self.push()

    def push(self):
        while self.outgoing and not self.closed:
            try:
                sent = self.socket.send(self.outgoing)
            except (BlockingIOError, InterruptedError):
                return
            except OSError as error:
                self.end(f"closed ({errno.errorcode.get(error.errno, error.errno)})")
                return
            del self.outgoing[:sent]

    def flush(self):
        """Sends what is waiting, as far as the server's windows and the socket let it."""
        while True:
            for stream in list(self.sending.values()):
                self.frame_body(stream)
            if not self.outgoing:
                return
            self.push()
            if self.outgoing or self.closed:
                return

    def frame_body(self, stream):
        """Makes frames of what is unsent of a stream, until enough is on its way."""
        while stream.unsent and len(self.outgoing) < 262_144:
            first = stream.unsent[0]
            size = min(16_384, len(first) - stream.unsent_at, stream.window, self.send_window)
            if size <= 0:
                return
            chunk = bytes(first[stream.unsent_at: stream.unsent_at + size])
            stream.unsent_at += size
            if stream.unsent_at == len(first):
                stream.unsent.popleft()
                stream.unsent_at = 0
            stream.window -= size
            self.send_window -= size
            self.sent += size
            self.outgoing += frame(DATA, END_STREAM if stream.ends and not stream.unsent else 0, stream.number, chunk)
        if not stream.unsent:
            self.sending.pop(stream.number, None)

    @property
    def unsent(self):
        return bool(self.outgoing or self.sending)

    # --- Receiving

    def receive(self):
        """Reads what has come."""
        given_back = collections.Counter()
        try:
            for _ in range(8):
                data = self.socket.recv(262_144)
                if not data:
                    self.end("closed")
                    break
                self.received += data
                self.take_frames(given_back)
        except (BlockingIOError, InterruptedError):
            pass
        except OSError as error:
            self.end(f"closed ({errno.errorcode.get(error.errno, error.errno)})")
        if self.takes and not self.closed and given_back:
            updates = [frame(WINDOW_UPDATE, 0, 0, number32(sum(given_back.values())))]
            updates += [frame(WINDOW_UPDATE, 0, number, number32(size)) for number, size in given_back.items()
                        if self.streams[number].outcome is None]
            self.send_bytes(b"".join(updates))
        self.flush()

    def take_frames(self, given_back):
        while (taken := self.take_frame()) is not None:
            kind, flags, number, payload = taken
            stream = self.streams.get(number)
            if kind == DATA and stream and payload:
                stream.received += len(payload)
                given_back[number] += len(payload)
                if self.keeps:
                    stream.answer = stream.answer or bytearray()
                    stream.answer += payload
            elif kind == HEADERS:
                self.headers = bytearray(payload)
            elif kind == CONTINUATION:
                self.headers += payload
            elif kind == RST_STREAM and stream:
                stream.reset = int.from_bytes(payload, "big")
                # After its trailers a server that has not read the whole request resets with NO_ERROR (RFC 9113, 8.1).
                stream.end(f"RST_STREAM {error_name(stream.reset)}")
            elif kind == SETTINGS and not flags & ACK:
                self.take_settings(payload)
            elif kind == PING and not flags & ACK and self.acknowledges:
                self.send(PING, ACK, 0, payload)
            elif kind == GOAWAY and self.goaway is None:
                self.goaway = error_name(int.from_bytes(payload[4:8], "big"))
                self.goaway_after = time.monotonic() - self.began
            elif kind == WINDOW_UPDATE:
                size = int.from_bytes(payload, "big")
                if number == 0:
                    self.send_window += size
                elif stream:
                    stream.window += size
            if kind in (HEADERS, CONTINUATION) and flags & END_HEADERS:
                # Decoded even where nobody waits for them: the table is one for the connection.
                self.take_headers(stream, dict(self.decoder.decode(bytes(self.headers))))
            if stream and flags & END_STREAM and kind in (DATA, HEADERS) and stream.outcome is None:
                stream.end("no status")

    def take_headers(self, stream, headers):
        if stream is None or stream.outcome is not None:
            return
        if "grpc-status" in headers:
            stream.status = STATUSES[int(headers["grpc-status"])]
            stream.message = headers.get("grpc-message", "")
            encoded = headers.get("grpc-status-details-bin")
            if encoded:
                stream.reason, stream.retry_after = details(base64.b64decode(encoded + "=" * (-len(encoded) % 4)))
            stream.end(" ".join(filter(None, (stream.status, stream.reason))))
        elif headers.get(":status", "200") != "200":
            stream.end(f"HTTP {headers[':status']}")
        else:
            stream.is_admitted = True

    def take_settings(self, payload):
        for name, value in struct.iter_unpack(">HI", payload):
            if name == INITIAL_WINDOW_SIZE:
                for stream in self.streams.values():
                    stream.window += value - self.initial_window
                self.initial_window = value
            elif name == MAX_CONCURRENT_STREAMS:
                self.max_streams = value
        if self.acknowledges:
            self.send(SETTINGS, ACK, 0)

    # --- The end

    def end(self, outcome):
        if not self.closed:
            self.closed = outcome
            self.closed_after = time.monotonic() - self.began
            for stream in self.streams.values():
                stream.end("connection closed")
            self.outgoing.clear()
            self.sending.clear()

    def is_open_at_the_server(self):
        """Whether the server's end of this connection is open: what a client that does not read cannot see (Linux)."""
        server, client = self.ports
        for line in open("/proc/net/tcp").read().splitlines()[1:]:
            words = line.split()
            if int(words[1].split(":")[1], 16) == server and int(words[2].split(":")[1], 16) == client:
                return words[3] == "01"
        return False

    def close(self):
        self.end("closed by the client")
        self.socket.close()
