"""Kokoro's prosody and decoder for a GPU: the graphs of build.py with what the CUDA provider lacks written in other operators.

8-bit sums become matrices, convolutions and recurrent layers in half precision, with the numbers that the 8-bit ones stand for;
everything between them stays in single precision, which a mean of squares needs. The transform of the harmonic source becomes a
convolution, and the arc tangent a polynomial. Inputs and outputs are those of build.py.

The graphs are of opset 18: the provider's kernels of Equal, ConstantOfShape and Pad end there.
"""

import math
import sys
from pathlib import Path

import numpy as np
from onnx import TensorProto, helper, numpy_helper

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1]))

from build import build_decoder, build_prosody, producers, prune  # noqa: E402
from cuda_operators import require_kernels  # noqa: E402

OPSET = 18
HALF, FLOAT = TensorProto.FLOAT16, TensorProto.FLOAT
# Their inputs and outputs are in half precision. The harmonic source is not: half of it would be heard as noise.
HEAVY = {"Conv", "ConvTranspose", "MatMul", "LSTM"}
SOURCE = "/decoder/decoder/generator/"
SILENT = 1e-5
# Coefficients of atan(x) / x in x squared, from 0 to 1 (Abramowitz and Stegun, 4.4.49); the error is at most 2e-8.
ARC = (1.0, -0.3333314528, 0.1999355085, -0.1420889944, 0.1065626393, -0.0752896400, 0.0429096138, -0.0161657367, 0.0028662257)


class Rewriter:
    def __init__(self, graph):
        self.graph = graph
        self.constants = {tensor.name: tensor for tensor in graph.initializer}
        self.by_output = producers(graph)
        self.readers: dict = {}
        for node in graph.node:
            for name in node.input:
                self.readers.setdefault(name, []).append(node)

    def array(self, name: str) -> np.ndarray:
        return numpy_helper.to_array(self.constants[name])

    def const(self, name: str, array: np.ndarray) -> str:
        if name not in self.constants:
            self.constants[name] = numpy_helper.from_array(np.ascontiguousarray(array), name)
            self.graph.initializer.append(self.constants[name])
        return name

    def replace(self, new: dict) -> None:
        """`new`: the nodes that stand in the place of one, by its first output."""
        nodes = []
        for node in self.graph.node:
            nodes += new.get(node.output[0], [node])
        del self.graph.node[:]
        self.graph.node.extend(nodes)
        prune(self.graph, [value.name for value in self.graph.output])
        self.__init__(self.graph)

    def plain(self, names: tuple[str, str, str], axis_first: bool) -> np.ndarray:
        """8-bit numbers with their scale and zero, as floats; scales are of the first axis or of the last."""
        numbers, scale, zero = (self.array(name) for name in names)
        spread = lambda a: a.reshape(-1, *[1] * (numbers.ndim - 1)) if axis_first and a.size > 1 else a
        return (numbers.astype(np.int32) - spread(zero).astype(np.int32)).astype(np.float32) * spread(scale)


def unquantised(graph) -> None:
    r, new = Rewriter(graph), {}
    for node in graph.node:
        if node.op_type in ("MatMulInteger", "ConvInteger"):
            last, scale, bias = chain(r, node)
            weights = r.plain((node.input[1], scale, node.input[3]), node.op_type == "ConvInteger")
            inputs = [r.by_output[node.input[0]].input[0], r.const(node.input[1] + "_plain", weights)]
            if bias:
                inputs.append(r.const(bias + "_flat", r.array(bias).reshape(-1)))
            made = helper.make_node(node.op_type.removesuffix("Integer"), inputs, [last.output[0]], name=node.name)
            made.attribute.extend(node.attribute)
            new[last.output[0]] = [made]
        elif node.op_type == "DynamicQuantizeLSTM":
            new[node.output[0]] = [plain_lstm(r, node)]
    r.replace(new)


def chain(r: Rewriter, node) -> tuple:
    """The multiplication that ends a layer, and the names of the weights' scale and of the bias."""
    name, bias = node.output[0], None
    while True:
        (reader,) = r.readers[name]
        (other,) = [part for part in reader.input if part != name] or [None]
        if reader.op_type == "Mul":
            (scale,) = [part for part in r.by_output[other].input if part in r.constants]
            return reader, scale, bias
        if reader.op_type == "Add":
            # The bias is divided by both scales and rounded, to be added to integers.
            while r.by_output[other].op_type != "Div":
                (other,) = [part for part in r.by_output[other].input if part in r.by_output]
            bias = r.by_output[other].input[0]
        name = reader.output[0]


def plain_lstm(r: Rewriter, node):
    given = list(node.input)
    weights = [
        r.const(given[at] + "_plain", r.plain((given[at], given[scale], given[scale + 1]), True).transpose(0, 2, 1))
        for at, scale in ((1, 8), (2, 10))
    ]
    made = helper.make_node("LSTM", [given[0], *weights, *given[3:7]], list(node.output), name=node.name)
    made.attribute.extend(a for a in node.attribute if a.name in ("direction", "hidden_size"))
    return made


def with_kernels(graph) -> None:
    """The transform as a convolution, the arc tangent as a polynomial, fused operators as what they are."""
    r, new = Rewriter(graph), {}
    for node in graph.node:
        if node.op_type == "STFT":
            new[node.output[0]] = transform(r, node)
        elif node.op_type == "Atan":
            new[node.output[0]] = arc_tangent(r, node)
        elif node.name == SOURCE + "Greater":
            # The phase of a negative number is half a turn ahead, as what rounding leaves in the published transform has it. Half a
            # turn back is another input for the generator, which is heard.
            new[node.output[0]] = [helper.make_node("GreaterOrEqual", list(node.input), list(node.output), name=node.name)]
        elif node.name == SOURCE + "Where_1":
            new[node.output[0]] = phase_of_sound(r, node)
        elif node.op_type == "FusedMatMul":
            at = {a.name: helper.get_attribute_value(a) for a in node.attribute}
            if at != {"transA": 1, "transB": 0, "transBatchA": 0, "transBatchB": 0, "alpha": 1.0}:
                raise ValueError(f"{node.name}: {at} is not known")
            turned = node.name + "turned"
            new[node.output[0]] = [
                helper.make_node("Transpose", [node.input[0]], [turned], name=turned, perm=[0, 2, 1]),
                helper.make_node("MatMul", [turned, node.input[1]], list(node.output), name=node.name),
            ]
    r.replace(new)


def transform(r: Rewriter, node) -> list:
    """[1, L] -> [1, rows, bins, 2], one-sided."""
    step, window = int(r.array(node.input[1])), r.array(node.input[2]).astype(np.float64)
    size, bins = window.size, window.size // 2 + 1
    angles = 2 * np.pi * np.outer(np.arange(bins), np.arange(size)) / size
    # The first and the last bin have no imaginary part; what rounding left of a sine is none either.
    sines = np.where(np.abs(np.sin(angles)) < 1e-9, 0, -np.sin(angles))
    basis = np.concatenate([window * np.cos(angles), window * sines])[:, None]
    name = node.name
    return [
        helper.make_node("Unsqueeze", [node.input[0], r.const(name + "/axis", np.array([1], np.int64))], [name + "/in"], name=name + "/in"),
        helper.make_node("Conv", [name + "/in", r.const(name + "/basis", basis.astype(np.float32))], [name + "/both"], name=name + "/both", strides=[step]),
        helper.make_node("Reshape", [name + "/both", r.const(name + "/shape", np.array([1, 2, bins, -1], np.int64))], [name + "/parts"], name=name + "/parts"),
        helper.make_node("Transpose", [name + "/parts"], list(node.output), name=name, perm=[0, 3, 2, 1]),
    ]


def phase_of_sound(r: Rewriter, node) -> list:
    """A bin without sound has the phase zero. What rounding leaves there is a phase, too, and differs from one machine to another."""
    inner, silent = node.name + "/any", node.name + "/silent"
    made = helper.make_node("Where", list(node.input), [inner], name=inner)
    least, zero = (r.const(f"{node.name}/{value!r}", np.array(value, np.float32)) for value in (SILENT, 0.0))
    return [
        made,
        helper.make_node("Less", [SOURCE + "Sqrt_output_0", least], [silent], name=silent),
        helper.make_node("Where", [silent, zero, inner], list(node.output), name=node.name),
    ]


def arc_tangent(r: Rewriter, node) -> list:
    name, nodes = node.name, []

    def op(kind: str, *inputs: str, out: str | None = None) -> str:
        out = out or f"{name}/{len(nodes)}"
        nodes.append(helper.make_node(kind, list(inputs), [out], name=out))
        return out

    number = lambda value: r.const(f"{name}/{value!r}", np.array(value, np.float32))
    size = op("Abs", node.input[0])
    is_steep = op("Greater", size, number(1.0))
    x = op("Where", is_steep, op("Div", number(1.0), size), size)
    square, sum_ = op("Mul", x, x), number(ARC[-1])
    for coefficient in reversed(ARC[:-1]):
        sum_ = op("Add", op("Mul", sum_, square), number(coefficient))
    angle = op("Mul", sum_, x)
    angle = op("Where", is_steep, op("Sub", number(math.pi / 2), angle), angle)
    op("Where", op("Less", node.input[0], number(0.0)), op("Neg", angle), angle, out=node.output[0])
    return nodes


def halved(graph) -> None:
    """Matrices, convolutions and recurrent layers in half precision."""
    r, nodes, cast = Rewriter(graph), [], {}

    def half(name: str) -> str:
        if not name:
            return name
        out = name + "_half"
        if name in r.constants:
            return r.const(out, r.array(name).astype(np.float16))
        if name not in cast:
            cast[name] = out
            nodes.append(helper.make_node("Cast", [name], [out], name=out, to=HALF))
        return out

    for node in list(graph.node):
        if node.op_type not in HEAVY or node.name.startswith(SOURCE):
            nodes.append(node)
            continue
        outputs = [name for name in node.output if name]
        made = helper.make_node(node.op_type, [half(name) for name in node.input], [name + "_narrow" if name else "" for name in node.output], name=node.name)
        made.attribute.extend(node.attribute)
        nodes.append(made)
        nodes += [helper.make_node("Cast", [name + "_narrow"], [name], name=name + "_wide", to=FLOAT) for name in outputs if name in r.readers]
    del graph.node[:]
    graph.node.extend(nodes)
    prune(graph, [value.name for value in graph.output])


def of_kernels(model, form: str):
    graph = model.graph
    unquantised(graph)
    with_kernels(graph)
    if form == "fp16":
        halved(graph)
    for node in graph.node:
        kept = [a for a in node.attribute if a.name != "saturate"]
        del node.attribute[:]
        node.attribute.extend(kept)
    made = helper.make_model(
        graph,
        opset_imports=[helper.make_opsetid("", OPSET), helper.make_opsetid("com.microsoft", 1)],
        ir_version=9,
        producer_name="trunkline",
    )
    return require_kernels(made)


def build_device_prosody(model, form: str):
    return of_kernels(build_prosody(model), form)


def build_device_decoder(model, form: str):
    return of_kernels(build_decoder(model), form)
