"""What the recipe reads and stores, held to tokens that are written here by hand."""

import json
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import added  # noqa: E402
from pieces import BYTES, SPACE, Unusable, length, pieces_of_table, pieces_of_tokenizer  # noqa: E402
from transformers_weights import TransformersWeights  # noqa: E402

TEXTS = [f"{SPACE}the", "er", "<<", "é" * 100]


def tokenizer(**changes) -> dict:
    called = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(BYTES)), *TEXTS]
    vocabulary = {text: at for at, text in enumerate(called)}
    special = [{"id": at, "content": called[at], "special": True} for at in range(3)]
    special += [{"id": len(called) + at, "content": text, "special": True} for at, text in enumerate(("<<ST_0>>", "<|noise|>"))]
    return {"added_tokens": special, "model": {"type": "BPE", "vocab": vocabulary, "merges": []}} | changes


class ReadingTokens(unittest.TestCase):
    def test_writes_bytes_as_bytes_and_special_tokens_as_controls(self):
        pieces = pieces_of_tokenizer(tokenizer()).pieces
        self.assertEqual(pieces[:3], [b"<unk>", b"<s>", b"</s>"])
        self.assertEqual(pieces[3:3 + BYTES], [bytes([byte]) for byte in range(BYTES)])
        self.assertEqual(pieces[3 + BYTES:], [*(text.encode() for text in TEXTS), b"<<ST_0>>", b"<<<|noise|>>>"])

    def test_the_table_holds_what_was_read(self):
        pieces = pieces_of_tokenizer(tokenizer())
        self.assertEqual(pieces_of_table(pieces.table()).pieces, pieces.pieces)
        self.assertEqual(length(127), b"\x7f")
        self.assertEqual(length(200), bytes([128 + 72, 1]))

    def test_says_where_a_table_is_cut(self):
        table = pieces_of_tokenizer(tokenizer()).table()
        for size in (len(table) - 1, len(table) - 5):
            with self.assertRaisesRegex(Unusable, "ends inside a token"):
                pieces_of_table(table[:size])

    def test_refuses_tokenizers_of_other_models(self):
        model = tokenizer()["model"]
        bytes_lost = {text: at for at, text in enumerate(text for text in model["vocab"] if text != "<0x00>")}
        cases = [
            (tokenizer(model=model | {"type": "Unigram"}), "its tokenizer is Unigram"),
            (tokenizer(model=model | {"vocab": {"a": 0}}, added_tokens=[]), "has 0 of the 256 tokens"),
            (tokenizer(model=model | {"vocab": bytes_lost}, added_tokens=[]), "has 255 of the 256"),
            (tokenizer(model=model | {"vocab": {"a": "b"}}), "its tokens cannot be read"),
            (tokenizer(added_tokens=[{"id": 9000, "content": "x"}]), "not consecutive"),
            (tokenizer(model=None), "no vocabulary"),
        ]
        for stated, why in cases:
            with self.subTest(why), self.assertRaisesRegex(Unusable, why):
                pieces_of_tokenizer(stated)


class ReadingSettings(unittest.TestCase):
    def test_the_tokens_that_open_and_end_texts_are_stated_or_named(self):
        pieces = pieces_of_tokenizer(tokenizer())
        self.assertEqual(added.control({}, ("eos_token_id",), pieces, b"</s>"), 2)
        self.assertEqual(added.control({"eos_token_id": 0}, ("eos_token_id",), pieces, b"</s>"), 0)
        for wrong in (3, -1, [2], "2"):
            with self.subTest(wrong), self.assertRaisesRegex(Unusable, "has the number"):
                added.control({"eos_token_id": wrong}, ("eos_token_id",), pieces, b"</s>")

    def test_sizes_are_numbers_or_not_stated(self):
        self.assertEqual(added.stated_sizes({"hidden_size": 416})["width"], 416)
        self.assertIsNone(added.stated_sizes({})["layers"])
        with self.assertRaisesRegex(Unusable, "hidden_size 0"):
            added.stated_sizes({"hidden_size": 0})


def weights(folder: str) -> TransformersWeights:
    """A layer a side, with rows of 288 numbers: all that the sizes are read from."""
    shapes = {"decoder.embed_tokens.weight": [1, 288], "encoder.layers.0.fc1.bias": [1], "decoder.layers.0.fc1.bias": [1]}
    header, at = {}, 0
    for name, shape in shapes.items():
        size = 4 * shape[-1]
        header[f"model.{name}"] = {"dtype": "F32", "shape": shape, "data_offsets": [at, at + size]}
        at += size
    stated = json.dumps(header).encode()
    path = Path(folder) / "model.safetensors"
    path.write_bytes(len(stated).to_bytes(8, "little") + stated + bytes(at))
    return TransformersWeights([path])


class ReadingTheRotation(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.sizes = weights(folder.name).sizes

    def test_is_stated_among_the_settings_or_in_an_object_of_its_own(self):
        rotation = {"rope_theta": 10000, "rope_type": "default", "partial_rotary_factor": 0.4}
        cases = [
            ({}, 32),
            ({"rope_parameters": None, "rope_scaling": None}, 32),
            ({"partial_rotary_factor": 0.5, "rope_theta": 10000.0}, 18),
            ({"rope_parameters": rotation}, 14),
            ({"partial_rotary_factor": 0.5, "rope_parameters": rotation}, 14),
        ]
        for config, rotated in cases:
            with self.subTest(config):
                self.assertEqual(self.sizes(config).rotated, rotated)

    def test_refuses_other_rotations(self):
        cases = [
            ({"rope_theta": 500000.0}, "rope_theta 500000.0, which is not supported: 10000.0 is"),
            ({"rope_parameters": {"rope_theta": 500000.0}}, "rope_theta 500000.0"),
            ({"rope_parameters": {"rope_type": "yarn"}}, 'rope_type "yarn", which is not supported: "default" is'),
            ({"rope_scaling": {"type": "linear", "factor": 2}}, 'rope_scaling {"type": "linear", "factor": 2}, which is not supported: null is'),
            ({"rope_parameters": {"partial_rotary_factor": 0}}, "partial_rotary_factor 0, by which"),
            ({"rope_parameters": [1]}, r"rope_parameters \[1\], which is not an object"),
        ]
        for config, why in cases:
            with self.subTest(config), self.assertRaisesRegex(Unusable, why):
                self.sizes(config)


if __name__ == "__main__":
    unittest.main()
