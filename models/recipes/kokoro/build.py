"""Kokoro-82M as published (one 8-bit graph) -> the graph and the weights that native/tts streams.

    python3 build.py IN OUT

reads IN/kokoro/kokoro.onnx and writes OUT/kokoro/prosody.onnx, OUT/kokoro/decoder.onnx and OUT/kokoro/generator.bin.

prosody    tokens, style, speed, pitch, range, center [1] -> sounds [1,512,T/2], hertz [1,T], energy [1,T], durations [1,N]
           (frames of 25 ms a token), f0 [1,1,T] (hertz, before any change); T frames of 12.5 ms. A voiced frame's pitch
           becomes pitch * center * (f0 / center) ^ range; with pitch 1 and range 1 it is the published model.
decoder    any stretch of sounds, hertz and energy, with style, phase [1,9,T] (radians of the nine harmonics at the middle of
           each frame) -> x [1,512,T], harmonics [1,22,60T+1]. Its 20 means over time are outputs (means [S]), and inputs
           (statistics [S]) unless `measure` is true: with given ones it is convolutions alone, so stretches join.
generator.bin holds the weights of everything behind x and harmonics, the 8-bit ones as integers, for native/tts/generator.h:
it does the published sums with floats, where the published graph scales 8-bit activations by each utterance's own maximum,
and takes the 88 means over time that normalise its layers from outside, so that stretches of an utterance join without a
seam. reference.py makes the same of the graph, for the test.

Needs numpy and onnx alone; nothing depends on a clock, a path or the order of a sum.
"""

import copy
import pathlib
import struct
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

SOUNDS = "/encoder/MatMul_1_output_0"
HERTZ = "/encoder/Reshape_output_0"
ENERGY = "/encoder/Reshape_1_output_0"
PHASE = "/decoder/decoder/generator/m_source/l_sin_gen/Mul_4_output_0"
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


def expose(graph, source: str, name: str) -> None:
    graph.node.append(helper.make_node("Identity", [source], [name], name=name))
    graph.output.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, None))


def forget_shapes(graph) -> None:
    """The runtime's plan for memory compares every value whose shape is partly known with every free buffer, in vain where a
    size is open: half of opening the graph. Values of no known shape it leaves alone."""
    for value in graph.input:
        value.type.tensor_type.ClearField("shape")


def build_prosody(model):
    prosody = copy.deepcopy(model)
    graph = prosody.graph
    del graph.output[:]
    open_prosody(graph)
    graph.output.append(helper.make_tensor_value_info("f0", TensorProto.FLOAT, None))
    for source, name in ((SOUNDS, "sounds"), (HERTZ, "hertz"), (ENERGY, "energy"), (DURATIONS, "durations")):
        expose(graph, source, name)
    prune(graph, [value.name for value in graph.output])
    forget_shapes(graph)
    return prosody


def open_means(graph) -> None:
    """Each mean over time is an output; where `measure` is false, `statistics` stands in its place."""
    means = [node for node in graph.node if node.op_type == "ReduceMean"]
    sizes = [decoder_channels(node, graph) for node in means]
    graph.initializer.append(numpy_helper.from_array(np.array(sizes, np.int64), "means_sizes"))
    graph.initializer.append(numpy_helper.from_array(np.array([-1], np.int64), "means_flat"))
    graph.initializer.append(numpy_helper.from_array(np.array([1, -1, 1], np.int64), "means_column"))
    given = [f"{node.name}_given" for node in means]
    nodes = [helper.make_node("Split", ["statistics", "means_sizes"], given, name="means_split", axis=0)]
    flat = []
    for node in graph.node:
        if node not in means:
            nodes.append(node)
            continue
        name, used = node.name, node.output[0]
        node.output[0] = f"{name}_own"
        nodes += [
            node,
            helper.make_node("Reshape", [f"{name}_given", "means_column"], [f"{name}_column"], name=f"{name}_column"),
            helper.make_node("Where", ["measure", f"{name}_own", f"{name}_column"], [used], name=f"{name}_used"),
            helper.make_node("Reshape", [f"{name}_own", "means_flat"], [f"{name}_flat"], name=f"{name}_flat"),
        ]
        flat.append(f"{name}_flat")
    nodes.append(helper.make_node("Concat", flat, ["means"], name="means", axis=0))
    del graph.node[:]
    graph.node.extend(nodes)
    graph.output.append(helper.make_tensor_value_info("means", TensorProto.FLOAT, None))
    graph.input.append(helper.make_tensor_value_info("statistics", TensorProto.FLOAT, None))
    graph.input.append(helper.make_tensor_value_info("measure", TensorProto.BOOL, None))


def decoder_channels(mean, graph) -> int:
    """How many channels a mean of the decoder is taken over: half of what its style gives, gains and shifts."""
    scope = mean.name.rsplit("/", 1)[0].strip("/").replace("/", ".").removeprefix("decoder.")
    (bias,) = [tensor for tensor in graph.initializer if tensor.name.endswith(f"{scope}.fc.bias")]
    return int(np.prod(bias.dims)) // 2


def build_decoder(model):
    decoder = copy.deepcopy(model)
    graph = decoder.graph
    style = copy.deepcopy(next(value for value in graph.input if value.name == "style"))
    given = {SOUNDS: "sounds", HERTZ: "hertz", ENERGY: "energy", PHASE: "phase"}
    for node in graph.node:
        for i, name in enumerate(node.input):
            if name in given:
                node.input[i] = given[name]
    del graph.output[:], graph.input[:]
    for source, name in ((X, "x"), (HARMONICS, "harmonics")):
        expose(graph, source, name)
    prune(graph, ["x", "harmonics"])
    graph.input.append(style)
    for name in given.values():
        graph.input.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, None))
    open_means(graph)
    forget_shapes(graph)
    return decoder


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


def norm_scopes(graph) -> dict[str, str]:
    """Which layer's means each normalisation uses: three blocks that read the same sound share theirs."""
    by_output = producers(graph)
    scopes = {}
    for node in graph.node:
        if node.op_type != "Mul" or not any(name.endswith("/Add_1_output_0") and "/adain" in name for name in node.input):
            continue
        own = next(name for name in node.input if name.endswith("/Add_1_output_0"))
        (other,) = [name for name in node.input if name != own]
        if by_output[other].op_type == "Div":
            scopes[own.rsplit("/", 1)[0]] = other.rsplit("/", 1)[0]
    return scopes


class WeightFile:
    """magic, u32 count; each: u16 length of the name, name, u8 kind (0 float, 1 int8), u8 rank, u32 sizes, f32 scale, numbers."""

    def __init__(self):
        self.count, self.body = 0, bytearray()

    def add(self, name: str, numbers: np.ndarray, scale: float = 1.0) -> None:
        kind = 1 if numbers.dtype == np.int8 else 0
        text = name.encode()
        self.body += struct.pack("<H", len(text)) + text + struct.pack("<BB", kind, numbers.ndim)
        self.body += struct.pack(f"<{numbers.ndim}I", *numbers.shape) + struct.pack("<f", scale)
        self.body += numbers.astype("<i1" if kind else "<f4").tobytes()
        self.count += 1

    def bytes(self) -> bytes:
        return b"TLGW0001" + struct.pack("<I", self.count) + bytes(self.body)


def build_weights(model) -> bytes:
    graph = model.graph
    constants = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    file, root = WeightFile(), "decoder.decoder.generator."
    for node in graph.node:
        if node.op_type != "ConvInteger" or "/generator/" not in node.name:
            continue
        weights, zero = constants[node.input[1]].astype(np.int32), constants[node.input[3]].astype(np.int32)
        scale = constants[node.input[1].removesuffix("_quantized") + "_scale"]
        name = node.name.split("/generator/")[1].split("/Conv")[0].replace("/", ".")
        file.add(f"{name}.weight", (weights - zero).astype(np.int8), float(scale))
        file.add(f"{name}.bias", constants[f"{root}{name}.bias"])
    floats = {"ups.0": "Mul", "ups.1": "Mul_1", "conv_post": "Mul_2"}
    for name, source in floats.items():
        file.add(f"{name}.weight", constants[f"/decoder/decoder/generator/{source}_output_0"])
        file.add(f"{name}.bias", constants[f"{root}{name}.bias"])
    for name in ("inverse_basis", "window_sum"):
        file.add(name, constants[f"{root}stft.istft.stft.{name}"])
    means = [node for node in graph.node if node.op_type == "ReduceMean" and "/generator/" in node.name]
    offsets, at = {}, 0
    for node in means:
        offsets[node.name] = at
        at += channels_of(node, graph, {})
    for scope, source in norm_scopes(graph).items():
        if "/generator/" not in scope:
            continue
        name = scope.split("/generator/")[1].replace("/", ".")
        block, layer = name.split(".adain")
        file.add(f"{block}.alpha{layer}", constants[f"{root}{block}.alpha{layer}"].reshape(-1))
        fc = constants[f"{root}{name}.fc.weight_quantized"]
        file.add(f"{name}.fc.weight", fc.astype(np.int8))
        file.add(f"{name}.fc.scale", constants[f"{root}{name}.fc.weight_scale"])
        file.add(f"{name}.fc.bias", constants[f"{root}{name}.fc.bias"])
        pair = [offsets[f"{source}/ReduceMean"], offsets[f"{source}/ReduceMean_2"]]
        file.add(f"{name}.statistics", np.array(pair, np.float32))
    file.add("statistics", np.array([at], np.float32))
    return file.bytes()


def main(food: pathlib.Path, out: pathlib.Path) -> None:
    model = onnx.load(str(food / "kokoro.onnx"))
    out.mkdir(parents=True, exist_ok=True)
    (out / "prosody.onnx").write_bytes(build_prosody(model).SerializeToString(deterministic=True))
    (out / "decoder.onnx").write_bytes(build_decoder(model).SerializeToString(deterministic=True))
    (out / "generator.bin").write_bytes(build_weights(model))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]) / "kokoro", pathlib.Path(sys.argv[2]) / "kokoro")
