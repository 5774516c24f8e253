"""Who or what answered a call."""

from __future__ import annotations

import json
import secrets
from base64 import b64encode
from collections.abc import AsyncIterator, Iterator
from typing import Any

from .errors import frame_error
from .sockets import AsyncConnection, Connection, address, parsed

PATH = "/v1/amd/stream"


class _Messages:
    """The carriers' media-stream protocol, as it is written."""

    def __init__(self, parameters: dict[str, Any]) -> None:
        self._sid = f"MZ{secrets.token_hex(16)}"
        self._parameters = {name: str(value) for name, value in parameters.items()}
        self._number = 0

    def _numbered(self, message: dict[str, Any]) -> str:
        self._number += 1
        return json.dumps({**message, "sequenceNumber": str(self._number), "streamSid": self._sid})

    def connected(self) -> str:
        return self._numbered({"event": "connected", "protocol": "Call", "version": "1.0.0"})

    def start(self) -> str:
        said = {
            "streamSid": self._sid,
            "callSid": f"CA{self._sid[2:]}",
            "tracks": ["inbound"],
            "customParameters": self._parameters,
            "mediaFormat": {"encoding": "audio/x-mulaw", "sampleRate": 8000, "channels": 1},
        }
        return self._numbered({"event": "start", "start": said})

    def media(self, mulaw: bytes) -> str:
        payload = b64encode(mulaw).decode()
        return self._numbered({"event": "media", "media": {"track": "inbound", "payload": payload}})

    def stop(self) -> str:
        return self._numbered({"event": "stop"})


def _frame(message: bytes | str) -> Any:
    frame = json.loads(message)
    if frame["event"] == "error":
        raise frame_error(frame["error"])
    return parsed("Amd", frame["event"], frame)


class Amd:
    def __init__(self, base_url: str, api_key: str) -> None:
        self._base_url, self._api_key = base_url, api_key

    def stream(self, **parameters: Any) -> AmdStream:
        """Send µ-law of 8 kHz as it comes, read verdicts. Parameters: aggressiveness, mode, language, to…"""
        return AmdStream(Connection(address(self._base_url, PATH, {}), self._api_key), parameters)


class AmdStream:
    def __init__(self, connection: Connection, parameters: dict[str, Any]) -> None:
        self.connection = connection
        self._messages = _Messages(parameters)
        connection.send(self._messages.connected())
        connection.send(self._messages.start())

    def send(self, mulaw: bytes) -> None:
        self.connection.send(self._messages.media(mulaw))

    def stop(self) -> None:
        self.connection.send(self._messages.stop())

    def __iter__(self) -> Iterator[Any]:
        for message in self.connection:
            yield _frame(message)

    def verdict(self) -> Any:
        """The verdict, once it is there; None where the stream ends without one."""
        return next((frame for frame in self if getattr(frame, "event", None) == "amd"), None)

    def __enter__(self) -> AmdStream:
        return self

    def __exit__(self, *_: object) -> None:
        self.connection.close()


class AsyncAmd:
    def __init__(self, base_url: str, api_key: str) -> None:
        self._base_url, self._api_key = base_url, api_key

    async def stream(self, **parameters: Any) -> AsyncAmdStream:
        connection = await AsyncConnection.open(address(self._base_url, PATH, {}), self._api_key)
        messages = _Messages(parameters)
        await connection.send(messages.connected())
        await connection.send(messages.start())
        return AsyncAmdStream(connection, messages)


class AsyncAmdStream:
    def __init__(self, connection: AsyncConnection, messages: _Messages) -> None:
        self.connection = connection
        self._messages = messages

    async def send(self, mulaw: bytes) -> None:
        await self.connection.send(self._messages.media(mulaw))

    async def stop(self) -> None:
        await self.connection.send(self._messages.stop())

    async def __aiter__(self) -> AsyncIterator[Any]:
        async for message in self.connection:
            yield _frame(message)

    async def verdict(self) -> Any:
        async for frame in self:
            if getattr(frame, "event", None) == "amd":
                return frame
        return None

    async def __aenter__(self) -> AsyncAmdStream:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.connection.close()
