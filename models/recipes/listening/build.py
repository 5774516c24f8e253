"""Puts the nets that tell signs of listening where the engine reads them: models/recipes/listening/build.py IN OUT.

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


def check(nets: bytes) -> None:
    head = MARK + struct.pack("<4I", VERSION, NETS, COLUMNS, HIDDEN)
    at = len(head)
    if nets[:at] != head:
        raise SystemExit("learnt.bin: not nets of this version")
    for width in EARS:
        if nets[at : at + 4] != struct.pack("<I", width):
            raise SystemExit(f"learnt.bin: expected rows of {width} numbers")
        at += 8 + 4 * weights_of(width)
    if at != len(nets):
        raise SystemExit(f"learnt.bin: expected {at} bytes, received {len(nets)}")


def main() -> None:
    nets = pathlib.Path(__file__).with_name("learnt.bin").read_bytes()
    check(nets)
    out = pathlib.Path(sys.argv[2]) / "listening" / "nets.bin"
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_bytes(nets)


main()
