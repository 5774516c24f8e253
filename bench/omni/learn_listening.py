"""Learns native/engine/listening_weights.h: whether the first moments of a voice are a sign of listening.

    npm run bench:omni -- clips                # build-bench/omni-clips: both halves of the voices and of the recordings
    python3 bench/omni/learn_listening.py build-bench/omni-clips ENCODER native/engine/listening_weights.h

ENCODER is moonshine-tiny-en/encoder.ort of the model cache. Needs numpy and onnxruntime; takes some minutes. A logistic
regression on four numbers of each column of the encoder's rows, on the development half alone. It prints what learning from six
sevenths of that half's speakers says of the others, by which settings were chosen, and what the whole says of the other half.
"""
import json
import pathlib
import sys

import numpy as np
import onnxruntime

RATE, WIDTH, LAST = 16000, 288, 4
BEFORE_S = 0.1  # what the lane gives the recognizer before the first loud moment
MOMENTS = (0.30, 0.32, 0.34, 0.36, 0.38, 0.44)  # after it
# Played faster and slower, a voice is that of somebody smaller or larger.
TEMPOS = (1.0, 0.9, 1.1)
GATE_DBFS = -42
PULL, ROUNDS, FOLDS = 1e-2, 7, 7
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


def features(session, file: pathlib.Path, tempo: float):
    samples = np.frombuffer(file.read_bytes(), dtype="<i2")[: 3 * RATE // 2].astype(np.float64) / 32768
    wide = twice_the_rate(np.concatenate([np.zeros(4000), samples, np.zeros(8000)]))
    wide = np.interp(np.arange(int(len(wide) / tempo)) * tempo, np.arange(len(wide)), wide)
    onset = onset_s(wide)
    for moment in MOMENTS if onset is not None else ():
        heard = wide[int((onset - BEFORE_S) * RATE) : int((onset + moment) * RATE)].astype(np.float32)[None]
        (rows,) = session.run(None, {"input_values": heard, "attention_mask": np.ones(heard.shape, dtype=np.int64)})
        row = rows[0]
        yield moment, np.concatenate([row.mean(0), row[-LAST:].mean(0), row.max(0), row.std(0)])


def learn(x: np.ndarray, y: np.ndarray, weight: np.ndarray):
    """Newton's method, on numbers of one size each."""
    mean, spread = x.mean(0), x.std(0) + 1e-2
    z = np.c_[(x - mean) / spread, np.ones(len(x))].astype(np.float32)
    found = np.zeros(z.shape[1])
    pull = np.full(z.shape[1], PULL)
    pull[-1] = 1e-6
    for _ in range(ROUNDS):
        guess = 1 / (1 + np.exp(-np.clip(z @ found, -30, 30)))
        slope = z.T @ (weight * (guess - y)) + pull * found
        bend = (z * np.maximum(weight * guess * (1 - guess), 1e-12).astype(np.float32)[:, None]).T @ z
        found -= np.linalg.solve(bend.astype(np.float64) + np.diag(pull), slope)
    weights = found[:-1] / spread
    return weights, found[-1] - mean @ weights


def speaker(who: str) -> str:
    """A voice of Speak, or who is heard in a recording."""
    parts = pathlib.PurePath(who).parts
    return who if len(parts) == 1 else "/".join([*parts[:-1], parts[-1].split("-")[1] if "-" in parts[-1] else ""])


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
    names = ("kListeningOfMean", "kListeningOfLast", "kListeningOfMost", "kListeningOfSpread")
    tables = "\n".join(table(name, weights[at * WIDTH : (at + 1) * WIDTH]) for at, name in enumerate(names))
    return f"""// Made by bench/omni/learn_listening.py: what each column of the quick recognizer's encoder tells of a sign of
// listening by its mean over all rows and over the last ones, its greatest value and its spread.
#pragma once

#include <array>
#include <cstddef>

namespace trunkline::engine {{

inline constexpr size_t kRowWidth = {WIDTH};
inline constexpr float kListeningBias = {bias:.4f}f;
{tables}

}}  // namespace trunkline::engine
"""


def weights_of(some: np.ndarray, kind: np.ndarray) -> np.ndarray:
    return sum((some & (kind == name)) * share / max(1, (some & (kind == name)).sum()) for name, share in SHARES.items())


def show(title: str, score: np.ndarray, kind: np.ndarray, moment: np.ndarray, some: np.ndarray) -> None:
    print(title)
    for name in SHARES:
        for at in MOMENTS:
            of = score[some & (kind == name) & (moment == at)]
            if len(of):
                print(f"  {name}, {at} s: of {len(of)} {np.mean(of >= 0):.3f} listen, {np.mean(of < 0):.3f} say")


def main() -> None:
    folder, encoder, out = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
    session = onnxruntime.InferenceSession(encoder, providers=["CPUExecutionProvider"])
    rows = []
    for line in (folder / "clips.jsonl").read_text().splitlines():
        clip = json.loads(line)
        learnt = clip["half"] == "development"
        for tempo in TEMPOS if learnt else (1.0,):
            for moment, numbers in features(session, folder / clip["file"], tempo):
                rows.append((learnt, clip["kind"], speaker(clip["who"]), tempo, moment, numbers.astype(np.float32)))
    learnt, kind, who, tempo, moment = (np.array([row[i] for row in rows]) for i in range(5))
    x = np.stack([row[5] for row in rows])
    y = np.char.endswith(kind, "listening").astype(float)
    score = np.zeros(len(x))
    generated, real = (sorted({w for w in who[learnt] if ("/" in w) == is_real}) for is_real in (False, True))
    fold_of = {w: at % FOLDS for group in (generated, real) for at, w in enumerate(group)}
    fold = np.array([fold_of.get(w, -1) for w in who])
    for left_out in range(FOLDS):
        some = learnt & (fold != left_out)
        weights, bias = learn(x[some], y[some], weights_of(some, kind)[some])
        score[learnt & (fold == left_out)] = x[learnt & (fold == left_out)] @ weights + bias
    show("speakers left out of the development half", score, kind, moment, learnt & (tempo == 1))
    weights, bias = learn(x[learnt], y[learnt], weights_of(learnt, kind)[learnt])
    show("the other half", x @ weights + bias, kind, moment, ~learnt)
    out.write_text(header(weights, float(bias)))


main()
