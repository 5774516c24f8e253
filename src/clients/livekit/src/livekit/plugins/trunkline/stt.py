"""Recognition: live over the server's WebSocket, and of recordings."""

from __future__ import annotations

import asyncio
import json
import weakref
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

import aiohttp
from livekit import rtc
from livekit.agents import APIConnectionError, APIConnectOptions, LanguageCode, stt, utils
from livekit.agents.types import DEFAULT_API_CONNECT_OPTIONS, NOT_GIVEN, NotGivenOr
from livekit.agents.utils import AudioBuffer, is_given
from livekit.agents.voice.io import TimedString

from .log import logger
from .server import Server, check, frame_error, told_to_livekit

PATH = "/v1/audio/transcriptions"
MODEL = "svc-hear"
SAMPLE_RATE = 16_000
FRAME_MS = 50
#: The server ends a stream that neither audio nor a keepalive reaches for 30 s.
KEEPALIVE_EVERY_S = 10
READ_WITHIN_S = 300


@dataclass
class _Options:
    language: LanguageCode | None
    endpointing_ms: int | None


class STT(stt.STT):
    """Recognizes the language by ear where none is given."""

    def __init__(
        self,
        *,
        language: str | None = None,
        endpointing_ms: int | None = None,
        base_url: str | None = None,
        api_key: str | None = None,
        http_session: aiohttp.ClientSession | None = None,
    ) -> None:
        super().__init__(
            capabilities=stt.STTCapabilities(
                streaming=True, interim_results=True, aligned_transcript="word", manual_flush=True
            )
        )
        self._server = Server.of(base_url, api_key)
        self._options = _Options(LanguageCode(language) if language else None, endpointing_ms)
        self._session = http_session
        self._streams = weakref.WeakSet[SpeechStream]()

    @property
    def model(self) -> str:
        return MODEL

    @property
    def provider(self) -> str:
        return self._server.host

    def session(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = utils.http_context.http_session()
        return self._session

    def update_options(
        self,
        *,
        language: NotGivenOr[str | None] = NOT_GIVEN,
        endpointing_ms: NotGivenOr[int | None] = NOT_GIVEN,
    ) -> None:
        """Streams connect again; words of an open utterance may be lost."""
        if is_given(language):
            self._options.language = LanguageCode(language) if language else None
        if is_given(endpointing_ms):
            self._options.endpointing_ms = endpointing_ms
        for stream in self._streams:
            stream.update_options(self._options)

    def _with(self, language: NotGivenOr[str]) -> _Options:
        return replace(self._options, language=LanguageCode(language)) if is_given(language) else self._options

    async def _recognize_impl(
        self,
        buffer: AudioBuffer,
        *,
        language: NotGivenOr[str] = NOT_GIVEN,
        conn_options: APIConnectOptions,
    ) -> stt.SpeechEvent:
        options = self._with(language)
        form = aiohttp.FormData()
        wav = rtc.combine_audio_frames(buffer).to_wav_bytes()
        form.add_field("file", wav, filename="audio.wav", content_type="audio/wav")
        form.add_field("response_format", "verbose_json")
        form.add_field("timestamp_granularities", "word")
        if options.language:
            form.add_field("language", options.language.language)
        timeout = aiohttp.ClientTimeout(
            total=None, sock_connect=conn_options.timeout, sock_read=READ_WITHIN_S
        )
        async with (
            told_to_livekit(),
            self.session().post(
                self._server.base_url + PATH, data=form, headers=self._server.headers, timeout=timeout
            ) as response,
        ):
            await check(response)
            answer = await response.json()
            return stt.SpeechEvent(
                type=stt.SpeechEventType.FINAL_TRANSCRIPT,
                request_id=response.headers.get("x-request-id", ""),
                alternatives=[
                    stt.SpeechData(
                        language=options.language or LanguageCode(""),
                        text=answer["text"],
                        end_time=answer["duration"],
                        words=_words(answer.get("words", []), 0.0),
                    )
                ],
            )

    def stream(
        self,
        *,
        language: NotGivenOr[str] = NOT_GIVEN,
        conn_options: APIConnectOptions = DEFAULT_API_CONNECT_OPTIONS,
    ) -> SpeechStream:
        stream = SpeechStream(stt=self, options=self._with(language), conn_options=conn_options)
        self._streams.add(stream)
        return stream


def _words(words: list[dict[str, Any]], offset: float) -> list[TimedString]:
    return [
        TimedString(word["word"], start_time=word["start"] + offset, end_time=word["end"] + offset)
        for word in words
    ]


class SpeechStream(stt.SpeechStream):
    """`flush` commits the open utterance: its final transcript comes at once."""

    def __init__(self, *, stt: STT, options: _Options, conn_options: APIConnectOptions) -> None:
        super().__init__(stt=stt, conn_options=conn_options, sample_rate=SAMPLE_RATE)
        self._ours = stt
        self._options = options
        self._is_speaking = False
        self._has_ended = False
        self._told_seconds = 0.0
        self._reconnect = asyncio.Event()

    def update_options(self, options: _Options) -> None:
        self._options = options
        self._reconnect.set()

    def _url(self) -> str:
        wishes = {
            "encoding": "pcm16",
            "sample_rate": SAMPLE_RATE,
            "language": self._options.language.language if self._options.language else None,
            "endpointing_ms": self._options.endpointing_ms,
        }
        query = urlencode({name: value for name, value in wishes.items() if value is not None})
        return f"{self._ours._server.socket_url}{PATH}/stream?{query}"

    async def _run(self) -> None:
        while True:
            async with told_to_livekit():
                socket = await asyncio.wait_for(
                    self._ours.session().ws_connect(self._url(), headers=self._ours._server.headers),
                    self._conn_options.timeout,
                )
                try:
                    if not await self._converse(socket):
                        return
                finally:
                    await socket.close()

    async def _converse(self, socket: aiohttp.ClientWebSocketResponse) -> bool:
        """Returns whether the stream goes on over another connection."""
        self._reconnect.clear()
        self._told_seconds = 0.0
        tasks = [asyncio.create_task(work(socket)) for work in (self._receive, self._send, self._keepalive)]
        reconnect = asyncio.create_task(self._reconnect.wait())
        try:
            waiting = {*tasks, reconnect}
            while tasks[0] in waiting and reconnect in waiting:
                done, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    task.result()
            return tasks[0] in waiting
        finally:
            await utils.aio.gracefully_cancel(*tasks, reconnect)

    async def _send(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        chunks = utils.audio.AudioByteStream(SAMPLE_RATE, 1, SAMPLE_RATE * FRAME_MS // 1000)
        async for item in self._input_ch:
            is_audio = isinstance(item, rtc.AudioFrame)
            for frame in chunks.write(item.data.tobytes()) if is_audio else chunks.flush():
                await socket.send_bytes(frame.data.tobytes())
            if not is_audio:
                await self._control(socket, "commit")
        self._has_ended = True
        await self._control(socket, "close")

    async def _keepalive(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        while not self._has_ended:
            await asyncio.sleep(KEEPALIVE_EVERY_S)
            await self._control(socket, "keepalive")

    @staticmethod
    async def _control(socket: aiohttp.ClientWebSocketResponse, kind: str) -> None:
        await socket.send_str(json.dumps({"type": kind}))

    async def _receive(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        async for message in socket:
            if message.type is aiohttp.WSMsgType.TEXT:
                self._on_frame(json.loads(message.data))
            else:
                logger.warning("the Trunkline server sent a frame that is not text")
        if not (self._has_ended and socket.close_code == 1000):
            raise APIConnectionError(f"the Trunkline server closed the stream with {socket.close_code}")

    def _on_frame(self, frame: dict[str, Any]) -> None:
        kind = frame["type"]
        if kind == "error":
            raise frame_error(frame["error"])
        if kind == "partial" and frame["text"]:
            self._speech(True)
            self._tell(stt.SpeechEventType.INTERIM_TRANSCRIPT, frame)
        elif kind == "final":
            if frame["text"]:
                self._speech(True)
                self._tell(stt.SpeechEventType.FINAL_TRANSCRIPT, frame)
            self._speech(False)
        elif kind == "usage":
            self._usage(frame["audio_seconds"])

    def _speech(self, is_speaking: bool) -> None:
        if is_speaking == self._is_speaking:
            return
        self._is_speaking = is_speaking
        kind = stt.SpeechEventType.START_OF_SPEECH if is_speaking else stt.SpeechEventType.END_OF_SPEECH
        self._event_ch.send_nowait(stt.SpeechEvent(type=kind))

    def _tell(self, kind: stt.SpeechEventType, frame: dict[str, Any]) -> None:
        offset = self.start_time_offset
        data = stt.SpeechData(
            language=self._options.language or LanguageCode(""),
            text=frame["text"],
            start_time=frame["start"] + offset,
            end_time=frame["end"] + offset,
            words=_words(frame["words"], offset) if "words" in frame else None,
        )
        self._event_ch.send_nowait(
            stt.SpeechEvent(type=kind, request_id=frame["utterance_id"], alternatives=[data])
        )

    def _usage(self, seconds: float) -> None:
        """The server tells the sum of the connection; LiveKit adds up what each event tells."""
        usage = stt.RecognitionUsage(audio_duration=seconds - self._told_seconds)
        self._told_seconds = seconds
        kind = stt.SpeechEventType.RECOGNITION_USAGE
        self._event_ch.send_nowait(stt.SpeechEvent(type=kind, recognition_usage=usage))
