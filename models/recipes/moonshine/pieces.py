"""The tokens of a Moonshine, from tokenizer.json of the `tokenizers` library or from tokenizer.bin, which native/text/tokens reads:
for each token in turn one or two bytes of length, then its bytes. A tokenizer that the engine would not follow is refused."""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "embedding"))

from unusable import Unusable  # noqa: E402

SPACE = "\u2581"
BYTE = re.compile(r"<0x([0-9A-F]{2})>")
BYTES, MOST_TOKENS, LONGEST = 256, 1 << 17, 128 * 128
# The engine writes nothing for a token whose text lies between these.
OPENS, CLOSES = "<<", ">>"
# The first tokens are the controls of SentencePiece, which have no text whatever they are called.
CONTROLS = 3


class Pieces:
    def __init__(self, pieces: list[bytes]):
        self.pieces = pieces
        if len(pieces) <= CONTROLS:
            raise Unusable("the tokenizer has no tokens")
        if len(pieces) > MOST_TOKENS:
            raise Unusable(f"the tokenizer has {len(pieces)} tokens, and at most {MOST_TOKENS} are supported")
        if not any(piece.startswith(SPACE.encode()) for piece in pieces):
            raise Unusable(f"no token opens a word with {SPACE}, as SentencePiece's do: the tokenizer is of another model")

    def number(self, piece: bytes) -> int | None:
        return self.pieces.index(piece) if piece in self.pieces else None

    def table(self) -> bytes:
        return b"".join(length(len(piece)) + piece for piece in self.pieces)


def length(size: int) -> bytes:
    if size < 128:
        return bytes([size])
    if size < LONGEST:
        return bytes([128 + size % 128, size // 128])
    raise Unusable("the tokenizer is damaged: a token is too long")


def pieces_of_table(table: bytes) -> Pieces:
    pieces, at = [], 0
    while at < len(table):
        size = table[at]
        at += 1
        if size >= 128:
            if at == len(table):
                raise Unusable("tokenizer.bin is damaged: it ends inside a token")
            size = size - 128 + 128 * table[at]
            at += 1
        if at + size > len(table):
            raise Unusable("tokenizer.bin is damaged: it ends inside a token")
        pieces.append(table[at:at + size])
        at += size
    return Pieces(pieces)


def pieces_of_tokenizer(stated: dict) -> Pieces:
    model = stated.get("model")
    if not isinstance(model, dict) or not isinstance(model.get("vocab"), dict):
        raise Unusable("tokenizer.json has no vocabulary")
    if model.get("type", "BPE") != "BPE":
        raise Unusable(f"its tokenizer is {model['type']}, and a Moonshine's is SentencePiece's BPE")
    try:
        numbers = numbers_of(model["vocab"], stated.get("added_tokens") or [])
        ids = sorted(numbers.values())
    except (KeyError, TypeError, AttributeError) as error:
        raise Unusable("tokenizer.json is damaged: its tokens cannot be read") from error
    if ids != list(range(len(ids))):
        raise Unusable("tokenizer.json is damaged: the numbers of its tokens are not consecutive")
    found = {match[1] for match in map(BYTE.fullmatch, numbers) if match}
    if len(found) != BYTES:
        raise Unusable(f"tokenizer.json has {len(found)} of the {BYTES} tokens of single bytes")
    return Pieces([bytes_of(piece) for piece, _ in sorted(numbers.items(), key=lambda item: item[1])])


def numbers_of(vocabulary: dict, added: list[dict]) -> dict[str, int]:
    numbers = dict(vocabulary)
    for token in added:
        text, number = token["content"], token["id"]
        # A special token has no text. The controls keep their names, by which they are found.
        hidden = token.get("special") and number >= CONTROLS and not (text.startswith(OPENS) and text.endswith(CLOSES))
        numbers.pop(text, None)
        numbers[f"{OPENS}{text}{CLOSES}" if hidden else text] = number
    return numbers


def bytes_of(piece: str) -> bytes:
    match = BYTE.fullmatch(piece)
    return bytes([int(match[1], 16)]) if match else piece.encode()
