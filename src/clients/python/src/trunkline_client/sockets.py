"""Connections whose frames are read in their order."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from typing import Any
from urllib.parse import urlencode

from websockets.asyncio.client import ClientConnection as AsyncClientConnection
from websockets.asyncio.client import connect as connect_async
from websockets.exceptions import ConnectionClosed, ConnectionClosedOK, InvalidHandshake
from websockets.sync.client import ClientConnection, connect

from .errors import ConnectionFailed, SocketClosed
from .rest import models

MOST_BYTES = 1 << 24
OPEN_WITHIN_S = 10.0


def address(base_url: str, path: str, query: Mapping[str, Any]) -> str:
    said = {name: value for name, value in query.items() if value is not None}
    return "ws" + base_url.removeprefix("http") + path + ("?" + urlencode(said) if said else "")


def protocols(api_key: str) -> Any:
    """The key goes as the second subprotocol, as browsers send it."""
    return ["svc.v1", f"svc-key.{api_key}"] if api_key else None


def parsed(family: str, name: str, frame: Mapping[str, Any]) -> Any:
    """A frame as the model of its name; one that is newer than this client, or says something newer, stays a dictionary."""
    pascal = "".join(part.capitalize() for part in name.split("_"))
    model = getattr(models, f"{family}Server{pascal}", None)
    try:
        return frame if model is None else model.from_dict(frame)
    except (KeyError, TypeError, ValueError):
        return frame


def closed(error: ConnectionClosed) -> SocketClosed:
    if error.rcvd is not None:
        return SocketClosed(error.rcvd.code, error.rcvd.reason)
    return SocketClosed(1000 if isinstance(error, ConnectionClosedOK) else 1006, "")


class Connection:
    def __init__(self, url: str, api_key: str, timeout: float | None = None) -> None:
        try:
            self._socket: ClientConnection = connect(
                url,
                subprotocols=protocols(api_key),
                max_size=MOST_BYTES,
                compression=None,
                open_timeout=timeout or OPEN_WITHIN_S,
            )
        except (OSError, InvalidHandshake) as error:
            raise ConnectionFailed(f"{url} cannot be opened: {error}") from error

    def send(self, data: bytes | str) -> None:
        """Does nothing once the socket has closed with 1000."""
        try:
            self._socket.send(data)
        except ConnectionClosed:
            pass  # what comes of it is told to whoever reads

    def receive(self, timeout: float | None) -> bytes | str:
        """The next frame; raises TimeoutError where none comes in time. None waits for ever."""
        try:
            return self._socket.recv(timeout)
        except ConnectionClosed as error:
            raise closed(error) from None

    def __iter__(self) -> Iterator[bytes | str]:
        try:
            while True:
                yield self._socket.recv()
        except ConnectionClosed as error:
            if closed(error).code != 1000:
                raise closed(error) from None

    def close(self) -> None:
        self._socket.close()


class AsyncConnection:
    def __init__(self, socket: AsyncClientConnection) -> None:
        self._socket = socket

    @classmethod
    async def open(cls, url: str, api_key: str) -> AsyncConnection:
        try:
            return cls(
                await connect_async(
                    url, subprotocols=protocols(api_key), max_size=MOST_BYTES, compression=None
                )
            )
        except (OSError, InvalidHandshake) as error:
            raise ConnectionFailed(f"{url} cannot be opened: {error}") from error

    async def send(self, data: bytes | str) -> None:
        try:
            await self._socket.send(data)
        except ConnectionClosed:
            pass  # what comes of it is told to whoever reads

    async def receive(self) -> bytes | str:
        """The next frame; may be cancelled without losing one."""
        try:
            return await self._socket.recv()
        except ConnectionClosed as error:
            raise closed(error) from None

    async def __aiter__(self) -> AsyncIterator[bytes | str]:
        try:
            while True:
                yield await self._socket.recv()
        except ConnectionClosed as error:
            if closed(error).code != 1000:
                raise closed(error) from None

    async def close(self) -> None:
        await self._socket.close()
