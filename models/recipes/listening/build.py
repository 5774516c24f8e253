"""Copies the backchannel networks to where the engine reads them: models/recipes/listening/build.py IN OUT.

The nets stand beside this file, as learn.py wrote them: learning needs recordings and a quarter of an hour, which a user's machine
has not. This program checks their shape and copies them.
"""
import pathlib
import struct
import sys

MARK, VERSION, NETS, COLUMNS, HIDDEN = b"TLLN", 1, 3, 24, 24
EARS = (288, 512)  # numbers a row: Moonshine tiny, Whisper base


def weights_of(width: int) -> int:
    pools = 4 * COLUMNS
    return NETS * (width * COLUMNS + COLUMNS + pools * HIDDEN + HIDDEN + HIDDEN + pools + 1)


# What stands here, and what the engine reads.
FILES = {"learnt.bin": "nets.bin", "elsewhere.bin": "elsewhere.bin"}


def check(name: str, nets: bytes) -> None:
    head = MARK + struct.pack("<4I", VERSION, NETS, COLUMNS, HIDDEN)
    at = len(head)
    if nets[:at] != head:
        raise SystemExit(f"{name}: not nets of this version")
    for width in EARS:
        if nets[at : at + 4] != struct.pack("<I", width):
            raise SystemExit(f"{name}: expected rows of {width} numbers")
        at += 8 + 4 * weights_of(width)
    if at != len(nets):
        raise SystemExit(f"{name}: expected {at} bytes, received {len(nets)}")


def main() -> None:
    for learnt, read in FILES.items():
        nets = pathlib.Path(__file__).with_name(learnt).read_bytes()
        check(learnt, nets)
        out = pathlib.Path(sys.argv[2]) / "listening" / read
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_bytes(nets)


main()
