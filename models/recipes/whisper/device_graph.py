"""A graph for a GPU: matrices in fp16, and only operators that the CUDA provider has in that type."""

import numpy as np
from onnx import TensorProto

from graph import Graph

TYPES = {"fp16": (np.float16, TensorProto.FLOAT16), "fp32": (np.float32, TensorProto.FLOAT)}

# What keeps a node on the processor, with a copy on either side of it: 8-bit products, their quantization, and attention
# whose kernel knows one type alone.
FORBIDDEN = frozenset(
    {
        "MatMulInteger",
        "ConvInteger",
        "DynamicQuantizeLinear",
        "DynamicQuantizeLSTM",
        "DynamicQuantizeMatMul",
        "MatMulNBits",
        "QLinearMatMul",
        "GroupQueryAttention",
        "FusedConv",
    }
)


class DeviceGraph(Graph):
    """`form`: fp16, or fp32 for tests that compare exactly."""

    def __init__(self, form: str):
        super().__init__("fp32")
        self.number, self.type = TYPES[form]

    def const(self, array, name: str | None = None) -> str:
        array = np.asarray(array)
        return super().const(array.astype(self.number) if array.dtype == np.float32 else array, name)

    def heads(self, x: str, heads: int, depth: int, order=(0, 2, 1, 3)) -> str:
        """[B, N, heads * depth] -> [B, heads, N, depth], or in another order."""
        return self.op("Transpose", [self.op("Reshape", [x, self.ints(0, 0, heads, depth)])], perm=list(order))

    def model(self, inputs: list, outputs: list, name: str):
        model = super().model(inputs, outputs, name)
        used = {node.op_type for node in model.graph.node}
        if used & FORBIDDEN:
            raise ValueError(f"{name}: {sorted(used & FORBIDDEN)} would stay on the processor")
        return model
