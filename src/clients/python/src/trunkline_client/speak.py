"""Text as speech, while it is made."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from typing import Any

import httpx

PATH = "/v1/audio/speech"


class Speak:
    def __init__(self, http: httpx.Client) -> None:
        self._http = http

    def stream(self, speech: Mapping[str, Any]) -> Iterator[bytes]:
        """The fields of POST /v1/audio/speech; whoever stops reading stops the synthesis."""
        with self._http.stream("POST", PATH, json=dict(speech)) as response:
            yield from response.iter_bytes()

    def bytes(self, speech: Mapping[str, Any]) -> bytes:
        return b"".join(self.stream(speech))


class AsyncSpeak:
    def __init__(self, http: httpx.AsyncClient) -> None:
        self._http = http

    async def stream(self, speech: Mapping[str, Any]) -> AsyncIterator[bytes]:
        async with self._http.stream("POST", PATH, json=dict(speech)) as response:
            async for chunk in response.aiter_bytes():
                yield chunk

    async def bytes(self, speech: Mapping[str, Any]) -> bytes:
        return b"".join([chunk async for chunk in self.stream(speech)])
