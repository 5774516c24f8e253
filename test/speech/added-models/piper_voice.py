"""Makes a Piper voice as Piper publishes them, of the parts of the stock voice: one graph with its random nodes, and JSON.

    python3 piper_voice.py PARTS SETTINGS OUT [SPEAKERS] [LANGUAGE] [ESPEAK]

PARTS/joe-{text,flow,decoder}.onnx and SETTINGS are the stock voice's. With several speakers the graph takes `sid`, each part is
conditioned on it, and the first speaker is the stock voice.
"""

import json
import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

parts, settings, out = map(pathlib.Path, sys.argv[1:4])
speakers = int(sys.argv[4]) if len(sys.argv) > 4 else 1
language = sys.argv[5] if len(sys.argv) > 5 else "en"
espeak = sys.argv[6] if len(sys.argv) > 6 else "en-us"

text, flow, decoder = (onnx.load(str(parts / f"joe-{name}.onnx")) for name in ("text", "flow", "decoder"))
nodes, constants = [], []


def const(name, array):
    constants.append(numpy_helper.from_array(array, name))
    return name


def op(kind, inputs, name, **attributes):
    nodes.append(helper.make_node(kind, inputs, [name], name=name, **attributes))
    return name


def rename(part, names):
    for node in part.graph.node:
        for i, name in enumerate(node.input):
            node.input[i] = names.get(name, name)


# An exporter that is given no speaker calls the first weight, the table of phonemes, `sid`.
for tensor in text.graph.initializer:
    tensor.name = "enc_p.emb.weight" if tensor.name == "sid" else tensor.name
rename(text, {"sid": "enc_p.emb.weight"})
# The noise of the durations: [1, 2, N].
length = op("Slice", [op("Shape", ["input"], "shape"), const("one", np.array([1])), const("two", np.array([2]))], "n")
size = op("Concat", [const("head", np.array([1, 2])), length], "noise_shape", axis=0)
op("RandomNormalLike", [op("ConstantOfShape", [size], "noise_like")], "random_durations", dtype=1)
rename(text, {"duration_noise": "random_durations"})
latent_mean = "mean"
if speakers > 1:
    rng = np.random.default_rng(3)
    table = rng.normal(0, 1, (speakers, 192)).astype(np.float32)
    table[0] = 0
    const("emb_g.weight", table)
    voice = op("Unsqueeze", [op("Gather", ["emb_g.weight", "sid"], "who"), const("last", np.array([-1]))], "g")
    latent_mean = op("Add", ["mean", op("Mul", [voice, const("little", np.array(0.15, np.float32))], "g_mean")], "mean_g")
noise = op("RandomNormalLike", [latent_mean], "random_sounds", dtype=1)
first = op("Gather", ["scales", const("zero", np.array(0))], "noise_scale")
scaled = op("Mul", [op("Mul", [noise, "deviation"], "varied"), first], "scaled")
op("Add", [latent_mean, scaled], "sounds")
row = op("Slice", ["mean", const("from", np.array([0])), const("until", np.array([1])), const("axis", np.array([1]))], "row")
op("Cast", [op("Less", [row, const("most", np.array(1e9, np.float32))], "less")], "mask", to=TensorProto.FLOAT)
# Piper's own exponential is read by the noise, where the part gives a copy of it.
copy = next(node for node in text.graph.node if list(node.output) == ["deviation"])
nodes = [node for node in nodes if node.output[0] != "varied"]
op("Mul", [noise, copy.input[0]], "varied")
pre = next(node for node in decoder.graph.node if "conv_pre" in node.input[1])
if speakers > 1:
    told = op("Mul", [voice, const("some", np.array(2, np.float32))], "g_dec")
    pre_width = next(t.dims[0] for t in decoder.graph.initializer if t.name == pre.input[1])
    spread = const("dec.cond.weight", rng.normal(0, 0.05, (pre_width, 192, 1)).astype(np.float32))
    cond = op("Conv", [told, spread], "cond")
    plain = pre.output[0]
    pre.output[0] = "plain_pre"
    cond_add = helper.make_node("Add", ["plain_pre", "cond"], [plain], name="cond_add")
# The parts share constants, by the names that these have in the published graph.
ordered, made = [], set()
for part in (text, flow, decoder):
    ordered += [node for node in part.graph.node if node.output[0] not in made]
    made |= {node.output[0] for node in part.graph.node}
if speakers > 1:
    at = next(i for i, node in enumerate(ordered) if "plain_pre" in node.output)
    ordered.insert(at + 1, cond_add)
# Sorted so that each node stands behind what it reads.
graph_inputs = ["input", "input_lengths", "scales"] + (["sid"] if speakers > 1 else [])
by_name = {t.name: t for part in (text, flow, decoder) for t in part.graph.initializer}
weights = [*constants, *by_name.values()]
known = {*graph_inputs, *(t.name for t in weights), ""}
waiting, done = [*nodes, *ordered], []
while waiting:
    ready = [node for node in waiting if all(name in known for name in node.input)]
    assert ready, [node.name for node in waiting][:5]
    for node in ready:
        done.append(node)
        known.update(node.output)
    kept = {id(node) for node in ready}
    waiting = [node for node in waiting if id(node) not in kept]

# None of the parts' names is left in the published graph.
names = {name: f"/{name}" for name in ("mean", "deviation", "durations", "sounds", "mask", "latent", "audio")}
for node in done:
    node.name = names.get(node.name, node.name)
    for side in (node.input, node.output):
        for i, name in enumerate(side):
            side[i] = names.get(name, name)
info = helper.make_tensor_value_info
inputs = [
    info("input", TensorProto.INT64, ["B", "N"]),
    info("input_lengths", TensorProto.INT64, ["B"]),
    info("scales", TensorProto.FLOAT, [3]),
] + ([info("sid", TensorProto.INT64, ["B"])] if speakers > 1 else [])
done = [node for node in done if list(node.output) != ["/audio"]]  # a copy of `output`
graph = helper.make_graph(done, "piper", inputs, [info("output", TensorProto.FLOAT, ["B", 1, 1, None])], weights)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 15)], ir_version=8, producer_name="test")
out.mkdir(parents=True, exist_ok=True)
name = f"{language}_XX-test-medium"
(out / f"{name}.onnx").write_bytes(model.SerializeToString(deterministic=True))

config = json.loads(settings.read_bytes())
config["espeak"]["voice"] = espeak
config["language"] = {"code": f"{language}_XX", "family": language, "region": "XX"}
config["dataset"] = "test"
config["num_speakers"] = speakers
config["speaker_id_map"] = {f"person {number}": number for number in range(speakers)} if speakers > 1 else {}
(out / f"{name}.onnx.json").write_text(json.dumps(config))
(out / "MODEL_CARD").write_text("# Model card\n\n* License: CC0\n")
