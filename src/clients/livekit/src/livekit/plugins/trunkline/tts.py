"""Speech that is passed on as it is made."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import aiohttp
from livekit.agents import APIConnectOptions, tts, utils
from livekit.agents.types import DEFAULT_API_CONNECT_OPTIONS, NOT_GIVEN, NotGivenOr
from livekit.agents.utils import is_given

from .server import Server, check, told_to_livekit

PATH = "/v1/audio/speech"
MODEL = "svc-speak"
SAMPLE_RATE = 24_000
READ_WITHIN_S = 60


@dataclass
class _Options:
    voice: str | None
    emotion: str | None
    speed: float | None


class TTS(tts.TTS):
    """Speaks by the server's voices: the account's default where none is named."""

    def __init__(
        self,
        *,
        voice: str | None = None,
        emotion: str | None = None,
        speed: float | None = None,
        base_url: str | None = None,
        api_key: str | None = None,
        http_session: aiohttp.ClientSession | None = None,
    ) -> None:
        super().__init__(
            capabilities=tts.TTSCapabilities(streaming=False), sample_rate=SAMPLE_RATE, num_channels=1
        )
        self._server = Server.of(base_url, api_key)
        self._options = _Options(voice, emotion, speed)
        self._session = http_session

    @property
    def model(self) -> str:
        return MODEL

    @property
    def provider(self) -> str:
        return self._server.host

    def update_options(
        self,
        *,
        voice: NotGivenOr[str | None] = NOT_GIVEN,
        emotion: NotGivenOr[str | None] = NOT_GIVEN,
        speed: NotGivenOr[float | None] = NOT_GIVEN,
    ) -> None:
        """Counts from the next sentence on."""
        if is_given(voice):
            self._options.voice = voice
        if is_given(emotion):
            self._options.emotion = emotion
        if is_given(speed):
            self._options.speed = speed

    def synthesize(
        self, text: str, *, conn_options: APIConnectOptions = DEFAULT_API_CONNECT_OPTIONS
    ) -> ChunkedStream:
        return ChunkedStream(tts=self, input_text=text, conn_options=conn_options)

    def session(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = utils.http_context.http_session()
        return self._session


class ChunkedStream(tts.ChunkedStream):
    def __init__(self, *, tts: TTS, input_text: str, conn_options: APIConnectOptions) -> None:
        super().__init__(tts=tts, input_text=input_text, conn_options=conn_options)
        self._ours = tts
        self._options = replace(tts._options)

    def _request(self) -> dict[str, Any]:
        wishes = {
            "input": self._input_text,
            "voice": self._options.voice,
            "emotion": self._options.emotion,
            "speed": self._options.speed,
            "response_format": "pcm",
        }
        return {name: value for name, value in wishes.items() if value is not None}

    async def _run(self, output_emitter: tts.AudioEmitter) -> None:
        server = self._ours._server
        timeout = aiohttp.ClientTimeout(
            total=None, sock_connect=self._conn_options.timeout, sock_read=READ_WITHIN_S
        )
        async with (
            told_to_livekit(),
            self._ours.session().post(
                server.base_url + PATH, json=self._request(), headers=server.headers, timeout=timeout
            ) as response,
        ):
            await check(response)
            output_emitter.initialize(
                request_id=response.headers.get("x-request-id", utils.shortuuid()),
                sample_rate=SAMPLE_RATE,
                num_channels=1,
                mime_type="audio/pcm",
            )
            async for chunk in response.content.iter_any():
                output_emitter.push(chunk)
            output_emitter.flush()
