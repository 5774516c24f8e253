"""Runs openai-agents' VoicePipeline, on a recording and on a stream: voice_pipeline_client.py BASE_URL KEY PCM -> a JSON line."""

import asyncio
import json
import sys

import numpy as np
from agents.voice import (
    AudioInput,
    OpenAIVoiceModelProvider,
    StreamedAudioInput,
    STTModelSettings,
    VoicePipeline,
    VoicePipelineConfig,
    VoiceWorkflowBase,
)

base_url, key, path = sys.argv[1:]
RATE = 24_000
FRAME = RATE // 50
recording = np.fromfile(path, dtype=np.int16)
pause = np.zeros(RATE * 2, dtype=np.int16)


class Shop(VoiceWorkflowBase):
    def __init__(self):
        self.heard = []

    async def run(self, transcription):
        self.heard.append(transcription)
        yield "We are open from nine to five. "


async def run(given):
    shop = Shop()
    config = VoicePipelineConfig(
        model_provider=OpenAIVoiceModelProvider(api_key=key, base_url=base_url),
        stt_settings=STTModelSettings(language="en"),
        tracing_disabled=True,
    )
    result = await VoicePipeline(workflow=shop, config=config).run(given)
    turns, samples, errors = 0, 0, []
    async for event in result.stream():
        if event.type == "voice_stream_event_audio":
            samples += len(event.data)
        elif event.type == "voice_stream_event_error":
            errors.append(str(event.error))
        elif event.event == "turn_ended":
            turns += 1
    return {"heard": shop.heard, "turns": turns, "seconds": samples / RATE, "errors": errors}


async def main():
    # The stream ends while its second turn is still being spoken.
    streamed = StreamedAudioInput()
    said = np.concatenate([recording, pause, recording])
    for at in range(0, len(said), FRAME):
        await streamed.add_audio(said[at : at + FRAME])
    await streamed.add_audio(None)
    print(json.dumps({"recorded": await run(AudioInput(buffer=recording)), "streamed": await run(streamed)}))


asyncio.run(asyncio.wait_for(main(), 120))
