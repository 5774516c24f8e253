"""Lays a bundled embedding model out as a repository of sentence-transformers has it: the graph as Optimum exports it, the
tokenizer as the `tokenizers` library stores it.

    python3 embedding_model.py minilm|wide|e5|random|infinite MODEL OUT

MODEL is the folder of the bundled model's files. `wide` is MiniLM with each number twice. `random` is an encoder of another size with random weights, and `infinite` has
some that are no numbers.
"""

import base64
import json
import pathlib
import struct
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

kind, model, out = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
(out / "onnx").mkdir(parents=True)
(out / "1_Pooling").mkdir()


def write(name, value):
    (out / name).write_text(json.dumps(value, ensure_ascii=False), "utf-8")


def special(tokens):
    return {"type": "TemplateProcessing",
            "single": [{"SpecialToken": {"id": tokens[0][0], "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}},
                       {"SpecialToken": {"id": tokens[1][0], "type_id": 0}}],
            "pair": [], "special_tokens": {name: {"id": name, "ids": [n], "tokens": [name]} for name, n in tokens}}


def word_pieces():
    lines = (model / "vocab.txt").read_text("utf-8").split("\n")
    vocabulary = {line: n for n, line in enumerate(lines) if line}
    return {"version": "1.0", "added_tokens": [],
            "normalizer": {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True, "strip_accents": None, "lowercase": True},
            "pre_tokenizer": {"type": "BertPreTokenizer"},
            "post_processor": special([("[CLS]", vocabulary["[CLS]"]), ("[SEP]", vocabulary["[SEP]"])]),
            "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100, "vocab": vocabulary}}


def double_array(rules):
    """A trie as darts-clone stores it, simply placed: each node's children where they fit first."""
    children = {}
    values = {}
    texts = b""
    for key, text in sorted(rules.items()):
        values[key] = len(texts)
        texts += text + b"\0"
        for n in range(len(key)):
            children.setdefault(key[:n], set()).add(key[n])
    units, taken, bases, low = {}, {0}, set(), 1
    queue = [(b"", 0)]
    while queue:
        node, at = queue.pop(0)
        labels = sorted(children.get(node, ()))
        wanted = ([0] if node in values else []) + labels
        if not wanted:
            continue
        base = low
        # A unit has its label alone, so that no two nodes may have the same base.
        while base in bases or base == at or any((base ^ label) in taken for label in wanted):
            base += 1
        if len(labels) > 30:
            low = base
        taken |= {base ^ label for label in wanted}
        bases.add(base)
        unit = units.get(at, 0) | (at ^ base) << 10
        if node in values:
            unit |= 1 << 8
            units[base] = values[node] | 1 << 31
        units[at] = unit
        for label in labels:
            units[base ^ label] = label
            queue.append((node + bytes([label]), base ^ label))
    size = (max(units) // 256 + 1) * 256
    array = b"".join(struct.pack("<I", units.get(n, 0)) for n in range(size))
    return struct.pack("<I", len(array)) + array + texts


def unigram():
    data = (model / "pieces.bin").read_bytes()
    opening, closing, unknown, count = struct.unpack_from("<IIII", data, 8)
    at, pieces = 24, []
    for _ in range(count):
        score, length = struct.unpack_from("<fB", data, at)
        pieces.append([data[at + 5:at + 5 + length].decode(), score])
        at += 5 + length
    (rules,) = struct.unpack_from("<I", data, at)
    at += 4
    table = {}
    for _ in range(rules):
        character, length = struct.unpack_from("<IB", data, at)
        text = "".join(chr(n) for n in struct.unpack_from(f"<{length}I", data, at + 5))
        at += 5 + 4 * length
        table[chr(character).encode()] = text.encode()
    # A rule of several characters, which the tables of SentencePiece have too.
    table["e\u0301".encode()] = "\u00e9".encode()
    charsmap = base64.b64encode(double_array(table)).decode()
    return {"version": "1.0", "added_tokens": [],
            "normalizer": {"type": "Sequence", "normalizers": [{"type": "Precompiled", "precompiled_charsmap": charsmap},
                                                               {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "}]},
            "pre_tokenizer": {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "always", "split": True},
            "post_processor": special([(pieces[opening][0], opening), (pieces[closing][0], closing)]),
            "model": {"type": "Unigram", "unk_id": unknown, "vocab": pieces, "byte_fallback": False}}


def graph_of_bundled():
    graph = onnx.load(str(model / "model.onnx"))
    if "attention_mask" not in [one.name for one in graph.graph.input]:
        graph.graph.input.append(helper.make_tensor_value_info("attention_mask", TensorProto.INT64, ["batch", "tokens"]))
    if kind == "wide":
        for node in graph.graph.node:
            for at, name in enumerate(node.output):
                if name == "last_hidden_state":
                    node.output[at] = "half"
        graph.graph.node.append(helper.make_node("Concat", ["half", "half"], ["last_hidden_state"], axis=-1))
        graph.graph.output[0].CopyFrom(helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["batch", "tokens", size]))
    return graph


def random_graph(rows, size):
    """Embeddings of tokens alone, by a table that is random: an encoder of another width that knows nothing."""
    table = np.random.default_rng(5).standard_normal((rows, size)).astype(np.float32)
    if kind == "infinite":
        table[:, 3] = np.nan
    shape = ["batch", "tokens"]
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, shape) for name in ("input_ids", "attention_mask")]
    made = helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, [*shape, size])
    node = helper.make_node("Gather", ["table", "input_ids"], ["last_hidden_state"])
    graph = helper.make_graph([node], "encoder", inputs, [made], [numpy_helper.from_array(table, "table")])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=8)


tokenizer = unigram() if kind == "e5" else word_pieces()
rows = len(tokenizer["model"]["vocab"])
size = {"minilm": 384, "e5": 384, "wide": 768}.get(kind, 512)
graph = graph_of_bundled() if kind in ("minilm", "wide", "e5") else random_graph(rows, size)
onnx.save(graph, str(out / "onnx/model.onnx"))
names = {"minilm": "sentence-transformers/all-MiniLM-L6-v2", "e5": "intfloat/multilingual-e5-small", "random": "none", "infinite": "none", "wide": "none"}
write("tokenizer.json", tokenizer)
write("config.json", {"_name_or_path": names[kind], "model_type": "xlm-roberta" if kind == "e5" else "bert", "hidden_size": size,
                      "max_position_embeddings": 514 if kind == "e5" else 512, "vocab_size": rows})
write("sentence_bert_config.json", {"max_seq_length": 256, "do_lower_case": False})
write("1_Pooling/config.json", {"word_embedding_dimension": size, "pooling_mode_cls_token": False, "pooling_mode_mean_tokens": True})
write("modules.json", [{"idx": n, "name": str(n), "path": path, "type": f"sentence_transformers.models.{name}"}
                       for n, (path, name) in enumerate([("", "Transformer"), ("1_Pooling", "Pooling"), ("2_Normalize", "Normalize")])])
(out / "README.md").write_text("---\nlicense: apache-2.0\n---\n")
