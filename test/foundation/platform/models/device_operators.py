"""Every graph that runs on a GPU has operators that have kernels there, and the published ones have others.

    python3 device_operators.py PUBLISHED.onnx FORM.onnx…
"""

import pathlib
import sys

import onnx

sys.path.insert(0, str(pathlib.Path(__file__).parents[4] / "models/recipes"))
from cuda_operators import without_kernels  # noqa: E402

published, *forms = sys.argv[1:]
stay = without_kernels(onnx.load(published))
assert {"MatMulInteger", "ConvInteger", "DynamicQuantizeLinear"} <= set(stay), stay
assert forms
for form in forms:
    assert without_kernels(onnx.load(form)) == [], (form, without_kernels(onnx.load(form)))
