"""Lists that come in pages, and things that take their time."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any, TypeVar

from .rest.types import UNSET

T = TypeVar("T")


def pages(fetch: Callable[[Any], Any]) -> Iterator[Any]:
    """Every item: `pages(lambda cursor: get_v1_omni_calls.sync(client=trunkline.rest, cursor=cursor))`."""
    cursor: Any = UNSET
    while True:
        page = fetch(cursor)
        yield from page.data
        cursor = getattr(page, "next_cursor", None)
        if not cursor:
            return


async def pages_async(fetch: Callable[[Any], Awaitable[Any]]) -> AsyncIterator[Any]:
    cursor: Any = UNSET
    while True:
        page = await fetch(cursor)
        for item in page.data:
            yield item
        cursor = getattr(page, "next_cursor", None)
        if not cursor:
            return


def poll(ask: Callable[[], T], done: Callable[[T], bool], *, every: float = 1.0) -> T:
    """Asks again until `done` says so: for jobs, crawls, renders and dubs."""
    while not done(answer := ask()):
        time.sleep(every)
    return answer


async def poll_async(ask: Callable[[], Awaitable[T]], done: Callable[[T], bool], *, every: float = 1.0) -> T:
    while not done(answer := await ask()):
        await asyncio.sleep(every)
    return answer
