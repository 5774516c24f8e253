"""Scores files by pyannote.metrics: FOLDER/files.json -> FOLDER/errors.json, beside a peer on FOLDER/NUMBER.wav.

    python3 diarization-errors.py FOLDER

The peer is the PyPI package `diarize`, where it and its weights are installed; otherwise its figures are null.
"""

import json
import pathlib
import sys

from pyannote.core import Annotation, Segment
from pyannote.metrics.diarization import DiarizationErrorRate

COLLAR = 0.25


def annotation(spans) -> Annotation:
    marked = Annotation()
    for number, span in enumerate(spans):
        marked[Segment(span["start"], span["end"]), number] = span["speaker"]
    return marked


def errors(reference, hypothesis) -> dict:
    parts = DiarizationErrorRate(collar=COLLAR)(annotation(reference), annotation(hypothesis), detailed=True)
    total = parts["total"] or 1
    return {
        "der": parts["diarization error rate"],
        "missed": parts["missed detection"] / total,
        "falseAlarm": parts["false alarm"] / total,
        "confusion": parts["confusion"] / total,
    }


def peer_of(wav: pathlib.Path):
    try:
        from diarize import diarize
    except ImportError:
        return None
    return [
        {"speaker": segment.speaker, "start": segment.start, "end": segment.end} for segment in diarize(str(wav)).segments
    ]


def main(folder: pathlib.Path) -> None:
    files = json.loads((folder / "files.json").read_text())
    own = [errors(file["reference"], file["hypothesis"]) for file in files]
    peer = []
    for number, file in enumerate(files):
        try:
            found = peer_of(folder / f"{number}.wav")
        except Exception as error:  # noqa: BLE001 - its weights come from another server, which may not be in reach
            print(f"the peer could not run: {error}", file=sys.stderr)
            break
        if found is None:
            break
        peer.append(errors(file["reference"], found))
    (folder / "errors.json").write_text(json.dumps({"own": own, "peer": peer}))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]))
