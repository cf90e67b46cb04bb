"""A bulk run through Envoy while one server is killed, one is drained and one comes back: nobody notices."""

import subprocess
import tempfile

from fleet import SPRAGUE, Proxy, Server, until

CASES = 400_000
QUARTER = CASES // 4


def board(number):
    """A row of Treblecross, short or long, so that neighbours differ."""
    return "." * (3 + number * 7919 % 120)


def feed(run, begin, end):
    run.stdin.write("".join(f"{board(number)}\n" for number in range(begin, end)))
    run.stdin.flush()


def main():
    lines = [board(number) for number in range(CASES)]
    text = f"{CASES}\n" + "\n".join(lines) + "\n"
    expected = subprocess.run([SPRAGUE, "solve", "-f", "uva10561"], input=text, capture_output=True, text=True, check=True).stdout

    servers = [Server("--drain-delay", "3s") for _ in range(3)]
    proxy = Proxy(servers)
    killed, drained, steady = servers
    with tempfile.TemporaryFile("w+") as errors, tempfile.TemporaryFile("w+") as answers:
        command = [SPRAGUE, "solve", "-f", "uva10561", "--server", f"127.0.0.1:{proxy.port}", "--connections", "12"]
        run = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=answers, stderr=errors, text=True)
        run.stdin.write(f"{CASES}\n")

        feed(run, 0, QUARTER)
        for name, server in (("killed", killed), ("drained", drained), ("steady", steady)):
            until(f"the server to be {name} works", lambda: server.metric("sprague_streams_in_flight") > 0)
        killed.kill()
        print("killed one of three, with streams of the run on it")

        feed(run, QUARTER, 2 * QUARTER)
        until("the run is on the other two", lambda: drained.metric("sprague_streams_in_flight") > 0)
        before = drained.metric("sprague_boards_total")
        assert before > 0, "the server to be drained has answered nothing"
        code = drained.drain()
        assert code == 0, f"the drained server ended with {code}"
        print("drained another, with streams of the run on it")

        feed(run, 2 * QUARTER, 3 * QUARTER)
        killed.start()
        until("Envoy has noticed that the first is back", lambda: proxy.healthy() == 2)
        feed(run, 3 * QUARTER, CASES)
        run.stdin.close()
        code = run.wait(timeout=120)
        errors.seek(0)
        answers.seek(0)
        said, output = errors.read(), answers.read()
    proxy.stop()
    for server in (killed, steady):
        assert server.drain() == 0
    assert code == 0, f"exit code {code}: {said}"
    assert said == "", said
    assert output == expected, "the output differs"
    print(f"{CASES} cases, {len(output)} bytes: the same as without servers")


main()
