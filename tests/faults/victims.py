"""Servers and clients under test, and a wire between them that can be cut."""

import os
import pathlib
import re
import signal
import socket
import struct
import subprocess
import threading
import time

SPRAGUED = os.environ["SPRAGUED"]
SPRAGUE = os.environ["SPRAGUE"]


class Server:
    def __init__(self, *flags, listen="127.0.0.1:0", descriptors=None):
        self.flags, self.descriptors, self.listen = flags, descriptors, listen
        self.start()

    def start(self):
        command = [SPRAGUED, "--log", "error", "--listen", self.listen, *self.flags]
        if self.descriptors:
            command = ["sh", "-c", f'ulimit -n {self.descriptors}; exec "$@"', "sh", *command]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        assert " listening on " in line, f"spragued did not start: {line!r}"
        self.address = line.strip().split(" listening on ")[1]
        self.listen = self.address  # a restart comes back to the same place

    def signal(self, number):
        self.process.send_signal(number)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def drain(self):
        """SIGTERM, and the exit code."""
        self.process.terminate()
        return self.process.wait(timeout=60)

    def memory(self):
        """Resident memory now, in MB."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1000

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGCONT)
        self.process.kill()
        self.process.wait()


class Run:
    """`sprague solve` in the background."""

    def __init__(self, input_file, output, *servers, flags=(), format="uva10561"):
        addresses = [word for server in servers for word in ("--server", server)]
        command = [SPRAGUE, "solve", "-f", format, "-q", "-o", output, *addresses, *flags, input_file]
        self.begun = time.monotonic()
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)

    def end(self, timeout=120):
        """Exit code and standard error. A run that does not end is a fault of its own."""
        try:
            _, said = self.process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise AssertionError(f"the client still ran after {timeout} s") from None
        self.seconds = time.monotonic() - self.begun
        return self.process.returncode, said


class Wire:
    """A TCP relay that hurts its first `cuts` connections after some bytes from the server, and serves the rest."""

    def __init__(self, target, cuts, after, reset):
        self.target, self.cuts, self.after, self.reset = target, cuts, after, reset
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = "127.0.0.1:%d" % self.listener.getsockname()[1]
        self.hurt = 0
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            host, port = self.target.rsplit(":", 1)
            server = socket.create_connection((host, int(port)))
            hurts = self.hurt < self.cuts
            self.hurt += hurts
            limit = self.after if hurts else None
            threading.Thread(target=self.copy, args=(client, server, None), daemon=True).start()
            threading.Thread(target=self.copy, args=(server, client, limit), daemon=True).start()

    def copy(self, source, sink, limit):
        passed = 0
        try:
            while data := source.recv(65536):
                if limit is not None and passed + len(data) > limit:
                    sink.sendall(data[: limit - passed])
                    break
                sink.sendall(data)
                passed += len(data)
        except OSError:
            pass
        for end in (source, sink):
            try:
                if limit is not None and self.reset:
                    end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    # Wakes the thread that reads this end: while it waits, closing would not reach the network.
                    end.shutdown(socket.SHUT_RD)
                    end.close()
                else:
                    end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.close()
