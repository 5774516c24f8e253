"""Runs LiveKit's plugins as its agents do: plugins.py BASE_URL KEY PCM PLUGIN -> a JSON line. PCM is a recording at 16 kHz."""

import asyncio
import json
import logging
import sys
import time

from livekit import rtc
from livekit.agents import Agent, AgentSession, function_tool, stt, utils
from livekit.plugins import deepgram, elevenlabs, openai

base, key, path, name = sys.argv[1:]
socket = base.replace("http", "ws", 1)
recording = open(path, "rb").read()
TEXT = "Hello from LiveKit. This is a test."
RACHEL = "21m00Tcm4TlvDq8ikWAM"
RATE = 16_000
FRAME = RATE // 50 * 2
WITHIN_S = 60
logging.basicConfig(level=logging.ERROR)

HEARS = {
    "openai.STT": lambda: openai.STT(api_key=key, base_url=f"{base}/v1"),
    "openai.STT realtime": lambda: openai.STT(
        api_key=key, base_url=f"{base}/v1", model="gpt-4o-transcribe", use_realtime=True
    ),
    "deepgram.STT": lambda: deepgram.STT(api_key=key, base_url=f"{base}/deepgram/v1/listen"),
    "deepgram.STTv2": lambda: deepgram.STTv2(api_key=key, base_url=f"{socket}/deepgram/v2/listen"),
    "elevenlabs.STT": lambda: elevenlabs.STT(api_key=key, base_url=f"{base}/elevenlabs/v1"),
    "elevenlabs.STT realtime": lambda: elevenlabs.STT(
        api_key=key, base_url=f"{base}/elevenlabs/v1", model="scribe_v2_realtime", include_timestamps=True
    ),
    "elevenlabs.STT realtime vad": lambda: elevenlabs.STT(
        api_key=key, base_url=f"{base}/elevenlabs/v1", model="scribe_v2_realtime", server_vad={}
    ),
}
SPEAKS = {
    "openai.TTS": lambda: openai.TTS(api_key=key, base_url=f"{base}/v1"),
    "openai.TTS tts-1": lambda: openai.TTS(api_key=key, base_url=f"{base}/v1", model="tts-1", voice="alloy"),
    "deepgram.TTS": lambda: deepgram.TTS(api_key=key, base_url=f"{base}/deepgram/v1/speak"),
    "elevenlabs.TTS": lambda: elevenlabs.TTS(
        api_key=key, base_url=f"{base}/elevenlabs/v1", voice_id=RACHEL, model="eleven_turbo_v2_5"
    ),
}


def frames(sound):
    for at in range(0, len(sound), FRAME):
        data = sound[at : at + FRAME].ljust(FRAME, b"\0")
        yield rtc.AudioFrame(data=data, sample_rate=RATE, num_channels=1, samples_per_channel=FRAME // 2)


async def hear(plugin):
    if not plugin.capabilities.streaming:
        event = await plugin.recognize(list(frames(recording)))
        return {"text": event.alternatives[0].text}
    finals, kinds = [], []
    stream = plugin.stream()

    async def listen():
        async for event in stream:
            kinds.append(event.type.value)
            if event.type == stt.SpeechEventType.FINAL_TRANSCRIPT:
                finals.append(event.alternatives[0].text)

    listening = asyncio.create_task(listen())
    begun = time.monotonic()
    sent = 0
    # A microphone goes on after the words, in silence.
    for frame in (*frames(recording), *frames(bytes(RATE * 2 * 20))):
        if listening.done() or "concerned" in " ".join(finals).lower():
            break
        if sent == len(recording) // FRAME + 10:
            stream.flush()
        stream.push_frame(frame)
        sent += 1
        await asyncio.sleep(max(0, begun + sent * 0.02 - time.monotonic()))
    stream.end_input()
    if not listening.done():
        await asyncio.wait([listening], timeout=5)
    if listening.done():
        listening.result()
    await stream.aclose()
    return {"text": " ".join(finals), "kinds": sorted(set(kinds))}


async def speak(plugin):
    seconds = {}
    if plugin.capabilities.streaming:
        stream = plugin.stream()
        for word in TEXT.split(" "):
            stream.push_text(word + " ")
        stream.flush()
        stream.end_input()
        seconds["stream"] = sum([event.frame.duration async for event in stream])
    whole = plugin.synthesize(TEXT)
    seconds["whole"] = sum([event.frame.duration async for event in whole])
    return {"seconds": seconds}


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


async def talk():
    agent = Shop()
    model = openai.realtime.RealtimeModel(api_key=key, base_url=f"{base}/v1")
    async with AgentSession(llm=model) as session:
        await session.start(agent)
        asked = await asyncio.wait_for(session.run(user_input="Where is order 4711?"), WITHIN_S)
        said = [
            event.item.text_content
            for event in asked.events
            if event.type == "message" and event.item.role == "assistant"
        ]
        return {"called": agent.called, "said": " ".join(said)}


async def converse():
    """Says the recording to the model and hears its answer, which it interrupts after a second."""
    model = openai.realtime.RealtimeModel(api_key=key, base_url=f"{base}/v1")
    session = model.session()
    words, answers = [], asyncio.Queue()

    @session.on("input_audio_transcription_completed")
    def _heard(event):
        if event.is_final:
            words.append(event.transcript)

    session.on("generation_created", answers.put_nowait)

    async def microphone():
        begun = time.monotonic()
        for sent, frame in enumerate((*frames(recording), *frames(bytes(RATE * 2 * WITHIN_S)))):
            session.push_audio(frame)
            await asyncio.sleep(max(0, begun + sent * 0.02 - time.monotonic()))

    async def answered():
        seconds = 0
        while seconds < 1:
            answer = await answers.get()
            async for message in answer.message_stream:
                async for frame in message.audio_stream:
                    if seconds < 1 <= seconds + frame.duration:
                        session.interrupt()
                    seconds += frame.duration
        return seconds

    speaking = asyncio.create_task(microphone())
    try:
        seconds = await asyncio.wait_for(answered(), WITHIN_S)
    finally:
        speaking.cancel()
        await session.aclose()
        await model.aclose()
    return {"text": " ".join(words), "seconds": {"answer": seconds}}


async def main():
    async with utils.http_context.open():
        if name in HEARS:
            told = await hear(HEARS[name]())
        elif name in SPEAKS:
            told = await speak(SPEAKS[name]())
        elif name == "openai.realtime.RealtimeModel aloud":
            told = await converse()
        else:
            told = await talk()
        print(json.dumps(told), flush=True)


asyncio.run(main())
