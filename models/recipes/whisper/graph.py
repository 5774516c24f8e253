"""A small ONNX graph builder that knows the weight formats a matrix may be stored in."""

import numpy as np
from onnx import TensorProto, helper, numpy_helper

FLOAT = TensorProto.FLOAT
CONTRIB = "com.microsoft"
BLOCK = 32  # columns that share a scale in the 8-bit block format
FORMATS = ("fp32", "int8", "block8")


class Graph:
    """`form` is how matrices are stored:
    fp32    plain;
    int8    one scale per output column, activations quantised per tensor while running;
    block8  one scale per 32 inputs (MatMulNBits), activations quantised per row and block: costs a little
            more than int8 and stays with the float model where int8 drifts.
    """

    def __init__(self, form: str):
        if form not in FORMATS:
            raise ValueError(f"format: expected one of {FORMATS}, received {form}")
        self.form = form
        self.nodes: list = []
        self._constants: dict = {}
        self._quantised_inputs: dict[str, list[str]] = {}
        self._count = 0

    def const(self, array, name: str | None = None) -> str:
        name = name or f"const_{len(self._constants)}"
        if name not in self._constants:
            self._constants[name] = numpy_helper.from_array(np.ascontiguousarray(array), name)
        return name

    def ints(self, *values: int) -> str:
        return self.const(np.array(values, np.int64), "ints_" + "_".join(map(str, values)).replace("-", "m"))

    def op(self, kind: str, inputs: list[str], out: str | None = None, **attributes) -> str:
        return self.ops(kind, inputs, [out or self.fresh()], **attributes)[0]

    def ops(self, kind: str, inputs: list[str], outs: list[str], domain: str = "", **attributes) -> list[str]:
        self.nodes.append(
            helper.make_node(kind, inputs, outs, name=f"{kind}_{len(self.nodes)}", domain=domain, **attributes)
        )
        return outs

    def matmul(self, x: str, weight: np.ndarray, name: str) -> str:
        """x · weightᵀ, `weight` being [outputs, inputs]."""
        if self.form == "int8":
            return self._matmul_int8(x, weight, name)
        if self.form == "block8":
            return self._matmul_block8(x, weight, name)
        return self.op("MatMul", [x, self.const(weight.T, name)])

    def embedding(self, tokens: str, weight: np.ndarray, name: str) -> str:
        """Rows of the matrix that `matmul` of the same name stores: the table is kept once."""
        if self.form == "int8":
            rows = self.op("Transpose", [self.op("Gather", [name + "_q", tokens], axis=1)], perm=[1, 2, 0])
            scale = self.op("Unsqueeze", [self.op("Gather", [name + "_s", tokens], axis=0), self.ints(-1)])
            return self.op("Mul", [self.op("Cast", [rows], to=FLOAT), scale])
        if self.form == "block8":
            rows = self.op("Cast", [self.op("Gather", [name + "_q", tokens], axis=0)], to=FLOAT)
            rows = self.op("Sub", [rows, self.const(np.array(128, np.float32), "block_zero")])
            scale = self.op("Unsqueeze", [self.op("Gather", [name + "_s", tokens], axis=0), self.ints(-1)])
            return self.op("Reshape", [self.op("Mul", [rows, scale]), self.ints(0, 0, weight.shape[1])])
        return self.op("Transpose", [self.op("Gather", [self.const(weight.T, name), tokens], axis=1)], perm=[1, 2, 0])

    def linear(self, weights, x: str, path: str, rows: slice = slice(None), scale: float = 1.0) -> str:
        name = path if rows == slice(None) else f"{path}_{rows.start}"
        y = self.matmul(x, weights(path + "/weight")[rows] * np.float32(scale), name)
        if path + "/bias" not in weights:
            return y
        return self.op("Add", [y, self.const(weights(path + "/bias")[rows] * np.float32(scale), name + "_bias")])

    def layer_norm(self, weights, x: str, path: str, out: str | None = None) -> str:
        gamma, beta = (self.const(weights(f"{path}/{part}"), f"{path}/{part}") for part in ("gamma", "beta"))
        return self.op("LayerNormalization", [x, gamma, beta], out, axis=-1, epsilon=1e-5)

    def feed_forward(self, weights, x: str, path: str) -> str:
        y = self.layer_norm(weights, x, path + "/layer_norm")
        y = self.op("Gelu", [self.linear(weights, y, path + "/linear_0")])
        return self.op("Add", [x, self.linear(weights, y, path + "/linear_1")])

    def model(self, inputs: list, outputs: list, name: str):
        graph = helper.make_graph(self.nodes, name, inputs, outputs, list(self._constants.values()))
        opsets = [helper.make_opsetid("", 20), helper.make_opsetid(CONTRIB, 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=9, producer_name="trunkline")

    def fresh(self) -> str:
        self._count += 1
        return f"t{self._count}"

    def _matmul_int8(self, x: str, weight: np.ndarray, name: str) -> str:
        scale = np.maximum(np.abs(weight).max(1), 1e-8) / np.float32(127)
        self.const(np.rint(weight / scale[:, None]).astype(np.int8).T, name + "_q")
        self.const(scale.astype(np.float32), name + "_s")
        if x not in self._quantised_inputs:
            outs = [f"{x}_{part}" for part in ("u8", "scale", "zero")]
            self._quantised_inputs[x] = self.ops("DynamicQuantizeLinear", [x], outs)
        quantised, x_scale, zero = self._quantised_inputs[x]
        # One for each matrix: where the processor lacks VNNI, the runtime moves weights and their zero to unsigned bytes, and
        # cannot move the same zero twice.
        weight_zero = self.const(np.array(0, np.int8), name + "_zero")
        y = self.op("MatMulInteger", [quantised, name + "_q", zero, weight_zero])
        return self.op("Mul", [self.op("Cast", [y], to=FLOAT), self.op("Mul", [x_scale, name + "_s"])])

    def _matmul_block8(self, x: str, weight: np.ndarray, name: str) -> str:
        outputs, inputs = weight.shape
        blocks = weight.reshape(outputs, inputs // BLOCK, BLOCK)
        scale = np.maximum(np.abs(blocks).max(2), 1e-8) / np.float32(127)
        levels = np.clip(np.rint(blocks / scale[..., None]) + 128, 0, 255).astype(np.uint8)
        self.const(levels, name + "_q")
        self.const(scale.astype(np.float32), name + "_s")
        return self.op(
            "MatMulNBits", [x, name + "_q", name + "_s"],
            domain=CONTRIB, K=inputs, N=outputs, bits=8, block_size=BLOCK, accuracy_level=4,
        )
