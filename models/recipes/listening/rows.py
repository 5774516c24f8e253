"""What two encoders make of the first moments of each clip, cut as the lane cuts them."""
import multiprocessing
import pathlib

import numpy as np
import onnxruntime

from log_mel import log_mel

RATE = 16000
EARS = ("Moonshine", "Whisper")
BEFORE_S = 0.1  # what the lane gives the recognizer before the first loud moment
MOMENTS = (0.29, 0.32, 0.35, 0.41, 0.47, 0.53)  # after it: three looks before the decision, then those at what was let pass
# Played faster and slower, a voice is that of somebody smaller or larger.
TEMPOS = (1.0, 0.9, 1.1)
GATE_DBFS = -42
FRAME = RATE // 50
# By which the look's ends may be elsewhere: a frame's phase, a filter's delay.
SHIFT = RATE // 66


def twice_the_rate(samples: np.ndarray) -> np.ndarray:
    reach = np.arange(-48, 49)
    sinc = np.sinc(reach / 2) * np.hanning(len(reach))
    wide = np.zeros(2 * len(samples))
    wide[::2] = samples
    return np.convolve(wide, sinc, "same")


def onset(wide: np.ndarray, phase: int) -> int | None:
    """The end of the first frame that is loud for a tenth of a second, but for dips of 60 ms, as the judge of interruptions sees it."""
    frames = wide[phase : phase + (len(wide) - phase) // FRAME * FRAME].reshape(-1, FRAME)
    loud = 10 * np.log10((frames**2).mean(1) + 1e-13) >= GATE_DBFS
    for at in range(len(loud) - 5):
        if loud[at] and all(loud[i : i + 4].any() for i in range(at, at + 3)):
            return phase + (at + 1) * FRAME
    return None


def samples_of(file: pathlib.Path) -> np.ndarray:
    return np.frombuffer(file.read_bytes(), dtype="<i2").astype(np.float64) / 32768


def variants(samples: np.ndarray, alone: bool, noises: list[np.ndarray], chance: np.random.Generator):
    """Whether it is the clip as it is, and its sound. Somebody who speaks with nobody else's style is heard at every tempo too."""
    wide = twice_the_rate(np.concatenate([np.zeros(2400), samples[: 3 * RATE // 4], np.zeros(8000)]))
    for tempo in TEMPOS if alone else TEMPOS[:1]:
        other = np.interp(np.arange(int(len(wide) / tempo)) * tempo, np.arange(len(wide)), wide)
        if tempo != 1.0 or not alone:
            other = other * 10 ** (chance.uniform(-6, 5) / 20)
            if noises and chance.random() < 0.5:
                noise = noises[chance.integers(len(noises))]
                other = other + np.resize(noise, len(other)) * 10 ** (chance.uniform(-25, 0) / 20)
        yield tempo == 1.0, other


def session_of(encoder: str) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(encoder, options, providers=["CPUExecutionProvider"])


class Moonshine:
    def __init__(self, encoder: str) -> None:
        self.session = session_of(encoder)

    # The encoder's whole numbers are scaled by all that it is given: one at a time, as the lane asks.
    def rows(self, heard: np.ndarray) -> np.ndarray:
        given = {"input_values": heard[None], "attention_mask": np.ones((1, len(heard)), np.int64)}
        return self.session.run(None, given)[0][0]


class Whisper:
    """As native/asr/whisper_rows.cc reads: at one level, without the silence that a recognition has behind it."""

    def __init__(self, encoder: str) -> None:
        self.session = session_of(encoder)

    def rows(self, heard: np.ndarray) -> np.ndarray:
        level = max(1e-4, float(np.sqrt((heard.astype(np.float64) ** 2).mean())))
        count = len(heard) // 320
        mel = log_mel((heard[-320 * count :] * (0.05 / level)).astype(np.float32), 2 * count)[None]
        given = {"mel": mel, "positions": np.arange(count), "log_count": np.zeros(count, np.float32)}
        (values,) = self.session.run(["cross_v_0"], given)
        return values[0].transpose(1, 0, 2).reshape(count, -1)


class Reader:
    """Reads clips in a process of its own."""

    def __init__(self, folder: pathlib.Path, noises: list[dict], moonshine: str, whisper: str) -> None:
        self.ears = (Moonshine(moonshine), Whisper(whisper))
        self.behind = [twice_the_rate(samples_of(folder / noise["file"])) for noise in noises]
        self.folder = folder

    def read(self, at: int, clip: dict) -> list[tuple]:
        alone, chance, found = len(clip["who"]) == 1, np.random.default_rng(at), []
        for plain, wide in variants(samples_of(self.folder / clip["file"]), alone, self.behind, chance):
            begun = onset(wide, int(chance.integers(FRAME)))
            if begun is None:
                continue
            for moment in MOMENTS if plain else MOMENTS[1::2]:
                moved = 0 if plain and alone else chance.integers(-SHIFT, SHIFT, 2)
                first, last = np.array([begun - int(BEFORE_S * RATE), begun + int(moment * RATE)]) + moved
                heard = wide[max(0, first) : last].astype(np.float32)
                found.append((at, moment, plain, *(ear.rows(heard).astype(np.float16) for ear in self.ears)))
        return found


reader: Reader


def begin(*given) -> None:
    global reader
    reader = Reader(*given)


def read(one: tuple[int, dict]) -> list[tuple]:
    return reader.read(*one)


def rows_of(folder: pathlib.Path, clips: list[dict], noises: list[dict], *encoders: str) -> dict[str, np.ndarray]:
    with multiprocessing.Pool(initializer=begin, initargs=(folder, noises, *encoders)) as pool:
        found = [one for some in pool.imap(read, enumerate(clips), 32) for one in some]
    out = {name: np.array([one[at] for one in found]) for at, name in enumerate(("clip", "moment", "plain"))}
    for at, ear in enumerate(EARS, 3):
        count = np.array([len(one[at]) for one in found])
        rows = np.zeros((len(found), count.max(), found[0][at].shape[1]), np.float16)
        for one, of in zip(rows, found):
            one[: len(of[at])] = of[at]
        out |= {f"{ear}_rows": rows, f"{ear}_count": count}
    return out
