"""Calls operations through the generated functions: a JSON line in asks for one, a JSON line out says what type came."""

import base64
import inspect
import json
import re
import sys
import typing
from datetime import date, datetime
from importlib import import_module
from io import BytesIO

from trunkline_client import Retries, Trunkline, TrunklineError
from trunkline_client.rest.types import File, Unset

base_url = sys.argv[1]
clients = {}


def snake(name):
    apart = re.sub(r"([a-z])([A-Z])", r"\1_\2", name)
    return re.sub(r"[^a-z0-9]+", "_", apart.lower()).strip("_")


def variants(hint):
    return [one for one in typing.get_args(hint) or (hint,) if one not in (Unset, type(None))]


def built(hint, call):
    """The body, of whichever generated type takes it."""
    for model in variants(hint):
        if call.get("form") is not None and hasattr(model, "to_multipart"):
            return of_form(model, call["form"])
        if "json" in call and hasattr(model, "from_dict"):
            try:
                return model.from_dict(call["json"])
            except (KeyError, TypeError, ValueError, AttributeError):
                continue
        if call.get("bytes") is not None and model is File:
            return File(payload=BytesIO(base64.b64decode(call["bytes"])))
    return call.get("json")


def of_form(model, form):
    fields = inspect.signature(model).parameters
    values = {}
    for one in form:
        name = snake(one["name"])
        if "bytes" in one:
            payload = BytesIO(base64.b64decode(one["bytes"]))
            values[name] = File(payload=payload, file_name=one["file"], mime_type=one["type"])
        else:
            values[name] = one["value"]
    return model(**{(name if name in fields else f"{name}_"): value for name, value in values.items()})


def converted(hint, text):
    for one in variants(hint):
        if one is datetime:
            return datetime.fromisoformat(text.replace("Z", "+00:00"))
        if one is date:
            return date.fromisoformat(text)
    return text


def shown(parsed):
    said = {"type": type(parsed).__name__}
    if isinstance(parsed, bytes):
        return {**said, "bytes": len(parsed)}
    if isinstance(parsed, File):
        return {**said, "bytes": len(parsed.payload.read())}
    if hasattr(parsed, "to_dict"):
        return {**said, "json": parsed.to_dict()}
    if isinstance(parsed, list):
        return {**said, "json": [one.to_dict() if hasattr(one, "to_dict") else one for one in parsed]}
    return said


def answer(call):
    key = call["key"]
    trunkline = clients.setdefault(key, Trunkline(base_url, key, retries=Retries(most=0)))
    function = import_module(f"trunkline_client.rest.api.{snake(call['tag'])}.{snake(call['operation'])}").sync_detailed
    hints = typing.get_type_hints(function)
    rest = trunkline.rest.with_headers(call["headers"]) if call["headers"] else trunkline.rest
    if call["headers"]:
        rest.set_httpx_client(trunkline.http)
        trunkline.http.headers.update(call["headers"])
    named = {}
    for name, value in {**call["path"], **call["query"], **call["headers"]}.items():
        for known in (snake(name), f"{snake(name)}_", f"{snake(name)}_query"):
            if known in hints:
                named[known] = converted(hints[known], value)
                break
    if "body" in hints:
        named["body"] = built(hints["body"], call)
        if named["body"] is None:
            del named["body"]
            if inspect.signature(function).parameters["body"].default is inspect.Parameter.empty:
                named["body"] = File(payload=BytesIO(b"v=0"))
    if "client" in hints:
        named["client"] = rest
    try:
        return shown(function(**named).parsed)
    except TrunklineError as error:
        return {"type": "TrunklineError", "error": {"status": str(error.status), "code": error.code}}
    finally:
        if call["headers"]:
            clients.pop(key)


for line in sys.stdin:
    try:
        said = answer(json.loads(line))
    except Exception as error:  # noqa: BLE001: told to the test, which fails by it
        said = {"type": "exception", "message": repr(error)}
    print(json.dumps(said, default=str), flush=True)
