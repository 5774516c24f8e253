"""Style tables of Kokoro 1.0 that the operator brings -> the tables that native/tts/style_table.h reads.

    python3 styles.py IN OUT

reads IN/*.bin (raw float32, as Kokoro's ONNX repositories store one voice), IN/*.pt (PyTorch's tensor of one voice, as Kokoro
itself is published) and IN/*.npz (NumPy's archive of several), and writes OUT/STYLE.bin for each table and OUT/voices.json with the names. STYLE is told by the numbers, so that it never names
another table. Files that hold no such tables end with one line on standard error and status 2.
"""

import hashlib
import json
import pathlib
import pickle
import re
import sys
import zipfile

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "embedding"))

from checkpoint import read_checkpoint  # noqa: E402
from unusable import Unusable, run  # noqa: E402

ROWS, WIDTH = 510, 256
FORMS = (".bin", ".pt", ".npz")
# The tables of version 0.19 have one row more.
ROWS_OF_OLD = 511
MOST_VOICES = 64
MOST_BYTES = 8 * 511 * WIDTH + 4096
# The tables of Kokoro stay below 3; the network gives noise far above.
MOST = 20
NAME = re.compile(r"[a-z0-9_]{1,40}")


def tables_of(path: pathlib.Path):
    """-> (name, numbers) of each table."""
    if path.suffix == ".bin":
        yield path.stem, np.fromfile(path, "<f4")
        return
    try:
        with zipfile.ZipFile(path) as archive:
            large = [entry.filename for entry in archive.infolist() if entry.file_size > MOST_BYTES]
            if large:
                raise Unusable(f"{large[0]} is larger than a style table of Kokoro")
        if path.suffix == ".pt":
            yield path.stem, tensor_of(path)
            return
        with np.load(path, allow_pickle=False) as arrays:
            for name in arrays.files:
                yield name, arrays[name]
    except (zipfile.BadZipFile, OSError, ValueError, EOFError, KeyError) as error:
        raise Unusable(f"{path.name} is damaged: {error}") from error


def tensor_of(path: pathlib.Path) -> np.ndarray:
    """Nothing that the file names is called: only tensors are read."""
    try:
        tensor = read_checkpoint(path)
    except pickle.UnpicklingError as error:
        raise Unusable(f"{path.name} is not a tensor alone: {error}") from error
    # A pickle that calls things with other arguments, or breaks off, fails in many ways.
    except Exception as error:
        raise Unusable(f"{path.name} is damaged: {error}") from error
    if not isinstance(tensor, np.ndarray):
        raise Unusable(f"{path.name} has a {type(tensor).__name__} and not the tensor of one voice")
    return tensor


def checked(name: str, numbers: np.ndarray) -> bytes:
    if numbers.size == ROWS_OF_OLD * WIDTH:
        raise Unusable(f"{name} is a table of Kokoro 0.19; the one that is served is 1.0")
    if numbers.size != ROWS * WIDTH or numbers.dtype.kind != "f":
        raise Unusable(f"{name} has the shape {list(numbers.shape)}; a style table has 510 x 256 numbers")
    table = numbers.reshape(ROWS, WIDTH).astype("<f4")
    if not np.isfinite(table).all() or np.abs(table).max() > MOST:
        raise Unusable(f"{name} has values that are no style: the file is damaged")
    if np.abs(table).max() == 0:
        raise Unusable(f"{name} has no values")
    return table.tobytes()


def main(food: pathlib.Path, out: pathlib.Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    voices = {}
    for path in sorted(one for one in food.iterdir() if one.suffix in FORMS):
        for name, numbers in tables_of(path):
            name = name.lower().replace("-", "_")
            if not NAME.fullmatch(name) or name in voices:
                raise Unusable(f"{name[:60]!r} is no name of a voice, or another file has it: small letters, digits and _")
            table = checked(name, numbers)
            voices[name] = f"x_{hashlib.sha256(table).hexdigest()[:24]}"
            (out / f"{voices[name]}.bin").write_bytes(table)
            if len(voices) > MOST_VOICES:
                raise Unusable(f"there are more than {MOST_VOICES} voices: add some of them")
    listed = [{"name": name, "style": style} for name, style in sorted(voices.items())]
    (out / "voices.json").write_text(json.dumps(listed) + "\n")


if __name__ == "__main__":
    run(main, __doc__)
