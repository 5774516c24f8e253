"""Conversations on the server's own session, by the events that OpenAI's Realtime clients speak."""

from __future__ import annotations

from typing import Any

import aiohttp
from livekit.agents import llm
from livekit.agents.types import NOT_GIVEN, NotGivenOr
from livekit.plugins.openai import realtime

from .server import Server

MODEL = "svc-omni"
#: An alias of a stock voice. Agents speak by the voices whose `available_on` in the catalogue has `omni`.
VOICE = "alloy"


class RealtimeModel(realtime.RealtimeModel):
    """`model` may be the id of an agent (`agt_…`), which loads its profile; `turn_detection=None` leaves turns to you."""

    def __init__(
        self,
        *,
        voice: str = VOICE,
        model: str = MODEL,
        turn_detection: NotGivenOr[Any | None] = NOT_GIVEN,
        tool_choice: NotGivenOr[llm.ToolChoice | None] = NOT_GIVEN,
        base_url: str | None = None,
        api_key: str | None = None,
        http_session: aiohttp.ClientSession | None = None,
    ) -> None:
        server = Server.of(base_url, api_key)
        super().__init__(
            model=model,
            voice=voice,
            turn_detection=turn_detection,
            tool_choice=tool_choice,
            base_url=f"{server.base_url}/v1",
            api_key=server.api_key,
            http_session=http_session,
        )
        self._server = server

    @property
    def provider(self) -> str:
        return self._server.host
