"""Sends again after a 429, and after a 503 or a broken connection where that can have no second effect."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass

import httpx

from .errors import ConnectionFailed, seconds_of

REPEATABLE = {"GET", "HEAD", "PUT", "DELETE", "OPTIONS"}
FIRST_WAIT = 0.25


@dataclass(frozen=True)
class Retries:
    #: How often a refused request is sent again.
    most: int = 2
    #: A `Retry-After` beyond so many seconds is not waited for.
    longest_wait: float = 30.0

    def after_break(self, request: httpx.Request, attempt: int) -> float | None:
        return FIRST_WAIT * 2**attempt if attempt < self.most and is_repeatable(request) else None

    def after(self, request: httpx.Request, response: httpx.Response, attempt: int) -> float | None:
        """Seconds to wait; None where the answer stands."""
        again = response.status_code == 429 or (response.status_code == 503 and is_repeatable(request))
        if attempt >= self.most or not again or not is_kept(request):
            return None
        seconds = seconds_of(response.headers.get("retry-after"))
        if seconds is None:
            return FIRST_WAIT * 2**attempt
        return seconds if seconds <= self.longest_wait else None


def is_repeatable(request: httpx.Request) -> bool:
    return is_kept(request) and (request.method in REPEATABLE or "idempotency-key" in request.headers)


def is_kept(request: httpx.Request) -> bool:
    """A body that came from a generator is gone once it was sent."""
    return isinstance(request.stream, httpx.ByteStream) or hasattr(request.stream, "fields")


class RetryTransport(httpx.BaseTransport):
    def __init__(self, retries: Retries, inner: httpx.BaseTransport | None = None) -> None:
        self._retries = retries
        self._inner = inner or httpx.HTTPTransport()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        attempt = 0
        while True:
            try:
                response = self._inner.handle_request(request)
            except httpx.TransportError as error:
                wait = self._retries.after_break(request, attempt)
                if wait is None:
                    raise ConnectionFailed(str(error) or "the server cannot be reached") from error
            else:
                wait = self._retries.after(request, response, attempt)
                if wait is None:
                    return response
                response.close()
            time.sleep(wait)
            attempt += 1

    def close(self) -> None:
        self._inner.close()


class AsyncRetryTransport(httpx.AsyncBaseTransport):
    def __init__(self, retries: Retries, inner: httpx.AsyncBaseTransport | None = None) -> None:
        self._retries = retries
        self._inner = inner or httpx.AsyncHTTPTransport()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        attempt = 0
        while True:
            try:
                response = await self._inner.handle_async_request(request)
            except httpx.TransportError as error:
                wait = self._retries.after_break(request, attempt)
                if wait is None:
                    raise ConnectionFailed(str(error) or "the server cannot be reached") from error
            else:
                wait = self._retries.after(request, response, attempt)
                if wait is None:
                    return response
                await response.aclose()
            await asyncio.sleep(wait)
            attempt += 1

    async def aclose(self) -> None:
        await self._inner.aclose()
