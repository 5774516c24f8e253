"""Takes noise out of sounds with RNNoise: a JSON list of files on stdin, each mono PCM16 at 8 kHz, and beside each the
name of the file for the result, aligned with the input. Writes the seconds of the processor and of the sounds.
"""

import ctypes
import glob
import importlib.util
import json
import os
import sys
import time

import numpy as np
import soxr

LINE, RATE, FRAME = 8000, 48000, 480


def library() -> ctypes.CDLL:
    package = importlib.util.find_spec("pyrnnoise")
    if package is None or package.origin is None:
        raise SystemExit("pyrnnoise is not installed")
    (path,) = glob.glob(os.path.join(os.path.dirname(package.origin), "librnnoise.so"))
    lib = ctypes.CDLL(path)
    lib.rnnoise_create.restype = ctypes.c_void_p
    lib.rnnoise_create.argtypes = [ctypes.c_void_p]
    lib.rnnoise_process_frame.argtypes = [ctypes.c_void_p] * 3
    lib.rnnoise_process_frame.restype = ctypes.c_float
    lib.rnnoise_destroy.argtypes = [ctypes.c_void_p]
    return lib


def aligned(clean: np.ndarray, noisy: np.ndarray) -> np.ndarray:
    """RNNoise's delay by the correlation with its input, so that the comparison with the clean voice is fair."""
    shifts = range(0, 3 * FRAME + 1, 6)
    best = max(shifts, key=lambda at: float(np.dot(clean[at:], noisy[: len(clean) - at])))
    return clean[best:]


def denoised(lib: ctypes.CDLL, samples: np.ndarray) -> tuple[np.ndarray, float]:
    began = time.process_time()
    wide = soxr.resample(samples.astype(np.float32), LINE, RATE)
    wide = np.concatenate([wide, np.zeros(4 * FRAME, np.float32)])
    out = np.zeros_like(wide)
    state = lib.rnnoise_create(None)
    for at in range(0, len(wide) - FRAME + 1, FRAME):
        frame = np.ascontiguousarray(wide[at : at + FRAME])
        result = np.zeros(FRAME, np.float32)
        lib.rnnoise_process_frame(state, result.ctypes.data, frame.ctypes.data)
        out[at : at + FRAME] = result
    lib.rnnoise_destroy(state)
    took = time.process_time() - began
    narrow = soxr.resample(aligned(out, wide), RATE, LINE)[: len(samples)]
    return np.pad(narrow, (0, len(samples) - len(narrow))), took


def main() -> None:
    lib = library()
    processor = sound = 0.0
    for given, result in json.load(sys.stdin):
        samples = np.fromfile(given, "<i2")
        clean, took = denoised(lib, samples)
        np.clip(np.round(clean), -32768, 32767).astype("<i2").tofile(result)
        processor += took
        sound += len(samples) / LINE
    print(json.dumps({"processor_s": processor, "sound_s": sound}))


if __name__ == "__main__":
    main()
