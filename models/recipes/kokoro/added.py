"""A Kokoro that the operator brings, with its voices -> the files that native/tts/kokoro_graph.h reads.

    python3 added.py IN OUT

reads IN/kokoro.onnx, the whole network as one graph, which Kokoro's ONNX repositories have; the style tables beside it (see
styles.py); and, where it has phonemes of its own, IN/config.json or IN/tokenizer.json. It writes OUT/graph.onnx, the same graph
with the inputs `tokens`, `style` and `speed` and the output `audio`; OUT/STYLE.bin for each voice and OUT/voices.json; and
OUT/vocab.json where the phonemes are stated.

Files that are no such model or are damaged end with one line on standard error and status 2.
"""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

from added_graph import Unusable, dimensions, inputs_of, is_of, open_model, rename, run  # noqa: E402
from onnx import TensorProto  # noqa: E402
from styles import WIDTH, main as write_styles  # noqa: E402

TOKENS, AUDIO = ("tokens", "input_ids"), ("audio", "waveform", "output")
KINDS = {TensorProto.INT64: "int64", TensorProto.FLOAT: "float32"}
MOST_TOKENS = 4096


def check(value, kind: int, last: int | None) -> None:
    shape = dimensions(value)
    if not is_of(value, kind) or (last is not None and shape[-1:] not in ([last], [None])):
        raise Unusable(f"the graph takes {value.name} of the shape {shape}; {KINDS[kind]}{f' of {last} numbers' if last else ''} is expected")


def names_of(graph) -> dict[str, str]:
    inputs = inputs_of(graph)
    tokens = [name for name in TOKENS if name in inputs]
    if len(tokens) != 1 or set(inputs) != {tokens[0], "style", "speed"}:
        raise Unusable(f"the graph takes {', '.join(inputs)}; a Kokoro takes tokens, style and speed")
    check(inputs[tokens[0]], TensorProto.INT64, None)
    check(inputs["style"], TensorProto.FLOAT, WIDTH)
    check(inputs["speed"], TensorProto.FLOAT, None)
    if dimensions(inputs[tokens[0]])[-1:] != [None]:
        raise Unusable(f"the graph takes {dimensions(inputs[tokens[0]])[-1]} tokens; it has to leave their number open")
    made = [one for one in graph.output if is_of(one, TensorProto.FLOAT)]
    audio = [one for one in made if one.name in AUDIO] or made
    if len(audio) != 1:
        raise Unusable(f"the graph makes {', '.join(one.name for one in graph.output)}; the audio in float32 is expected")
    return {tokens[0]: "tokens", audio[0].name: "audio"}


def phonemes_of(given: pathlib.Path) -> dict[str, int] | None:
    for name in ("config.json", "tokenizer.json"):
        path = given / name
        if not path.exists():
            continue
        try:
            value = json.loads(path.read_text("utf-8"))
        except ValueError as error:
            raise Unusable(f"{name} is not valid JSON: it was not copied whole") from error
        table = value.get("vocab") or (value.get("model") or {}).get("vocab")
        if isinstance(table, dict) and table:
            known = {symbol: number for symbol, number in table.items() if len(symbol) == 1}
            if not all(isinstance(number, int) and 0 <= number < MOST_TOKENS for number in known.values()) or " " not in known:
                raise Unusable(f"{name} has a table of phonemes that is none of Kokoro's")
            return known
    return None


def rows_of(graph) -> int | None:
    """Of the table of tokens."""
    shapes = {one.name: list(one.dims) for one in graph.initializer}
    found = [shapes[node.input[0]] for node in graph.node if node.op_type == "Gather" and node.input[1] == "tokens" and node.input[0] in shapes]
    return found[0][0] if found else None


def main(given: pathlib.Path, out: pathlib.Path) -> None:
    model = open_model(given / "kokoro.onnx")
    rename(model.graph, names_of(model.graph))
    table = phonemes_of(given)
    rows = rows_of(model.graph)
    if table is not None and rows is not None and max(table.values()) >= rows:
        raise Unusable(f"the table of phonemes has the number {max(table.values())}, and the graph knows {rows}: they belong to different models")
    write_styles(given, out)
    (out / "graph.onnx").write_bytes(model.SerializeToString(deterministic=True))
    if table is not None:
        (out / "vocab.json").write_text(json.dumps({"vocab": table}, ensure_ascii=False, sort_keys=True) + "\n", "utf-8")


if __name__ == "__main__":
    run(main, __doc__)
