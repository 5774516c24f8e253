"""Learns native/engine/listening_weights.h: whether the first moments of a voice are a sign of listening.

    npm run bench:omni -- clips                # build-bench/omni-clips: both halves of the voices and of the recordings
    python3 bench/omni/learn_listening.py build-bench/omni-clips ENCODER native/engine/listening_weights.h

ENCODER is moonshine-tiny-en/encoder.ort of the model cache. Needs numpy and onnxruntime. A logistic regression on the mean
of all rows of the encoder and of the last four, on the development half alone; what it says of the other half is printed.
"""
import json
import pathlib
import sys

import numpy as np
import onnxruntime

RATE, WIDTH, LAST = 16000, 288, 4
BEFORE_S = 0.1  # what the lane gives the recognizer before the first loud moment
MOMENTS = (0.26, 0.30, 0.34, 0.38, 0.44, 0.52)  # after it
GATE_DBFS = -42
PULL, STEPS, RATE_OF_LEARNING = 1e-2, 600, 0.02
# Each kind's part of the whole, however many clips there are of it.
SHARES = {"generated listening": 0.4, "real listening": 0.1, "generated saying": 0.25, "real saying": 0.25}


def twice_the_rate(samples: np.ndarray) -> np.ndarray:
    reach = np.arange(-48, 49)
    sinc = np.sinc(reach / 2) * np.hanning(len(reach))
    wide = np.zeros(2 * len(samples))
    wide[::2] = samples
    return np.convolve(wide, sinc, "same")


def onset_s(wide: np.ndarray) -> float | None:
    """Where it is first loud for a tenth of a second, but for dips of 60 ms, as the judge of interruptions sees it."""
    frame = RATE // 50
    levels = [10 * np.log10(np.mean(wide[at : at + frame] ** 2) + 1e-13) for at in range(0, len(wide) - frame, frame)]
    loud = [level >= GATE_DBFS for level in levels]
    for at in range(len(loud) - 5):
        if loud[at] and all(any(loud[i : i + 4]) for i in range(at, at + 3)):
            return at * frame / RATE
    return None


def features(session, file: pathlib.Path):
    samples = np.frombuffer(file.read_bytes(), dtype="<i2").astype(np.float64) / 32768
    wide = twice_the_rate(np.concatenate([np.zeros(4000), samples, np.zeros(8000)]))
    onset = onset_s(wide)
    for moment in MOMENTS if onset is not None else ():
        heard = wide[int((onset - BEFORE_S) * RATE) : int((onset + moment) * RATE)].astype(np.float32)[None]
        (rows,) = session.run(None, {"input_values": heard, "attention_mask": np.ones(heard.shape, dtype=np.int64)})
        yield moment, np.concatenate([rows[0].mean(0), rows[0][-LAST:].mean(0)])


def learn(x: np.ndarray, y: np.ndarray, weight: np.ndarray):
    """Adam, on numbers of one size each."""
    mean, spread = x.mean(0), x.std(0) + 1e-2
    z = (x - mean) / spread
    found = np.zeros(z.shape[1] + 1)
    slope, square = np.zeros_like(found), np.zeros_like(found)
    for step in range(1, STEPS + 1):
        error = weight * (1 / (1 + np.exp(-(z @ found[:-1] + found[-1]))) - y)
        gradient = np.append(z.T @ error + PULL * found[:-1], error.sum())
        slope = 0.9 * slope + 0.1 * gradient
        square = 0.999 * square + 0.001 * gradient**2
        found -= RATE_OF_LEARNING * (slope / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
    weights = found[:-1] / spread
    return weights, found[-1] - mean @ weights


def table(name: str, numbers: np.ndarray) -> str:
    lines, line = [f"inline constexpr std::array<float, kRowWidth> {name} = {{"], "   "
    for number in numbers:
        text = f" {number:.4f}f,"
        if len(line) + len(text) > 108:
            lines.append(line)
            line = "   "
        line += text
    return "\n".join([*lines, line.rstrip(",") + "};"])


def header(weights: np.ndarray, bias: float) -> str:
    return f"""// Made by bench/omni/learn_listening.py: what each number of the quick recognizer's encoder tells of a sign of
// listening, in the mean over all rows and over the last ones.
#pragma once

#include <array>
#include <cstddef>

namespace trunkline::engine {{

inline constexpr size_t kRowWidth = {WIDTH};
inline constexpr float kListeningBias = {bias:.4f}f;
{table("kListeningOfAll", weights[:WIDTH])}
{table("kListeningOfLast", weights[WIDTH:])}

}}  // namespace trunkline::engine
"""


def main() -> None:
    folder, encoder, out = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
    session = onnxruntime.InferenceSession(encoder, providers=["CPUExecutionProvider"])
    rows = []
    for line in (folder / "clips.jsonl").read_text().splitlines():
        clip = json.loads(line)
        for moment, numbers in features(session, folder / clip["file"]):
            rows.append((clip["half"], clip["kind"], moment, numbers))
    half, kind, moment = (np.array([row[i] for row in rows]) for i in range(3))
    x = np.stack([row[3] for row in rows]).astype(np.float64)
    y = np.char.endswith(kind, "listening").astype(float)
    learnt = half == "development"
    weight = sum((learnt & (kind == name)) * share / max(1, (learnt & (kind == name)).sum()) for name, share in SHARES.items())
    weights, bias = learn(x[learnt], y[learnt], weight[learnt])
    score = x @ weights + bias
    for name in SHARES:
        for at in MOMENTS:
            some = score[~learnt & (kind == name) & (moment == at)]
            if len(some):
                print(f"{name}, {at} s: {len(some)} held out, {np.mean(some >= 0.5):.3f} listen, {np.mean(some <= -0.85):.3f} say")
    out.write_text(header(weights, float(bias)))


main()
