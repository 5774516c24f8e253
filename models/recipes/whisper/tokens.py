"""tokenizer.json -> tokens.bin, the flat form that the native tokenizer maps.

Little-endian: "TLTK", u32 version 1, u32 tokens, then for each token u8 kind (0 bytes of text, 1 special name),
u16 length, bytes; u32 merges, then for each merge (best first) u32 left, u32 right, u32 result.
"""

import json
import struct


def byte_alphabet() -> dict[str, int]:
    """The printable stand-ins that byte-level BPE writes for bytes, back to the bytes."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    alphabet = {chr(b): b for b in plain}
    stand_in = 256
    for b in range(256):
        if b not in plain:
            alphabet[chr(stand_in)] = b
            stand_in += 1
    return alphabet


def pack_tokens(tokenizer_json: bytes) -> bytes:
    return packed(*read_tokenizer(json.loads(tokenizer_json)))


def read_tokenizer(document: dict) -> tuple[dict[int, bytes], dict[int, bytes], list[tuple[int, int, int]]]:
    """The tokens of text, the special ones, and the merges, by their numbers."""
    special = {entry["id"]: entry["content"].encode() for entry in document["added_tokens"]}
    special |= _timestamps(special)
    # The token has had two names; the later one holds.
    special = {number: name.replace(b"nocaptions", b"nospeech") for number, name in special.items()}
    vocabulary = document["model"]["vocab"]
    text = {number: token_bytes(token) for token, number in vocabulary.items() if number not in special}
    merges = [(vocabulary[a], vocabulary[b], vocabulary[a + b]) for a, b in _merges(document["model"])]
    return text, special, merges


_ALPHABET = byte_alphabet()


def token_bytes(token: str) -> bytes:
    return bytes(_ALPHABET[c] for c in token)


def packed(text: dict[int, bytes], special: dict[int, bytes], merges: list[tuple[int, int, int]]) -> bytes:
    count = 1 + max(max(special), max(text))
    out = [b"TLTK", struct.pack("<II", 1, count)]
    for number in range(count):
        kind, body = (1, special[number]) if number in special else (0, text.get(number, b""))
        out.append(struct.pack("<BH", kind, len(body)) + body)
    out.append(struct.pack("<I", len(merges)))
    out += [struct.pack("<III", *merge) for merge in merges]
    return b"".join(out)


def _timestamps(special: dict[int, bytes]) -> dict[int, bytes]:
    """The names of the 1,501 time tokens; some copies of the tokenizer leave them out."""
    first = 1 + next(number for number, name in special.items() if name == b"<|notimestamps|>")
    return {first + step: f"<|{step * 0.02:.2f}|>".encode() for step in range(1501)}


def _merges(model: dict) -> list[tuple[str, str]]:
    """Best first. Some copies of the tokenizer have lost the very first merge to a header line that is not there."""
    merges = [_pair(merge) for merge in model["merges"]]
    first = ("\u0120", "t")
    return merges if first in merges else [first, *merges]


def _pair(merge) -> tuple[str, str]:
    left, right = merge.split(" ") if isinstance(merge, str) else merge
    return left, right
