"""Kokoro-82M as published (one 8-bit graph) -> the graphs that run on a GPU, in half precision.

    python3 gpu.py IN OUT [fp16|fp32]

reads IN/kokoro-gpu/kokoro.onnx and writes OUT/kokoro-gpu/{prosody.onnx, decoder.onnx, generator.onnx}, with the weights of those
that build.py writes for the processor. fp32 is for tests.

Needs numpy and onnx alone; the same inputs give the same bytes on every machine.
"""

import pathlib
import sys

import onnx

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from build import build_weights  # noqa: E402
from device_front import build_device_decoder, build_device_prosody  # noqa: E402
from device_generator import build_device_generator, read_weights  # noqa: E402


def main(food: pathlib.Path, out: pathlib.Path, form: str = "fp16") -> None:
    model = onnx.load(str(food / "kokoro.onnx"))
    out.mkdir(parents=True, exist_ok=True)
    graphs = {
        "prosody.onnx": build_device_prosody(model, form),
        "decoder.onnx": build_device_decoder(model, form),
        "generator.onnx": build_device_generator(read_weights(build_weights(model)), form),
    }
    for name, made in graphs.items():
        (out / name).write_bytes(made.SerializeToString(deterministic=True))


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    folder = "kokoro-gpu"
    main(pathlib.Path(sys.argv[1]) / folder, pathlib.Path(sys.argv[2]) / folder, *sys.argv[3:])
