"""Live recognition over the server's WebSocket."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from pipecat.frames.frames import (
    ErrorFrame,
    Frame,
    InterimTranscriptionFrame,
    TranscriptionFrame,
    VADUserStoppedSpeakingFrame,
)
from pipecat.processors.frame_processor import FrameDirection, FrameProcessorSetup
from pipecat.services.settings import STTSettings
from pipecat.services.stt_service import WebsocketSTTService
from pipecat.transcriptions.language import Language
from pipecat.utils.time import time_now_iso8601
from pipecat.utils.tracing.service_decorators import traced_stt
from pipecat.utils.types import NOT_GIVEN, NotGiven, is_given
from websockets.protocol import State

PATH = "/v1/audio/transcriptions/stream"
RATES = (8_000, 16_000, 24_000, 44_100, 48_000)
#: The server ends a stream that neither audio nor a keepalive reaches for 30 s.
KEEPALIVE_AFTER_S = 10.0
#: Seconds from the end of speech to the final transcript: pass your own measurement for your server.
TTFS_P99_S = 0.8


@dataclass
class TrunklineSTTSettings(STTSettings):
    """`endpointing_ms` is the silence that ends an utterance, 100 to 3000; the server's default without it."""

    endpointing_ms: int | None | NotGiven = field(default_factory=lambda: NOT_GIVEN)


class TrunklineSTTService(WebsocketSTTService):
    """Transcribes live, with interim words, and commits an utterance when the pipeline's VAD hears its end."""

    Settings = TrunklineSTTSettings
    _settings: TrunklineSTTSettings

    def __init__(
        self,
        *,
        base_url: str,
        api_key: str,
        sample_rate: int | None = None,
        settings: TrunklineSTTSettings | None = None,
        ttfs_p99_latency: float | None = TTFS_P99_S,
        **kwargs: Any,
    ) -> None:
        chosen = TrunklineSTTSettings(model="svc-hear", language=None, endpointing_ms=None)
        if settings is not None:
            chosen.apply_update(settings)
        super().__init__(
            sample_rate=sample_rate,
            settings=chosen,
            ttfs_p99_latency=ttfs_p99_latency,
            keepalive_timeout=KEEPALIVE_AFTER_S,
            **kwargs,
        )
        self._base_url = base_url.rstrip("/")
        self._api_key = api_key
        self._receive_task: Any = None

    def can_generate_metrics(self) -> bool:
        return True

    def language_to_service_language(self, language: Language) -> str:
        return language.value.split("-")[0]

    async def setup(self, setup: FrameProcessorSetup) -> None:
        await super().setup(setup)
        if self.sample_rate not in RATES:
            raise ValueError(f"sample_rate is one of {', '.join(map(str, RATES))}, not {self.sample_rate}")
        await self._connect()

    async def _update_settings(self, delta: STTSettings) -> dict[str, Any]:
        changed = await super()._update_settings(delta)
        if changed.keys() & {"language", "endpointing_ms"}:
            await self._request_reconnect()
        return changed

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        await super().process_frame(frame, direction)
        if isinstance(frame, VADUserStoppedSpeakingFrame) and self._is_keepalive_ready():
            self.request_finalize()
            await self._send_control("commit")

    async def run_stt(self, audio: bytes) -> AsyncGenerator[Frame | None, None]:
        # Audio of a time without a connection is lost; the receive task connects again.
        if self._is_keepalive_ready():
            try:
                await self._websocket.send(audio)
            except Exception as error:
                yield ErrorFrame(f"Trunkline did not take audio: {error}")
        yield None

    async def _send_control(self, kind: str) -> None:
        try:
            await self._websocket.send(json.dumps({"type": kind}))
        except Exception as error:
            await self.push_error(f"Trunkline did not take {kind}: {error}", exception=error)

    async def _send_keepalive(self, silence: bytes) -> None:
        await self._send_control("keepalive")

    def _url(self) -> str:
        wishes = {
            "encoding": "pcm16",
            "sample_rate": self.sample_rate,
            "language": self._settings.language,
            "endpointing_ms": self._settings.endpointing_ms,
        }
        query = urlencode({name: value for name, value in wishes.items() if is_given(value) and value is not None})
        return f"ws{self._base_url.removeprefix('http')}{PATH}?{query}"

    async def _connect(self) -> None:
        await self._connect_websocket()
        await super()._connect()
        if not self._receive_task:
            self._receive_task = self.create_task(self._receive_task_handler(self._report_error))

    async def _disconnect(self) -> None:
        await super()._disconnect()
        if self._receive_task:
            await self.cancel_task(self._receive_task)
            self._receive_task = None
        await self._disconnect_websocket()

    async def _connect_websocket(self) -> None:
        if self._websocket and self._websocket.state is State.OPEN:
            return
        try:
            headers = {"authorization": f"Bearer {self._api_key}"}
            self._websocket = await self._websocket_connect(self._url(), additional_headers=headers)
            await self._call_event_handler("on_connected")
        except Exception as error:
            self._websocket = None
            await self.push_error(f"Trunkline cannot be reached: {error}", exception=error)

    async def _disconnect_websocket(self) -> None:
        try:
            if self._websocket:
                await self._websocket.close()
        except Exception as error:
            await self.push_error(f"Trunkline's socket did not close: {error}", exception=error)
        finally:
            self._websocket = None
            await self._call_event_handler("on_disconnected")

    async def _receive_messages(self) -> None:
        if self._websocket is None:
            raise ConnectionError("Trunkline is not connected")
        async for message in self._websocket:
            await self._on_frame(json.loads(message))

    async def _on_frame(self, frame: dict[str, Any]) -> None:
        kind = frame["type"]
        if kind == "error":
            error = frame["error"]
            await self.push_error(f"Trunkline: {error['code']}: {error['message']}")
        elif kind == "partial" and frame["text"]:
            await self.push_frame(
                InterimTranscriptionFrame(
                    frame["text"], self._user_id, time_now_iso8601(), self._language(), result=frame
                )
            )
        elif kind == "final" and frame["text"]:
            await self._on_final(frame)

    async def _on_final(self, frame: dict[str, Any]) -> None:
        if frame["endpoint_reason"] == "commit":
            self.confirm_finalize()
        await self._handle_transcription(frame["text"], True, self._language())
        await self.emit_stt_usage_metrics()
        await self.push_frame(
            TranscriptionFrame(
                frame["text"], self._user_id, time_now_iso8601(), self._language(), result=frame
            )
        )

    def _language(self) -> Language | None:
        language = self._settings.language
        return Language(language) if is_given(language) and language else None

    @traced_stt
    async def _handle_transcription(
        self, transcript: str, is_final: bool, language: Language | None = None
    ) -> None:
        """Is what tracing records."""
