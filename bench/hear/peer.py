"""faster-whisper on a list of files: JSON in on standard input, a line of JSON out for each.

{"model": folder, "beam": 1, "files": [{"path": ..., "language": ..., "prompt": ...}]}; the prompt may be absent.
"""

import json
import sys
import time

from faster_whisper import WhisperModel

job = json.load(sys.stdin)
model = WhisperModel(job["model"], device="cpu", compute_type="int8", cpu_threads=1)
for file in job["files"]:
    started = time.perf_counter()
    segments, _ = model.transcribe(file["path"], language=file["language"], beam_size=job["beam"], initial_prompt=file.get("prompt"))
    text = " ".join(segment.text for segment in segments)
    print(json.dumps({"text": text, "seconds": time.perf_counter() - started}), flush=True)
