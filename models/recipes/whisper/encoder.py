"""The encoder: log-mel window in, the decoder's cross-attention keys and values out (so they are made once a window)."""

from onnx import helper

from graph import CONTRIB, FLOAT, Graph


def build_encoder(weights, form: str):
    """mel [1, bands, T] (T even, at most 3000) -> cross_k_i [1, H, D, S], cross_v_i [1, H, S, D], S = T/2."""
    g = Graph(form)
    heads = weights.scalar("encoder/num_heads")
    width = weights("encoder/conv1/bias").size
    x = _convolutions(g, weights)
    for layer in range(weights.layers("encoder")):
        x = _attention(g, weights, x, f"encoder/layer_{layer}/self_attention", heads, width)
        x = g.feed_forward(weights, x, f"encoder/layer_{layer}/ffn")
    x = g.layer_norm(weights, x, "encoder/layer_norm")
    outputs = _cross_caches(g, weights, x, heads, width)
    bands = weights("encoder/conv1/weight").shape[1]
    mel = helper.make_tensor_value_info("mel", FLOAT, [1, bands, "T"])
    return g.model([mel], outputs, "whisper_encoder")


def _convolutions(g: Graph, weights) -> str:
    x = "mel"
    for number, stride in ((1, 1), (2, 2)):
        path = f"encoder/conv{number}"
        kernel, bias = (g.const(weights(f"{path}/{part}"), f"{path}/{part}") for part in ("weight", "bias"))
        x = g.op("Gelu", [g.op("Conv", [x, kernel, bias], kernel_shape=[3], pads=[1, 1], strides=[stride])])
    x = g.op("Transpose", [x], perm=[0, 2, 1])
    steps = g.op("Slice", [g.op("Shape", [x]), g.ints(1), g.ints(2)])
    positions = g.const(weights("encoder/position_encodings/encodings"), "encoder/positions")
    return g.op("Add", [x, g.op("Slice", [positions, g.ints(0), steps, g.ints(0)])])


def _attention(g: Graph, weights, x: str, path: str, heads: int, width: int) -> str:
    y = g.layer_norm(weights, x, path + "/layer_norm")
    q, k, v = (g.linear(weights, y, path + "/linear_0", slice(i * width, (i + 1) * width)) for i in range(3))
    # The fused operator never holds the whole [S, S] score matrix.
    y = g.op("MultiHeadAttention", [q, k, v], domain=CONTRIB, num_heads=heads)
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
