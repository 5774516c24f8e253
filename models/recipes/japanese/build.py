"""Open JTalk's dictionary (naist-jdic, compiled by MeCab) and misaki's list of words -> the table from which
native/text/dictionaries reads Japanese.

    python3 build.py IN OUT

reads IN/japanese/sys.dic, unk.dic, matrix.bin, char.bin and words.txt, and writes OUT/japanese/japanese.bin, little-endian:

    "TLJA", u32 version
    matrix     u16 left, u16 right contexts, i16 cost of each: the left word's right context is the column
    words      a table (models/recipes/mandarin/build.py), u32 begins of count + 1 entries
    entries    u32 count, u16 left, u16 right context, i16 cost of each, u32 begins of count + 1 readings, and the readings: one
               byte a katakana, 1 for U+30A1
    together   a table of words that are said as one, though the dictionary divides them
    unknown    u32 count of kinds; of each: u8 flags (1: always tried, 2: takes a run of its kind), u8 characters that it takes
               beside, u32 count, u16 left, u16 right, i16 cost of each
    ranges     u32 count, of each: u32 first code point, u32 kinds as bits, u32 kind by default

Of entries that differ in cost alone, the cheapest stays. Words in Latin letters and digits are left out: they are read elsewhere.
"""

import pathlib
import struct
import sys

import numpy as np

VERSION = 1
HEADER = 72
READING = 8  # the feature that holds the pronunciation
KANA = {chr(code): code - 0x30A0 for code in range(0x30A1, 0x30FD)}


class Dictionary:
    """A dictionary that MeCab compiled: a double array of words, tokens and features."""

    def __init__(self, blob: bytes):
        sizes = struct.unpack("<10I", blob[:40])
        trie, tokens, features = sizes[6:9]
        self._trie = np.frombuffer(blob, "<i4", trie // 4, HEADER).reshape(-1, 2)
        self.tokens = np.frombuffer(blob, np.dtype("<u2,<u2,<u2,<i2,<u4,<u4"), tokens // 16, HEADER + trie)
        self._features = blob[HEADER + trie + tokens : HEADER + trie + tokens + features]

    def feature(self, offset: int) -> list[str]:
        return self._features[offset : self._features.index(b"\0", offset)].decode().split(",")

    def words(self):
        """(word, first token, count) of every word."""
        base = self._trie[:, 0].tolist()
        check = self._trie[:, 1].astype(np.int64) & 0xFFFFFFFF
        # A node says its parent's base.
        order = np.argsort(check, kind="stable")
        sorted_check = check[order]
        stack = [(b"", base[0])]
        while stack:
            prefix, at = stack.pop()
            begin, end = np.searchsorted(sorted_check, [at, at + 1])
            for child in order[begin:end].tolist():
                byte = child - at
                if byte == 0:
                    value = -base[child] - 1
                    if value >= 0:
                        yield prefix, value >> 8, value & 0xFF
                elif 1 <= byte <= 256:
                    stack.append((prefix + bytes([byte - 1]), base[child]))


def table(words: list[bytes]) -> bytes:
    begins = [0]
    for word in words:
        begins.append(begins[-1] + len(word))
    return struct.pack(f"<I{len(begins)}I", len(words), *begins) + b"".join(words)


def spelled(reading: str) -> bytes:
    return bytes(KANA[c] for c in reading if c in KANA)


def is_read_elsewhere(word: str) -> bool:
    return all(ord(c) < 0x250 or 0xFF01 <= ord(c) <= 0xFF5E for c in word)


def entries_of(dictionary: Dictionary) -> dict[bytes, dict[tuple, int]]:
    """word -> {(left, right): (cost, reading)}."""
    found: dict[bytes, dict] = {}
    readings: dict[int, bytes] = {}
    for word, first, count in dictionary.words():
        if is_read_elsewhere(word.decode()):
            continue
        here: dict[tuple, tuple] = {}
        for left, right, _, cost, feature, _ in dictionary.tokens[first : first + count].tolist():
            if feature not in readings:
                parts = dictionary.feature(feature)
                readings[feature] = spelled(parts[READING]) if len(parts) > READING else b""
            if (left, right) not in here or cost < here[left, right][0]:
                here[left, right] = (cost, readings[feature])
        found[word] = here
    return found


def pack_words(found: dict) -> bytes:
    words = sorted(found)
    begins, lefts, rights, costs, ends, readings = [0], [], [], [], [0], []
    for word in words:
        for (left, right), (cost, reading) in sorted(found[word].items()):
            lefts.append(left)
            rights.append(right)
            costs.append(cost)
            readings.append(reading)
            ends.append(ends[-1] + len(reading))
        begins.append(len(lefts))

    def pack(kind, numbers):
        return np.array(numbers, kind).tobytes()

    return b"".join(
        [
            table(words),
            pack("<u4", begins),
            struct.pack("<I", len(lefts)),
            pack("<u2", lefts),
            pack("<u2", rights),
            pack("<i2", costs),
            pack("<u4", ends),
            b"".join(readings),
        ]
    )


def pack_unknown(unknown: Dictionary, characters: bytes) -> bytes:
    count = struct.unpack("<I", characters[:4])[0]
    names = [characters[4 + 32 * i : 36 + 32 * i].split(b"\0")[0] for i in range(count)]
    infos = np.frombuffer(characters, "<u4", offset=4 + 32 * count)
    of_kind = {word: (first, size) for word, first, size in unknown.words()}
    out = struct.pack("<I", count)
    for kind, name in enumerate(names):
        mine = infos[((infos >> 18) & 0xFF) == kind]
        info = int(mine[0]) if len(mine) else 0
        length, group, invoke = info >> 26 & 15, info >> 30 & 1, info >> 31 & 1
        first, size = of_kind.get(name, (0, 0))
        tokens = unknown.tokens[first : first + size].tolist()
        out += struct.pack("<BBI", invoke | group << 1, length, size)
        out += b"".join(struct.pack("<HHh", left, right, cost) for left, right, _, cost, _, _ in tokens)
    starts = [0] + (np.flatnonzero(infos[1:] != infos[:-1]) + 1).tolist()
    out += struct.pack("<I", len(starts))
    for start in starts:
        info = int(infos[start])
        out += struct.pack("<III", start, info & 0x3FFFF, info >> 18 & 0xFF)
    return out


def build(food: pathlib.Path) -> bytes:
    matrix = (food / "matrix.bin").read_bytes()
    together = {line.strip().encode() for line in (food / "words.txt").read_text("utf-8").splitlines() if line.strip()}
    return b"".join(
        [
            b"TLJA" + struct.pack("<I", VERSION),
            matrix,
            pack_words(entries_of(Dictionary((food / "sys.dic").read_bytes()))),
            table(sorted(together)),
            pack_unknown(Dictionary((food / "unk.dic").read_bytes()), (food / "char.bin").read_bytes()),
        ]
    )


def main(food: pathlib.Path, out: pathlib.Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    (out / "japanese.bin").write_bytes(build(food))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]) / "japanese", pathlib.Path(sys.argv[2]) / "japanese")
