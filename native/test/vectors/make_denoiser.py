"""Writes denoiser.bin: a signal with noise of half a second at 16 kHz, then what DTLN makes of it, as 16-bit samples.

    python3 make_denoiser.py --regenerate MASK.onnx WAVE.onnx      (needs numpy and onnxruntime)

The reference runs over the whole signal at once, with windows that begin 384 samples before it.
"""

import pathlib
import sys

import numpy as np
import onnxruntime

WINDOW, HOP, RATE = 512, 128, 16000


def signal(count: int) -> np.ndarray:
    """Harmonics that swell and fall like syllables, and noise."""
    time = np.arange(count) / RATE
    pitch = 2 * np.pi * np.cumsum(140 + 40 * np.sin(2 * np.pi * 3 * time)) / RATE
    voice = sum(np.sin(n * pitch) / n for n in range(1, 20)) * np.maximum(0, np.sin(2 * np.pi * 4 * time))
    noise = np.random.default_rng(5).standard_normal(count)
    return np.round(32768 * (0.1 * voice + 0.03 * noise)).astype("<i2")


def denoised(samples: np.ndarray, mask_file: str, wave_file: str) -> np.ndarray:
    mask_net = onnxruntime.InferenceSession(mask_file)
    wave_net = onnxruntime.InferenceSession(wave_file)
    mask_memory = wave_memory = np.zeros((1, 2, 128, 2), np.float32)
    line = np.concatenate([np.zeros(WINDOW - HOP), samples / 32768, np.zeros(WINDOW)]).astype(np.float32)
    out = np.zeros(len(line) + WINDOW)
    for at in range(0, len(line) - WINDOW + 1, HOP):
        spectrum = np.fft.rfft(line[at : at + WINDOW])
        level = np.abs(spectrum).astype(np.float32)[None, None]
        mask, mask_memory = mask_net.run(None, {"input_2": level, "input_3": mask_memory})
        wave = np.fft.irfft(mask[0, 0] * spectrum).astype(np.float32)[None, None]
        clean, wave_memory = wave_net.run(None, {"input_4": wave, "input_5": wave_memory})
        out[at : at + WINDOW] += clean[0, 0]
    return np.round(32768 * out[WINDOW - HOP :][: len(samples)]).astype("<i2")


if __name__ == "__main__":
    if sys.argv[1:2] != ["--regenerate"] or len(sys.argv) != 4:
        sys.exit(__doc__)
    noisy = signal(RATE // 2)
    np.concatenate([noisy, denoised(noisy, *sys.argv[2:])]).tofile(pathlib.Path(__file__).parent / "denoiser.bin")
