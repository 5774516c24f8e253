"""Calls to an agent over one socket, and over another one where the first breaks."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from dataclasses import dataclass
from inspect import isawaitable
from typing import Any, Literal

from .errors import ConnectionFailed, SocketClosed, TrunklineError, frame_error
from .sockets import AsyncConnection, Connection, address, parsed

PATH = "/v1/omni"
AUDIO, TRANSCRIPT, CONTROL = 1, 2, 3
#: The server closed because its node drains, and the connection broke.
RESUMABLE_CLOSES = (1001, 1006)
TRY_LATER = 1013
ANSWER_WITHIN_S = 3.0
FIRST_RETRY_S, MAX_RETRY_S = 0.1, 1.0
PINGS_BEFORE_SILENCE = 4
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


@dataclass(frozen=True)
class ConnectionChange:
    """The connection broke, and the call went on over another one. Audio sent between the two is lost."""

    state: Literal["lost", "resumed"]


Told = Audio | Transcript | Event | ConnectionChange


def _may_pass(error: Exception) -> bool:
    """A node that is full, that drains or that can not be reached may have a neighbor that takes the call."""
    if isinstance(error, SocketClosed):
        return error.code in (*RESUMABLE_CLOSES, TRY_LATER)
    if isinstance(error, TrunklineError):
        return error.code in ("capacity", "unavailable")
    return isinstance(error, (ConnectionFailed, TimeoutError, asyncio.TimeoutError))


class _Resumption:
    """What a session needs to go on over another connection."""

    def __init__(self, enabled: bool) -> None:
        self._enabled = enabled
        self._token: str | None = None
        self._ttl_s = 0.0
        self._silent_after_s: float | None = None
        self._unanswered = 0
        self._pinged_at = 0.0
        self.is_ending = False

    def observe(self, told: Told | None) -> None:
        if isinstance(told, Event) and told.name == "configured":
            resume = told.raw.get("resume")
            if resume is not None:
                self._token, self._ttl_s = resume["token"], resume["ttl_s"]
                silent_after_ms = resume.get("silent_after_ms")
                self._silent_after_s = None if silent_after_ms is None else silent_after_ms / 1000

    @property
    def wait(self) -> float | None:
        """How long to wait for a message before the next ping; None: for ever."""
        if not self.can_resume or self._silent_after_s is None:
            return None
        return self._silent_after_s / PINGS_BEFORE_SILENCE

    def ping_due(self, has_come: bool) -> bool:
        """Called after each message, and after each wait in which none came."""
        self._unanswered = 0 if has_come else self._unanswered + 1
        wait, now = self.wait, time.monotonic()
        if wait is None or (has_come and now - self._pinged_at < wait):
            return False
        self._pinged_at = now
        return True

    @property
    def is_silent(self) -> bool:
        return self._unanswered >= PINGS_BEFORE_SILENCE

    def silence(self) -> SocketClosed:
        self._unanswered = 0
        return SocketClosed(1006, f"the server was silent for {self._silent_after_s} s")

    @property
    def can_resume(self) -> bool:
        return self._enabled and not self.is_ending and self._token is not None

    def can_resume_after(self, error: SocketClosed) -> bool:
        return self.can_resume and error.code in RESUMABLE_CLOSES

    def hides(self, told: Told) -> bool:
        """The node closes the connection with 1001 next."""
        is_drained = isinstance(told, Event) and told.name == "ended" and told.raw.get("reason") == "draining"
        return is_drained and self.can_resume

    @property
    def configure(self) -> bytes:
        return _framed({"type": "configure", "resume": self._token})

    def waits(self, error: Exception, until: float, wait: float) -> bool:
        return _may_pass(error) and time.monotonic() + wait < until

    @property
    def until(self) -> float:
        return time.monotonic() + self._ttl_s


def _framed(control: Mapping[str, Any]) -> bytes:
    return bytes([CONTROL]) + json.dumps(control).encode()


PING = _framed({"type": "ping"})


def _in_time(connection: Connection, timeout: float | None) -> bytes | str | None:
    try:
        return connection.receive(timeout)
    except TimeoutError:
        return None


async def _in_time_async(connection: AsyncConnection, timeout: float | None) -> bytes | str | None:
    try:
        return await asyncio.wait_for(connection.receive(), timeout)
    except (TimeoutError, asyncio.TimeoutError):
        return None


def _read(message: bytes | str) -> Audio | Transcript | Event | None:
    if isinstance(message, str) or not message:
        return None
    kind, rest = message[0], message[1:]
    if kind == AUDIO:
        return Audio(rest)
    frame = json.loads(rest)
    if kind == TRANSCRIPT:
        return Transcript(frame["role"], frame["turn_id"], frame["text"], frame["final"])
    if frame["event"] == "pong":
        return None
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
        resume: bool = True,
    ) -> OmniSession:
        """A call, configured. `tools` answer what the agent calls; a call that comes twice runs once.

        A call whose connection breaks is resumed over another one; `resume=False` lets it end.
        """
        url = _url(self._base_url, rate, session_label)

        def opened(timeout: float | None = None) -> Connection:
            return Connection(url, self._api_key, timeout)

        return OmniSession(opened, configure or {}, tools or {}, resume)


class OmniSession:
    """Audio, transcripts and events come by iteration, until the call ends."""

    def __init__(
        self,
        opened: Callable[..., Connection],
        configure: Mapping[str, Any],
        tools: Tools,
        resume: bool = True,
    ) -> None:
        self._opened = opened
        self.connection = opened()
        self._tools = tools
        self._results: dict[str, dict[str, Any]] = {}
        self._resumption = _Resumption(resume)
        self._held: list[Mapping[str, Any]] | None = None
        self._spare: Connection | None = None
        self.send({**configure, "type": "configure"})

    def send_audio(self, pcm: bytes) -> None:
        """PCM16 little-endian at the session's rate: 20 ms or more a time."""
        self.connection.send(bytes([AUDIO]) + pcm)

    def send(self, control: Mapping[str, Any]) -> None:
        """Any control of the contract: `session.send({"type": "dtmf", "digits": "1#"})`."""
        if control["type"] == "end":
            self._resumption.is_ending = True
        if self._held is None:
            self.connection.send(_framed(control))
        else:
            self._held.append(control)

    def user_text(self, text: str) -> None:
        self.send({"type": "user_text", "text": text})

    def end(self) -> None:
        """The call ends; `ended` still comes."""
        self.send({"type": "end"})

    def __iter__(self) -> Iterator[Told]:
        resumption = self._resumption
        while True:
            try:
                for message in self._messages():
                    told = _read(message)
                    resumption.observe(told)
                    if told is None or resumption.hides(told):
                        continue
                    if isinstance(told, Event) and told.name == "tool_call" and told.raw["name"] in self._tools:
                        self._answer(told.raw)
                    yield told
                return
            except SocketClosed as error:
                if not resumption.can_resume_after(error):
                    raise
            self._held = []
            yield ConnectionChange("lost")
            first = self._resume()
            yield ConnectionChange("resumed")
            yield from first

    def _messages(self) -> Iterator[bytes | str]:
        resumption, connection = self._resumption, self.connection
        while True:
            try:
                message = _in_time(connection, resumption.wait)
                if resumption.ping_due(message is not None):
                    connection.send(PING)
                if resumption.is_silent:
                    message = self._look_elsewhere(connection)
            except SocketClosed as error:
                if error.code == 1000:
                    return
                raise
            if message is not None:
                yield message

    def _look_elsewhere(self, connection: Connection) -> bytes | str | None:
        """Raises SocketClosed where another connection opens and still nothing comes: the server hangs, not the network.

        The silent connection gets no close frame, which would end the call.
        """
        try:
            spare = self._opened(ANSWER_WITHIN_S)
        except ConnectionFailed:
            return None
        message = _in_time(connection, 0.01)
        if message is None:
            self._spare = spare
            raise self._resumption.silence()
        spare.close()
        return message

    def _resume(self) -> list[Told]:
        """Opens another connection and returns what came on it up to `configured`."""
        until, wait = self._resumption.until, FIRST_RETRY_S
        while True:
            try:
                first = self._resume_once()
                break
            except Exception as error:  # noqa: BLE001: the next line tells which may be tried again
                if not self._resumption.waits(error, until, wait):
                    raise
            time.sleep(wait)
            wait = min(MAX_RETRY_S, 2 * wait)
        held, self._held = self._held or [], None
        for control in held:
            self.send(control)
        return first

    def _resume_once(self) -> list[Told]:
        connection, self._spare = self._spare or self._opened(ANSWER_WITHIN_S), None
        try:
            connection.send(self._resumption.configure)
            first: list[Told] = []
            while not any(isinstance(told, Event) and told.name == "configured" for told in first):
                told = _read(connection.receive(ANSWER_WITHIN_S))
                self._resumption.observe(told)
                if told is not None:
                    first.append(told)
        except Exception:
            connection.close()
            raise
        self.connection = connection
        return first

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
        self._resumption.is_ending = True
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
        resume: bool = True,
    ) -> AsyncOmniSession:
        url = _url(self._base_url, rate, session_label)
        connection = await AsyncConnection.open(url, self._api_key)
        session = AsyncOmniSession(url, self._api_key, connection, tools or {}, resume)
        await session.send({**(configure or {}), "type": "configure"})
        return session


class AsyncOmniSession:
    def __init__(
        self, url: str, api_key: str, connection: AsyncConnection, tools: Tools, resume: bool = True
    ) -> None:
        self._url, self._api_key = url, api_key
        self.connection = connection
        self._tools = tools
        self._results: dict[str, dict[str, Any]] = {}
        self._resumption = _Resumption(resume)
        self._held: list[Mapping[str, Any]] | None = None
        self._spare: AsyncConnection | None = None

    async def send_audio(self, pcm: bytes) -> None:
        await self.connection.send(bytes([AUDIO]) + pcm)

    async def send(self, control: Mapping[str, Any]) -> None:
        if control["type"] == "end":
            self._resumption.is_ending = True
        if self._held is None:
            await self.connection.send(_framed(control))
        else:
            self._held.append(control)

    async def user_text(self, text: str) -> None:
        await self.send({"type": "user_text", "text": text})

    async def end(self) -> None:
        await self.send({"type": "end"})

    async def __aiter__(self) -> AsyncIterator[Told]:
        resumption = self._resumption
        while True:
            try:
                async for message in self._messages():
                    told = _read(message)
                    resumption.observe(told)
                    if told is None or resumption.hides(told):
                        continue
                    if isinstance(told, Event) and told.name == "tool_call" and told.raw["name"] in self._tools:
                        await self._answer(told.raw)
                    yield told
                return
            except SocketClosed as error:
                if not resumption.can_resume_after(error):
                    raise
            self._held = []
            yield ConnectionChange("lost")
            first = await self._resume()
            yield ConnectionChange("resumed")
            for told in first:
                yield told

    async def _messages(self) -> AsyncIterator[bytes | str]:
        resumption, connection = self._resumption, self.connection
        while True:
            try:
                message = await _in_time_async(connection, resumption.wait)
                if resumption.ping_due(message is not None):
                    await connection.send(PING)
                if resumption.is_silent:
                    message = await self._look_elsewhere(connection)
            except SocketClosed as error:
                if error.code == 1000:
                    return
                raise
            if message is not None:
                yield message

    async def _look_elsewhere(self, connection: AsyncConnection) -> bytes | str | None:
        try:
            spare = await asyncio.wait_for(AsyncConnection.open(self._url, self._api_key), ANSWER_WITHIN_S)
        except (ConnectionFailed, TimeoutError, asyncio.TimeoutError):
            return None
        message = await _in_time_async(connection, 0.01)
        if message is None:
            self._spare = spare
            raise self._resumption.silence()
        await spare.close()
        return message

    async def _resume(self) -> list[Told]:
        """Opens another connection and returns what came on it up to `configured`."""
        until, wait = self._resumption.until, FIRST_RETRY_S
        while True:
            try:
                first = await asyncio.wait_for(self._resume_once(), ANSWER_WITHIN_S)
                break
            except Exception as error:  # noqa: BLE001: the next line tells which may be tried again
                if not self._resumption.waits(error, until, wait):
                    raise
            await asyncio.sleep(wait)
            wait = min(MAX_RETRY_S, 2 * wait)
        held, self._held = self._held or [], None
        for control in held:
            await self.send(control)
        return first

    async def _resume_once(self) -> list[Told]:
        connection, self._spare = self._spare or await AsyncConnection.open(self._url, self._api_key), None
        try:
            await connection.send(self._resumption.configure)
            first: list[Told] = []
            async for message in connection:
                told = _read(message)
                self._resumption.observe(told)
                if told is not None:
                    first.append(told)
                if isinstance(told, Event) and told.name == "configured":
                    self.connection = connection
                    return first
            raise SocketClosed(1006, "the connection closed before the call was resumed")
        except BaseException:
            await connection.close()
            raise

    async def _answer(self, call: dict[str, Any]) -> None:
        call_id, connection = call["call_id"], self.connection
        if call_id not in self._results:
            try:
                result = self._tools[call["name"]](call["arguments"])
                self._results[call_id] = {"result": await result if isawaitable(result) else result}
            except Exception as error:  # noqa: BLE001: whatever a tool does is told to the agent
                self._results[call_id] = {"error": str(error)}
        await connection.send(_framed({"type": "tool_result", "call_id": call_id, **self._results[call_id]}))

    async def __aenter__(self) -> AsyncOmniSession:
        return self

    async def __aexit__(self, *_: object) -> None:
        self._resumption.is_ending = True
        await self.connection.close()
