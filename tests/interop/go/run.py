"""Runs the tests of the Go client against a real server, over TCP and a Unix socket, and against one whose solver is slow.

    SPRAGUED=... SLOW_SERVER=... INTEROP=the Go program that ../build.sh makes python run.py
"""

import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "python"))

from programs import slow_server, spragued

with tempfile.TemporaryDirectory() as folder:
    with spragued("--listen", "127.0.0.1:0", "--listen", f"unix:{folder}/sprague.sock") as server, slow_server("1us") as slow:
        command = [os.environ.get("INTEROP", "interop"), "run", *server.addresses, *slow.addresses, HERE.parents[1] / "cases"]
        sys.exit(subprocess.run(command, timeout=300).returncode)
