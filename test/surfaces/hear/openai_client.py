"""Uses the OpenAI client of PyPI as its documentation does: openai_client.py BASE_URL KEY FILE -> JSON lines."""

import json
import sys

import openai

base_url, key, path = sys.argv[1:]
client = openai.OpenAI(base_url=base_url, api_key=key, max_retries=0)


def show(**what):
    print(json.dumps(what))


with open(path, "rb") as file:
    show(json=client.audio.transcriptions.create(model="svc-hear", file=file, language="en").text)
with open(path, "rb") as file:
    show(text=client.audio.transcriptions.create(model="svc-hear", file=file, response_format="text"))
with open(path, "rb") as file:
    verbose = client.audio.transcriptions.create(
        model="svc-hear",
        file=file,
        response_format="verbose_json",
        timestamp_granularities=["word", "segment"],
        temperature=0,
        prompt="ignored",
    )
show(
    text=verbose.text,
    duration=verbose.duration,
    words=[[word.word, word.start, word.end] for word in verbose.words],
    segments=[segment.text for segment in verbose.segments],
)
try:
    client.audio.transcriptions.create(model="svc-hear", file=("a.wav", b"no audio"))
except openai.BadRequestError as error:
    show(status=error.status_code, code=error.code)
