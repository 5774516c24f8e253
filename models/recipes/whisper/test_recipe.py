"""What the recipe reads and stores, held to bytes that are written here by hand."""

import json
import struct
import sys
import unittest
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from ct2_reader import Weights  # noqa: E402
from ggml_reader import unpacked  # noqa: E402
from graph import Graph  # noqa: E402
from tokens import byte_alphabet, pack_tokens  # noqa: E402
from unusable import Unusable  # noqa: E402
from vocabulary import merges_of, special_names  # noqa: E402


def string(text: str) -> bytes:
    return struct.pack("<H", len(text) + 1) + text.encode() + b"\0"


def array(name: str, dtype: int, values: np.ndarray) -> bytes:
    head = struct.pack("<B", values.ndim) + b"".join(struct.pack("<I", n) for n in values.shape)
    return string(name) + head + struct.pack("<BI", dtype, values.nbytes) + values.tobytes()


def weights(spec: str = "WhisperSpec") -> bytes:
    rows = np.array([[2, -4], [30, 127]], np.int8)
    scales = np.array([2, 10], np.float32)
    arrays = [array("encoder/layer_1/w", 1, rows), array("encoder/layer_1/w_scale", 0, scales)]
    alias = string("tied") + string("encoder/layer_1/w")
    head = struct.pack("<I", 6) + string(spec) + struct.pack("<I", 3)
    return head + struct.pack("<I", len(arrays)) + b"".join(arrays) + struct.pack("<I", 1) + alias


class ReadingWeights(unittest.TestCase):
    def test_scales_integers_back_by_row_and_follows_aliases(self):
        read = Weights(weights())
        np.testing.assert_allclose(read("encoder/layer_1/w"), [[1, -2], [3, 12.7]], rtol=1e-6)
        np.testing.assert_array_equal(read("tied"), [[2, -4], [30, 127]])
        self.assertEqual(read.layers("encoder"), 2)
        self.assertNotIn("decoder", read)

    def test_says_that_a_file_is_cut_short_wherever_it_is_cut(self):
        whole = weights()
        for length in range(len(whole)):
            with self.assertRaisesRegex(ValueError, "ends early"):
                Weights(whole[:length])

    def test_refuses_the_weights_of_another_kind_of_model(self):
        with self.assertRaisesRegex(ValueError, "TransformerSpec"):
            Weights(weights("TransformerSpec"))


class PackingTokens(unittest.TestCase):
    def test_every_byte_has_one_stand_in(self):
        self.assertEqual(sorted(byte_alphabet().values()), list(range(256)))

    def test_writes_bytes_names_and_merges(self):
        vocabulary = {"\u0120": 0, "t": 1, "\u0120t": 2, "\u00e9": 3}
        special = [{"id": 4, "content": "<|nocaptions|>"}, {"id": 5, "content": "<|notimestamps|>"}]
        document = {"added_tokens": special, "model": {"vocab": vocabulary, "merges": ["\u0120 t"]}}
        packed = pack_tokens(json.dumps(document).encode())
        self.assertEqual(packed[:12], b"TLTK" + struct.pack("<II", 1, 6 + 1501))
        self.assertEqual(packed[12:16], b"\0\x01\0 ")
        self.assertIn(b"\x01\x0c\0<|nospeech|>", packed)
        self.assertTrue(packed.endswith(struct.pack("<IIII", 1, 0, 1, 2)))


class ReadingBlocks(unittest.TestCase):
    """Of whisper.cpp: the scale is 0.5, the least value of the kinds that have one is 2."""

    half, two = struct.pack("<e", 0.5), struct.pack("<e", 2)
    # The first value is 3 in its low bits, the 17th 9; the fifth bit is set in the first alone.
    nibbles = bytes([0x93, *[0] * 15])
    fifth = struct.pack("<I", 1)

    def first_and_seventeenth(self, kind: int, block: bytes) -> list[float]:
        values = unpacked(kind, np.frombuffer(block, np.uint8)[None])[0]
        self.assertEqual(len(values), 32)
        return [float(values[0]), float(values[16])]

    def test_reads_each_kind(self):
        self.assertEqual(self.first_and_seventeenth(2, self.half + self.nibbles), [-2.5, 0.5])
        self.assertEqual(self.first_and_seventeenth(3, self.half + self.two + self.nibbles), [3.5, 6.5])
        self.assertEqual(self.first_and_seventeenth(6, self.half + self.fifth + self.nibbles), [1.5, -3.5])
        self.assertEqual(self.first_and_seventeenth(7, self.half + self.two + self.fifth + self.nibbles), [11.5, 6.5])
        levels = bytes([0xFE, *[0] * 15, 7, *[0] * 15])
        self.assertEqual(self.first_and_seventeenth(8, self.half + levels), [-1.0, 3.5])


class NamingTokens(unittest.TestCase):
    def test_finds_the_merges_of_a_list_of_tokens(self):
        tokens = [b"a", b"b", b"c", b"ab", b"bc", b"abc"]
        self.assertEqual(merges_of(tokens), [(0, 1, 3), (1, 2, 4), (3, 2, 5)])

    def test_names_the_special_tokens_that_a_number_of_tokens_implies(self):
        for vocabulary, text, name, number in (
            (51864, 50256, b"<|notimestamps|>", 50362),
            (51865, 50257, b"<|transcribe|>", 50359),
            (51866, 50257, b"<|yue|>", 50358),
        ):
            self.assertEqual(special_names(vocabulary, text)[number], name)
        for vocabulary, text in ((51864, 50257), (50000, 50257), (51999, 50257)):
            with self.assertRaises(Unusable):
                special_names(vocabulary, text)


class StoringMatrices(unittest.TestCase):
    def test_the_same_weights_give_the_same_bytes(self):
        weight = np.random.default_rng(1).standard_normal((64, 64)).astype(np.float32)
        for form in ("fp32", "int8", "block8"):
            first, second = (Graph(form) for _ in range(2))
            first.matmul("x", weight, "w"), second.matmul("x", weight.copy(), "w")
            written = [
                [part.SerializeToString() for part in (*graph.nodes, *graph._constants.values())]
                for graph in (first, second)
            ]
            self.assertEqual(*written)
            self.assertGreater(len(written[0]), 1)

    def test_no_two_matrices_share_a_weight_or_its_zero(self):
        graph = Graph("int8")
        for name in ("a", "b"):
            graph.matmul("x", np.ones((4, 4), np.float32), name)
        products = [node for node in graph.nodes if node.op_type == "MatMulInteger"]
        self.assertEqual(len(products), 2)
        for side in (1, 3):
            self.assertEqual(len({node.input[side] for node in products}), 2)

    def test_names_the_formats_that_there_are(self):
        with self.assertRaisesRegex(ValueError, "received int4"):
            Graph("int4")
