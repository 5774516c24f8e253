"""Speech that is passed on as it is made."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from typing import Any

import aiohttp
from pipecat.frames.frames import CancelFrame, EndFrame, ErrorFrame, Frame
from pipecat.processors.frame_processor import FrameProcessorSetup
from pipecat.services.settings import TTSSettings
from pipecat.services.tts_service import TTSService
from pipecat.utils.tracing.service_decorators import traced_tts
from pipecat.utils.types import NOT_GIVEN, NotGiven, is_given

PATH = "/v1/audio/speech"
NATIVE_RATE = 24_000
#: The server speaks these rates beside its own; audio for any other is resampled by Pipecat.
OTHER_RATES = (8_000, 16_000)
TIMEOUT = aiohttp.ClientTimeout(total=None, sock_connect=10, sock_read=60)


@dataclass
class TrunklineTTSSettings(TTSSettings):
    """`emotion` is one of the voice's `emotions` in the catalogue; `speed` is 1 for the voice's own."""

    emotion: str | None | NotGiven = field(default_factory=lambda: NOT_GIVEN)
    speed: float | None | NotGiven = field(default_factory=lambda: NOT_GIVEN)


class TrunklineTTSService(TTSService):
    """Speaks by the server's voices: the account's default where the settings name none."""

    Settings = TrunklineTTSSettings
    _settings: TrunklineTTSSettings

    def __init__(
        self,
        *,
        base_url: str,
        api_key: str,
        aiohttp_session: aiohttp.ClientSession | None = None,
        sample_rate: int | None = None,
        settings: TrunklineTTSSettings | None = None,
        **kwargs: Any,
    ) -> None:
        chosen = TrunklineTTSSettings(model="svc-speak", voice=None, language=None, emotion=None, speed=None)
        if settings is not None:
            chosen.apply_update(settings)
        super().__init__(
            sample_rate=sample_rate,
            push_start_frame=True,
            push_stop_frames=True,
            settings=chosen,
            **kwargs,
        )
        self._base_url = base_url.rstrip("/")
        self._api_key = api_key
        self._session = aiohttp_session
        self._owns_session = aiohttp_session is None

    def can_generate_metrics(self) -> bool:
        return True

    async def setup(self, setup: FrameProcessorSetup) -> None:
        await super().setup(setup)
        if self._session is None:
            self._session = aiohttp.ClientSession()

    async def stop(self, frame: EndFrame) -> None:
        await super().stop(frame)
        await self._close()

    async def cancel(self, frame: CancelFrame) -> None:
        await super().cancel(frame)
        await self._close()

    async def cleanup(self) -> None:
        await super().cleanup()
        await self._close()

    async def _close(self) -> None:
        if self._owns_session and self._session is not None:
            await self._session.close()
            self._session = None

    def _request(self, text: str, rate: int) -> dict[str, Any]:
        wishes = {
            "input": text,
            "voice": self._settings.voice,
            "emotion": self._settings.emotion,
            "speed": self._settings.speed,
            "response_format": "pcm",
            "sample_rate": rate if rate != NATIVE_RATE else None,
        }
        return {name: value for name, value in wishes.items() if is_given(value) and value is not None}

    @traced_tts
    async def run_tts(self, text: str, context_id: str) -> AsyncGenerator[Frame | None, None]:
        if self._session is None:
            yield ErrorFrame("Trunkline's speech service has stopped")
            return
        rate = self.sample_rate if self.sample_rate in OTHER_RATES else NATIVE_RATE
        try:
            async with self._session.post(
                self._base_url + PATH,
                json=self._request(text, rate),
                headers={"authorization": f"Bearer {self._api_key}"},
                timeout=TIMEOUT,
            ) as response:
                if response.status != 200:
                    yield ErrorFrame(f"Trunkline answered {response.status}: {await response.text()}")
                    return
                await self.start_tts_usage_metrics(text)
                async for frame in self._stream_audio_frames_from_iterator(
                    response.content.iter_any(), in_sample_rate=rate, context_id=context_id
                ):
                    await self.stop_ttfb_metrics()
                    yield frame
        except (aiohttp.ClientError, TimeoutError) as error:
            yield ErrorFrame(f"Trunkline's speech broke off: {error!r}", exception=error)
        finally:
            await self.stop_ttfb_metrics()
