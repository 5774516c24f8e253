"""Calls by WebRTC with aiortc and OpenAI's client of PyPI: webrtc_client.py BASE_URL KEY PCM -> a JSON line."""

import array
import asyncio
import fractions
import json
import sys
import time

import av
from aiortc import MediaStreamTrack, RTCPeerConnection, RTCSessionDescription
from aiortc.mediastreams import MediaStreamError
from openai import AsyncOpenAI
from openai.types.realtime import RealtimeServerEvent
from pydantic import TypeAdapter, ValidationError

base_url, key, path = sys.argv[1:]
client = AsyncOpenAI(base_url=base_url, api_key=key, max_retries=0)
events_of_theirs = TypeAdapter(RealtimeServerEvent)
RATE, SAMPLES = 24_000, 480
SESSION = {
    "type": "realtime",
    "model": "gpt-realtime",
    "instructions": "You run a shop.",
    "audio": {"input": {"transcription": {"model": "whisper-1"}}},
}


class Microphone(MediaStreamTrack):
    """Is silent until it is given something to say."""

    kind = "audio"

    def __init__(self):
        super().__init__()
        self.pcm, self.at, self.begun = b"", 0, time.monotonic()

    async def recv(self):
        await asyncio.sleep(max(0, self.begun + self.at / RATE - time.monotonic()))
        frame = av.AudioFrame(format="s16", layout="mono", samples=SAMPLES)
        frame.planes[0].update(self.pcm[: 2 * SAMPLES].ljust(2 * SAMPLES, b"\0"))
        self.pcm = self.pcm[2 * SAMPLES :]
        frame.sample_rate, frame.pts, frame.time_base = RATE, self.at, fractions.Fraction(1, RATE)
        self.at += SAMPLES
        return frame


class Call:
    async def begin(self):
        self.reported, self.strangers, self.loud, self.changed = [], [], 0, asyncio.Event()
        self.closed = asyncio.Event()
        self.microphone = Microphone()
        self.connection = RTCPeerConnection()
        self.connection.addTrack(self.microphone)
        self.connection.on("track", lambda track: asyncio.ensure_future(self.listen(track)))
        self.channel = self.connection.createDataChannel("oai-events")
        self.channel.on("message", self.take)
        self.channel.on("close", self.closed.set)
        await self.connection.setLocalDescription(await self.connection.createOffer())
        sdp = self.connection.localDescription.sdp
        raw = await client.realtime.calls.with_raw_response.create(sdp=sdp, session=SESSION)
        self.status, self.location = raw.http_response.status_code, raw.headers["location"]
        answer = RTCSessionDescription(sdp=raw.text, type="answer")
        await self.connection.setRemoteDescription(answer)

    def take(self, message):
        event = json.loads(message)
        self.reported.append(event if isinstance(message, str) else {"type": "binary"})
        try:
            events_of_theirs.validate_python(event)
        except ValidationError as error:
            self.strangers.append([event["type"], str(error)[:500]])
        self.changed.set()

    async def listen(self, track):
        try:
            while True:
                frame = await track.recv()
                self.loud += int(max(array.array("h", bytes(frame.planes[0]))) > 500)
        except MediaStreamError:
            self.closed.set()

    def send(self, **event):
        self.channel.send(json.dumps(event))

    async def until(self, wanted, since=0):
        while True:
            for event in self.reported[since:]:
                if event["type"] == wanted:
                    return event
            self.changed.clear()
            await self.changed.wait()


async def main():
    call = Call()
    await call.begin()
    created = await call.until("session.created")
    content = [{"type": "input_text", "text": "When are you open?"}]
    call.send(type="conversation.item.create", item={"type": "message", "role": "user", "content": content})
    call.send(type="response.create")
    await call.until("output_audio_buffer.started")
    answered = await call.until("response.done")
    await call.until("output_audio_buffer.stopped")
    loud, since = call.loud, len(call.reported)
    call.send(type="input_audio_buffer.append", audio="AAAA")
    refused = await call.until("error", since)
    with open(path, "rb") as file:
        call.microphone.pcm = file.read()
    heard = await call.until("conversation.item.input_audio_transcription.completed", since)
    await call.until("output_audio_buffer.started", since)
    call.send(type="output_audio_buffer.clear")
    await call.until("output_audio_buffer.cleared", since)
    call_id = call.location.rsplit("/", 1)[1]
    await client.realtime.calls.hangup(call_id)
    await call.closed.wait()
    await call.connection.close()
    report = {
        "status": call.status,
        "location": call.location,
        "instructions": created["session"]["instructions"],
        "answer": answered["response"]["output"][0]["content"][0]["transcript"],
        "loud": loud,
        "refused": refused["error"]["code"],
        "transcript": heard["transcript"],
        "deltas": sum(event["type"] == "response.output_audio.delta" for event in call.reported),
        "strangers": call.strangers,
    }
    print(json.dumps(report))


asyncio.run(asyncio.wait_for(main(), 120))
