"""The programs under test: started on a free port, stopped when done with."""

import os
import subprocess


class Program:
    """A server, from its ready line on. The command is followed by `addresses` as the server writes them."""

    def __init__(self, *command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if " listening on " not in line:
            raise SystemExit(f"{command[0]} did not start: {line!r}")
        self.addresses = line.strip().split(" listening on ")[1].split(", ")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(timeout=30)


def spragued(*flags):
    return Program(os.environ.get("SPRAGUED", "spragued"), "--log", "warn", *flags)


def slow_server(per_cell):
    return Program(os.environ.get("SLOW_SERVER", "slow_server"), "127.0.0.1:0", per_cell)
