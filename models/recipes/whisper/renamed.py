"""Weights under the names of transformers, or of OpenAI and whisper.cpp, read by the names of CTranslate2."""

import re

import numpy as np

from unusable import Unusable

TRANSFORMERS = {
    "layer": "{side}.layers.{layer}.",
    "positions": "{side}.embed_positions.weight",
    "embeddings": "decoder.embed_tokens.weight",
    "norms": {"encoder": "encoder.layer_norm", "decoder": "decoder.layer_norm"},
    "attention": {"self": ("self_attn.", "self_attn_layer_norm"), "cross": ("encoder_attn.", "encoder_attn_layer_norm")},
    "parts": {"q": "q_proj", "k": "k_proj", "v": "v_proj", "out": "out_proj"},
    "ffn": ("fc1", "fc2", "final_layer_norm"),
}
OPENAI = {
    "layer": "{side}.blocks.{layer}.",
    "positions": "{side}.positional_embedding",
    "embeddings": "decoder.token_embedding.weight",
    "norms": {"encoder": "encoder.ln_post", "decoder": "decoder.ln"},
    "attention": {"self": ("attn.", "attn_ln"), "cross": ("cross_attn.", "cross_attn_ln")},
    "parts": {"q": "query", "k": "key", "v": "value", "out": "out"},
    "ffn": ("mlp.0", "mlp.2", "mlp_ln"),
}


class Renamed:
    """`tensors` is a function of a name with `names()`. Every weight that Whisper has must be there."""

    def __init__(self, tensors, layout: dict, heads: dict[str, int], prefix: str = ""):
        self._tensors, self._prefix, self._heads = tensors, prefix, heads
        self._made: dict = {}
        self._layers = {side: self._count(layout, side) for side in ("encoder", "decoder")}
        for number in (1, 2):
            self._pair(f"encoder/conv{number}", f"encoder.conv{number}", ("weight", "bias"))
        self._one("decoder/embeddings/weight", layout["embeddings"])
        for side, count in self._layers.items():
            self._one(f"{side}/position_encodings/encodings", layout["positions"].format(side=side))
            self._pair(f"{side}/layer_norm", layout["norms"][side], ("gamma", "beta"))
            for layer in range(count):
                self._layer(layout, side, layer)

    def __contains__(self, name: str) -> bool:
        return name in self._made

    def __call__(self, name: str) -> np.ndarray:
        return self._made[name]()

    def names(self) -> list[str]:
        return list(self._made)

    def scalar(self, name: str) -> int:
        return self._heads[name.split("/")[0]]

    def layers(self, side: str) -> int:
        return self._layers[side]

    def _count(self, layout: dict, side: str) -> int:
        pattern = re.escape(self._prefix + layout["layer"]).replace(r"\{side\}", side).replace(r"\{layer\}", r"(\d+)")
        numbers = {int(found[1]) for found in map(re.compile(pattern).match, self._tensors.names()) if found}
        if not numbers:
            raise Unusable(f"the weights are not those of a Whisper: there is no layer of the {side}")
        if numbers != set(range(len(numbers))):
            missing = min(set(range(max(numbers))) - numbers)
            raise Unusable(f"the layer {missing} of the {side} is missing: a part of the model is absent")
        return len(numbers)

    def _find(self, name: str) -> str:
        if self._prefix + name not in self._tensors:
            raise Unusable(f"the weight {name} is missing: the file is damaged, or a part of the model is absent")
        return self._prefix + name

    def _one(self, ours: str, theirs: str) -> None:
        found = self._find(theirs)
        self._made[ours] = lambda: self._tensors(found)

    def _pair(self, ours: str, theirs: str, parts: tuple[str, str]) -> None:
        self._one(f"{ours}/{parts[0]}", f"{theirs}.weight")
        found = self._find(f"{theirs}.bias")
        # whisper.cpp writes the biases of convolutions as columns.
        self._made[f"{ours}/{parts[1]}"] = lambda: self._tensors(found).reshape(-1)

    def _layer(self, layout: dict, side: str, layer: int) -> None:
        theirs = layout["layer"].format(side=side, layer=layer)
        ours = f"{side}/layer_{layer}"
        attentions = [("self", f"{ours}/self_attention")]
        if side == "decoder":
            attentions.append(("cross", f"{ours}/attention"))
        for kind, path in attentions:
            part, norm = layout["attention"][kind]
            names = {short: theirs + part + long for short, long in layout["parts"].items()}
            self._pair(f"{path}/layer_norm", theirs + norm, ("gamma", "beta"))
            joined = [["q", "k", "v"]] if kind == "self" else [["q"], ["k", "v"]]
            for number, group in enumerate([*joined, ["out"]]):
                self._joined(f"{path}/linear_{number}", [names[short] for short in group], names["k"])
        first, second, norm = layout["ffn"]
        self._pair(f"{ours}/ffn/layer_norm", theirs + norm, ("gamma", "beta"))
        self._pair(f"{ours}/ffn/linear_0", theirs + first, ("weight", "bias"))
        self._pair(f"{ours}/ffn/linear_1", theirs + second, ("weight", "bias"))

    def _joined(self, ours: str, theirs: list[str], keys: str) -> None:
        weights = [self._find(f"{name}.weight") for name in theirs]
        self._made[f"{ours}/weight"] = lambda: np.concatenate([self._tensors(name) for name in weights])
        # The projection of keys has no bias.
        biases = [None if name == keys else self._find(f"{name}.bias") for name in theirs]

        def bias() -> np.ndarray:
            parts = []
            for name, weight in zip(biases, weights, strict=True):
                zeros = np.zeros(self._tensors(weight).shape[0], np.float32) if name is None else None
                parts.append(self._tensors(name) if zeros is None else zeros)
            return np.concatenate(parts)

        self._made[f"{ours}/bias"] = bias
