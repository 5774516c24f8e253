"""Scores sound by Microsoft's models: a JSON list of samples on stdin, a list of scores on stdout.

A sample is {"model": "dnsmos" | "plcmos", "file"} or {"model": "aecmos", "lpb", "mic", "enh", "talk": "st" | "dt"}, with
mono WAV files of 16 kHz.
"""

import json
import sys
import wave

import numpy as np
from speechmos import aecmos, dnsmos, plcmos

RATE = 16000


def sound(path: str) -> np.ndarray:
    with wave.open(path) as file:
        if (file.getframerate(), file.getnchannels(), file.getsampwidth()) != (RATE, 1, 2):
            raise ValueError(f"{path} is not mono PCM16 at {RATE} Hz")
        samples = np.frombuffer(file.readframes(file.getnframes()), dtype="<i2")
    return samples.astype(np.float32) / 32768


def score(sample: dict) -> dict:
    if sample["model"] == "dnsmos":
        return dnsmos.run(sound(sample["file"]), RATE)
    if sample["model"] == "plcmos":
        # The model draws its listeners at random; each clip gets the same ones.
        np.random.seed(1)
        return plcmos.run(sound(sample["file"]), RATE)
    sounds = {name: sound(sample[name]) for name in ("lpb", "mic", "enh")}
    return aecmos.run(sounds, RATE, talk_type=sample["talk"])


def main() -> None:
    scores = [score(sample) for sample in json.load(sys.stdin)]
    numbers = [{name: float(value) for name, value in one.items() if isinstance(value, (float, np.floating))} for one in scores]
    print(json.dumps(numbers))


if __name__ == "__main__":
    main()
