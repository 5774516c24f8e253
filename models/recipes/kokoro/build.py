"""Kokoro-82M as published (one 8-bit graph) -> the two graphs that native/tts streams.

    python3 build.py IN OUT

reads IN/kokoro/kokoro.onnx and writes OUT/kokoro/front.onnx and OUT/kokoro/generator.onnx.

front      tokens, style, speed, pitch, range, center [1] -> x [1,512,T], harmonics [1,22,60T+1], durations [1,N] (frames of
           25 ms a token), f0 [1,1,T] (hertz, before any change); T frames of 12.5 ms. A voiced frame's pitch becomes
           pitch * center * (f0 / center) ^ range; with pitch 1 and range 1 it is the published model.
generator  style, x, harmonics, statistics [1,K], mix [1] -> audio, measured [1,K]

The generator normalises its layers by means over the whole utterance. Here those means are `measured`, and what it
uses is mix * statistics + (1 - mix) * measured: with mix 0 it is the published model to the bit of a float; with mix 1
every window of an utterance is normalised alike, so that windows join without a seam.

Its convolutions are written in floating point: 8-bit activations are scaled by each window's own maximum, which is
heard at the seams. Needs numpy and onnx alone; nothing depends on a clock, a path or the order of a sum.
"""

import copy
import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

X = "/decoder/decoder/decode.3/Div_4_output_0"
HARMONICS = "/decoder/decoder/generator/Concat_3_output_0"
F0 = "/encoder/F0_proj/Conv_output_0"
DURATIONS = "/encoder/Clip_output_0"
UNVOICED = 10.0  # hertz: the harmonic source takes anything below for silence or noise


def producers(graph) -> dict:
    return {output: node for node in graph.node for output in node.output}


def prune(graph, outputs: list[str]) -> None:
    """Keeps what the outputs need."""
    by_output = producers(graph)
    keep, stack = set(), list(outputs)
    while stack:
        node = by_output.get(stack.pop())
        if node is None or id(node) in keep:
            continue
        keep.add(id(node))
        stack += [name for name in node.input if name]
    nodes = [node for node in graph.node if id(node) in keep]
    used = {name for node in nodes for name in node.input}
    initializers = [tensor for tensor in graph.initializer if tensor.name in used]
    del graph.node[:], graph.initializer[:], graph.value_info[:]
    graph.node.extend(nodes)
    graph.initializer.extend(initializers)


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


def open_prosody(graph) -> None:
    """The pitch that everything after the predictor sees goes through pitch, range and center."""
    for name, value in (("unvoiced", UNVOICED), ("at_least", 1.0)):
        graph.initializer.append(numpy_helper.from_array(np.array([value], np.float32), f"prosody_{name}"))
    made = [
        ("Greater", ["f0", "prosody_unvoiced"], "f0_voiced"),
        ("Max", ["f0", "prosody_at_least"], "f0_positive"),
        ("Div", ["f0_positive", "center"], "f0_relative"),
        ("Pow", ["f0_relative", "range"], "f0_ranged"),
        ("Mul", ["f0_ranged", "center"], "f0_centered"),
        ("Mul", ["f0_centered", "pitch"], "f0_pitched"),
        ("Where", ["f0_voiced", "f0_pitched", "f0"], "f0_spoken"),
    ]
    nodes = []
    for node in graph.node:
        for i, name in enumerate(node.input):
            if name == F0:
                node.input[i] = "f0_spoken"
        nodes.append(node)
        if F0 not in node.output:
            continue
        nodes.append(helper.make_node("Identity", [F0], ["f0"], name="f0"))
        nodes += [helper.make_node(kind, inputs, [out], name=out) for kind, inputs, out in made]
    del graph.node[:]
    graph.node.extend(nodes)
    for name in ("pitch", "range", "center"):
        graph.input.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, [1]))


def build_front(model):
    front = copy.deepcopy(model)
    graph = front.graph
    del graph.output[:]
    open_prosody(graph)
    graph.output.append(helper.make_tensor_value_info("f0", TensorProto.FLOAT, [1, 1, None]))
    for source, name, shape in (
        (X, "x", [1, 512, None]),
        (HARMONICS, "harmonics", [1, 22, None]),
        (DURATIONS, "durations", [1, None]),
    ):
        graph.node.append(helper.make_node("Identity", [source], [name], name=name))
        graph.output.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, shape))
    prune(graph, [value.name for value in graph.output])
    return front


def channels_of(node, graph, by_output) -> int:
    """How many channels a mean is taken over: the length of the affine weights that follow it."""
    scope = node.name.rsplit("/", 1)[0]
    for tensor in graph.initializer:
        if scope.strip("/").replace("/", ".") in tensor.name.replace("/", ".") and "norm" in tensor.name:
            return int(np.prod(tensor.dims))
    # decoder's adain layers: blocks 0-2 and noise 0 work on 256 channels, the others on 128
    block = scope.split("/")[-2]
    index = int(block.split(".")[-1])
    return 256 if (block.startswith("resblocks") and index < 3) or (block.startswith("noise_res") and index == 0) else 128


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


def main(food: pathlib.Path, out: pathlib.Path) -> None:
    model = onnx.load(str(food / "kokoro.onnx"))
    out.mkdir(parents=True, exist_ok=True)
    for name, built in (("front", build_front(model)), ("generator", build_generator(model))):
        (out / f"{name}.onnx").write_bytes(built.SerializeToString(deterministic=True))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]) / "kokoro", pathlib.Path(sys.argv[2]) / "kokoro")
