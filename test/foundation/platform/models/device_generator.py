"""Kokoro's generator as a graph for a GPU, on the CPU provider, beside what the published graph answered
(native/test/vectors/kokoro_generator.bin, which models/recipes/kokoro/reference.py writes).

    python3 device_generator.py GENERATOR.bin
"""

import pathlib
import sys
import unittest

import numpy as np
import onnxruntime

ROOT = pathlib.Path(__file__).parents[4]
sys.path.insert(0, str(ROOT / "models/recipes/kokoro"))
from device_generator import CONTEXT, build_device_generator, read_weights  # noqa: E402

FRAMES = 12
WEIGHTS = read_weights(pathlib.Path(sys.argv.pop(1)).read_bytes())
SIZE = int(WEIGHTS["statistics"][0])
VECTORS = np.fromfile(ROOT / "native/test/vectors/kokoro_generator.bin", "<f4")
MEASURED, OWN, OTHER = VECTORS[:SIZE], *np.split(VECTORS[SIZE:], 2)
GIVEN = (MEASURED * (1 + 0.05 * np.sin(np.arange(SIZE)))).astype(np.float32)


def waves(rows: int, columns: int, size: float, a: float, b: float) -> np.ndarray:
    r, c = np.arange(rows, dtype=np.float64)[:, None], np.arange(columns, dtype=np.float64)[None, :]
    return (size * np.sin(a * r + b * c + 0.01 * (r + 1) * c)).astype(np.float32)


def rounded(style: np.ndarray) -> np.ndarray:
    """The published graph quantizes the style to 8 bits over its own range."""
    low, high = min(style.min(), 0), max(style.max(), 0)
    step = np.float32((high - low) / 255)
    zero = np.rint(np.clip(-low / step, 0, 255))
    return ((np.clip(np.rint(style / step) + zero, 0, 255) - zero) * step).astype(np.float32)


def clause(frames: int, seed: int = 0) -> dict:
    return {
        "x": waves(512, frames, 0.8, 0.37 + 0.01 * seed, 1.3),
        "harmonics": waves(22, 60 * frames + 1, 0.5, 0.9, 0.11 + 0.003 * seed),
        "style": rounded(waves(1, 256, 0.2, 0, 0.7)[0][:128]),
        "statistics": GIVEN,
    }


def windows(made: list, frames: int) -> dict:
    """Clauses, or windows of them, as one run of `frames`."""
    out = {name: [] for name in ("x", "harmonics", "style", "statistics", "frame_mask", "sound_mask")}
    for one in made:
        own = one["x"].shape[1]
        out["x"].append(np.pad(one["x"], ((0, 0), (0, frames - own))))
        out["harmonics"].append(np.pad(one["harmonics"], ((0, 0), (0, 60 * (frames - own)))))
        out["style"].append(one["style"])
        out["statistics"].append(one["statistics"])
        out["frame_mask"].append((np.arange(10 * frames) < 10 * own)[None].astype(np.float32))
        out["sound_mask"].append((np.arange(60 * frames + 1) < 60 * own + 1)[None].astype(np.float32))
    return {name: np.stack(value) for name, value in out.items()}


def played(raw: np.ndarray, frames: int) -> np.ndarray:
    """The samples of a clause: the window's sum divided out where the published graph does, without the faded edges."""
    sums = WEIGHTS["window_sum"]
    raw = raw.copy()
    raw[: sums.size] = np.where(sums > 0, raw[: sums.size] / np.where(sums > 0, sums, 1), raw[: sums.size])
    return 4 * raw[10 : 10 + 300 * frames]


def session(form: str):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    model = build_device_generator(WEIGHTS, form).SerializeToString()
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def decibels(expected: np.ndarray, got: np.ndarray) -> float:
    return 10 * np.log10((expected**2).sum() / max(((expected - got) ** 2).sum(), 1e-20))


class DeviceGenerator(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.session = session("fp32")

    def run_windows(self, made: list, frames: int) -> np.ndarray:
        return self.session.run(None, windows(made, frames))[0][:, 0]

    def test_speaks_as_the_published_graph(self):
        raw = self.run_windows([clause(FRAMES)], FRAMES)
        got = played(raw[0], FRAMES)
        self.assertGreater(decibels(OTHER[: got.size], got), 60)

    def test_clauses_of_several_lengths_together_are_what_each_is_alone(self):
        made = [clause(9, 1), clause(16, 2), clause(4, 3)]
        together = self.run_windows(made, 16)
        for one, raw in zip(made, together):
            frames = one["x"].shape[1]
            alone = self.run_windows([one], frames)[0]
            self.assertGreater(decibels(alone, raw[: alone.size]), 90)
            self.assertEqual(np.abs(raw[alone.size :]).max(initial=0), 0)

    def test_windows_of_a_long_clause_join_without_a_seam(self):
        whole, length = clause(90, 4), 60
        expected = self.run_windows([whole], 90)[0]
        begins = [0, 30]
        parts = [
            {**whole, "x": whole["x"][:, b : b + length], "harmonics": whole["harmonics"][:, 60 * b : 60 * (b + length) + 1]}
            for b in begins
        ]
        first, second = self.run_windows(parts, length)
        seam = length - CONTEXT
        joined = np.concatenate([first[: 300 * seam], second[300 * (seam - 30) :]])
        self.assertGreaterEqual(seam - 30, 10)
        self.assertGreater(decibels(expected, joined), 50)

    def test_half_precision_stays_near(self):
        expected = self.run_windows([clause(FRAMES)], FRAMES)[0]
        half = session("fp16").run(None, windows([clause(FRAMES)], FRAMES))[0][0, 0]
        self.assertTrue(np.isfinite(half).all())
        self.assertGreater(decibels(expected, half), 30)


if __name__ == "__main__":
    unittest.main()
