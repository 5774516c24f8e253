"""Reads a graph in ONNX Runtime's own file format (.ort), the only one that Moonshine's weights are published in.

The file is a flatbuffer whose schema is onnxruntime/core/flatbuffers/schema/ort.fbs; each number below is the place of a field
in its table. What a recipe needs is read: nodes with their attributes, and constants. Version 6 of the format is known.
"""

import dataclasses
import struct

import numpy as np

VERSION = "6"
TYPES = {1: "<f4", 2: "u1", 3: "i1", 6: "<i4", 7: "<i8", 9: "?"}


@dataclasses.dataclass
class OrtNode:
    name: str
    op_type: str
    input: list
    output: list
    graphs: dict


@dataclasses.dataclass
class OrtGraph:
    nodes: list
    constants: dict


class Table:
    def __init__(self, blob: bytes, at: int):
        self.blob, self.at = blob, at
        self.fields = at - struct.unpack_from("<i", blob, at)[0]
        (self.size,) = struct.unpack_from("<H", blob, self.fields)

    def _place(self, field: int) -> int:
        """Where the field lies; 0 where the table lacks it."""
        entry = 4 + 2 * field
        offset = struct.unpack_from("<H", self.blob, self.fields + entry)[0] if entry < self.size else 0
        return self.at + offset if offset else 0

    def _follow(self, at: int) -> int:
        return at + struct.unpack_from("<I", self.blob, at)[0]

    def _vector(self, field: int) -> tuple[int, int]:
        place = self._place(field)
        if not place:
            return 0, 0
        at = self._follow(place)
        return at + 4, struct.unpack_from("<I", self.blob, at)[0]

    def _text(self, at: int) -> str:
        (length,) = struct.unpack_from("<I", self.blob, at)
        return self.blob[at + 4 : at + 4 + length].decode()

    def number(self, field: int, form: str) -> int:
        place = self._place(field)
        return struct.unpack_from("<" + form, self.blob, place)[0] if place else 0

    def table(self, field: int) -> "Table":
        return Table(self.blob, self._follow(self._place(field)))

    def text(self, field: int) -> str:
        place = self._place(field)
        return self._text(self._follow(place)) if place else ""

    def tables(self, field: int) -> list["Table"]:
        at, count = self._vector(field)
        return [Table(self.blob, self._follow(at + 4 * i)) for i in range(count)]

    def texts(self, field: int) -> list[str]:
        at, count = self._vector(field)
        return [self._text(self._follow(at + 4 * i)) for i in range(count)]

    def numbers(self, field: int, form: str) -> np.ndarray:
        at, count = self._vector(field)
        return np.frombuffer(self.blob, form, count, at)


def _constant(table: Table) -> tuple[str, np.ndarray]:
    kind = table.number(3, "i")
    if kind not in TYPES:
        raise ValueError(f"{table.text(0)}: constants of type {kind} are not known")
    return table.text(0), table.numbers(4, "u1").view(TYPES[kind]).reshape(table.numbers(2, "<i8"))


def _graph(table: Table) -> OrtGraph:
    nodes = []
    for node in table.tables(2):
        graphs = {a.text(0): _graph(a.table(7)) for a in node.tables(10) if a.number(2, "i") == 5}
        nodes.append(OrtNode(node.text(0), node.text(5), node.texts(8), node.texts(9), graphs))
    return OrtGraph(nodes, dict(_constant(one) for one in table.tables(0)))


def read_ort(blob: bytes) -> OrtGraph:
    if blob[4:8] != b"ORTM":
        raise ValueError("this is no file of ONNX Runtime's format")
    session = Table(blob, struct.unpack_from("<I", blob, 0)[0])
    if session.text(0) != VERSION:
        raise ValueError(f"expected version {VERSION} of ONNX Runtime's format, received {session.text(0)}")
    return _graph(session.table(1).table(7))
