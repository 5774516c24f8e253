"""The encoder of multilingual-e5-small with its 4-bit weights as they are: token ids in, the tokens' vectors out.

L. Wang et al., "Multilingual E5 Text Embeddings: A Technical Report", 2024.
"""

import pathlib
import sys

import numpy as np
from onnx import TensorProto, helper

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "whisper"))

from graph import CONTRIB, FLOAT, Graph  # noqa: E402
from packed import BLOCK, Packed  # noqa: E402


def build_encoder(packed: Packed):
    """input_ids [1, T] (T at most 512) -> last_hidden_state [1, T, 384]."""
    g = Graph("fp32")
    x = _norm(g, packed, _embedding(g, packed), "emb.ln")
    for layer in range(packed.layers):
        x = _layer(g, packed, x, f"l{layer}", layer + 1 == packed.layers)
    info = helper.make_tensor_value_info
    return g.model(
        [info("input_ids", TensorProto.INT64, [1, "T"])],
        [info("last_hidden_state", FLOAT, [1, "T", packed.width])],
        "multilingual_e5_small",
    )


def _embedding(g: Graph, packed: Packed) -> str:
    """The rows of the tokens, from their 4-bit blocks, and those of their positions."""
    levels, scales = packed.quantized("emb.word", packed.width)
    half = BLOCK // 2
    pairs = levels[..., :half] | levels[..., half:] << 4
    rows = g.op("Gather", [g.const(pairs, "words"), "input_ids"], axis=0)
    byte = lambda value: g.const(np.array(value, np.uint8), f"byte_{value}")  # noqa: E731
    low = g.op("BitwiseAnd", [rows, byte(15)])
    high = g.op("BitShift", [rows, byte(4)], direction="RIGHT")
    words = g.op("Cast", [g.op("Concat", [low, high], axis=-1)], to=FLOAT)
    words = g.op("Sub", [words, g.const(np.array(8, np.float32), "zero")])
    scale = g.op("Gather", [g.const(scales.astype(np.float16), "word_scales"), "input_ids"], axis=0)
    scale = g.op("Unsqueeze", [g.op("Cast", [scale], to=FLOAT), g.ints(-1)])
    words = g.op("Reshape", [g.op("Mul", [words, scale]), g.ints(0, 0, packed.width)])
    # All texts are of type 0, whose row is added to every position's.
    kind = packed.floats("emb.type")[: packed.width]
    positions = packed.floats("emb.pos").reshape(packed.positions, packed.width) + kind
    count = g.op("Shape", ["input_ids"], start=1, end=2)
    return g.op("Add", [words, g.op("Slice", [g.const(positions, "positions"), g.ints(0), count, g.ints(0)])])


def _norm(g: Graph, packed: Packed, x: str, path: str, out: str | None = None) -> str:
    scale, shift = (g.const(packed.floats(f"{path}.{part}"), f"{path}.{part}") for part in "wb")
    return g.op("LayerNormalization", [x, scale, shift], out, axis=-1, epsilon=packed.epsilon)


def _linear(g: Graph, packed: Packed, x: str, path: str, inputs: int) -> str:
    levels, scales = packed.quantized(path + ".w", inputs)
    pairs = levels[..., 0::2] | levels[..., 1::2] << 4
    y = g.op(
        "MatMulNBits", [x, g.const(pairs, path + ".w"), g.const(scales, path + ".scales")],
        domain=CONTRIB, K=inputs, N=levels.shape[0], bits=4, block_size=BLOCK, accuracy_level=4,
    )
    return g.op("Add", [y, g.const(packed.floats(path + ".b"), path + ".b")])


def _layer(g: Graph, packed: Packed, x: str, path: str, last: bool) -> str:
    q, k, v = (_linear(g, packed, x, f"{path}.{part}", packed.width) for part in "qkv")
    y = g.op("MultiHeadAttention", [q, k, v], domain=CONTRIB, num_heads=packed.heads)
    x = _norm(g, packed, g.op("Add", [x, _linear(g, packed, y, path + ".ao", packed.width)]), path + ".aln")
    y = g.op("Gelu", [_linear(g, packed, x, path + ".fi", packed.width)])
    y = g.op("Add", [x, _linear(g, packed, y, path + ".fo", packed.inner)])
    return _norm(g, packed, y, path + ".oln", "last_hidden_state" if last else None)
