"""The encoder: log-mel window in, the decoder's cross-attention keys and values out (so they are made once a window).

Whisper was trained on windows of 30 s and reads short audio well only with silence up to there. Silence is the same
everywhere, so it is folded: a row may stand for several at once. Its position is that of their middle, and the
logarithm of their count is added to every score against it, which is what that many equal keys would do to a softmax.
A clip of 3 s then costs about 360 rows, not 1500, and is heard as well. A window without folds has log_count 0.
"""

from onnx import TensorProto, helper

from graph import CONTRIB, FLOAT, Graph


def build_encoder(weights, form: str):
    """mel [1, bands, T] (T even, at most 3000), positions [S], log_count [S]
    -> cross_k_i [1, H, D, S], cross_v_i [1, H, S, D], S = T/2."""
    g = Graph(form)
    heads = weights.scalar("encoder/num_heads")
    width = weights("encoder/conv1/bias").size
    x = _convolutions(g, weights)
    bias = _bias(g)
    for layer in range(weights.layers("encoder")):
        x = _attention(g, weights, x, bias, f"encoder/layer_{layer}/self_attention", heads, width)
        x = g.feed_forward(weights, x, f"encoder/layer_{layer}/ffn")
    x = g.layer_norm(weights, x, "encoder/layer_norm")
    outputs = _cross_caches(g, weights, x, heads, width)
    bands = weights("encoder/conv1/weight").shape[1]
    info = helper.make_tensor_value_info
    inputs = [
        info("mel", FLOAT, [1, bands, "T"]),
        info("positions", TensorProto.INT64, ["S"]),
        info("log_count", FLOAT, ["S"]),
    ]
    return g.model(inputs, outputs, "whisper_encoder")


def _convolutions(g: Graph, weights) -> str:
    x = "mel"
    for number, stride in ((1, 1), (2, 2)):
        path = f"encoder/conv{number}"
        kernel, bias = (g.const(weights(f"{path}/{part}"), f"{path}/{part}") for part in ("weight", "bias"))
        x = g.op("Gelu", [g.op("Conv", [x, kernel, bias], kernel_shape=[3], pads=[1, 1], strides=[stride])])
    x = g.op("Transpose", [x], perm=[0, 2, 1])
    table = g.const(weights("encoder/position_encodings/encodings"), "encoder/positions")
    return g.op("Add", [x, g.op("Gather", [table, "positions"], axis=0)])


def _bias(g: Graph) -> str:
    """log_count [S] -> what is added to the scores, [1, 1, S, S]."""
    size = g.op("Shape", ["log_count"])
    shape = g.op("Concat", [g.ints(1, 1), size, size], axis=0)
    return g.op("Expand", ["log_count", shape])


def _attention(g: Graph, weights, x: str, bias: str, path: str, heads: int, width: int) -> str:
    y = g.layer_norm(weights, x, path + "/layer_norm")
    q, k, v = (g.linear(weights, y, path + "/linear_0", slice(i * width, (i + 1) * width)) for i in range(3))
    # The fused operator never holds the whole [S, S] score matrix.
    y = g.op("MultiHeadAttention", [q, k, v, "", "", bias], domain=CONTRIB, num_heads=heads)
    return g.op("Add", [x, g.linear(weights, y, path + "/linear_1")])


def _cross_caches(g: Graph, weights, x: str, heads: int, width: int) -> list:
    depth = width // heads
    # A head's scores are scaled by 1/sqrt(depth); it is folded into the keys.
    scale = depth**-0.5
    outputs = []
    for layer in range(weights.layers("decoder")):
        path = f"decoder/layer_{layer}/attention/linear_1"
        k = g.linear(weights, x, path, slice(0, width), scale)
        v = g.linear(weights, x, path, slice(width, 2 * width))
        split = g.ints(0, 0, heads, depth)
        g.op("Transpose", [g.op("Reshape", [k, split])], f"cross_k_{layer}", perm=[0, 2, 3, 1])
        g.op("Transpose", [g.op("Reshape", [v, split])], f"cross_v_{layer}", perm=[0, 2, 1, 3])
        outputs.append(helper.make_tensor_value_info(f"cross_k_{layer}", FLOAT, [1, heads, depth, "S"]))
        outputs.append(helper.make_tensor_value_info(f"cross_v_{layer}", FLOAT, [1, heads, "S", depth]))
    return outputs
