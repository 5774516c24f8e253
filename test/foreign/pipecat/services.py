"""Runs Pipecat's services in pipelines as its documentation does: services.py BASE_URL TLS_HOST KEY PCM SERVICE... -> JSON lines.

PCM is a recording at 16 kHz. TLS_HOST serves BASE_URL by TLS, for services that have no other scheme.
"""

import asyncio
import json
import sys
import time

import aiohttp
from loguru import logger
from pipecat.adapters.schemas.function_schema import FunctionSchema
from pipecat.adapters.schemas.tools_schema import ToolsSchema
from pipecat.frames.frames import (
    EndFrame,
    ErrorFrame,
    InputAudioRawFrame,
    InterimTranscriptionFrame,
    LLMContextFrame,
    LLMFullResponseEndFrame,
    TranscriptionFrame,
    TTSAudioRawFrame,
    TTSSpeakFrame,
    TTSStoppedFrame,
    TTSTextFrame,
    VADUserStartedSpeakingFrame,
    VADUserStoppedSpeakingFrame,
)
from pipecat.observers.base_observer import BaseObserver
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.worker import PipelineParams, PipelineWorker
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.services.deepgram.flux.stt import DeepgramFluxSTTService
from pipecat.services.deepgram.stt import DeepgramSTTService
from pipecat.services.deepgram.tts import DeepgramHttpTTSService, DeepgramTTSService
from pipecat.services.elevenlabs.stt import CommitStrategy, ElevenLabsRealtimeSTTService, ElevenLabsSTTService
from pipecat.services.elevenlabs.tts import ElevenLabsHttpTTSService, ElevenLabsTTSService
from pipecat.services.openai.realtime.events import (
    AudioConfiguration,
    AudioInput,
    InputAudioTranscription,
    SemanticTurnDetection,
    SessionProperties,
)
from pipecat.services.openai.realtime.llm import OpenAIRealtimeLLMService
from pipecat.services.openai.stt import OpenAIRealtimeSTTService, OpenAISTTService
from pipecat.services.openai.tts import OpenAITTSService
from pipecat.workers.runner import WorkerRunner

base, tls_host, key, path, *names = sys.argv[1:]
socket = base.replace("http", "ws", 1)
recording = open(path, "rb").read()
TEXT = "Hello from Pipecat. This is a test."
RACHEL = "21m00Tcm4TlvDq8ikWAM"
RATE = 16_000
FRAME = RATE // 50 * 2
WITHIN_S = 60
logger.remove()


# Pipecat's own examples set the same.
TRANSCRIBED = SessionProperties(
    audio=AudioConfiguration(
        input=AudioInput(transcription=InputAudioTranscription(), turn_detection=SemanticTurnDetection())
    )
)


def hears(service):
    return "hears", service


def speaks(service):
    return "speaks", service


def talks(service):
    return "talks", service


def converses(service):
    return "converses", service


SERVICES = {
    "OpenAISTTService": lambda http: hears(OpenAISTTService(api_key=key, base_url=f"{base}/v1")),
    "OpenAIRealtimeSTTService": lambda http: hears(
        OpenAIRealtimeSTTService(api_key=key, base_url=f"{socket}/v1/realtime")
    ),
    "OpenAIRealtimeSTTService server_vad": lambda http: hears(
        OpenAIRealtimeSTTService(
            api_key=key, base_url=f"{socket}/v1/realtime", turn_detection={"type": "server_vad"}
        )
    ),
    "OpenAITTSService": lambda http: speaks(OpenAITTSService(api_key=key, base_url=f"{base}/v1")),
    "OpenAIRealtimeLLMService": lambda http: talks(
        OpenAIRealtimeLLMService(api_key=key, base_url=f"{socket}/v1/realtime")
    ),
    "OpenAIRealtimeLLMService aloud": lambda http: converses(
        OpenAIRealtimeLLMService(
            api_key=key,
            base_url=f"{socket}/v1/realtime",
            settings=OpenAIRealtimeLLMService.Settings(session_properties=TRANSCRIBED),
        )
    ),
    "DeepgramSTTService": lambda http: hears(DeepgramSTTService(api_key=key, base_url=f"{base}/deepgram")),
    "DeepgramFluxSTTService": lambda http: hears(
        DeepgramFluxSTTService(api_key=key, url=f"{socket}/deepgram/v2/listen")
    ),
    "DeepgramTTSService": lambda http: speaks(DeepgramTTSService(api_key=key, base_url=f"{socket}/deepgram")),
    "DeepgramHttpTTSService": lambda http: speaks(
        DeepgramHttpTTSService(api_key=key, base_url=f"{base}/deepgram", aiohttp_session=http)
    ),
    "ElevenLabsSTTService": lambda http: hears(
        ElevenLabsSTTService(api_key=key, base_url=f"{base}/elevenlabs", aiohttp_session=http)
    ),
    "ElevenLabsRealtimeSTTService": lambda http: hears(
        ElevenLabsRealtimeSTTService(api_key=key, base_url=f"{tls_host}/elevenlabs")
    ),
    "ElevenLabsRealtimeSTTService vad": lambda http: hears(
        ElevenLabsRealtimeSTTService(
            api_key=key,
            base_url=f"{tls_host}/elevenlabs",
            commit_strategy=CommitStrategy.VAD,
            include_timestamps=True,
        )
    ),
    "ElevenLabsTTSService": lambda http: speaks(
        ElevenLabsTTSService(
            api_key=key,
            url=f"{socket}/elevenlabs",
            settings=ElevenLabsTTSService.Settings(voice=RACHEL),
        )
    ),
    "ElevenLabsHttpTTSService": lambda http: speaks(
        ElevenLabsHttpTTSService(
            api_key=key,
            base_url=f"{base}/elevenlabs",
            aiohttp_session=http,
            settings=ElevenLabsHttpTTSService.Settings(voice=RACHEL),
        )
    ),
}


class Watcher(BaseObserver):
    """Keeps what the service pushes downstream."""

    def __init__(self, service):
        super().__init__()
        self.service = service
        self.finals, self.interims, self.errors, self.spoken = [], 0, [], []
        self.called = []
        self.bytes = 0
        self.bytes_per_second = 48_000
        self.ids = set()
        self.over = asyncio.Event()

    async def on_push_frame(self, data):
        frame = data.frame
        if data.source is not self.service or frame.id in self.ids:
            return
        self.ids.add(frame.id)
        if isinstance(frame, ErrorFrame):
            self.errors.append(frame.error)
            self.over.set()
        elif isinstance(frame, TranscriptionFrame):
            self.finals.append(frame.text)
        elif isinstance(frame, InterimTranscriptionFrame):
            self.interims += 1
        elif isinstance(frame, TTSTextFrame):
            self.spoken.append(frame.text)
        elif isinstance(frame, TTSAudioRawFrame):
            self.bytes += len(frame.audio)
            self.bytes_per_second = frame.sample_rate * 2
        elif isinstance(frame, (TTSStoppedFrame, LLMFullResponseEndFrame)):
            self.over.set()

    def seconds(self):
        return self.bytes / self.bytes_per_second

    def told(self):
        return {
            "text": " ".join(self.finals),
            "interims": self.interims,
            "seconds": self.seconds(),
            "spoken": " ".join(self.spoken),
            "called": self.called,
            "errors": self.errors,
        }


async def speak_to(worker, watcher, seconds=0):
    """Says the recording as a microphone does, then is silent until the last words are told, and so much is answered."""
    await worker.queue_frame(VADUserStartedSpeakingFrame())
    begun = time.monotonic()
    sound = recording + bytes(-len(recording) % FRAME)
    at, stopped = 0, False
    while not watcher.errors and time.monotonic() - begun < WITHIN_S:
        if at >= len(sound) and not stopped:
            stopped = True
            await worker.queue_frame(VADUserStoppedSpeakingFrame())
        told = "concerned" in " ".join(watcher.finals).lower()
        if stopped and told and watcher.seconds() >= seconds:
            return
        frame = sound[at : at + FRAME] or bytes(FRAME)
        await worker.queue_frame(InputAudioRawFrame(audio=frame, sample_rate=RATE, num_channels=1))
        at += FRAME
        await asyncio.sleep(max(0, begun + at / (RATE * 2) - time.monotonic()))


async def speak(worker, watcher):
    await worker.queue_frame(TTSSpeakFrame(TEXT))
    await asyncio.wait_for(watcher.over.wait(), WITHIN_S)


async def talk(worker, watcher, service):
    async def look_up(params):
        watcher.called.append(dict(params.arguments))
        await params.result_callback({"ships": "Friday"})

    service.register_function("look_up_order", look_up)
    look_up_order = FunctionSchema(
        name="look_up_order",
        description="Looks an order up.",
        properties={"order": {"type": "string"}},
        required=["order"],
    )
    messages = [{"role": "user", "content": "Where is order 4711?"}]
    context = LLMContext(messages, tools=ToolsSchema(standard_tools=[look_up_order]))
    await worker.queue_frame(LLMContextFrame(context))
    begun = time.monotonic()
    # Words are told ahead of their sound.
    while not watcher.errors and ("Friday" not in " ".join(watcher.spoken) or watcher.seconds() < 1):
        if time.monotonic() - begun > WITHIN_S:
            return
        await asyncio.sleep(0.05)


async def run(name, http):
    does, service = SERVICES[name](http)
    watcher = Watcher(service)
    worker = PipelineWorker(
        Pipeline([service]),
        cancel_on_idle_timeout=False,
        enable_rtvi=False,
        observers=[watcher],
        params=PipelineParams(audio_in_sample_rate=RATE, audio_out_sample_rate=24_000),
    )
    started = asyncio.Event()

    @worker.event_handler("on_pipeline_started")
    async def _on_started(_worker, _frame):
        started.set()

    async def act():
        await asyncio.wait_for(started.wait(), WITHIN_S)
        try:
            if does == "hears":
                await speak_to(worker, watcher)
            elif does == "converses":
                await speak_to(worker, watcher, seconds=1)
            elif does == "speaks":
                await speak(worker, watcher)
            else:
                await talk(worker, watcher, service)
        except TimeoutError:
            watcher.errors.append("timed out")
        finally:
            await worker.queue_frame(EndFrame())

    runner = WorkerRunner(handle_sigint=False)
    await runner.add_workers(worker)
    await asyncio.gather(runner.run(), act())
    print(json.dumps({"service": name, **watcher.told()}), flush=True)


async def main():
    async with aiohttp.ClientSession() as http:
        for name in names or SERVICES:
            await run(name, http)


asyncio.run(main())
