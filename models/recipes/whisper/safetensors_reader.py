"""Reads the tensors of safetensors files, without safetensors."""

import json
import math
import mmap
import pathlib

import numpy as np

from unusable import Unusable

_SIZES = {"F32": 4, "F16": 2, "BF16": 2}


def widened(halves: np.ndarray) -> np.ndarray:
    """bfloat16, given as 16-bit integers, as float32."""
    return (halves.astype(np.uint32) << 16).view(np.float32)


class Safetensors:
    """Named float32 arrays of one file, or of the parts of one model."""

    def __init__(self, paths: list[pathlib.Path]):
        self._tensors: dict[str, tuple] = {}
        for path in paths:
            self._read(path)

    def __contains__(self, name: str) -> bool:
        return name in self._tensors

    def names(self) -> list[str]:
        return list(self._tensors)

    def __call__(self, name: str) -> np.ndarray:
        kind, shape, piece = self._tensors[name]
        if kind == "BF16":
            return widened(np.frombuffer(piece, np.uint16)).reshape(shape)
        return np.frombuffer(piece, np.float32 if kind == "F32" else np.float16).reshape(shape).astype(np.float32)

    def _read(self, path: pathlib.Path) -> None:
        with path.open("rb") as file:
            blob = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        size = int.from_bytes(blob[:8], "little")
        if size > len(blob) - 8:
            raise Unusable(f"{path.name} ends inside its header: it was not copied whole")
        try:
            header = json.loads(bytes(blob[8 : 8 + size]))
        except ValueError as error:
            raise Unusable(f"{path.name} is damaged: its header is not JSON") from error
        data = blob[8 + size :]
        for name, tensor in header.items():
            if name == "__metadata__":
                continue
            kind, shape = tensor["dtype"], tensor["shape"]
            begin, end = tensor["data_offsets"]
            if kind not in _SIZES:
                raise Unusable(f"{path.name} has weights of the type {kind} ({name}); F32, F16 and BF16 are read")
            if not 0 <= begin <= end <= len(data):
                raise Unusable(f"{path.name} ends inside the weight {name}: it was not copied whole")
            if end - begin != _SIZES[kind] * math.prod(shape):
                raise Unusable(f"{path.name} is damaged: the weight {name} has {end - begin} bytes for the shape {shape}")
            if name in self._tensors:
                raise Unusable(f"{path.name} has the weight {name} a second time: parts of two models lie together")
            self._tensors[name] = (kind, shape, data[begin:end])
