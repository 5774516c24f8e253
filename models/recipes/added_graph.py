"""What the recipes of graphs that the operator brings share."""

import pathlib
import sys

import onnx
from onnx import TensorProto

sys.path.insert(0, str(pathlib.Path(__file__).parent / "embedding"))

from unusable import Unusable, run  # noqa: E402, F401


def open_model(path: pathlib.Path):
    try:
        model = onnx.load(str(path), load_external_data=False)
        onnx.checker.check_model(model)
    except Exception as error:
        raise Unusable("the file is damaged: it is not a whole ONNX graph") from error
    if any(one.data_location == TensorProto.EXTERNAL for one in model.graph.initializer):
        raise Unusable("the graph has its weights in another file, which is not supported: add a form that has them inside")
    return model


def inputs_of(graph) -> dict:
    weights = {one.name for one in graph.initializer}
    return {one.name: one for one in graph.input if one.name not in weights}


def dimensions(value) -> list[int | None]:
    shape = value.type.tensor_type.shape.dim
    return [one.dim_value if one.HasField("dim_value") else None for one in shape]


def is_of(value, kind: int) -> bool:
    return value.type.tensor_type.elem_type == kind


def rename(graph, names: dict[str, str]) -> None:
    """Renames values. One inside the graph that has a new name already gets another."""
    taken = {new: f"{new}_inside" for old, new in names.items() if old != new and new not in names}
    _replace(graph, taken | {old: new for old, new in names.items() if old != new})


def _replace(graph, names: dict[str, str]) -> None:
    for node in graph.node:
        for values in (node.input, node.output):
            for at, name in enumerate(values):
                values[at] = names.get(name, name)
        for attribute in node.attribute:
            for inner in [attribute.g, *attribute.graphs]:
                _replace(inner, names)
    for values in (graph.input, graph.output, graph.value_info, graph.initializer):
        for value in values:
            value.name = names.get(value.name, value.name)
