"""A Piper voice that the operator brings, of any language and with one speaker or several, in the three parts of build.py.

    python3 voice.py IN OUT

reads IN/voice.onnx and IN/voice.json and writes OUT/{text,flow,decoder}.onnx, OUT/phonemes.json (numbers of each character)
and OUT/piper.conf, which native/tts/piper.h describes. Where a voice has several speakers, each part takes `sid [1]`.

The cuts are found by what the graph computes and not by the names of its nodes, which differ from exporter to exporter.
A file that is no such voice ends with one line on standard error and status 2.
"""

import json
import math
import pathlib
import sys
import unicodedata

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import onnx  # noqa: E402
from build import cut, forget_shapes  # noqa: E402
from onnx import numpy_helper  # noqa: E402

POINTWISE = {"Add", "Sub", "Mul", "Div", "Neg", "Exp", "Tanh", "Sigmoid", "LeakyRelu", "Relu", "Identity", "Cast"}
# Nodes that move channels. Nothing in a flow or a decoder moves frames.
CHANNELS = {"Slice", "Split", "Concat", "Gather", "Unsqueeze", "Squeeze"}


class Unusable(Exception):
    pass


class Reader:
    def __init__(self, graph):
        self.nodes = list(graph.node)
        self.maker = {output: node for node in graph.node for output in node.output}
        self.weights = {tensor.name: tensor for tensor in graph.initializer}
        self.users: dict[str, list] = {}
        for node in graph.node:
            for name in node.input:
                self.users.setdefault(name, []).append(node)

    def shape(self, name: str) -> list[int]:
        """Of a weight, which an exporter may write as a constant node."""
        if name in self.weights:
            return list(self.weights[name].dims)
        node = self.maker.get(name)
        if node is not None and node.op_type == "Constant":
            return list(next(a.t for a in node.attribute if a.name == "value").dims)
        if node is not None and node.op_type == "Identity":
            return self.shape(node.input[0])
        raise Unusable(f"the weight {name} is missing")

    def depends(self, name: str, on: str) -> bool:
        seen, stack = set(), [name]
        while stack:
            at = stack.pop()
            if at == on:
                return True
            node = self.maker.get(at)
            if node is not None and at not in seen:
                seen.add(at)
                stack += [i for i in node.input if i]
        return False

    def rows(self, numbers: str) -> int | None:
        """Of the table that an input's numbers choose from."""
        tables = [node for node in self.users.get(numbers, []) if node.op_type == "Gather" and node.input[1] == numbers]
        return self.shape(tables[0].input[0])[0] if tables else None

    def one(self, name: str, kind: str):
        found = [node for node in self.users.get(name, []) if node.op_type == kind]
        return found[0] if found else None


def find_parts(reader: Reader) -> dict:
    """The tensors at which the graph is cut."""
    pre = [n for n in reader.nodes if n.op_type == "Conv" and "conv_pre" in (n.name + n.input[1])]
    ceils = [n for n in reader.nodes if n.op_type == "Ceil"]
    noises = [n for n in reader.nodes if n.op_type == "RandomNormalLike"]
    if len(pre) != 1 or len(ceils) != 1 or len(noises) not in (1, 2):
        raise Unusable("the graph is not that of a Piper voice: it lacks the parts of a VITS network")
    durations = ceils[0].output[0]
    first = [n for n in noises if reader.depends(durations, n.output[0])]
    second = [n for n in noises if n not in first]
    if len(second) != 1:
        raise Unusable("the graph is not that of a Piper voice: its random nodes are others")
    # mean + noise * deviation * scale
    factors, at = [], second[0].output[0]
    while (node := reader.one(at, "Mul")) is not None:
        factors += [i for i in node.input if i != at]
        at = node.output[0]
    added = reader.one(at, "Add")
    deviations = [f for f in factors if f in reader.maker and reader.maker[f].op_type == "Exp"]
    if added is None or len(deviations) != 1:
        raise Unusable("the graph is not that of a Piper voice: its noise is added in another way")
    sounds = added.output[0]
    latent = pre[0].input[0]
    node = reader.maker[latent]
    while node.op_type in ("Slice", "Identity", "Cast"):
        node = reader.maker[node.input[0]]
    masks = [i for i in node.input if not reader.depends(i, sounds)]
    if node.op_type != "Mul" or len(masks) != 1:
        raise Unusable("the graph is not that of a Piper voice: its flow ends in another way")
    return {
        "mean": next(i for i in added.input if i != at),
        "deviation": deviations[0],
        "durations": durations,
        "duration_noise": first[0].output[0] if first else None,
        "sounds": sounds,
        "mask": masks[0],
        "latent": latent,
        "channels": reader.shape(pre[0].input[1])[1],
    }


def attribute(node, name: str, otherwise):
    found = next((a for a in node.attribute if a.name == name), None)
    return otherwise if found is None else onnx.helper.get_attribute_value(found)


def reach(model, start: str) -> tuple[int, int]:
    """How many frames to each side a part's output depends on, and how many samples it makes of a frame."""
    reader = Reader(model.graph)
    # Of each tensor that depends on the input: samples a frame, and frames to each side.
    known = {start: (1, 0.0)}
    for node in reader.nodes:
        inputs = [known[name] for name in node.input if name in known]
        if not inputs or node.op_type in ("Shape", "ConstantOfShape"):
            continue
        rate, radius = max(i[0] for i in inputs), max(i[1] for i in inputs)
        if node.op_type == "Conv":
            taps, spread = reader.shape(node.input[1])[2], attribute(node, "dilations", [1])[0]
            if attribute(node, "strides", [1])[0] != 1:
                raise Unusable("the graph is not that of a Piper voice: a convolution skips frames")
            radius += spread * (taps - 1) / 2 / rate
        elif node.op_type == "ConvTranspose":
            taps, stride = reader.shape(node.input[1])[2], attribute(node, "strides", [1])[0]
            radius += (taps / stride / 2 + 0.5) / rate
            rate *= stride
        elif node.op_type not in POINTWISE | CHANNELS:
            raise Unusable(f"the voice's decoder has {node.op_type}, which looks at a whole clause: it is no Piper voice")
        for name in node.output:
            known[name] = (rate, radius)
    rate, radius = known[model.graph.output[0].name]
    return math.ceil(radius), rate


def characters(config: dict) -> dict[str, list[int]]:
    """The numbers of each character, as Piper finds them: in lower case where it reads text, decomposed, and mapped."""
    table = {key: list(value) for key, value in config["phoneme_id_map"].items()}
    said = {key: list(value) for key, value in config.get("phoneme_map", {}).items()}
    text = config.get("phoneme_type", "espeak") == "text"
    out = {key: value for key, value in table.items() if len(key) == 1}
    for code in [*range(0xA0, 0xD800), *range(0xF900, 0xFE00)] if text else range(0xA0, 0x2000):
        add(chr(code), table, said, text, out)
    for code in range(0x20, 0x7F):
        add(chr(code), table, said, text, out)
    return out


def add(char: str, table: dict, said: dict, text: bool, out: dict) -> None:
    parts = unicodedata.normalize("NFD", char.lower() if text else char)
    mapped = [p for part in parts for p in said.get(part, [part])]
    if mapped != [char] and all(p in table for p in mapped):
        out[char] = [number for p in mapped for number in table[p]]


def settings(config: dict, cuts: dict, context: int, flow_context: int, frame: int) -> str:
    inference = config.get("inference", {})
    lines = {
        "rate": config["audio"]["sample_rate"],
        "channels": cuts["channels"],
        "frame_samples": frame,
        "context": context,
        "flow_context": flow_context,
        "speakers": max(1, config.get("num_speakers", 1)),
        "noise": inference.get("noise_scale", 0.667),
        "duration_noise": inference.get("noise_w", 0.8),
        "length": inference.get("length_scale", 1),
        "phonemes": 0 if config.get("phoneme_type", "espeak") == "text" else 1,
    }
    return "".join(f"{name} {value}\n" for name, value in lines.items())


def check(config: dict, reader: Reader, takes: set[str]) -> None:
    if config.get("phoneme_type", "espeak") not in ("espeak", "text"):
        raise Unusable(f"the voice is of phonemes of the kind {config['phoneme_type']}; espeak and text are served")
    highest = max(number for numbers in config["phoneme_id_map"].values() for number in numbers)
    known = reader.rows("input")
    if known is not None and highest >= known:
        raise Unusable(
            f"the settings name the phoneme {highest}, and the graph knows {known}: they belong to another voice"
        )
    speakers = config.get("num_speakers", 1)
    if speakers > 1 and "sid" not in takes:
        raise Unusable(f"the settings name {speakers} speakers, and the graph has one: they belong to another voice")
    has = reader.rows("sid") if "sid" in takes else None
    if has is not None and speakers > has:
        raise Unusable(f"the settings name {speakers} speakers, and the graph has {has}: they belong to another voice")


def read(path: pathlib.Path):
    try:
        model = onnx.load(str(path), load_external_data=False)
    except Exception as error:
        raise Unusable("the graph cannot be read: the file is damaged or was not copied whole") from error
    if any(tensor.data_location == onnx.TensorProto.EXTERNAL for tensor in model.graph.initializer):
        raise Unusable("the graph keeps its weights in another file; a Piper voice is one file")
    for tensor in model.graph.initializer:
        try:
            numpy_helper.to_array(tensor)
        except Exception as error:
            raise Unusable(f"the weight {tensor.name} is damaged") from error
    return model


def main(food: pathlib.Path, out: pathlib.Path) -> None:
    model = read(food / "voice.onnx")
    config = json.loads((food / "voice.json").read_bytes())
    reader = Reader(model.graph)
    takes = {value.name for value in model.graph.input} - set(reader.weights)
    if not {"input", "input_lengths", "scales"} <= takes or len(model.graph.output) != 1:
        raise Unusable("the graph does not take the inputs of a Piper voice")
    check(config, reader, takes)
    cuts = find_parts(reader)
    width = cuts["channels"]
    gives = {
        cuts["mean"]: ("mean", [1, width, None]),
        cuts["deviation"]: ("deviation", [1, width, None]),
        cuts["durations"]: ("durations", [1, 1, None]),
    }
    noise = {cuts["duration_noise"]: ("duration_noise", [1, 2, None])} if cuts["duration_noise"] else {}
    latent = {cuts["latent"]: ("latent", [1, width, None])}
    text = cut(model, noise, gives)
    if not noise:
        raise Unusable("the voice has a duration predictor without noise, which is not served")
    flow = cut(
        model, {cuts["sounds"]: ("sounds", [1, width, None]), cuts["mask"]: ("mask", [1, 1, None])}, latent
    )
    decoder = cut(model, latent, {model.graph.output[0].name: ("audio", [1, 1, 1, None])})
    flow_context, _ = reach(flow, "sounds")
    context, frame = reach(decoder, "latent")
    out.mkdir(parents=True, exist_ok=True)
    parts = {"text": forget_shapes(text), "flow": forget_shapes(flow), "decoder": decoder}
    for name, part in parts.items():
        (out / f"{name}.onnx").write_bytes(part.SerializeToString(deterministic=True))
    (out / "phonemes.json").write_text(
        json.dumps({"phoneme_id_map": characters(config)}, ensure_ascii=False, indent=0, sort_keys=True)
    )
    (out / "piper.conf").write_text(settings(config, cuts, context, flow_context, frame))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    try:
        main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
    except Unusable as error:
        print(error, file=sys.stderr)
        sys.exit(2)
