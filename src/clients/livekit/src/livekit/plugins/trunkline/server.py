"""A server, a key, and what its refusals mean to LiveKit."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import aiohttp
from livekit.agents import APIConnectionError, APIError, APIStatusError, APITimeoutError


@dataclass(frozen=True)
class Server:
    base_url: str
    api_key: str

    @classmethod
    def of(cls, base_url: str | None, api_key: str | None) -> Server:
        url, key = base_url or os.environ.get("TRUNKLINE_URL"), api_key or os.environ.get("TRUNKLINE_KEY")
        if not url:
            raise ValueError("base_url, or TRUNKLINE_URL, is the server's address")
        if not key:
            raise ValueError("api_key, or TRUNKLINE_KEY, is a key of the server")
        return cls(url.rstrip("/"), key)

    @property
    def headers(self) -> dict[str, str]:
        return {"authorization": f"Bearer {self.api_key}"}

    @property
    def host(self) -> str:
        return self.base_url.split("://", 1)[-1]

    @property
    def socket_url(self) -> str:
        return "ws" + self.base_url.removeprefix("http")


@asynccontextmanager
async def told_to_livekit() -> AsyncIterator[None]:
    """Raises the errors that LiveKit knows, which says whether it tries again."""
    try:
        yield
    except APIError:
        raise
    except asyncio.TimeoutError as error:
        raise APITimeoutError() from error
    except aiohttp.ClientResponseError as error:
        request_id = (error.headers or {}).get("x-request-id")
        raise APIStatusError(
            error.message, status_code=error.status, request_id=request_id, body=None
        ) from error
    except (aiohttp.ClientError, OSError) as error:
        raise APIConnectionError(f"the Trunkline server cannot be reached: {error!r}") from error


async def check(response: aiohttp.ClientResponse) -> None:
    if response.status == 200:
        return
    body: Any = await response.text()
    if response.content_type.endswith("json"):
        body = await response.json(content_type=None)
    error = body.get("error", {}) if isinstance(body, dict) else {}
    raise APIStatusError(
        error.get("message") or f"the Trunkline server answered {response.status}",
        status_code=response.status,
        request_id=response.headers.get("x-request-id"),
        body=body,
    )


def frame_error(error: dict[str, Any]) -> APIError:
    """Of a socket's error frame: a request's fault is not tried again."""
    retryable = error["type"] in ("server_error", "rate_limit_error")
    return APIError(f"{error['code']}: {error['message']}", body=error, retryable=retryable)
