"""Uses the OpenAI client of PyPI as its documentation does: openai_client.py BASE_URL KEY FILE -> a JSON line."""

import json
import sys

import openai

base_url, key, path = sys.argv[1:]
client = openai.OpenAI(base_url=base_url, api_key=key, max_retries=0)
HELLO = "Hello there. This is a test."


def transcribed(**options):
    with open(path, "rb") as file:
        return client.audio.transcriptions.create(model="whisper-1", file=file, language="en", **options)


def spoken(response_format):
    speech = client.audio.speech.create(model="tts-1", voice="alloy", input=HELLO, response_format=response_format)
    return speech.read()[:4].decode("latin1")


verbose = transcribed(
    response_format="verbose_json", timestamp_granularities=["word", "segment"], temperature=0, prompt="ignored"
)
events = list(transcribed(stream=True))
with client.audio.speech.with_streaming_response.create(
    model="gpt-4o-mini-tts", voice="nova", input=HELLO, speed=4, instructions="Whisper.", response_format="pcm"
) as response:
    streamed = sum(len(piece) for piece in response.iter_bytes())
    headers = dict(response.headers)
with client.audio.speech.with_streaming_response.create(
    model="gpt-4o-mini-tts", voice="nova", input=HELLO, stream_format="sse"
) as response:
    told = [json.loads(line.removeprefix("data: ")) for line in response.iter_lines() if line.startswith("data: ")]
refused = {}
try:
    client.audio.transcriptions.create(model="svc-hear", file=("a.wav", b"no audio"))
except openai.BadRequestError as error:
    refused = {"status": error.status_code, "code": error.code}
print(
    json.dumps(
        {
            "json": transcribed().text,
            "text": transcribed(response_format="text"),
            "srt": transcribed(response_format="srt"),
            "vtt": transcribed(response_format="vtt"),
            "verbose": {
                "text": verbose.text,
                "duration": verbose.duration,
                "words": " ".join(one.word for one in verbose.words),
                "segments": " ".join(one.text for one in verbose.segments),
            },
            "events": [event.type for event in events],
            "deltas": "".join(event.delta for event in events if event.type == "transcript.text.delta"),
            "done": events[-1].text,
            "begins": {name: spoken(name) for name in ("wav", "opus", "aac", "flac")},
            "streamed": streamed,
            "speed": headers.get("x-svc-speed"),
            "ignored": headers.get("x-svc-ignored"),
            "reported": sorted({one["type"] for one in told}),
            "models": [model.id for model in client.models.list()],
            "model": client.models.retrieve("gpt-4o-transcribe").id,
            "refused": refused,
        }
    )
)
