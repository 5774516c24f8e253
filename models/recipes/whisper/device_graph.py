"""A graph for a GPU: matrices in fp16, and only operators that the CUDA provider has in that type."""

import pathlib
import sys

import numpy as np
from onnx import TensorProto

from graph import Graph

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

from cuda_operators import require_kernels  # noqa: E402

TYPES = {"fp16": (np.float16, TensorProto.FLOAT16), "fp32": (np.float32, TensorProto.FLOAT)}

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
        return require_kernels(super().model(inputs, outputs, name))
