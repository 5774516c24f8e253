"""jieba's dictionary and pypinyin's readings -> the table from which native/text/mandarin reads Chinese.

    python3 build.py IN OUT

reads IN/mandarin/words.txt (a word, its frequency and its part of speech a line), IN/mandarin/hmm.txt (the model that divides
what is no known word), IN/mandarin/characters.json (code point: readings, the usual one first) and IN/mandarin/phrases.json
(phrase: the readings of each character), and writes OUT/mandarin/mandarin.bin, little-endian:

    "TLZH", u32 version
    syllables   u32 count, of each: u8 length, its pinyin with v for ü and the tone 1 to 5 behind ("lve4")
    characters  u32 count, u32 code points in order, u16 syllable of each
    words       a table (below), u32 frequency of each, u64 sum of all frequencies
    phrases     a table, u32 begins of count + 1 readings, u32 length, u16 syllables of all phrases
    model       f64 start of B, E, M, S; f64 from each to each; u32 count, u32 characters in order, 4 f64 of each

A table is u32 count, u32 begins of count + 1 words, and the words in the order of their bytes, in UTF-8. Words and phrases
with other characters than the basic Chinese ones are left out: a text is divided between its runs of these.
"""

import json
import pathlib
import struct
import sys
import unicodedata

TONES = {"\u0304": 1, "\u0301": 2, "\u030c": 3, "\u0300": 4}
NEUTRAL = 5
UMLAUT = "\u0308"
VERSION = 1


def is_chinese(text: str) -> bool:
    return all("\u4e00" <= c <= "\u9fff" for c in text)


def spelled(reading: str) -> str:
    """'lüè' -> 'lve4'."""
    tone, letters = NEUTRAL, []
    for c in unicodedata.normalize("NFD", reading):
        if c in TONES:
            tone = TONES[c]
        elif c == UMLAUT:
            letters[-1] = "v"
        else:
            letters.append(c)
    return unicodedata.normalize("NFC", "".join(letters)).replace("ɡ", "g") + str(tone)


class Syllables:
    def __init__(self):
        self.names: list[str] = []
        self._ids: dict[str, int] = {}

    def id_of(self, reading: str) -> int:
        name = spelled(reading)
        if name not in self._ids:
            self._ids[name] = len(self.names)
            self.names.append(name)
        return self._ids[name]


def table(words: list[str]) -> bytes:
    """The words must be in the order of their UTF-8, which is that of their code points."""
    begins, text = [0], b""
    parts = [word.encode() for word in words]
    for part in parts:
        begins.append(begins[-1] + len(part))
    text = b"".join(parts)
    return struct.pack(f"<I{len(begins)}I", len(words), *begins) + text


def read_words(lines: str) -> tuple[dict[str, int], int]:
    frequencies, total = {}, 0
    for line in lines.splitlines():
        word, frequency, *_ = line.split(" ")
        total += int(frequency)
        if is_chinese(word) and int(frequency) > 0:
            frequencies[word] = int(frequency)
    return frequencies, total


def read_model(lines: str) -> bytes:
    rows = [line for line in lines.splitlines() if line and not line.startswith("#")]
    start = [float(number) for number in rows[0].split()]
    steps = [[float(number) for number in row.split()] for row in rows[1:5]]
    emissions = []
    for row in rows[5:9]:
        pairs = (item.rpartition(":") for item in row.split(","))
        emissions.append({name: float(number) for name, _, number in pairs if len(name) == 1 and is_chinese(name)})
    least = min(start)
    characters = sorted(set().union(*emissions))
    out = struct.pack("<4d16d", *start, *(number for row in steps for number in row))
    out += struct.pack(f"<I{len(characters)}I", len(characters), *(ord(c) for c in characters))
    return out + b"".join(struct.pack("<4d", *(state.get(c, least) for state in emissions)) for c in characters)


def build(food: pathlib.Path) -> bytes:
    syllables = Syllables()
    usual = json.loads((food / "characters.json").read_text("utf-8"))
    characters = sorted((int(code), readings.split(",")[0]) for code, readings in usual.items())
    of_character = [syllables.id_of(reading) for _, reading in characters]
    known = json.loads((food / "phrases.json").read_text("utf-8"))
    phrases = sorted(phrase for phrase, readings in known.items() if is_chinese(phrase) and len(readings) == len(phrase))
    of_phrases = [[syllables.id_of(readings[0]) for readings in known[phrase]] for phrase in phrases]
    frequencies, total = read_words((food / "words.txt").read_text("utf-8"))
    words = sorted(frequencies)
    begins = [0]
    for ids in of_phrases:
        begins.append(begins[-1] + len(ids))
    names = [name.encode() for name in syllables.names]
    flat = [id for ids in of_phrases for id in ids]
    return b"".join(
        [
            b"TLZH" + struct.pack("<II", VERSION, len(names)),
            *(struct.pack("B", len(name)) + name for name in names),
            struct.pack(f"<I{len(characters)}I", len(characters), *(code for code, _ in characters)),
            struct.pack(f"<{len(characters)}H", *of_character),
            table(words),
            struct.pack(f"<{len(words)}I", *(frequencies[word] for word in words)),
            struct.pack("<Q", total),
            table(phrases),
            struct.pack(f"<{len(begins)}I", *begins),
            struct.pack(f"<I{len(flat)}H", len(flat), *flat),
            read_model((food / "hmm.txt").read_text("utf-8")),
        ]
    )


def main(food: pathlib.Path, out: pathlib.Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    (out / "mandarin.bin").write_bytes(build(food))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]) / "mandarin", pathlib.Path(sys.argv[2]) / "mandarin")
