"""A Moonshine of any size -> the graphs that the engine runs on the processor, with the inputs and outputs of the published ones:
for the weights of transformers, which come without graphs. Matrices are in 8 bits."""

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from onnx import TensorProto, helper

sys.path.insert(0, str(Path(__file__).parents[1] / "whisper"))

from graph import FLOAT, Graph  # noqa: E402

BASE = 10000.0
# The longest audio that the engine gives has 709 rows, and a text fewer tokens.
POSITIONS = 1024
UNATTENDED = np.float32(-1e9)
PARTS = ("key", "value")


@dataclass
class Sizes:
    layers: int
    encoder_layers: int
    heads: int
    width: int
    # Of a head's numbers, in pairs.
    rotated: int

    @property
    def depth(self) -> int:
        return self.width // self.heads


class ProcessorGraph(Graph):
    def __init__(self, weights, sizes: Sizes):
        # Where activations have one scale for all rows (int8), decoding drifts from the words.
        super().__init__("block8")
        self.weights, self.sizes = weights, sizes
        # Numbers behind the rotated ones stay as they are: cosine 1, sine 0.
        angles = np.arange(POSITIONS)[:, None] / BASE ** (np.arange(0, sizes.rotated, 2) / sizes.rotated)
        tables = []
        for part, fill in ((np.cos(angles), 1), (np.sin(angles), 0)):
            table = np.pad(np.repeat(part, 2, axis=1), ((0, 0), (0, sizes.depth - sizes.rotated)), constant_values=fill)
            tables.append(np.tile(table.astype(np.float32), sizes.heads))
        # A pair (a, b) becomes (a cos - b sin, b cos + a sin).
        tables[1][:, 0::2] *= -1
        pairs = np.arange(sizes.width).reshape(-1, 2)[:, ::-1].reshape(-1)
        self.cosines, self.sines = self.const(tables[0], "cosines"), self.const(tables[1], "sines")
        self.partners = self.const(pairs.astype(np.int64), "partners")

    def turned(self, positions: str) -> list[str]:
        return [self.op("Gather", [table, positions], axis=0) for table in (self.cosines, self.sines)]

    def project(self, x: str, path: str) -> str:
        return self.linear(self.weights, x, path)

    def norm(self, x: str, path: str) -> str:
        return self.layer_norm(self.weights, x, path)

    def rotary(self, x: str, path: str, turned: list[str]) -> str:
        plain = self.project(x, path)
        other = self.op("Gather", [plain, self.partners], axis=2)
        return self.op("Add", [self.op("Mul", [plain, turned[0]]), self.op("Mul", [other, turned[1]])])

    def split(self, x: str, out: str | None = None) -> str:
        """[B, N, width] -> [B, heads, N, depth]"""
        parts = self.op("Reshape", [x, self.ints(0, 0, self.sizes.heads, self.sizes.depth)])
        return self.op("Transpose", [parts], out, perm=[0, 2, 1, 3])

    def attended(self, q: str, k: str, v: str, path: str, seen: str | None = None) -> str:
        scale = self.const(np.array(self.sizes.depth**-0.5, np.float32), "scale")
        scores = self.op("MatMul", [self.op("Mul", [q, scale]), self.op("Transpose", [k], perm=[0, 1, 3, 2])])
        if seen is not None:
            scores = self.op("Where", [seen, scores, self.const(UNATTENDED, "unattended")])
        y = self.op("MatMul", [self.op("Softmax", [scores], axis=-1), v])
        y = self.op("Reshape", [self.op("Transpose", [y], perm=[0, 2, 1, 3]), self.ints(0, 0, self.sizes.width)])
        return self.project(y, path + "/o_proj")

    def add(self, x: str, y: str) -> str:
        return self.op("Add", [x, y])

    def branch(self, name: str, kind: int, make):
        """The nodes that `make` makes, which see the values outside and are not seen there."""
        outer, quantised = self.nodes, self._quantised_inputs
        self.nodes, self._quantised_inputs = [], dict(quantised)
        value = make()
        nodes, self.nodes, self._quantised_inputs = self.nodes, outer, quantised
        return helper.make_graph(nodes, name, [], [helper.make_tensor_value_info(value, kind, None)])

    def choose(self, later, first, out: str | None = None, kind: int = FLOAT) -> str:
        """`later` with the caches of former runs, `first` without; each makes a value."""
        name = out or self.fresh()
        branches = {f"{side}_branch": self.branch(f"{name}_{side}", kind, make) for side, make in (("then", later), ("else", first))}
        return self.op("If", ["use_cache_branch"], name, **branches)


def build_encoder(weights, sizes: Sizes):
    """input_values [B, samples] -> last_hidden_state [B, rows, width]"""
    g = ProcessorGraph(weights, sizes)
    x = _convolutions(g)
    rows = g.op("Squeeze", [g.op("Shape", [x], start=1, end=2), g.ints(0)])
    turned = g.turned(g.op("Range", [_scalar(g, 0), rows, _scalar(g, 1)]))
    for layer in range(sizes.encoder_layers):
        path = f"encoder/layers.{layer}"
        y = g.norm(x, path + "/input_layernorm")
        q, k = (g.split(g.rotary(y, f"{path}/self_attn/{part}_proj", turned)) for part in "qk")
        v = g.split(g.project(y, path + "/self_attn/v_proj"))
        x = g.add(x, g.attended(q, k, v, path + "/self_attn"))
        y = g.norm(x, path + "/post_attention_layernorm")
        x = g.add(x, g.project(g.op("Gelu", [g.project(y, path + "/mlp/fc1")]), path + "/mlp/fc2"))
    gain = g.const(weights("encoder/layer_norm.weight"), "encoder/layer_norm")
    g.op("LayerNormalization", [x, gain, g.const(np.zeros(sizes.width, np.float32), "no_shift")], "last_hidden_state", axis=-1, epsilon=1e-5)
    info = helper.make_tensor_value_info
    return g.model([info("input_values", FLOAT, ["B", "samples"])], [info("last_hidden_state", FLOAT, ["B", "rows", sizes.width])], "moonshine_encoder")


def _scalar(g: ProcessorGraph, value: int) -> str:
    return g.const(np.array(value, np.int64), f"scalar_{value}")


def _convolutions(g: ProcessorGraph) -> str:
    def convolved(x: str, name: str, stride: int) -> str:
        kernel = g.weights(f"encoder/{name}.weight")
        bias = [g.const(g.weights(f"encoder/{name}.bias"), f"encoder/{name}.bias")] if f"encoder/{name}.bias" in g.weights else []
        return g.op("Conv", [x, g.const(kernel, f"encoder/{name}"), *bias], kernel_shape=[kernel.shape[2]], strides=[stride])

    x = g.op("Tanh", [convolved(g.op("Unsqueeze", ["input_values", g.ints(1)]), "conv1", 64)])
    # One group of all channels.
    x = g.op("Sub", [x, g.op("ReduceMean", [x, g.ints(1, 2)], keepdims=1)])
    variance = g.op("ReduceMean", [g.op("Mul", [x, x]), g.ints(1, 2)], keepdims=1)
    x = g.op("Div", [x, g.op("Sqrt", [g.op("Add", [variance, g.const(np.float32(1e-5), "epsilon")])])])
    gain, shift = (g.const(g.weights(f"encoder/groupnorm/{part}").reshape(1, -1, 1), f"encoder/groupnorm/{part}") for part in ("gain", "shift"))
    x = g.op("Add", [g.op("Mul", [x, gain]), shift])
    for name, stride in (("conv2", 3), ("conv3", 2)):
        x = g.op("Gelu", [convolved(x, name, stride)])
    return g.op("Transpose", [x], perm=[0, 2, 1])


def build_decoder(weights, sizes: Sizes):
    """input_ids [B, N] and the caches -> logits [B, 1, vocabulary] of the last token, and the caches. The first run, without
    use_cache_branch, computes those of the encoder's rows."""
    table = weights("decoder/embeddings")
    vocabulary = table.shape[0]
    g = ProcessorGraph(weights, sizes)
    last = _decoded(g, table)
    scores = g.matmul(g.norm(last, "decoder/norm"), table, "embeddings")
    g.op("Identity", [scores], "logits")
    info = helper.make_tensor_value_info
    inputs = [
        info("input_ids", TensorProto.INT64, ["B", "N"]),
        info("encoder_hidden_states", FLOAT, ["B", "rows", sizes.width]),
        info("use_cache_branch", TensorProto.BOOL, [1]),
    ]
    outputs = [info("logits", FLOAT, ["B", 1, vocabulary])]
    for layer in range(sizes.layers):
        for side, length in (("decoder", "tokens"), ("encoder", "rows")):
            for part in PARTS:
                inputs.append(info(f"past_key_values.{layer}.{side}.{part}", FLOAT, ["cached", sizes.heads, f"past_{length}", sizes.depth]))
                outputs.append(info(f"present.{layer}.{side}.{part}", FLOAT, ["B", sizes.heads, f"all_{length}", sizes.depth]))
    return g.model(inputs, outputs, "moonshine_decoder")


def _decoded(g: ProcessorGraph, table: np.ndarray) -> str:
    """-> the row of the last token, [B, 1, width]"""
    sizes = g.sizes
    # The last layer has the same table; it is kept once.
    x = g.embedding("input_ids", table, "embeddings")
    length = lambda value, axis: g.op("Squeeze", [g.op("Shape", [value], start=axis, end=axis + 1), g.ints(0)])
    past = g.choose(lambda: length("past_key_values.0.decoder.key", 2), lambda: g.op("Identity", [_scalar(g, 0)]), kind=TensorProto.INT64)
    total = g.op("Add", [past, length("input_ids", 1)])
    positions = g.op("Range", [past, total, _scalar(g, 1)])
    keys = g.op("Range", [_scalar(g, 0), total, _scalar(g, 1)])
    seen = g.op("LessOrEqual", [keys, g.op("Unsqueeze", [positions, g.ints(1)])])
    turned = g.turned(positions)
    for layer in range(sizes.layers):
        path = f"decoder/layers.{layer}"
        y = g.norm(x, path + "/input_layernorm")
        q = g.split(g.rotary(y, path + "/self_attn/q_proj", turned))
        made = {"key": g.split(g.rotary(y, path + "/self_attn/k_proj", turned)), "value": g.split(g.project(y, path + "/self_attn/v_proj"))}
        own = [_own(g, layer, part, made[part]) for part in PARTS]
        x = g.add(x, g.attended(q, *own, path + "/self_attn", seen))
        y = g.norm(x, path + "/post_attention_layernorm")
        q = g.split(g.project(y, path + "/encoder_attn/q_proj"))
        heard = [_heard(g, layer, part, f"{path}/encoder_attn/{part[0]}_proj") for part in PARTS]
        x = g.add(x, g.attended(q, *heard, path + "/encoder_attn"))
        y = g.norm(x, path + "/final_layernorm")
        inner = g.weights(path + "/mlp/fc1/weight").shape[0] // 2
        plain, gate = (g.linear(g.weights, y, path + "/mlp/fc1", slice(at, at + inner)) for at in (0, inner))
        y = g.op("Mul", [plain, g.op("Mul", [gate, g.op("Sigmoid", [gate])])])
        x = g.add(x, g.project(y, path + "/mlp/fc2"))
    return g.op("Slice", [x, g.ints(-1), g.ints(np.iinfo(np.int64).max), g.ints(1)])


def _own(g: ProcessorGraph, layer: int, part: str, made: str) -> str:
    past = f"past_key_values.{layer}.decoder.{part}"
    return g.choose(lambda: g.op("Concat", [past, made], axis=2), lambda: g.op("Identity", [made]), f"present.{layer}.decoder.{part}")


def _heard(g: ProcessorGraph, layer: int, part: str, path: str) -> str:
    past = f"past_key_values.{layer}.encoder.{part}"
    return g.choose(
        lambda: g.op("Identity", [past]), lambda: g.split(g.project("encoder_hidden_states", path)), f"present.{layer}.encoder.{part}"
    )
