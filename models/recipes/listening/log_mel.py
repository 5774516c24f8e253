"""Whisper's spectra, as native/dsp/log_mel.cc computes them."""
import numpy as np

RATE, HOP, WINDOW, BANDS = 16000, 160, 400, 80
FIRST_LOG_HERTZ, HERTZ_PER_MEL, LOG_STEP = 1000.0, 200 / 3, np.log(6.4) / 27


def mel_of(hertz: float) -> float:
    if hertz < FIRST_LOG_HERTZ:
        return hertz / HERTZ_PER_MEL
    return FIRST_LOG_HERTZ / HERTZ_PER_MEL + np.log(hertz / FIRST_LOG_HERTZ) / LOG_STEP


def hertz_of(mel: float) -> float:
    first = FIRST_LOG_HERTZ / HERTZ_PER_MEL
    return mel * HERTZ_PER_MEL if mel < first else FIRST_LOG_HERTZ * np.exp((mel - first) * LOG_STEP)


def bands() -> np.ndarray:
    edge = [hertz_of(mel_of(RATE / 2) * at / (BANDS + 1)) for at in range(BANDS + 2)]
    hertz = np.arange(WINDOW // 2 + 1) * RATE / WINDOW
    weights = np.zeros((BANDS, len(hertz)), np.float32)
    for band, (low, middle, high) in enumerate(zip(edge, edge[1:], edge[2:])):
        rise, fall = (hertz - low) / (middle - low), (high - hertz) / (high - middle)
        weights[band] = np.maximum(0, np.minimum(rise, fall) * 2 / (high - low))
    return weights


BAND_WEIGHTS = bands()
HANN = (0.5 - 0.5 * np.cos(2 * np.pi * np.arange(WINDOW) / WINDOW)).astype(np.float32)


def log_mel(samples: np.ndarray, frames: int) -> np.ndarray:
    """[BANDS, frames] of as many samples."""
    edged = np.pad(samples[: frames * HOP], WINDOW // 2, mode="reflect")
    windows = np.lib.stride_tricks.sliding_window_view(edged, WINDOW)[::HOP][:frames] * HANN
    power = (np.abs(np.fft.rfft(windows, axis=1)) ** 2).astype(np.float32)
    mel = np.log10(np.maximum(power @ BAND_WEIGHTS.T, 1e-10)).T
    return ((np.maximum(mel, mel.max() - 8) + 4) / 4).astype(np.float32)
