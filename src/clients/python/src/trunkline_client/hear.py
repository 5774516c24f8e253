"""Recordings and live audio as text."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from io import BytesIO
from typing import Any

from .errors import frame_error
from .rest.api.hear import post_v1_audio_transcriptions
from .rest.client import AuthenticatedClient
from .rest.models import PostV1AudioTranscriptionsBody
from .rest.types import File
from .sockets import AsyncConnection, Connection, address, parsed

PATH = "/v1/audio/transcriptions/stream"


def _body(audio: bytes, name: str, wishes: dict[str, Any]) -> PostV1AudioTranscriptionsBody:
    return PostV1AudioTranscriptionsBody(file=File(payload=BytesIO(audio), file_name=name), **wishes)


def _query(language: str | None, sample_rate: int | None, endpointing_ms: int | None) -> dict[str, Any]:
    return {
        "encoding": "pcm16",
        "language": language,
        "sample_rate": sample_rate,
        "endpointing_ms": endpointing_ms,
    }


def _frame(message: bytes | str) -> Any:
    frame = json.loads(message)
    if frame["type"] == "error":
        raise frame_error(frame["error"])
    return parsed("Hear", frame["type"], frame)


def _control(kind: str) -> str:
    return json.dumps({"type": kind})


def _is_final(frame: Any) -> bool:
    return getattr(frame, "type_", None) == "final"


class Hear:
    def __init__(self, base_url: str, api_key: str, rest: AuthenticatedClient) -> None:
        self._base_url, self._api_key, self._rest = base_url, api_key, rest

    def transcribe(self, audio: bytes, name: str = "audio", **wishes: Any) -> Any:
        """A recording as text: wav, mp3, m4a, flac or ogg."""
        return post_v1_audio_transcriptions.sync(client=self._rest, body=_body(audio, name, wishes))

    def stream(
        self, *, language: str | None = None, sample_rate: int | None = None, endpointing_ms: int | None = None
    ) -> HearStream:
        """Live recognition: send PCM16, read frames."""
        url = address(self._base_url, PATH, _query(language, sample_rate, endpointing_ms))
        return HearStream(Connection(url, self._api_key))


class HearStream:
    """Frames come by iteration; store those of type `final` alone. An error frame is raised as TrunklineError."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    def send(self, pcm: bytes) -> None:
        self.connection.send(pcm)

    def commit(self) -> None:
        """Ends the open utterance now."""
        self.connection.send(_control("commit"))

    def keepalive(self) -> None:
        self.connection.send(_control("keepalive"))

    def finish(self) -> None:
        """The last final and the usage still come; then the frames end."""
        self.connection.send(_control("close"))

    def __iter__(self) -> Iterator[Any]:
        for message in self.connection:
            yield _frame(message)

    def text(self) -> str:
        """Reads to the end: the text of every final, in order."""
        return " ".join(frame.text for frame in self if _is_final(frame) and frame.text)

    def __enter__(self) -> HearStream:
        return self

    def __exit__(self, *_: object) -> None:
        self.connection.close()


class AsyncHear:
    def __init__(self, base_url: str, api_key: str, rest: AuthenticatedClient) -> None:
        self._base_url, self._api_key, self._rest = base_url, api_key, rest

    async def transcribe(self, audio: bytes, name: str = "audio", **wishes: Any) -> Any:
        return await post_v1_audio_transcriptions.asyncio(client=self._rest, body=_body(audio, name, wishes))

    async def stream(
        self, *, language: str | None = None, sample_rate: int | None = None, endpointing_ms: int | None = None
    ) -> AsyncHearStream:
        url = address(self._base_url, PATH, _query(language, sample_rate, endpointing_ms))
        return AsyncHearStream(await AsyncConnection.open(url, self._api_key))


class AsyncHearStream:
    def __init__(self, connection: AsyncConnection) -> None:
        self.connection = connection

    async def send(self, pcm: bytes) -> None:
        await self.connection.send(pcm)

    async def commit(self) -> None:
        await self.connection.send(_control("commit"))

    async def keepalive(self) -> None:
        await self.connection.send(_control("keepalive"))

    async def finish(self) -> None:
        await self.connection.send(_control("close"))

    async def __aiter__(self) -> AsyncIterator[Any]:
        async for message in self.connection:
            yield _frame(message)

    async def text(self) -> str:
        return " ".join([frame.text async for frame in self if _is_final(frame) and frame.text])

    async def __aenter__(self) -> AsyncHearStream:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.connection.close()
