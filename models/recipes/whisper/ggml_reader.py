"""Reads the file of whisper.cpp (`ggml-*.bin`), without whisper.cpp."""

import math
import mmap
import pathlib
import struct

import numpy as np

from unusable import Unusable

MAGIC = b"lmgg"
SIZES = (
    "vocabulary", "positions", "encoder_width", "encoder_heads", "encoder_layers",
    "text_room", "width", "heads", "layers", "bands", "form",
)
# Bytes of a block of 32 values, and of a single value.
_BLOCKS = {2: 18, 3: 20, 6: 22, 7: 24, 8: 34}
_PLAIN = {0: (np.float32, 4), 1: (np.float16, 2)}
_NAMES = {10: "q2_k", 11: "q3_k", 12: "q4_k", 13: "q5_k", 14: "q6_k", 30: "bf16"}
_MOST_TOKENS, _LONGEST_TOKEN = 100_000, 1024


class Ggml:
    """Named float32 arrays, the sizes that the file states, and its tokens as bytes."""

    def __init__(self, path: pathlib.Path):
        with path.open("rb") as file:
            self._blob = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        self._at = 0
        self._tensors: dict[str, tuple] = {}
        self._take(len(MAGIC))
        self.sizes = dict(zip(SIZES, struct.unpack("<11i", self._take(44)), strict=True))
        bands, bins = struct.unpack("<2i", self._take(8))
        if not (0 < bands <= 1024 and 0 < bins <= 4096):
            raise Unusable("the file is damaged: its mel filters have no sensible size")
        self._take(4 * bands * bins)
        self.tokens = self._read_tokens()
        while self._at < len(self._blob):
            self._read_tensor()

    def __contains__(self, name: str) -> bool:
        return name in self._tensors

    def names(self) -> list[str]:
        return list(self._tensors)

    def __call__(self, name: str) -> np.ndarray:
        kind, shape, piece = self._tensors[name]
        if kind in _PLAIN:
            return np.frombuffer(piece, _PLAIN[kind][0]).reshape(shape).astype(np.float32)
        return unpacked(kind, np.frombuffer(piece, np.uint8).reshape(-1, _BLOCKS[kind])).reshape(shape)

    def _take(self, count: int) -> memoryview:
        if count < 0 or self._at + count > len(self._blob):
            raise Unusable("the file ends early: it was not copied whole, or is damaged")
        piece = self._blob[self._at : self._at + count]
        self._at += count
        return piece

    def _read_tokens(self) -> list[bytes]:
        (count,) = struct.unpack("<i", self._take(4))
        if not 0 < count <= _MOST_TOKENS:
            raise Unusable(f"the file is damaged: it states {count} tokens")
        tokens = []
        for _ in range(count):
            (length,) = struct.unpack("<I", self._take(4))
            if length > _LONGEST_TOKEN:
                raise Unusable(f"the file is damaged: a token has {length} bytes")
            tokens.append(bytes(self._take(length)))
        return tokens

    def _read_tensor(self) -> None:
        dimensions, length, kind = struct.unpack("<3i", self._take(12))
        if not (0 < dimensions <= 4 and 0 < length <= 256):
            raise Unusable("the file is damaged: a weight has no sensible size")
        shape = struct.unpack(f"<{dimensions}i", self._take(4 * dimensions))[::-1]
        name = bytes(self._take(length)).decode("ascii", "replace")
        count = math.prod(shape)
        if min(shape) <= 0:
            raise Unusable(f"the file is damaged: the weight {name} has the shape {list(shape)}")
        if kind in _PLAIN:
            size = count * _PLAIN[kind][1]
        elif kind in _BLOCKS and count % 32 == 0:
            size = count // 32 * _BLOCKS[kind]
        else:
            known = _NAMES.get(kind, f"number {kind}")
            raise Unusable(
                f"the weights are of the type {known} ({name}); f32, f16, q4_0, q4_1, q5_0, q5_1 and q8_0 are read"
            )
        if name in self._tensors:
            raise Unusable(f"the file is damaged: it has the weight {name} twice")
        self._tensors[name] = (kind, shape, self._take(size))


def unpacked(kind: int, blocks: np.ndarray) -> np.ndarray:
    """Blocks of 32 values: a scale, a least value where the kind has one, fifth bits, then the values."""
    scale = blocks[:, :2].copy().view(np.float16).astype(np.float32)
    if kind == 8:  # q8_0
        return scale * blocks[:, 2:].view(np.int8).astype(np.float32)
    has_least, has_fifth = kind in (3, 7), kind in (6, 7)
    at = 4 if has_least else 2
    least = blocks[:, 2:4].copy().view(np.float16).astype(np.float32) if has_least else np.float32(0)
    nibbles = blocks[:, -16:]
    values = np.concatenate([nibbles & 0xF, nibbles >> 4], axis=1)
    if has_fifth:
        bits = np.unpackbits(blocks[:, at : at + 4], axis=1, bitorder="little")
        values = values | (bits << 4)
    middle = 0 if has_least else 16 if has_fifth else 8
    return (values.astype(np.float32) - np.float32(middle)) * scale + least
