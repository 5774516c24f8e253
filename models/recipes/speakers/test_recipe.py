"""What the recipe reads and computes, held to checkpoints and filters that are written here by hand."""

import io
import math
import pickle
import struct
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1]))
from checkpoint import read_checkpoint  # noqa: E402
from segmentation import _gates, sinc_filters  # noqa: E402


def text(value: str) -> bytes:
    return b"X" + struct.pack("<I", len(value)) + value.encode()


def number(value: int) -> bytes:
    return b"J" + struct.pack("<i", value)


def call(module: str, name: str, arguments: bytes) -> bytes:
    return f"c{module}\n{name}\n".encode() + b"(" + arguments + b"tR"


def tensor(storage: str, key: str, count: int, offset: int, shape, strides) -> bytes:
    """As PyTorch writes it: a call of _rebuild_tensor_v2 with a reference to its storage."""
    pid = b"(" + text("storage") + f"ctorch\n{storage}\n".encode() + text(key) + text("cpu") + number(count) + b"tQ"
    tuples = b"".join(b"(" + b"".join(map(number, values)) + b"t" for values in (shape, strides))
    hooks = call("collections", "OrderedDict", b"")
    return call("torch._utils", "_rebuild_tensor_v2", pid + number(offset) + tuples + b"\x89" + hooks)


def checkpoint(pickled: bytes, storages: dict[str, bytes]) -> Path:
    path = Path(tempfile.mkdtemp()) / "checkpoint.pt"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("model/data.pkl", b"\x80\x02" + pickled + b".")
        for key, data in storages.items():
            archive.writestr(f"model/data/{key}", data)
    return path


FOUR = np.array([1, 2, 3, 4], "<f4").tobytes()


class ReadingCheckpoints(unittest.TestCase):
    def test_reads_tensors_by_their_strides(self):
        path = checkpoint(tensor("FloatStorage", "0", 4, 0, (2, 2), (1, 2)), {"0": FOUR})
        np.testing.assert_array_equal(read_checkpoint(path), [[1, 3], [2, 4]])

    def test_refuses_every_other_name(self):
        for module, name in (("os", "system"), ("builtins", "eval"), ("torch", "load"), ("torch.nn", "Linear")):
            with self.assertRaisesRegex(pickle.UnpicklingError, f"names {module}.{name}"):
                read_checkpoint(checkpoint(call(module, name, text("true")), {}))

    def test_refuses_a_tensor_that_reaches_outside_its_storage(self):
        for offset, shape, strides in ((0, (5,), (1,)), (1, (2, 2), (2, 1)), (0, (2,), (-1,)), (-1, (2,), (1,))):
            path = checkpoint(tensor("FloatStorage", "0", 4, offset, shape, strides), {"0": FOUR})
            with self.assertRaisesRegex(pickle.UnpicklingError, "outside its storage"):
                read_checkpoint(path)

    def test_refuses_a_tensor_that_repeats_its_storage(self):
        path = checkpoint(tensor("FloatStorage", "0", 4, 0, (1 << 30, 1 << 30), (0, 0)), {"0": FOUR})
        with self.assertRaisesRegex(pickle.UnpicklingError, "more numbers than its storage"):
            read_checkpoint(path)

    def test_says_that_a_storage_is_cut_short(self):
        path = checkpoint(tensor("FloatStorage", "0", 4, 0, (4,), (1,)), {"0": FOUR[:8]})
        with self.assertRaisesRegex(pickle.UnpicklingError, "holds 2 numbers, 4 were announced"):
            read_checkpoint(path)

    def test_says_that_there_is_no_checkpoint(self):
        path = Path(tempfile.mkdtemp()) / "empty.pt"
        stream = io.BytesIO()
        zipfile.ZipFile(stream, "w").close()
        path.write_bytes(stream.getvalue())
        with self.assertRaisesRegex(ValueError, "expected one data.pkl, found 0"):
            read_checkpoint(path)


class Filters(unittest.TestCase):
    def test_passes_its_own_band_alone(self):
        times = np.arange(-125, 0) * 2 * math.pi / 16000
        window = 0.54 - 0.46 * np.cos(2 * math.pi * np.linspace(0, 124, 125) / 251)
        prefix = "sincnet.conv1d.0.filterbank."
        state = {
            prefix + "low_hz_": np.array([[950.0]]),  # from 1 kHz
            prefix + "band_hz_": np.array([[450.0]]),  # to 1.5 kHz
            prefix + "window_": window,
            prefix + "n_": times[None],
        }
        filters = sinc_filters(state)
        self.assertEqual(filters.shape, (2, 1, 251))
        spectrum = np.abs(np.fft.rfft(filters[0, 0], 16000))
        self.assertGreater(spectrum[1200], 20 * spectrum[500])
        self.assertGreater(spectrum[1200], 20 * spectrum[3000])
        np.testing.assert_allclose(filters[0, 0], filters[0, 0][::-1], atol=1e-6)
        np.testing.assert_allclose(filters[1, 0], -filters[1, 0][::-1], atol=1e-6)

    def test_orders_the_gates_as_the_operator_takes_them(self):
        np.testing.assert_array_equal(_gates(np.array([1, 2, 3, 4])), [1, 4, 2, 3])


if __name__ == "__main__":
    unittest.main()
