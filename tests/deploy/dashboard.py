"""The dashboard's queries, put to a real Prometheus that watches two servers at work: every one shows something."""

import contextlib
import json
import math
import os
import pathlib
import random
import re
import subprocess
import tempfile
import threading
import time
import urllib.error
import urllib.parse

import yaml

from fleet import ROOT, SPRAGUE, Server, free_port, get, until

PROMETHEUS, PROMTOOL = os.environ["PROMETHEUS"], os.environ["PROMTOOL"]
# Seconds between two looks at the servers. Grafana's rate window is four of them, as long as a pixel is no longer.
SCRAPE = 1
VARIABLES = {"$__rate_interval": f"{4 * SCRAPE}s", "$instance": ".*"}
# Work for one board at most: over that of 20 by 20 cells, under that of 64 by 64.
BUDGET = "20000000"
# Values that a unit of Grafana's makes sense for.
UNITS = {
    "ops": lambda value: value >= 0,
    "reqps": lambda value: value >= 0,
    "percentunit": lambda value: 0 <= value < 1.000001,
    # The longest that is told apart is a minute.
    "s": lambda value: 0 <= value <= 60,
    "bytes": lambda value: value >= 0 and value == int(value),
    "short": lambda value: value >= 0,
    # What is left of a certificate.
    "dtdurations": lambda value: value > 0,
}


# Metrics that are 0 as long as all is well.
ZERO = ("sprague_log_lines_dropped_total",)


class Prometheus:
    """A Prometheus over some servers; as a context, gone at its end."""

    def __init__(self, servers, folder):
        port = free_port()
        targets = [f"127.0.0.1:{server.metrics_port}" for server in servers]
        config = {
            "global": {"scrape_interval": f"{SCRAPE}s", "scrape_timeout": f"{SCRAPE}s"},
            "scrape_configs": [{"job_name": "sprague", "static_configs": [{"targets": targets}]}],
        }
        folder = pathlib.Path(folder)
        (folder / "prometheus.yml").write_text(yaml.safe_dump(config))
        self.api, self.begun = f"http://127.0.0.1:{port}/api/v1/", time.time()
        command = [PROMETHEUS, f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/data"]
        command += [f"--web.listen-address=127.0.0.1:{port}", "--log.level=error"]
        self.process = subprocess.Popen(command, cwd=folder)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    def series(self, query):
        """What a panel would draw of a query: labels and values of each line, from the beginning to now."""
        what = {"query": query, "start": self.begun, "end": time.time(), "step": SCRAPE}
        try:
            answer = get(f"{self.api}query_range?{urllib.parse.urlencode(what)}")
        except OSError as error:
            # Refused or 503: it is not up yet. All else is a fault of the query.
            if isinstance(error, urllib.error.HTTPError) and error.code != 503:
                raise SystemExit(f"{query}: {error.read().decode()}") from error
            return []
        lines = json.loads(answer)["data"]["result"]
        return [(line["metric"], [(at, float(value)) for at, value in line["values"]]) for line in lines]


def targets():
    """Every query of the dashboard, with its panel and the variables filled in."""
    dashboard = json.loads((ROOT / "deploy/grafana/sprague.json").read_text())
    for panel in dashboard["panels"]:
        for target in panel["targets"]:
            query = target["expr"]
            for name, value in VARIABLES.items():
                query = query.replace(name, value)
            assert "$" not in query, f"{panel['title']}: a variable that is not known: {query}"
            yield panel, target, query


def legend(target, labels):
    return re.sub(r"{{\s*(\w+)\s*}}", lambda found: labels.get(found[1], ""), target["legendFormat"])


class Load:
    """A bit of everything that clients do, again and again; as a context, over at its end."""

    def __init__(self, servers, tokens, folder):
        source = random.Random(1)
        light, heavy, too_heavy = folder / "light", folder / "heavy", folder / "too-heavy"
        rows = ["." * source.randrange(3, 100) + "X" + "." * source.randrange(100) for _ in range(5_000)]
        light.write_text("\n".join([str(len(rows)), *rows, ""]))
        for file, size, count in ((heavy, 20, 200), (too_heavy, 64, 10)):
            grids = (["".join(source.choices("LR", k=size)) for _ in range(size)] for _ in range(count))
            file.write_text("".join(f"{size} {size}\n" + "\n".join(grid) + "\n" for grid in grids))
        where = [word for server in servers for word in ("--server", f"127.0.0.1:{server.port}")]
        let_in = [*where, "--token-file", tokens]
        work = [
            (["solve", "-q", "-f", "uva10561", light, "-o", os.devnull, *let_in], 0),
            (["solve", "-q", "-f", "gdoi2016", heavy, "-o", os.devnull, *let_in], 0),
            (["explain", "treblecross", "..X....X..", *let_in], 0),
            # Boards over the budget, each with an error.
            (["solve", "-q", "--keep-going", "-f", "gdoi2016", too_heavy, "-o", os.devnull, *let_in], 65),
            # Without a token: not let in.
            (["info", *where], 77),
        ]
        self.over, self.faults = threading.Event(), []
        self.threads = [threading.Thread(target=self.repeat, args=what) for what in work]

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        for thread in self.threads:
            thread.join()

    def repeat(self, arguments, code):
        while not self.over.is_set():
            pipes = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
            with subprocess.Popen([SPRAGUE, *arguments], **pipes, text=True) as run:
                while run.poll() is None:
                    if self.over.wait(0.05):
                        run.kill()
                        return
                if run.returncode != code:
                    self.faults.append(f"{arguments}: {run.returncode}: {run.stderr.read()}")
                    return


def is_shown(query, lines):
    least = 0 if any(name in query for name in ZERO) else math.ulp(0)
    return any(math.isfinite(value) and value >= least for _, values in lines for _, value in values)


def certificate(folder):
    """The flags of a server with a certificate of its own."""
    cert, key = folder / "cert.pem", folder / "key.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=test", "-days", "30"]
    subprocess.run([*command, "-keyout", key, "-out", cert], check=True, capture_output=True)
    return ["--tls-cert", cert, "--tls-key", key]


def check(panel, target, lines):
    """That what is shown can be told apart, and is what the panel's unit says."""
    title, unit = panel["title"], panel["fieldConfig"]["defaults"]["unit"]
    for labels, values in lines:
        missing = [name for name in re.findall(r"{{\s*(\w+)\s*}}", target["legendFormat"]) if not labels.get(name)]
        assert not missing, f"{title}: {labels} has no {missing}"
        wrong = [value for _, value in values if math.isfinite(value) and not UNITS[unit](value)]
        assert not wrong, f"{title}: {labels}: not in {unit}: {wrong}"
    return [legend(target, labels) for labels, _ in lines]


def main():
    with contextlib.ExitStack() as stack:
        folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory()))
        tokens = folder / "tokens"
        tokens.write_text("a-token-of-this-test\n")
        limits = ["--token-file", tokens, "--cost-per-board", BUDGET]
        servers = [stack.enter_context(Server(*limits)) for _ in range(2)]
        encrypted = stack.enter_context(Server(*certificate(folder)))
        prometheus = stack.enter_context(Prometheus([*servers, encrypted], folder))
        until("Prometheus sees all servers", lambda: len(prometheus.series("up == 1")) == 3)
        load = stack.enter_context(Load(servers, tokens, folder))
        asked = list(targets())
        for panel, _, query in asked:
            until(f"{panel['title']} shows something: {query}", lambda: is_shown(query, prometheus.series(query)))
        legends = {}
        for panel, target, query in asked:
            legends.setdefault(panel["title"], []).extend(check(panel, target, prometheus.series(query)))
        for title, names in legends.items():
            assert len(set(names)) == len(names), f"{title}: two lines have one name: {sorted(names)}"
        page = servers[0].page()
    assert not load.faults, load.faults
    subprocess.run([PROMTOOL, "check", "metrics"], input=page, text=True, check=True)
    print(f"{len(asked)} queries of {len(legends)} panels show something; the page of metrics is as it should be")


if __name__ == "__main__":
    main()
