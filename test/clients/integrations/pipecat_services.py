"""Runs our Pipecat services in pipelines: pipecat_services.py BASE_URL KEY PCM -> a JSON line. PCM is a recording at 16 kHz."""

import asyncio
import json
import sys
import time

from loguru import logger
from pipecat.frames.frames import (
    EndFrame,
    ErrorFrame,
    InputAudioRawFrame,
    InterimTranscriptionFrame,
    STTUpdateSettingsFrame,
    TranscriptionFrame,
    TTSAudioRawFrame,
    TTSSpeakFrame,
    TTSStoppedFrame,
    TTSUpdateSettingsFrame,
    VADUserStartedSpeakingFrame,
    VADUserStoppedSpeakingFrame,
)
from pipecat.observers.base_observer import BaseObserver
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.worker import PipelineParams, PipelineWorker
from pipecat.transcriptions.language import Language
from pipecat.workers.runner import WorkerRunner
from pipecat_trunkline import TrunklineSTTService, TrunklineTTSService

base, key, path = sys.argv[1:]
recording = open(path, "rb").read()
TEXT = "Hello from Pipecat. This is a test."
RATE = 16_000
FRAME = RATE // 50 * 2
WITHIN_S = 60
logger.remove()


class Watcher(BaseObserver):
    """Keeps what the service pushes."""

    def __init__(self, service):
        super().__init__()
        self.service = service
        self.frames = []
        self.ids = set()
        self.changed = asyncio.Condition()

    async def on_push_frame(self, data):
        if data.source is not self.service or data.frame.id in self.ids:
            return
        self.ids.add(data.frame.id)
        async with self.changed:
            self.frames.append(data.frame)
            self.changed.notify_all()

    def of(self, kind):
        return [frame for frame in self.frames if isinstance(frame, kind)]

    async def until(self, is_true):
        async with self.changed:
            await asyncio.wait_for(self.changed.wait_for(is_true), WITHIN_S)


async def run(service, act, out_rate=24_000):
    watcher = Watcher(service)
    worker = PipelineWorker(
        Pipeline([service]),
        cancel_on_idle_timeout=False,
        enable_rtvi=False,
        observers=[watcher],
        params=PipelineParams(audio_in_sample_rate=RATE, audio_out_sample_rate=out_rate),
    )
    started = asyncio.Event()

    @worker.event_handler("on_pipeline_started")
    async def _on_started(_worker, _frame):
        started.set()

    async def acted():
        await asyncio.wait_for(started.wait(), WITHIN_S)
        try:
            await act(worker, watcher)
        finally:
            await worker.queue_frame(EndFrame())

    runner = WorkerRunner(handle_sigint=False)
    await runner.add_workers(worker)
    await asyncio.gather(runner.run(), acted())
    return watcher


async def say(worker, watcher):
    """Says the recording as a microphone does, whose end the pipeline's voice activity detection hears."""
    await worker.queue_frame(VADUserStartedSpeakingFrame())
    begun = time.monotonic()
    sound = recording + bytes(-len(recording) % FRAME)
    at, has_stopped = 0, False
    while time.monotonic() - begun < WITHIN_S:
        if at >= len(sound) and not has_stopped:
            has_stopped = True
            await worker.queue_frame(VADUserStoppedSpeakingFrame())
        if has_stopped and "concerned" in " ".join(f.text for f in watcher.of(TranscriptionFrame)).lower():
            return
        frame = sound[at : at + FRAME] or bytes(FRAME)
        await worker.queue_frame(InputAudioRawFrame(audio=frame, sample_rate=RATE, num_channels=1))
        at += FRAME
        await asyncio.sleep(max(0, begun + at / (RATE * 2) - time.monotonic()))


async def hears():
    service = TrunklineSTTService(base_url=base, api_key=key)
    connections = []
    reconnected = asyncio.Event()

    @service.event_handler("on_connected")
    async def _on_connected(_service):
        connections.append(1)
        if len(connections) == 2:
            reconnected.set()

    async def act(worker, watcher):
        delta = TrunklineSTTService.Settings(language=Language.EN_US, endpointing_ms=3000)
        await worker.queue_frame(STTUpdateSettingsFrame(delta=delta))
        await asyncio.wait_for(reconnected.wait(), WITHIN_S)
        await say(worker, watcher)

    watcher = await run(service, act)
    finals = watcher.of(TranscriptionFrame)
    return {
        "text": " ".join(frame.text for frame in finals),
        "interims": len(watcher.of(InterimTranscriptionFrame)),
        "languages": sorted({str(frame.language) for frame in finals}),
        "finalized": finals[-1].finalized if finals else None,
        "reason": finals[-1].result["endpoint_reason"] if finals else None,
        "errors": [frame.error for frame in watcher.of(ErrorFrame)],
    }


async def speaks(out_rate, settings):
    service = TrunklineTTSService(base_url=base, api_key=key)

    async def act(worker, watcher):
        if settings:
            await worker.queue_frame(TTSUpdateSettingsFrame(delta=TrunklineTTSService.Settings(**settings)))
        await worker.queue_frame(TTSSpeakFrame(TEXT))
        await watcher.until(lambda: watcher.of((TTSStoppedFrame, ErrorFrame)))

    watcher = await run(service, act, out_rate)
    audio = watcher.of(TTSAudioRawFrame)
    return {
        "rates": sorted({frame.sample_rate for frame in audio}),
        "pieces": len(audio),
        "seconds": sum(len(frame.audio) for frame in audio) / (out_rate * 2),
        "errors": [frame.error for frame in watcher.of(ErrorFrame)],
    }


async def refused():
    async def speak(worker, watcher):
        await worker.queue_frame(TTSSpeakFrame(TEXT))
        await watcher.until(lambda: watcher.of(ErrorFrame))

    async def listen(_worker, watcher):
        await watcher.until(lambda: watcher.of(ErrorFrame))

    told = []
    for kind, act in ((TrunklineTTSService, speak), (TrunklineSTTService, listen)):
        watcher = await run(kind(base_url=base, api_key="svc_live_wrong"), act)
        told.append(watcher.of(ErrorFrame)[0].error)
    return told


async def main():
    print(
        json.dumps(
            {
                "hears": await hears(),
                "speaks": {
                    rate: await speaks(rate, settings)
                    for rate, settings in ((24_000, {}), (16_000, {"speed": 1.3}), (44_100, {}))
                },
                "refused": await refused(),
            }
        )
    )


asyncio.run(main())
