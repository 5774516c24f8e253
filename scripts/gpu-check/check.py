"""Joins the pieces beside this file, unpacks them and runs the report of the GPU.

    python3 check.py [--cpu] [--seconds 330] [--only texts,speech]

The pieces may come in several transfers; what was unpacked once is used again.
"""

import hashlib
import json
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


class Joined:
    """The pieces as one file that is read from its start to its end."""

    def __init__(self, pieces: list):
        self._left, self._file = list(pieces), None

    def read(self, size: int) -> bytes:
        out = b""
        while len(out) < size:
            if self._file is None:
                if not self._left:
                    break
                self._file = open(HERE / self._left.pop(0)["name"], "rb")
            blob = self._file.read(size - len(out))
            if not blob:
                self._file.close()
                self._file = None
            out += blob
        return out


def main() -> int:
    pieces = json.loads((HERE / "pieces.json").read_text())
    for piece in pieces:
        path = HERE / piece["name"]
        if not path.exists():
            sys.exit(f"{piece['name']} of {len(pieces)} pieces is not here yet")
        if hashlib.sha256(path.read_bytes()).hexdigest() != piece["sha256"]:
            sys.exit(f"{piece['name']} is not the piece that was packed; bring it again")
    key = hashlib.sha256("".join(piece["sha256"] for piece in pieces).encode()).hexdigest()[:16]
    folder = pathlib.Path(tempfile.gettempdir()) / f"trunkline-gpu-check-{key}"
    if not folder.exists():
        arriving = pathlib.Path(tempfile.mkdtemp(prefix="trunkline-gpu-check-"))
        with tarfile.open(fileobj=Joined(pieces), mode="r|gz") as archive:
            archive.extractall(arriving)
        shutil.move(arriving, folder)
    return subprocess.run([sys.executable, folder / "bundle/runner.py", folder / "bundle", *sys.argv[1:]]).returncode


sys.exit(main())
