"""Runs an agent of openai-agents by its RealtimeRunner: agents_client.py BASE_URL KEY PCM -> a JSON line."""

import asyncio
import json
import sys

from agents import function_tool
from agents.realtime import RealtimeAgent, RealtimeRunner

base_url, key, _ = sys.argv[1:]
called, errors, history = [], [], []
sound = 0


@function_tool
def look_up_order(order: str) -> str:
    """Looks an order up."""
    called.append({"order": order})
    return "It ships on Friday."


async def main():
    global sound
    agent = RealtimeAgent(name="Shop", instructions="You run a shop.", tools=[look_up_order])
    runner = RealtimeRunner(agent, config={"model_settings": {"model_name": "gpt-realtime"}})
    url = base_url.replace("http", "ws", 1) + "/realtime?model=gpt-realtime"
    session = await runner.run(model_config={"api_key": key, "url": url})
    async with session:
        await session.send_message("Where is order 4711?")
        async for event in session:
            if event.type == "error":
                errors.append(str(event.error))
                break
            if event.type == "audio":
                sound += len(event.audio.data)
            if event.type == "history_updated":
                history[:] = [str(item) for item in event.history]
            if event.type == "audio_end" and called:
                break
    print(json.dumps({"called": called, "errors": errors, "audio": sound, "history": " ".join(history)}))


asyncio.run(asyncio.wait_for(main(), 120))
