"""The encoder for a GPU: many windows of one length in a run. It is that of encoder.py but for the batch and the type.

A window that is shorter than the others is filled up behind its end by rows of silence with log_count -10000, to which nobody
attends: its own rows come out as they would alone.
"""

from onnx import TensorProto, helper

from device_graph import DeviceGraph
from encoder import _attention
from graph import FLOAT


def build_device_encoder(weights, form: str):
    """mel [B, bands, T], positions [B, S], log_count [B, S] -> cross_k_i [B, H, D, S], cross_v_i [B, H, S, D], S = T/2."""
    g = DeviceGraph(form)
    heads, width = weights.scalar("encoder/num_heads"), weights("encoder/conv1/bias").size
    depth = width // heads
    x = g.op("Cast", ["mel"], to=g.type)
    for number, stride in ((1, 1), (2, 2)):
        path = f"encoder/conv{number}"
        kernel, bias = (g.const(weights(f"{path}/{part}"), f"{path}/{part}") for part in ("weight", "bias"))
        x = g.op("Gelu", [g.op("Conv", [x, kernel, bias], kernel_shape=[3], pads=[1, 1], strides=[stride])])
    table = g.const(weights("encoder/position_encodings/encodings"), "encoder/positions")
    x = g.op("Add", [g.op("Transpose", [x], perm=[0, 2, 1]), g.op("Gather", [table, "positions"], axis=0)])
    bias = _bias(g)
    for layer in range(weights.layers("encoder")):
        x = _attention(g, weights, x, bias, f"encoder/layer_{layer}/self_attention", heads, width)
        x = g.feed_forward(weights, x, f"encoder/layer_{layer}/ffn")
    x = g.layer_norm(weights, x, "encoder/layer_norm")
    info, outputs = helper.make_tensor_value_info, []
    for layer in range(weights.layers("decoder")):
        path = f"decoder/layer_{layer}/attention/linear_1"
        # A head's scores are scaled by 1/sqrt(depth); it is folded into the keys.
        k = g.linear(weights, x, path, slice(0, width), depth**-0.5)
        v = g.linear(weights, x, path, slice(width, 2 * width))
        g.op("Transpose", [g.op("Reshape", [k, g.ints(0, 0, heads, depth)])], f"cross_k_{layer}", perm=[0, 2, 3, 1])
        g.op("Transpose", [g.op("Reshape", [v, g.ints(0, 0, heads, depth)])], f"cross_v_{layer}", perm=[0, 2, 1, 3])
        outputs.append(info(f"cross_k_{layer}", g.type, ["B", heads, depth, "S"]))
        outputs.append(info(f"cross_v_{layer}", g.type, ["B", heads, "S", depth]))
    bands = weights("encoder/conv1/weight").shape[1]
    inputs = [
        info("mel", FLOAT, ["B", bands, "T"]),
        info("positions", TensorProto.INT64, ["B", "S"]),
        info("log_count", FLOAT, ["B", "S"]),
    ]
    return g.model(inputs, outputs, "whisper_encoder_device")


def _bias(g: DeviceGraph) -> str:
    """log_count [B, S] -> what is added to the scores, [B, 1, S, S]."""
    rows = g.op("Unsqueeze", [g.op("Cast", ["log_count"], to=g.type), g.ints(1, 2)])
    size = g.op("Shape", ["log_count"], start=1)
    return g.op("Expand", [rows, g.op("Concat", [g.ints(1, 1), size, g.ints(1)], axis=0)])
