"""Kokoro's generator as a graph for a GPU: windows of many calls, all of one length, in a run.

    python3 device_generator.py GENERATOR.bin OUT.onnx [fp16|fp32]

It does the sums of native/tts/generator.h with the same weights (build.py writes them). The means that normalise its layers
come from outside, so a window needs none of the frames that it does not hold, except for CONTEXT of them on either side,
whose samples must not be played. A clause that ends within its window is filled up by zeros; the masks keep them out of
every layer, so that its samples are what they would be alone.

Needs numpy and onnx alone; the same inputs give the same bytes on every machine.
"""

import pathlib
import struct
import sys

import numpy as np
from onnx import TensorProto, helper, numpy_helper

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

from cuda_operators import require_kernels  # noqa: E402

CONTEXT = 20  # frames of 12.5 ms
CHANNELS = (256, 128)
STRIDES = (10, 6)
TAPS = (3, 7, 11)
DILATIONS = (1, 3, 5)
STYLE = 128
BINS = 11
HOP = 5
TYPES = {"fp16": (np.float16, TensorProto.FLOAT16), "fp32": (np.float32, TensorProto.FLOAT)}
FLOAT = TensorProto.FLOAT


def read_weights(blob: bytes) -> dict[str, np.ndarray]:
    if blob[:8] != b"TLGW0001":
        raise ValueError("this is no file of generator weights")
    (count,), at, weights = struct.unpack_from("<I", blob, 8), 12, {}
    for _ in range(count):
        (length,) = struct.unpack_from("<H", blob, at)
        name = blob[at + 2 : at + 2 + length].decode()
        kind, rank = struct.unpack_from("<BB", blob, at + 2 + length)
        at += 4 + length
        shape = struct.unpack_from(f"<{rank}I", blob, at)
        (scale,) = struct.unpack_from("<f", blob, at + 4 * rank)
        at += 4 * rank + 4
        numbers = np.frombuffer(blob, "<i1" if kind else "<f4", int(np.prod(shape)), at).reshape(shape)
        at += numbers.nbytes
        weights[name] = numbers.astype(np.float32) * np.float32(scale)
    return weights


class Generator:
    def __init__(self, weights: dict[str, np.ndarray], form: str):
        self.weights = weights
        self.number, self.type = TYPES[form]
        self.nodes, self.constants = [], {}

    def const(self, name: str, array: np.ndarray, kept: bool = False) -> str:
        if name not in self.constants:
            array = array if kept or array.dtype != np.float32 else array.astype(self.number)
            self.constants[name] = numpy_helper.from_array(np.ascontiguousarray(array), name)
        return name

    def ints(self, *values: int) -> str:
        return self.const("ints_" + "_".join(map(str, values)).replace("-", "m"), np.array(values, np.int64))

    def op(self, kind: str, inputs: list[str], out: str | None = None, **attributes) -> str:
        out = out or f"t{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [out], name=f"{kind}_{len(self.nodes)}", **attributes))
        return out

    def half(self, x: str) -> str:
        return self.op("Cast", [x], to=self.type)

    def conv(self, x: str, name: str, **attributes) -> str:
        parts = [self.const(f"{name}.{part}", self.weights[f"{name}.{part}"]) for part in ("weight", "bias")]
        return self.op("Conv" if not name.startswith("ups") else "ConvTranspose", [x, *parts], **attributes)

    def leaky(self, x: str, slope: float) -> str:
        return self.op("LeakyRelu", [x], alpha=slope)

    def rows(self, source: str, first: int, count: int) -> str:
        return self.op("Slice", [source, self.ints(first), self.ints(first + count), self.ints(1)])

    def activation(self, x: str, block: str, layer: str, channels: int, mask: str) -> str:
        """Normalised by the given statistics, shifted by the style, then snake; zero outside of the clause."""
        norm, alpha = f"{block}.adain{layer}", self.weights[f"{block}.alpha{layer}"]
        fc = self.weights[f"{norm}.fc.weight"] * self.weights[f"{norm}.fc.scale"]
        styled = self.op(
            "Gemm",
            ["style", self.const(f"{norm}.fc", fc, True), self.const(f"{norm}.fc.bias", self.weights[f"{norm}.fc.bias"], True)],
        )
        mean_at, variance_at = (int(n) for n in self.weights[f"{norm}.statistics"])
        gain = self.op("Add", [self.rows(styled, 0, channels), self.const("one", np.ones(1, np.float32), True)])
        variance = self.op("Max", [self.rows("statistics", variance_at, channels), self.const("zero", np.zeros(1, np.float32), True)])
        variance = self.op("Add", [variance, self.const("epsilon", np.array([1e-5], np.float32), True)])
        scale = self.op("Div", [gain, self.op("Sqrt", [variance])])
        moved = self.op("Mul", [self.rows("statistics", mean_at, channels), scale])
        offset = self.op("Sub", [self.rows(styled, channels, channels), moved])
        scale, offset = (self.half(self.op("Unsqueeze", [n, self.ints(2)])) for n in (scale, offset))
        y = self.op("Add", [self.op("Mul", [x, scale]), offset])
        name = f"{block}.alpha{layer}"
        by = self.const(name, alpha.reshape(1, -1, 1))
        wave = self.op("Sin", [self.op("Mul", [y, by])])
        inverse = self.const(name + ".inverse", (1 / alpha.astype(np.float64)).astype(np.float32).reshape(1, -1, 1))
        y = self.op("Add", [y, self.op("Mul", [self.op("Mul", [wave, wave]), inverse])])
        return self.op("Mul", [y, mask])

    def block(self, x: str, name: str, channels: int, taps: int, mask: str) -> str:
        for j, dilation in enumerate(DILATIONS):
            y = x
            for half, spread in ((1, dilation), (2, 1)):
                y = self.activation(y, name, f"{half}.{j}", channels, mask)
                pad = (taps - 1) * spread // 2
                y = self.conv(y, f"{name}.convs{half}.{j}", pads=[pad, pad], dilations=[spread], kernel_shape=[taps])
            x = self.op("Add", [x, y])
        return x

    def level(self, x: str, which: int, mask: str) -> str:
        channels, stride = CHANNELS[which], STRIDES[which]
        x = self.conv(x, f"ups.{which}", strides=[stride], pads=[stride // 2] * 2, kernel_shape=[2 * stride])
        if which == 1:  # the first row mirrors the second of the others
            second = self.op("Slice", [x, self.ints(1), self.ints(2), self.ints(2)])
            x = self.op("Concat", [second, x], axis=2)
        taps = (12, 1)[which]
        noise = self.conv("harmonics_half", f"noise_convs.{which}", strides=[(6, 1)[which]], pads=[(3, 0)[which]] * 2, kernel_shape=[taps])
        x = self.op("Add", [x, self.block(noise, f"noise_res.{which}", channels, (7, 11)[which], mask)])
        blocks = [self.block(x, f"resblocks.{3 * which + i}", channels, TAPS[i], mask) for i in range(3)]
        total = self.op("Add", [self.op("Add", blocks[:2]), blocks[2]])
        third = self.const("third", np.array([1 / 3], np.float32))
        return self.op("Mul", [self.leaky(self.op("Mul", [total, third]), (0.1, 0.01)[which]), mask])

    def sound(self, spectrum: str) -> None:
        """The inverse transform, in single precision: an exponential outgrows half of it."""
        spectrum = self.op("Cast", [spectrum], to=FLOAT)
        axis = self.ints(1)
        size = self.op("Exp", [self.op("Slice", [spectrum, self.ints(0), self.ints(BINS), axis])])
        phase = self.op("Sin", [self.op("Slice", [spectrum, self.ints(BINS), self.ints(2 * BINS), axis])])
        parts = [self.op("Mul", [size, self.op(kind, [phase])]) for kind in ("Cos", "Sin")]
        both = self.op("Mul", [self.op("Concat", parts, axis=1), "sound_mask"])
        basis = self.const("inverse_basis", self.weights["inverse_basis"], True)
        self.op("ConvTranspose", [both, basis], "audio", strides=[HOP], kernel_shape=[4 * HOP])

    def build(self):
        self.op("Cast", ["harmonics"], "harmonics_half", to=self.type)
        masks = [self.half("frame_mask"), self.half("sound_mask")]
        x = self.leaky(self.half("x"), 0.1)
        for which in (0, 1):
            x = self.level(x, which, masks[which])
        self.sound(self.conv(x, "conv_post", pads=[3, 3], kernel_shape=[7]))
        info, size = helper.make_tensor_value_info, int(self.weights["statistics"][0])
        inputs = [
            info("x", FLOAT, ["B", 512, "T"]),
            info("harmonics", FLOAT, ["B", 2 * BINS, "R"]),
            info("style", FLOAT, ["B", STYLE]),
            info("statistics", FLOAT, ["B", size]),
            info("frame_mask", FLOAT, ["B", 1, "T10"]),
            info("sound_mask", FLOAT, ["B", 1, "R"]),
        ]
        outputs = [info("audio", FLOAT, ["B", 1, "samples"])]
        graph = helper.make_graph(self.nodes, "kokoro_generator_device", inputs, outputs, list(self.constants.values()))
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9, producer_name="trunkline")
        return require_kernels(model)


def build_device_generator(weights: dict[str, np.ndarray], form: str):
    """x [B, 512, T], harmonics [B, 22, 60T+1], style [B, 128], statistics [B, size], masks of the clause's rows
    [B, 1, 10T] and [B, 1, 60T+1] -> audio [B, 1, 300T+20], before the window's sum is divided out."""
    return Generator(weights, form).build()


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    made = build_device_generator(read_weights(pathlib.Path(sys.argv[1]).read_bytes()), *(sys.argv[3:] or ["fp16"]))
    pathlib.Path(sys.argv[2]).write_bytes(made.SerializeToString(deterministic=True))
