"""Reads the weights file that CTranslate2 writes (`model.bin`), without CTranslate2."""

import struct

import numpy as np

from safetensors_reader import widened

_BFLOAT16 = 5
# bfloat16 is read as the upper halves of float32.
_DTYPES = {0: np.float32, 1: np.int8, 2: np.int16, 3: np.int32, 4: np.float16, _BFLOAT16: np.uint16}


class Weights:
    """Named float32 arrays. Aliases (tied matrices) are resolved; integer weights are scaled back."""

    def __init__(self, blob: bytes):
        self._blob = memoryview(blob)
        self._at = 0
        self._arrays: dict[str, np.ndarray] = {}
        self._read()

    def __contains__(self, name: str) -> bool:
        return name in self._arrays

    def __call__(self, name: str) -> np.ndarray:
        array = self._arrays[name]
        scale = self._arrays.get(name + "_scale")
        if array.dtype == np.uint16:
            return widened(array)
        if scale is None:
            return array.astype(np.float32)
        rows = scale.astype(np.float32).reshape(-1, *[1] * (array.ndim - 1)) if scale.ndim else np.float32(scale)
        return array.astype(np.float32) / rows

    def scalar(self, name: str) -> int:
        return int(self._arrays[name].reshape(-1)[0])

    def layers(self, side: str) -> int:
        """How many layers the encoder or the decoder has."""
        numbers = [k.split("/")[1][len("layer_"):] for k in self._arrays if k.startswith(side + "/layer_")]
        return 1 + max(int(n) for n in numbers if n.isdigit())

    def _take(self, count: int) -> memoryview:
        if self._at + count > len(self._blob):
            raise ValueError("the weights file ends early: a part is missing or cut short")
        piece = self._blob[self._at : self._at + count]
        self._at += count
        return piece

    def _number(self, form: str) -> int:
        return struct.unpack("<" + form, self._take(struct.calcsize(form)))[0]

    def _string(self) -> str:
        return bytes(self._take(self._number("H")))[:-1].decode()

    def _read(self) -> None:
        self._number("I")  # version of the binary format
        spec = self._string()
        if spec != "WhisperSpec":
            raise ValueError(f"expected the weights of a WhisperSpec, received {spec}")
        self._number("I")  # revision of the specification
        for _ in range(self._number("I")):
            name = self._string()
            shape = [self._number("I") for _ in range(self._number("B"))]
            kind = self._number("B")
            if kind not in _DTYPES:
                raise ValueError(f"the weight {name} is of the unknown type {kind}")
            dtype = _DTYPES[kind]
            self._arrays[name] = np.frombuffer(self._take(self._number("I")), dtype=dtype).reshape(shape)
        for _ in range(self._number("I")):
            alias, target = self._string(), self._string()
            self._arrays[alias] = self._arrays[target]
