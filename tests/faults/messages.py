"""Protocol Buffers by hand: requests that a generated client would not send, and as much of the answers as a test reads."""

STATUSES = ("OK CANCELLED UNKNOWN INVALID_ARGUMENT DEADLINE_EXCEEDED NOT_FOUND ALREADY_EXISTS PERMISSION_DENIED "
            "RESOURCE_EXHAUSTED FAILED_PRECONDITION ABORTED OUT_OF_RANGE UNIMPLEMENTED INTERNAL UNAVAILABLE DATA_LOSS "
            "UNAUTHENTICATED").split()
REASON_TOO_LONG = 13


def varint(value):
    encoded = bytearray()
    while value > 127:
        encoded.append(value & 127 | 128)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)


def field(number, payload):
    """A field that holds bytes, a string or a message."""
    return varint(number << 3 | 2) + varint(len(payload)) + payload


def prefix(length):
    """What comes before a gRPC message of this length."""
    return b"\0" + length.to_bytes(4, "big")


def message(payload):
    return prefix(len(payload)) + payload


def fields(data):
    """Every field of a message: its number, and an int or bytes."""
    at = 0

    def read():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            if byte < 128:
                return value
            shift += 7

    while at < len(data):
        tag = read()
        if tag & 7 == 0:
            yield tag >> 3, read()
        elif tag & 7 == 2:
            length = read()
            at += length
            yield tag >> 3, data[at - length: at]
        else:
            raise ValueError(f"a field of wire type {tag & 7}")


def details(status):
    """The reason of the ErrorInfo and the seconds of the RetryInfo in a google.rpc.Status; None where there is none."""
    reason = delay = None
    for number, detail in fields(status):
        if number != 3:
            continue
        kind, value = "", b""
        for part, content in fields(detail):
            kind, value = (content.decode(), value) if part == 1 else (kind, content)
        if kind.endswith("google.rpc.ErrorInfo"):
            reason = dict(fields(value)).get(1, b"").decode()
        elif kind.endswith("google.rpc.RetryInfo"):
            duration = dict(fields(dict(fields(value)).get(1, b"")))
            delay = duration.get(1, 0) + duration.get(2, 0) / 1e9
    return reason, delay


# --- Sprague's requests -----------------------------------------------------------------------------------------------

def treblecross(cells):
    return field(1, field(1, cells))


def darkraft(columns, cells):
    return field(2, b"\x08" + varint(columns) + field(2, cells))


def solve(board):
    return message(field(1, board))


def batch(boards, number=0):
    return message(b"\x08" + varint(number) + b"".join(field(2, board) for board in boards))


def answers(data):
    """The answers of a SolveStream: a list of (boards solved, reasons of the others) a batch, and the Summary's counts."""
    batches, summary, at = [], None, 0
    while at < len(data):
        length = int.from_bytes(data[at + 1: at + 5], "big")
        for kind, content in fields(data[at + 5: at + 5 + length]):
            if kind == 2:
                summary = dict(fields(content))
                continue
            solved, reasons = 0, []
            for number, result in fields(content):
                if number == 2:
                    for which, inner in fields(result):
                        if which == 1:
                            solved += 1
                        else:
                            reasons.append(dict(fields(inner)).get(1))
            batches.append((solved, reasons))
        at += 5 + length
    return batches, summary
