"""Fits the table of native/speaker/narrow_band.cc: what speech has above a telephone line's edge, from what it has below.

    python3 bench/jobs/fit-narrow-band.py ../shared/speech FFMPEG      (numpy)

Reads people recorded at 16 kHz and more, up to six recordings and 12 s of each; none of AN4, which the report of
bench:jobs is measured on, and no conversation.
"""

import collections
import json
import pathlib
import subprocess
import sys

import numpy as np

RATE, LOW, BANDS, FRAMES = 16000, 29, 40, 400


def read(ffmpeg, path):
    command = [ffmpeg, "-loglevel", "error", "-i", str(path), "-ac", "1", "-ar", str(RATE), "-f", "s16le", "-"]
    return np.frombuffer(subprocess.run(command, capture_output=True, check=True).stdout, dtype=np.int16)


def hertz(mel):
    return np.where(mel < 15, mel * 200 / 3, 1000 * np.exp((mel - 15) * np.log(6.4) / 27))


def bands():
    top = 15 + np.log(RATE / 2 / 1000) / (np.log(6.4) / 27)
    edges = hertz(top * np.arange(BANDS + 2) / (BANDS + 1))
    at = np.arange(257) * RATE / 512
    rise = (at - edges[:-2, None]) / (edges[1:-1] - edges[:-2])[:, None]
    fall = (edges[2:, None] - at) / (edges[2:] - edges[1:-1])[:, None]
    return np.maximum(0, np.minimum(rise, fall)) * 2 / (edges[2:] - edges[:-2])[:, None]


def spectra(samples, weights):
    window = np.zeros(512)
    window[56:456] = 0.54 - 0.46 * np.cos(2 * np.pi * np.arange(400) / 400)
    count = 1 + (len(samples) - 512) // 160
    frames = np.stack([samples[i * 160 : i * 160 + 512] / 32768 for i in range(count)]) * window
    power = np.abs(np.fft.rfft(frames, axis=1)) ** 2
    return np.log10(np.maximum(power @ weights.T, 1e-10))


def main(folder, ffmpeg):
    weights, taken, rows = bands(), collections.Counter(), []
    for line in (pathlib.Path(folder) / "manifest.jsonl").read_text().splitlines():
        clip = json.loads(line)
        speaker = clip.get("speaker")
        unfit = clip.get("synthetic") or clip["kind"] in ("noise", "tone") or clip["rate"] < RATE
        if not speaker or speaker.startswith("an4") or unfit or clip["seconds"] < 2 or taken[speaker] == 6:
            continue
        taken[speaker] += 1
        found = spectra(read(ffmpeg, pathlib.Path(folder) / clip["path"])[: RATE * 12], weights)
        level = found[:, :LOW].mean(axis=1)
        rows.append(found[level > np.percentile(level, 30)][:FRAMES])
    every = np.concatenate(rows)
    known = np.c_[every[:, :LOW], np.ones(len(every))]
    table, *_ = np.linalg.lstsq(known, every[:, LOW:], rcond=None)
    print(f"// {len(taken)} people, {len(every)} frames of 10 ms", file=sys.stderr)
    for row in table.T:
        print("    {" + ", ".join(f"{value:.3f}F" for value in row) + "},")


main(*sys.argv[1:])
