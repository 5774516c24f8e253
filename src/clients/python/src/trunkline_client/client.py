"""A server and a key: everything else is reached from here."""

from __future__ import annotations

import httpx

from .amd import Amd, AsyncAmd
from .errors import raise_refusal, raise_refusal_async
from .hear import AsyncHear, Hear
from .omni import AsyncOmni, Omni
from .rest.client import AuthenticatedClient
from .retries import AsyncRetryTransport, Retries, RetryTransport
from .speak import AsyncSpeak, Speak

TIMEOUT = httpx.Timeout(120.0, connect=10.0)


def _headers(api_key: str) -> dict[str, str]:
    return {"authorization": f"Bearer {api_key}"} if api_key else {}


class Trunkline:
    """`rest` is what the functions of `trunkline_client.rest.api` take as `client`; refusals are raised as TrunklineError."""

    def __init__(self, base_url: str, api_key: str = "", *, retries: Retries | None = None) -> None:
        url = base_url.rstrip("/")
        self.http = httpx.Client(
            base_url=url,
            headers=_headers(api_key),
            timeout=TIMEOUT,
            transport=RetryTransport(retries or Retries()),
            event_hooks={"response": [raise_refusal]},
        )
        self.rest = AuthenticatedClient(base_url=url, token=api_key)
        self.rest.set_httpx_client(self.http)
        self.hear = Hear(url, api_key, self.rest)
        self.speak = Speak(self.http)
        self.omni = Omni(url, api_key)
        self.amd = Amd(url, api_key)

    def __enter__(self) -> Trunkline:
        return self

    def __exit__(self, *_: object) -> None:
        self.http.close()


class AsyncTrunkline:
    """The same, for `asyncio`: the functions of `trunkline_client.rest.api` are called by their `asyncio`."""

    def __init__(self, base_url: str, api_key: str = "", *, retries: Retries | None = None) -> None:
        url = base_url.rstrip("/")
        self.http = httpx.AsyncClient(
            base_url=url,
            headers=_headers(api_key),
            timeout=TIMEOUT,
            transport=AsyncRetryTransport(retries or Retries()),
            event_hooks={"response": [raise_refusal_async]},
        )
        self.rest = AuthenticatedClient(base_url=url, token=api_key)
        self.rest.set_async_httpx_client(self.http)
        self.hear = AsyncHear(url, api_key, self.rest)
        self.speak = AsyncSpeak(self.http)
        self.omni = AsyncOmni(url, api_key)
        self.amd = AsyncAmd(url, api_key)

    async def __aenter__(self) -> AsyncTrunkline:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.http.aclose()
