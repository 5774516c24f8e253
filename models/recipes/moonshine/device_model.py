"""Moonshine for a GPU, unfused: only operators that the CUDA provider has, and the passes of many calls in a run.

The published graphs have a fused convolution that this provider refuses. These do their sums, with the same weights in half
precision, in the form that Whisper's have (models/recipes/whisper/device_encoder.py and device_decoder.py): windows of one
length, filled up behind their end by rows that nobody attends to, and pools of caches in which a step names the place of every
token. A row is 24 ms; the last ones of a window's audio complete its rows and become none of their own.
"""

import sys
from pathlib import Path

import numpy as np
from onnx import TensorProto, helper

sys.path.insert(0, str(Path(__file__).parents[1] / "whisper"))

from device_decoder import ROOM, UNATTENDED  # noqa: E402
from device_graph import DeviceGraph  # noqa: E402
from graph import FLOAT, Graph  # noqa: E402

HEADS = 8
ROW = 384  # samples
SPARE = 2  # rows of audio that complete the others
ROTATED = 32  # of a head's numbers, in pairs
BASE = 10000.0
POSITIONS = 1024
FRAMES = 6  # of the first convolution, in a row
LAST_FRAMES = 7  # that the last row reads beyond its own
INT64_MAX = np.iinfo(np.int64).max


class MoonshineGraph(DeviceGraph):
    def __init__(self, weights, form: str, width: int):
        super().__init__(form)
        self.weights, self.width, self.depth = weights, width, width // HEADS
        # Numbers behind the rotated ones stay as they are: cosine 1, sine 0.
        angles = np.arange(POSITIONS)[:, None] / BASE ** (np.arange(0, ROTATED, 2) / ROTATED)
        spread = [np.repeat(part, 2, axis=1) for part in (np.cos(angles), np.sin(angles))]
        rest = self.depth - ROTATED
        self.turns = [
            self.const(np.pad(table, ((0, 0), (0, rest)), constant_values=fill).astype(np.float32), name)
            for table, fill, name in ((spread[0], 1, "cosines"), (spread[1], 0, "sines"))
        ]

    def turned(self, positions: str) -> list[str]:
        """Cosines and sines at the positions [B, N], for each head alike: [B, N, width]."""
        return [self.op("Concat", [self.op("Gather", [table, positions], axis=0)] * HEADS, axis=2) for table in self.turns]

    def rotary(self, x: str, path: str, turned: list[str], scale: float = 1.0) -> str:
        """The linear layer, whose outputs are rotated by their position; the rotation's partner is a layer, too."""
        weight = self.weights(path + "/weight") * np.float32(scale)
        heads = weight.reshape(HEADS, self.depth, -1)
        partner = np.zeros_like(heads)
        partner[:, 0:ROTATED:2], partner[:, 1:ROTATED:2] = -heads[:, 1:ROTATED:2], heads[:, 0:ROTATED:2]
        plain = self.op("Mul", [self.matmul(x, weight, path), turned[0]])
        other = self.matmul(x, partner.reshape(weight.shape), path + "/partner")
        return self.op("Add", [plain, self.op("Mul", [other, turned[1]])])

    def attended(self, q: str, k: str, v: str, bias, path: str) -> str:
        """q [B, N, width], k [B, H, D, S], v [B, H, S, D]; `bias` adds to the scores. A head's scale is in q."""
        scores = bias(self.op("MatMul", [self.heads(q, HEADS, self.depth), k]))
        y = self.op("MatMul", [self.op("Softmax", [scores], axis=-1), v])
        y = self.op("Reshape", [self.op("Transpose", [y], perm=[0, 2, 1, 3]), self.ints(0, 0, self.width)])
        return self.linear(self.weights, y, path + "/o_proj")

    def norm(self, x: str, path: str) -> str:
        return self.layer_norm(self.weights, x, path)

    def hidden_bias(self) -> str:
        return self.op("Unsqueeze", [self.op("Cast", ["log_count"], to=self.type), self.ints(1, 2)])


def build_encoder(weights, form: str):
    """audio [B, 1, 384 S], positions [B, S], log_count [B, S] (0, or -10000 for what is no row) -> cross_k_i [B, H, D, S],
    cross_v_i [B, H, S, D]."""
    width = weights("encoder/layer_norm.weight").size
    g = MoonshineGraph(weights, form, width)
    x = _convolutions(g)
    turned, hidden = g.turned("positions"), g.hidden_bias()
    for layer in range(weights.layers("encoder")):
        path = f"encoder/layers.{layer}"
        y = g.norm(x, path + "/input_layernorm")
        q = g.rotary(y, path + "/self_attn/q_proj", turned, g.depth**-0.5)
        k = g.heads(g.rotary(y, path + "/self_attn/k_proj", turned), HEADS, g.depth, (0, 2, 3, 1))
        v = g.heads(g.linear(weights, y, path + "/self_attn/v_proj"), HEADS, g.depth)
        x = g.op("Add", [x, g.attended(q, k, v, lambda scores: g.op("Add", [scores, hidden]), path + "/self_attn")])
        y = g.norm(x, path + "/post_attention_layernorm")
        y = g.op("Gelu", [g.linear(weights, y, path + "/mlp/fc1")])
        x = g.op("Add", [x, g.linear(weights, y, path + "/mlp/fc2")])
    gain = g.const(weights("encoder/layer_norm.weight"), "encoder/layer_norm")
    x = g.op("LayerNormalization", [x, gain, g.const(np.zeros(width, np.float32), "no_shift")], axis=-1, epsilon=1e-5)
    outputs = []
    for layer in range(weights.layers("decoder")):
        path, info = f"decoder/layers.{layer}/encoder_attn", helper.make_tensor_value_info
        for part, order, shape in (("k", [0, 2, 3, 1], ["B", HEADS, g.depth, "S"]), ("v", [0, 2, 1, 3], ["B", HEADS, "S", g.depth])):
            made = g.op("Reshape", [g.linear(weights, x, f"{path}/{part}_proj"), g.ints(0, 0, HEADS, g.depth)])
            g.op("Transpose", [made], f"cross_{part}_{layer}", perm=order)
            outputs.append(info(f"cross_{part}_{layer}", g.type, shape))
    inputs = [
        helper.make_tensor_value_info("audio", FLOAT, ["B", 1, "samples"]),
        helper.make_tensor_value_info("positions", TensorProto.INT64, ["B", "S"]),
        helper.make_tensor_value_info("log_count", FLOAT, ["B", "S"]),
    ]
    return g.model(inputs, outputs, "moonshine_encoder_device")


def _convolutions(g: MoonshineGraph) -> str:
    """Audio -> rows. The first layer and its normalization are in single precision; the latter's sums leave out what is no row."""
    single = lambda name, array: Graph.const(g, np.asarray(array, np.float32), name)
    kernel = g.weights("encoder/conv1.weight")
    x = g.op("Tanh", [g.op("Conv", ["audio", single("encoder/conv1", kernel)], kernel_shape=[kernel.shape[2]], strides=[64])])
    is_row = g.op("Cast", [g.op("LessOrEqual", [single("least_count", [-1]), "log_count"])], to=FLOAT)
    rows = g.op("Unsqueeze", [g.op("ReduceSum", [is_row, g.ints(1)], keepdims=1), g.ints(1)])
    frames = g.op("Add", [g.op("Mul", [rows, single("row_frames", [FRAMES])]), single("last_frames", [LAST_FRAMES])])
    places = single("frame_places", np.arange(1, FRAMES * POSITIONS + 1).reshape(1, 1, -1))
    places = g.op("Slice", [places, g.ints(0), g.op("Shape", [x], start=2), g.ints(2)])
    mask = g.op("Cast", [g.op("LessOrEqual", [places, frames])], to=FLOAT)
    numbers = g.op("Mul", [frames, single("channels", [kernel.shape[0]])])
    mean = lambda of: g.op("Div", [g.op("ReduceSum", [g.op("Mul", [of, mask]), g.ints(1, 2)], keepdims=1), numbers])
    x = g.op("Sub", [x, mean(x)])
    spread = g.op("Sqrt", [g.op("Add", [mean(g.op("Mul", [x, x])), single("epsilon", [1e-5])])])
    gain, shift = (single(f"encoder/groupnorm/{part}", g.weights(f"encoder/groupnorm/{part}")) for part in ("gain", "shift"))
    x = g.op("Cast", [g.op("Add", [g.op("Mul", [g.op("Div", [x, spread]), gain]), shift])], to=g.type)
    for name, stride in (("conv2", 3), ("conv3", 2)):
        kernel = g.weights(f"encoder/{name}.weight")
        parts = [g.const(kernel, f"encoder/{name}"), g.const(g.weights(f"encoder/{name}.bias"), f"encoder/{name}.bias")]
        x = g.op("Gelu", [g.op("Conv", [x, *parts], kernel_shape=[kernel.shape[2]], strides=[stride])])
    x = g.op("Transpose", [x], perm=[0, 2, 1])
    # Copies stand in for the rows that the audio's end does not give.
    return g.op("Concat", [x, g.op("Slice", [x, g.ints(0), g.ints(SPARE), g.ints(1)])], axis=1)


def build_decoder(weights, form: str):
    """The inputs of Whisper's decoder for a GPU -> logits [B, vocabulary] and the pools."""
    table = weights("decoder/embeddings")
    vocabulary, width = table.shape
    g = MoonshineGraph(weights, form, width)
    x = g.op("Gather", [g.const(table, "embeddings"), "tokens"], axis=0)
    keys = g.const(np.arange(ROOM, dtype=np.int64).reshape(1, 1, 1, ROOM), "key_positions")
    seen = g.op("LessOrEqual", [keys, g.op("Unsqueeze", ["positions", g.ints(1, 3)])])
    unattended = g.const(UNATTENDED, "unattended")
    turned, hidden = g.turned("positions"), g.hidden_bias()
    layers = weights.layers("decoder")
    for layer in range(layers):
        path = f"decoder/layers.{layer}"
        y = g.norm(x, path + "/input_layernorm")
        q = g.rotary(y, path + "/self_attn/q_proj", turned, g.depth**-0.5)
        made = {"k": g.rotary(y, path + "/self_attn/k_proj", turned), "v": g.linear(weights, y, path + "/self_attn/v_proj")}
        pools = {}
        for part, order in (("k", (0, 2, 3, 1)), ("v", (0, 2, 1, 3))):
            g.op("ScatterND", [f"self_{part}_{layer}", "writes", made[part]], f"self_{part}_out_{layer}")
            places = g.op("Reshape", [f"self_{part}_out_{layer}", g.ints(-1, width)])
            pools[part] = g.heads(g.op("Gather", [places, "reads"], axis=0), HEADS, g.depth, order)
        causal = lambda scores: g.op("Where", [seen, scores, unattended])
        x = g.op("Add", [x, g.attended(q, pools["k"], pools["v"], causal, path + "/self_attn")])
        y = g.norm(x, path + "/post_attention_layernorm")
        q = g.linear(weights, y, path + "/encoder_attn/q_proj", scale=g.depth**-0.5)
        k, v = (g.op("Gather", [f"cross_{part}_{layer}", "window_slots"], axis=0) for part in "kv")
        x = g.op("Add", [x, g.attended(q, k, v, lambda scores: g.op("Add", [scores, hidden]), path + "/encoder_attn")])
        y = g.norm(x, path + "/final_layernorm")
        inner = weights(path + "/mlp/fc1/weight").shape[0] // 2
        plain, gate = (g.linear(weights, y, path + "/mlp/fc1", slice(at, at + inner)) for at in (0, inner))
        y = g.op("Mul", [plain, g.op("Mul", [gate, g.op("Sigmoid", [gate])])])
        x = g.op("Add", [x, g.linear(weights, y, path + "/mlp/fc2")])
    x = g.op("Squeeze", [g.op("Slice", [x, g.ints(-1), g.ints(INT64_MAX), g.ints(1)]), g.ints(1)])
    scores = g.matmul(g.norm(x, "decoder/norm"), weights("decoder/proj_out/weight"), "decoder/proj_out")
    g.op("Cast", [scores], "logits", to=FLOAT)
    info = helper.make_tensor_value_info
    inputs = [info(name, TensorProto.INT64, shape) for name, shape in _NUMBERS.items()] + [info("log_count", FLOAT, ["B", "S"])]
    outputs = [info("logits", FLOAT, ["B", vocabulary])]
    for layer in range(layers):
        for part, shape in (("k", [HEADS, g.depth, "S"]), ("v", [HEADS, "S", g.depth])):
            inputs.append(info(f"self_{part}_{layer}", g.type, ["texts", ROOM, width]))
            inputs.append(info(f"cross_{part}_{layer}", g.type, ["windows", *shape]))
            outputs.append(info(f"self_{part}_out_{layer}", g.type, ["texts", ROOM, width]))
    return g.model(inputs, outputs, "moonshine_decoder_device")


_NUMBERS = {
    "tokens": ["B", "N"],
    "positions": ["B", "N"],
    "writes": ["B", "N", 2],
    "reads": ["B", ROOM],
    "window_slots": ["B"],
}
