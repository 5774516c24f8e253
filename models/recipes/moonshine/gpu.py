"""Moonshine tiny as published, in ONNX Runtime's format -> the graphs that run on a GPU, in fp16.

    python3 gpu.py IN OUT [fp16|fp32]

reads IN/moonshine-tiny-en-gpu/{encoder.ort, decoder.ort} and writes OUT/moonshine-tiny-en-gpu/{encoder.onnx, decoder.onnx}.
fp32 is for tests.

Needs numpy and onnx alone; the same inputs give the same bytes on every machine.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from device_model import build_decoder, build_encoder  # noqa: E402
from weights import Weights  # noqa: E402


def main(food: pathlib.Path, out: pathlib.Path, form: str = "fp16") -> None:
    weights = Weights((food / "encoder.ort").read_bytes(), (food / "decoder.ort").read_bytes())
    out.mkdir(parents=True, exist_ok=True)
    for name, build in (("encoder.onnx", build_encoder), ("decoder.onnx", build_decoder)):
        (out / name).write_bytes(build(weights, form).SerializeToString(deterministic=True))


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    folder = "moonshine-tiny-en-gpu"
    main(pathlib.Path(sys.argv[1]) / folder, pathlib.Path(sys.argv[2]) / folder, *sys.argv[3:])
