"""Lays out a Moonshine as hubs have it.

    python3 moonshine_graphs.py PLAIN PINNED OUT KIND

PLAIN has the graphs of the pinned Moonshine as ONNX Runtime writes them, PINNED those of the package and its tokenizer.bin.
Writes OUT/onnx/{encoder_model, decoder_model_merged}.onnx, OUT/config.json and OUT/tokenizer.json. KIND is `tiny`, `unmasked`
(graphs without masks), `marked` (the token of "The" reads "Zhe", so that a text shows who wrote it), or what is wrong with it;
`transformers` writes OUT/model.safetensors in the place of the graphs, and `base` one with random weights of base's sizes.
"""

import json
import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper

ROOT = pathlib.Path(__file__).parents[3]
sys.path.insert(0, str(ROOT / "models/recipes"))
sys.path.insert(0, str(ROOT / "models/recipes/moonshine"))

from added_graph import rename  # noqa: E402
from pieces import BYTES, SPACE, pieces_of_table  # noqa: E402
from weights import Weights  # noqa: E402

NAMES = {"encoder": "encoder_model", "decoder": "decoder_model_merged"}
CONFIG = {
    "architectures": ["MoonshineForConditionalGeneration"],
    "model_type": "moonshine",
    "bos_token_id": 1,
    "decoder_start_token_id": 1,
    "eos_token_id": 2,
    "decoder_num_attention_heads": 8,
    "decoder_num_hidden_layers": 6,
    "hidden_size": 288,
    "vocab_size": 32768,
}


def name(graph, called: str) -> None:
    """The runtime leaves graphs without the names that it demands."""
    graph.name = called
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.GRAPH:
                name(attribute.g, f"{called}_{attribute.name}")


def constant(called: str, *values: int):
    return helper.make_node("Constant", [], [called], value=helper.make_tensor(called, TensorProto.INT64, [len(values)], values))


def ones(shape: str, called: str):
    return helper.make_node("ConstantOfShape", [shape], [called], value=helper.make_tensor("one", TensorProto.INT64, [1], [1]))


# A mask of ones is computed in the place of the input: of every sample, or of those that the rows stand for.
UNMASKED = {
    "encoder": ("attention_mask", [helper.make_node("Shape", ["input_values"], ["samples"]), ones("samples", "attention_mask")]),
    "decoder": (
        "encoder_attention_mask",
        [
            helper.make_node("Shape", ["encoder_hidden_states"], ["rows"], start=1, end=2),
            constant("row_samples", 384),
            helper.make_node("Mul", ["rows", "row_samples"], ["row_mask"]),
            constant("one_batch", 1),
            helper.make_node("Concat", ["one_batch", "row_mask"], ["samples"], axis=0),
            ones("samples", "encoder_attention_mask"),
        ],
    ),
}


def without_mask(graph, mask: str, nodes: list) -> None:
    kept = [one for one in graph.input if one.name != mask]
    del graph.input[:]
    graph.input.extend(kept)
    nodes = [*nodes, *graph.node]
    del graph.node[:]
    graph.node.extend(nodes)


def value(graph, called: str):
    return next(one for one in [*graph.input, *graph.output] if one.name == called)


def width(info, at: int, size: int) -> None:
    info.type.tensor_type.shape.dim[at].dim_value = size


def renamed(graph, old: str, new: str) -> None:
    rename(graph, {one.name: one.name.replace(old, new) for one in graph.input if one.name.startswith(old)})


WRONG = {
    "other-caches": ("decoder", lambda graph: renamed(graph, "past_key_values.", "before.")),
    "no-branch": ("decoder", lambda graph: renamed(graph, "use_cache_branch", "branch")),
    "half": ("decoder", lambda graph: setattr(value(graph, "past_key_values.0.decoder.key").type.tensor_type, "elem_type", TensorProto.FLOAT16)),
    "heads": ("decoder", lambda graph: width(value(graph, "past_key_values.3.encoder.value"), 1, 4)),
    "rows": ("decoder", lambda graph: width(value(graph, "encoder_hidden_states"), 2, 416)),
    "more": ("encoder", lambda graph: graph.input.append(helper.make_tensor_value_info("speaker", TensorProto.FLOAT, [1]))),
}


def tokenizer(table: bytes, marked: bool) -> dict:
    pieces = pieces_of_table(table).pieces
    called = [f"<0x{piece[0]:02X}>" if 3 <= at < 3 + BYTES else piece.decode() for at, piece in enumerate(pieces)]
    if marked:
        called[called.index(SPACE + "The")] = SPACE + "Zhe"
    special = [at for at, text in enumerate(called) if at < 3 or text.startswith("<<ST_")]
    vocabulary = {text: at for at, text in enumerate(called)}
    added = [{"id": at, "content": called[at], "special": True} for at in special]
    return {"version": "1.0", "added_tokens": added, "model": {"type": "BPE", "byte_fallback": True, "vocab": vocabulary, "merges": []}}


PUBLISHED = {"gamma": "weight", "gain": "weight", "shift": "bias"}
BASE = {"decoder_num_hidden_layers": 8, "encoder_num_hidden_layers": 8, "hidden_size": 416, "partial_rotary_factor": 0.62}


def of_transformers(pinned: pathlib.Path) -> dict[str, np.ndarray]:
    """The weights of the pinned graphs by the names of transformers, which has no shift of norms and ties the last layer."""
    weights = Weights(*((pinned / f"{graph}.ort").read_bytes() for graph in NAMES))
    out = {"model.decoder.embed_tokens.weight": weights("decoder/embeddings")}
    for called in weights.names():
        path, part = called.rsplit("/", 1)
        if part == "beta" or called in ("decoder/embeddings", "decoder/proj_out/weight"):
            continue
        array = weights(called)
        out[f"model.{path}/{PUBLISHED.get(part, part)}".replace("/", ".")] = array.reshape(-1) if "groupnorm" in path else array
    return out


def of_base(tiny: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Random weights whose sizes are those of tiny, with a wider row and two more layers of each side."""
    random = np.random.default_rng(1)
    wide = {288: 416, 576: 832, 1152: 1664, 2304: 3328}
    out = {}
    for called, array in tiny.items():
        shape = [wide.get(size, size) for size in array.shape]
        layers = [0, 6] if ".layers.0." in called else [1, 7] if ".layers.1." in called else [None]
        for layer in layers:
            name = called if layer is None else called.replace(f".layers.{layers[0]}.", f".layers.{layer}.")
            out[name] = random.normal(0, 0.05, shape).astype(np.float32) + (array.ndim == 1 and "norm" in called)
    return out


def safetensors(path: pathlib.Path, tensors: dict[str, np.ndarray]) -> None:
    head, blobs, at = {}, [], 0
    for called, array in tensors.items():
        blob = array.astype(np.float16).tobytes()
        head[called] = {"dtype": "F16", "shape": list(array.shape), "data_offsets": [at, at + len(blob)]}
        blobs.append(blob)
        at += len(blob)
    text = json.dumps(head).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + b"".join(blobs))


def graphs(plain: pathlib.Path, out: pathlib.Path, kind: str) -> None:
    out.mkdir()
    for graph, called in NAMES.items():
        model = onnx.load(str(plain / f"{graph}.onnx"))
        name(model.graph, graph)
        if kind == "unmasked":
            without_mask(model.graph, *UNMASKED[graph])
        if WRONG.get(kind, ("",))[0] == graph:
            WRONG[kind][1](model.graph)
        onnx.save(model, str(out / f"{called}.onnx"))


def main(plain: pathlib.Path, pinned: pathlib.Path, out: pathlib.Path, kind: str) -> None:
    out.mkdir(parents=True)
    if kind in ("transformers", "base"):
        tensors = of_transformers(pinned)
        safetensors(out / "model.safetensors", of_base(tensors) if kind == "base" else tensors)
    else:
        graphs(plain, out / "onnx", kind)
    stated = tokenizer((pinned / "tokenizer.bin").read_bytes(), kind == "marked")
    (out / "tokenizer.json").write_text(json.dumps(stated), "utf-8")
    (out / "config.json").write_text(json.dumps(CONFIG | (BASE if kind == "base" else {})), "utf-8")


if __name__ == "__main__":
    main(*map(pathlib.Path, sys.argv[1:4]), sys.argv[4])
