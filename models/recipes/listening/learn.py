"""Learns models/recipes/listening/learnt.bin: whether the first moments of a voice are a backchannel. With --elsewhere
elsewhere.bin, which other languages than English are judged by as well.

    node scripts/learn-listening.mjs               # makes the clips, runs this program, pins what came out

    python3 learn.py CLIPS MOONSHINE WHISPER OUT   # CLIPS: build-bench/omni-clips, the development half of voices and recordings

MOONSHINE is moonshine-tiny-en/encoder.ort of the model cache, WHISPER whisper-base/encoder.onnx. The score is the mean of both ears'.
The program prints what learning from four fifths of the speakers says of the others, look by look and as one decision, by which
settings were chosen; then it learns from all and writes the nets. Who is measured (the other half, and the voices of `elsewhere`) is
never heard here: `npm run bench -- omni` tells of them. `--rows FILE` keeps what the encoders made of the clips for the next run; `--learn-only`
leaves the comparison out.
"""
import argparse
import json
import pathlib

import numpy as np

from net import Nets, packed
from rows import EARS, MOMENTS, rows_of

FOLDS = 5
# Each kind's part of the whole in each language, however many clips there are of it.
SHARES = {"generated listening": 0.35, "real listening": 0.15, "generated saying": 0.25, "real saying": 0.25}
TONGUES = {"en": 0.55, "es": 0.15, "fr": 0.15, "hi": 0.15}
ELSEWHERE = {"en": 0.1, "es": 0.3, "fr": 0.3, "hi": 0.3}
# native/lanes/omni/interruption_text_task.cc
CLEAR, CLOSE = 2.0, 0.75
DECIDED = 3  # looks before the decision


class Sounds:
    def __init__(self, clips: list[dict], rows: dict[str, np.ndarray], tongues: dict[str, float]) -> None:
        self.tongues = tongues
        self.rows = {ear: (rows[f"{ear}_rows"], rows[f"{ear}_count"]) for ear in EARS}
        self.plain, self.clip, self.moment = rows["plain"], rows["clip"], rows["moment"]
        self.kind = np.array([clips[at]["kind"] for at in self.clip])
        self.tongue = np.array([clips[at]["tongue"] for at in self.clip])
        self.listens = np.char.endswith(self.kind, "listening").astype(np.float32)
        self.fold = folds_of(clips)

    def weight(self, some: np.ndarray) -> np.ndarray:
        weight = np.zeros(len(self.kind), np.float32)
        for tongue, part in self.tongues.items():
            for kind, share in SHARES.items():
                of = some & (self.tongue == tongue) & (self.kind == kind)
                weight[of] = part * share / max(1, of.sum())
        return weight


def folds_of(clips: list[dict]) -> list[set[int]]:
    """The folds of all who have a part in a clip's voice: styles apart from people."""
    names = sorted({who for clip in clips for who in clip["who"]})
    fold = {}
    for real in (False, True):
        for at, who in enumerate(who for who in names if ("/" in who) == real):
            fold[who] = at % FOLDS
    return [{fold[who] for who in clip["who"]} for clip in clips]


def of_strangers(sounds: Sounds) -> np.ndarray:
    """Each clip's score by nets that have heard nothing of those who speak in it; NaN where two folds have a part in it."""
    score = np.full(len(sounds.clip), np.nan, np.float32)
    folds = [sounds.fold[at] for at in sounds.clip]
    for left_out in range(FOLDS):
        some = np.array([left_out not in of for of in folds])
        others = np.array([of == {left_out} for of in folds])
        ears = learnt(sounds, some)
        heard = {ear: [of[others] for of in sounds.rows[ear]] for ear in EARS}
        score[others] = np.mean([nets.score(*heard[ear]) for ear, nets in ears.items()], 0)
    return score


def learnt(sounds: Sounds, some: np.ndarray) -> dict[str, Nets]:
    ears = {}
    for ear, (rows, count) in sounds.rows.items():
        ears[ear] = Nets(rows.shape[2])
        ears[ear].learn(rows[some], count[some], sounds.listens[some], sounds.weight(some)[some])
    return ears


def looks_of(sounds: Sounds, score: np.ndarray) -> dict[int, list[float]]:
    looks: dict[int, dict[float, float]] = {}
    for at in np.where(sounds.plain & ~np.isnan(score))[0]:
        looks.setdefault(sounds.clip[at], {})[sounds.moment[at]] = score[at]
    return {clip: [of[m] for m in MOMENTS] for clip, of in looks.items() if len(of) == len(MOMENTS)}


def cut_at(looks: list[float], even: float, surely: float) -> int | None:
    """Which look cuts the agent off, as the lane decides; words, by which it also goes where a look is close, are left out."""
    evidence, passed, others = 0.0, False, 0
    for at, look in enumerate(looks):
        evidence = look - even if at == 0 else (evidence + look - even) / 2
        if not passed:
            if abs(evidence) < CLEAR * (1 - at / (DECIDED - 1)):
                continue
            if evidence < 0:
                return at
            passed = True
            continue
        others = others + 1 if evidence < -max(CLOSE, CLEAR / 2) else 0
        if look - even <= -surely or others > 1:
            return at
    return None


def show(clips: list[dict], sounds: Sounds, score: np.ndarray) -> None:
    looks = looks_of(sounds, score)
    for tongue in TONGUES.keys() & {clip["tongue"] for clip in clips}:
        print(f"speakers left out, {tongue}: wrong at each look alone, at even odds")
        for kind in SHARES:
            of = np.array([one for clip, one in looks.items() if (clips[clip]["tongue"], clips[clip]["kind"]) == (tongue, kind)])
            if len(of):
                wrong = of < 0 if kind.endswith("listening") else of >= 0
                print(f"  {kind} ({len(of)}): " + " ".join(f"{m} s {100 * w:.1f} %" for m, w in zip(MOMENTS, wrong.mean(0))))
        for even in (0.5, 0.25, 0.0, -0.25, -0.5, -0.75, -1.0):
            for surely in (0.75,):
                told = []
                for kind in SHARES:
                    cuts = [
                        cut_at(one, even, surely)
                        for clip, one in looks.items()
                        if (clips[clip]["tongue"], clips[clip]["kind"]) == (tongue, kind)
                    ]
                    if cuts:
                        early = sum(cut is not None and cut < DECIDED for cut in cuts) / len(cuts)
                        all_cut = sum(cut is not None for cut in cuts) / len(cuts)
                        told.append(f"{kind} cut {100 * early:.1f} % at once, {100 * all_cut:.1f} % in all")
                print(f"  limit {even}: " + "; ".join(told))
        hums = {k: [np.mean(o[:DECIDED]) for c, o in looks.items() if (clips[c]["tongue"], clips[c]["kind"]) == (tongue, k)] for k in SHARES}
        for least in (1.0, 1.25, 1.5, 2.0, 3.0):
            print(f"  mean of the looks at least {least}: " + "; ".join(f"{k} {100 * np.mean(np.array(v) >= least):.1f} %" for k, v in hums.items() if v))


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("clips", type=pathlib.Path)
    arguments.add_argument("moonshine")
    arguments.add_argument("whisper")
    arguments.add_argument("out", type=pathlib.Path)
    arguments.add_argument("--rows", type=pathlib.Path)
    arguments.add_argument("--learn-only", action="store_true")
    arguments.add_argument("--elsewhere", action="store_true")
    given = arguments.parse_args()
    clips = [json.loads(line) for line in (given.clips / "clips.jsonl").read_text().splitlines()]
    noises = [clip for clip in clips if clip["kind"] == "noise"]
    clips = [clip for clip in clips if clip["kind"] != "noise"]
    if given.rows and given.rows.exists():
        rows = dict(np.load(given.rows))
    else:
        rows = rows_of(given.clips, clips, noises, given.moonshine, given.whisper)
        if given.rows:
            np.savez(given.rows, **rows)
    sounds = Sounds(clips, rows, ELSEWHERE if given.elsewhere else TONGUES)
    if not given.learn_only:
        show(clips, sounds, of_strangers(sounds))
    ears = learnt(sounds, np.ones(len(sounds.clip), bool))
    given.out.write_bytes(packed([ears[ear] for ear in EARS]))


main()
