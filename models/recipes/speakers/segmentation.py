"""pyannote segmentation 3.0: ten seconds of audio in, who of at most three speaks in each frame out.

A. Plaquet and H. Bredin, "Powerset multi-class cross entropy loss for neural speaker diarization", Interspeech 2023.
"""

import math

import numpy as np
from onnx import TensorProto, helper

from layers import Layers

RATE = 16_000
LEAKY = 0.01
# The filters of the first layer: M. Ravanelli and Y. Bengio, "Speaker Recognition from Raw Waveform with SincNet".
FILTER_TAPS, FILTER_STRIDE = 251, 10
LEAST_LOW_HZ = LEAST_BAND_HZ = 50
LSTM_LAYERS, LSTM_SIZE = 4, 128
CLASSES = 7


def build_segmentation(state: dict):
    """audio [B, 1, N] -> log_probability [B, F, 7]: nobody, 1, 2, 3, 1+2, 1+3, 2+3."""
    g = Layers(state)
    x = g.instance_norm("audio", "sincnet.wav_norm1d")
    x = g.op("Conv", [x, g.const(sinc_filters(state), "filters")], kernel_shape=[FILTER_TAPS], strides=[FILTER_STRIDE])
    x = _pooled(g, g.op("Abs", [x]), 0)
    for number in (1, 2):
        x = _pooled(g, g.conv(x, f"sincnet.conv1d.{number}", kernel_shape=[5]), number)
    x = g.op("Transpose", [x], perm=[2, 0, 1])  # [F, B, C], as the operator takes it
    for layer in range(LSTM_LAYERS):
        x = _lstm(g, x, layer)
    x = g.op("Transpose", [x], perm=[1, 0, 2])
    for number in (0, 1):
        x = g.op("LeakyRelu", [_linear(g, x, f"linear.{number}")], alpha=LEAKY)
    g.op("LogSoftmax", [_linear(g, x, "classifier")], "log_probability", axis=-1)
    info = helper.make_tensor_value_info
    return g.model(
        [info("audio", TensorProto.FLOAT, ["B", 1, "N"])],
        [info("log_probability", TensorProto.FLOAT, ["B", "F", CLASSES])],
        "segmentation",
    )


def sinc_filters(state: dict) -> np.ndarray:
    """[80, 1, 251]: a cosine and a sine for each of the bands that were learnt."""
    half = FILTER_TAPS // 2
    low_raw, band_raw = (state[f"sincnet.conv1d.0.filterbank.{name}_hz_"].reshape(-1) for name in ("low", "band"))
    # The window and times are functions of the taps alone; the checkpoint's own copies are used, as they were trained with.
    window = [float(w) for w in state["sincnet.conv1d.0.filterbank.window_"]]
    times = [float(t) for t in state["sincnet.conv1d.0.filterbank.n_"].reshape(-1)]
    cosines, sines = [], []
    for one, two in zip(low_raw, band_raw):
        low = LEAST_LOW_HZ + abs(float(one))
        high = min(max(low + LEAST_BAND_HZ + abs(float(two)), LEAST_LOW_HZ), RATE / 2)
        band = high - low
        left_cos, left_sin = [], []
        for t, w in zip(times, window):
            lower, upper = low * t, high * t
            left_cos.append((math.sin(upper) - math.sin(lower)) / (t / 2) * w)
            left_sin.append((math.cos(lower) - math.cos(upper)) / (t / 2) * w)
        cosines.append([*left_cos, 2 * band, *reversed(left_cos)])
        sines.append([*left_sin, 0.0, *(-v for v in reversed(left_sin))])
        for filters in (cosines, sines):
            filters[-1] = [v / (2 * band) for v in filters[-1]]
    assert len(cosines[0]) == 2 * half + 1
    return np.array(cosines + sines, np.float64).astype(np.float32)[:, None]


def _pooled(g: Layers, x: str, number: int) -> str:
    x = g.op("MaxPool", [x], kernel_shape=[3], strides=[3])
    return g.op("LeakyRelu", [g.instance_norm(x, f"sincnet.norm1d.{number}")], alpha=LEAKY)


def _linear(g: Layers, x: str, path: str) -> str:
    y = g.op("MatMul", [x, g.const(g.weight(path + ".weight").T, path + ".weight")])
    return g.op("Add", [y, g.const(g.weight(path + ".bias"), path + ".bias")])


def _gates(matrix: np.ndarray) -> np.ndarray:
    """PyTorch's gates are input, forget, cell, output; the operator's are input, output, forget, cell."""
    i, f, c, o = np.split(matrix, 4)
    return np.concatenate([i, o, f, c])


def _lstm(g: Layers, x: str, layer: int) -> str:
    both = ("", "_reverse")
    path = f"lstm.{{}}_l{layer}"
    stack = lambda name: np.stack([_gates(g.weight(path.format(name) + way)) for way in both])  # noqa: E731
    bias = np.concatenate([stack("bias_ih"), stack("bias_hh")], axis=1)
    parts = [("w", stack("weight_ih")), ("r", stack("weight_hh")), ("b", bias)]
    inputs = [x, *(g.const(part, f"lstm_{layer}_{name}") for name, part in parts)]
    y = g.op("LSTM", inputs, hidden_size=LSTM_SIZE, direction="bidirectional")  # [F, 2, B, H]
    y = g.op("Transpose", [y], perm=[0, 2, 1, 3])
    return g.op("Reshape", [y, g.ints(0, 0, 2 * LSTM_SIZE)])
