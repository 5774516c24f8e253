"""The report of a GPU: where the graphs run, whether texts and speech equal the processor's, and how quick both are.

    python3 runner.py BUNDLE [--cpu] [--seconds 330] [--only texts,speech]

Runs on a machine with CUDA and Python alone, from what pack.py has put into BUNDLE. Each line of the output is one JSON object,
written as soon as it is known; a run that is cut off still has what came before. --cpu rehearses everything on the processor.
"""

import collections
import ctypes
import glob
import json
import math
import os
import pathlib
import site
import subprocess
import sys
import tempfile
import time
import wave

BUNDLE = pathlib.Path(sys.argv[1]).resolve()
CPU = "--cpu" in sys.argv
SECONDS = float(sys.argv[sys.argv.index("--seconds") + 1]) if "--seconds" in sys.argv else 330.0
ONLY = sys.argv[sys.argv.index("--only") + 1].split(",") if "--only" in sys.argv else None
BEGAN = time.monotonic()
sys.path.insert(0, str(BUNDLE / "site"))

NVIDIA = ["libcudart.so.13", "libnvJitLink.so.13", "libcublasLt.so.13", "libcublas.so.13", "libcurand.so.10", "libcufft.so.12", "libnvrtc.so.13", "libcudnn.so.9"]


def say(**line) -> None:
    print(json.dumps(line, ensure_ascii=False), flush=True)


def left() -> float:
    return SECONDS - (time.monotonic() - BEGAN)


nvidia_folders: list = []


def load_nvidia() -> list:
    """The loader takes what is loaded already, wherever it lay."""
    folders = [str(BUNDLE / "nvidia")]
    for root in [*site.getsitepackages(), *sys.path, "/usr/local/lib/python3*/*-packages", "/usr/lib/python3*/*-packages"]:
        folders += glob.glob(root + "/nvidia/*/lib")
    folders += glob.glob("/usr/local/cuda*/lib64") + ["/usr/lib/x86_64-linux-gnu"]
    missing = []
    for name in NVIDIA:
        for folder in folders:
            path = os.path.join(folder, name)
            if os.path.exists(path):
                ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)
                nvidia_folders.append(folder)
                break
        else:
            missing.append(name)
    return missing


missing = [] if CPU else load_nvidia()
import numpy as np  # noqa: E402
import onnxruntime as ort  # noqa: E402

ort.set_default_logger_severity(3)
CUDA = not CPU
PLACE = "cuda" if CUDA else "cpu"
HALF = np.float16
ROOM, WIDTH, HEADS, DEPTH, LAYERS = 232, 512, 8, 64, 6
UNHEARD = np.float32(-1e4)
START, END, TRANSCRIBE, PLAIN = 50258, 50257, 50359, 50363
LANGUAGES = {"en": 50259, "de": 50261, "es": 50262, "fr": 50265, "it": 50274, "hi": 50276, "pt": 50267, "nl": 50271}


def model(name: str) -> str:
    return str(BUNDLE / "models" / name)


def session(name: str, cuda: bool | None = None, threads: int = 0, profile: str | None = None):
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    if profile:
        options.enable_profiling, options.profile_file_prefix = True, profile
    on = CUDA if cuda is None else cuda
    providers = [("CUDAExecutionProvider", {"cudnn_conv_algo_search": "HEURISTIC"})] if on else []
    made = ort.InferenceSession(model(name), options, providers=[*providers, "CPUExecutionProvider"])
    if on and made.get_providers()[0] != "CUDAExecutionProvider":
        raise RuntimeError(f"{name} does not open on the device")
    return made


def value(array):
    return ort.OrtValue.ortvalue_from_numpy(np.ascontiguousarray(array), PLACE, 0)


def median_ms(run, times: int = 8, warm: int = 2) -> float:
    for _ in range(warm):
        run()
    took = []
    for _ in range(times):
        at = time.perf_counter()
        run()
        took.append((time.perf_counter() - at) * 1e3)
    return round(float(np.median(took)), 3)


class Bound:
    """A run whose inputs and outputs stay on the device; `shared` binds an output to the memory of an input."""

    def __init__(self, made, feed: dict, outputs=(), shared: dict | None = None):
        self.session, self.binding = made, made.io_binding()
        self.values = {name: v if isinstance(v, ort.OrtValue) else value(v) for name, v in feed.items()}
        for name, v in self.values.items():
            self.binding.bind_ortvalue_input(name, v)
        for out, into in (shared or {}).items():
            self.binding.bind_ortvalue_output(out, self.values[into])
        for name in outputs:
            self.binding.bind_output(name, PLACE)

    def __call__(self):
        self.session.run_with_iobinding(self.binding)
        self.binding.synchronize_outputs()
        return self.binding.get_outputs()


# ---- Whisper -----------------------------------------------------------------------------------------------------------


def mel_filters() -> np.ndarray:
    to_mel = lambda hz: np.where(hz < 1000, hz * 3 / 200, 15 + np.log(np.maximum(hz, 1e-9) / 1000) * 27 / math.log(6.4))
    to_hz = lambda m: np.where(m < 15, m * 200 / 3, 1000 * np.exp((m - 15) * math.log(6.4) / 27))
    edges = to_hz(np.linspace(0, to_mel(np.array(8000.0)), 82))
    bins = np.arange(201) * 40.0
    up = (bins - edges[:-2, None]) / (edges[1:-1] - edges[:-2])[:, None]
    down = (edges[2:, None] - bins) / (edges[2:] - edges[1:-1])[:, None]
    return np.maximum(0, np.minimum(up, down)) * (2 / (edges[2:] - edges[:-2]))[:, None]


FILTERS = mel_filters()


def log_mel(samples: np.ndarray, frames: int) -> np.ndarray:
    padded = np.zeros(frames * 160, np.float64)
    padded[: min(samples.size, padded.size)] = samples[: padded.size]
    padded = np.pad(padded, 200, mode="reflect")
    window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(400) / 400)
    rows = np.lib.stride_tricks.sliding_window_view(padded, 400)[::160][:frames] * window
    mel = np.log10(np.maximum(FILTERS @ (np.abs(np.fft.rfft(rows, axis=1)) ** 2).T, 1e-10))
    return ((np.maximum(mel, mel.max() - 8) + 4) / 4).astype(np.float32)


def fold(samples: int) -> tuple:
    """As native/asr/window.cc: silence behind the sound stands for eight rows each."""
    audio = min(1500, -(-samples // 320))
    plain = min(1500, audio + 50)
    positions, counts = list(range(plain)), [0.0] * plain
    for row in range(plain, 1500, 8):
        count = min(8, 1500 - row)
        positions.append(row + count // 2)
        counts.append(math.log(count))
    return np.array(positions, np.int64), np.array(counts, np.float32)


def window_of(samples: np.ndarray) -> dict:
    positions, counts = fold(samples.size)
    return {"mel": log_mel(samples, 2 * positions.size)[None], "positions": positions, "log_count": counts}


def batch(windows: list) -> dict:
    rows = max(one["positions"].size for one in windows)
    made = {
        "mel": np.zeros((len(windows), 80, 2 * rows), np.float32),
        "positions": np.zeros((len(windows), rows), np.int64),
        "log_count": np.full((len(windows), rows), UNHEARD, np.float32),
    }
    for i, one in enumerate(windows):
        own = one["positions"].size
        made["mel"][i, :, : 2 * own] = one["mel"][0]
        made["positions"][i, :own], made["log_count"][i, :own] = one["positions"], one["log_count"]
    return made


def read_clips() -> list:
    clips = json.loads((BUNDLE / "clips/clips.json").read_text())
    for clip in clips:
        with wave.open(str(BUNDLE / "clips" / clip["file"])) as file:
            clip["samples"] = np.frombuffer(file.readframes(file.getnframes()), np.int16).astype(np.float32) / 32768
    return clips


def token_bytes() -> list:
    """tokens.bin: magic, count, then kind, length and bytes of each."""
    blob = pathlib.Path(model("whisper/tokens.bin")).read_bytes()
    count, at, out = int.from_bytes(blob[8:12], "little"), 12, []
    for _ in range(count):
        kind, length = blob[at], int.from_bytes(blob[at + 1 : at + 3], "little")
        out.append(b"" if kind else blob[at + 3 : at + 3 + length])
        at += 3 + length
    return out


def suppressed() -> np.ndarray:
    lines = dict(line.split(" ", 1) for line in pathlib.Path(model("whisper/whisper.conf")).read_text().splitlines())
    mask = np.zeros(int(lines["vocabulary"]), np.float32)
    mask[[int(token) for token in lines["suppress"].split()]] = -np.inf
    mask[PLAIN + 1 :] = -np.inf
    return mask


def prompt(language: str) -> list:
    return [START, LANGUAGES[language], TRANSCRIBE, PLAIN]


def hear_alone(encoder, decoder, window: dict, language: str, mask, most: int = 100) -> list:
    """Greedily, by the processor's forms."""
    cross = dict(zip([o.name for o in encoder.get_outputs()], encoder.run(None, window)))
    feed = {"log_count": window["log_count"], **cross}
    feed |= {f"self_{p}_{i}": np.zeros((1, HEADS, ROOM, DEPTH), np.float32) for i in range(LAYERS) for p in "kv"}
    names = ["logits"] + [o.name for o in decoder.get_outputs() if "_out" in o.name]
    tokens, past, out = prompt(language), 0, []
    while len(out) < most:
        total = past + len(tokens)
        feed |= {"tokens": np.array([tokens], np.int64), "last": np.array([total - 1], np.int32), "total": np.array([total], np.int32)}
        got = decoder.run(names, feed)
        feed |= {name.replace("_out", ""): array for name, array in zip(names[1:], got[1:])}
        best, past = int((got[0][0] + mask).argmax()), total
        if best == END:
            break
        out.append(best)
        tokens = [best]
    return out


def reads_of(slots) -> np.ndarray:
    """The places of texts that have a slot each and share nothing."""
    return slots[:, None] * ROOM + np.arange(ROOM)


class Hearing:
    """Greedily, all windows together, by the device's forms. Pools stay on the device."""

    def __init__(self):
        self.encoder, self.decoder = session("whisper-device/encoder.onnx"), session("whisper-device/decoder.onnx")
        self.names = [o.name for o in self.encoder.get_outputs()]

    def encode(self, windows: dict):
        return dict(zip(self.names, Bound(self.encoder, windows, self.names)()))

    def __call__(self, windows: list, languages: list, mask, most: int = 100) -> tuple:
        together, count = batch(windows), len(windows)
        at = time.perf_counter()
        cross = self.encode(together)
        encoded = time.perf_counter()
        pools = {f"self_{p}_{i}": value(np.zeros((count, ROOM, WIDTH), HALF)) for i in range(LAYERS) for p in "kv"}
        shared = {f"{name[:6]}_out_{name[7:]}": name for name in pools}
        slots, log_count = np.arange(count), value(together["log_count"])
        tokens = np.array([prompt(one) for one in languages], np.int64)
        past, out, live, steps = 0, [[] for _ in windows], np.ones(count, bool), 0
        while live.any() and past + tokens.shape[1] < most + 4:
            places = np.tile(np.arange(past, past + tokens.shape[1]), (count, 1))
            feed = {
                "tokens": tokens,
                "positions": places,
                "reads": reads_of(slots),
                "window_slots": slots,
                "writes": np.stack([np.broadcast_to(slots[:, None], places.shape), places], -1),
                "log_count": log_count,
                **pools,
                **cross,
            }
            logits = Bound(self.decoder, feed, ["logits"], shared)()[-1].numpy()
            best = (logits + mask).argmax(-1)
            for row in np.flatnonzero(live):
                live[row] = best[row] != END
                if live[row]:
                    out[row].append(int(best[row]))
            past, tokens, steps = past + tokens.shape[1], best[:, None].astype(np.int64), steps + 1
        return out, steps, encoded - at, time.perf_counter() - encoded


def words(text: str) -> list:
    return "".join(c if c.isalnum() or c == "'" else " " for c in text.lower()).split()


def errors(said: str, heard: str) -> tuple:
    a, b = words(said), words(heard)
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        before, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (x != y))
    return row[-1], len(a)


def section_texts() -> None:
    clips, table, mask = read_clips(), token_bytes(), suppressed()
    text = lambda tokens: b"".join(table[t] for t in tokens).decode("utf8", "replace").strip()
    windows = [window_of(clip["samples"]) for clip in clips]
    encoder, decoder = session("whisper/encoder.onnx", False), session("whisper/decoder.onnx", False)
    at = time.perf_counter()
    alone = [text(hear_alone(encoder, decoder, one, clip["lang"], mask)) for one, clip in zip(windows, clips)]
    took = time.perf_counter() - at
    hearing = Hearing()
    hearing(windows[:1], [clips[0]["lang"]], mask, 2)
    tokens, steps, encode_s, decode_s = hearing(windows, [clip["lang"] for clip in clips], mask)
    together = [text(one) for one in tokens]
    one_by_one = [text(hearing([one], [clip["lang"]], mask)[0][0]) for one, clip in zip(windows, clips)]
    rate = lambda heard: round(100 * np.divide(*np.sum([errors(c["text"], h) for c, h in zip(clips, heard)], 0)), 2)
    seconds = sum(clip["samples"].size for clip in clips) / 16000
    say(
        section="texts",
        recordings=len(clips),
        equal_to_processor=sum(a == b for a, b in zip(alone, together)),
        batched_equal_to_single=sum(a == b for a, b in zip(one_by_one, together)),
        word_error_processor=rate(alone),
        word_error_device=rate(together),
        speech_s=round(seconds, 1),
        processor_speech_s_per_s=round(seconds / took, 1),
        device_speech_s_per_s=round(seconds / (encode_s + decode_s), 1),
        steps=steps,
    )
    for clip, a, b in zip(clips, alone, together):
        if a != b:
            say(section="texts", file=clip["file"], processor=a, device=b)


class Moonshine:
    """The quick recognizer of partials: its form for a device, and the published one on the processor."""

    LAYERS, HEADS, WIDTH, ROW, SPARE, BEGIN, END = 6, 8, 288, 384, 2, 1, 2

    def __init__(self):
        self.encoder, self.decoder = session("moonshine-device/encoder.onnx"), session("moonshine-device/decoder.onnx")
        self.names = [out.name for out in self.encoder.get_outputs()]
        self.published = session("moonshine/encoder.ort", False), session("moonshine/decoder.ort", False)
        self.pieces, blob, at = [], pathlib.Path(model("moonshine/tokenizer.bin")).read_bytes(), 0
        while at < len(blob):
            length, at = blob[at], at + 1
            if length >= 128:
                length, at = length - 128 + 128 * blob[at], at + 1
            self.pieces.append(blob[at : at + length])
            at += length

    def text(self, tokens: list) -> str:
        return b"".join(self.pieces[t] for t in tokens if t > 2).decode("utf8", "replace").replace("\u2581", " ").strip()

    @staticmethod
    def most(samples) -> int:
        return int(8 + 6.5 * samples.size / 16000)

    @staticmethod
    def rows(samples) -> int:
        return ((((samples.size - 127) // 64 + 1) - 7) // 3 + 1 - 3) // 2 + 1

    def alone(self, samples) -> list:
        encoder, decoder = self.published
        mask = np.ones((1, samples.size), np.int64)
        hidden = encoder.run(None, {"input_values": samples[None], "attention_mask": mask})[0]
        names = [out.name for out in decoder.get_outputs()]
        past = {name.replace("present", "past_key_values"): np.zeros((0, self.HEADS, 1, self.WIDTH // self.HEADS), np.float32) for name in names[1:]}
        tokens = [self.BEGIN]
        while len(tokens) <= self.most(samples):
            first = len(tokens) == 1
            feed = {"input_ids": np.array([tokens[-1:]]), "encoder_hidden_states": hidden, "encoder_attention_mask": mask, "use_cache_branch": np.array([not first])}
            out = dict(zip(names, decoder.run(None, feed | past)))
            best = int(out["logits"][0, -1].argmax())
            if best == self.END:
                break
            tokens.append(best)
            past |= {name.replace("present", "past_key_values"): out[name] for name in names[1:] if first or ".decoder." in name}
        return tokens[1:]

    def windows(self, sounds: list) -> dict:
        rows = max(map(self.rows, sounds)) + self.SPARE
        feed = {
            "audio": np.zeros((len(sounds), 1, self.ROW * rows), np.float32),
            "positions": np.tile(np.arange(rows), (len(sounds), 1)),
            "log_count": np.full((len(sounds), rows), UNHEARD, np.float32),
        }
        for i, one in enumerate(sounds):
            taken = one[: self.ROW * (self.rows(one) + self.SPARE)]
            feed["audio"][i, 0, : taken.size] = taken
            feed["log_count"][i, : self.rows(one)] = 0
        return feed

    def pools(self, count: int) -> dict:
        return {f"self_{p}_{i}": value(np.zeros((count, ROOM, self.WIDTH), HALF)) for i in range(self.LAYERS) for p in "kv"}

    def step(self, tokens, past: int, log_count, cross: dict, pools: dict) -> Bound:
        slots = np.arange(tokens.shape[0])
        feed = {
            "tokens": tokens,
            "positions": np.full(tokens.shape, past),
            "reads": reads_of(slots),
            "window_slots": slots,
            "writes": np.stack([slots, np.full(slots.size, past)], -1)[:, None],
            "log_count": log_count,
        }
        shared = {f"{name[:6]}_out_{name[7:]}": name for name in pools}
        return Bound(self.decoder, feed | pools | cross, ["logits"], shared)

    def __call__(self, sounds: list) -> list:
        feed = self.windows(sounds)
        cross = dict(zip(self.names, Bound(self.encoder, feed, self.names)()))
        pools, out = self.pools(len(sounds)), [[] for _ in sounds]
        tokens, live = np.full((len(sounds), 1), self.BEGIN), np.ones(len(sounds), bool)
        for past in range(max(map(self.most, sounds))):
            best = self.step(tokens, past, feed["log_count"], cross, pools)()[-1].numpy().argmax(-1)
            for row in np.flatnonzero(live):
                live[row] = best[row] != self.END and len(out[row]) < self.most(sounds[row])
                if live[row]:
                    out[row].append(int(best[row]))
            if not live.any():
                break
            tokens = best[:, None].astype(np.int64)
        return out


def section_moonshine() -> None:
    """The recognizer of partials: texts beside the processor's, and how long a pass takes."""
    clips, quick = [clip for clip in read_clips() if clip["lang"] == "en"], Moonshine()
    sounds = [clip["samples"].astype(np.float32) for clip in clips]
    at = time.perf_counter()
    here = [quick.text(quick.alone(one)) for one in sounds]
    took = time.perf_counter() - at
    quick(sounds[:1])
    at = time.perf_counter()
    together = [quick.text(tokens) for tokens in quick(sounds)]
    took_there = time.perf_counter() - at
    single = [quick.text(quick([one])[0]) for one in sounds]
    rate = lambda heard: round(100 * np.divide(*np.sum([errors(c["text"], h) for c, h in zip(clips, heard)], 0)), 2)
    seconds = sum(one.size for one in sounds) / 16000
    say(
        section="moonshine",
        recordings=len(clips),
        equal_to_processor=sum(a == b for a, b in zip(here, together)),
        batched_equal_to_single=sum(a == b for a, b in zip(single, together)),
        word_error_processor=rate(here),
        word_error_device=rate(together),
        processor_speech_s_per_s=round(seconds / took, 1),
        device_speech_s_per_s=round(seconds / took_there, 1),
    )
    for clip, a, b in zip(clips, here, together):
        if a != b:
            say(section="moonshine", file=clip["file"], processor=a, device=b)
    noise = np.random.default_rng(0).standard_normal(3 * 16000).astype(np.float32) * 0.1
    for count in (1, 16, 64) if CUDA else (1, 2):
        feed = quick.windows([noise] * count)
        run = Bound(quick.encoder, feed, quick.names)
        cross = dict(zip(quick.names, run()))
        step = quick.step(np.full((count, 1), 440), 10, feed["log_count"], cross, quick.pools(count))
        say(section="moonshine", what=PLACE, windows_of_3_s=count, encoder_ms=median_ms(run), step_ms=median_ms(step))


def section_whisper() -> None:
    random, hearing = np.random.default_rng(0), Hearing()
    for rows, counts in ((360, (1, 8, 64)), (1500, (1, 16, 64))):
        one = {"mel": random.standard_normal((1, 80, 2 * rows)).astype(np.float32), "positions": np.arange(rows), "log_count": np.zeros(rows, np.float32)}
        encoder = session("whisper/encoder.onnx", False)
        say(section="whisper", what="encoder, processor, all threads", rows=rows, ms=median_ms(lambda: encoder.run(None, one), 4, 1))
        for count in counts if CUDA else (1, 2):
            if left() < 30:
                return
            feed = batch([one] * count)
            run = Bound(hearing.encoder, feed, hearing.names)
            ms = median_ms(run)
            say(section="whisper", what=f"encoder, {PLACE}", rows=rows, windows=count, ms=ms, windows_per_s=round(1e3 * count / ms, 1))
    for rows, counts in ((360, (1, 64, 256)), (1500, (1, 64))):
        for count in counts if CUDA else (1, 2):
            if left() < 30:
                return
            slots = np.arange(count)
            feed = {
                "tokens": np.full((count, 1), 440),
                "positions": np.full((count, 1), 10),
                "reads": reads_of(slots),
                "window_slots": slots,
                "writes": np.stack([slots, np.full(count, 10)], -1)[:, None],
                "log_count": np.zeros((count, rows), np.float32),
            }
            for i in range(LAYERS):
                feed |= {f"self_{p}_{i}": np.zeros((count, ROOM, WIDTH), HALF) for p in "kv"}
                feed |= {f"cross_k_{i}": np.zeros((count, HEADS, DEPTH, rows), HALF), f"cross_v_{i}": np.zeros((count, HEADS, rows, DEPTH), HALF)}
            shared = {f"self_{p}_out_{i}": f"self_{p}_{i}" for i in range(LAYERS) for p in "kv"}
            ms = median_ms(Bound(hearing.decoder, feed, ["top_scores", "top_tokens"], shared))
            say(section="whisper", what=f"decoder step, {PLACE}", rows=rows, texts=count, ms=ms, tokens_per_s=round(1e3 * count / ms))


FORMS = {"cuda": "the form for a GPU", "cuda-front": "the forms for a GPU, with prosody and decoder"}


def run_program(name: str, place: str, *args: str) -> dict:
    """Runs a program of native/test/measure, which uses the server's own scheduler."""
    library = next((BUNDLE / "site/onnxruntime/capi").glob("libonnxruntime.so.*"))
    env = os.environ | {"LD_LIBRARY_PATH": os.pathsep.join([*nvidia_folders, os.environ.get("LD_LIBRARY_PATH", "")])}
    command = [str(BUNDLE / name), str(library), place, str(BUNDLE / "models"), *args]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=left(), env=env)
    if ran.returncode != 0:
        raise RuntimeError(f"{name} {place} {args[0]}: {ran.stderr[-300:]}")
    form = {} if CUDA or place == "cpu" else {"place": f"{FORMS[place]}, on the processor"}
    return json.loads(ran.stdout) | form


def section_streams() -> None:
    """Live streams at once."""
    if not (BUNDLE / "gpu-streams").exists():
        say(section="streams", skipped="the program was not packed")
        return
    clips = [str(BUNDLE / "clips" / clip["file"]) for clip in json.loads((BUNDLE / "clips/clips.json").read_text()) if clip["lang"] == "en"]
    for place, counts in (("cpu", (32, 96)), ("cuda", (32, 96, 400, 800))) if CUDA else (("cpu", (2,)), ("cuda", (2,))):
        for streams in counts:
            if left() < 40:
                return
            say(section="streams", **run_program("gpu-streams", place, str(streams), "8" if CUDA else "4", *clips))


def section_calls() -> None:
    """Calls that speak at once, and the most speech that is made."""
    if not (BUNDLE / "gpu-speech").exists():
        say(section="calls", skipped="the program was not packed")
        return
    plan = [("cpu", 16, "paced"), ("cpu", 64, "full"), ("cuda", 16, "paced"), ("cuda", 100, "paced"), ("cuda", 256, "full")]
    plan += [("cuda-front", 100, "paced"), ("cuda-front", 256, "full")]
    rehearsed = [("cpu", 1, "paced"), ("cpu", 2, "full"), ("cuda", 1, "paced"), ("cuda", 2, "full"), ("cuda-front", 2, "full")]
    for place, calls, how in plan if CUDA else rehearsed:
        if left() < 40:
            return
        say(section="calls", **run_program("gpu-speech", place, str(calls), "6" if CUDA else "3", how))


# ---- Speech ------------------------------------------------------------------------------------------------------------


def speech_window(frames: int, count: int) -> dict:
    size = next(i.shape[1] for i in GENERATOR().get_inputs() if i.name == "statistics")
    random = np.random.default_rng(1)
    return {
        "x": random.standard_normal((count, 512, frames)).astype(np.float32),
        "harmonics": random.standard_normal((count, 22, 60 * frames + 1)).astype(np.float32) * 0.1,
        "style": np.zeros((count, 128), np.float32),
        "statistics": np.ones((count, size), np.float32),
        "frame_mask": np.ones((count, 1, 10 * frames), np.float32),
        "sound_mask": np.ones((count, 1, 60 * frames + 1), np.float32),
    }


_generator = []


def GENERATOR():
    if not _generator:
        _generator.append(session("kokoro-gpu/generator.onnx"))
    return _generator[0]


def section_speech() -> None:
    """Speech that is made on the device, and heard there."""
    given = np.load(BUNDLE / "models/kokoro/clause.npz")
    spoken = {}
    for form, folder, on in (("processor", "kokoro", False), ("device", "kokoro-gpu", None)):
        prosody, decoder = session(f"{folder}/prosody.onnx", on), session(f"{folder}/decoder.onnx", on)
        for _ in range(2):
            audio, front_ms = spoken_clause(given, prosody, decoder)
        spoken[form] = audio
        path = pathlib.Path(tempfile.gettempdir()) / f"gpu-check-{form}.wav"
        with wave.open(str(path), "wb") as file:
            file.setparams((1, 2, 24000, 0, "NONE", ""))
            file.writeframes((np.clip(audio, -1, 1) * 32767).astype("<i2").tobytes())
        at16 = np.interp(np.arange(0, audio.size, 1.5), np.arange(audio.size), audio).astype(np.float32)
        table = token_bytes()
        tokens = Hearing()([window_of(at16)], ["en"], suppressed())[0][0]
        heard = b"".join(table[t] for t in tokens).decode("utf8", "replace").strip()
        wrong, all_words = errors(str(given["text"]), heard)
        say(section="speech", front=form, said=str(given["text"]), heard=heard, words_wrong=wrong, words=all_words, seconds=round(audio.size / 24000, 2), front_ms=round(front_ms, 1))
    say(section="speech", mel_distance_db=mel_distance(spoken["processor"], spoken["device"]))


def mel_distance(a, b) -> float:
    """The mean difference of two readings of a sentence, in decibels, along the best alignment of their frames."""
    size, hop, bands = 1024, 256, 40
    edges = 700 * (10 ** (np.linspace(0, 2595 * math.log10(1 + 12000 / 700), bands + 2) / 2595) - 1)
    bins = np.fft.rfftfreq(size, 1 / 24000)
    up, down = (bins - edges[:-2, None]) / np.diff(edges)[:-1, None], (edges[2:, None] - bins) / np.diff(edges)[1:, None]
    bank = np.maximum(0, np.minimum(up, down))
    a, b = (10 * np.log10(np.abs(np.fft.rfft(np.lib.stride_tricks.sliding_window_view(s, size)[::hop] * np.hanning(size))) ** 2 @ bank.T + 1e-4) for s in (a, b))
    cost = np.abs(a[:, None] - b[None]).mean(-1)
    best = np.full((len(a) + 1, len(b) + 1), np.inf)
    best[0, 0] = 0
    for i in range(len(a)):
        for j in range(len(b)):
            best[i + 1, j + 1] = cost[i, j] + min(best[i, j], best[i, j + 1], best[i + 1, j])
    return round(float(best[-1, -1] / max(len(a), len(b))), 2)


def prosody_feed(given) -> dict:
    feed = {"tokens": given["tokens"], "style": given["style"], "speed": np.ones((1, 1), np.float32), "pitch": np.ones((1, 1, 1), np.float32)}
    return feed | {"range": np.ones(1, np.float32), "center": given["center"]}


def spoken_clause(given, prosody, decoder) -> tuple:
    """The clause's audio, by the device's generator, and the time of what precedes that."""
    at = time.perf_counter()
    sounds, hertz, energy = prosody.run(["sounds", "hertz", "energy"], prosody_feed(given))
    steps = hertz[0].astype(np.float64) * np.arange(1, 10)[:, None] / 24000
    phase = (2 * np.pi * np.mod(np.cumsum(np.mod(steps, 1) * 300, axis=1), 1)).astype(np.float32)[None]
    stretch = {"sounds": sounds, "hertz": hertz, "energy": energy, "style": given["style"], "phase": phase}
    stretch |= {"statistics": given["means"], "measure": np.array([False])}
    x, harmonics = decoder.run(["x", "harmonics"], stretch)
    front_ms = (time.perf_counter() - at) * 1e3
    frames = x.shape[2]
    window = {
        "x": x,
        "harmonics": harmonics,
        "style": given["rounded"],
        "statistics": given["statistics"],
        "frame_mask": np.ones((1, 1, 10 * frames), np.float32),
        "sound_mask": np.ones((1, 1, 60 * frames + 1), np.float32),
    }
    raw = GENERATOR().run(None, window)[0][0, 0]
    sums = given["window_sum"]
    raw[: sums.size] = np.where(sums > 0, raw[: sums.size] / np.where(sums > 0, sums, 1), raw[: sums.size])
    return 4 * raw[10 : 10 + 300 * frames], front_ms


def section_generator() -> None:
    for count in (1, 16, 64) if CUDA else (1, 2):
        if left() < 30:
            return
        ms = median_ms(Bound(GENERATOR(), speech_window(80, count), ["audio"]), 6 if CUDA else 2, 2 if CUDA else 1)
        say(section="generator", what=PLACE, windows=count, ms=ms, speech_s_per_s=round(count * 1e3 / ms, 1))


# ---- Everything --------------------------------------------------------------------------------------------------------


def section_device() -> None:
    query = "name,driver_version,memory.total,memory.used"
    try:
        device = subprocess.run(["nvidia-smi", f"--query-gpu={query}", "--format=csv,noheader"], capture_output=True, text=True, timeout=20).stdout.strip()
    except OSError:
        device = ""
    say(section="device", device=device or "none", place=PLACE, runtime=ort.__version__, providers=ort.get_available_providers(), cores=os.cpu_count(), missing_libraries=missing)


def placement(name: str, feed: dict) -> None:
    made = session(name, profile=os.path.join(tempfile.gettempdir(), "gpu-check"))
    made.run(None, feed)
    path = made.end_profiling()
    events = [e for e in json.loads(pathlib.Path(path).read_text()) if e.get("cat") == "Node" and e["name"].endswith("_kernel_time")]
    os.remove(path)
    nodes = collections.Counter(e["args"].get("provider", "?").replace("ExecutionProvider", "") for e in events)
    copies = sum("Memcpy" in e["args"].get("op_name", "") for e in events)
    on_cpu = collections.Counter(e["args"]["op_name"] for e in events if e["args"].get("provider", "").startswith("CPU")) if CUDA else {}
    say(section="placement", model=name, nodes=nodes, copies=copies, on_processor=on_cpu)


def section_placement() -> None:
    rows = 360
    placement("whisper-device/encoder.onnx", batch([{"mel": np.zeros((1, 80, 2 * rows), np.float32), "positions": np.arange(rows), "log_count": np.zeros(rows, np.float32)}]))
    placement("moonshine-device/encoder.onnx", Moonshine().windows([np.zeros(16000, np.float32)]))
    given = np.load(BUNDLE / "models/kokoro/clause.npz")
    placement("kokoro-gpu/prosody.onnx", prosody_feed(given))
    placement("kokoro-gpu/generator.onnx", speech_window(20, 1))
    placement("smart-turn.onnx", {"input_features": np.zeros((1, 80, 800), np.float32)})


def section_small() -> None:
    for name, feed in (
        ("smart-turn.onnx", {"input_features": np.zeros((1, 80, 800), np.float32)}),
        ("silero.onnx", {"input": np.zeros((1, 576), np.float32), "state": np.zeros((2, 1, 128), np.float32), "sr": np.array(16000)}),
    ):
        ms = {}
        for place, cuda in (("processor, one thread", False), *([("cuda", True)] if CUDA else [])):
            made = session(name, cuda, 1)
            ms[place] = median_ms(lambda: made.run(None, feed))
        say(section="small", model=name, ms=ms)


def main() -> int:
    section_device()
    if CUDA and "CUDAExecutionProvider" not in ort.get_available_providers():
        say(skipped="this inference library is no CUDA build")
        return 0
    try:
        session("silero.onnx")
    except Exception as error:
        if CUDA:
            say(skipped=f"no CUDA device serves here: {str(error)[:300]}")
            return 0
        raise
    failed = 0
    for section in (section_placement, section_texts, section_moonshine, section_speech, section_generator, section_small, section_whisper, section_streams, section_calls):
        name = section.__name__.removeprefix("section_")
        if ONLY and name not in ONLY:
            continue
        if left() < 30:
            say(section=name, skipped="the time is used up")
            continue
        at = time.monotonic()
        try:
            section()
        except Exception as error:
            failed += 1
            say(section=name, failed=f"{type(error).__name__}: {str(error)[:500]}")
        say(section=name, done_s=round(time.monotonic() - at, 1), left_s=round(left()))
    say(done=True, failed=failed, seconds=round(time.monotonic() - BEGAN))
    return 1 if failed else 0


sys.exit(main())
