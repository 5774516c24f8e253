"""The forms for a GPU beside those of the processor, on the CPU provider, with small made-up weights: the same numbers, whether
a window or a text is alone or among others."""

import pathlib
import sys
import unittest

import numpy as np
import onnxruntime

RECIPES = pathlib.Path(__file__).parents[4] / "models/recipes"
sys.path.insert(0, str(RECIPES / "whisper"))
from decoder import build_decoder  # noqa: E402
from device_decoder import ROOM, build_device_decoder  # noqa: E402
from device_encoder import build_device_encoder  # noqa: E402
from cuda_operators import without_kernels  # noqa: E402
from device_graph import DeviceGraph  # noqa: E402
from encoder import build_encoder  # noqa: E402

BANDS, WIDTH, HEADS, LAYERS, VOCABULARY, POSITIONS = 8, 32, 2, 2, 50, 256
DEPTH = WIDTH // HEADS
ALIGNED = [[0, 1], [1, 0]]
UNHEARD = np.float32(-1e4)


class Weights:
    """Random numbers under the names of a converted Whisper."""

    def __init__(self):
        self._made = {}
        self._random = np.random.default_rng(7)
        self._shapes = {
            "encoder/conv1/weight": (WIDTH, BANDS, 3), "encoder/conv1/bias": (WIDTH,),
            "encoder/conv2/weight": (WIDTH, WIDTH, 3), "encoder/conv2/bias": (WIDTH,),
            "encoder/position_encodings/encodings": (POSITIONS, WIDTH),
            "decoder/position_encodings/encodings": (POSITIONS, WIDTH),
            "decoder/embeddings/weight": (VOCABULARY, WIDTH),
        }

    def layers(self, _) -> int:
        return LAYERS

    def scalar(self, _) -> int:
        return HEADS

    def __contains__(self, path: str) -> bool:
        return True

    def __call__(self, path: str) -> np.ndarray:
        if path not in self._made:
            self._made[path] = self._random.standard_normal(self._shape(path)).astype(np.float32) * 0.3
        return self._made[path]

    def _shape(self, path: str):
        if path in self._shapes:
            return self._shapes[path]
        if path.endswith(("gamma", "beta")):
            return (WIDTH,)
        if "ffn" in path:
            rows, columns = (4 * WIDTH, WIDTH) if "linear_0" in path else (WIDTH, 4 * WIDTH)
        elif "self_attention/linear_0" in path:
            rows, columns = 3 * WIDTH, WIDTH
        elif path.startswith("decoder") and "/attention/linear_1" in path:
            rows, columns = 2 * WIDTH, WIDTH
        else:
            rows, columns = WIDTH, WIDTH
        return (rows, columns) if path.endswith("weight") else (rows,)


def session(model):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def window(rows: int, seed: int) -> dict:
    random = np.random.default_rng(seed)
    return {
        "mel": random.standard_normal((1, BANDS, 2 * rows)).astype(np.float32),
        "positions": np.arange(rows, dtype=np.int64) + seed,
        "log_count": np.log(1 + np.arange(rows) % 3).astype(np.float32),
    }


def batch(windows: list, rows: int) -> dict:
    """Windows of any length as one run of `rows`."""
    count = len(windows)
    made = {
        "mel": np.zeros((count, BANDS, 2 * rows), np.float32),
        "positions": np.zeros((count, rows), np.int64),
        "log_count": np.full((count, rows), UNHEARD, np.float32),
    }
    for i, one in enumerate(windows):
        own = one["positions"].size
        made["mel"][i, :, : 2 * own] = one["mel"][0]
        made["positions"][i, :own], made["log_count"][i, :own] = one["positions"], one["log_count"]
    return made


def reads(slot: int) -> list:
    """The places of a text that shares none with others."""
    return [slot * ROOM + position for position in range(ROOM)]


class Encoder(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.weights = Weights()
        cls.single = session(build_encoder(cls.weights, "fp32"))
        cls.device = {form: session(build_device_encoder(cls.weights, form)) for form in ("fp32", "fp16")}

    def compare(self, form: str, tolerance: float):
        windows = [window(12, 1), window(20, 2), window(7, 3)]
        together = self.device[form].run(None, batch(windows, 20))
        for i, one in enumerate(windows):
            own = one["positions"].size
            for output, expected, got in zip(self.single.get_outputs(), self.single.run(None, one), together):
                got = got[i][..., :own] if "_k_" in output.name else got[i][:, :own]
                np.testing.assert_allclose(got, expected[0], rtol=tolerance, atol=tolerance)

    def test_windows_of_several_lengths_together_are_what_each_is_alone(self):
        self.compare("fp32", 2e-5)

    def test_half_precision_stays_near(self):
        self.compare("fp16", 3e-2)


class Decoder(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.weights = Weights()
        cls.single = session(build_decoder(cls.weights, ALIGNED, "fp32"))
        cls.device = {form: session(build_device_decoder(cls.weights, ALIGNED, form)) for form in ("fp32", "fp16")}

    def caches(self, rows: int, seed: int) -> dict:
        random = np.random.default_rng(seed)
        made = {}
        for layer in range(LAYERS):
            made[f"cross_k_{layer}"] = random.standard_normal((1, HEADS, DEPTH, rows)).astype(np.float32)
            made[f"cross_v_{layer}"] = random.standard_normal((1, HEADS, rows, DEPTH)).astype(np.float32)
        return made

    def alone(self, tokens: list, cross: dict, log_count) -> list:
        """The logits and the attention after each token, by the processor's form."""
        feed = {"log_count": log_count, **cross}
        for layer in range(LAYERS):
            for part in "kv":
                feed[f"self_{part}_{layer}"] = np.zeros((1, HEADS, ROOM, DEPTH), np.float32)
        names = [output.name for output in self.single.get_outputs()]
        steps = []
        for past, token in enumerate(tokens):
            feed |= {
                "tokens": np.array([[token]], np.int64),
                "last": np.array([past], np.int32),
                "total": np.array([past + 1], np.int32),
            }
            out = dict(zip(names, self.single.run(None, feed)))
            feed |= {name.replace("_out", ""): value for name, value in out.items() if "_out" in name}
            steps.append((out["logits"][0], out["align"][0, :, 0]))
        return steps

    def compare(self, form: str, tolerance: float):
        # Three calls: texts of different lengths that begin at different steps, in slots and windows in no order.
        texts = [[3, 9, 4, 1, 7], [5, 5, 2], [8, 1, 6, 30]]
        begins, text_slots, window_slots, rows = [0, 2, 1], [4, 0, 2], [1, 0, 2], [11, 6, 9]
        widest, number = max(rows), np.float16 if form == "fp16" else np.float32
        crosses = [self.caches(count, 20 + i) for i, count in enumerate(rows)]
        counts = [np.log(1 + np.arange(count) % 2).astype(np.float32) for count in rows]
        expected = [self.alone(*one) for one in zip(texts, crosses, counts)]
        pools = {}
        for layer in range(LAYERS):
            for part, shape in (("k", (3, HEADS, DEPTH, widest)), ("v", (3, HEADS, widest, DEPTH))):
                pool = np.zeros(shape, number)
                for i, cross in enumerate(crosses):
                    value = cross[f"cross_{part}_{layer}"][0]
                    place = (window_slots[i], slice(None), slice(None), slice(rows[i])) if part == "k" else (window_slots[i], slice(None), slice(rows[i]))
                    pool[place] = value
                pools[f"cross_{part}_{layer}"] = pool
                pools[f"self_{part}_{layer}"] = np.zeros((5, ROOM, WIDTH), number)
        device = self.device[form]
        names = [output.name for output in device.get_outputs()]
        for step in range(5):
            live = [i for i in range(3) if begins[i] <= step < begins[i] + len(texts[i])]
            at = [step - begins[i] for i in live]
            log_count = np.full((len(live), widest), UNHEARD, np.float32)
            for row, i in enumerate(live):
                log_count[row, : rows[i]] = counts[i]
            feed = {
                "tokens": np.array([[texts[i][n]] for i, n in zip(live, at)], np.int64),
                "positions": np.array([[n] for n in at], np.int64),
                "reads": np.array([reads(text_slots[i]) for i in live], np.int64),
                "window_slots": np.array([window_slots[i] for i in live], np.int64),
                "writes": np.array([[[text_slots[i], n]] for i, n in zip(live, at)], np.int64),
                "log_count": log_count,
                **pools,
            }
            out = dict(zip(names, device.run(None, feed)))
            pools |= {name.replace("_out", ""): value for name, value in out.items() if "_out" in name}
            for row, (i, n) in enumerate(zip(live, at)):
                logits, align = expected[i][n]
                np.testing.assert_allclose(out["logits"][row], logits, rtol=tolerance, atol=tolerance)
                np.testing.assert_allclose(out["align"][row, :, 0, : rows[i]], align, rtol=tolerance, atol=tolerance)
                self.assertEqual(out["align"][row, :, 0, rows[i] :].sum(), 0)
                likely = logits - np.log(np.exp(logits.astype(np.float64)).sum())
                np.testing.assert_allclose(out["top_scores"][row][0], likely.max(), rtol=tolerance, atol=tolerance)
                if form == "fp32":
                    np.testing.assert_array_equal(out["top_tokens"][row], np.argsort(-logits, kind="stable")[:16])

    def test_texts_of_many_calls_in_one_step_are_what_each_is_alone(self):
        self.compare("fp32", 1e-4)

    def test_half_precision_stays_near(self):
        self.compare("fp16", 8e-2)

    def test_texts_that_fork_share_their_past(self):
        # The second text continues the first one after two tokens, in a slot of its own that holds nothing of the past.
        past, ends, rows = [3, 9], [[4, 1], [7, 2]], 6
        cross, log_count = self.caches(rows, 50), np.zeros(rows, np.float32)
        expected = [self.alone(past + end, cross, log_count) for end in ends]
        pools = {f"self_{p}_{i}": np.zeros((2, ROOM, WIDTH), np.float32) for i in range(LAYERS) for p in "kv"}
        device = self.device["fp32"]
        names = [output.name for output in device.get_outputs()]

        def step(tokens: list, at: int) -> dict:
            count = len(tokens)
            places = [[min(n, at) if n < 2 else slot * ROOM + min(n, at) for n in range(ROOM)] for slot in range(count)]
            feed = {
                "tokens": np.array([[token] for token in tokens], np.int64),
                "positions": np.full((count, 1), at, np.int64),
                "reads": np.array(places, np.int64),
                "window_slots": np.zeros(count, np.int64),
                "writes": np.array([[[slot, at]] for slot in range(count)], np.int64),
                "log_count": np.tile(log_count, (count, 1)),
                **cross,
                **pools,
            }
            out = dict(zip(names, device.run(None, feed)))
            pools.update({name.replace("_out", ""): value for name, value in out.items() if "_out" in name})
            return out

        for at, token in enumerate(past):
            step([token], at)
        for at in (2, 3):
            out = step([end[at - 2] for end in ends], at)
            for row in range(2):
                np.testing.assert_allclose(out["logits"][row], expected[row][at][0], rtol=1e-4, atol=1e-4)

    def test_a_prompt_of_several_tokens_is_read_at_once(self):
        tokens, rows = [3, 9, 4, 1], 6
        cross, log_count = self.caches(rows, 40), np.zeros(rows, np.float32)
        expected = self.alone(tokens, cross, log_count)
        feed = {
            "tokens": np.array([tokens], np.int64),
            "positions": np.arange(4, dtype=np.int64)[None],
            "reads": np.array([reads(0)], np.int64),
            "window_slots": np.zeros(1, np.int64),
            "writes": np.array([[[0, n] for n in range(4)]], np.int64),
            "log_count": log_count[None],
            **cross,
        }
        for layer in range(LAYERS):
            for part in "kv":
                feed[f"self_{part}_{layer}"] = np.zeros((1, ROOM, WIDTH), np.float32)
        logits = self.device["fp32"].run(["logits"], feed)[0]
        np.testing.assert_allclose(logits[0], expected[-1][0], rtol=1e-4, atol=1e-4)


class Operators(unittest.TestCase):
    def test_no_node_would_stay_on_the_processor(self):
        weights = Weights()
        for model in (build_device_encoder(weights, "fp16"), build_device_decoder(weights, ALIGNED, "fp16")):
            self.assertEqual(without_kernels(model), [])
            floats = {tensor.name for tensor in model.graph.initializer if tensor.data_type == 1}
            self.assertEqual(floats, set(), "weights of single precision would be cast in each run")

    def test_a_graph_with_one_is_refused(self):
        # Those of the published graphs that stay on the processor.
        for stays in ("MatMulInteger", "ConvInteger", "DynamicQuantizeLinear", "STFT", "Atan", "FusedConv"):
            graph = DeviceGraph("fp16")
            graph.op(stays, ["a", "b"], "c")
            with self.assertRaisesRegex(ValueError, stays):
                graph.model([], [], "graph")


if __name__ == "__main__":
    unittest.main()
