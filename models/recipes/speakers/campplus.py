"""CAM++: features of speech in, a vector of the speaker out.

H. Wang et al., "CAM++: A Fast and Efficient Network for Speaker Verification Using Context-Aware Masking", Interspeech 2023.
"""

import numpy as np
from onnx import TensorProto, helper

from layers import Layers

FEATURES = 80
SIZE = 192
# Layers, and the dilation of their kernels, in each of the dense blocks.
BLOCKS = ((12, 1), (24, 2), (16, 2))
# Rows that share a context, beside the whole recording's.
SEGMENT = 100


def build_campplus(weights: dict):
    """features [B, T, 80] -> embedding [B, 192]; T is 4 or more."""
    g = Layers(weights)
    x = _front(g)
    x = g.op("Relu", [_conv1d(g, x, "xvector.tdnn.linear", "xvector.tdnn.nonlinear.batchnorm", 5, stride=2)])
    share, spread = _segments(g, x)
    for number, (layers, dilation) in enumerate(BLOCKS, 1):
        for layer in range(1, layers + 1):
            path = f"xvector.block{number}.tdnnd{layer}"
            x = g.op("Concat", [x, _dense_layer(g, x, path, dilation, share, spread)], axis=1)
        path = f"xvector.transit{number}"
        x = _conv1d(g, g.batch_norm_relu(x, path + ".nonlinear.batchnorm"), path + ".linear")
    x = g.batch_norm_relu(x, "xvector.out_nonlinear.batchnorm")
    x = _conv1d(g, _statistics(g, x), "xvector.dense.linear", "xvector.dense.nonlinear.batchnorm")
    g.op("Squeeze", [x, g.ints(-1)], "embedding")
    info = helper.make_tensor_value_info
    return g.model(
        [info("features", TensorProto.FLOAT, ["B", "T", FEATURES])],
        [info("embedding", TensorProto.FLOAT, ["B", SIZE])],
        "campplus",
    )


def _front(g: Layers) -> str:
    """Two-dimensional residual blocks over the bands: [B, T, 80] -> [B, 320, T]."""
    x = g.op("Unsqueeze", [g.op("Transpose", ["features"], perm=[0, 2, 1]), g.ints(1)])
    x = _relu_conv2d(g, x, "head.conv1", "head.bn1")
    for layer in (1, 2):
        for block in (0, 1):
            x = _residual(g, x, f"head.layer{layer}.{block}", 2 if block == 0 else 1)
    x = _relu_conv2d(g, x, "head.conv2", "head.bn2", 2)
    return g.op("Reshape", [x, g.ints(0, 320, -1)])


def _conv2d(g: Layers, x: str, path: str, norm: str, stride: int = 1, size: int = 3) -> str:
    pad = size // 2
    return g.conv(x, path, norm, kernel_shape=[size, size], strides=[stride, 1], pads=[pad] * 4)


def _relu_conv2d(g: Layers, x: str, path: str, norm: str, stride: int = 1) -> str:
    return g.op("Relu", [_conv2d(g, x, path, norm, stride)])


def _residual(g: Layers, x: str, path: str, stride: int) -> str:
    y = _relu_conv2d(g, x, path + ".conv1", path + ".bn1", stride)
    y = _conv2d(g, y, path + ".conv2", path + ".bn2")
    if g.has(path + ".shortcut.0.weight"):
        x = _conv2d(g, x, path + ".shortcut.0", path + ".shortcut.1", stride, 1)
    return g.op("Relu", [g.op("Add", [y, x])])


def _conv1d(g: Layers, x: str, path: str, norm: str | None = None, size: int = 1, stride: int = 1, dilation: int = 1):
    pad = (size - 1) // 2 * dilation
    shape = {"kernel_shape": [size], "strides": [stride], "dilations": [dilation], "pads": [pad, pad]}
    return g.conv(x, path, norm, **shape)


def _segments(g: Layers, x: str) -> tuple[str, str]:
    """share [T, G]: the mean of each segment of 100 rows as a product; spread [G, T]: each segment's value at its rows."""
    scalar = lambda value: g.const(np.array(value, np.int64), f"scalar_{value}")  # noqa: E731
    rows = g.op("Squeeze", [g.op("Shape", [x], start=2, end=3), g.ints(0)])
    count = g.op("Div", [g.op("Add", [rows, scalar(SEGMENT - 1)]), scalar(SEGMENT)])
    of_row = g.op("Div", [g.op("Range", [scalar(0), rows, scalar(1)]), scalar(SEGMENT)])
    segments = g.op("Range", [scalar(0), count, scalar(1)])
    member = g.op("Equal", [g.op("Unsqueeze", [segments, g.ints(1)]), g.op("Unsqueeze", [of_row, g.ints(0)])])
    spread = g.op("Cast", [member], to=TensorProto.FLOAT)
    sizes = g.op("ReduceSum", [spread, g.ints(1)], keepdims=1)
    return g.op("Transpose", [g.op("Div", [spread, sizes])], perm=[1, 0]), spread


def _dense_layer(g: Layers, x: str, path: str, dilation: int, share: str, spread: str) -> str:
    x = g.batch_norm_relu(x, path + ".nonlinear1.batchnorm")
    x = g.op("Relu", [_conv1d(g, x, path + ".linear1", path + ".nonlinear2.batchnorm")])
    y = _conv1d(g, x, path + ".cam_layer.linear_local", size=3, dilation=dilation)
    # The mask is the same for all rows of a segment, so it is computed once for each.
    whole = g.op("ReduceMean", [x, g.ints(-1)], keepdims=1)
    context = g.op("Add", [g.op("MatMul", [x, share]), whole])
    context = g.op("Relu", [_conv1d(g, context, path + ".cam_layer.linear1")])
    mask = g.op("Sigmoid", [_conv1d(g, context, path + ".cam_layer.linear2")])
    return g.op("Mul", [y, g.op("MatMul", [mask, spread])])


def _statistics(g: Layers, x: str) -> str:
    """Mean and standard deviation (of a sample) over time: [B, C, T] -> [B, 2C, 1]."""
    one = g.const(np.array(1, np.float32), "one")
    rows = g.op("Cast", [g.op("Shape", [x], start=2, end=3)], to=TensorProto.FLOAT)
    mean = g.op("ReduceMean", [x, g.ints(-1)], keepdims=1)
    apart = g.op("Sub", [x, mean])
    squares = g.op("ReduceSum", [g.op("Mul", [apart, apart]), g.ints(-1)], keepdims=1)
    deviation = g.op("Sqrt", [g.op("Div", [squares, g.op("Sub", [rows, one])])])
    return g.op("Concat", [mean, deviation], axis=1)
