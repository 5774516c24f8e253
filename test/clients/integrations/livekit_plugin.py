"""Runs our LiveKit plugin as its agents do: livekit_plugin.py BASE_URL KEY PCM -> a JSON line. PCM is a recording at 16 kHz."""

import asyncio
import json
import logging
import os
import sys
import time

from livekit import rtc
from livekit.agents import Agent, AgentSession, APIConnectOptions, APIStatusError, function_tool, stt, utils
from livekit.plugins import trunkline

base, key, path = sys.argv[1:]
os.environ.update(TRUNKLINE_URL=base, TRUNKLINE_KEY=key)
recording = open(path, "rb").read()
TEXT = "Hello from LiveKit. This is a test."
RATE = 16_000
FRAME = RATE // 50 * 2
WITHIN_S = 60
logging.basicConfig(level=logging.ERROR)


def frames(sound):
    for at in range(0, len(sound), FRAME):
        data = sound[at : at + FRAME].ljust(FRAME, b"\0")
        yield rtc.AudioFrame(data=data, sample_rate=RATE, num_channels=1, samples_per_channel=FRAME // 2)


async def hears(language, endpointing_ms):
    """Whoever speaks is silent afterwards; a flush ends the utterance before the server hears its end."""
    stream = trunkline.STT(language=language, endpointing_ms=endpointing_ms).stream()
    events = []

    async def listen():
        async for event in stream:
            events.append(event)

    listening = asyncio.create_task(listen())
    begun = time.monotonic()
    for sent, frame in enumerate(frames(recording + bytes(RATE))):
        stream.push_frame(frame)
        await asyncio.sleep(max(0, begun + sent * 0.02 - time.monotonic()))
    stream.flush()
    stream.end_input()
    await asyncio.wait_for(listening, WITHIN_S)
    await stream.aclose()
    finals = [event for event in events if event.type is stt.SpeechEventType.FINAL_TRANSCRIPT]
    words = [word for final in finals for word in final.alternatives[0].words]
    return {
        "text": " ".join(final.alternatives[0].text for final in finals),
        "kinds": [event.type.value for event in events],
        "languages": sorted({final.alternatives[0].language for final in finals}),
        "words": [[str(word), word.start_time, word.end_time] for word in words],
        "usage": sum(event.recognition_usage.audio_duration for event in events if event.recognition_usage),
    }


async def recognizes():
    event = await trunkline.STT().recognize(list(frames(recording)), language="en")
    data = event.alternatives[0]
    return {"text": data.text, "language": data.language, "words": len(data.words), "end": data.end_time}


async def speaks():
    tts = trunkline.TTS()
    usual = [event.frame async for event in tts.synthesize(TEXT)]
    tts.update_options(speed=0.7)
    slow = [event.frame async for event in tts.synthesize(TEXT)]
    return {
        "rates": sorted({frame.sample_rate for frame in usual}),
        "seconds": sum(frame.duration for frame in usual),
        "slow": sum(frame.duration for frame in slow),
    }


async def refused():
    told = {}
    once = APIConnectOptions(max_retry=0)
    try:
        await trunkline.TTS(api_key="svc_live_wrong").synthesize(TEXT, conn_options=once).collect()
    except APIStatusError as error:
        told["tts"] = error.status_code
    stream = trunkline.STT(api_key="svc_live_wrong").stream(conn_options=once)
    try:
        async for _event in stream:
            pass
    except APIStatusError as error:
        told["stt"] = error.status_code
    try:
        await trunkline.STT(language="xx").recognize(list(frames(recording)), conn_options=once)
    except APIStatusError as error:
        told["language"] = [error.status_code, error.body["error"]["code"], bool(error.request_id)]
    return told


class Shop(Agent):
    def __init__(self):
        super().__init__(instructions="You run a shop.")
        self.called = []

    @function_tool()
    async def look_up_order(self, order: str) -> str:
        """Looks an order up.

        Args:
            order: Its number.
        """
        self.called.append({"order": order})
        return '{"ships": "Friday"}'


async def talks():
    agent = Shop()
    model = trunkline.realtime.RealtimeModel()
    async with AgentSession(llm=model) as session:
        await session.start(agent)
        asked = await asyncio.wait_for(session.run(user_input="Where is order 4711?"), WITHIN_S)
        said = [
            event.item.text_content
            for event in asked.events
            if event.type == "message" and event.item.role == "assistant"
        ]
        return {"called": agent.called, "said": " ".join(said), "provider": model.provider}


async def main():
    async with utils.http_context.open():
        told = {
            "hears": await hears("en-US", 3000),
            "hears_any": await hears(None, None),
            "recognizes": await recognizes(),
            "speaks": await speaks(),
            "refused": await refused(),
            "talks": await talks(),
        }
        print(json.dumps(told), flush=True)


asyncio.run(main())
