"""Whisper as CTranslate2 stores it -> the graphs that run on a GPU, in fp16.

    python3 gpu.py IN OUT [fp16|fp32]

reads IN/whisper-base-gpu/{ct2/model.bin, config.json} and writes OUT/whisper-base-gpu/{encoder.onnx, decoder.onnx}. Their
weights are those that build.py reads. fp32 is for tests.

Needs numpy and onnx alone; the same inputs give the same bytes on every machine.
"""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from ct2_reader import Weights  # noqa: E402
from device_decoder import build_device_decoder  # noqa: E402
from device_encoder import build_device_encoder  # noqa: E402


def main(food: pathlib.Path, out: pathlib.Path, form: str = "fp16") -> None:
    weights = Weights((food / "ct2/model.bin").read_bytes())
    heads = json.loads((food / "config.json").read_bytes())["alignment_heads"]
    out.mkdir(parents=True, exist_ok=True)
    graphs = {
        "encoder.onnx": build_device_encoder(weights, form),
        "decoder.onnx": build_device_decoder(weights, heads, form),
    }
    for name, model in graphs.items():
        (out / name).write_bytes(model.SerializeToString(deterministic=True))


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]) / "whisper-base-gpu", pathlib.Path(sys.argv[2]) / "whisper-base-gpu", *sys.argv[3:])
