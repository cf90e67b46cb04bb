"""A bulk run through Envoy while one server is killed, the others drained, and the first comes back: nobody notices.

A stream of the run lasts until the run or its server ends, and the feed never runs dry before the servers have come and
gone. So whoever has a stream when it is looked at has one when it is killed or drained; and when the others are gone,
the one that came back has all there is.
"""

import contextlib
import signal
import subprocess
import tempfile
import threading
import time

from fleet import SPRAGUE, Proxy, Server, until

CASES = 200_000


def board(number):
    """A row of Treblecross, short or long, so that neighbours differ."""
    return "." * (3 + number * 7919 % 120)


class Feed(threading.Thread):
    """Writes all cases: a small share of what is left each time, so that some always are, until told to hurry."""

    def __init__(self, pipe):
        super().__init__(daemon=True)
        self.pipe, self.in_a_hurry = pipe, threading.Event()
        self.start()

    def run(self):
        sent = 0
        # A client that is gone says why by its exit code.
        with contextlib.suppress(BrokenPipeError), self.pipe:
            self.pipe.write(f"{CASES}\n")
            while sent < CASES:
                left = CASES - sent
                end = CASES if self.in_a_hurry.is_set() else sent + 1 + left // 1000
                self.pipe.write("".join(f"{board(number)}\n" for number in range(sent, end)))
                self.pipe.flush()
                sent = end
                self.in_a_hurry.wait(0.01)

    def finish(self):
        assert self.is_alive(), "the feed ran dry before the servers had come and gone"
        self.in_a_hurry.set()
        self.join()


def streams(server):
    return int(server.metric("sprague_streams_in_flight"))


def busiest(servers):
    """The server with most streams of the run on it, and how many; as the run goes on, one has some."""
    until("a server has a stream of the run", lambda: any(map(streams, servers)))
    held, server = max(((streams(server), server) for server in servers), key=lambda pair: pair[0])
    assert held > 0, "streams of a run that goes on do not end"
    return server, held


def main():
    text = f"{CASES}\n" + "".join(f"{board(number)}\n" for number in range(CASES))
    solve = [SPRAGUE, "solve", "-f", "uva10561"]
    expected = subprocess.run(solve, input=text, capture_output=True, text=True, check=True).stdout

    with contextlib.ExitStack() as stack:
        servers = [stack.enter_context(Server("--drain-delay", "3s")) for _ in range(3)]
        proxy = stack.enter_context(Proxy(servers))
        errors, answers = (stack.enter_context(tempfile.TemporaryFile("w+")) for _ in range(2))
        command = [*solve, "--server", f"127.0.0.1:{proxy.port}", "--connections", "12"]
        run = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=answers, stderr=errors, text=True)
        stack.callback(run.kill)
        feed = Feed(run.stdin)

        returned, held = busiest(servers)
        # It stands still first, so that batches wait for it.
        returned.process.send_signal(signal.SIGSTOP)
        time.sleep(0.5)
        returned.kill()
        print(f"killed one of three, with {held} streams of the run on it")

        others = [server for server in servers if server is not returned]
        drained, held = busiest(others)
        until("the server to be drained has answered", lambda: drained.metric("sprague_boards_total") > 0)
        assert drained.drain() == 0
        print(f"drained another, with {held} streams of the run on it")

        last, held = busiest([server for server in others if server is not drained])
        returned.start()
        until("Envoy has taken the first back", lambda: returned.port in proxy.healthy())
        assert last.drain() == 0
        print(f"the first came back; drained the last of the others, with {held} streams of the run on it")

        until("the first is in use again", lambda: streams(returned) > 0)
        feed.finish()
        code = run.wait(timeout=120)
        answered = int(returned.metric("sprague_boards_total"))
        assert returned.drain() == 0
        errors.seek(0)
        answers.seek(0)
        said, output = errors.read(), answers.read()

    assert code == 0, f"exit code {code}: {said}"
    assert said == "", said
    assert answered > 0, "the server that came back answered nothing"
    assert output == expected, "the output differs"
    print(f"{CASES} cases, {answered} of them by the one that came back, {len(output)} bytes: as without servers")


main()
