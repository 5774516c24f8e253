"""Moonshine's weights by the names of its layers: those of the published graphs, whose matrices are stored in 8 bits."""

import numpy as np

from ort_reader import OrtGraph, read_ort

QUANTISED = {"MatMulIntegerToFloat": (3, 5, 6), "DynamicQuantizeMatMul": (2, 3, 4)}  # scale, zero, bias
ENDS = ("/MatMul_quant", "/LayerNormalization")


class Weights:
    """Weights("encoder/layers.0/mlp/fc1/weight") has the shape [outputs, inputs]."""

    def __init__(self, encoder: bytes, decoder: bytes):
        self._arrays = {}
        graph = read_ort(encoder)
        self._take("encoder", graph, graph.constants)
        for name in ("conv1.weight", "conv2.weight", "conv3.weight"):
            self._arrays[f"encoder/{name}"] = graph.constants[name + "_add_tensor"]
        for name in ("conv2.bias", "conv3.bias", "layer_norm.weight"):
            self._arrays[f"encoder/{name}"] = graph.constants[name]
        (gain,) = [node for node in graph.nodes if node.name == "/groupnorm/Mul"]
        (shift,) = [node for node in graph.nodes if node.name == "/groupnorm/Add"]
        self._arrays["encoder/groupnorm/gain"] = graph.constants[gain.input[1]]
        self._arrays["encoder/groupnorm/shift"] = graph.constants[shift.input[1]]
        graph = read_ort(decoder)
        (choice,) = [node for node in graph.nodes if node.op_type == "If"]
        for branch in choice.graphs.values():
            self._take("decoder", branch, graph.constants | branch.constants)
        table = "model.decoder.embed_tokens.weight_merged_0"
        self._arrays["decoder/embeddings"] = _plain(*(graph.constants[table + end] for end in ("_quantized", "_scale", "_zero_point")))

    def _take(self, side: str, graph: OrtGraph, constants: dict) -> None:
        for node in graph.nodes:
            path = f"{side}/{node.name.removeprefix('/model/decoder').lstrip('/')}"
            for end in ENDS:
                path = path.removesuffix(end)
            if node.op_type == "LayerNormalization":
                self._arrays[path + "/gamma"] = constants[node.input[1]]
                self._arrays[path + "/beta"] = constants[node.input[2]]
            elif node.op_type in QUANTISED:
                scale, zero, bias = QUANTISED[node.op_type]
                self._arrays[path + "/weight"] = _plain(*(constants[node.input[i]] for i in (1, scale, zero))).T
                if bias < len(node.input) and node.input[bias]:
                    self._arrays[path + "/bias"] = constants[node.input[bias]]

    def __call__(self, name: str) -> np.ndarray:
        return self._arrays[name]

    def __contains__(self, name: str) -> bool:
        return name in self._arrays

    def names(self) -> list[str]:
        return list(self._arrays)

    def layers(self, side: str) -> int:
        return len({name.split("/")[1] for name in self._arrays if name.startswith(f"{side}/layers.")})


def _plain(numbers: np.ndarray, scale: np.ndarray, zero: np.ndarray) -> np.ndarray:
    return (numbers.astype(np.int32) - zero.astype(np.int32)).astype(np.float32) * scale
