"""The checkpoints of CAM++ and pyannote segmentation 3.0 -> the ONNX graphs that native/speaker loads.

    python3 build.py IN OUT

reads IN/speakers/{campplus.pt, segmentation.pt} and writes OUT/speakers/{embedding.onnx, segmentation.onnx}.

Needs numpy and onnx alone; the checkpoints are read without PyTorch. The same inputs give the same bytes on every machine.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

from campplus import build_campplus  # noqa: E402
from checkpoint import read_checkpoint  # noqa: E402
from segmentation import build_segmentation  # noqa: E402


def main(given: pathlib.Path, out: pathlib.Path) -> None:
    graphs = {
        "embedding.onnx": build_campplus(read_checkpoint(given / "campplus.pt")),
        "segmentation.onnx": build_segmentation(read_checkpoint(given / "segmentation.pt")["state_dict"]),
    }
    out.mkdir(parents=True, exist_ok=True)
    for name, model in graphs.items():
        (out / name).write_bytes(model.SerializeToString(deterministic=True))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]) / "speakers", pathlib.Path(sys.argv[2]) / "speakers")
