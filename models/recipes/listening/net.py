"""Nets of two small layers that tell backchannels by the encoder's rows: each row becomes COLUMNS numbers, their means (over
all rows, the last four, the first half) and greatest values go through HIDDEN more. Numpy alone; the engine computes it as `score` does."""
import struct

import numpy as np

NETS, COLUMNS, HIDDEN, LAST = 3, 24, 24, 4
ROUNDS, BATCH, PACE, DECAY, DROP = 14, 256, 2e-3, 0.1, 0.2


def pools_of(count: np.ndarray, rows: int):
    at = np.arange(rows)[None]
    there = (at < count[:, None]).astype(np.float32)
    parts = (there, there * (at >= (count - LAST)[:, None]), there * (at < (count // 2)[:, None]))
    return there, [part / np.maximum(1, part.sum(1, keepdims=True)) for part in parts]


class Net:
    def __init__(self, width: int, seed: int = 1) -> None:
        self.width, self.chance = width, np.random.default_rng(seed)

    # -- learning

    def learn(self, rows: np.ndarray, count: np.ndarray, listens: np.ndarray, weight: np.ndarray) -> None:
        if len(rows) < BATCH:
            raise SystemExit(f"{len(rows)} looks are too few to learn from: {BATCH} are the least")
        self.level(rows, count)
        even = self.levelled(rows, count)
        pools = 4 * COLUMNS
        normal = lambda *shape: (self.chance.normal(0, 1 / np.sqrt(shape[0]), shape)).astype(np.float32)
        self.of = {
            "row": normal(self.width, COLUMNS),
            "row_bias": np.zeros(COLUMNS, np.float32),
            "hidden": normal(pools, HIDDEN),
            "hidden_bias": np.zeros(HIDDEN, np.float32),
            "out": normal(HIDDEN) * 0.5,
            "straight": np.zeros(pools, np.float32),
            "bias": np.zeros(1, np.float32),
        }
        mean = {name: np.zeros_like(of) for name, of in self.of.items()}
        square = {name: np.zeros_like(of) for name, of in self.of.items()}
        weight = (weight / weight.mean()).astype(np.float32)
        steps, step = ROUNDS * (len(rows) // BATCH), 0
        for _ in range(ROUNDS):
            order = self.chance.permutation(len(rows))
            for at in range(0, len(rows) - BATCH + 1, BATCH):
                some = order[at : at + BATCH]
                slopes = self.slopes(even[some], count[some], listens[some], weight[some])
                step += 1
                pace = PACE * 0.5 * (1 + np.cos(np.pi * step / steps))
                for name, slope in slopes.items():
                    mean[name] = 0.9 * mean[name] + 0.1 * slope
                    square[name] = 0.999 * square[name] + 0.001 * slope**2
                    way = mean[name] / (1 - 0.9**step) / (np.sqrt(square[name] / (1 - 0.999**step)) + 1e-8)
                    decay = DECAY * self.of[name] if name in ("row", "hidden") else 0
                    self.of[name] = (self.of[name] - pace * (way + decay)).astype(np.float32)

    def level(self, rows: np.ndarray, count: np.ndarray) -> None:
        """Columns become numbers of one size each."""
        some = self.chance.choice(len(rows), min(3000, len(rows)), replace=False)
        flat = np.concatenate([rows[at, : count[at]] for at in some]).astype(np.float32)
        self.middle, self.size = flat.mean(0), flat.std(0) + 1e-2

    def levelled(self, rows: np.ndarray, count: np.ndarray) -> np.ndarray:
        out = np.empty(rows.shape, np.float32)
        for at in range(0, len(rows), 1024):
            out[at : at + 1024] = (rows[at : at + 1024].astype(np.float32) - self.middle) / self.size
        return out * (np.arange(rows.shape[1])[None] < count[:, None])[:, :, None]

    def pooled(self, even: np.ndarray, count: np.ndarray):
        there, means = pools_of(count, even.shape[1])
        seen = np.tanh(even @ self.of["row"] + self.of["row_bias"])
        most_at = np.where(there[:, :, None] > 0, seen, -2).argmax(1)[:, None]
        pooled = [(of[:, :, None] * seen).sum(1) for of in means]
        pooled.append(np.take_along_axis(seen, most_at, 1)[:, 0])
        return seen, most_at, means, np.concatenate(pooled, 1)

    def slopes(self, even, count, listens, weight) -> dict[str, np.ndarray]:
        of = self.of
        seen, most_at, means, pooled = self.pooled(even, count)
        kept = ((self.chance.random(pooled.shape) > DROP) / (1 - DROP)).astype(np.float32)
        pooled = pooled * kept
        hidden = np.maximum(pooled @ of["hidden"] + of["hidden_bias"], 0)
        score = hidden @ of["out"] + pooled @ of["straight"] + of["bias"]
        slope = ((1 / (1 + np.exp(-np.clip(score, -30, 30))) - listens) * weight / len(count)).astype(np.float32)
        of_hidden = np.outer(slope, of["out"]) * (hidden > 0)
        of_pooled = (of_hidden @ of["hidden"].T + np.outer(slope, of["straight"])) * kept
        parts = np.split(of_pooled, 4, 1)
        of_seen = sum(mean[:, :, None] * part[:, None] for mean, part in zip(means, parts))
        np.put_along_axis(of_seen, most_at, np.take_along_axis(of_seen, most_at, 1) + parts[3][:, None], 1)
        of_seen *= 1 - seen * seen
        return {
            "row": even.reshape(-1, self.width).T @ of_seen.reshape(-1, COLUMNS),
            "row_bias": of_seen.sum((0, 1)),
            "hidden": pooled.T @ of_hidden,
            "hidden_bias": of_hidden.sum(0),
            "out": hidden.T @ slope,
            "straight": pooled.T @ slope,
            "bias": np.array([slope.sum()], np.float32),
        }

    # -- what was learnt

    def score(self, rows: np.ndarray, count: np.ndarray) -> np.ndarray:
        out = np.empty(len(rows), np.float32)
        for at in range(0, len(rows), 2048):
            some = slice(at, at + 2048)
            pooled = self.pooled(self.levelled(rows[some], count[some]), count[some])[3]
            hidden = np.maximum(pooled @ self.of["hidden"] + self.of["hidden_bias"], 0)
            out[some] = hidden @ self.of["out"] + pooled @ self.of["straight"] + self.of["bias"]
        return out

    def tables(self) -> dict[str, np.ndarray]:
        of = self.of
        row = of["row"] / self.size[:, None]
        return {
            "OfRow": row,
            "RowBias": of["row_bias"] - self.middle @ row,
            "Hidden": of["hidden"],
            "HiddenBias": of["hidden_bias"],
            "Out": of["out"],
            "Straight": of["straight"],
            "Bias": of["bias"],
        }


class Nets:
    """Several that began elsewhere: their mean knows more of strangers than any of them."""

    def __init__(self, width: int) -> None:
        self.nets = [Net(width, seed) for seed in range(1, NETS + 1)]

    def learn(self, *sounds: np.ndarray) -> None:
        for net in self.nets:
            net.learn(*sounds)

    def score(self, rows: np.ndarray, count: np.ndarray) -> np.ndarray:
        return np.mean([net.score(rows, count) for net in self.nets], 0)

    def packed(self) -> bytes:
        """The tables, and what they make of 16 rows of which number i is sin(i); native/lanes/omni/backchannel_model.cc reads them."""
        tables, width = [net.tables() for net in self.nets], self.nets[0].width
        waves = np.sin(np.arange(16 * width, dtype=np.float64)).astype(np.float32).reshape(1, 16, width)
        check = self.score(waves, np.array([16]))[0]
        numbers = [np.stack([of[name].ravel() for of in tables]) for name in tables[0]]
        # Four places, as the nets that shipped first were written.
        return struct.pack("<If", width, check) + b"".join(of.round(4).astype("<f4").tobytes() for of in numbers)


def packed(ears: list[Nets]) -> bytes:
    return b"TLLN" + struct.pack("<4I", 1, NETS, COLUMNS, HIDDEN) + b"".join(nets.packed() for nets in ears)
