"""Moonshine's form for a GPU, on the CPU provider, beside the published graphs with the same weights.

    python3 device_moonshine.py ENCODER.ort DECODER.ort
"""

import pathlib
import sys
import unittest

import numpy as np
import onnxruntime

ROOT = pathlib.Path(__file__).parents[4]
for folder in ("", "moonshine"):
    sys.path.insert(0, str(ROOT / "models/recipes" / folder))
from cuda_operators import without_kernels  # noqa: E402
from device_model import HEADS, ROOM, ROW, SPARE, build_decoder, build_encoder  # noqa: E402
from ort_reader import read_ort  # noqa: E402
from weights import Weights  # noqa: E402

PUBLISHED = [pathlib.Path(sys.argv.pop(1)) for _ in range(2)]
WEIGHTS = Weights(*(path.read_bytes() for path in PUBLISHED))
WIDTH, LAYERS, BEGIN, STEPS = 288, 6, 1, 12


def session(model):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    model = model if isinstance(model, str) else model.SerializeToString()
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def sound(seconds: float, seed: int) -> np.ndarray:
    """Syllables of a few harmonics, so that there is something to hear."""
    at = np.arange(int(16000 * seconds)) / 16000
    hertz = 120 + 20 * seed + 30 * np.sin(2 * np.pi * 1.3 * at)
    phase = 2 * np.pi * np.cumsum(hertz) / 16000
    voice = sum(np.sin(n * phase) / n for n in range(1, 12))
    return (0.1 * voice * np.clip(np.sin(2 * np.pi * (3 + seed) * at), 0, 1)).astype(np.float32)


def rows_of(samples: int) -> int:
    return ((((samples - 127) // 64 + 1) - 7) // 3 + 1 - 3) // 2 + 1


def batch(sounds: list, rows: int) -> dict:
    made = {
        "audio": np.zeros((len(sounds), 1, ROW * rows), np.float32),
        "positions": np.zeros((len(sounds), rows), np.int64),
        "log_count": np.full((len(sounds), rows), -1e4, np.float32),
    }
    for i, one in enumerate(sounds):
        own = rows_of(one.size)
        taken = one[: ROW * (own + SPARE)]
        made["audio"][i, 0, : taken.size] = taken
        made["positions"][i, : own + SPARE] = np.arange(own + SPARE)
        made["log_count"][i, :own] = 0
    return made


def decibels(a: np.ndarray, b: np.ndarray) -> float:
    return 10 * np.log10((a.astype(np.float64) ** 2).sum() / ((a.astype(np.float64) - b) ** 2).sum())


class Device:
    def __init__(self, form: str):
        self.encoder, self.decoder = session(build_encoder(WEIGHTS, form)), session(build_decoder(WEIGHTS, form))
        self.number = np.float16 if form == "fp16" else np.float32

    def encode(self, feed: dict) -> dict:
        return dict(zip([out.name for out in self.encoder.get_outputs()], self.encoder.run(None, feed)))

    def write(self, sounds: list, rows: int, tokens: np.ndarray) -> list:
        """The scores after each of the given tokens [B, N]."""
        feed = batch(sounds, rows)
        count = len(sounds)
        pools = {f"self_{part}_{i}": np.zeros((count, ROOM, WIDTH), self.number) for i in range(LAYERS) for part in "kv"}
        slots, names, steps = np.arange(count), [out.name for out in self.decoder.get_outputs()], []
        cross = self.encode(feed)
        for at in range(tokens.shape[1]):
            given = {
                "tokens": tokens[:, at : at + 1],
                "positions": np.full((count, 1), at),
                "reads": slots[:, None] * ROOM + np.minimum(np.arange(ROOM), at),
                "window_slots": slots,
                "writes": np.stack([slots, np.full(count, at)], -1)[:, None],
                "log_count": feed["log_count"],
            }
            out = dict(zip(names, self.decoder.run(None, given | pools | cross)))
            pools = {name.replace("_out", ""): value for name, value in out.items() if "_out" in name}
            steps.append(out["logits"])
        return steps


class Moonshine(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.published = [session(str(path)) for path in PUBLISHED]
        cls.device = {form: Device(form) for form in ("fp32", "fp16")}
        cls.sounds = [sound(1.7, 1), sound(4.1, 2), sound(2.6, 3)]

    def written(self, samples: np.ndarray) -> tuple:
        """The published graphs' tokens, their scores, and the encoder's keys of each layer."""
        encoder, decoder = self.published
        mask = np.ones((1, samples.size), np.int64)
        hidden = encoder.run(None, {"input_values": samples[None], "attention_mask": mask})[0]
        names = [out.name for out in decoder.get_outputs()]
        cache = {name.replace("present", "past_key_values"): np.zeros((0, HEADS, 1, WIDTH // HEADS), np.float32) for name in names[1:]}
        tokens, scores, keys = [BEGIN], [], None
        for step in range(STEPS):
            feed = {"input_ids": np.array([tokens[-1:]]), "encoder_hidden_states": hidden, "encoder_attention_mask": mask, "use_cache_branch": np.array([step > 0])}
            out = dict(zip(names, decoder.run(None, feed | cache)))
            scores.append(out["logits"][0, -1])
            keys = keys or [out[f"present.{i}.encoder.key"][0] for i in range(LAYERS)]
            cache |= {name.replace("present", "past_key_values"): out[name] for name in names[1:] if step == 0 or ".decoder." in name}
            tokens.append(int(scores[-1].argmax()))
        return tokens[:-1], scores, keys

    def test_the_encoder_and_the_decoder_are_near_the_published_ones(self):
        # The published activations have 8 bits.
        for samples in self.sounds:
            tokens, scores, keys = self.written(samples)
            own = rows_of(samples.size)
            for form, device in self.device.items():
                cross = device.encode(batch([samples], own + SPARE))
                for layer in range(LAYERS):
                    made = cross[f"cross_k_{layer}"][0].astype(np.float32).transpose(0, 2, 1)[:, :own]
                    self.assertGreater(decibels(keys[layer], made), 15, (form, layer))
                made = device.write([samples], own + SPARE, np.array([tokens]))
                for expected, got in zip(scores, made):
                    self.assertGreater(decibels(expected, got[0]), 15, form)

    def test_passes_of_several_lengths_together_are_what_each_is_alone(self):
        tokens = np.arange(3 * 5).reshape(3, 5) + 40
        tokens[:, 0] = BEGIN
        together = self.device["fp32"].write(self.sounds, 200, tokens)
        for i, samples in enumerate(self.sounds):
            alone = self.device["fp32"].write([samples], rows_of(samples.size) + SPARE, tokens[i : i + 1])
            for a, b in zip(alone, together):
                np.testing.assert_allclose(b[i], a[0], rtol=1e-3, atol=2e-3)

    def test_half_precision_stays_near_single(self):
        tokens = np.array([[BEGIN, 40, 41]])
        single, half = (self.device[form].write(self.sounds[:1], 80, tokens) for form in ("fp32", "fp16"))
        for a, b in zip(single, half):
            self.assertGreater(decibels(a, b), 40)

    def test_no_node_would_stay_on_the_processor(self):
        for build in (build_encoder, build_decoder):
            self.assertEqual(without_kernels(build(WEIGHTS, "fp16")), [])


class Reader(unittest.TestCase):
    def test_another_file_is_refused(self):
        with self.assertRaisesRegex(ValueError, "no file of ONNX Runtime's format"):
            read_ort(b"\0" * 64)
        blob = bytearray(PUBLISHED[0].read_bytes())
        at = blob.index(b"\x01\0\0\x006\0")  # the version, a text of one letter
        blob[at + 4 : at + 5] = b"5"
        with self.assertRaisesRegex(ValueError, "expected version 6"):
            read_ort(bytes(blob))


if __name__ == "__main__":
    unittest.main()
