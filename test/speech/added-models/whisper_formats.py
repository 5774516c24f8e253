"""Writes a Whisper as programs publish it.

    python3 whisper_formats.py CT2 OUT FORM

CT2 is a folder as CTranslate2 stores Whisper base; FORM is
    transformers | parts            model.safetensors with its JSON files, whole or in two parts
    ggml-f32 | ggml-f16 | ggml-q4_0 | ggml-q4_1 | ggml-q5_0 | ggml-q5_1 | ggml-q8_0     a file of whisper.cpp
    random-NAME                     a file of whisper.cpp with random weights of the sizes of NAME
    transformers-NAME               the same as transformers publish it: model.safetensors in F16 with its JSON files
The formats are written here from their descriptions, and not by the code that reads them.
"""

import json
import pathlib
import struct
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parents[3] / "models/recipes/whisper"))
from ct2_reader import Weights  # noqa: E402

# width, layers of the encoder and of the decoder, mel bands, tokens
SIZES = {
    "tiny": (384, 4, 4, 80, 51865),
    "tiny-128": (384, 4, 4, 128, 51866),
    "tiny.en": (384, 4, 4, 80, 51864),
    "small": (768, 12, 12, 80, 51865),
    "small-128": (768, 12, 2, 128, 51866),
    "medium": (1024, 24, 24, 80, 51865),
    "large-v3": (1280, 32, 32, 128, 51866),
    "large-v3-turbo": (1280, 32, 4, 128, 51866),
    "distil-large-v3": (1280, 32, 2, 128, 51866),
}
KINDS = {"f32": 0, "f16": 1, "q4_0": 2, "q4_1": 3, "q5_0": 6, "q5_1": 7, "q8_0": 8}
BLOCK = 32


def openai_names(weights) -> dict[str, np.ndarray]:
    """Of a Whisper read by the names of CTranslate2."""
    out = {}

    def pair(theirs: str, ours: str, parts=("weight", "bias")) -> None:
        out[f"{theirs}.weight"], out[f"{theirs}.bias"] = (weights(f"{ours}/{part}") for part in parts)

    norm = ("gamma", "beta")
    for side, end in (("encoder", "encoder.ln_post"), ("decoder", "decoder.ln")):
        out[f"{side}.positional_embedding"] = weights(f"{side}/position_encodings/encodings")
        pair(end, f"{side}/layer_norm", norm)
        for layer in range(weights.layers(side)):
            block, ours = f"{side}.blocks.{layer}", f"{side}/layer_{layer}"
            attentions = [("attn", "self_attention")] + ([("cross_attn", "attention")] if side == "decoder" else [])
            for name, path in attentions:
                pair(f"{block}.{name}_ln", f"{ours}/{path}/layer_norm", norm)
                if name == "attn":
                    joined, last = weights(f"{ours}/{path}/linear_0/weight"), 1
                    bias = weights(f"{ours}/{path}/linear_0/bias")
                    matrices, biases = np.split(joined, 3), np.split(bias, 3)
                else:
                    joined, last = weights(f"{ours}/{path}/linear_1/weight"), 2
                    bias = weights(f"{ours}/{path}/linear_1/bias")
                    matrices = [weights(f"{ours}/{path}/linear_0/weight"), *np.split(joined, 2)]
                    biases = [weights(f"{ours}/{path}/linear_0/bias"), *np.split(bias, 2)]
                for part, matrix, added in zip(("query", "key", "value"), matrices, biases, strict=True):
                    out[f"{block}.{name}.{part}.weight"] = matrix
                    if part != "key":
                        out[f"{block}.{name}.{part}.bias"] = added
                pair(f"{block}.{name}.out", f"{ours}/{path}/linear_{last}")
            pair(f"{block}.mlp_ln", f"{ours}/ffn/layer_norm", norm)
            pair(f"{block}.mlp.0", f"{ours}/ffn/linear_0")
            pair(f"{block}.mlp.2", f"{ours}/ffn/linear_1")
    for number in (1, 2):
        pair(f"encoder.conv{number}", f"encoder/conv{number}")
    out["decoder.token_embedding.weight"] = weights("decoder/embeddings/weight")
    return out


RENAMES = [
    (".blocks.", ".layers."), ("cross_attn_ln", "encoder_attn_layer_norm"), ("attn_ln", "self_attn_layer_norm"),
    ("mlp_ln", "final_layer_norm"), ("cross_attn.", "encoder_attn."), (".attn.", ".self_attn."),
    (".query.", ".q_proj."), (".key.", ".k_proj."), (".value.", ".v_proj."), (".out.", ".out_proj."),
    ("mlp.0", "fc1"), ("mlp.2", "fc2"), ("positional_embedding", "embed_positions.weight"),
    ("token_embedding", "embed_tokens"), ("encoder.ln_post", "encoder.layer_norm"), ("decoder.ln.", "decoder.layer_norm."),
]


def transformers_name(name: str) -> str:
    for old, new in RENAMES:
        name = name.replace(old, new)
    return "model." + name


def write_safetensors(path: pathlib.Path, tensors: dict[str, np.ndarray]) -> None:
    header, at = {"__metadata__": {"format": "pt"}}, 0
    for name, array in tensors.items():
        header[name] = {"dtype": "F16", "shape": list(array.shape), "data_offsets": [at, at + 2 * array.size]}
        at += 2 * array.size
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with path.open("wb") as out:
        out.write(struct.pack("<Q", len(text)) + text)
        for array in tensors.values():
            out.write(array.astype(np.float16, copy=False).tobytes())


def write_transformers(source: pathlib.Path, out: pathlib.Path, in_parts: bool) -> None:
    weights = Weights((source / "model.bin").read_bytes())
    tensors = {transformers_name(name): array for name, array in openai_names(weights).items()}
    if in_parts:
        names = list(tensors)
        halves = [names[: len(names) // 2], names[len(names) // 2 :]]
        for number, half in enumerate(halves, 1):
            write_safetensors(out / f"model-0000{number}-of-00002.safetensors", {name: tensors[name] for name in half})
    else:
        write_safetensors(out / "model.safetensors", tensors)
    heads = json.loads((source / "config.json").read_text())["alignment_heads"]
    write_documents(source, out, (512, 6, 6, 80, 51865), {"alignment_heads": heads})


def write_documents(source: pathlib.Path, out: pathlib.Path, sizes: tuple, more: dict) -> None:
    width, encoder, decoder, bands, vocabulary = sizes
    config = json.loads((source / "config.json").read_text())
    (out / "config.json").write_text(json.dumps({
        "model_type": "whisper", "d_model": width, "num_mel_bins": bands, "vocab_size": vocabulary,
        "encoder_layers": encoder, "decoder_layers": decoder,
        "encoder_attention_heads": width // 64, "decoder_attention_heads": width // 64,
    }))
    (out / "generation_config.json").write_text(json.dumps({
        "suppress_tokens": config["suppress_ids"], "begin_suppress_tokens": config["suppress_ids_begin"],
        "is_multilingual": True, **more,
    }))
    tokenizer = json.loads((source / "tokenizer.json").read_text())
    if vocabulary == 51866:
        add_cantonese(tokenizer)
    (out / "tokenizer.json").write_text(json.dumps(tokenizer, ensure_ascii=False))
    (out / "README.md").write_text("---\nlicense: apache-2.0\n---\n")


def add_cantonese(tokenizer: dict) -> None:
    """The third version has one language more, after the others; what follows moves up by one."""
    last = next(entry["id"] for entry in tokenizer["added_tokens"] if entry["content"] == "<|su|>")
    vocabulary = tokenizer["model"]["vocab"]
    for token, number in vocabulary.items():
        vocabulary[token] = number + (number > last)
    for entry in tokenizer["added_tokens"]:
        entry["id"] += entry["id"] > last
    tokenizer["added_tokens"].append({"id": last + 1, "content": "<|yue|>", "special": True})


def write_random_transformers(source: pathlib.Path, out: pathlib.Path, sizes: tuple) -> None:
    tensors = {transformers_name(name): array for name, array in openai_names(Random(sizes)).items()}
    write_safetensors(out / "model.safetensors", tensors)
    write_documents(source, out, sizes, {})


def quantized(kind: str, array: np.ndarray) -> bytes:
    if kind == "f32":
        return array.astype(np.float32).tobytes()
    if kind == "f16":
        return array.astype(np.float16).tobytes()
    blocks = array.astype(np.float32).reshape(-1, BLOCK)
    half = lambda values: values.astype(np.float16).view(np.uint8).reshape(-1, 2)  # noqa: E731
    if kind == "q8_0":
        scale = np.abs(blocks).max(1) / 127
        levels = np.rint(blocks / np.maximum(scale, 1e-12)[:, None]).astype(np.int8)
        return np.concatenate([half(scale), levels.view(np.uint8)], 1).tobytes()
    bits, least = (5 if kind[1] == "5" else 4), kind.endswith("_1")
    low, high = (blocks.min(1), blocks.max(1)) if least else (None, None)
    if least:
        scale = (high - low) / (2**bits - 1)
        levels = np.rint((blocks - low[:, None]) / np.maximum(scale, 1e-12)[:, None])
        head = [half(scale), half(low)]
    else:
        furthest = np.take_along_axis(blocks, np.abs(blocks).argmax(1)[:, None], 1)[:, 0]
        scale = furthest / -(2 ** (bits - 1))
        safe = np.where(scale == 0, 1, scale)
        levels = np.floor(blocks / safe[:, None] + 2 ** (bits - 1) + 0.5)
        head = [half(scale)]
    levels = np.clip(levels, 0, 2**bits - 1).astype(np.uint32)
    if bits == 5:
        fifth = ((levels >> 4) << np.arange(BLOCK, dtype=np.uint32)).sum(1, dtype=np.uint32)
        head.append(fifth.astype("<u4").view(np.uint8).reshape(-1, 4))
    nibbles = (levels[:, :16] & 15) | ((levels[:, 16:] & 15) << 4)
    return np.concatenate([*head, nibbles.astype(np.uint8)], 1).tobytes()


def write_ggml(path: pathlib.Path, tensors, sizes: tuple, kind: str, tokens: list[bytes]) -> None:
    width, encoder, decoder, bands, vocabulary = sizes
    heads = width // 64
    head = [vocabulary, 1500, width, heads, encoder, 448, width, heads, decoder, bands, KINDS[kind] if kind == "f32" else 1]
    with path.open("wb") as out:
        out.write(b"lmgg" + struct.pack("<11i", *head))
        out.write(struct.pack("<2i", bands, 201) + np.zeros(bands * 201, np.float32).tobytes())
        out.write(struct.pack("<i", len(tokens)))
        for token in tokens:
            out.write(struct.pack("<I", len(token)) + token)
        for name, array in tensors:
            small = array.ndim < 2 or "positional" in name
            if name in ("encoder.conv1.bias", "encoder.conv2.bias"):
                array = array.reshape(-1, 1)
            of = "f32" if small else "f16" if "conv" in name and kind != "f32" else kind
            encoded = name.encode()
            out.write(struct.pack("<3i", array.ndim, len(encoded), KINDS[of]))
            out.write(struct.pack(f"<{array.ndim}i", *array.shape[::-1]) + encoded)
            out.write(quantized(of, array))


def tokens_of(source: pathlib.Path, count: int) -> list[bytes]:
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in plain]
    table = {chr(byte): byte for byte in plain} | {chr(256 + at): byte for at, byte in enumerate(others)}
    vocabulary = json.loads((source / "tokenizer.json").read_text())["model"]["vocab"]
    by_number = {number: token for token, number in vocabulary.items()}
    return [bytes(table[c] for c in by_number.get(number, "")) for number in range(count)]


class Random:
    """Weights of given sizes, small enough that a text ends."""

    def __init__(self, sizes: tuple):
        self.width, self.encoder, self.decoder, self.bands, self.vocabulary = sizes
        self._random = np.random.default_rng(1)

    def layers(self, side: str) -> int:
        return self.encoder if side == "encoder" else self.decoder

    def __call__(self, name: str) -> np.ndarray:
        width, part = self.width, name.rsplit("/", 1)[1]
        if part == "gamma":
            return np.ones(width, np.float32)
        if part == "beta":
            return np.zeros(width, np.float32)
        shapes = {
            "encoder/conv1/weight": (width, self.bands, 3), "encoder/conv2/weight": (width, width, 3),
            "encoder/position_encodings/encodings": (1500, width), "decoder/position_encodings/encodings": (448, width),
            "decoder/embeddings/weight": (self.vocabulary, width),
        }
        rows = {"self_attention/linear_0": 3, "/attention/linear_1": 2, "ffn/linear_0": 4}
        count = next((n for key, n in rows.items() if key in name), 1)
        inputs = 4 * width if "ffn/linear_1" in name else width
        shape = shapes.get(name, (count * width, inputs))
        if part == "bias":
            return np.zeros(shape[0], np.float32)
        # The forms store halves; the largest model would not fit into memory twice as wide.
        return (self._random.standard_normal(shape, np.float32) * np.float32(0.02)).astype(np.float16)


def main(source: pathlib.Path, out: pathlib.Path, form: str) -> None:
    out.mkdir(parents=True, exist_ok=True)
    if form in ("transformers", "parts"):
        write_transformers(source, out, form == "parts")
    elif form.startswith("transformers-"):
        write_random_transformers(source, out, SIZES[form.removeprefix("transformers-")])
    elif form.startswith("ggml-"):
        weights = Weights((source / "model.bin").read_bytes())
        tensors = openai_names(weights).items()
        write_ggml(out / "ggml-base.bin", tensors, (512, 6, 6, 80, 51865), form[5:], tokens_of(source, 50257))
    else:
        sizes = SIZES[form.removeprefix("random-")]
        text = 50256 if sizes[4] == 51864 else 50257
        path = out / f"ggml-{form.removeprefix('random-')}.bin"
        write_ggml(path, openai_names(Random(sizes)).items(), sizes, "f16", tokens_of(source, text))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3])
