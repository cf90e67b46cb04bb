"""Several spragued behind the Envoy that deploy/envoy describes, on this machine's loopback."""

import os
import pathlib
import re
import signal
import socket
import subprocess
import tempfile
import time
import urllib.request

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
SPRAGUE, SPRAGUED = os.environ["SPRAGUE"], os.environ["SPRAGUED"]
ENVOY = os.environ["ENVOY"]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def get(address):
    with urllib.request.urlopen(address, timeout=5) as answer:
        return answer.read().decode()


def until(what, condition, seconds=30):
    """Waits for something to become true."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return
        time.sleep(0.05)
    raise SystemExit(f"after {seconds} s still not so: {what}")


class Server:
    """One spragued; as a context, gone at its end."""

    def __init__(self, *arguments):
        self.port, self.metrics_port = free_port(), free_port()
        self.arguments = arguments
        self.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()

    def start(self):
        command = [SPRAGUED, "--listen", f"127.0.0.1:{self.port}", "--metrics-listen", f"127.0.0.1:{self.metrics_port}"]
        self.process = subprocess.Popen([*command, "--log", "off", *self.arguments], stdout=subprocess.PIPE, text=True)
        assert self.process.stdout.readline().startswith("spragued listening on ")

    def page(self):
        """All metrics, as Prometheus reads them."""
        return get(f"http://127.0.0.1:{self.metrics_port}/metrics")

    def metric(self, name):
        """The sum of a metric over its labels; 0 if the server is gone."""
        try:
            page = self.page()
        except OSError:
            return 0
        values = re.findall(rf"^{name}(?:{{.*}})? (\S+)$", page, re.MULTILINE)
        return sum(float(value) for value in values)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def drain(self):
        """As an orchestrator ends it; its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=60)


class Proxy:
    """Envoy with the project's own configuration, but for the addresses; as a context, gone at its end."""

    def __init__(self, servers):
        self.port, admin = free_port(), free_port()
        config = yaml.safe_load((ROOT / "deploy/envoy/envoy.yaml").read_text())
        config["admin"]["address"]["socket_address"]["port_value"] = admin
        resources = config["static_resources"]
        resources["listeners"][0]["address"]["socket_address"]["port_value"] = self.port
        place = resources["clusters"][0]["load_assignment"]["endpoints"][0]
        place["lb_endpoints"] = [
            {"endpoint": {"address": {"socket_address": {"address": "127.0.0.1", "port_value": server.port}}}}
            for server in servers
        ]
        self.file = tempfile.NamedTemporaryFile("w", suffix=".yaml")
        yaml.safe_dump(config, self.file)
        self.file.flush()
        self.log = tempfile.TemporaryFile()
        command = [ENVOY, "-c", self.file.name, "--concurrency", "1", "--disable-hot-restart", "--log-level", "warning"]
        self.process = subprocess.Popen(command, stdout=self.log, stderr=self.log)
        self.admin = f"http://127.0.0.1:{admin}"
        try:
            until("Envoy knows all servers to be healthy", lambda: len(self.healthy()) == len(servers))
        except SystemExit:
            self.stop()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def healthy(self):
        """The ports of the servers that Envoy would give a call to."""
        try:
            clusters = get(self.admin + "/clusters")
        except OSError:
            return set()
        return {int(port) for port in re.findall(r":(\d+)::health_flags::healthy$", clusters, re.MULTILINE)}

    def stop(self):
        self.process.terminate()
        self.process.wait()
