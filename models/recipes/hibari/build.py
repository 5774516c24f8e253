"""hibari's voice as published -> the same graph, in which no product shares its weight with another.

    python3 build.py IN OUT

reads IN/hibari/published.onnx and writes OUT/hibari/hibari.onnx. On a processor without VNNI the inference library stores
8-bit weights as unsigned bytes (native/onnx/session.cc), under a name made from the weight's own; a weight that a second
product uses is stored twice under one name, and the graph does not open.

Needs onnx alone; nothing depends on a clock or a path.
"""

import pathlib
import sys

import onnx


def unshare(graph: onnx.GraphProto) -> None:
    """Every product after the first gets a copy of its weight and of the weight's zero point."""
    initializers = {tensor.name: tensor for tensor in graph.initializer}
    uses: dict[str, int] = {}
    for node in graph.node:
        if node.op_type != "MatMulInteger":
            continue
        for at in (1, 3):
            name = node.input[at]
            uses[name] = uses.get(name, 0) + 1
            if name in initializers and uses[name] > 1:
                copy = graph.initializer.add()
                copy.CopyFrom(initializers[name])
                copy.name = node.input[at] = f"{name}_{uses[name]}"


def main(given: pathlib.Path, out: pathlib.Path) -> None:
    model = onnx.load(given / "published.onnx")
    unshare(model.graph)
    out.mkdir(parents=True, exist_ok=True)
    (out / "hibari.onnx").write_bytes(model.SerializeToString(deterministic=True))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]) / "hibari", pathlib.Path(sys.argv[2]) / "hibari")
