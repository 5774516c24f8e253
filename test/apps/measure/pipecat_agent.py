"""A voice agent of Pipecat behind Twilio Media Streams: its serializer, its detection of speech, its interruptions.

It answers whoever has stopped speaking with eight seconds of a tone, and falls silent when it is spoken over.
"""

import asyncio
import math
import socket
import struct

from loguru import logger
from pipecat.audio.vad.silero import SileroVADAnalyzer
from pipecat.frames.frames import (
    OutputAudioRawFrame,
    VADUserStartedSpeakingFrame,
    VADUserStoppedSpeakingFrame,
)
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.worker import PipelineParams, PipelineWorker
from pipecat.processors.audio.vad_processor import VADProcessor
from pipecat.processors.frame_processor import FrameProcessor
from pipecat.serializers.twilio import TwilioFrameSerializer
from pipecat.transports.websocket.server import (
    SingleClientWebsocketServerParams,
    SingleClientWebsocketServerTransport,
)
from pipecat.workers.runner import WorkerRunner

RATE = 8000
SECONDS = 8
TONE = struct.pack(
    f"<{RATE}h", *(int(9000 * math.sin(2 * math.pi * 440 * at / RATE)) for at in range(RATE))
)


class Answers(FrameProcessor):
    async def process_frame(self, frame, direction):
        await super().process_frame(frame, direction)
        if isinstance(frame, VADUserStartedSpeakingFrame):
            await self.broadcast_interruption()
        await self.push_frame(frame, direction)
        if isinstance(frame, VADUserStoppedSpeakingFrame):
            for _ in range(SECONDS):
                await self.push_frame(OutputAudioRawFrame(TONE, RATE, 1))


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


async def main():
    logger.remove()
    port = free_port()
    serializer = TwilioFrameSerializer(
        stream_sid="MZ00000000000000000000000000000000",
        params=TwilioFrameSerializer.InputParams(auto_hang_up=False),
    )
    params = SingleClientWebsocketServerParams(
        audio_in_enabled=True, audio_out_enabled=True, serializer=serializer
    )
    transport = SingleClientWebsocketServerTransport(params, host="127.0.0.1", port=port)

    @transport.event_handler("on_websocket_ready")
    async def on_websocket_ready(_transport):
        print(f"ready ws://127.0.0.1:{port}", flush=True)

    vad = VADProcessor(vad_analyzer=SileroVADAnalyzer())
    pipeline = Pipeline([transport.input(), vad, Answers(), transport.output()])
    rates = PipelineParams(audio_in_sample_rate=RATE, audio_out_sample_rate=RATE)
    runner = WorkerRunner()
    await runner.add_workers(PipelineWorker(pipeline, params=rates))
    await runner.run()


asyncio.run(main())
