"""Generates the Python stubs of Sprague into a temporary folder, and makes them and the client in clients/python importable."""

import pathlib
import sys
import tempfile

from grpc_tools import protoc

ROOT = pathlib.Path(__file__).resolve().parents[3]
FOLDER = tempfile.TemporaryDirectory()
if protoc.main(["", f"-I{ROOT}/proto", f"--python_out={FOLDER.name}", f"--grpc_python_out={FOLDER.name}",
                "sprague/v1/sprague.proto"]):
    sys.exit("the stubs could not be generated")
sys.path[:0] = [FOLDER.name, str(ROOT / "clients" / "python")]
