"""Whisper as CTranslate2 stores it -> the ONNX graphs and tables that native/asr loads.

    python3 build.py IN OUT

reads IN/whisper-base/{ct2/model.bin, config.json, tokenizer.json} and writes below OUT/whisper-base.

Needs numpy and onnx alone. The same inputs give the same bytes on every machine: nothing here depends on a
clock, a path, a hash seed or the order in which a sum is taken.
"""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from ct2_reader import Weights  # noqa: E402
from decoder import build_decoder  # noqa: E402
from encoder import build_encoder  # noqa: E402
from tokens import pack_tokens  # noqa: E402


def settings(weights: Weights, config: dict) -> str:
    """whisper.conf: one `name value...` a line."""
    lines = {
        "bands": [weights("encoder/conv1/weight").shape[1]],
        "layers": [weights.layers("decoder")],
        "heads": [weights.scalar("decoder/num_heads")],
        "width": [weights("decoder/embeddings/weight").shape[1]],
        "vocabulary": [weights("decoder/embeddings/weight").shape[0]],
        "text_room": [weights("decoder/position_encodings/encodings").shape[0]],
        "alignment_heads": [len(config["alignment_heads"])],
        "suppress": config["suppress_ids"],
        "suppress_begin": config["suppress_ids_begin"],
    }
    return "".join(f"{name} {' '.join(map(str, values))}\n" for name, values in lines.items())


def main(food: pathlib.Path, out: pathlib.Path) -> None:
    weights = Weights((food / "ct2/model.bin").read_bytes())
    config = json.loads((food / "config.json").read_bytes())
    heads = config["alignment_heads"]
    graphs = {
        "encoder.onnx": build_encoder(weights, "int8"),
        # Whole int8 loops on Hindi and errs more on spelled letters; blocks cost 15 % more time a token.
        "decoder.onnx": build_decoder(weights, heads, "block8"),
    }
    out.mkdir(parents=True, exist_ok=True)
    for name, model in graphs.items():
        (out / name).write_bytes(model.SerializeToString(deterministic=True))
    (out / "tokens.bin").write_bytes(pack_tokens((food / "tokenizer.json").read_bytes()))
    (out / "whisper.conf").write_text(settings(weights, config))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]) / "whisper-base", pathlib.Path(sys.argv[2]) / "whisper-base")
