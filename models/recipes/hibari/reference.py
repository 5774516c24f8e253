"""What the published vocoder answers, for native/test/tts/harmonic_vocoder_test.cc.

    python3 reference.py native/test/vectors/hibari_vocoder.bin

Runs hibari.dsp of the package hibari-tts on spectra that the test makes by the same formula, with the engine's own noise in
the place of numpy's, and writes float32 samples. Needs hibari-tts and numpy.
"""

import math
import struct
import sys

import numpy as np
from hibari import dsp

FRAMES, BINS, SEED = 24, 601, 7


def waves(mean: float, size: float, pace: float) -> np.ndarray:
    i = np.arange(BINS * FRAMES, dtype=np.float64)
    return (mean + size * np.sin(pace * i)).astype(np.float32).reshape(BINS, FRAMES)


class Noise:
    """native/tts/noise.h."""

    def __init__(self, seed: int):
        self.state = seed

    def uniform(self) -> float:
        mask = (1 << 64) - 1
        self.state = (self.state + 0x9E3779B97F4A7C15) & mask
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        z ^= z >> 31
        return ((z >> 11) + 0.5) / 9007199254740992.0

    def standard_normal(self, shape, dtype):
        out = np.zeros((FRAMES, BINS, 2), dtype)
        for frame in range(FRAMES):
            for bin in range(BINS):
                radius, angle = math.sqrt(-2 * math.log(self.uniform())), 2 * math.pi * self.uniform()
                out[frame, bin] = radius * math.cos(angle), radius * math.sin(angle)
        assert shape == (BINS, 2 * FRAMES)
        return np.ascontiguousarray(out.transpose(1, 0, 2).reshape(shape))


def main(path: str) -> None:
    hertz = np.array([0 if frame in (3, 4, 11) else 110 + 4 * frame for frame in range(FRAMES)], np.float32)
    audio = dsp.synth(
        waves(-1, 1.5, 0.013),
        waves(0, 2, 0.007),
        waves(-4, 1, 0.011),
        waves(-5, 1, 0.017),
        waves(0, 40, 0.019),
        hertz,
        Noise(SEED),
    )
    with open(path, "wb") as file:
        file.write(struct.pack(f"<{audio.size}f", *audio.tolist()))


if __name__ == "__main__":
    main(sys.argv[1])
