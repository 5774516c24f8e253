"""Kokoro-82M as published (one 8-bit graph) -> its generator as a graph that runs on a GPU, in fp16.

    python3 gpu.py IN OUT

reads IN/kokoro-gpu/kokoro.onnx and writes OUT/kokoro-gpu/generator.onnx, with the weights that build.py writes for the
processor.

Needs numpy and onnx alone; the same inputs give the same bytes on every machine.
"""

import pathlib
import sys

import onnx

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from build import build_weights  # noqa: E402
from device_generator import build_device_generator, read_weights  # noqa: E402


def main(food: pathlib.Path, out: pathlib.Path) -> None:
    weights = read_weights(build_weights(onnx.load(str(food / "kokoro.onnx"))))
    out.mkdir(parents=True, exist_ok=True)
    made = build_device_generator(weights, "fp16")
    (out / "generator.onnx").write_bytes(made.SerializeToString(deterministic=True))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]) / "kokoro-gpu", pathlib.Path(sys.argv[2]) / "kokoro-gpu")
