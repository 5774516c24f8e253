"""A speaker encoder that the operator brings -> the files that native/lanes/hear opens.

    python3 added.py IN OUT

reads IN/encoder.onnx, which makes one vector of the rows of 80 mel bands that WeSpeaker, 3D-Speaker and others compute with
Kaldi's filter bank at 16 kHz. It writes OUT/{encoder.onnx, encoder.conf, facts.json}: the same graph with the input `features`
and the output `embedding`, and the window of its features.

Files that are no such encoder or are damaged end with one line on standard error and status 2.
"""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

import onnx  # noqa: E402
from added_graph import Unusable, dimensions, inputs_of, is_of, open_model, rename, run  # noqa: E402
from onnx import TensorProto, shape_inference  # noqa: E402

BANDS, RATE = 80, 16000
SIZES = range(32, 4097)
VECTORS = ("embs", "embedding", "embeddings", "emb", "output")


def stated(model) -> dict[str, str]:
    """What sherpa-onnx and others write into a graph of theirs."""
    meta = {one.key: one.value for one in model.metadata_props}
    rate = meta.get("sample_rate", str(RATE))
    if rate != str(RATE):
        raise Unusable(f"the encoder reads audio at {rate} Hz; {RATE} Hz is supported")
    if meta.get("feature_normalize_type", "global-mean") not in ("", "global-mean"):
        raise Unusable(f"the encoder normalizes its features by {meta['feature_normalize_type']}, which is not supported: only the mean is taken out of them")
    return meta


def input_of(graph) -> str:
    inputs = list(inputs_of(graph).values())
    names = ", ".join(one.name for one in inputs)
    if len(inputs) != 1:
        raise Unusable(f"the graph takes {names or 'nothing'}; a speaker encoder of rows of {BANDS} mel bands alone is supported")
    shape = dimensions(inputs[0])
    if not is_of(inputs[0], TensorProto.FLOAT) or len(shape) != 3 or shape[2] not in (BANDS, None):
        raise Unusable(f"the graph takes {names} of the shape {shape}; rows of {BANDS} mel bands in float32, [batch, rows, {BANDS}], are supported")
    if shape[0] not in (1, None) or shape[1] is not None:
        raise Unusable(f"the graph takes {names} of the shape {shape}; it has to leave the number of rows open")
    return inputs[0].name


def output_of(model) -> tuple[str, int]:
    try:
        outputs = shape_inference.infer_shapes(model).graph.output
    except Exception:
        outputs = model.graph.output
    vectors = [one for one in outputs if is_of(one, TensorProto.FLOAT) and len(dimensions(one)) == 2]
    named = [one for one in vectors if one.name in VECTORS]
    if len(vectors) != 1 and len(named) != 1:
        raise Unusable(f"the graph makes {', '.join(one.name for one in outputs) or 'nothing'}; one vector, [batch, numbers], is expected")
    found = (named if len(named) == 1 else vectors)[0]
    size = dimensions(found)[1]
    if size is None:
        raise Unusable(f"the graph does not state how many numbers its vector {found.name} has")
    if size not in SIZES:
        raise Unusable(f"the graph makes vectors of {size} numbers, which is not from {SIZES[0]} to {SIZES[-1]}")
    return found.name, size


def window_of(meta: dict[str, str], name: str) -> str:
    """WeSpeaker's encoders, whose input is `feats`, were trained with Hamming's window, and others with Kaldi's own."""
    framework = meta.get("framework", "wespeaker" if name == "feats" else "")
    return "hamming" if framework == "wespeaker" else "povey"


def main(given: pathlib.Path, out: pathlib.Path) -> None:
    model = open_model(given / "encoder.onnx")
    meta = stated(model)
    taken = input_of(model.graph)
    made, size = output_of(model)
    window = window_of(meta, taken)
    rename(model.graph, {taken: "features", made: "embedding"})
    del model.graph.output[:]
    model.graph.output.append(onnx.helper.make_tensor_value_info("embedding", TensorProto.FLOAT, [None, size]))
    out.mkdir(parents=True, exist_ok=True)
    (out / "encoder.onnx").write_bytes(model.SerializeToString(deterministic=True))
    (out / "encoder.conf").write_text(f"window {window}\n")
    (out / "facts.json").write_text(json.dumps({"size": size, "window": window}, sort_keys=True) + "\n")


if __name__ == "__main__":
    run(main, __doc__)
