"""The tokens of Whisper where no tokenizer.json has them: from a list of tokens in the order of their numbers.

Whisper's byte-level pairs are merged in the order of their numbers, so the list has the merges too.
"""

from unusable import Unusable

LANGUAGES = (
    "en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta no th ur hr bg lt la mi ml "
    "cy sk te fa lv bn sr az sl kn et mk br eu is hy ne mn bs kk sq sw gl mr pa si km sn yo so af oc ka be tg sd gu am "
    "yi lo uz fo ht ps tk nn mt sa lb my bo tl mg as tt haw ln ha ba jw su yue"
).split()
# Tokens of text of the weights that know English alone, and of the others.
ENGLISH_TEXT, TEXT = 50256, 50257
TIMES = 1501
_AFTER_LANGUAGES = ["translate", "transcribe", "startoflm", "startofprev", "nospeech", "notimestamps"]
_SYMBOLS = [
    *'"#()*+/:;<=>@[\\]^_`{|}~「」『』',
    *"<< >> <<< >>> -- --- -( -[ (' (\" (( )) ((( ))) [[ ]] {{ }} ♪♪ ♪♪♪".split(),
]
_NOTES = set("♩♪♫♬♭♮♯")
_TASKS = ["startoftranscript", *_AFTER_LANGUAGES[:5]]


def special_names(vocabulary: int, text: int) -> dict[int, bytes]:
    """The names of the tokens after those of text, as the number of tokens implies them."""
    english = vocabulary < 51865
    if text != (ENGLISH_TEXT if english else TEXT):
        raise Unusable(f"a vocabulary of {vocabulary} tokens with {text} of text is not one of Whisper's")
    count = vocabulary - text - 2 - len(_AFTER_LANGUAGES) - TIMES
    if not 99 <= count <= len(LANGUAGES):
        raise Unusable(f"a vocabulary of {vocabulary} tokens is not one of Whisper's: 51864, 51865 and 51866 are")
    names = ["endoftext", "startoftranscript", *LANGUAGES[:count], *_AFTER_LANGUAGES]
    return {text + at: f"<|{name}|>".encode() for at, name in enumerate(names)}


def merges_of(tokens: list[bytes]) -> list[tuple[int, int, int]]:
    """The merges, best first: each token of several bytes is made of the last two parts that come before it."""
    rank = {token: number for number, token in reversed(list(enumerate(tokens))) if token}
    merges = []
    for number, token in enumerate(tokens):
        if len(token) < 2 or rank.get(token) != number:
            continue
        parts = merged(token, rank, number)
        if len(parts) == 2:
            merges.append((rank[parts[0]], rank[parts[1]], number))
    return merges


def merged(word: bytes, rank: dict[bytes, int], limit: int) -> list[bytes]:
    """The parts of a word after all merges whose results come before `limit`."""
    parts = [word[at : at + 1] for at in range(len(word))]
    while len(parts) > 1:
        results = [rank.get(a + b, limit) for a, b in zip(parts, parts[1:])]
        best = min(results)
        if best >= limit:
            break
        at = results.index(best)
        parts[at : at + 2] = [parts[at] + parts[at + 1]]
    return parts


def suppressed(tokens: list[bytes], special: dict[int, bytes]) -> tuple[list[int], list[int]]:
    """What OpenAI's decoder never writes (brackets, notes of music, tasks), and never begins with."""
    rank = {token: number for number, token in reversed(list(enumerate(tokens))) if token}

    def encoded(text: str) -> list[int]:
        return [rank[part] for part in merged(text.encode(), rank, len(tokens))]

    never = {encoded(" -")[0], encoded(" '")[0]}
    for symbol in [*_SYMBOLS, *sorted(_NOTES)]:
        for numbers in (encoded(symbol), encoded(" " + symbol)):
            if len(numbers) == 1 or symbol in _NOTES:
                never.add(numbers[0])
    numbers = {name: number for number, name in special.items()}
    never |= {numbers[key] for key in (f"<|{task}|>".encode() for task in _TASKS) if key in numbers}
    return sorted(never), [encoded(" ")[0], numbers[b"<|endoftext|>"]]
