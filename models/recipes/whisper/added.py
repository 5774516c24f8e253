"""A Whisper that the operator brings -> the graphs and tables that native/asr loads. Its sizes are read from its files.

    python3 added.py IN OUT [gpu]

reads the files that lie in IN: the weights as transformers (safetensors, whole or in parts), CTranslate2 (model.bin) or
whisper.cpp (ggml-*.bin) store them, with the settings and tokens beside them. It writes OUT/{encoder.onnx, decoder.onnx,
tokens.bin, whisper.conf, facts.json}, and with `gpu` OUT/{gpu-encoder.onnx, gpu-decoder.onnx}, the forms for a GPU. What a file is, its content tells and not its name.

Files that are no Whisper, are damaged or do not belong together end with one line on standard error and status 2.
"""

import json
import mmap
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import numpy as np  # noqa: E402
from build import settings  # noqa: E402
from ct2_reader import Weights  # noqa: E402
from decoder import build_decoder  # noqa: E402
from device_decoder import build_device_decoder  # noqa: E402
from device_encoder import build_device_encoder  # noqa: E402
from encoder import build_encoder  # noqa: E402
from ggml_reader import MAGIC, Ggml  # noqa: E402
from renamed import OPENAI, TRANSFORMERS, Renamed  # noqa: E402
from safetensors_reader import Safetensors  # noqa: E402
from tokens import packed, read_tokenizer, token_bytes  # noqa: E402
from unusable import Unusable  # noqa: E402
from vocabulary import ENGLISH_TEXT, TEXT, TIMES, merges_of, special_names, suppressed  # noqa: E402

# The engine's windows: rows of 20 ms, and tokens of a text with its prompt.
WINDOW_ROWS, LEAST_TEXT = 1500, 232
HEAD_WIDTH = 64
BANDS = (80, 128)
# OpenAI's heads that follow the sound, which whisper.cpp's files do not have: by (layers, width, knows English alone).
ALIGNMENT = {
    (4, 384, True): "1.0 2.0 2.5 3.0 3.1 3.2 3.3 3.4",
    (4, 384, False): "2.2 3.0 3.2 3.3 3.4 3.5",
    (6, 512, True): "3.3 4.7 5.1 5.5 5.7",
    (6, 512, False): "3.1 4.2 4.3 4.7 5.1 5.2 5.4 5.6",
    (12, 768, True): "6.6 7.0 7.3 7.8 8.2 8.5 8.7 9.0 9.4 9.8 9.10 10.0 10.1 10.2 10.3 10.6 10.11 11.2 11.4",
    (12, 768, False): "5.3 5.9 8.0 8.4 8.7 8.8 9.0 9.7 9.9 10.5",
    (24, 1024, True): "11.4 14.1 14.12 14.14 15.4 16.0 16.4 16.9 17.12 17.14 18.7 18.10 18.15 20.0 20.3 20.9 20.14 21.12",
    (24, 1024, False): "13.15 15.4 15.15 16.1 20.0 23.4",
    (4, 1280, False): "2.4 2.11 3.3 3.6 3.11 3.14",
}
# The large ones have the same sizes; the bands tell the third version from the second.
LARGE = {
    80: "10.12 13.17 16.11 16.12 16.13 17.15 17.16 18.4 18.11 18.19 19.11 21.2 21.3 22.3 22.9 22.12 23.5 23.7 23.13 25.5 "
    "26.1 26.12 27.15",
    128: "7.0 10.17 12.18 13.12 16.1 17.14 19.11 21.4 24.1 25.6",
}


class Documents:
    """The JSON and text files beside the weights, told by what they hold."""

    def __init__(self, paths: list[pathlib.Path]):
        self.config: dict = {}
        self.generation: dict = {}
        self.tokenizer: dict | None = None
        self.vocabulary: list[str] | None = None
        self._numbers: dict[str, int] = {}
        self._merges: list[list[str]] | None = None
        for path in paths:
            text = path.read_text("utf-8", errors="strict") if path.suffix in (".json", ".txt") else ""
            if text.lstrip()[:1] in ("{", "["):
                self._take(path.name, text)
            elif text:
                self._take_lines(text)
        if self.tokenizer is None and self._numbers and self._merges:
            specials = [{"id": n, "content": t} for t, n in self._numbers.items() if t.startswith("<|") and t.endswith("|>")]
            self.tokenizer = {"added_tokens": specials, "model": {"vocab": self._numbers, "merges": self._merges}}

    def _take(self, name: str, text: str) -> None:
        try:
            value = json.loads(text)
        except ValueError as error:
            raise Unusable(f"{name} is not valid JSON: it was not copied whole") from error
        if isinstance(value, list) and len(value) > 50_000:
            self.vocabulary = value
        elif isinstance(value, dict) and isinstance(value.get("model"), dict) and "vocab" in value["model"]:
            self.tokenizer = value
        elif isinstance(value, dict) and ("model_type" in value or "suppress_ids" in value):
            self.config = value
        elif isinstance(value, dict) and ("begin_suppress_tokens" in value or "alignment_heads" in value):
            self.generation = value
        elif isinstance(value, dict) and value and all(isinstance(number, int) for number in value.values()):
            self._numbers |= value

    def _take_lines(self, text: str) -> None:
        lines = text.split("\n")
        if lines[0].startswith("#version") or (len(lines) > 40_000 and all(" " in line for line in lines[:100])):
            self._merges = [line.split(" ") for line in lines if line and not line.startswith("#version")]
        elif len(lines) > 50_000:
            self.vocabulary = [line for line in lines if line != ""]


def open_weights(paths: list[pathlib.Path], documents: Documents):
    """-> the weights, the name of their format, and the tokens that they bring, if any."""
    ggml = [path for path in paths if begins(path, MAGIC)]
    if ggml:
        file = Ggml(ggml[0])
        check_stated(file.sizes)
        heads = {"encoder": file.sizes["encoder_heads"], "decoder": file.sizes["heads"]}
        weights = Renamed(file, OPENAI, heads)
        check_counts(weights, file.sizes["encoder_layers"], file.sizes["layers"], "its head")
        return weights, "whisper.cpp", file
    safe = [path for path in paths if is_safetensors(path)]
    if safe:
        config = documents.config
        if config.get("model_type") != "whisper":
            kind = config.get("model_type")
            raise Unusable(
                f"the weights are of the kind {kind}, and not of a Whisper" if kind else
                "beside the weights there is no config.json of a Whisper"
            )
        tensors = Safetensors(sorted(safe))
        heads = {side: int(config[f"{side}_attention_heads"]) for side in ("encoder", "decoder")}
        prefix = "model." if any(name.startswith("model.encoder.") for name in tensors.names()) else ""
        weights = Renamed(tensors, TRANSFORMERS, heads, prefix)
        check_counts(weights, config.get("encoder_layers"), config.get("decoder_layers"), "config.json")
        return weights, "transformers", None
    rest = [path for path in paths if path.suffix not in (".json", ".txt", ".md")]
    if len(rest) != 1:
        raise Unusable(f"there are {len(rest)} files of weights: give the folder of one model")
    return Weights(mapped(rest[0])), "CTranslate2", None


def mapped(path: pathlib.Path):
    with path.open("rb") as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def begins(path: pathlib.Path, magic: bytes) -> bool:
    with path.open("rb") as file:
        return file.read(len(magic)) == magic


def is_safetensors(path: pathlib.Path) -> bool:
    with path.open("rb") as file:
        head = file.read(9)
    return len(head) == 9 and head[8:] == b"{" and int.from_bytes(head[:8], "little") < 1 << 27


def check_stated(sizes: dict[str, int]) -> None:
    if sizes["positions"] != WINDOW_ROWS or sizes["encoder_width"] != sizes["width"]:
        raise Unusable("the file's head does not state the sizes of a Whisper: it is damaged, or another kind of model")


def check_counts(weights, encoder: int | None, decoder: int | None, where: str) -> None:
    for side, stated in (("encoder", encoder), ("decoder", decoder)):
        found = weights.layers(side)
        if stated is not None and stated != found:
            raise Unusable(f"{where} states {stated} layers of the {side}, and the weights have {found}: they do not belong together")


def check_sizes(weights) -> None:
    """Every weight has the shape that the first ones imply, and holds numbers."""
    vocabulary, width = weights("decoder/embeddings/weight").shape
    first = weights("encoder/conv1/weight").shape
    if len(first) != 3 or first[0] != width or first[2] != 3 or first[1] not in BANDS:
        raise Unusable(f"the first convolution has the shape {list(first)}; a Whisper's is [{width}, 80 or 128, 3]")
    if width % 32:
        raise Unusable(f"the model is {width} wide, which is no multiple of 32")
    for side in ("encoder", "decoder"):
        heads = weights.scalar(f"{side}/num_heads")
        if heads * HEAD_WIDTH != width:
            raise Unusable(f"the {side} is said to have {heads} heads; a Whisper of this width ({width}) has {width // HEAD_WIDTH}")
    check_shape(weights, "encoder/position_encodings/encodings", (WINDOW_ROWS, width))
    rows = weights("decoder/position_encodings/encodings").shape[0]
    if rows < LEAST_TEXT:
        raise Unusable(f"the decoder has room for {rows} tokens; {LEAST_TEXT} are needed")
    check_shape(weights, "decoder/position_encodings/encodings", (rows, width))
    check_shape(weights, "decoder/embeddings/weight", (vocabulary, width))
    for number, inputs in ((1, first[1]), (2, width)):
        check_shape(weights, f"encoder/conv{number}/weight", (width, inputs, 3))
        check_shape(weights, f"encoder/conv{number}/bias", (width,))
    for side in ("encoder", "decoder"):
        check_norm(weights, f"{side}/layer_norm", width)
        for layer in range(weights.layers(side)):
            check_layer(weights, f"{side}/layer_{layer}", side, width)


def check_layer(weights, path: str, side: str, width: int) -> None:
    parts = [("self_attention", (3, 1)), *([("attention", (1, 2, 1))] if side == "decoder" else [])]
    for part, joined in parts:
        check_norm(weights, f"{path}/{part}/layer_norm", width)
        for number, count in enumerate(joined):
            check_linear(weights, f"{path}/{part}/linear_{number}", count * width, width)
    check_norm(weights, f"{path}/ffn/layer_norm", width)
    inner = weights(f"{path}/ffn/linear_0/weight").shape[0]
    check_linear(weights, f"{path}/ffn/linear_0", inner, width)
    check_linear(weights, f"{path}/ffn/linear_1", width, inner)


def check_linear(weights, path: str, outputs: int, inputs: int) -> None:
    check_shape(weights, f"{path}/weight", (outputs, inputs))
    if f"{path}/bias" in weights:
        check_shape(weights, f"{path}/bias", (outputs,))


def check_norm(weights, path: str, width: int) -> None:
    for part in ("gamma", "beta"):
        check_shape(weights, f"{path}/{part}", (width,))


def check_shape(weights, name: str, shape: tuple[int, ...]) -> None:
    if name not in weights:
        raise Unusable(f"the weight {name} is missing: the file is damaged, or another kind of model")
    values = weights(name)
    if values.shape != shape:
        raise Unusable(f"the weight {name} has the shape {list(values.shape)} where {list(shape)} was expected")
    if not np.isfinite(values).all():
        raise Unusable(f"the weight {name} has values that are no numbers: the file is damaged")


def read_tokens(documents: Documents, brought, vocabulary: int):
    """-> the tokens of text, the special ones, and the merges."""
    if documents.tokenizer is not None and brought is None:
        text, special, merges = read_tokenizer(documents.tokenizer)
    else:
        if brought is not None:
            tokens = brought.tokens
        elif documents.vocabulary is not None:
            count = ENGLISH_TEXT if vocabulary < 51865 else TEXT
            tokens = [token_bytes(token) for token in documents.vocabulary[:count]]
        else:
            raise Unusable("beside the weights there are no tokens: a tokenizer.json is needed, or a vocabulary")
        text, special = dict(enumerate(tokens)), special_names(vocabulary, len(tokens))
        merges = merges_of(tokens)
    names = {name: number for number, name in special.items()}
    for name in (b"<|endoftext|>", b"<|startoftranscript|>", b"<|notimestamps|>"):
        if name not in names:
            raise Unusable(f"the tokenizer has no {name.decode()}: it is not one of Whisper's")
    # The times of half a minute are the last tokens.
    if names[b"<|notimestamps|>"] + 1 + TIMES != vocabulary:
        raise Unusable(f"the tokens do not fit the {vocabulary} of the weights: they belong to another model")
    first = names[b"<|notimestamps|>"] + 1
    special |= {first + step: f"<|{step * 0.02:.2f}|>".encode() for step in range(TIMES)}
    return text, special, merges


def in_range(heads, layers: int, count: int) -> list[list[int]]:
    return [[int(layer), int(head)] for layer, head in heads if 0 <= layer < layers and 0 <= head < count]


def alignment_heads(documents: Documents, weights, english: bool) -> list[list[int]]:
    layers, heads = weights.layers("decoder"), weights.scalar("decoder/num_heads")
    bands, width = weights("encoder/conv1/weight").shape[1], heads * HEAD_WIDTH
    stated = documents.generation.get("alignment_heads") or documents.config.get("alignment_heads")
    if stated:
        found = in_range(stated, layers, heads)
        if len(found) == len(stated):
            return found
    else:
        known = LARGE[bands] if (layers, width) == (32, 1280) else ALIGNMENT.get((layers, width, english))
        # A distilled model has the width of another with fewer layers, and heads of its own.
        if known and layers == weights.layers("encoder") or known and (layers, width) == (4, 1280):
            return [[int(part) for part in pair.split(".")] for pair in known.split()]
    return [[layer, head] for layer in range(layers // 2, layers) for head in range(heads)]


def lists_of(documents: Documents, text: dict[int, bytes], special: dict[int, bytes]) -> tuple[list[int], list[int]]:
    config, generation = documents.config, documents.generation
    never = config.get("suppress_ids") or generation.get("suppress_tokens") or config.get("suppress_tokens")
    begin = (
        config.get("suppress_ids_begin") or generation.get("begin_suppress_tokens") or config.get("begin_suppress_tokens")
    )
    if not never or not begin or never == [-1]:
        end = 1 + max(text)
        made = suppressed([text.get(number, b"") for number in range(end)], special)
        never, begin = made[0] if not never or never == [-1] else never, begin or made[1]
    return [int(number) for number in never], [int(number) for number in begin]


def main(food: pathlib.Path, out: pathlib.Path, gpu: bool = False) -> None:
    paths = sorted(path for path in food.iterdir() if path.is_file())
    try:
        documents = Documents(paths)
        weights, form, brought = open_weights(paths, documents)
        check_sizes(weights)
        vocabulary = weights("decoder/embeddings/weight").shape[0]
        text, special, merges = read_tokens(documents, brought, vocabulary)
        names = {name: number for number, name in special.items()}
        english = names[b"<|endoftext|>"] == ENGLISH_TEXT
        heads = alignment_heads(documents, weights, english)
        never, begin = lists_of(documents, text, special)
    except Unusable:
        raise
    except (ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
        raise Unusable(f"the files are damaged or are no Whisper: {error}") from error
    if any(not 0 <= number < vocabulary for number in [*never, *begin]):
        raise Unusable("a suppressed token is out of the vocabulary: the settings belong to another model")
    out.mkdir(parents=True, exist_ok=True)
    graphs = {"encoder": lambda: build_encoder(weights, "int8"), "decoder": lambda: build_decoder(weights, heads, "block8")}
    if gpu:
        graphs["gpu-encoder"] = lambda: build_device_encoder(weights, "fp16")
        graphs["gpu-decoder"] = lambda: build_device_decoder(weights, heads, "fp16")
    for name, build in graphs.items():
        (out / f"{name}.onnx").write_bytes(build().SerializeToString(deterministic=True))
    (out / "tokens.bin").write_bytes(packed(text, special, merges))
    lists = {"alignment_heads": heads, "suppress_ids": never, "suppress_ids_begin": begin}
    (out / "whisper.conf").write_text(settings(weights, lists) + ("english_only 1\n" if english else ""))
    facts = {
        "format": form,
        "bands": weights("encoder/conv1/weight").shape[1],
        "encoder_layers": weights.layers("encoder"),
        "layers": weights.layers("decoder"),
        "heads": weights.scalar("decoder/num_heads"),
        "width": weights("decoder/embeddings/weight").shape[1],
        "vocabulary": vocabulary,
        "english_only": english,
    }
    (out / "facts.json").write_text(json.dumps(facts, sort_keys=True) + "\n")


if __name__ == "__main__":
    if len(sys.argv) != 3 and sys.argv[3:] != ["gpu"]:
        sys.exit(__doc__)
    try:
        main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), len(sys.argv) > 3)
    except Unusable as error:
        print(error, file=sys.stderr)
        sys.exit(2)
