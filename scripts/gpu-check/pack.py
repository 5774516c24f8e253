"""Packs what runner.py needs into pieces that a machine takes which accepts few megabytes at a time.

    python3 pack.py CONFIG.json

CONFIG: bundle (folder to fill), out (folder for the pieces), weights (the parts of Whisper's weights and its config.json),
models {name: file}, wheels [file], recordings (folder with manifest.jsonl), programs
{name: file}, keep (compute capability, or null), pieceBytes.
Needs numpy and onnx.
"""

import hashlib
import json
import pathlib
import shutil
import struct
import sys
import tarfile
import wave
import zipfile

ROOT = pathlib.Path(__file__).parents[2]
for recipe in ("whisper", "moonshine", "kokoro"):
    sys.path.insert(0, str(ROOT / "models/recipes" / recipe))

import device_model as moonshine  # noqa: E402
import numpy as np  # noqa: E402
import onnx  # noqa: E402
from ct2_reader import Weights  # noqa: E402
from device_decoder import build_device_decoder  # noqa: E402
from device_encoder import build_device_encoder  # noqa: E402
from device_front import build_device_decoder as build_kokoro_decoder, build_device_prosody  # noqa: E402
from device_generator import build_device_generator, read_weights  # noqa: E402
from weights import Weights as MoonshineWeights  # noqa: E402

PHONEMES = "ðə kwˈɪk bɹˈWn fˈɑks ʤˈʌmps ˈOvəɹ ðə lˈAzi dˈɔɡ."
SAID = "The quick brown fox jumps over the lazy dog."
MOST_CLIPS = 24
# The means of the decoder stand behind those of the generator (native/tts/kokoro.h).
DECODER_MEANS = 18964


def known_voice(path: pathlib.Path, suffix: str, size: int) -> tuple[np.ndarray, float]:
    """The means and the pitch of a stock voice, as native/tts/known_voices.cc reads them: those of short clauses come first,
    those of long ones second. Groups of another size hold what else is known of the styles."""
    blob, at = path.read_bytes(), 8

    def take(form: str):
        nonlocal at
        (value,) = struct.unpack_from("<" + form, blob, at)
        at += struct.calcsize("<" + form)
        return value

    def text() -> str:
        nonlocal at
        length = take("H")
        at += length
        return blob[at - length : at].decode()

    for _ in range(take("I")):
        text()
        columns = take("I")
        least = np.frombuffer(blob, "<f4", columns, at)
        step = np.frombuffer(blob, "<f4", columns, at + 4 * columns)
        at += 8 * columns
        for _ in range(take("I")):
            key, center, _gain = text(), take("f"), take("f")
            numbers = np.frombuffer(blob, np.uint8, columns, at)
            at += columns
            if key.endswith(suffix) and columns == 2 * size:
                return (least + step * numbers)[size:], center
    raise ValueError(f"{path} knows no voice {suffix}")


def clause(models: dict, generator: dict) -> dict:
    vocabulary = json.loads(pathlib.Path(models["kokoro/vocab.json"]).read_text())
    vocabulary = vocabulary.get("vocab", vocabulary)
    tokens = [0, *(vocabulary[c] for c in PHONEMES if c in vocabulary), 0]
    table = np.fromfile(models["kokoro/voices/af_heart.bin"], "<f4").reshape(-1, 256)
    style = table[len(tokens) - 2]
    low, high = min(style[:128].min(), 0), max(style[:128].max(), 0)
    step = (high - low) / 255
    zero = np.rint(np.clip(-low / step, 0, 255))
    rounded = ((np.clip(np.rint(style[:128] / step) + zero, 0, 255) - zero) * step).astype(np.float32)
    size = int(generator["statistics"][0])
    means, center = known_voice(ROOT / "models/known-voices.bin", "|af_heart:1.0000,", size + DECODER_MEANS)
    return {
        "tokens": np.array([tokens], np.int64),
        "style": style[None],
        "rounded": rounded[None],
        "statistics": means[None, :size].astype(np.float32),
        "means": means[size:].astype(np.float32),
        "center": np.array([center], np.float32),
        "window_sum": generator["window_sum"],
        "text": np.array(SAID),
    }


def build_models(config: dict, folder: pathlib.Path) -> None:
    weights = Weights(b"".join(pathlib.Path(part).read_bytes() for part in config["weights"]["parts"]))
    heads = json.loads(pathlib.Path(config["weights"]["config"]).read_text())["alignment_heads"]
    generator = read_weights(pathlib.Path(config["models"]["kokoro/generator.bin"]).read_bytes())
    published = pathlib.Path(config["models"]["kokoro/kokoro.onnx"])
    quick = MoonshineWeights(*(pathlib.Path(config["models"][f"moonshine-tiny-en/{part}.ort"]).read_bytes() for part in ("encoder", "decoder")))
    made = {
        "moonshine-device/encoder.onnx": moonshine.build_encoder(quick, "fp16"),
        "moonshine-device/decoder.onnx": moonshine.build_decoder(quick, "fp16"),
        "kokoro-gpu/prosody.onnx": build_device_prosody(onnx.load(published), "fp16"),
        "kokoro-gpu/decoder.onnx": build_kokoro_decoder(onnx.load(published), "fp16"),
        "whisper-device/encoder.onnx": build_device_encoder(weights, "fp16"),
        "whisper-device/decoder.onnx": build_device_decoder(weights, heads, "fp16"),
        "kokoro-gpu/generator.onnx": build_device_generator(generator, "fp16"),
    }
    for name, model in made.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(model.SerializeToString(deterministic=True))
    (folder / "kokoro").mkdir()
    given = clause(config["models"], generator)
    np.savez(folder / "kokoro/clause.npz", **given)
    voice = [given[part].ravel() for part in ("style", "center", "statistics", "means")]
    (folder / "kokoro/voice.f32").write_bytes(np.concatenate(voice).astype("<f4").tobytes())
    (folder / "kokoro/phonemes.txt").write_text(PHONEMES)
    copies = {
        "whisper/encoder.onnx": "whisper-base/encoder.onnx",
        "whisper/decoder.onnx": "whisper-base/decoder.onnx",
        "whisper/tokens.bin": "whisper-base/tokens.bin",
        "whisper/whisper.conf": "whisper-base/whisper.conf",
        "moonshine/encoder.ort": "moonshine-tiny-en/encoder.ort",
        "moonshine/decoder.ort": "moonshine-tiny-en/decoder.ort",
        "moonshine/tokenizer.bin": "moonshine-tiny-en/tokenizer.bin",
        "kokoro/prosody.onnx": "kokoro/prosody.onnx",
        "kokoro/decoder.onnx": "kokoro/decoder.onnx",
        "kokoro/generator.bin": "kokoro/generator.bin",
        "kokoro/vocab.json": "kokoro/vocab.json",
        "smart-turn.onnx": "smart-turn/smart-turn-v3.2.onnx",
        "silero.onnx": "silero-vad/silero_vad.onnx",
    }
    for name, source in copies.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(config["models"][source], folder / name)


def pack_clips(recordings: pathlib.Path, folder: pathlib.Path) -> None:
    """Short recordings of every language that the manifest has as PCM at 16 kHz, one voice after another."""
    folder.mkdir(parents=True)
    rows = [json.loads(line) for line in (recordings / "manifest.jsonl").read_text().splitlines()]
    fit = lambda r: r["rate"] == 16000 and r["path"].endswith(".wav") and 2 < r["seconds"] < 15 and r["lang"] in ("en", "es", "fr", "de", "it", "pt", "nl", "hi") and r["text"]
    chosen, seen = [], {}
    for row in sorted(filter(fit, rows), key=lambda r: (r["lang"] == "en", r["path"])):
        key = (row["lang"], row["path"].split("/")[0])
        seen[key] = seen.get(key, 0) + 1
        if seen[key] <= 4:
            chosen.append(row)
    clips = []
    for row in chosen:
        try:
            with wave.open(str(recordings / row["path"])) as file:
                if file.getframerate() != 16000 or file.getnchannels() != 1 or file.getsampwidth() != 2:
                    continue
        except wave.Error:
            continue
        name = row["path"].replace("/", "-")
        shutil.copyfile(recordings / row["path"], folder / name)
        clips.append({"file": name, "lang": row["lang"], "text": row["text"]})
        if len(clips) == MOST_CLIPS:
            break
    if not clips:
        raise ValueError(f"{recordings} has no recordings that fit")
    (folder / "clips.json").write_text(json.dumps(clips, ensure_ascii=False))


def blank_other_cards(path: pathlib.Path, keep: int) -> None:
    """Zeroes the kernels of a library that are not for this compute capability (90: Hopper), so that it packs small.

    .nv_fatbin holds regions: magic, u16 version, u16 header size, u64 size; in each region entries: u16 kind (2: machine
    code), u16, u32 header size, u64 size, and the capability as u32 at byte 28."""
    blob = bytearray(path.read_bytes())
    (headers,), (size, count, names) = struct.unpack_from("<Q", blob, 0x28), struct.unpack_from("<HHH", blob, 0x3A)
    sections = [struct.unpack_from("<IIQQQQ", blob, headers + i * size) for i in range(count)]
    name_at = sections[names][4]
    for section in sections:
        begin = name_at + section[0]
        if blob[begin : blob.index(0, begin)] != b".nv_fatbin":
            continue
        at, end = section[4], section[4] + section[5]
        while at < end - 16:
            magic, _, header, length = struct.unpack_from("<IHHQ", blob, at)
            if magic != 0xBA55ED50:
                at += 8
                continue
            entry, at = at + header, at + header + length
            while entry < at:
                kind, _, entry_header, entry_size = struct.unpack_from("<HHIQ", blob, entry)
                (capability,) = struct.unpack_from("<I", blob, entry + 28)
                if kind != 2 or capability != keep:
                    blob[entry + entry_header : entry + entry_header + entry_size] = bytes(entry_size)
                entry += entry_header + entry_size
    path.write_bytes(blob)


def unpack_wheels(wheels: list[str], folder: pathlib.Path, keep: int | None) -> None:
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(folder)
    for library in folder.glob("onnxruntime/capi/libonnxruntime_providers_*.so"):
        if "tensorrt" in library.name:
            library.unlink()
        elif "cuda" in library.name and keep:
            blank_other_cards(library, keep)


def main() -> None:
    config = json.loads(pathlib.Path(sys.argv[1]).read_text())
    bundle, out = pathlib.Path(config["bundle"]), pathlib.Path(config["out"])
    for folder in (bundle, out):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    build_models(config, bundle / "models")
    pack_clips(pathlib.Path(config["recordings"]), bundle / "clips")
    unpack_wheels(config["wheels"], bundle / "site", config["keep"])
    shutil.copyfile(pathlib.Path(__file__).parent / "runner.py", bundle / "runner.py")
    for name, program in config["programs"].items():
        shutil.copy(program, bundle / name)
    whole = out / "whole.tar.gz"
    with tarfile.open(whole, "w:gz", compresslevel=6) as archive:
        archive.add(bundle, "bundle")
    pieces = []
    with open(whole, "rb") as file:
        while blob := file.read(config["pieceBytes"]):
            name = f"piece-{len(pieces):03d}"
            (out / name).write_bytes(blob)
            pieces.append({"name": name, "sha256": hashlib.sha256(blob).hexdigest(), "bytes": len(blob)})
    whole.unlink()
    (out / "pieces.json").write_text(json.dumps(pieces, indent=1))
    shutil.copyfile(pathlib.Path(__file__).parent / "check.py", out / "check.py")
    print(json.dumps({"pieces": len(pieces), "bytes": sum(p["bytes"] for p in pieces)}))


if __name__ == "__main__":
    main()
