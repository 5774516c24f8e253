"""What the server refuses, by its stable codes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import httpx


class TrunklineError(Exception):
    """What the server refused, or how it failed: branch on `code`, never on the message."""

    def __init__(
        self,
        code: str,
        message: str,
        *,
        status: int = 0,
        type: str = "unknown",
        param: str | None = None,
        request_id: str | None = None,
        retry_after: int | None = None,
    ) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message
        #: 0 of an error that came as a frame of a socket.
        self.status = status
        self.type = type
        #: The field, query parameter or scope at fault.
        self.param = param
        #: Quote it when you report something.
        self.request_id = request_id
        #: Seconds after which the same request may succeed.
        self.retry_after = retry_after


class ConnectionFailed(Exception):
    """The server could not be reached, or the connection broke."""


class SocketClosed(Exception):
    """A socket closed with something else than 1000."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(f"the socket was closed with {code}{': ' + reason if reason else ''}")
        self.code = code


class WebhookSignatureError(Exception):
    """A delivery that this server did not sign, or not lately."""


def seconds_of(retry_after: str | None) -> int | None:
    return int(retry_after) if retry_after is not None and retry_after.isascii() and retry_after.isdigit() else None


def error_of(response: httpx.Response) -> TrunklineError:
    """Of an answer whose body was read, whichever envelope it came in."""
    try:
        body = response.json()
    except ValueError:
        body = {}
    body = body if isinstance(body, dict) else {}
    error = body.get("error") if isinstance(body.get("error"), dict) else {}
    return TrunklineError(
        error.get("code", "unknown"),
        body.get("detail") or error.get("message") or f"the server answered {response.status_code}",
        status=response.status_code,
        type=error.get("type", "unknown"),
        param=error.get("param"),
        request_id=response.headers.get("x-request-id"),
        retry_after=seconds_of(response.headers.get("retry-after")),
    )


def frame_error(error: Mapping[str, Any]) -> TrunklineError:
    return TrunklineError(error["code"], error["message"], type=error["type"], param=error.get("param"))


def raise_refusal(response: httpx.Response) -> None:
    """A hook of httpx."""
    if response.status_code >= 400:
        response.read()
        raise error_of(response)


async def raise_refusal_async(response: httpx.Response) -> None:
    if response.status_code >= 400:
        await response.aread()
        raise error_of(response)
