"""A Moonshine's weights as transformers stores them, by the names of weights.py."""

import json
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "whisper"))

from model import Sizes  # noqa: E402
from safetensors_reader import Safetensors  # noqa: E402
from unusable import Unusable  # noqa: E402

PARTS = {"gamma": "weight", "gain": "weight", "shift": "bias"}
NAMED = {"decoder/embeddings": "model.decoder.embed_tokens.weight"}
DEFAULT_ROTATED = 0.9
SUPPORTED = {
    "encoder_hidden_act": "gelu",
    "decoder_hidden_act": "silu",
    "rope_theta": 10000.0,
    "rope_type": "default",
    "rope_scaling": None,
    "attention_bias": False,
}


def with_rotation(config: dict) -> dict:
    """-> the settings with those of the rotation, which transformers 5 keeps in an object of their own."""
    rotation = config.get("rope_parameters") or {}
    if not isinstance(rotation, dict):
        raise Unusable(f"config.json states rope_parameters {json.dumps(rotation)}, which is not an object")
    return config | rotation


class TransformersWeights:
    def __init__(self, paths: list[pathlib.Path]):
        self._tensors = Safetensors(paths)

    def __contains__(self, name: str) -> bool:
        return self._called(name) in self._tensors

    def __call__(self, name: str) -> np.ndarray:
        path, _, part = name.rpartition("/")
        # The norms of layers have no shift.
        if part == "beta":
            return np.zeros_like(self(f"{path}/gamma"))
        called = self._called(name)
        if called not in self._tensors:
            raise Unusable(f"the weight {called} is missing: the file is not a whole Moonshine")
        array = self._tensors(called)
        if not np.isfinite(array).all():
            raise Unusable(f"the weight {called} has values that are no numbers: the file is damaged")
        return array

    def _called(self, name: str) -> str:
        path, _, part = name.rpartition("/")
        return NAMED.get(name) or f"model.{path}/{PARTS.get(part, part)}".replace("/", ".")

    def sizes(self, config: dict) -> Sizes:
        config = with_rotation(config)
        for name, value in SUPPORTED.items():
            if config.get(name, value) != value:
                raise Unusable(f"config.json states {name} {json.dumps(config[name])}, which is not supported: {json.dumps(value)} is")
        counted = [self._layers(side) for side in ("encoder", "decoder")]
        for side, layers in zip(("encoder", "decoder"), counted):
            if config.get(f"{side}_num_hidden_layers", layers) != layers or layers == 0:
                raise Unusable(f"config.json states {config.get(f'{side}_num_hidden_layers')} layers of the {side}, and the weights have {layers}")
        width = self("decoder/embeddings").shape[1]
        heads = config.get("decoder_num_attention_heads", 8)
        alike = ("encoder_num_attention_heads", "encoder_num_key_value_heads", "decoder_num_key_value_heads")
        if any(config.get(name) not in (None, heads) for name in alike) or not isinstance(heads, int) or heads <= 0 or width % heads:
            raise Unusable("config.json states heads that differ, or that do not divide the rows")
        factor = config.get("partial_rotary_factor", DEFAULT_ROTATED)
        rotated = int(width // heads * factor) if isinstance(factor, (int, float)) and 0 < factor <= 1 else 0
        if rotated == 0 or rotated % 2:
            raise Unusable(f"config.json states partial_rotary_factor {factor}, by which no pairs of numbers are rotated")
        return Sizes(layers=counted[1], encoder_layers=counted[0], heads=heads, width=width, rotated=rotated)

    def _layers(self, side: str) -> int:
        begin = f"model.{side}.layers."
        return len({name.removeprefix(begin).split(".")[0] for name in self._tensors.names() if name.startswith(begin)})
