"""A Piper voice in three parts, so that a clause's first sound waits for a stretch of it and not for all.

    python3 build.py IN OUT

reads IN/piper-joe/joe.onnx and writes OUT/piper-joe/joe-text.onnx, joe-flow.onnx and joe-decoder.onnx.

text     input, input_lengths, scales, duration_noise [1,2,N] -> mean, deviation [1,192,T], durations [1,1,N] (frames a sound);
         T frames of 256 samples. The noise stands in place of the graph's first random node and has as many columns as the
         input, so that a seed gives the same speech again.
flow     sounds [1,192,T] (mean + noise * scale * deviation, in place of the second random node), mask [1,1,T] (ones)
         -> latent [1,192,T].
decoder  latent -> audio. Convolutions alone: a frame of sound depends on eleven frames at each side, so stretches that are
         made with them join without a seam.
"""

import copy
import pathlib
import sys

import onnx
from onnx import TensorProto, helper

DURATION_NOISE = "/dp/RandomNormalLike"
# What each part takes from outside and gives, by its name in the published graph.
TEXT_GIVES = {
    "/Transpose_3_output_0": ("mean", [1, 192, None]),
    "/Exp_1_output_0": ("deviation", [1, 192, None]),
    "/Ceil_output_0": ("durations", [1, 1, None]),
}
FLOW_TAKES = {"/Add_output_0": ("sounds", [1, 192, None]), "/Cast_2_output_0": ("mask", [1, 1, None])}
LATENT = {"/Mul_7_output_0": ("latent", [1, 192, None])}
AUDIO = {"output": ("audio", [1, 1, 1, None])}


def prune(graph) -> None:
    """Keeps what the outputs need."""
    by_output = {output: node for node in graph.node for output in node.output}
    keep, stack = set(), [value.name for value in graph.output]
    while stack:
        node = by_output.get(stack.pop())
        if node is None or id(node) in keep:
            continue
        keep.add(id(node))
        stack += [name for name in node.input if name]
    nodes = [node for node in graph.node if id(node) in keep]
    used = {name for node in nodes for name in node.input}
    initializers = [tensor for tensor in graph.initializer if tensor.name in used]
    inputs = [value for value in graph.input if value.name in used]
    del graph.node[:], graph.initializer[:], graph.value_info[:], graph.input[:]
    graph.node.extend(nodes)
    graph.initializer.extend(initializers)
    graph.input.extend(inputs)


def cut(model, takes: dict, gives: dict):
    """What lies between the tensors that are taken and those that are given."""
    part = copy.deepcopy(model)
    graph = part.graph
    nodes = [node for node in graph.node if not takes.keys() & set(node.output)]
    for node in nodes:
        for i, name in enumerate(node.input):
            if name in takes:
                node.input[i] = takes[name][0]
    del graph.node[:], graph.output[:]
    graph.node.extend(nodes)
    for name, shape in takes.values():
        graph.input.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, shape))
    for source, (name, shape) in gives.items():
        graph.node.append(helper.make_node("Identity", [source], [name], name=name))
        graph.output.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, shape))
    prune(graph)
    return part


def forget_shapes(model):
    """Of long graphs: the runtime's plan for memory compares every value whose shape is partly known with every free buffer, in
    vain where a size is open, which takes the most of opening it. Values of no known shape it leaves alone."""
    for value in model.graph.input:
        value.type.tensor_type.ClearField("shape")
    return model


def parts(model) -> dict:
    noise = next(node for node in model.graph.node if node.name == DURATION_NOISE)
    return {
        "text": forget_shapes(cut(model, {noise.output[0]: ("duration_noise", [1, 2, None])}, TEXT_GIVES)),
        "flow": forget_shapes(cut(model, FLOW_TAKES, LATENT)),
        "decoder": cut(model, LATENT, AUDIO),
    }


def main(food: pathlib.Path, out: pathlib.Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    for name, part in parts(onnx.load(str(food / "joe.onnx"))).items():
        (out / f"joe-{name}.onnx").write_bytes(part.SerializeToString(deterministic=True))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]) / "piper-joe", pathlib.Path(sys.argv[2]) / "piper-joe")
