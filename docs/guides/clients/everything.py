"""The same in Python: python everything.py RECORDING. Sync first, then asyncio."""

import asyncio
import os
import sys
import wave

from trunkline_client import AsyncTrunkline, Event, Transcript, Trunkline, TrunklineError, pages
from trunkline_client.rest.api.catalogue import get_v1_voices
from trunkline_client.rest.api.hear import get_v1_transcription_jobs

URL, KEY, RECORDING = os.environ["TRUNKLINE_URL"], os.environ["TRUNKLINE_KEY"], sys.argv[1]


def in_turn() -> None:
    with Trunkline(URL, KEY) as trunkline:
        with open(RECORDING, "rb") as file:
            print("text:", trunkline.hear.transcribe(file.read(), "recording.wav", language="en").text)
        spoken = trunkline.speak.bytes({"input": "Hello there.", "voice": "en1"})
        print("spoken:", len(spoken))
        voices = get_v1_voices.sync(client=trunkline.rest)
        print("voices:", len(voices.data))
        listed = pages(lambda cursor: get_v1_transcription_jobs.sync(client=trunkline.rest, cursor=cursor))
        print("jobs:", len(list(listed)))
        try:
            trunkline.speak.bytes({"input": "Hello.", "voice": "nobody"})
        except TrunklineError as error:
            print("refused:", error.code, error.status)


async def captions(trunkline: AsyncTrunkline) -> None:
    with wave.open(RECORDING) as wav:
        rate, pcm = wav.getframerate(), wav.readframes(wav.getnframes())
    async with await trunkline.hear.stream(language="en", sample_rate=rate) as stream:

        async def send() -> None:
            for at in range(0, len(pcm), rate // 5):
                await stream.send(pcm[at : at + rate // 5])
                await asyncio.sleep(0.02)
            await stream.finish()

        sending = asyncio.create_task(send())
        print("live:", await stream.text())
        await sending


async def call(trunkline: AsyncTrunkline) -> None:
    async with await trunkline.omni.connect({"language": "en", "greeting": "Hello there."}) as session:
        async for told in session:
            if isinstance(told, Transcript) and told.final and told.role == "agent":
                print("agent:", told.text)
                await session.end()
            if isinstance(told, Event) and told.name == "ended":
                print("ended:", told.data.reason)


async def at_once() -> None:
    async with AsyncTrunkline(URL, KEY) as trunkline:
        await captions(trunkline)
        await call(trunkline)


in_turn()
asyncio.run(at_once())
