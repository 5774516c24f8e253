"""Reads the tensors of a checkpoint that PyTorch saved, without PyTorch.

A checkpoint is a ZIP of a pickle and the tensors' bytes. A pickle can call anything it names, so every name except the
four kinds of thing that a plain checkpoint holds (tensors, their storages, ordered dicts, numbers and texts) is refused.
"""

import collections
import io
import math
import pathlib
import pickle
import zipfile

import numpy as np

_STORAGES = {
    "DoubleStorage": np.float64,
    "FloatStorage": np.float32,
    "HalfStorage": np.float16,
    "LongStorage": np.int64,
    "IntStorage": np.int32,
    "ByteStorage": np.uint8,
    "BoolStorage": np.bool_,
}


class _Storage:
    def __init__(self, name: str):
        self.dtype = np.dtype(_STORAGES[name])


def _tensor(storage, offset: int, shape, strides, *_) -> np.ndarray:
    """Rejects a view that reaches outside its storage before it makes it."""
    last = offset + sum((n - 1) * step for n, step in zip(shape, strides))
    if min(offset, *shape, *strides, 0) < 0 or (all(shape) and last >= storage.size):
        raise pickle.UnpicklingError("a tensor reaches outside its storage")
    # A step of 0 repeats numbers, so that a small file would take any memory.
    if math.prod(shape) > storage.size:
        raise pickle.UnpicklingError("a tensor has more numbers than its storage")
    if not all(shape):
        return np.zeros(shape, storage.dtype)
    view = np.lib.stride_tricks.as_strided(
        storage[offset:], shape=shape, strides=[step * storage.itemsize for step in strides], writeable=False
    )
    return view.copy()


class _Reader(pickle.Unpickler):
    def __init__(self, pickled: bytes, read):
        super().__init__(io.BytesIO(pickled))
        self._read = read

    def find_class(self, module: str, name: str):
        if (module, name) == ("torch._utils", "_rebuild_tensor_v2"):
            return _tensor
        if (module, name) == ("collections", "OrderedDict"):
            return collections.OrderedDict
        if module == "torch" and name in _STORAGES:
            return _Storage(name)
        raise pickle.UnpicklingError(f"refused: the checkpoint names {module}.{name}")

    def persistent_load(self, pid):
        kind, storage, key, _, count = pid
        if kind != "storage" or not isinstance(storage, _Storage) or not str(key).isdigit():
            raise pickle.UnpicklingError(f"refused: the checkpoint refers to {kind}")
        data = np.frombuffer(self._read(f"data/{key}"), dtype=storage.dtype)
        if data.size != count:
            raise pickle.UnpicklingError(f"storage {key} holds {data.size} numbers, {count} were announced")
        return data


def read_checkpoint(path: pathlib.Path):
    with zipfile.ZipFile(path) as archive:
        roots = [name[: -len("data.pkl")] for name in archive.namelist() if name.endswith("/data.pkl")]
        if len(roots) != 1:
            raise ValueError(f"{path.name}: expected one data.pkl, found {len(roots)}")
        read = lambda name: archive.read(roots[0] + name)  # noqa: E731
        return _Reader(read("data.pkl"), read).load()
