"""A Moonshine that the operator brings -> the files that native/asr/moonshine.cc opens.

    python3 added.py IN OUT

reads the graphs IN/{encoder, decoder}.{onnx, ort} or the weights of transformers, IN/*.safetensors, with IN/tokenizer.json or
IN/tokenizer.bin and config.json, which graphs may lack. It writes OUT/{encoder, decoder}.{onnx, ort}, tokenizer.bin,
moonshine.conf and facts.json. Graphs are not changed; the engine reads their sizes and checks them, and facts.json has those
that config.json states.

Files that are no such model, are damaged or do not belong together end with one line on standard error and status 2.
"""

import json
import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
sys.path.insert(0, str(pathlib.Path(__file__).parent))

from added_graph import Unusable, open_model, run  # noqa: E402
from model import build_decoder, build_encoder  # noqa: E402
from pieces import Pieces, pieces_of_table, pieces_of_tokenizer  # noqa: E402
from transformers_weights import TransformersWeights  # noqa: E402

GRAPHS = ("encoder", "decoder")
# The engine has no use for a text token of these numbers: it never writes them.
CONTROLS = 3
STATED = {"layers": "decoder_num_hidden_layers", "heads": "decoder_num_attention_heads", "width": "hidden_size", "vocabulary": "vocab_size"}


def read_json(path: pathlib.Path) -> dict:
    try:
        value = json.loads(path.read_text("utf-8"))
    except ValueError as error:
        raise Unusable(f"{path.name} is not valid JSON: it was not copied whole") from error
    if not isinstance(value, dict):
        raise Unusable(f"{path.name} is not a JSON object")
    return value


def form_of(given: pathlib.Path) -> str:
    forms = {path.suffix[1:] for path in given.iterdir() if path.stem in GRAPHS}
    if not forms and weights_in(given):
        return "onnx"
    if len(forms) != 1:
        raise Unusable("the encoder and the decoder have different forms: give two ONNX graphs or two .ort files")
    return forms.pop()


def weights_in(given: pathlib.Path) -> list[pathlib.Path]:
    return sorted(given.glob("*.safetensors"))


def check_graph(path: pathlib.Path, called: str) -> None:
    """A graph in the runtime's own form is checked by the engine, as it opens it."""
    if path.suffix == ".ort":
        return
    try:
        open_model(path)
    except Unusable as error:
        raise Unusable(f"the {called}: {error}") from error


def pieces_of(given: pathlib.Path) -> Pieces:
    if (given / "tokenizer.json").exists():
        return pieces_of_tokenizer(read_json(given / "tokenizer.json"))
    return pieces_of_table((given / "tokenizer.bin").read_bytes())


def control(config: dict, names: tuple[str, ...], pieces: Pieces, piece: bytes) -> int:
    """-> the number of the token that opens or ends texts: as config.json states it, or as the tokenizer calls it."""
    stated = next((config[name] for name in names if config.get(name) is not None), None)
    number = pieces.number(piece) if stated is None else stated
    if not isinstance(number, int) or not 0 <= number < CONTROLS:
        raise Unusable(f"the token {piece.decode()} has the number {number}, which is not supported: expected one below {CONTROLS}")
    return number


def stated_sizes(config: dict) -> dict[str, int | None]:
    sizes = {name: config.get(member) for name, member in STATED.items()}
    for name, value in sizes.items():
        if value is not None and (not isinstance(value, int) or value <= 0):
            raise Unusable(f"config.json states {STATED[name]} {value}, which is not a size")
    return sizes


def main(given: pathlib.Path, out: pathlib.Path) -> None:
    form = form_of(given)
    config = read_json(given / "config.json") if (given / "config.json").exists() else {}
    if config.get("model_type", "moonshine") != "moonshine":
        raise Unusable(f"config.json is that of a model of the kind {config['model_type']}, and not of a Moonshine")
    pieces = pieces_of(given)
    conf = {
        "form": form,
        "begin": control(config, ("decoder_start_token_id", "bos_token_id"), pieces, b"<s>"),
        "end": control(config, ("eos_token_id",), pieces, b"</s>"),
    }
    facts = {"form": form, **stated_sizes(config)}
    out.mkdir(parents=True, exist_ok=True)
    if weights_in(given):
        weights = TransformersWeights(weights_in(given))
        try:
            sizes = weights.sizes(config)
            for name, build in zip(GRAPHS, (build_encoder, build_decoder)):
                (out / f"{name}.onnx").write_bytes(build(weights, sizes).SerializeToString(deterministic=True))
        except (ValueError, IndexError) as error:
            raise Unusable(f"the weights do not fit together: {error}") from error
    else:
        for name in GRAPHS:
            check_graph(given / f"{name}.{form}", name)
            shutil.copyfile(given / f"{name}.{form}", out / f"{name}.{form}")
    (out / "tokenizer.bin").write_bytes(pieces.table())
    (out / "moonshine.conf").write_text("".join(f"{name} {value}\n" for name, value in conf.items()))
    (out / "facts.json").write_text(json.dumps(facts, indent=2, sort_keys=True) + "\n", "utf-8")


if __name__ == "__main__":
    run(main, __doc__)
