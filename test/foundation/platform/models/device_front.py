"""Kokoro's prosody and decoder for a GPU, on the CPU provider: near the published graphs, in half precision as in single.

    python3 device_front.py KOKORO.onnx
"""

import pathlib
import sys
import unittest

import numpy as np
import onnx
import onnxruntime

ROOT = pathlib.Path(__file__).parents[4]
for folder in ("", "kokoro"):
    sys.path.insert(0, str(ROOT / "models/recipes" / folder))
from build import build_decoder, build_prosody  # noqa: E402
from cuda_operators import without_kernels  # noqa: E402
from device_front import build_device_decoder, build_device_prosody  # noqa: E402

MODEL = onnx.load(sys.argv.pop(1))
TOKENS = np.array([[0, 81, 83, 16, 53, 65, 156, 102, 53, 16, 44, 123, 156, 39, 56, 16, 48, 156, 69, 53, 61, 4, 0]])
MEANS = 18964


def session(model):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def decibels(a: np.ndarray, b: np.ndarray) -> float:
    return 10 * np.log10((a.astype(np.float64) ** 2).sum() / (((a.astype(np.float64) - b) ** 2).sum() + 1e-30))


class Front(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.models = {
            "published": (build_prosody(MODEL), build_decoder(MODEL)),
            **{form: (build_device_prosody(MODEL, form), build_device_decoder(MODEL, form)) for form in ("fp32", "fp16")},
        }
        random = np.random.default_rng(3)
        cls.style = (0.1 * random.standard_normal((1, 256))).astype(np.float32)
        names = ("sounds", "hertz", "energy", "durations", "f0")
        feed = {"tokens": TOKENS, "style": cls.style, "speed": np.ones((1, 1), np.float32), "pitch": np.ones((1, 1, 1), np.float32)}
        feed |= {"range": np.ones(1, np.float32), "center": np.array([180], np.float32)}
        cls.prosody = {form: dict(zip(names, session(made[0]).run(names, feed))) for form, made in cls.models.items()}
        given = cls.prosody["published"]
        frames = given["hertz"].shape[1]
        # Half of the frames have no voice.
        hertz = np.where(np.arange(frames) < frames // 2, 180, 0).astype(np.float32)[None]
        turns = np.cumsum(hertz[0].astype(np.float64) * np.arange(1, 10)[:, None] / 80, axis=1)
        stretch = {"sounds": given["sounds"], "hertz": hertz, "energy": given["energy"], "style": cls.style}
        stretch |= {"phase": (2 * np.pi * (turns % 1)).astype(np.float32)[None], "statistics": np.zeros(MEANS, np.float32), "measure": np.array([True])}
        names = ("x", "harmonics", "means")
        cls.decoded = {form: dict(zip(names, session(made[1]).run(names, stretch))) for form, made in cls.models.items()}

    def test_the_prosody_is_near_the_published_one(self):
        expected = self.prosody["published"]
        for form in ("fp32", "fp16"):
            got = self.prosody[form]
            total = expected["durations"].sum()
            self.assertLessEqual(abs(got["durations"].sum() - total), 0.1 * total)
            self.assertLessEqual(np.abs(got["durations"] - expected["durations"]).max(), 2)
            voiced = [one["f0"][one["f0"] > 10] for one in (expected, got)]
            self.assertLess(abs(voiced[1].mean() / voiced[0].mean() - 1), 0.05)

    def test_half_precision_is_single_precision(self):
        for name in ("sounds", "hertz", "energy", "durations"):
            self.assertGreater(decibels(self.prosody["fp32"][name], self.prosody["fp16"][name]), 40, name)
        for name in ("x", "means"):
            self.assertGreater(decibels(self.decoded["fp32"][name], self.decoded["fp16"][name]), 50, name)

    def test_the_decoder_is_near_the_published_one(self):
        expected = self.decoded["published"]
        for form in ("fp32", "fp16"):
            self.assertGreater(decibels(expected["x"], self.decoded[form]["x"]), 15)
            self.assertGreater(decibels(expected["means"], self.decoded[form]["means"]), 25)

    def test_the_harmonics_are_the_published_ones_where_there_is_sound(self):
        expected = self.decoded["published"]["harmonics"][0]
        size, phase = expected[:11], expected[11:]
        for form in ("fp32", "fp16"):
            got = self.decoded[form]["harmonics"][0]
            self.assertGreater(decibels(size, got[:11]), 80)
            is_sound = size > 1e-2
            # The first and the last bin are real: no turn, or half of one.
            turn = np.abs(np.exp(1j * phase) - np.exp(1j * got[11:]))
            self.assertLess(turn[1:10][is_sound[1:10]].max(), 1e-2)
            self.assertLess(np.abs(phase[0] - got[11])[is_sound[0]].max(), 1e-2)
            self.assertEqual(np.abs(got[11:][got[:11] < 0.9e-5]).max(), 0)

    def test_no_node_would_stay_on_the_processor(self):
        self.assertNotEqual(without_kernels(self.models["published"][1]), [])
        for form in ("fp32", "fp16"):
            for model in self.models[form]:
                self.assertEqual(without_kernels(model), [])

    def test_an_operator_without_a_kernel_from_a_later_opset_on_is_named(self):
        prosody = onnx.ModelProto()
        prosody.CopyFrom(self.models["fp32"][0])
        for one in prosody.opset_import:
            if one.domain == "":
                one.version = 20
        self.assertEqual(without_kernels(prosody), ["ConstantOfShape", "Equal"])


if __name__ == "__main__":
    unittest.main()
