"""Makes `sprague.v1` and the client in clients/python importable: import this first."""

import atexit
import pathlib
import shutil
import sys
import tempfile

from grpc_tools import protoc

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORK = pathlib.Path(tempfile.mkdtemp(prefix="faults-"))  # for the files of a run
atexit.register(shutil.rmtree, WORK, ignore_errors=True)
if protoc.main(["", f"-I{ROOT}/proto", f"--python_out={WORK}", f"--grpc_python_out={WORK}", "sprague/v1/sprague.proto"]):
    sys.exit("the stubs could not be generated")
sys.path[:0] = [str(WORK), str(ROOT / "clients" / "python")]
