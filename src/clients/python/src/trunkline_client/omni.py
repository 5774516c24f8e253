"""Calls to an agent over one socket."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from dataclasses import dataclass
from inspect import isawaitable
from typing import Any

from .errors import frame_error
from .sockets import AsyncConnection, Connection, address, parsed

PATH = "/v1/omni"
AUDIO, TRANSCRIPT, CONTROL = 1, 2, 3
Tools = Mapping[str, Callable[[dict[str, Any]], Any]]


@dataclass(frozen=True)
class Audio:
    pcm: bytes


@dataclass(frozen=True)
class Transcript:
    role: str
    turn_id: int
    text: str
    final: bool


@dataclass(frozen=True)
class Event:
    """What the server told: `name` is the event's, `data` its model."""

    name: str
    data: Any
    raw: dict[str, Any]


def _framed(control: Mapping[str, Any]) -> bytes:
    return bytes([CONTROL]) + json.dumps(control).encode()


def _read(message: bytes | str) -> Audio | Transcript | Event | None:
    if isinstance(message, str) or not message:
        return None
    kind, rest = message[0], message[1:]
    if kind == AUDIO:
        return Audio(rest)
    frame = json.loads(rest)
    if kind == TRANSCRIPT:
        return Transcript(frame["role"], frame["turn_id"], frame["text"], frame["final"])
    if frame["event"] == "error":
        raise frame_error(frame["error"])
    return Event(frame["event"], parsed("Omni", frame["event"], frame), frame)


def _url(base_url: str, rate: int, session_label: str | None) -> str:
    return address(base_url, PATH, {"format": "pcm16", "rate": rate, "session_label": session_label})


class Omni:
    def __init__(self, base_url: str, api_key: str) -> None:
        self._base_url, self._api_key = base_url, api_key

    def connect(
        self,
        configure: Mapping[str, Any] | None = None,
        *,
        rate: int = 16_000,
        session_label: str | None = None,
        tools: Tools | None = None,
    ) -> OmniSession:
        """A call, configured. `tools` answer what the agent calls; a call that comes twice runs once."""
        connection = Connection(_url(self._base_url, rate, session_label), self._api_key)
        return OmniSession(connection, configure or {}, tools or {})


class OmniSession:
    """Audio, transcripts and events come by iteration, until the call ends."""

    def __init__(self, connection: Connection, configure: Mapping[str, Any], tools: Tools) -> None:
        self.connection = connection
        self._tools = tools
        self._results: dict[str, dict[str, Any]] = {}
        self.send({**configure, "type": "configure"})

    def send_audio(self, pcm: bytes) -> None:
        """PCM16 little-endian at the session's rate: 20 ms or more a time."""
        self.connection.send(bytes([AUDIO]) + pcm)

    def send(self, control: Mapping[str, Any]) -> None:
        """Any control of the contract: `session.send({"type": "dtmf", "digits": "1#"})`."""
        self.connection.send(_framed(control))

    def user_text(self, text: str) -> None:
        self.send({"type": "user_text", "text": text})

    def end(self) -> None:
        """The call ends; `ended` still comes."""
        self.send({"type": "end"})

    def __iter__(self) -> Iterator[Audio | Transcript | Event]:
        for message in self.connection:
            told = _read(message)
            if told is None:
                continue
            if isinstance(told, Event) and told.name == "tool_call" and told.raw["name"] in self._tools:
                self._answer(told.raw)
            yield told

    def _answer(self, call: dict[str, Any]) -> None:
        call_id = call["call_id"]
        if call_id not in self._results:
            try:
                self._results[call_id] = {"result": self._tools[call["name"]](call["arguments"])}
            except Exception as error:  # noqa: BLE001: whatever a tool does is told to the agent
                self._results[call_id] = {"error": str(error)}
        self.send({"type": "tool_result", "call_id": call_id, **self._results[call_id]})

    def __enter__(self) -> OmniSession:
        return self

    def __exit__(self, *_: object) -> None:
        self.connection.close()


class AsyncOmni:
    def __init__(self, base_url: str, api_key: str) -> None:
        self._base_url, self._api_key = base_url, api_key

    async def connect(
        self,
        configure: Mapping[str, Any] | None = None,
        *,
        rate: int = 16_000,
        session_label: str | None = None,
        tools: Tools | None = None,
    ) -> AsyncOmniSession:
        connection = await AsyncConnection.open(_url(self._base_url, rate, session_label), self._api_key)
        session = AsyncOmniSession(connection, tools or {})
        await session.send({**(configure or {}), "type": "configure"})
        return session


class AsyncOmniSession:
    def __init__(self, connection: AsyncConnection, tools: Tools) -> None:
        self.connection = connection
        self._tools = tools
        self._results: dict[str, dict[str, Any]] = {}

    async def send_audio(self, pcm: bytes) -> None:
        await self.connection.send(bytes([AUDIO]) + pcm)

    async def send(self, control: Mapping[str, Any]) -> None:
        await self.connection.send(_framed(control))

    async def user_text(self, text: str) -> None:
        await self.send({"type": "user_text", "text": text})

    async def end(self) -> None:
        await self.send({"type": "end"})

    async def __aiter__(self) -> AsyncIterator[Audio | Transcript | Event]:
        async for message in self.connection:
            told = _read(message)
            if told is None:
                continue
            if isinstance(told, Event) and told.name == "tool_call" and told.raw["name"] in self._tools:
                await self._answer(told.raw)
            yield told

    async def _answer(self, call: dict[str, Any]) -> None:
        call_id = call["call_id"]
        if call_id not in self._results:
            try:
                result = self._tools[call["name"]](call["arguments"])
                self._results[call_id] = {"result": await result if isawaitable(result) else result}
            except Exception as error:  # noqa: BLE001: whatever a tool does is told to the agent
                self._results[call_id] = {"error": str(error)}
        await self.send({"type": "tool_result", "call_id": call_id, **self._results[call_id]})

    async def __aenter__(self) -> AsyncOmniSession:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.connection.close()
