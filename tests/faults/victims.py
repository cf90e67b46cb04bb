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
import urllib.error
import urllib.request

SPRAGUED = os.environ["SPRAGUED"]
SPRAGUE = os.environ["SPRAGUE"]


class Server:
    """`spragued`, with its metrics if `metrics`, and in a group of processes with so much memory if `memory_limit` (bytes).
    `log` is its standard error, a file or "closed", and `level` what it logs."""

    def __init__(self, *flags, listen="127.0.0.1:0", descriptors=None, metrics=False, memory_limit=None, log=None,
                 level="error"):
        self.flags, self.descriptors, self.listen, self.log, self.level = flags, descriptors, listen, log, level
        self.metrics_address = "127.0.0.1:%d" % free_port() if metrics else None
        self.group = MemoryGroup(memory_limit) if memory_limit else None
        self.start()

    def start(self):
        command = [SPRAGUED, "--log", self.level, "--listen", self.listen, *self.flags]
        if self.metrics_address:
            command += ["--metrics-listen", self.metrics_address]
        if self.descriptors:
            command = ["sh", "-c", f'ulimit -n {self.descriptors}; exec "$@"', "sh", *command]
        if self.group:
            command = ["sh", "-c", f'echo $$ > {self.group.path}/cgroup.procs; exec "$@"', "sh", *command]
        sink, close = self.log, None
        if self.log == "closed":
            sink, close = None, lambda: os.close(2)
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=sink, preexec_fn=close, text=True)
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

    def memory(self, of="VmRSS"):
        """Resident memory in MB, now or (VmHWM) at most; 0 once the process has ended."""
        try:
            status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        except FileNotFoundError:
            return 0.0
        found = re.search(of + r":\s+(\d+)", status)
        return int(found[1]) / 1000 if found else 0.0

    def cpu(self):
        """Seconds of processor time that it has used."""
        words = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")

    def ask(self, path):
        """What the metrics' server answers: (status, text)."""
        try:
            with urllib.request.urlopen(f"http://{self.metrics_address}{path}", timeout=5) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGCONT)
        self.process.kill()
        self.process.wait()
        if self.group:
            self.group.remove()


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


class MemoryGroup:
    """A control group (Linux, version 2 or 1) below this process's own, whose processes get so many bytes together."""

    def __init__(self, limit):
        groups = {}
        for line in pathlib.Path("/proc/self/cgroup").read_text().splitlines():
            _, controllers, path = line.split(":", 2)
            groups[controllers] = path
        root = pathlib.Path("/sys/fs/cgroup")
        if (root / "cgroup.controllers").exists():
            parent, file = root / groups[""].strip("/"), "memory.max"
        elif "memory" in groups:
            parent, file = root / "memory" / groups["memory"].strip("/"), "memory.limit_in_bytes"
        else:
            raise OSError("no control group with a memory controller")
        self.path = parent / f"sprague-{os.getpid()}-{free_port()}"
        self.path.mkdir()
        try:
            (self.path / file).write_text(str(limit))
        except OSError:
            self.remove()
            raise

    def remove(self):
        for _ in range(100):
            try:
                return self.path.rmdir()
            except OSError:  # its last process is on its way out
                time.sleep(0.02)


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
