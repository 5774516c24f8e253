"""Is each carrier in turn: streams.py BASE_URL KEY AGENT ULAW CARRIER -> a JSON line.

ULAW is what the caller says, at 8 kHz. Pipecat's serializers, and Plivo's own SDK, say which messages the carrier has:
what is sent is read by them, and what comes has the shape of what they write.
"""

import asyncio
import base64
import json
import sys

from loguru import logger
from pipecat.frames.frames import InputAudioRawFrame, InputDTMFFrame, InterruptionFrame, OutputAudioRawFrame
from pipecat.runner.utils import _detect_transport_type_from_message as carrier_of
from pipecat.serializers.exotel import ExotelFrameSerializer
from pipecat.serializers.plivo import PlivoFrameSerializer
from pipecat.serializers.telnyx import TelnyxFrameSerializer
from pipecat.serializers.vonage import VonageFrameSerializer
from plivo_stream import types as plivo
from websockets.asyncio.client import connect

logger.remove()
base, key, agent, path, name = sys.argv[1:]
RATE = 8_000
FRAME = RATE // 50
NUMBERS = {"from": "+14155550177", "to": "+14155550100"}
GIVEN = {"agent_id": agent, "api_key": key}


def linear(ulaw):
    """Decodes G.711 u-law."""
    decoded = bytearray()
    for byte in ulaw:
        flipped = ~byte & 0xFF
        magnitude = (((flipped & 0x0F) << 3) + 0x84 << (flipped >> 4 & 7)) - 0x84
        decoded += (-magnitude if flipped & 0x80 else magnitude).to_bytes(2, "little", signed=True)
    return bytes(decoded)


class Telnyx:
    serializer = TelnyxFrameSerializer(
        "S1", "PCMU", "PCMU", params=TelnyxFrameSerializer.InputParams(sample_rate=RATE, auto_hang_up=False)
    )
    mark = {"event": "mark", "mark": {"name": ""}}

    def start(self):
        media = {"encoding": "PCMU", "sample_rate": RATE, "channels": 1}
        start = {"user_id": "u", "call_control_id": "v3:c", "client_state": "", "media_format": media, **NUMBERS}
        yield {"event": "connected", "version": "1.0.0"}
        yield {"event": "start", "sequence_number": "1", "stream_id": "S1", "start": start | {"custom_parameters": GIVEN}}

    def media(self, number, ulaw):
        said = {"track": "inbound", "chunk": str(number), "timestamp": str(number * 20)}
        said["payload"] = base64.b64encode(ulaw).decode()
        return {"event": "media", "sequence_number": str(number + 1), "stream_id": "S1", "media": said}

    def key(self):
        return {"event": "dtmf", "sequence_number": "9", "stream_id": "S1", "dtmf": {"digit": "7"}}

    def sound(self, message):
        return base64.b64decode(message["media"]["payload"]) if message["event"] == "media" else None


class Plivo:
    serializer = PlivoFrameSerializer(
        "S1", params=PlivoFrameSerializer.InputParams(sample_rate=RATE, auto_hang_up=False)
    )
    mark = {"event": "checkpoint", "streamId": "S1", "name": ""}

    def start(self):
        media = {"encoding": "audio/x-mulaw", "sampleRate": RATE}
        start = {"callId": "C1", "streamId": "S1", "accountId": "A1", "tracks": ["inbound"], "mediaFormat": media}
        yield self.theirs(plivo.StartEvent, {"event": "start", "sequenceNumber": 0, "start": start, "extra_headers": json.dumps(GIVEN)})

    def media(self, number, ulaw):
        said = {"track": "inbound", "timestamp": str(number * 20), "chunk": number, "payload": base64.b64encode(ulaw).decode()}
        message = {"event": "media", "sequenceNumber": number, "streamId": "S1", "media": said}
        return self.theirs(plivo.MediaEvent, message | {"extra_headers": json.dumps(GIVEN)})

    def key(self):
        pressed = {"track": "inbound", "digit": "7", "timestamp": "180"}
        return self.theirs(plivo.DtmfEvent, {"event": "dtmf", "sequenceNumber": 9, "streamId": "S1", "dtmf": pressed})

    def sound(self, message):
        kinds = {"playAudio": plivo.PlayAudioEvent, "checkpoint": plivo.CheckpointEvent, "clearAudio": plivo.ClearAudioEvent}
        self.theirs(kinds[message["event"]], message)
        return base64.b64decode(message["media"]["payload"]) if message["event"] == "playAudio" else None

    @staticmethod
    def theirs(kind, message):
        kind.model_validate(message)
        return message


class Exotel:
    serializer = ExotelFrameSerializer("S1", params=ExotelFrameSerializer.InputParams(sample_rate=RATE))
    mark = {"event": "mark", "stream_sid": "S1", "mark": {"name": ""}}

    def start(self):
        media = {"encoding": "base64", "sample_rate": str(RATE), "bit_rate": "128kbps"}
        start = {"stream_sid": "S1", "call_sid": "C1", "account_sid": "A1", "media_format": media, **NUMBERS}
        yield {"event": "connected"}
        yield {"event": "start", "sequence_number": 1, "stream_sid": "S1", "start": start | {"custom_parameters": GIVEN}}

    def media(self, number, ulaw):
        said = {"chunk": number, "timestamp": str(number * 20), "payload": base64.b64encode(linear(ulaw)).decode()}
        return {"event": "media", "sequence_number": number + 1, "stream_sid": "S1", "media": said}

    def key(self):
        return {"event": "dtmf", "sequence_number": 9, "stream_sid": "S1", "dtmf": {"duration": "100", "digit": "7"}}

    def sound(self, message):
        return base64.b64decode(message["media"]["payload"]) if message["event"] == "media" else None


class Vonage:
    serializer = VonageFrameSerializer(VonageFrameSerializer.InputParams(sample_rate=RATE, vonage_sample_rate=RATE))
    mark = {"action": "notify", "payload": {"name": ""}}

    def start(self):
        yield {"event": "websocket:connected", "content-type": "audio/l16;rate=8000", **GIVEN}

    def media(self, number, ulaw):
        return linear(ulaw)

    def key(self):
        return {"event": "websocket:dtmf", "digit": "7", "duration": 260}

    def sound(self, message):
        return message if isinstance(message, bytes) else None


def shape(message):
    if isinstance(message, dict):
        return {name: value if name in ("event", "action") else shape(value) for name, value in sorted(message.items())}
    return type(message).__name__


def read(data):
    return data if isinstance(data, bytes) else json.loads(data)


async def written(serializer, frame):
    return read(await serializer.serialize(frame))


async def main():
    carrier = {"telnyx": Telnyx, "plivo": Plivo, "exotel": Exotel, "vonage": Vonage}[name]()
    serializer = carrier.serializer
    await serializer.setup(None)
    silence = OutputAudioRawFrame(audio=bytes(FRAME * 2), sample_rate=RATE, num_channels=1)
    sound, clear = await written(serializer, silence), await written(serializer, InterruptionFrame())
    known = [shape(message) for message in (sound, clear, carrier.mark)]
    ulaw = open(path, "rb").read()
    unknown, counts, unread = [], {"sound": 0, "clear": 0, "mark": 0}, []
    spoken, cleared = asyncio.Event(), asyncio.Event()

    async def listen(connection):
        async for data in connection:
            message = read(data)
            if shape(message) not in known:
                unknown.append(shape(message))
            else:
                counts[list(counts)[known.index(shape(message))]] += 1
            heard = carrier.sound(message)
            if heard and len(set(heard)) > 8:
                spoken.set()
            if shape(message) == shape(clear):
                cleared.set()

    async def send(connection, message):
        text = message if isinstance(message, bytes) else json.dumps(message)
        await connection.send(text)
        return await serializer.deserialize(text)

    async with connect(f"{base.replace('http', 'ws', 1)}/v1/telephony/streams/{name}") as connection:
        listening = asyncio.create_task(listen(connection))
        for message in carrier.start():
            await send(connection, message)
        if name != "vonage" and carrier_of(message) != name:
            unread.append(message)
        for number in range(1, 3000):
            at = (number - 1) * FRAME % len(ulaw) if spoken.is_set() else 0
            frame = ulaw[at : at + FRAME] if spoken.is_set() else b"\xff" * FRAME
            if not isinstance(await send(connection, carrier.media(number, frame)), InputAudioRawFrame):
                unread.append("media")
            if number == 9 and not isinstance(await send(connection, carrier.key()), InputDTMFFrame):
                unread.append("key")
            if cleared.is_set() or listening.done():
                break
            await asyncio.sleep(0.02)
        code = connection.close_code
        listening.cancel()
    print(json.dumps({"unknown": unknown, "unread": unread, "closed": code, **counts}))


asyncio.run(asyncio.wait_for(main(), 90))
