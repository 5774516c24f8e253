"""Writes log_mel.bin: the reference log-mel in double precision of a signal that the test makes again for itself.

    python3 make_log_mel.py --regenerate      (needs numpy)
"""

import pathlib
import sys

import numpy as np


def signal(count: int) -> np.ndarray:
    """Two gliding tones and noise from a linear congruential generator; then silence."""
    state, out = 12345, np.zeros(count, np.float32)
    for i in range(count * 3 // 4):
        state = (state * 1664525 + 1013904223) % 2**32
        noise = state / 2**32 - 0.5
        t = i / 16000.0
        out[i] = 0.3 * np.sin(2 * np.pi * (200 + 900 * t) * t) + 0.1 * np.sin(2 * np.pi * 3100 * t) + 0.02 * noise
    return out


def bands() -> np.ndarray:
    def mel(hertz):
        hertz = np.asarray(hertz, float)
        return np.where(hertz < 1000, hertz * 3 / 200, 15 + np.log(np.maximum(hertz, 1) / 1000) * 27 / np.log(6.4))

    def hertz(mels):
        return np.where(mels < 15, mels * 200 / 3, 1000 * np.exp((mels - 15) * np.log(6.4) / 27))

    edges = hertz(np.linspace(0, mel(8000), 82))
    bins = np.linspace(0, 8000, 201)
    rise = (bins[None] - edges[:-2, None]) / np.diff(edges)[:-1, None]
    fall = (edges[2:, None] - bins[None]) / np.diff(edges)[1:, None]
    return np.maximum(0, np.minimum(rise, fall)) * (2 / (edges[2:] - edges[:-2]))[:, None]


def log_mel(samples: np.ndarray) -> np.ndarray:
    padded = np.pad(samples.astype(float), 200, mode="reflect")
    window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(400) / 400)
    frames = np.lib.stride_tricks.sliding_window_view(padded, 400)[::160][: len(samples) // 160] * window
    power = np.abs(np.fft.rfft(frames, axis=1)) ** 2
    spectrum = np.log10(np.maximum(bands() @ power.T, 1e-10))
    return ((np.maximum(spectrum, spectrum.max() - 8) + 4) / 4).astype("<f4")


if __name__ == "__main__":
    if sys.argv[1:] != ["--regenerate"]:
        sys.exit(__doc__)
    log_mel(signal(16000)).tofile(pathlib.Path(__file__).parent / "log_mel.bin")
