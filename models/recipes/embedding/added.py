"""An embedding model that the operator brings -> the files that native/lanes/embed opens.

    python3 added.py IN OUT

reads IN/model.onnx, the encoder as sentence-transformers or Optimum export it, with its config.json, tokenizer.json,
pooling.json (1_Pooling/config.json of sentence-transformers), and, where they exist, modules.json, sentence_bert_config.json,
config_sentence_transformers.json and tokenizer_config.json. It writes OUT/{model.onnx, embed.conf, facts.json}, and
vocab.txt (WordPiece) or pieces.bin (Unigram). The graph is not changed.

Files that are no such model, are damaged or do not belong together end with one line on standard error and status 2.
"""

import json
import pathlib
import re
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import onnx  # noqa: E402
from tokenizer import read_tokenizer  # noqa: E402
from unusable import Unusable, run  # noqa: E402

IDS, MASK, TYPES = "input_ids", "attention_mask", "token_type_ids"
MOST_TOKENS, LEAST_TOKENS = 512, 32
SIZES = range(32, 4097)
# The texts that families of models were trained with, where no prompts are stated: the name, before a question, a passage.
PROMPTS = [
    (r"(^|[/_-])e5[_-]", "query: ", "passage: "),
    (r"nomic-embed-text", "search_query: ", "search_document: "),
    (r"bge-[a-z]+-en-v1\.5", "Represent this sentence for searching relevant passages: ", ""),
    (r"(^|[/_-])mxbai-embed", "Represent this sentence for searching relevant passages: ", ""),
    (r"snowflake-arctic-embed", "Represent this sentence for searching relevant passages: ", ""),
]


def read_json(path: pathlib.Path, called: str) -> dict:
    if not path.exists():
        return {}
    try:
        value = json.loads(path.read_text("utf-8"))
    except ValueError as error:
        raise Unusable(f"{called} is not valid JSON: it was not copied whole") from error
    return value if isinstance(value, dict) else {"modules": value}


def open_graph(path: pathlib.Path):
    try:
        graph = onnx.load(str(path), load_external_data=False).graph
    except Exception as error:
        raise Unusable("model.onnx is damaged: it is not a whole ONNX graph") from error
    if any(one.data_location == onnx.TensorProto.EXTERNAL for one in graph.initializer):
        raise Unusable("model.onnx has its weights in another file, which is not supported: add a form that has them inside, such as a quantized one")
    if not graph.initializer:
        raise Unusable("model.onnx has no weights")
    return graph


def dimensions(value) -> list[int | None]:
    shape = value.type.tensor_type.shape.dim
    return [one.dim_value if one.HasField("dim_value") else None for one in shape]


def inputs_of(graph) -> bool:
    """-> whether it takes the types of tokens."""
    weights = {one.name for one in graph.initializer}
    names = [one.name for one in graph.input if one.name not in weights]
    for name in (IDS, MASK):
        if name not in names:
            raise Unusable(f"model.onnx takes no {name}: it is not the encoder of texts")
    foreign = [name for name in names if name not in (IDS, MASK, TYPES)]
    if foreign:
        raise Unusable(f"model.onnx takes {', '.join(foreign)}, which is not supported: only {IDS}, {MASK} and {TYPES} are")
    return TYPES in names


def pooling_of(pooling: dict, modules: dict) -> str | None:
    """-> None where the vectors of tokens become one in a way that the engine does not have."""
    kinds = [str(one.get("type", "")).rsplit(".", 1)[-1] for one in modules.get("modules", []) if isinstance(one, dict)]
    if any(kind not in ("Transformer", "Pooling", "Normalize") for kind in kinds):
        return None
    if not pooling:
        return ""
    modes = sorted(name for name, on in pooling.items() if name.startswith("pooling_mode_") and on)
    if isinstance(pooling.get("pooling_mode"), str):
        modes = {"mean": ["pooling_mode_mean_tokens"], "cls": ["pooling_mode_cls_token"]}.get(pooling["pooling_mode"], ["?"])
    return {("pooling_mode_mean_tokens",): "mean", ("pooling_mode_cls_token",): "first"}.get(tuple(modes))


def output_of(graph, pooling: str | None) -> tuple[str, str, int | None]:
    """-> the output, how its rows become one vector, and its numbers where the graph states them."""
    outputs = {one.name: dimensions(one) for one in graph.output}
    tokens = [name for name in ("last_hidden_state", "token_embeddings") if name in outputs]
    tokens += [name for name, shape in outputs.items() if len(shape) == 3 and name not in tokens]
    whole = [name for name in ("sentence_embedding", "text_embeds") if name in outputs]
    if pooling and tokens:
        return tokens[0], pooling, (outputs[tokens[0]] or [None])[-1]
    if whole:
        return whole[0], "graph", (outputs[whole[0]] or [None])[-1]
    if not tokens:
        raise Unusable(f"model.onnx makes {', '.join(outputs) or 'nothing'}: expected last_hidden_state or sentence_embedding")
    if pooling is None:
        raise Unusable("it pools the vectors of its tokens in a way that is not supported: only the mean and the first token are, without further layers")
    raise Unusable("there is no 1_Pooling/config.json, which states whether a text's vector is the mean of its tokens' or the first one: add it")


def size_of(stated: list[tuple[str, object]]) -> int:
    known = [(where, value) for where, value in stated if value is not None]
    for where, value in known:
        if not isinstance(value, int) or value not in SIZES:
            raise Unusable(f"{where} states vectors of {value} numbers, which is not from {SIZES[0]} to {SIZES[-1]}")
    if not known:
        raise Unusable("nothing states how many numbers a vector has: there is no config.json with hidden_size")
    (first, size), *others = known
    for where, value in others:
        if value != size:
            raise Unusable(f"{first} has vectors of {size} numbers, and {where} states {value}")
    return size


def tokens_of(config: dict, sentence: dict, tokenizer: dict) -> int:
    # The positions of RoBERTa's family begin behind the padding's.
    offset = 2 if "roberta" in str(config.get("model_type", "")) or config.get("model_type") in ("camembert", "mpnet") else 0
    positions = config.get("max_position_embeddings")
    stated = [sentence.get("max_seq_length"), tokenizer.get("model_max_length"), positions - offset if isinstance(positions, int) else None]
    return max(LEAST_TOKENS, min([MOST_TOKENS, *(one for one in stated if isinstance(one, int) and one > 0)]))


def prompts_of(sentence: dict, named: str) -> tuple[str, str]:
    prompts = sentence.get("prompts")
    if isinstance(prompts, dict) and any(isinstance(one, str) and one for one in prompts.values()):
        def of(*names: str) -> str:
            return next((prompts[name] for name in names if isinstance(prompts.get(name), str)), "")

        return of("query", "retrieval_query", "search_query"), of("passage", "document", "retrieval_document", "search_document")
    return next(((query, passage) for name, query, passage in PROMPTS if re.search(name, named, re.IGNORECASE)), ("", ""))


def main(given: pathlib.Path, out: pathlib.Path) -> None:
    read = {name: read_json(given / name, called) for name, called in {
        "config.json": "config.json", "pooling.json": "1_Pooling/config.json", "modules.json": "modules.json",
        "sentence_bert_config.json": "sentence_bert_config.json", "tokenizer_config.json": "tokenizer_config.json",
        "config_sentence_transformers.json": "config_sentence_transformers.json", "tokenizer.json": "tokenizer.json",
        "source.json": "the source",
    }.items()}
    config, pooling = read["config.json"], read["pooling.json"]
    tokenizer = read_tokenizer(read["tokenizer.json"])
    graph = open_graph(given / "model.onnx")
    types = inputs_of(graph)
    output, pooled, numbers = output_of(graph, pooling_of(pooling, read["modules.json"]))
    hidden = next((config[name] for name in ("hidden_size", "dim", "d_model") if name in config), None)
    stated = [("model.onnx", numbers), ("1_Pooling/config.json", pooling.get("word_embedding_dimension")), ("config.json", hidden)]
    size = size_of(stated if pooled != "graph" or numbers is None else stated[:1])
    if isinstance(config.get("vocab_size"), int) and tokenizer.count > config["vocab_size"]:
        raise Unusable(f"tokenizer.json has {tokenizer.count} tokens, and config.json states {config['vocab_size']}: they belong to different models")
    tokens = tokens_of(config, read["sentence_bert_config.json"], read["tokenizer_config.json"])
    named = " ".join(str(one) for one in (config.get("_name_or_path", ""), read["source.json"].get("source", "")))
    query, passage = prompts_of(read["config_sentence_transformers.json"], named)
    out.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(given / "model.onnx", out / "model.onnx")
    (out / tokenizer.file).write_bytes(tokenizer.table)
    conf = {"tokenizer": tokenizer.kind, "tokens": tokens, "size": size, "pooling": pooled, "output": output, "types": int(types)}
    (out / "embed.conf").write_text("".join(f"{name} {value}\n" for name, value in conf.items()))
    facts = {"architecture": str(config.get("model_type", "encoder")), "tokenizer": tokenizer.kind, "tokens": tokens,
             "size": size, "pooling": pooled, "query": query, "passage": passage}
    (out / "facts.json").write_text(json.dumps(facts, indent=2, sort_keys=True, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    run(main, __doc__)
