"""What the published generator answers, for native/test/tts/generator_test.cc.

    python3 reference.py KOKORO.onnx native/test/vectors/kokoro_generator.bin

Makes a graph of the published generator with float convolutions (8-bit activations are scaled by each run's own maximum)
and the means that normalise its layers as an input beside their own, runs it on a made-up clause, and writes the float32
numbers: measured statistics, audio normalised by them, audio normalised by the test's statistics. Needs onnxruntime.
"""

import copy
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

from build import HARMONICS, X, channels_of, producers, prune

FRAMES = 12


class FloatConvolutions:
    """Turns DynamicQuantizeLinear -> ConvInteger -> (+ bias) -> Cast -> * scale into one Conv."""

    def __init__(self, graph):
        self.graph = graph
        self.constants = {tensor.name: tensor for tensor in graph.initializer}
        self.by_output = producers(graph)
        self.users: dict[str, list] = {}
        for node in graph.node:
            for name in node.input:
                self.users.setdefault(name, []).append(node)
        self.dropped: set[int] = set()
        self.replaced: dict[int, object] = {}

    def run(self) -> None:
        for node in list(self.graph.node):
            if node.op_type == "ConvInteger":
                self.replace(node)
        nodes = []
        for node in self.graph.node:
            if id(node) in self.replaced:
                nodes.append(self.replaced[id(node)])
            elif id(node) not in self.dropped:
                nodes.append(node)
        del self.graph.node[:]
        self.graph.node.extend(nodes)

    def only_user(self, name: str):
        (user,) = self.users[name]
        return user

    def replace(self, conv) -> None:
        quantised, weights, _, zero_point = conv.input
        source = self.by_output[quantised].input[0]
        self.dropped.add(id(conv))
        follower, bias = self.only_user(conv.output[0]), None
        if follower.op_type == "Add":
            bias = self.bias_behind(follower)
            self.dropped.add(id(follower))
            follower = self.only_user(follower.output[0])
        if follower.op_type != "Cast":
            raise ValueError(f"{conv.name}: expected a Cast, found {follower.op_type}")
        self.dropped.add(id(follower))
        scaled = self.only_user(follower.output[0])
        scale = self.by_output[scaled.input[1]].input[1]
        name = weights + "_float"
        self.graph.initializer.append(
            numpy_helper.from_array(self.dequantise(weights, zero_point, scale), name)
        )
        inputs = [source, name] + ([bias] if bias else [])
        made = helper.make_node("Conv", inputs, [scaled.output[0]], name=conv.name + "_float")
        made.attribute.extend(conv.attribute)
        self.replaced[id(scaled)] = made

    def bias_behind(self, add) -> str:
        """The published graph carries the bias through a division, a rounding and a cast: take it from their start."""
        node = self.by_output[add.input[1]]
        while node.op_type != "Div":
            node = self.by_output[node.input[0]]
        return node.input[0]

    def dequantise(self, weights: str, zero_point: str, scale: str) -> np.ndarray:
        integers = numpy_helper.to_array(self.constants[weights]).astype(np.float32)
        zero = numpy_helper.to_array(self.constants[zero_point]).astype(np.float32)
        factor = numpy_helper.to_array(self.constants[scale]).astype(np.float32)
        if factor.size > 1:
            factor = factor.reshape(-1, *([1] * (integers.ndim - 1)))
            zero = zero.reshape(factor.shape) if zero.size > 1 else zero
        return (integers - zero) * factor


def open_statistics(graph) -> int:
    """Every mean over time becomes mix * given + (1 - mix) * its own; the own ones leave as one tensor."""
    means = [node for node in graph.node if node.op_type == "ReduceMean"]
    by_output = producers(graph)
    sizes = [channels_of(node, graph, by_output) for node in means]
    nodes = []
    given = [f"given_{i}" for i in range(len(means))]
    graph.initializer.append(numpy_helper.from_array(np.array(sizes, np.int64), "statistics_sizes"))
    graph.initializer.append(numpy_helper.from_array(np.array([1, -1, 1], np.int64), "as_channels"))
    graph.initializer.append(numpy_helper.from_array(np.array([1, -1], np.int64), "as_row"))
    graph.initializer.append(numpy_helper.from_array(np.array([1], np.float32), "one"))
    nodes.append(helper.make_node("Split", ["statistics", "statistics_sizes"], given, name="split_statistics", axis=1))
    nodes.append(helper.make_node("Sub", ["one", "mix"], ["own_share"], name="own_share"))
    index = {id(node): i for i, node in enumerate(means)}
    for node in graph.node:
        nodes.append(node)
        i = index.get(id(node))
        if i is None:
            continue
        used, own = node.output[0], f"own_{i}"
        node.output[0] = own
        nodes.append(helper.make_node("Reshape", [given[i], "as_channels"], [f"shaped_{i}"], name=f"shape_{i}"))
        nodes.append(helper.make_node("Mul", [f"shaped_{i}", "mix"], [f"part_{i}"], name=f"part_{i}"))
        nodes.append(helper.make_node("Mul", [own, "own_share"], [f"rest_{i}"], name=f"rest_{i}"))
        nodes.append(helper.make_node("Add", [f"part_{i}", f"rest_{i}"], [used], name=f"used_{i}"))
        nodes.append(helper.make_node("Reshape", [own, "as_row"], [f"row_{i}"], name=f"row_{i}"))
    rows = [f"row_{i}" for i in range(len(means))]
    nodes.append(helper.make_node("Concat", rows, ["measured"], name="measured", axis=1))
    del graph.node[:]
    graph.node.extend(nodes)
    return sum(sizes)


def build_generator(model):
    generator = copy.deepcopy(model)
    graph = generator.graph
    cut = {X, HARMONICS}
    nodes = [node for node in graph.node if not cut & set(node.output)]
    style = copy.deepcopy(next(value for value in graph.input if value.name == "style"))
    del graph.node[:]
    graph.node.extend(nodes)
    prune(graph, ["audio"])
    FloatConvolutions(graph).run()
    prune(graph, ["audio"])
    for node in graph.node:
        for i, name in enumerate(node.input):
            node.input[i] = {X: "x", HARMONICS: "harmonics"}.get(name, name)
    total = open_statistics(graph)
    del graph.input[:]
    graph.input.append(style)
    graph.input.append(helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 512, "frames"]))
    graph.input.append(helper.make_tensor_value_info("harmonics", TensorProto.FLOAT, [1, 22, "steps"]))
    graph.input.append(helper.make_tensor_value_info("statistics", TensorProto.FLOAT, [1, total]))
    graph.input.append(helper.make_tensor_value_info("mix", TensorProto.FLOAT, [1]))
    graph.output.append(helper.make_tensor_value_info("measured", TensorProto.FLOAT, [1, total]))
    return generator


def waves(rows: int, columns: int, size: float, a: float, b: float) -> np.ndarray:
    r, c = np.arange(rows, dtype=np.float64)[:, None], np.arange(columns, dtype=np.float64)[None, :]
    return (size * np.sin(a * r + b * c + 0.01 * (r + 1) * c)).astype(np.float32)[None]


def main(model_path: str, out: str) -> None:
    generator = build_generator(onnx.load(model_path))
    session = onnxruntime.InferenceSession(generator.SerializeToString(), providers=["CPUExecutionProvider"])
    size = next(value.shape[1] for value in session.get_inputs() if value.name == "statistics")
    clause = {
        "style": waves(1, 256, 0.2, 0, 0.7)[0],
        "x": waves(512, FRAMES, 0.8, 0.37, 1.3),
        "harmonics": waves(22, 60 * FRAMES + 1, 0.5, 0.9, 0.11),
    }
    zero, one = np.zeros(1, np.float32), np.ones(1, np.float32)
    own, measured = session.run(["audio", "measured"], {**clause, "statistics": np.zeros((1, size), np.float32), "mix": zero})
    given = measured * (1 + 0.05 * np.sin(np.arange(size))).astype(np.float32)
    (other,) = session.run(["audio"], {**clause, "statistics": given, "mix": one})
    with open(out, "wb") as file:
        for numbers in (measured, own, other):
            file.write(numbers.astype("<f4").tobytes())


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
