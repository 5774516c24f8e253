"""Layers that both graphs are built from. Batch normalization after a convolution is folded into it."""

import sys
import pathlib

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "whisper"))

from graph import Graph  # noqa: E402

BATCH_EPSILON = 1e-5


class Layers(Graph):
    def __init__(self, weights: dict):
        super().__init__("fp32")
        self.weights = weights

    def weight(self, path: str) -> np.ndarray:
        return self.weights[path]

    def has(self, path: str) -> bool:
        return path in self.weights

    def conv(self, x: str, path: str, norm: str | None = None, **attributes) -> str:
        """A convolution, with the batch normalization `norm` folded in."""
        kernel = self.weight(path + ".weight")
        bias = self.weights.get(path + ".bias")
        if norm is not None:
            scale, shift = self._affine(norm)
            bias = shift if bias is None else np.float64(bias) * scale + shift
            kernel = np.float64(kernel) * scale.reshape(-1, *[1] * (kernel.ndim - 1))
        inputs = [x, self.const(np.float32(kernel), path + ".weight")]
        if bias is not None:
            inputs.append(self.const(np.float32(bias), path + ".bias"))
        return self.op("Conv", inputs, **attributes)

    def batch_norm_relu(self, x: str, path: str) -> str:
        """Over the channels of [B, C, T]."""
        scale, shift = (self.const(np.float32(part)[:, None], f"{path}.{name}")
                        for part, name in zip(self._affine(path), ("scale", "shift")))
        return self.op("Relu", [self.op("Add", [self.op("Mul", [x, scale]), shift])])

    def instance_norm(self, x: str, path: str) -> str:
        gamma, beta = (self.const(self.weight(f"{path}.{name}"), f"{path}.{name}") for name in ("weight", "bias"))
        return self.op("InstanceNormalization", [x, gamma, beta], epsilon=1e-5)

    def _affine(self, path: str) -> tuple[np.ndarray, np.ndarray]:
        mean, variance = (np.float64(self.weight(f"{path}.running_{name}")) for name in ("mean", "var"))
        scale = 1 / np.sqrt(variance + BATCH_EPSILON)
        if self.has(path + ".weight"):
            scale = scale * np.float64(self.weight(path + ".weight"))
        shift = -mean * scale
        if self.has(path + ".bias"):
            shift = shift + np.float64(self.weight(path + ".bias"))
        return scale, shift
