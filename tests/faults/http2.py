"""Just enough HTTP/2 to misbehave: a connection that sends what a well-kept library would not."""

import socket
import struct

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RST_STREAM, SETTINGS = 0, 1, 3, 4
END_STREAM, END_HEADERS = 1, 4


def literal(name, value):
    """A header field, neither indexed nor compressed (RFC 7541, 6.2.2). Up to 126 bytes a string."""
    return b"\x00" + bytes([len(name)]) + name + bytes([len(value)]) + value


def call_headers(method):
    """The headers of a gRPC call."""
    fields = [(b":method", b"POST"), (b":scheme", b"http"), (b":path", b"/sprague.v1.SpragueService/" + method),
              (b":authority", b"localhost"), (b"content-type", b"application/grpc"), (b"te", b"trailers")]
    return b"".join(literal(name, value) for name, value in fields)


def frame(kind, flags, stream, payload):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


class Connection:
    def __init__(self, address, first=PREFACE + frame(SETTINGS, 0, 0, b""), timeout=20):
        host, port = address.rsplit(":", 1)
        self.socket = socket.create_connection((host, int(port)), timeout=timeout)
        self.socket.sendall(first)

    def send(self, kind, flags, stream, payload=b""):
        self.socket.sendall(frame(kind, flags, stream, payload))

    def open(self, stream, method=b"SolveStream"):
        self.send(HEADERS, END_HEADERS, stream, call_headers(method))

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
