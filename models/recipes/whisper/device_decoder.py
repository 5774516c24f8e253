"""The decoder for a GPU: a step of the texts of many calls, each at its own place.

The caches are pools that stay on the device. A step says for each row where its tokens are written and where those before them
lie, so that texts which continue one beam share its places: no cache is moved when texts fork, come and go, and those of different
windows and lengths step together. A window has a slot in the pools of the encoder's keys and values. self_*_out_i is bound to the
memory of self_*_i, which a step then writes in place. What is not attended to is multiplied by zero and must be a number: behind a
text's end, `reads` names a place that was written.
"""

import numpy as np
from onnx import TensorProto, helper

from device_graph import DeviceGraph
from graph import FLOAT

ROOM = 232  # tokens of a text, as native/asr/whisper_decoder.h has it
UNATTENDED = np.float32(-1e4)
TOP = 16  # tokens with the best scores, for callers that need no more


def build_device_decoder(weights, alignment_heads: list[list[int]], form: str):
    """tokens [B, N], positions [B, N], writes [B, N, 2] (slot and position of each token), reads [B, ROOM] (slot * ROOM + position
    of each token of the text), window_slots [B], log_count [B, S], pools
    -> logits [B, vocabulary], top_scores and top_tokens [B, TOP] (of the log softmax), align [B, alignment heads, N, S], pools."""
    g = DeviceGraph(form)
    heads = weights.scalar("decoder/num_heads")
    table = weights("decoder/embeddings/weight")
    vocabulary, width = table.shape
    layers, depth = weights.layers("decoder"), width // heads
    chosen: dict[int, list[int]] = {}
    for layer, head in alignment_heads:
        chosen.setdefault(layer, []).append(head)

    rows = g.const(table, "embeddings")
    places = g.const(weights("decoder/position_encodings/encodings"), "decoder/positions")
    x = g.op("Add", [g.op("Gather", [rows, "tokens"], axis=0), g.op("Gather", [places, "positions"], axis=0)])
    keys = g.const(np.arange(ROOM, dtype=np.int64).reshape(1, 1, 1, ROOM), "key_positions")
    seen = g.op("LessOrEqual", [keys, g.op("Unsqueeze", ["positions", g.ints(1, 3)])])
    bias = g.op("Unsqueeze", [g.op("Cast", ["log_count"], to=g.type), g.ints(1, 2)])
    aligned = []
    for layer in range(layers):
        path = f"decoder/layer_{layer}"
        x = _self_attention(g, weights, x, seen, path + "/self_attention", layer, heads, depth)
        x, scores = _cross_attention(g, weights, x, bias, path + "/attention", layer, heads, depth)
        if layer in chosen:
            aligned.append(g.op("Gather", [scores, g.ints(*chosen[layer])], axis=1))
        x = g.feed_forward(weights, x, path + "/ffn")
    x = g.op("Squeeze", [g.op("Slice", [x, g.ints(-1), g.ints(np.iinfo(np.int64).max), g.ints(1)]), g.ints(1)])
    scores = g.op("Gemm", [g.layer_norm(weights, x, "decoder/layer_norm"), rows], transB=1)
    g.op("Cast", [scores], "logits", to=FLOAT)
    likely = g.op("LogSoftmax", ["logits"], axis=-1)
    g.ops("TopK", [likely, g.ints(TOP)], ["top_scores", "top_tokens"], axis=-1)
    g.op("Cast", [g.op("Concat", aligned, axis=1)], "align", to=FLOAT)
    return g.model(*_signature(g, layers, heads, depth, vocabulary, len(alignment_heads)), "whisper_decoder_device")


def _self_attention(g: DeviceGraph, weights, x: str, seen: str, path: str, layer: int, heads: int, depth: int) -> str:
    y = g.layer_norm(weights, x, path + "/layer_norm")
    width = heads * depth
    q = g.linear(weights, y, path + "/linear_0", slice(0, width), depth**-0.5)
    pools = []
    for number, part in ((1, "k"), (2, "v")):
        made = g.linear(weights, y, path + "/linear_0", slice(number * width, (number + 1) * width))
        g.op("ScatterND", [f"self_{part}_{layer}", "writes", made], f"self_{part}_out_{layer}")
        places = g.op("Reshape", [f"self_{part}_out_{layer}", g.ints(-1, width)])
        pools.append(g.op("Gather", [places, "reads"], axis=0))
    k = g.heads(pools[0], heads, depth, (0, 2, 3, 1))
    scores = g.op("Where", [seen, g.op("MatMul", [g.heads(q, heads, depth), k]), g.const(UNATTENDED, "unattended")])
    y = g.op("MatMul", [g.op("Softmax", [scores], axis=-1), g.heads(pools[1], heads, depth)])
    y = g.op("Reshape", [g.op("Transpose", [y], perm=[0, 2, 1, 3]), g.ints(0, 0, width)])
    return g.op("Add", [x, g.linear(weights, y, path + "/linear_1")])


def _cross_attention(g: DeviceGraph, weights, x: str, bias: str, path: str, layer: int, heads: int, depth: int) -> tuple[str, str]:
    y = g.layer_norm(weights, x, path + "/layer_norm")
    q = g.heads(g.linear(weights, y, path + "/linear_0"), heads, depth)
    k = g.op("Gather", [f"cross_k_{layer}", "window_slots"], axis=0)
    v = g.op("Gather", [f"cross_v_{layer}", "window_slots"], axis=0)
    scores = g.op("Softmax", [g.op("Add", [g.op("MatMul", [q, k]), bias])], axis=-1)
    y = g.op("Transpose", [g.op("MatMul", [scores, v])], perm=[0, 2, 1, 3])
    y = g.op("Reshape", [y, g.ints(0, 0, heads * depth)])
    return g.op("Add", [x, g.linear(weights, y, path + "/linear_2")]), scores


def _signature(g: DeviceGraph, layers: int, heads: int, depth: int, vocabulary: int, aligned: int) -> tuple[list, list]:
    info = helper.make_tensor_value_info
    inputs = [
        info("tokens", TensorProto.INT64, ["B", "N"]),
        info("positions", TensorProto.INT64, ["B", "N"]),
        info("writes", TensorProto.INT64, ["B", "N", 2]),
        info("reads", TensorProto.INT64, ["B", ROOM]),
        info("window_slots", TensorProto.INT64, ["B"]),
        info("log_count", FLOAT, ["B", "S"]),
    ]
    outputs = [
        info("logits", FLOAT, ["B", vocabulary]),
        info("top_scores", FLOAT, ["B", TOP]),
        info("top_tokens", TensorProto.INT64, ["B", TOP]),
        info("align", FLOAT, ["B", aligned, "N", "S"]),
    ]
    for layer in range(layers):
        for part in "kv":
            pool = ["texts", ROOM, heads * depth]
            inputs.append(info(f"self_{part}_{layer}", g.type, pool))
            outputs.append(info(f"self_{part}_out_{layer}", g.type, pool))
        inputs.append(info(f"cross_k_{layer}", g.type, ["windows", heads, depth, "S"]))
        inputs.append(info(f"cross_v_{layer}", g.type, ["windows", heads, "S", depth]))
    return inputs, outputs
