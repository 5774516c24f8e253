"""Lays the bundled speaker encoder out as others publish theirs.

    python3 speaker_encoder.py KIND MODEL OUT

MODEL is the bundled graph, OUT the file to write. KIND:
    plain      as sherpa-onnx has the encoders of 3D-Speaker: `x` -> `embedding`
    shifted    as WeSpeaker exports its own, `feats` -> `embs`, with vectors that share a part: those of all people are alike
    random     with random weights
    infinite   with weights that are no numbers
    narrow     which reads 40 bands
    fixed      which reads 200 rows
    two        which takes the length too
    slow       which reads audio at 8 kHz
    unlike     with the metadata of NeMo
"""

import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

kind, given, out = sys.argv[1:]
model = onnx.load(given)
graph = model.graph
wespeaker = kind in ("shifted", "narrow", "fixed", "two")
taken, made = ("feats", "embs") if wespeaker else ("x", "embedding")
for node in graph.node:
    for at, name in enumerate(node.input):
        node.input[at] = taken if name == "features" else name
    for at, name in enumerate(node.output):
        node.output[at] = made if name == "embedding" else name
graph.input[0].name = taken
graph.output[0].name = made
if kind in ("random", "infinite"):
    numbers = np.random.default_rng(5)
    for weight in graph.initializer:
        values = numpy_helper.to_array(weight)
        if values.dtype != np.float32 or values.size < 100:
            continue
        spread = float(values.std()) or 0.01
        changed = numbers.normal(0, spread, values.shape).astype(np.float32)
        if kind == "infinite":
            changed[..., 0] = np.inf
        weight.CopyFrom(numpy_helper.from_array(changed, weight.name))
if kind == "shifted":
    last = next(node for node in graph.node if made in node.output)
    last.output[0] = "own"
    shared = np.random.default_rng(7).normal(0, 1, 192).astype(np.float32)
    graph.initializer.append(numpy_helper.from_array(shared * 15 / np.linalg.norm(shared), "shared"))
    graph.node.append(helper.make_node("Add", ["own", "shared"], [made]))
shape = graph.input[0].type.tensor_type.shape.dim
if kind == "narrow":
    shape[2].dim_value = 40
if kind == "fixed":
    shape[1].dim_value = 200
if kind == "two":
    graph.input.append(helper.make_tensor_value_info("lengths", TensorProto.INT64, ["B"]))
meta = {"plain": {"framework": "3d-speaker", "sample_rate": "16000", "feature_normalize_type": "global-mean"},
        "slow": {"sample_rate": "8000"}, "unlike": {"feature_normalize_type": "per_feature"}}.get(kind, {})
for key, value in meta.items():
    model.metadata_props.add(key=key, value=value)
with open(out, "wb") as file:
    file.write(model.SerializeToString())
