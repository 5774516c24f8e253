"""A Piper voice whose noise comes in from outside, so that a seed gives the same speech again.

    python3 build.py IN OUT

reads IN/piper-joe/joe.onnx and writes OUT/piper-joe/joe-seeded.onnx: the same graph with two inputs in place of its
two random nodes, duration_noise [1,2,N] and noise [1,192,N]. It uses as many columns as it needs.
"""

import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

NOISES = {"/dp/RandomNormalLike": ("duration_noise", 2), "/RandomNormalLike": ("noise", 192)}


def constant(graph, name: str, values: list[int]) -> str:
    graph.initializer.append(numpy_helper.from_array(np.array(values, np.int64), name))
    return name


def take_noise_from_outside(graph) -> None:
    zero = constant(graph, "noise_zero", [0])
    axis = constant(graph, "noise_axis", [2])
    nodes = []
    for node in graph.node:
        if node.op_type != "RandomNormalLike":
            nodes.append(node)
            continue
        name, channels = NOISES[node.name]
        nodes.append(helper.make_node("Shape", [node.input[0]], [f"{name}_shape"], name=f"{name}_shape"))
        nodes.append(
            helper.make_node("Gather", [f"{name}_shape", axis], [f"{name}_length"], name=f"{name}_length", axis=0)
        )
        nodes.append(
            helper.make_node("Slice", [name, zero, f"{name}_length", axis], [node.output[0]], name=f"{name}_slice")
        )
        graph.input.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, channels, f"{name}_columns"]))
    del graph.node[:]
    graph.node.extend(nodes)


def main(food: pathlib.Path, out: pathlib.Path) -> None:
    model = onnx.load(str(food / "joe.onnx"))
    take_noise_from_outside(model.graph)
    del model.graph.value_info[:]
    out.mkdir(parents=True, exist_ok=True)
    (out / "joe-seeded.onnx").write_bytes(model.SerializeToString(deterministic=True))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]) / "piper-joe", pathlib.Path(sys.argv[2]) / "piper-joe")
