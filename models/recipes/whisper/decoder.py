"""The decoder: a few tokens at a time over caches that live in buffers of the caller.

self_k_i and self_v_i are bound as input and as output to the same memory, [B, H, room, D] with room for the longest
text: a step writes its own rows and copies nothing. Only the last token's logits are computed.
"""

import numpy as np
from onnx import TensorProto, helper

from graph import CONTRIB, FLOAT, Graph


def build_decoder(weights, alignment_heads: list[list[int]], form: str):
    """tokens [B, N], last [B] (= past + N - 1), total (= past + N), log_count [S] as the encoder had it, caches
    -> logits [B, vocabulary], align [1, alignment heads, B * N, S], caches.

    The B texts are hypotheses about one window: its keys and values are read once for all of them."""
    g = Graph(form)
    heads = weights.scalar("decoder/num_heads")
    table = weights("decoder/embeddings/weight")
    vocabulary, width = table.shape
    layers = weights.layers("decoder")
    chosen: dict[int, list[int]] = {}
    for layer, head in alignment_heads:
        chosen.setdefault(layer, []).append(head)

    # The projection is written first, so that the embedding can read its table; it runs last.
    logits = g.matmul("final", table, "embeddings")
    projection, g.nodes = g.nodes, []
    x = _embed(g, weights, table)
    shape = g.op("Concat", [g.op("Shape", ["tokens"]), g.ints(width)], axis=0)
    aligned = []
    for layer in range(layers):
        path = f"decoder/layer_{layer}"
        x = _self_attention(g, weights, x, path + "/self_attention", layer, heads)
        x, scores = _cross_attention(g, weights, x, path + "/attention", layer, heads, shape)
        if layer in chosen:
            aligned.append(g.op("Gather", [scores, g.ints(*chosen[layer])], axis=1))
        x = g.feed_forward(weights, x, path + "/ffn")
    x = g.op("Gather", [x, g.const(np.array([-1], np.int64), "last_row")], axis=1)
    g.layer_norm(weights, x, "decoder/layer_norm", "final")
    g.nodes += projection
    g.op("Squeeze", [logits, g.ints(1)], "logits")
    g.op("Concat", aligned, "align", axis=1)
    return g.model(*_signature(layers, heads, width // heads, vocabulary, len(alignment_heads)), "whisper_decoder")


def _embed(g: Graph, weights, table) -> str:
    x = g.embedding("tokens", table, "embeddings")
    total = g.op("Cast", ["total"], to=TensorProto.INT64)
    count = g.op("Slice", [g.op("Shape", ["tokens"]), g.ints(1), g.ints(2)])
    end = g.op("Reshape", [total, g.ints(1)])
    positions = g.const(weights("decoder/position_encodings/encodings"), "decoder/positions")
    return g.op("Add", [x, g.op("Slice", [positions, g.op("Sub", [end, count]), end, g.ints(0)])])


def _self_attention(g: Graph, weights, x: str, path: str, layer: int, heads: int) -> str:
    y = g.layer_norm(weights, x, path + "/layer_norm")
    width = weights(path + "/linear_0/weight").shape[1]
    q, k, v = (g.linear(weights, y, path + "/linear_0", slice(i * width, (i + 1) * width)) for i in range(3))
    caches = [f"self_k_{layer}", f"self_v_{layer}"]
    outs = [g.fresh(), f"self_k_out_{layer}", f"self_v_out_{layer}"]
    g.ops(
        "GroupQueryAttention", [q, k, v, *caches, "last", "total"], outs,
        domain=CONTRIB, num_heads=heads, kv_num_heads=heads,
    )
    return g.op("Add", [x, g.linear(weights, outs[0], path + "/linear_1")])


def _cross_attention(g: Graph, weights, x: str, path: str, layer: int, heads: int, shape: str) -> tuple[str, str]:
    depth = weights(path + "/linear_0/weight").shape[0] // heads
    y = g.layer_norm(weights, x, path + "/layer_norm")
    q = g.op("Reshape", [g.linear(weights, y, path + "/linear_0"), g.ints(1, -1, heads, depth)])
    q = g.op("Transpose", [q], perm=[0, 2, 1, 3])
    scores = g.op("Add", [g.op("MatMul", [q, f"cross_k_{layer}"]), "log_count"])
    scores = g.op("Softmax", [scores], axis=-1)
    y = g.op("Transpose", [g.op("MatMul", [scores, f"cross_v_{layer}"])], perm=[0, 2, 1, 3])
    y = g.op("Reshape", [y, shape])
    return g.op("Add", [x, g.linear(weights, y, path + "/linear_2")]), scores


def _signature(layers: int, heads: int, depth: int, vocabulary: int, aligned: int) -> tuple[list, list]:
    info = helper.make_tensor_value_info
    inputs = [
        info("log_count", FLOAT, ["S"]),
        info("tokens", TensorProto.INT64, ["B", "N"]),
        info("last", TensorProto.INT32, ["B"]),
        info("total", TensorProto.INT32, [1]),
    ]
    outputs = [info("logits", FLOAT, ["B", vocabulary]), info("align", FLOAT, [1, aligned, "BN", "S"])]
    for layer in range(layers):
        for part in "kv":
            cache = ["B", heads, "room", depth]
            inputs.append(info(f"self_{part}_{layer}", FLOAT, cache))
            outputs.append(info(f"self_{part}_out_{layer}", FLOAT, cache))
        inputs.append(info(f"cross_k_{layer}", FLOAT, [1, heads, depth, "S"]))
        inputs.append(info(f"cross_v_{layer}", FLOAT, [1, heads, "S", depth]))
    return inputs, outputs
