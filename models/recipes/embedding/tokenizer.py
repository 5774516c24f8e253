"""tokenizer.json of the `tokenizers` library -> the tables of native/text/tokens. A tokenizer that the engine would not follow
exactly is refused: the model would read other tokens than those that it was trained with."""

import base64
import struct
from dataclasses import dataclass

from unusable import Unusable


@dataclass
class Tokenizer:
    kind: str
    file: str
    table: bytes
    count: int


def read_tokenizer(stated: dict) -> Tokenizer:
    if not stated:
        raise Unusable("there is no tokenizer.json: the vocabulary alone does not say how texts are split")
    model = stated.get("model")
    if not isinstance(model, dict) or not model.get("vocab"):
        raise Unusable("tokenizer.json has no vocabulary")
    kind = model.get("type") or ("WordPiece" if isinstance(model["vocab"], dict) and "continuing_subword_prefix" in model else
                                 "Unigram" if isinstance(model["vocab"], list) else "BPE")
    opening, closing = frame(stated.get("post_processor"))
    if kind == "WordPiece":
        return word_pieces(stated, model, opening, closing)
    if kind == "Unigram":
        return unigram(stated, model, opening, closing)
    raise Unusable(f"its tokenizer is {kind}, which is not supported for embedding models: WordPiece and Unigram are")


def steps(part: object) -> list[dict]:
    """A part of the tokenizer as a list of its steps."""
    if not isinstance(part, dict):
        return []
    if part.get("type") == "Sequence":
        inner = part.get("normalizers") or part.get("pretokenizers") or part.get("processors") or []
        return [step for one in inner for step in steps(one)]
    return [part]


def frame(processor: object) -> tuple[tuple[str, int], tuple[str, int]]:
    """-> the names and ids of the tokens that open and close a text."""
    for step in steps(processor):
        if step.get("type") in ("BertProcessing", "RobertaProcessing"):
            return tuple(step["cls"]), tuple(step["sep"])
        if step.get("type") != "TemplateProcessing":
            continue
        single = step.get("single", [])
        if [sorted(one)[0] for one in single] != ["SpecialToken", "Sequence", "SpecialToken"]:
            break
        names = [single[at]["SpecialToken"]["id"] for at in (0, 2)]
        ids = [step["special_tokens"][name]["ids"] for name in names]
        if all(len(one) == 1 for one in ids):
            return (names[0], ids[0][0]), (names[1], ids[1][0])
    raise Unusable("tokenizer.json does not put one token before a text and one behind it, which is not supported")


def word_pieces(stated: dict, model: dict, opening: tuple[str, int], closing: tuple[str, int]) -> Tokenizer:
    normal = steps(stated.get("normalizer"))
    if [one.get("type") for one in normal] != ["BertNormalizer"] or [one.get("type") for one in steps(stated.get("pre_tokenizer"))] != ["BertPreTokenizer"]:
        raise Unusable("its WordPiece tokenizer prepares texts in another way than BERT's, which is not supported")
    bert = normal[0]
    if not bert.get("lowercase") or bert.get("strip_accents") is False or bert.get("handle_chinese_chars") is False:
        raise Unusable("its tokenizer keeps capitals or accents (a cased model), which is not supported: only uncased WordPiece models are")
    if model.get("continuing_subword_prefix", "##") != "##":
        raise Unusable("its WordPiece tokenizer marks the parts of words in another way than BERT's, which is not supported")
    vocabulary = model["vocab"]
    ids = sorted(vocabulary.values())
    if ids != list(range(len(ids))):
        raise Unusable("tokenizer.json is damaged: the ids of its tokens are not consecutive")
    lines = [piece for piece, _ in sorted(vocabulary.items(), key=lambda item: item[1])]
    if any("\n" in line or "\r" in line for line in lines):
        raise Unusable("tokenizer.json is damaged: a token has a line break")
    unknown = vocabulary.get(model.get("unk_token", "[UNK]"))
    if unknown is None or opening[1] >= len(lines) or closing[1] >= len(lines):
        raise Unusable("tokenizer.json lacks its special tokens")
    # The engine finds the special tokens by BERT's names. MPNet's are "<s>" and "</s>".
    for at, name in ((opening[1], "[CLS]"), (closing[1], "[SEP]"), (unknown, "[UNK]")):
        if lines[at] != name and name in vocabulary:
            lines[vocabulary[name]] = f"[unused {name[1:-1]}]"
        lines[at] = name
    return Tokenizer("word_pieces", "vocab.txt", "".join(f"{line}\n" for line in lines).encode(), len(lines))


def unigram(stated: dict, model: dict, opening: tuple[str, int], closing: tuple[str, int]) -> Tokenizer:
    charsmap = b""
    for step in steps(stated.get("normalizer")):
        if step.get("type") == "Precompiled":
            charsmap = base64.b64decode(step.get("precompiled_charsmap") or "")
        elif not is_spacing(step):
            raise Unusable(f"its Unigram tokenizer normalizes texts by {step.get('type')}, which is not supported: only SentencePiece's own table is")
    before = steps(stated.get("pre_tokenizer"))
    known = all(step.get("type") in ("WhitespaceSplit", "Metaspace") for step in before)
    meta = [step for step in before if step.get("type") == "Metaspace"]
    opens = [step for step in meta if step.get("add_prefix_space", True) and step.get("prepend_scheme", "always") != "never"]
    if not known or len(meta) != 1 or len(opens) != 1 or meta[0].get("replacement") != "\u2581":
        raise Unusable("its Unigram tokenizer splits texts in another way than XLM-RoBERTa's, which is not supported")
    if model.get("byte_fallback"):
        raise Unusable("its Unigram tokenizer writes unknown characters as bytes, which is not supported")
    pieces, unknown = model["vocab"], model.get("unk_id")
    if not isinstance(unknown, int) or not 0 <= unknown < len(pieces) or max(opening[1], closing[1]) >= len(pieces):
        raise Unusable("tokenizer.json lacks its special tokens")
    out = [b"TLUP", struct.pack("<IIIII", 1, opening[1], closing[1], unknown, len(pieces))]
    for piece, score in pieces:
        text = piece.encode()
        if len(text) > 255:
            raise Unusable("tokenizer.json is damaged: a token has more than 255 bytes")
        out.append(struct.pack("<fB", float(score), len(text)) + text)
    rules = single_rules(charsmap)
    out.append(struct.pack("<I", len(rules)))
    for character in sorted(rules):
        text = rules[character]
        out.append(struct.pack("<IB", ord(character), len(text)) + b"".join(struct.pack("<I", ord(one)) for one in text))
    return Tokenizer("unigram", "pieces.bin", b"".join(out), len(pieces))


def is_spacing(step: dict) -> bool:
    """The engine joins spaces itself, as these steps do."""
    if step.get("type") == "Strip":
        return True
    return step.get("type") == "Replace" and step.get("pattern") in ({"Regex": " {2,}"}, {"String": "  "}) and step.get("content") in (" ", "\u2581")


def single_rules(charsmap: bytes) -> dict[str, str]:
    """SentencePiece's table of normalization: a double-array trie of byte strings (darts-clone), then the texts that replace
    them. The engine has the rules of single characters; those of several join an accent to its letter."""
    if not charsmap:
        return {}
    try:
        (size,) = struct.unpack_from("<I", charsmap)
        units = struct.unpack_from(f"<{size // 4}I", charsmap, 4)
        texts = charsmap[4 + size:]
        rules: dict[str, str] = {}
        follow(units, offset(units[0]), b"", texts, rules)
        return rules
    except (struct.error, IndexError, UnicodeDecodeError) as error:
        raise Unusable("tokenizer.json is damaged: its table of normalization cannot be read") from error


def offset(unit: int) -> int:
    return (unit >> 10) << ((unit & 0x200) >> 6)


def follow(units: tuple[int, ...], at: int, key: bytes, texts: bytes, rules: dict[str, str]) -> None:
    for byte in range(1, 256):
        here = at ^ byte
        if here >= len(units) or units[here] & 0x800000FF != byte:
            continue
        longer = key + bytes([byte])
        below = here ^ offset(units[here])
        character = complete(longer)
        if character is None:
            if len(longer) < 4:
                follow(units, below, longer, texts, rules)
        elif units[here] >> 8 & 1:
            begin = units[below] & 0x7FFFFFFF
            rules[character] = texts[begin:texts.index(b"\0", begin)].decode()


def complete(key: bytes) -> str | None:
    try:
        return key.decode()
    except UnicodeDecodeError:
        return None
